"""What the service answers, as plain values. Numbers that are not finite arrive as nan."""

from __future__ import annotations

import dataclasses
import datetime
import math
from dataclasses import dataclass
from typing import Any, Dict, List, Mapping, Optional, Type, TypeVar

import numpy as np

T = TypeVar("T")
Time = datetime.datetime


@dataclass(frozen=True)
class Decision:
    """A choice: candidate `index` (with its `id`, if it has one), and what the model thinks of it.

    `version` is the number of the last event that the model knew.

    >>> decision = experiment.decide([[0.1], [0.5], [0.9]])
    >>> decision.index in (0, 1, 2), decision.lower <= decision.mean <= decision.upper
    (True, True)
    """

    event_id: str
    index: int
    id: Optional[str]
    mean: float
    sd: float
    lower: float
    upper: float
    propensity: float
    version: int


@dataclass(frozen=True)
class Receipt:
    """What became of a reward or an activation: it is durable.

    >>> experiment.reward(experiment.decide([[0.1], [0.5]]), 1.0).status
    'accepted'
    """

    event_id: str
    status: str


@dataclass(frozen=True)
class Forecast:
    """Predictions at n states with the bound's band, n numbers each.

    >>> experiment.predict([[0.5], [0.7]]).mean.shape
    (2,)
    """

    mean: np.ndarray
    sd: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    version: int


@dataclass(frozen=True)
class Counts:
    """How many events of each kind. `pending` wait for a reward, `deferred` for their activation; what could not be
    learnt from was `skipped`.

    >>> experiment.state().counts.pending >= 0
    True
    """

    decisions: int
    rewards: int
    defaulted: int
    expired: int
    imported: int
    pending: int
    deferred: int
    skipped: int


@dataclass(frozen=True)
class Degraded:
    """Events that could not be learnt from: how many, the first one's number, and why.

    >>> experiment.state().degraded is None
    True
    """

    skipped: int
    seq: int
    message: str


@dataclass(frozen=True)
class State:
    """An experiment: its settings, what happened so far, and figures of its model (those of `Policy.stats`).

    >>> state = experiment.state()
    >>> state.state, state.model["anchors"] >= 0
    ('open', True)
    """

    name: str
    description: str
    state: str
    created: Time
    spec: Optional[Dict[str, Any]]  # not in lists
    reward_deadline_seconds: Optional[float]
    default_reward: Optional[float]
    version: int
    last_event: int
    counts: Counts
    totals: Dict[str, float]
    degraded: Optional[Degraded]
    model: Dict[str, Any]


@dataclass(frozen=True)
class Made:
    """A decision of the past and what became of it.

    `status` is pending, deferred, rewarded, defaulted or expired.

    >>> experiment.decisions(limit=1)[0].status
    'pending'
    """

    seq: int
    time: Time
    event_id: str
    index: int
    id: Optional[str]
    candidates: int
    mean: float
    sd: float
    lower: float
    upper: float
    propensity: float
    version: int
    status: str
    reward: Optional[float]


@dataclass(frozen=True)
class Candidate:
    """A candidate as the model sees it now.

    >>> experiment.explain(experiment.decide([[0.1], [0.5]])).runner_up.index in (0, 1)
    True
    """

    index: int
    id: Optional[str]
    mean: float
    sd: float
    lower: float
    upper: float


@dataclass(frozen=True)
class Explanation:
    """Why a decision came out as it did: everybody in the eyes of the model of `version`, the current one.

    The runner-up has the largest `upper` among the others.

    >>> why = experiment.explain(experiment.decide([[0.1], [0.5]]))
    >>> why.chosen.index == why.decision.index
    True
    """

    decision: Made
    state: np.ndarray
    version: int
    chosen: Candidate
    runner_up: Optional[Candidate]
    candidates: List[Candidate]


@dataclass(frozen=True)
class History:
    """An experiment's past, thinned out: arrays of equal length. `time` is in milliseconds since 1970.

    >>> history = experiment.history()
    >>> len(history.time) == len(history.reward)
    True
    """

    time: np.ndarray
    seq: np.ndarray
    decisions: np.ndarray
    rewards: np.ndarray
    reward: np.ndarray
    estimated_regret: np.ndarray
    anchors: np.ndarray
    radius: np.ndarray
    pending: np.ndarray


@dataclass(frozen=True)
class Live:
    """An experiment at a moment: events a second, how often which action was taken, the newest decisions.

    >>> for moment in experiment.live():
    ...     break
    >>> moment.state.name
    'prices'
    """

    time: Time
    state: State
    rates: Dict[str, float]
    shares: Dict[str, int]
    recent: List[Made]


@dataclass(frozen=True)
class Readiness:
    """Whether the service takes requests; true if it does. `status` is ready, starting, read_only or draining.

    >>> client.ready()
    Readiness(status='ready', message='')
    """

    status: str
    message: str

    def __bool__(self) -> bool:
        return self.status == "ready"


def to_decision(data: Mapping[str, Any]) -> Decision:
    return _made_of(Decision, data)


def to_receipt(data: Mapping[str, Any]) -> Receipt:
    return _made_of(Receipt, data)


def to_forecast(data: Mapping[str, Any]) -> Forecast:
    return _made_of(Forecast, data, **{name: _array(data[name]) for name in ("mean", "sd", "lower", "upper")})


def to_state(data: Mapping[str, Any]) -> State:
    degraded = data["degraded"]
    return _made_of(State, data, created=to_time(data["created"]), counts=_made_of(Counts, data["counts"]),
                    degraded=None if degraded is None else _made_of(Degraded, degraded))


def to_made(data: Mapping[str, Any]) -> Made:
    return _made_of(Made, data, time=to_time(data["time"]))


def to_explanation(data: Mapping[str, Any]) -> Explanation:
    why = data["explanation"]
    second = why["runner_up"]
    return Explanation(to_made(data), _array(data["state"]), why["version"], _made_of(Candidate, why["chosen"]),
                       None if second is None else _made_of(Candidate, second),
                       [_made_of(Candidate, one) for one in why["candidates"]])


def to_history(data: Mapping[str, Any]) -> History:
    whole = ("time", "seq", "decisions", "rewards", "anchors", "pending")
    return History(**{field.name: np.array(data[field.name], dtype=np.int64) if field.name in whole else
                      _array(data[field.name]) for field in dataclasses.fields(History)})


def to_live(data: Mapping[str, Any]) -> Live:
    return Live(to_time(data["time"]), to_state(data), dict(data["rates"]),
                {share["action"]: share["count"] for share in data["shares"]},
                [to_made(one) for one in data["recent"]])


def to_time(text: str) -> Time:
    """Of ISO 8601 in UTC, as the service writes it; an aware datetime.

    >>> to_time("2026-11-16T09:00:00.250Z").microsecond
    250000
    """
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=datetime.timezone.utc)


_NUMBERS = ("mean", "sd", "lower", "upper", "propensity")
_MAY_LACK = ("id", "spec")


def _made_of(kind: Type[T], data: Mapping[str, Any], **ready: Any) -> T:
    """The dataclass of an object's fields; those it does not know are a newer server's and are left alone."""
    values: Dict[str, Any] = dict(ready)
    for field in dataclasses.fields(kind):  # type: ignore[arg-type]
        if field.name in ready:
            continue
        value = data.get(field.name) if field.name in _MAY_LACK else data[field.name]
        values[field.name] = math.nan if value is None and field.name in _NUMBERS else value
    return kind(**values)


def _array(values: Any) -> np.ndarray:
    return np.array([math.nan if value is None else value for value in values], dtype=float)
