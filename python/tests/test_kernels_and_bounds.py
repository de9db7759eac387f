"""Kernels, regressions and bounds as values of their own."""

import copy
import math
import pickle

import numpy as np
import pytest

import ridgerunner as rr

X = np.random.default_rng(0).normal(size=(9, 2))
KERNELS = [rr.Gaussian([0.5, 2.0]), rr.Matern12(), rr.Matern32(1.0, 2.0), rr.Matern52(), rr.RationalQuadratic(shape=2.0),
           rr.Linear(), rr.Polynomial(3), rr.Gaussian() + rr.Linear(), rr.Gaussian() * rr.Matern12(), 2 * rr.Gaussian(),
           rr.Blocks(1, rr.Gaussian(), rr.Matern32()), 3 * (rr.Gaussian() + rr.Linear()), rr.Matern12() * 0.5,
           2 * rr.Blocks(1, rr.Linear(), rr.Linear())]


@pytest.mark.parametrize("kernel", KERNELS, ids=repr)
def test_kernels_are_values(kernel):
    gram = kernel(X)
    np.testing.assert_allclose(gram, gram.T, atol=1e-12)
    np.testing.assert_allclose(kernel.diagonal(X), np.diag(gram), atol=1e-12)
    assert np.linalg.eigvalsh(gram).min() > -1e-9
    for again in (pickle.loads(pickle.dumps(kernel)), copy.deepcopy(kernel), eval(repr(kernel), vars(rr))):
        assert again == kernel and hash(again) == hash(kernel)
        np.testing.assert_array_equal(again(X), gram)


def test_combinations_by_hand():
    one, two = rr.Gaussian(0.5), rr.Matern32(1.0)
    np.testing.assert_allclose((one + two)(X), one(X) + two(X))
    np.testing.assert_allclose((one * two)(X), one(X) * two(X))
    np.testing.assert_allclose((2.5 * (one * two))(X), 2.5 * one(X) * two(X))
    np.testing.assert_allclose(rr.Blocks(1, one, two)(X), one(X[:, :1]) * two(X[:, 1:]))
    gram = one(X)
    np.testing.assert_array_equal((2 * rr.Precomputed(gram))(np.arange(9)), 2 * gram)


def own(x, y):
    return 1.0 + float(x @ y)


def test_functions_combine_with_the_others():
    function = rr.FunctionKernel(own)
    np.testing.assert_allclose(function(X), rr.Linear(offset=1.0)(X))
    for made, expected in [(function + rr.Gaussian(), rr.Linear(offset=1.0)(X) + rr.Gaussian()(X)),
                           (3 * function, 3 * rr.Linear(offset=1.0)(X)),
                           (function * function, rr.Linear(offset=1.0)(X) ** 2),
                           (rr.Blocks(1, function, rr.Gaussian()),
                            rr.Linear(offset=1.0)(X[:, :1]) * rr.Gaussian()(X[:, 1:]))]:
        assert made.spec is None
        np.testing.assert_allclose(made(X), expected)
    assert pickle.loads(pickle.dumps(function + rr.Gaussian()))(X).shape == (9, 9)


@pytest.mark.parametrize("make, text", [
    (lambda: rr.Gaussian(-1), "lengthscale must be > 0, got -1"),
    (lambda: rr.Gaussian([]), "kernel.lengthscale must be a number or a list of numbers, got []"),
    (lambda: rr.Gaussian("wide"), 'kernel.lengthscale must be a number or a list of numbers, got "wide"'),
    (lambda: rr.Linear(variance=0), "variance must be > 0, got 0"),
    (lambda: rr.Polynomial(0), "kernel.degree must be an integer >= 1, got 0"),
    (lambda: rr.Precomputed([[1.0, 2.0], [0.0, 1.0]]), "gram must be symmetric, but [1][0] is 2 and [0][1] is 0"),
    (lambda: -1 * rr.Gaussian(), "factor must be > 0, got -1"),
    (lambda: rr.Sum(), "parts must name at least one kernel"),
    (lambda: rr.Gaussian([1.0, 2.0])([[1.0]]), None),
    (lambda: rr.FunctionKernel(3), "function must be callable"),
    (lambda: rr.Gaussian()([[1.0]], [[1.0, 2.0]]), "x and y must have the same dimension, got 1 and 2"),
    (lambda: rr.FunctionKernel(lambda x, y: np.zeros(3), batches=True)([[1.0]]),
     "the kernel function must return an array of 1 x 1 for so many points"),
])
def test_bad_kernels_are_refused(make, text):
    with pytest.raises(ValueError) as error:
        make()
    assert text is None or str(error.value) == text


def test_a_bandit_on_arms_that_are_not_vectors():
    words = ["rain", "rains", "sun", "sunny"]
    share = lambda a, b: len(set(a) & set(b)) / len(set(a) | set(b))
    gram = np.array([[share(a, b) for b in words] for a in words])
    policy = rr.Policy("k-ucb", kernel=rr.Precomputed(gram), arms=np.arange(4), radius=0.3)
    for _ in range(30):
        arm = policy.decide().index
        policy.observe(arm, 1.0 if words[arm].startswith("sun") else 0.0)
    assert words[policy.decide().index].startswith("sun")


# The values that the headers of the C++ library work out by hand.
def test_radii_by_hand():
    hand = rr.Evidence(ridge=4.0)
    at = dict(delta=1 / math.e, norm_bound=5.0, noise_bound=3.0)
    assert rr.bounds.abbasi2012_radius(hand, **at) == pytest.approx(3 * math.sqrt(2) + 10)
    two = rr.Evidence(rounds=2, ridge=4.0, log_determinant=1.0)
    assert rr.bounds.chowdhury2017_radius(two, **at) == pytest.approx(28)
    one = rr.Evidence(ridge=4.0, log_determinant=1.0)
    assert rr.bounds.flynn2024_amm_radius(one, 1 / math.e, 3.0, 2.0) == pytest.approx(math.sqrt(48))
    four = rr.Evidence(ridge=4.0, log_determinant=4.0)
    assert rr.bounds.wang2014_radius(four, 2 / math.e, 3.0, 1.0) == pytest.approx(9.9036, abs=1e-4)
    with pytest.raises(ValueError, match=r"delta must be between 0 and 1 \(exclusive\), got 0"):
        rr.bounds.abbasi2012_radius(hand, delta=0)


@pytest.mark.parametrize("type", ["fixed", "self_normalized", "amm", "dmm", "cmm", "igp", "wang_de_freitas"])
def test_a_bound_on_a_regression_is_the_policys_band(type):
    rng = np.random.default_rng(1)
    x, y, at = rng.random((30, 2)), rng.normal(size=30), rng.random((7, 2))
    options = dict(kernel=rr.Gaussian(0.4), norm_bound=3.0, noise_bound=0.5, ridge=1.5)
    model = rr.Regression("exact", bound=type, **options)
    policy = rr.Policy("k-ucb", bound=type, **options)
    model.observe(x, y)
    policy.observe(x, y)
    bound = rr.Bound(type, norm_bound=3.0, noise_bound=0.5, ridge=1.5)
    lower, upper = bound.band(model, at)
    forecast = policy.predict(at)
    np.testing.assert_allclose(lower, forecast.lower, atol=1e-9)
    np.testing.assert_allclose(upper, forecast.upper, atol=1e-9)
    assert bound.radius(model.evidence()) == policy.stats()["radius"]


def test_dmm_needs_its_own_regression():
    with pytest.raises(ValueError, match="dmm and cmm need a regression that was made with this bound"):
        rr.Bound("dmm").band(rr.Regression("exact"), [[0.0]])


@pytest.mark.parametrize("type", ["exact", "kors", "bkb", "bbkb", "residual_budget"])
def test_regressions_are_copied_and_pickled(type):
    rng = np.random.default_rng(2)
    x, y = rng.random((40, 2)), rng.normal(size=40)
    for kernel in (rr.Gaussian(0.3), rr.FunctionKernel(own)):
        model = rr.Regression(type, kernel=kernel, ridge=0.5)
        model.observe(x[:30], y[:30])
        for other in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):
            other.observe(x[30:], y[30:])
            assert (model.evidence().rounds, other.evidence().rounds) == (30, 40)
        model.observe(x[30:], y[30:])
        for ours, theirs in zip(model.predict(x), other.predict(x)):
            np.testing.assert_array_equal(ours, theirs)
        assert model.diagnostics().keys() == {"effective_dimension", "projection_error"}
        assert 1 <= len(model.anchors) <= 40
