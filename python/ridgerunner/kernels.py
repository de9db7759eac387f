"""Kernels: how alike two states are."""

from __future__ import annotations

from typing import Any, Callable, Optional, Sequence, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core

LengthScale = Union[float, Sequence[float], "np.ndarray[Any, Any]"]


class Kernel(_core.Kernel):
    """A positive-definite function of two points. Kernels can be added, multiplied and scaled.

    >>> k = 2.0 * Gaussian(0.5) + Linear()
    >>> k([[0.0], [1.0]])
    array([[2.        , 0.27067057],
           [0.27067057, 3.        ]])
    """

    def __call__(self, x: ArrayLike, y: Optional[ArrayLike] = None) -> np.ndarray:
        """The kernel's values between the rows of x and those of y (of x, if there is no y).

        >>> Gaussian(1.0)([[0.0]], [[0.0], [1.0]])
        array([[1.        , 0.60653066]])
        """
        return self.gram(x, y)

    def __add__(self, other: "Kernel") -> "Kernel":
        return Sum(self, other) if isinstance(other, Kernel) else NotImplemented

    def __mul__(self, other: Union["Kernel", float]) -> "Kernel":
        if isinstance(other, Kernel):
            return Product(self, other)
        if isinstance(other, (int, float, np.number)):
            return _scaled(float(other), self)
        return NotImplemented

    def __rmul__(self, factor: float) -> "Kernel":
        return self * factor

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Kernel):
            return NotImplemented
        return self is other or (self.spec is not None and self.spec == other.spec)

    def __hash__(self) -> int:
        return id(self) if self.spec is None else hash(repr(self.spec))

    def __repr__(self) -> str:
        return "a kernel function" if self.spec is None else _text(self.spec)

    def __reduce__(self) -> Tuple[Any, ...]:
        return _of_spec, (self.spec,)

    def __copy__(self) -> "Kernel":
        return self

    def __deepcopy__(self, memo: object) -> "Kernel":
        return self  # nothing about it can change


def _of_spec(spec: dict) -> Kernel:
    kernel = Kernel.__new__(Kernel)
    _core.Kernel.__init__(kernel, spec)
    return kernel


def _of_core(core: _core.Kernel) -> Kernel:
    kernel = Kernel.__new__(Kernel)
    _core.Kernel.__init__(kernel, core)
    return kernel


_NAMES = {"gaussian": "Gaussian", "matern12": "Matern12", "matern32": "Matern32", "matern52": "Matern52",
          "linear": "Linear", "polynomial": "Polynomial", "rational_quadratic": "RationalQuadratic", "sum": "Sum",
          "product": "Product", "precomputed": "Precomputed"}


def _text(spec: dict) -> str:
    if spec["type"] == "precomputed":
        return f"Precomputed(<{len(spec['gram'])} arms>)"
    if "context_dim" in spec:
        return f"Blocks({spec['context_dim']}, {_text(spec['context'])}, {_text(spec['action'])})"
    if "parts" in spec:
        return f"{_NAMES[spec['type']]}({', '.join(_text(part) for part in spec['parts'])})"
    return f"{_NAMES[spec['type']]}({', '.join(f'{k}={v}' for k, v in spec.items() if k != 'type')})"


def _scaled_spec(factor: float, spec: dict) -> dict:
    scaled = dict(spec)
    if spec["type"] == "precomputed":
        scaled["gram"] = (factor * np.asarray(spec["gram"])).tolist()
    elif "context_dim" in spec:
        scaled["context"] = _scaled_spec(factor, spec["context"])
    elif spec["type"] == "sum":
        scaled["parts"] = [_scaled_spec(factor, part) for part in spec["parts"]]
    elif spec["type"] == "product":
        scaled["parts"] = [_scaled_spec(factor, spec["parts"][0]), *spec["parts"][1:]]
    else:
        scaled["variance"] = factor * spec["variance"]
    return scaled


def _scaled(factor: float, kernel: Kernel) -> Kernel:
    core = _core.Kernel._scaled(factor, kernel)  # checks the factor as well
    return _of_core(core) if kernel.spec is None else _of_spec(_scaled_spec(factor, kernel.spec))


def as_kernel(given: object) -> Kernel:
    """A kernel as users may give it: one of ours, a spec, a type's name, a function of two points."""
    if isinstance(given, Kernel):
        return given
    if isinstance(given, dict):
        return _of_spec(given)
    if isinstance(given, str):
        return _of_spec({"type": given})
    if callable(given):
        return FunctionKernel(given)
    raise ValueError(f"kernel must be a kernel, a spec or a function of two points, got {given!r}")


class _Stationary(Kernel):
    _type = ""

    def __init__(self, lengthscale: LengthScale = 0.5, variance: float = 1.0) -> None:
        super().__init__({"type": self._type, "lengthscale": _plain(lengthscale), "variance": variance})


def _plain(lengthscale: LengthScale) -> object:
    array = np.asarray(lengthscale)
    return array.tolist() if array.dtype.kind in "fiu" else lengthscale


class Gaussian(_Stationary):
    """variance exp(-r²/2), r = |(x - y) / lengthscale|; one length-scale, or one for each dimension.

    >>> Gaussian([0.5, 2.0])([[0.0, 0.0]], [[0.5, 0.0]])
    array([[0.60653066]])
    """

    _type = "gaussian"


class Matern12(_Stationary):
    """variance exp(-r): rough.

    >>> Matern12(1.0)([[0.0]], [[1.0]])
    array([[0.36787944]])
    """

    _type = "matern12"


class Matern32(_Stationary):
    """variance (1 + u) exp(-u), u = √3 r.

    >>> Matern32(1.0)([[0.0]], [[1.0]])
    array([[0.48335772]])
    """

    _type = "matern32"


class Matern52(_Stationary):
    """variance (1 + u + u²/3) exp(-u), u = √5 r.

    >>> Matern52(1.0)([[0.0]], [[1.0]])
    array([[0.52399411]])
    """

    _type = "matern52"


class RationalQuadratic(Kernel):
    """variance (1 + r²/(2 shape))^-shape: a mixture of Gaussians over length-scales.

    >>> RationalQuadratic(1.0, shape=1.0)([[0.0]], [[1.0]])
    array([[0.66666667]])
    """

    def __init__(self, lengthscale: LengthScale = 0.5, shape: float = 1.0, variance: float = 1.0) -> None:
        super().__init__({"type": "rational_quadratic", "lengthscale": _plain(lengthscale), "variance": variance,
                          "shape": shape})


class Linear(Kernel):
    """variance (x·y + offset): a linear bandit.

    >>> Linear(offset=1.0)([[1.0, 2.0]], [[3.0, 4.0]])
    array([[12.]])
    """

    def __init__(self, variance: float = 1.0, offset: float = 0.0) -> None:
        super().__init__({"type": "linear", "variance": variance, "offset": offset})


class Polynomial(Kernel):
    """variance (x·y + offset)^degree.

    >>> Polynomial(2)([[1.0]], [[2.0]])
    array([[9.]])
    """

    def __init__(self, degree: int = 2, variance: float = 1.0, offset: float = 1.0) -> None:
        super().__init__({"type": "polynomial", "variance": variance, "offset": offset, "degree": degree})


class Precomputed(Kernel):
    """For arms that are not vectors: a point is the index of an arm, and k(i, j) = gram[i, j].

    >>> Precomputed([[1.0, 0.5], [0.5, 1.0]])([0, 1], [1])
    array([[0.5],
           [1. ]])
    """

    def __init__(self, gram: ArrayLike) -> None:
        super().__init__({"type": "precomputed", "gram": np.asarray(gram, dtype=float).tolist()})


def _combined(kind: str, parts: Sequence[Kernel]) -> Union[dict, _core.Kernel]:
    kernels = [as_kernel(part) for part in parts]
    if all(kernel.spec is not None for kernel in kernels):
        return {"type": kind, "parts": [kernel.spec for kernel in kernels]}
    return (_core.Kernel._sum_of if kind == "sum" else _core.Kernel._product_of)(kernels)


class _Combined(Kernel):
    _type = ""

    def __init__(self, *parts: Kernel) -> None:
        super().__init__(_combined(self._type, parts))
        self._parts = parts

    def __reduce__(self) -> Tuple[Any, ...]:
        return type(self), self._parts


class Sum(_Combined):
    """k1 + k2 + ...

    >>> Sum(Gaussian(1.0), Linear())([[1.0]])
    array([[2.]])
    """

    _type = "sum"


class Product(_Combined):
    """k1 * k2 * ...

    >>> Product(Gaussian(1.0), Linear())([[2.0]])
    array([[4.]])
    """

    _type = "product"


class Blocks(Kernel):
    """context(x, x') * action(a, a'), where the first `context_dim` entries of a state are the context.

    >>> Blocks(1, Gaussian(1.0), Linear())([[0.0, 2.0]], [[1.0, 3.0]])
    array([[3.63918396]])
    """

    def __init__(self, context_dim: int, context: Kernel, action: Kernel) -> None:
        self._parts = context_dim, as_kernel(context), as_kernel(action)
        _, context, action = self._parts
        if context.spec is not None and action.spec is not None:
            super().__init__({"type": "product", "context_dim": context_dim, "context": context.spec,
                              "action": action.spec})
        else:
            super().__init__(_core.Kernel._blocks_of(context_dim, context, action))

    def __reduce__(self) -> Tuple[Any, ...]:
        return Blocks, self._parts


class FunctionKernel(Kernel):
    """A function of your own: of two points, or, with `batches`, of two arrays of points (much quicker).

    It must be symmetric and positive definite; one that is not shows up as a NumericalError about a pivot.

    >>> brownian = FunctionKernel(lambda x, y: min(x[0], y[0]))
    >>> brownian([[1.0], [2.0]])
    array([[1., 1.],
           [1., 2.]])
    >>> same = FunctionKernel(lambda x, y: np.minimum(x, y.T), batches=True)
    >>> bool((same([[1.0], [2.0]]) == brownian([[1.0], [2.0]])).all())
    True
    """

    def __init__(self, function: Callable[..., Any], batches: bool = False) -> None:
        super().__init__(_core.Kernel._of_function(function, batches))
        self.function, self.batches = function, batches

    def __reduce__(self) -> Tuple[Any, ...]:
        return FunctionKernel, (self.function, self.batches)
