"""Environments: problems to compare policies on."""

from __future__ import annotations

from typing import Any, Callable, Dict, List, NamedTuple, Optional, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .kernels import Gaussian, Kernel, as_kernel


class Offer(NamedTuple):
    """What one round offers: candidates in rows, and their expected rewards.

    >>> Environment("chessboard", actions=4).offer(0).states.shape
    (4, 2)
    """

    states: np.ndarray
    expected: np.ndarray


class Environment(_core.Environment):
    """One of the library's problems: bump, chessboard, step_diagonal, rkhs_sample, taylor_function, gp_draw, pricing.

    >>> problem = Environment("rkhs_sample", dimension=2, candidates=50)
    >>> states, expected = problem.offer(0)
    >>> states.shape, expected.shape
    ((50, 2), (50,))
    """

    def __init__(self, type: Union[str, Dict[str, Any]] = "rkhs_sample", *, seed: int = 7, **parameters: Any) -> None:
        spec = dict(type) if isinstance(type, dict) else {"type": type}
        if isinstance(parameters.get("kernel"), Kernel):
            parameters["kernel"] = parameters["kernel"].spec
        super().__init__({**spec, **parameters}, seed)

    def offer(self, round: int) -> Offer:
        """The candidates of a round, and what each is worth.

        >>> Environment("taylor_function", candidates=5).offer(3).states.ravel()
        array([0.  , 0.25, 0.5 , 0.75, 1.  ])
        """
        return Offer(*self._offered(round))

    @staticmethod
    def names() -> List[str]:
        """The library's problems.

        >>> "bump" in Environment.names()
        True
        """
        return _core.environment_names()


class FunctionEnvironment(Environment):
    """A problem of your own: a reward function, and what there is to choose from.

    `reward` takes an n x d array and gives n expected rewards. `candidates` is an array of arms, the same every round,
    or a function of a NumPy random generator, which depends on run and round alone. The noise is Gaussian. Policies
    under comparison start from `kernel`, `noise_sd` and `norm`.

    >>> problem = FunctionEnvironment(lambda x: np.sin(3 * x[:, 0]), lambda rng: rng.random((20, 1)))
    >>> problem.offer(0).states.shape
    (20, 1)
    """

    def __init__(self, reward: Callable[[np.ndarray], ArrayLike],
                 candidates: Union[ArrayLike, Callable[[np.random.Generator], ArrayLike]], *,
                 noise_sd: float = 0.1, kernel: Any = None, norm: Optional[float] = None, seed: int = 7) -> None:
        fixed = not callable(candidates)
        arms = _as_rows(candidates) if fixed else np.zeros(0)  # type: ignore[arg-type]

        def offered(run: int, round: int) -> np.ndarray:
            if fixed:
                return arms
            return _as_rows(candidates(np.random.default_rng([run, round])))  # type: ignore[operator]

        known = Gaussian(0.5) if kernel is None else as_kernel(kernel)
        _core.Environment.__init__(self, reward, offered, known, noise_sd, norm, fixed, seed)


def _as_rows(points: ArrayLike) -> np.ndarray:
    array = np.asarray(points, dtype=float)
    return array.reshape(-1, 1) if array.ndim == 1 else array
