"""What callers hand in, checked before anything is sent."""

from __future__ import annotations

import math
import re
import urllib.parse
import uuid
from typing import Any, Dict, Iterable, Iterator, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_IMPORT_ID = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_EVENT_ID = re.compile(r"[!-~]{1,128}")
_TOKEN = re.compile(r"[!-~]+")
_LARGEST_REWARD = 1e100

Features = Union[ArrayLike, Mapping[str, ArrayLike], Sequence[Mapping[str, Any]]]
Context = Union[ArrayLike, Mapping[str, Any]]


def url(given: str) -> str:
    parts = urllib.parse.urlsplit(given)
    try:
        fine = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number
        fine = False
    if not fine or parts.query or parts.fragment or parts.username:
        raise ValueError(f"url must be like http://127.0.0.1:8080, got {given!r}")
    return given


def token(given: Optional[str]) -> Optional[str]:
    if given is not None and not _TOKEN.fullmatch(given):
        raise ValueError("token must be printable ASCII characters without spaces")
    return given


def name(given: str) -> str:
    if not isinstance(given, str) or not _NAME.fullmatch(given):
        raise ValueError(f"name must be 1 to 64 of the characters A-Z a-z 0-9 _ . -, got {given!r}")
    return given


def event_id(given: Any) -> str:
    """Of a decision, or the id itself."""
    text = getattr(given, "event_id", given)
    if not isinstance(text, str) or not _EVENT_ID.fullmatch(text):
        raise ValueError(f"event_id must be 1 to 128 printable ASCII characters without spaces, got {text!r}")
    return text


def own_event_id(given: Optional[str]) -> str:
    """One that nobody else has, unless it is given; so a repeated request is known to be one."""
    if given is None:
        return uuid.uuid4().hex
    if event_id(given).startswith("rr-"):
        raise ValueError(f'event_id must not begin with "rr-", which the service keeps for its own, got {given!r}')
    return given


def import_id(given: Optional[str]) -> str:
    """As part of an address: one that nobody else has, unless it is given."""
    if given is None:
        return uuid.uuid4().hex
    if not isinstance(given, str) or not _IMPORT_ID.fullmatch(given):
        raise ValueError(f"import_id must be 1 to 100 of the characters A-Z a-z 0-9 _ . -, got {given!r}")
    return given


def whole(given: Any, called: str, least: int, most: Optional[int] = None) -> int:
    if isinstance(given, (int, np.integer)) and not isinstance(given, bool) and given >= least and (
            most is None or given <= most):
        return int(given)
    allowed = f"at least {least}" if most is None else f"from {least} to {most}"
    raise ValueError(f"{called} must be a whole number {allowed}, got {given!r}")


def positive(given: Any, called: str) -> float:
    value = finite(given, called)
    if value <= 0:
        raise ValueError(f"{called} must be > 0, got {given!r}")
    return value


def finite(given: Any, called: str) -> float:
    try:
        value = float(given)
    except (TypeError, ValueError):
        raise ValueError(f"{called} must be a number, got {given!r}") from None
    if not math.isfinite(value):
        raise ValueError(f"{called} must be finite, got {given!r}")
    return value


def reward(given: Any, called: str = "reward") -> float:
    value = finite(given, called)
    if abs(value) > _LARGEST_REWARD:
        raise ValueError(f"{called} must be at most 1e100 in size, got {given!r}")
    return value


def point(given: ArrayLike, called: str) -> List[float]:
    array = _numbers(given, called)
    if array.ndim > 1:
        raise ValueError(f"{called} must be a number or a list of numbers, got an array of {_shape(array)}")
    if array.size == 0:
        raise ValueError(f"{called} must not be empty")
    return np.atleast_1d(array).tolist()


def points(given: ArrayLike, called: str) -> List[List[float]]:
    """Points in rows; a flat list is points of dimension 1."""
    array = _numbers(given, called)
    if array.ndim == 1:
        array = array.reshape(-1, 1)
    if array.ndim != 2:
        raise ValueError(f"{called} must be points in rows, an array of n x d numbers, got {_shape(array)}")
    if array.size == 0:
        raise ValueError(f"{called} must not be empty")
    return array.tolist()


def _plain(value: Any, called: str) -> Any:
    """A named value as JSON has it; None and NaN are missing."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(one, called) for one in value]
    if value is None or isinstance(value, (str, bool, int)):
        return value
    if isinstance(value, float) and not math.isinf(value):
        return None if math.isnan(value) else value
    raise ValueError(f"{called} must be a number, text, flag or a list of them, got {value!r}")


def named(given: Mapping[str, Any], called: str) -> Dict[str, Any]:
    """Values by the names of a spec's features."""
    return {name: _plain(value, f"{called}.{name}") for name, value in given.items()}


def context(given: Union[ArrayLike, Mapping[str, Any]]) -> Any:
    return named(given, "context") if isinstance(given, Mapping) else point(given, "context")


def actions(given: Features) -> Tuple[List[Any], List[Optional[str]]]:
    """Candidates as the service takes them, and their ids: rows, {id: features}, or {"id", "features"} each."""
    if isinstance(given, Mapping):
        given = [{"id": key, "features": features} for key, features in given.items()]
    if isinstance(given, (list, tuple)) and given and all(isinstance(one, str) for one in given):
        given = [{"id": one, "features": {}} for one in given]  # actions without features
    if not isinstance(given, (list, tuple)) or not any(isinstance(one, Mapping) for one in given):
        rows = points(given, "actions")  # type: ignore[arg-type]
        return list(rows), [None] * len(rows)
    made: List[Any] = []
    ids: List[Optional[str]] = []
    for number, one in enumerate(given):
        made.append(_action(one, number))
        ids.append(made[-1].get("id"))
    known = [one for one in ids if one is not None]
    if len(set(known)) < len(known):
        twice = next(one for one in known if known.count(one) > 1)
        raise ValueError(f"actions must have different ids, got {twice!r} twice")
    return made, ids


def _action(one: Any, number: int) -> Dict[str, Any]:
    called = f"actions[{number}]"
    if not isinstance(one, Mapping) or "features" not in one or set(one) - {"id", "features"}:
        raise ValueError(f'{called} must have "features" and may have an "id", got {one!r}')
    features = one["features"]
    where = f"{called}.features"
    made: Dict[str, Any] = {"features": named(features, where) if isinstance(features, Mapping) else point(features, where)}
    if one.get("id") is not None:
        if not isinstance(one["id"], str):
            raise ValueError(f"{called}.id must be a text, got {one['id']!r}")
        made["id"] = one["id"]
    return made


def excluded(given: Iterable[Union[int, str]], ids: Optional[List[Optional[str]]]) -> List[Union[int, str]]:
    """Indices or ids; checked where the candidates are known, which fixed arms are not."""
    if isinstance(given, (str, int)):
        raise ValueError(f"excluded must be a list of indices or ids, got {given!r}")
    made: List[Union[int, str]] = []
    for number, one in enumerate(given):
        if isinstance(one, str):
            if ids is not None and one not in ids:
                raise ValueError(f"excluded[{number}] must be the id of an action, got {one!r}")
            made.append(one)
        else:
            made.append(whole(one, f"excluded[{number}]", 0, None if ids is None else len(ids) - 1))
    if ids is not None:
        gone = {one if isinstance(one, int) else ids.index(one) for one in made}
        if len(gone) == len(ids):
            raise ValueError("excluded must leave an action to choose")
    return made


def observations(states: Any, rewards: Any, chunk: int) -> Iterator[List[Tuple[List[float], float]]]:
    """Pairs in lists of at most `chunk`, taken as they come."""
    if isinstance(states, np.ndarray):
        states = points(states, "states")
    batch: List[Tuple[List[float], float]] = []
    for number, (state, value) in enumerate(_pairs(states, rewards)):
        batch.append((point(state, f"states[{number}]"), reward(value, f"rewards[{number}]")))
        if len(batch) == chunk:
            yield batch
            batch = []
    if batch:
        yield batch


def _pairs(states: Iterable[Any], rewards: Iterable[Any]) -> Iterator[Tuple[Any, Any]]:
    left, right, end = iter(states), iter(rewards), object()
    for number in range(10**18):
        state, value = next(left, end), next(right, end)
        if state is end and value is end:
            return
        if state is end or value is end:
            more = "rewards" if state is end else "states"
            raise ValueError(f"states and rewards must be equally many, got {number} and more {more}")
        yield state, value


def _numbers(given: ArrayLike, called: str) -> np.ndarray:
    try:
        array = np.asarray(given)
        if array.dtype.kind not in "bifuO":
            raise ValueError(f"{called} must be real numbers, got {array.dtype}")
        array = array.astype(float)
    except TypeError:
        raise ValueError(f"{called} must be numbers, in rows of equal length") from None
    except ValueError as error:
        if str(error).startswith(called):
            raise
        raise ValueError(f"{called} must be numbers, in rows of equal length") from None
    if not np.isfinite(array).all():
        raise ValueError(f"{called} must be finite")
    return array


def _shape(array: np.ndarray) -> str:
    return " x ".join(map(str, array.shape)) or "one number"
