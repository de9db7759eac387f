"""A regressor for scikit-learn: pipelines, searches, cross-validation. Needs scikit-learn."""

from __future__ import annotations

from typing import Any, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted

from .kernels import Kernel
from .regressions import Regression

try:
    from sklearn.utils.validation import validate_data
except ImportError:  # scikit-learn before 1.6
    def validate_data(estimator: Any, *args: Any, **options: Any) -> Any:
        return estimator._validate_data(*args, **options)

__all__ = ["KernelRegressor"]


class KernelRegressor(RegressorMixin, BaseEstimator):
    """Kernel ridge regression with standard deviations: a Gaussian process with noise variance `ridge`.

    Predictions are those of scikit-learn's GaussianProcessRegressor(kernel, alpha=ridge, optimizer=None). `engine` is
    exact, or kors, bkb, bbkb, residual_budget for many data. `partial_fit` takes more data as they come.

    >>> model = KernelRegressor(kernel=Gaussian(1.0), ridge=0.1).fit([[0.0], [1.0]], [0.0, 1.0])
    >>> mean, sd = model.predict([[1.0]], return_std=True)
    >>> mean.round(4), sd.round(4)
    (array([0.8694]), array([0.2949]))
    """

    def __init__(self, kernel: Optional[Kernel] = None, *, ridge: float = 1.0, engine: str = "exact",
                 seed: int = 7) -> None:
        self.kernel = kernel
        self.ridge = ridge
        self.engine = engine
        self.seed = seed

    def fit(self, X: ArrayLike, y: ArrayLike) -> "KernelRegressor":
        """Learns from the rows of X, and nothing that it knew before remains.

        >>> KernelRegressor().fit([[0.0], [1.0]], [0.0, 1.0]).n_features_in_
        1
        """
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64)
        model = Regression(self.engine, kernel=self.kernel, ridge=self.ridge, seed=self.seed)
        model.observe(X, y)
        self.regression_ = model
        return self

    def partial_fit(self, X: ArrayLike, y: ArrayLike) -> "KernelRegressor":
        """Learns from more data.

        >>> model = KernelRegressor().partial_fit([[0.0]], [0.0]).partial_fit([[1.0]], [1.0])
        >>> model.regression_.evidence().rounds
        2
        """
        if not hasattr(self, "regression_"):
            return self.fit(X, y)
        X, y = validate_data(self, X, y, y_numeric=True, dtype=np.float64, reset=False)
        self.regression_.observe(X, y)
        return self

    def predict(self, X: ArrayLike, return_std: bool = False) -> Union[np.ndarray, Tuple[np.ndarray, np.ndarray]]:
        """The mean at the rows of X, and the standard deviation of the function there (without noise).

        >>> KernelRegressor().fit([[0.0]], [2.0]).predict([[0.0]])
        array([1.])
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        mean, sd, _ = self.regression_.predict(X)
        # Ours is divided by the root of the ridge.
        return (mean, sd * np.sqrt(self.regression_.evidence().ridge)) if return_std else mean
