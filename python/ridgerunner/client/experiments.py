"""One experiment of a service."""

from __future__ import annotations

import json
import urllib.parse
from typing import Any, Callable, Dict, Iterable, Iterator, List, Mapping, Optional, TypeVar, Union

from numpy.typing import ArrayLike

from . import answers, arguments
from .answers import Decision, Explanation, Forecast, History, Live, Made, Receipt, State
from .transport import Answer, Interrupted, ServiceError, Transport, Unreachable

T = TypeVar("T")
EventId = Union[str, Decision, Made]

_LONG_SILENCE = 60.0  # the service says something at least every 15 s on a live stream
_UNCHANGED: Any = object()


class Experiment:
    """A handle on one experiment; it asks nothing until it is used. May be shared between threads.

    >>> experiment = client.experiment("prices")
    >>> decision = experiment.decide([[0.1], [0.5], [0.9]])
    >>> experiment.reward(decision, 0.3)
    Receipt(event_id='...', status='accepted')
    """

    def __init__(self, transport: Transport, name: str) -> None:
        self._transport, self._name = transport, arguments.name(name)
        self._path = f"/v1/experiments/{self._name}"

    @property
    def name(self) -> str:
        """Its name.

        >>> client.experiment("prices").name
        'prices'
        """
        return self._name

    def state(self) -> State:
        """What happened so far, and figures of the model.

        >>> experiment.state().name
        'prices'
        """
        return self._get("", answers.to_state)

    def decide(self, actions: Optional[arguments.Features] = None, *, context: Optional[arguments.Context] = None,
               excluded: Optional[Iterable[Union[int, str]]] = None, event_id: Optional[str] = None,
               defer_activation: bool = False) -> Decision:
        """Chooses among `actions`: rows of features, {id: features}, or [{"id", "features"}, ...]; fixed arms need none.

        A state is the context followed by the action. Where the spec has features, the context and an action's features
        are dicts, and actions without features are their ids. `excluded` lists indices or ids. A deferred decision counts
        from its activation on. Safe to repeat with the same `event_id`, which is made up if there is none: the answer is
        the same.

        >>> experiment.decide({"low": [0.1], "high": [0.9]}, excluded=["low"]).id
        'high'
        """
        body: Dict[str, Any] = {"event_id": arguments.own_event_id(event_id)}
        ids: Optional[List[Optional[str]]] = None
        if context is not None:
            body["context"] = arguments.context(context)
        if actions is not None:
            body["actions"], ids = arguments.actions(actions)
        if excluded is not None:
            body["excluded"] = arguments.excluded(excluded, ids)
        if defer_activation:
            body["defer_activation"] = True
        return self._post("/decide", body, answers.to_decision)

    def reward(self, event_id: EventId, reward: float) -> Receipt:
        """What came of a decision. Safe to repeat; another reward for the same decision is refused.

        >>> experiment.reward(experiment.decide([[0.1], [0.5]]), 0.25).status
        'accepted'
        """
        body = {"event_id": arguments.event_id(event_id), "reward": arguments.reward(reward)}
        return self._post("/reward", body, answers.to_receipt)

    def activate(self, event_id: EventId) -> Receipt:
        """Says that a deferred decision was carried out. Safe to repeat.

        >>> decision = experiment.decide([[0.1], [0.5]], defer_activation=True)
        >>> experiment.activate(decision).status
        'activated'
        """
        return self._post("/activate", {"event_id": arguments.event_id(event_id)}, answers.to_receipt)

    def predict(self, states: Optional[ArrayLike] = None, *, actions: Optional[arguments.Features] = None,
                context: Optional[arguments.Context] = None) -> Forecast:
        """Mean, scaled sd and band at the rows of `states`, or of `actions` in a `context`, as in `decide`.

        >>> experiment.predict([[0.5]]).sd.shape
        (1,)
        """
        if (states is None) == (actions is None) or (actions is None and context is not None):
            raise ValueError("predict takes states, or actions with or without a context")
        if states is not None:
            return self._post("/predict", {"states": arguments.points(states, "states")}, answers.to_forecast)
        rows, _ = arguments.actions(actions)  # type: ignore[arg-type]
        by_name = isinstance(rows[0], dict)
        body: Dict[str, Any] = {"actions" if by_name or context is not None else "states": rows}
        if context is not None:
            body["context"] = arguments.context(context)
        return self._post("/predict", body, answers.to_forecast)

    def import_history(self, states: Union[ArrayLike, Iterable[ArrayLike]], rewards: Iterable[float], *,
                       chunk: int = 1000, import_id: Optional[str] = None) -> int:
        """Learns from a logged past: states in rows and their rewards, arrays or anything that can be iterated over.

        Sent in chunks, each of which is taken as a whole or not at all, and once: a chunk has a number, so that it can be
        sent again when the connection breaks. If the service stays away, `Interrupted` says how many are in for certain.
        With an `import_id` of your own (1 to 100 characters) the whole call can be repeated, with the same data and chunk:
        what is in already is not learnt twice.

        >>> experiment.import_history([[0.2], [0.4], [0.6]], [0.1, 0.3, 0.2], import_id="january")
        3
        >>> experiment.import_history([[0.2], [0.4], [0.6]], [0.1, 0.3, 0.2], import_id="january")
        3
        >>> experiment.state().counts.imported
        3
        """
        imported = 0
        called = arguments.import_id(import_id)
        for number, batch in enumerate(arguments.observations(states, rewards, arguments.whole(chunk, "chunk", 1))):
            lines = "".join(json.dumps({"state": state, "reward": value}) + "\n" for state, value in batch)
            try:
                answer = self._transport.request("POST", f"{self._path}/import?import_id={called}.{number}", lines,
                                                 content="application/x-ndjson")
            except Unreachable as error:
                raise Interrupted(f"{error}; {imported} observations are in for certain", imported) from error
            imported += read(answer, lambda data: int(data["imported"]))
        return imported

    def configure(self, *, reward_deadline_seconds: Optional[float] = _UNCHANGED,
                  default_reward: Optional[float] = _UNCHANGED) -> State:
        """Changes what is given, for decisions from now on; None means no deadline, or no default.

        >>> experiment.configure(reward_deadline_seconds=3600).reward_deadline_seconds
        3600.0
        """
        body: Dict[str, Any] = {}
        if reward_deadline_seconds is not _UNCHANGED:
            body["reward_deadline_seconds"] = optional(arguments.positive, reward_deadline_seconds,
                                                       "reward_deadline_seconds")
        if default_reward is not _UNCHANGED:
            body["default_reward"] = optional(arguments.reward, default_reward, "default_reward")
        if not body:
            raise ValueError("configure needs reward_deadline_seconds or default_reward")
        return self._post("/configure", body, answers.to_state)

    def close(self) -> State:
        """No more decisions; rewards of those made are still taken. Safe to repeat.

        >>> client.create("over", "k-ucb").close().state
        'closed'
        """
        return self._post("/close", None, answers.to_state)

    def log(self, start: int = 1) -> Iterator[Dict[str, Any]]:
        """Every event from number `start` on, in order; the last one is of type "end" and has the model's checksum.

        >>> [event["type"] for event in client.create("new", "k-ucb").log()]
        ['created', 'end']
        """
        path = f"{self._path}/log?from={arguments.whole(start, 'start', 1)}"
        event: Dict[str, Any] = {}
        for line in self._transport.lines(path, self._transport.timeout):
            if not line.endswith(b"\n"):
                break
            event = json.loads(line)
            yield event
        if event.get("type") != "end":
            raise Unreachable(f"{self._transport.url}{path} broke off after event {event.get('seq')}")

    def decisions(self, limit: int = 20) -> List[Made]:
        """The newest decisions, newest first; at most 100.

        >>> len(experiment.decisions(limit=2))
        2
        """
        limit = arguments.whole(limit, "limit", 1, 100)
        return self._get(f"/decisions?limit={limit}", lambda data: [answers.to_made(one) for one in data["decisions"]])

    def explain(self, event_id: EventId) -> Explanation:
        """A decision, and how the model sees its candidates now.

        >>> experiment.explain(experiment.decide([[0.1], [0.5]])).decision.candidates
        2
        """
        quoted = urllib.parse.quote(arguments.event_id(event_id), safe="")
        return self._get(f"/decisions/{quoted}", answers.to_explanation)

    def history(self) -> History:
        """Series over time, thinned out: cumulative reward, anchors, radius and others.

        >>> experiment.history().seq.dtype
        dtype('int64')
        """
        return self._get("/history", answers.to_history)

    def live(self) -> Iterator[Live]:
        """The experiment now, and again whenever something has changed, at most once a second. Never ends by itself.

        >>> next(experiment.live()).state.state
        'open'
        """
        for line in self._transport.lines(f"{self._path}/live", max(self._transport.timeout, _LONG_SILENCE)):
            if line.startswith(b"data:") and line.endswith(b"\n"):
                yield answers.to_live(json.loads(line[5:]))

    def __repr__(self) -> str:
        return f"<Experiment {self._name} at {self._transport.url}>"

    def _get(self, path: str, parse: Callable[[Mapping[str, Any]], T]) -> T:
        return read(self._transport.request("GET", self._path + path), parse)

    def _post(self, path: str, body: Optional[Dict[str, Any]], parse: Callable[[Mapping[str, Any]], T]) -> T:
        text = "" if body is None else json.dumps(body, allow_nan=False)
        return read(self._transport.request("POST", self._path + path, text), parse)


def read(answer: Answer, parse: Callable[[Any], T]) -> T:
    """The value of an answer; an error if it is one, or if it is not our service's."""
    try:
        return parse(answer.value())
    except (KeyError, TypeError, ValueError) as error:
        raise ServiceError(answer.status, "unexpected", f"not an answer of this service: {error!r}") from error


def optional(check: Callable[[Any, str], float], given: Any, called: str) -> Optional[float]:
    return None if given is None else check(given, called)
