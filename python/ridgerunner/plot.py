"""Pictures, with matplotlib if it is there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Optional, Sequence

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from .experiments import Results
    from .policies import Policy

# Told apart by people who see few colours, too.
_COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


def _axes(ax: Optional["Axes"]) -> "Axes":
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.subplots(figsize=(6.4, 4.0), constrained_layout=True)[1]


def regret(results: "Results", ax: Optional["Axes"] = None, *, curve: str = "regret",
           policies: Optional[Sequence[str]] = None) -> "Axes":
    """The mean of a curve over time for each policy, with a band of one standard deviation over runs.

    >>> import matplotlib; matplotlib.use("agg")
    >>> from ridgerunner import compare
    >>> ax = regret(compare("bump", ["k-ucb", "uniform"], horizon=30, runs=2))
    >>> [line.get_label() for line in ax.get_lines()]
    ['k-ucb', 'uniform']
    """
    curves = results.curve(curve)
    unknown = [label for label in policies or () if label not in curves]
    if unknown:
        raise ValueError(f"policies must be among {', '.join(curves)}, got {', '.join(unknown)}")
    ax = _axes(ax)
    for i, label in enumerate(policies or curves):
        values, colour = curves[label], _COLOURS[i % len(_COLOURS)]
        mean, sd = values.mean(axis=0), values.std(axis=0, ddof=1) if len(values) > 1 else 0 * values[0]
        ax.plot(results.rounds, mean, color=colour, label=label)
        ax.fill_between(results.rounds, mean - sd, mean + sd, color=colour, alpha=0.15, linewidth=0)
    ax.set_xlabel("round")
    ax.set_ylabel(curve.replace("_", " "))
    ax.set_xlim(0, results.rounds[-1])
    ax.legend(frameon=False)
    _quiet(ax)
    return ax


def band(policy: "Policy", states: Optional[ArrayLike] = None, *, context: Optional[ArrayLike] = None,
         truth: Any = None, ax: Optional["Axes"] = None) -> "Axes":
    """A policy's mean and band along a line, and what it has seen there.

    `states` are numbers on the line: states of one dimension, or actions for a `context`. Without them the line goes
    as far as the anchors do. `truth`, a function of such an array, is drawn as well.

    >>> import matplotlib; matplotlib.use("agg")
    >>> from ridgerunner import Policy
    >>> policy = Policy("k-ucb"); policy.observe([[0.1], [0.8]], [1.0, 0.5])
    >>> ax = band(policy, np.linspace(0, 1, 50), truth=np.sin)
    >>> ax.get_xlabel()
    'state'
    """
    fixed = np.zeros(0) if context is None else np.asarray(context, dtype=float).ravel()
    anchors = policy.stats(anchors=True)["anchor_states"]
    if len(anchors) and anchors.shape[1] != len(fixed) + 1:
        raise ValueError(f"a line needs a context of {anchors.shape[1] - 1} numbers, got {len(fixed)}")
    seen = anchors[(anchors[:, :-1] == fixed).all(axis=1), -1] if len(anchors) else np.zeros(0)
    if states is None:
        if not len(anchors):
            raise ValueError("states are needed: the policy has seen nothing")
        states = np.linspace(anchors[:, -1].min(), anchors[:, -1].max(), 200)
    line = np.asarray(states, dtype=float).ravel()
    at = policy.predict(np.column_stack([np.tile(fixed, (len(line), 1)), line]))
    ax = _axes(ax)
    ax.fill_between(line, at.lower, at.upper, color=_COLOURS[0], alpha=0.2, linewidth=0, label="band")
    ax.plot(line, at.mean, color=_COLOURS[0], label="mean")
    if truth is not None:
        ax.plot(line, truth(line), color=_COLOURS[6], linestyle="--", linewidth=1, label="truth")
    inside = seen[(seen >= line.min()) & (seen <= line.max())]
    if len(inside):
        ax.plot(inside, np.full(len(inside), at.lower.min()), "|", color=_COLOURS[1], label="anchors")
    ax.set_xlabel("state" if context is None else "action")
    ax.set_ylabel("reward")
    ax.legend(frameon=False)
    _quiet(ax)
    return ax


def _quiet(ax: "Axes") -> None:
    ax.grid(alpha=0.25)
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
