"""Bounds: theorems that turn a prediction into a band, and the radii of numbered results as plain functions."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._core import (
    abbasi2012_radius,
    calandriello2019_radius,
    chowdhury2017_radius,
    flynn2024_amm_radius,
    wang2014_radius,
    zenati2022_radius,
)
from .regressions import Regression
from .specs import resolve

__all__ = ["Band", "Bound", "abbasi2012_radius", "calandriello2019_radius", "chowdhury2017_radius",
           "flynn2024_amm_radius", "wang2014_radius", "zenati2022_radius"]


class Band(NamedTuple):
    """Where the expected reward lies, at n states.

    >>> Band(np.zeros(1), np.ones(1)).upper
    array([1.])
    """

    lower: np.ndarray
    upper: np.ndarray


class Bound(_core.Bound):
    """A bound by its type: fixed, self_normalized, amm, dmm, cmm, igp, ek_ucb, bkb, wang_de_freitas.

    >>> bound = Bound("amm", delta=0.05, norm_bound=3.0, noise_bound=0.1)
    >>> round(bound.radius(_core.Evidence(ridge=0.01, log_determinant=2.0)), 6)
    0.412207
    """

    def __init__(self, type: str = "fixed", **parameters: Any) -> None:
        projected = type in ("bkb", "ek_ucb")
        start = {"policy": "ek-ucb" if projected else "k-ucb", "bound": {"type": type}}
        given, _ = resolve(start, None, parameters)
        super().__init__(given)

    def band(self, regression: Regression, states: ArrayLike) -> Band:
        """The band at the rows of `states`.

        >>> model = Regression("exact", ridge=1.0)
        >>> Bound("fixed", radius=2.0).band(model, [[0.0]])
        Band(lower=array([-2.]), upper=array([2.]))
        """
        return Band(*self._band(regression, states))
