"""Comparisons: policies x problem x runs."""

from __future__ import annotations

import datetime
import os
import platform
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np

from . import _core
from .environments import Environment
from .kernels import Kernel
from .policies import Policy
from .specs import resolve

if TYPE_CHECKING:
    import pandas

DEFAULT_POLICIES = ("ek-ucb", "k-ucb", "gp-ucb", "greedy", "uniform")


class Results:
    """What happened in a comparison.

    Curves are arrays of runs x recorded rounds, by policy: regret, reward, seconds, anchors, and where a policy or a
    problem has them ceiling_regret, noise_lower, noise_upper, ridge.

    >>> results = compare("step_diagonal", ["k-ucb", "uniform"], horizon=50, runs=3)
    >>> results.regret["k-ucb"].shape, results.rounds[-1]
    ((3, 50), 50)
    >>> results.final("regret")["k-ucb"].mean() < results.final("regret")["uniform"].mean()
    True
    """

    def __init__(self, raw: _core.RawResults) -> None:
        self._raw = raw
        self.rounds: np.ndarray = raw.rounds
        self.labels: List[str] = raw.labels

    def curve(self, name: str) -> Dict[str, np.ndarray]:
        """One of the curves, by policy; those that a policy does not have are left out.

        >>> compare("bump", ["uniform"], horizon=5, runs=2).curve("reward")["uniform"].shape
        (2, 5)
        """
        curves = {label: self._raw.curve(i, name) for i, label in enumerate(self.labels)}
        return {label: curve for label, curve in curves.items() if curve.shape[1]}

    def final(self, name: str = "regret") -> Dict[str, np.ndarray]:
        """The last values of a curve: a number for each run.

        >>> compare("bump", ["uniform"], horizon=5, runs=2).final("anchors")["uniform"].shape
        (2,)
        """
        return {label: curve[:, -1] for label, curve in self.curve(name).items()}

    @property
    def regret(self) -> Dict[str, np.ndarray]:
        """Cumulative: the best candidate's expected reward minus the chosen one's.

        >>> results = compare("bump", ["uniform"], horizon=5, runs=2)
        >>> results.regret["uniform"].shape
        (2, 5)
        """
        return self.curve("regret")

    @property
    def reward(self) -> Dict[str, np.ndarray]:
        """Cumulative, as received.

        >>> results = compare("bump", ["uniform"], horizon=5, runs=2)
        >>> results.reward["uniform"].shape
        (2, 5)
        """
        return self.curve("reward")

    @property
    def seconds(self) -> Dict[str, np.ndarray]:
        """Cumulative time spent deciding and learning.

        >>> results = compare("bump", ["uniform"], horizon=5, runs=2)
        >>> results.seconds["uniform"].shape
        (2, 5)
        """
        return self.curve("seconds")

    @property
    def anchors(self) -> Dict[str, np.ndarray]:
        """States that the model rests on.

        >>> results = compare("bump", ["uniform"], horizon=5, runs=2)
        >>> results.anchors["uniform"][0, -1]
        5.0
        """
        return self.curve("anchors")

    @property
    def specs(self) -> Dict[str, Dict[str, Any]]:
        """The specs in full, of the first run.

        >>> results = compare("bump", ["uniform"], horizon=5, runs=2)
        >>> results.specs["uniform"]["rule"]["type"]
        'uniform'
        """
        return {label: self._raw.spec_of(i) for i, label in enumerate(self.labels)}

    @property
    def environment(self) -> Optional[Dict[str, Any]]:
        """The problem's spec; None for a problem of Python functions.

        >>> results = compare("bump", ["uniform"], horizon=5, runs=2)
        >>> results.environment["type"]
        'bump'
        """
        return self._raw.environment

    @property
    def provenance(self) -> Dict[str, str]:
        """Version, machine, compiler and time.

        >>> results = compare("bump", ["uniform"], horizon=5, runs=2)
        >>> sorted(results.provenance)
        ['compiler', 'machine', 'time', 'version']
        """
        return self._raw.provenance

    def ends(self) -> Dict[str, List[Dict[str, Any]]]:
        """What is known at the end of each run: log_determinant, effective_dimension, ...

        >>> sorted(compare("bump", ["uniform"], horizon=5, runs=1).ends()["uniform"][0])
        ['clamped', 'effective_dimension', 'empty_since', 'log_determinant', 'projection_error']
        """
        return {label: self._raw.ends(i) for i, label in enumerate(self.labels)}

    def findings(self) -> List[str]:
        """What is wrong with a policy's assumptions, in words.

        >>> compare("bump", ["uniform"], horizon=5, runs=1).findings()
        []
        """
        return self._raw.findings()

    def to_frame(self) -> "pandas.DataFrame":
        """All curves as a pandas frame, a row for each policy, run and recorded round.

        >>> list(compare("rkhs_sample", ["uniform"], horizon=5, runs=2).to_frame().columns)
        ['policy', 'run', 'round', 'regret', 'reward', 'seconds', 'anchors']
        """
        import pandas

        runs, rounds = self._raw.runs, len(self.rounds)
        names = [name for name in _core.curves if self.curve(name)]
        frames = []
        for label in self.labels:
            columns: Dict[str, Any] = {"policy": label, "run": np.repeat(np.arange(runs), rounds),
                                       "round": np.tile(self.rounds, runs)}
            for name in names:
                curve = self.curve(name).get(label)
                columns[name] = np.full(runs * rounds, np.nan) if curve is None else curve.ravel()
            frames.append(pandas.DataFrame(columns))
        return pandas.concat(frames, ignore_index=True)

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the results file that the command line writes; load_results() reads it.

        >>> import tempfile; file = tempfile.mktemp()
        >>> compare("bump", ["uniform"], horizon=5, runs=2).save(file)
        >>> load_results(file).labels
        ['uniform']
        """
        text = self._raw.to_json()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def save_report(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes a page with table and figures, for a browser.

        >>> import tempfile
        >>> compare("bump", ["uniform"], horizon=5, runs=2).save_report(tempfile.mktemp(suffix=".html"))
        """
        with open(path, "w", encoding="utf-8") as file:
            file.write(self._raw.report())

    def __str__(self) -> str:
        return f"{self._raw.title()}\n{self._raw.table()}"

    def __repr__(self) -> str:
        return f"<Results of {', '.join(self.labels)}: {self._raw.runs} runs of {self._raw.horizon} rounds>"

    def _repr_html_(self) -> str:
        return self._raw.table_html()

    def __reduce__(self) -> Tuple[Any, ...]:
        return _read, (self._raw.to_json(),)


def _read(text: str) -> Results:
    return Results(_core.RawResults.from_json(text))


def load_results(path: Union[str, "os.PathLike[str]"]) -> Results:
    """The results of a file that `save` or the command line wrote.

    >>> load_results("no such file")
    Traceback (most recent call last):
    FileNotFoundError: [Errno 2] No such file or directory: 'no such file'
    """
    with open(path, encoding="utf-8") as file:
        return _read(file.read())


Contender = Union[str, "os.PathLike[str]", Dict[str, Any], Policy]


def compare(environment: Union[str, Dict[str, Any], Environment] = "rkhs_sample",
            policies: Union[Sequence[Contender], Mapping[str, Contender]] = DEFAULT_POLICIES, *,
            horizon: int = 1000, runs: int = 10, threads: Optional[int] = None, seed: int = 7, kernel: Any = None,
            progress: Optional[Callable[[int, int], object]] = None, **parameters: Any) -> Results:
    """Lets policies compete on a problem: the same rounds and the same noise for all.

    `policies` are presets, specs, spec files or policies (of which the spec counts), or a dict of these by the name to
    show. What a spec does not say about kernel, noise and norm is taken from the problem. `kernel` and keywords
    override every policy's. Results do not depend on `threads`. `progress` is told rounds done and in all, now and
    then. Ctrl-C stops at once.

    >>> results = compare("chessboard", {"mine": spec("k-ucb", radius=0.2), "any": "uniform"}, horizon=20, runs=2)
    >>> results.labels
    ['mine', 'any']
    """
    problem = environment if isinstance(environment, Environment) else Environment(environment)
    if isinstance(policies, (str, os.PathLike)):
        policies = [policies]
    named = list(policies.items()) if isinstance(policies, Mapping) else [(_label(p), p) for p in policies]
    contenders = [(label, *_contender(policy, kernel, parameters)) for label, policy in named]
    raw = _core.compare(problem, contenders, horizon, runs, os.cpu_count() or 1 if threads is None else threads, seed,
                        progress, f"{platform.processor() or platform.machine()}, {os.cpu_count()} cores",
                        datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M:%S UTC"))
    return Results(raw)


def _label(policy: Contender) -> str:
    if isinstance(policy, Policy):
        return policy.spec["policy"]
    if isinstance(policy, dict):
        return policy.get("policy", "ek-ucb")
    path = os.fspath(policy)
    return os.path.splitext(os.path.basename(path))[0] if os.path.exists(path) else path


def _contender(policy: Contender, kernel: Any, parameters: Dict[str, Any]) -> Tuple[Dict[str, Any], Optional[Kernel]]:
    if isinstance(policy, Policy):
        return resolve(policy.spec, policy._own_kernel if kernel is None else kernel, parameters)
    return resolve(policy, kernel, parameters)
