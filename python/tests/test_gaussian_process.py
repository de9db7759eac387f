"""Predictions are those of scikit-learn's Gaussian process with the same kernel and noise."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_wine
from sklearn.gaussian_process import GaussianProcessRegressor, kernels
from sklearn.preprocessing import StandardScaler

import ridgerunner as rr

PAIRS = {
    "gaussian": (rr.Gaussian(0.7, 2.0), 2.0 * kernels.RBF(0.7)),
    "gaussian_ard": (rr.Gaussian([0.5, 1.0, 2.0]), kernels.RBF([0.5, 1.0, 2.0])),
    "matern12": (rr.Matern12(0.6), kernels.Matern(0.6, nu=0.5)),
    "matern32": (rr.Matern32(0.8), kernels.Matern(0.8, nu=1.5)),
    "matern52": (rr.Matern52(1.1), kernels.Matern(1.1, nu=2.5)),
    "rational_quadratic": (rr.RationalQuadratic(0.9, shape=1.5), kernels.RationalQuadratic(0.9, alpha=1.5)),
    "linear": (rr.Linear(offset=1.0), kernels.DotProduct(1.0)),
    "polynomial": (rr.Polynomial(2, offset=4.0), kernels.DotProduct(2.0) ** 2),
    "sum": (rr.Gaussian(0.7) + rr.Linear(offset=1.0), kernels.RBF(0.7) + kernels.DotProduct(1.0)),
    "product": (rr.Gaussian(0.7) * rr.Matern32(1.0), kernels.RBF(0.7) * kernels.Matern(1.0, nu=1.5)),
    "scaled": (3.0 * (rr.Gaussian(0.7) + rr.Matern52()), 3.0 * (kernels.RBF(0.7) + kernels.Matern(0.5, nu=2.5))),
}


def both(ours, theirs, ridge, x, y, at):
    model = rr.Regression("exact", kernel=ours, ridge=ridge)
    model.observe(x, y)
    mean, sd, _ = model.predict(at)
    process = GaussianProcessRegressor(theirs, alpha=ridge, optimizer=None).fit(x, y)
    expected_mean, expected_sd = process.predict(at, return_std=True)
    return (mean, expected_mean), (sd * np.sqrt(ridge), expected_sd)


@pytest.mark.parametrize("name", PAIRS)
@pytest.mark.parametrize("ridge", [0.01, 1.0])
def test_random_data(name, ridge):
    rng = np.random.default_rng(3)
    x, at = rng.normal(size=(150, 3)), rng.normal(size=(60, 3))
    y = np.sin(x.sum(axis=1)) + 0.1 * rng.normal(size=150)
    for ours, theirs in both(*PAIRS[name], ridge, x, y, at):
        np.testing.assert_allclose(ours, theirs, atol=1e-7)


@pytest.mark.parametrize("load", [load_diabetes, load_wine, load_breast_cancer])
def test_real_data(load):
    x, y = load(return_X_y=True)
    x, y = StandardScaler().fit_transform(x), (y - y.mean()) / y.std()
    scale = np.sqrt(x.shape[1])
    pair = rr.Gaussian(scale), kernels.RBF(scale)
    for ours, theirs in both(*pair, 0.1, x[:-50], y[:-50], x[-50:]):
        np.testing.assert_allclose(ours, theirs, atol=1e-7)


def test_the_policy_predicts_the_same():
    rng = np.random.default_rng(4)
    x, y = rng.random((80, 2)), rng.normal(size=80)
    policy = rr.Policy("k-ucb", kernel=rr.Matern52(0.4), ridge=0.3, radius=2.0)
    policy.observe(x, y)
    mean, sd, lower, upper = policy.predict(x[:10])
    process = GaussianProcessRegressor(kernels.Matern(0.4, nu=2.5), alpha=0.3, optimizer=None).fit(x, y)
    expected, expected_sd = process.predict(x[:10], return_std=True)
    np.testing.assert_allclose(mean, expected, atol=1e-9)
    np.testing.assert_allclose(sd * np.sqrt(0.3), expected_sd, atol=1e-9)
    np.testing.assert_allclose(upper - lower, 2 * 2.0 * sd, atol=1e-12)


def test_covariances_are_those_of_the_process():
    rng = np.random.default_rng(5)
    x, y, at = rng.random((40, 2)), rng.normal(size=40), rng.random((15, 2))
    model = rr.Regression("exact", kernel=rr.Gaussian(0.5), ridge=0.2)
    model.observe(x, y)
    process = GaussianProcessRegressor(kernels.RBF(0.5), alpha=0.2, optimizer=None).fit(x, y)
    np.testing.assert_allclose(0.2 * model.covariance(at), process.predict(at, return_cov=True)[1], atol=1e-9)


def test_a_projection_on_all_states_is_exact():
    rng = np.random.default_rng(6)
    x, y, at = rng.random((60, 2)), rng.normal(size=60), rng.random((20, 2))
    exact = rr.Regression("exact", kernel=rr.Matern32(0.3), ridge=0.5)
    kors = rr.Regression("kors", kernel=rr.Matern32(0.3), ridge=0.5, oversampling=1e6)
    for model in (exact, kors):
        model.observe(x, y)
    assert len(kors.anchors) == 60
    for ours, theirs in zip(kors.predict(at), exact.predict(at)):
        np.testing.assert_allclose(ours, theirs, atol=1e-9)
