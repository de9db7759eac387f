"""Regressions: the models that policies rest on."""

from __future__ import annotations

from typing import Any, Dict, NamedTuple, Tuple, Type, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .specs import resolve

Self = TypeVar("Self", bound="Regression")


class Prediction(NamedTuple):
    """Predictions at n states: sd is the scaled one, sqrt(posterior variance / ridge); prior is k(s, s).

    >>> Regression("exact", variance=4.0, ridge=1.0).predict([[0.0]]).sd
    array([2.])
    """

    mean: np.ndarray
    sd: np.ndarray
    prior: np.ndarray


class Regression(_core.Regression):
    """Kernel ridge regression, updated in place: `exact`, or projected by `kors`, `bkb`, `bbkb`, `residual_budget`.

    Parameters have the names of a policy's spec. With `bound="dmm"` or `"cmm"` it keeps what these bounds need.

    >>> model = Regression("exact", kernel=Gaussian(0.5), ridge=1.0)
    >>> model.observe([[0.0], [1.0]], [1.0, 2.0])
    >>> model.predict([[0.0]]).mean.round(6)
    array([0.565679])
    >>> model.evidence().rounds
    2
    """

    def __init__(self, type: str = "exact", *, kernel: Any = None, **parameters: Any) -> None:
        given, self._own_kernel = resolve({"policy": "k-ucb", "regression": {"type": type}}, kernel, parameters)
        super().__init__(given, self._own_kernel)

    def predict(self, states: ArrayLike) -> Prediction:
        """Mean, scaled sd and prior variance at the rows of `states`.

        >>> Regression("exact").predict([[0.0], [1.0]]).mean
        array([0., 0.])
        """
        return Prediction(*self._prediction(states))

    def copy(self: Self) -> Self:
        """Another one that knows the same and goes its own way.

        >>> Regression("exact").copy().evidence().rounds
        0
        """
        return self.__copy__()

    def __copy__(self: Self) -> Self:
        other = type(self).__new__(type(self))
        _core.Regression.__init__(other, self)
        other.__dict__.update(self.__dict__)
        return other

    def __deepcopy__(self: Self, memo: object) -> Self:
        return self.__copy__()

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (type(self), self.archive(), self.spec, self.__dict__)


def _restored(cls: Type[Self], archive: bytes, spec: Dict[str, Any], attributes: Dict[str, Any]) -> Self:
    given, _ = resolve(spec, None, {})
    model = cls.__new__(cls)
    model.__dict__.update(attributes)
    _core.Regression.__init__(model, archive, _core.Regression(given, model._own_kernel))
    return model
