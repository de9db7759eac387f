"""A decision service as Python sees it."""

from __future__ import annotations

import json
from types import TracebackType
from typing import Any, Dict, List, Optional, Type

from .. import _core
from ..specs import SpecSource, resolve
from . import answers, arguments
from .answers import Readiness, State
from .experiments import Experiment, optional, read
from .transport import Transport


class Client:
    """A running `ridgerunner serve`: asks what to do, and tells what came of it.

    Every thread that uses it keeps a connection of its own. What gets no answer, or 408, 429, 502, 503 or 504, is tried
    again up to `retries` times, after `backoff` seconds and twice as long each time, or as long as the server asks for.
    Nothing is decided or rewarded twice by it: every decision carries an id. `timeout` is in seconds and for each try.

    >>> with Client(url, timeout=5) as client:
    ...     experiment = client.create("example", "k-ucb", lengthscale=0.3)
    ...     decision = experiment.decide([[0.1], [0.5], [0.9]])
    ...     receipt = experiment.reward(decision, 1.0)
    >>> receipt.status
    'accepted'
    """

    def __init__(self, url: str = "http://127.0.0.1:8080", token: Optional[str] = None, *, timeout: float = 10.0,
                 retries: int = 5, backoff: float = 0.1) -> None:
        self._transport = Transport(arguments.url(url), arguments.token(token), arguments.positive(timeout, "timeout"),
                                    arguments.whole(retries, "retries", 0), arguments.positive(backoff, "backoff"))

    def create(self, name: str, spec: SpecSource = "auto", *, description: str = "",
               reward_deadline_seconds: Optional[float] = None, default_reward: Optional[float] = None,
               kernel: Any = None, **parameters: Any) -> Experiment:
        """A new experiment from a preset's name, a dict, or TOML (a path or the text), and keywords as for `Policy`.

        Safe to repeat with the same spec; another one under the same name is refused. A decision that has no reward
        `reward_deadline_seconds` after it gets `default_reward`, or expires if there is none.

        >>> client.create("offers", "ek-ucb", ridge=0.5, reward_deadline_seconds=86400, default_reward=0.0)
        <Experiment offers at http://127.0.0.1:...>
        >>> client.create("offers", "ek-ucb", ridge=-1)
        Traceback (most recent call last):
        ValueError: ridge must be > 0, got -1
        """
        experiment = Experiment(self._transport, name)
        given, own = resolve(spec, kernel, parameters)
        if own is not None:
            raise ValueError("a kernel function cannot be sent to a service: describe the kernel by a spec")
        _core.complete_spec(given)  # says what is wrong with it
        body: Dict[str, Any] = {"name": name, "spec": given}
        if description:
            body["description"] = description
        if reward_deadline_seconds is not None:
            body["reward_deadline_seconds"] = optional(arguments.positive, reward_deadline_seconds,
                                                       "reward_deadline_seconds")
        if default_reward is not None:
            body["default_reward"] = optional(arguments.reward, default_reward, "default_reward")
        read(self._transport.request("POST", "/v1/experiments", json.dumps(body, allow_nan=False)), answers.to_state)
        return experiment

    def experiments(self) -> List[State]:
        """All experiments, without their specs.

        >>> "prices" in [state.name for state in client.experiments()]
        True
        """
        return read(self._transport.request("GET", "/v1/experiments"),
                    lambda data: [answers.to_state(one) for one in data["experiments"]])

    def experiment(self, name: str) -> Experiment:
        """A handle on one that is there already; nothing is asked yet.

        >>> client.experiment("prices").state().state
        'open'
        """
        return Experiment(self._transport, name)

    def health(self) -> bool:
        """True if the service's process answers; asks once.

        >>> client.health()
        True
        """
        return self._transport.request("GET", "/healthz", retries=0).status == 200

    def ready(self) -> Readiness:
        """Whether the service takes requests, and if not, why; asks once.

        >>> bool(client.ready())
        True
        """
        answer = self._transport.request("GET", "/readyz", retries=0)
        if answer.status not in (200, 503):
            raise answer.error()
        try:
            told = json.loads(answer.body)
            return Readiness(told["status"], told.get("message") or "")
        except (KeyError, TypeError, ValueError):
            raise answer.error() from None

    def close(self) -> None:
        """Closes the connections; what comes after it is an error.

        >>> other = Client(url); other.close(); other.health()
        Traceback (most recent call last):
        ValueError: the client is closed
        """
        self._transport.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                 trace: Optional[TracebackType]) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<Client of {self._transport.url}>"
