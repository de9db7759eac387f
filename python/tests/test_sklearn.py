"""The regressor for scikit-learn."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.gaussian_process import GaussianProcessRegressor, kernels
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

import ridgerunner as rr
from ridgerunner.sklearn import KernelRegressor


@parametrize_with_checks([KernelRegressor(), KernelRegressor(engine="kors")])
def test_scikit_learns_own_checks(estimator, check):
    check(estimator)


def test_predictions_are_those_of_a_gaussian_process():
    x, y = load_diabetes(return_X_y=True)
    x, y = StandardScaler().fit_transform(x), (y - y.mean()) / y.std()
    ours = KernelRegressor(rr.Gaussian(3.0), ridge=0.5).fit(x[:300], y[:300])
    theirs = GaussianProcessRegressor(kernels.RBF(3.0), alpha=0.5, optimizer=None).fit(x[:300], y[:300])
    for mine, other in zip(ours.predict(x[300:], return_std=True), theirs.predict(x[300:], return_std=True)):
        np.testing.assert_allclose(mine, other, atol=1e-9)


def test_pipelines_searches_and_cross_validation():
    x, y = load_diabetes(return_X_y=True)
    model = make_pipeline(StandardScaler(), KernelRegressor(rr.Linear(offset=1.0), ridge=10.0))
    assert cross_val_score(model, x, y, cv=3).mean() > 0.4
    search = GridSearchCV(KernelRegressor(), {"kernel": [rr.Gaussian(0.1), rr.Gaussian(1.0)], "ridge": [0.1, 1.0]}, cv=3)
    assert search.fit(x, y).best_params_["kernel"] in (rr.Gaussian(0.1), rr.Gaussian(1.0))


def test_clones_have_the_same_kernel():
    model = KernelRegressor(rr.Matern32(0.2))
    assert clone(model).kernel == model.kernel


def test_more_data_as_they_come():
    rng = np.random.default_rng(0)
    x, y = rng.random((50, 2)), rng.normal(size=50)
    whole, parts = KernelRegressor().fit(x, y), KernelRegressor()
    for i in range(0, 50, 10):
        parts.partial_fit(x[i:i + 10], y[i:i + 10])
    np.testing.assert_allclose(parts.predict(x), whole.predict(x), atol=1e-12)
    with pytest.raises(ValueError, match="features"):
        parts.partial_fit(x[:, :1], y)


def test_a_bad_ridge_is_refused_when_fitting():
    with pytest.raises(ValueError, match="ridge must be > 0, got -1"):
        KernelRegressor(ridge=-1).fit([[0.0]], [1.0])
