"""Kernel bandits: software that learns, while it is used, which action is best in which situation.

    >>> import numpy as np, ridgerunner as rr
    >>> policy = rr.Policy("k-ucb", kernel=rr.Gaussian(0.5), ridge=1.0)
    >>> prices = np.linspace(0, 1, 21)
    >>> for day in range(200):
    ...     price = prices[policy.decide(prices).index]
    ...     policy.observe(price, price * np.exp(-3 * price**2))
    >>> print(f"charge {prices[policy.decide(prices).index]:.1f}")
    charge 0.4

Points are rows: n points in d dimensions are an n x d array. Names of parameters are those of TOML specs, the command
line and the C++ library. Misuse is a ValueError, failing arithmetic a NumericalError; either leaves everything as it was.
"""

from . import bounds, client, plot
from ._core import Decision, Evidence, NumericalError, __version__
from .bounds import Bound
from .client import Client
from .environments import Environment, FunctionEnvironment, Offer
from .experiments import Results, compare, load_results
from .kernels import (
    Blocks,
    FunctionKernel,
    Gaussian,
    Kernel,
    Linear,
    Matern12,
    Matern32,
    Matern52,
    Polynomial,
    Precomputed,
    Product,
    RationalQuadratic,
    Sum,
)
from .policies import Forecast, Policy
from .regressions import Prediction, Regression
from .specs import load_plugin, parameters, presets, register_bound, spec, to_toml

__all__ = [
    "Blocks", "Bound", "Client", "Decision", "Environment", "Evidence", "Forecast", "FunctionEnvironment",
    "FunctionKernel", "Gaussian", "Kernel", "Linear", "Matern12", "Matern32", "Matern52", "NumericalError", "Offer",
    "Policy", "Polynomial", "Precomputed", "Prediction", "Product", "RationalQuadratic", "Regression", "Results", "Sum",
    "__version__", "bounds", "client", "compare", "load_plugin", "load_results", "parameters", "plot", "presets", "register_bound",
    "spec", "to_toml",
]
