"""Specs: a policy as one plain value, with the same names as in TOML and on the command line."""

from __future__ import annotations

import math
import os
from typing import Any, Callable, Dict, List, Optional, Tuple, Union

import numpy as np

from . import _core
from .kernels import Kernel, as_kernel

SpecSource = Union[str, "os.PathLike[str]", Dict[str, Any]]

_SECTIONS = ("kernel", "regression", "bound", "rule", "tune", "arms", "features")
# regression.ridge is also `ridge`; what is not the only one of its name (type, file) is not.
_PATHS: Dict[str, str] = {}


def _learn_paths() -> None:
    for path in _core.parameters():
        section, _, leaf = path.partition(".")
        if leaf and "." not in leaf and leaf not in ("type", "file", "points"):
            _PATHS.setdefault(leaf, section)


_learn_paths()


def register_bound(name: str, radius: Callable[..., float], **parameters: Any) -> None:
    """Makes a function of the evidence a bound: the radius r of mean ± r sd. Specs may name it as their bound's type.

    Keywords are parameters of its own, with their defaults; the function is called with them. It is asked on whatever
    thread decides. A name that is taken is refused; a saved policy needs the name again before it is loaded.

    >>> register_bound("doubled", lambda evidence, factor: factor * evidence.ridge ** 0.5, factor=2.0)
    >>> rr.Policy("k-ucb", bound="doubled", factor=3.0, ridge=4.0).stats()["radius"]
    6.0
    """
    _core.register_bound(name, radius, parameters)
    _learn_paths()


def load_plugin(file: Union[str, "os.PathLike[str]"]) -> None:
    """Loads a shared library with bounds, rules or dictionaries of one's own (examples/own_bound.cpp).

    >>> load_plugin("nowhere.so")
    Traceback (most recent call last):
    ValueError: the plug-in nowhere.so cannot be loaded: ...
    """
    _core.load_plugin(os.fspath(file))
    _learn_paths()


def presets() -> Dict[str, str]:
    """The presets, each with what it is.

    >>> presets()["uniform"]
    'any action with equal probability: no learning'
    """
    return _core.presets()


def parameters() -> Dict[str, Tuple[str, str, str]]:
    """Every parameter of a spec: default, range and meaning.

    >>> parameters()["regression.ridge"][:2]
    ('1.0', '> 0')
    """
    return _core.parameters()


def spec(source: SpecSource = "auto", *, kernel: Any = None, **parameters: Any) -> Dict[str, Any]:
    """A spec as a dict in full, from a preset's name, a dict, or TOML (a path or the text), and keywords.

    >>> spec("k-ucb", ridge=0.5)["regression"]["ridge"]
    0.5
    >>> spec("k-ucb", ridge=-1)
    Traceback (most recent call last):
    ValueError: ridge must be > 0, got -1
    """
    given, own = resolve(source, kernel, parameters)
    if own is not None:
        raise ValueError("a spec cannot hold a kernel function: hand it to the policy")
    return _core.complete_spec(given)


def to_toml(spec: Dict[str, Any]) -> str:
    """A spec in full as TOML, each line explained.

    >>> print(to_toml({"policy": "k-ucb"}).splitlines()[0])
    policy = "k-ucb"                 # where the spec starts; everything below overrides it
    """
    return _core.spec_to_toml(spec)


def resolve(source: object, kernel: Any, parameters: Dict[str, Any]) -> Tuple[Dict[str, Any], Optional[Kernel]]:
    """The spec that was given, not yet complete, and the kernel if it has no spec."""
    given = _read(source)
    if given.get("kernel", 0) is None:
        del given["kernel"]
    for name, value in parameters.items():
        if value is not None:
            _put(given, name, value)
    own = None
    if kernel is not None:
        twice = [name for name in parameters if _PATHS.get(name) == "kernel"]
        if twice:
            raise ValueError(f"kernel and {twice[0]} exclude each other")
        given.pop("kernel", None)
        made = as_kernel(kernel)
        if made.spec is None:
            own = made
        else:
            given["kernel"] = made.spec
    return given, own


def _read(source: object) -> Dict[str, Any]:
    if isinstance(source, dict):
        given = {key: dict(value) if isinstance(value, dict) else value for key, value in source.items()}
        return _with_files(given, "")
    if isinstance(source, str):
        if source in _core.presets():
            return {"policy": source}
        if "=" in source or source.lstrip().startswith("{"):
            return _with_files(_core.parse_spec(source), "")
        if not os.path.exists(source):
            raise ValueError(f'a policy must be a preset ({", ".join(_core.presets())}) or a spec file, got "{source}"')
        path = source
    elif isinstance(source, os.PathLike):
        path = os.fspath(source)
    else:
        raise ValueError(f"a spec must be a preset's name, a dict or TOML, got {source!r}")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    try:
        return _with_files(_core.parse_spec(text), os.path.dirname(path))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def _with_files(given: Dict[str, Any], folder: str) -> Dict[str, Any]:
    """Puts the numbers of arms.file and kernel.file in their place."""
    for section, key in (("arms", "points"), ("kernel", "gram")):
        table = given.get(section)
        if not isinstance(table, dict) or "file" not in table:
            continue
        if key in table:
            raise ValueError(f"{section}.file and {section}.{key} exclude each other")
        if not isinstance(table["file"], (str, os.PathLike)):
            raise ValueError(f"{section}.file must be a string, got {table['file']!r}")
        path = os.path.join(folder, table.pop("file"))
        try:
            table[key] = _read_csv(path)
        except ValueError as error:
            raise ValueError(f"{section}.file: {error}") from None
    return given


def _read_csv(path: str) -> List[List[float]]:
    """Numbers separated by commas, one row a line; blank lines and lines that start with # are skipped."""
    rows: List[List[float]] = []
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            line = line.rstrip("\r\n")
            if not line or line.startswith("#"):
                continue
            rows.append([_number(cell, f"{path}:{number}") for cell in line.split(",")])
            if len(rows[-1]) != len(rows[0]):
                raise ValueError(f"{path}:{number}: {len(rows[-1])} numbers, but the first row has {len(rows[0])}")
    if not rows:
        raise ValueError(f"{path} holds no numbers")
    return rows


def _number(cell: str, place: str) -> float:
    try:
        value = float(cell)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise ValueError(f'{place}: "{cell}" is not a number')
    return value


def _put(given: Dict[str, Any], name: str, value: Any) -> None:
    if name in ("seed", "policy"):
        given[name] = value
    elif name in _SECTIONS:
        # A word is the section's type; arms are points.
        if isinstance(value, dict):
            given[name] = _with_files({name: dict(value)}, "")[name]
        elif name == "arms":
            given[name] = {"points": _rows(value)}
        else:
            given.setdefault(name, {})["type"] = value
    elif name in _PATHS:
        given.setdefault(_PATHS[name], {})[name] = value
    else:
        known = ", ".join(sorted({*_PATHS, *_SECTIONS, "seed"}))
        raise TypeError(f"unknown parameter {name}; known are {known}")


def _rows(arms: Any) -> Any:
    array = np.asarray(arms, dtype=float)
    return (array.reshape(-1, 1) if array.ndim == 1 else array).tolist()
