"""Policies: what decides."""

from __future__ import annotations

import os
from typing import Any, Dict, NamedTuple, Optional, Tuple, Type, TypeVar, Union, overload

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from .kernels import Kernel, as_kernel
from .specs import SpecSource, resolve

Self = TypeVar("Self", bound="Policy")


class Forecast(NamedTuple):
    """Predictions at n states with the bound's band, n numbers each.

    >>> Policy("k-ucb").predict([[0.5]]).mean
    array([0.])
    """

    mean: np.ndarray
    sd: np.ndarray
    lower: np.ndarray
    upper: np.ndarray


class Policy(_core.Policy):
    """A kernel bandit: decides, learns from rewards, predicts.

    The first argument is a preset's name, a dict, or TOML (a path or the text); keywords override it. `kernel` is one
    of ours or a function of two points. Safe to share between threads: calls take turns, without the GIL.

    >>> policy = Policy("ek-ucb", kernel=Gaussian(0.3), ridge=1.0, delta=0.05)
    >>> decision = policy.decide([[0.1], [0.5], [0.9]], context=[0.2])
    >>> policy.observe([0.2, [0.1, 0.5, 0.9][decision.index]], reward=1.0)
    >>> policy.stats()["t"]
    1
    >>> Policy("ek-ucb", ridge=-1)
    Traceback (most recent call last):
    ValueError: ridge must be > 0, got -1
    """

    def __init__(self, spec: SpecSource = "auto", *, kernel: Any = None, **parameters: Any) -> None:
        given, own_kernel = resolve(spec, kernel, parameters)
        super().__init__(given, own_kernel)
        self._own_kernel = own_kernel

    @overload
    def observe(self, state: _core.Decision, reward: float) -> None: ...
    @overload
    def observe(self, state: ArrayLike, reward: ArrayLike) -> None: ...
    @overload
    def observe(self, context: Any, action: Any, reward: ArrayLike) -> None: ...

    def observe(self, *given: Any, **named: Any) -> None:
        """Learns the reward of a decision: each has one, or is withdrawn.

        Or learns the reward of a state (context followed by action), or the rewards of states in rows; where the spec has
        features, of a context and an action by name, or of rows of both. Each closes the oldest open decision of its
        state, if there is one.

        >>> policy = Policy("k-ucb")
        >>> policy.observe(policy.decide([[0.1, 0.5], [0.7, 0.5]]), 1.0)
        >>> policy.stats()["open"]
        0
        >>> policy.observe([0.1, 0.5], 1.0)
        >>> policy.observe([[0.2, 0.5], [0.3, 0.1]], [0.5, 2.0])
        >>> policy.stats()["t"]
        4
        >>> coffee = Policy("k-ucb", features={"context": [{"name": "hour"}], "action": [{"name": "price"}]})
        >>> coffee.observe({"hour": 7}, {"price": 3.5}, reward=1.0)
        >>> coffee.observe(context=[{"hour": 8}, {"hour": None}], action=[{"price": 2}, {"price": 3}], reward=[0.0, 1.0])
        >>> coffee.stats()["t"]
        3
        """
        if len(given) + len(named) == 3 or "action" in named or "context" in named:
            self._observe_named(*given, **named)
        else:
            super().observe(*given, **named)

    def predict(self, states: Optional[ArrayLike] = None, *, context: Any = None, actions: Any = None) -> Forecast:
        """Mean, scaled sd and band at the rows of `states`; where the spec has features, of `actions` in a `context`.

        >>> policy = Policy("k-ucb", kernel=Gaussian(0.5), ridge=1.0)
        >>> policy.observe([0.0], 1.0)
        >>> policy.predict([[0.0]]).mean
        array([0.5])
        """
        if actions is None and context is None:
            return Forecast(*self._forecast(states))
        if states is not None:
            raise ValueError("predict takes states, or a context and actions, not both")
        return Forecast(*self._forecast_named(actions, context))

    def ask(self, candidates: Optional[ArrayLike] = None) -> np.ndarray:
        """The candidate to try next (among the arms, if there are no candidates); `tell` what came out.

        >>> policy, grid = Policy("k-ucb", kernel=Gaussian(0.2), ridge=0.01), np.linspace(0, 1, 11)
        >>> for _ in range(30):
        ...     x = policy.ask(grid)
        ...     policy.tell(x, 1 - 4 * (x[0] - 0.7) ** 2)
        >>> grid[policy.predict(grid).mean.argmax()].round(3)
        0.7
        """
        if self._has_features:
            raise ValueError("ask and tell are for numbers; with features there are decide and observe")
        decision = self.decide(candidates)
        chosen = np.asarray(self.arms if candidates is None else candidates)[decision.index]
        return np.array(chosen, dtype=float, ndmin=1)

    def tell(self, candidate: ArrayLike, reward: ArrayLike) -> None:
        """What came out of trying; `observe` by another name.

        >>> policy = Policy("k-ucb")
        >>> policy.tell([0.3, 0.4], 2.5)
        """
        self.observe(candidate, reward)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes everything it knows to a file; the old one stays until the new one is whole.

        >>> import tempfile; file = tempfile.mktemp()
        >>> Policy("k-ucb", seed=3).save(file)
        >>> Policy.load(file).spec["seed"]
        3
        """
        given, path = path, os.path.realpath(path)
        if os.path.exists(path) and not os.path.isfile(path):
            raise OSError(f"cannot write {os.fspath(given)}: it is not a regular file")
        temporary = f"{path}.{os.getpid()}.tmp"
        with open(temporary, "wb") as file:
            try:
                file.write(self.archive())
                file.flush()
                os.fsync(file.fileno())
                os.replace(temporary, path)
            except BaseException:
                os.unlink(temporary)
                raise

    @classmethod
    def load(cls: Type[Self], path: Union[str, "os.PathLike[str]"], *, kernel: Any = None) -> Self:
        """The policy of a file; it continues as if it had never stopped.

        `kernel` is needed where the policy had a kernel function: no file holds a function.

        >>> Policy.load("no such file")
        Traceback (most recent call last):
        FileNotFoundError: [Errno 2] No such file or directory: 'no such file'
        """
        with open(path, "rb") as file:
            archive = file.read()
        try:
            return _restored(cls, archive, {"_own_kernel": None if kernel is None else as_kernel(kernel)})
        except ValueError as error:
            raise ValueError(f"{os.fspath(path)}: {error}") from None

    def copy(self: Self) -> Self:
        """Another one that knows the same and goes its own way.

        >>> one = Policy("k-ucb"); other = one.copy(); other.observe([0.5], 1.0)
        >>> one.stats()["t"], other.stats()["t"]
        (0, 1)
        """
        return self.__copy__()

    def __copy__(self: Self) -> Self:
        other = type(self).__new__(type(self))
        _core.Policy.__init__(other, self)
        other.__dict__.update(self.__dict__)
        return other

    def __deepcopy__(self: Self, memo: object) -> Self:
        return self.__copy__()

    def __reduce__(self) -> Tuple[Any, ...]:
        return _restored, (type(self), self.archive(), self.__dict__)

    @property
    def kernel(self) -> Kernel:
        """Its kernel.

        >>> Policy("k-ucb").kernel
        Gaussian(lengthscale=0.5, variance=1.0)
        """
        return as_kernel((self.tuned or self.spec)["kernel"]) if self._own_kernel is None else self._own_kernel

    def __repr__(self) -> str:
        if "_own_kernel" not in self.__dict__:
            return "<Policy that could not be made>"  # as a debugger sees it after an error
        spec = self.tuned
        if spec is None:
            return f"<Policy {self.spec['policy']}: not tuned yet, {self.stats()['t']} observations>"
        return (f"<Policy {self.spec['policy']}: {self.kernel!r}, ridge {spec['regression']['ridge']:g}, "
                f"{self.stats()['t']} observations>")


def _restored(cls: Type[Self], archive: bytes, attributes: Dict[str, Any]) -> Self:
    policy = cls.__new__(cls)
    policy.__dict__.update(attributes)
    _core.Policy.__init__(policy, archive, policy._own_kernel)
    if policy._own_kernel is not None and policy._own_kernel.spec is not None:
        policy._own_kernel = None  # the file's own, handed in again
    return policy
