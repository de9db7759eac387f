"""Arrays of any order, stride and number type, lists, and wrong shapes."""

import numpy as np
import pandas
import pytest

import ridgerunner as rr

RNG = np.random.default_rng(2)
STATES = RNG.random((40, 3)).astype(np.float32).astype(np.float64)  # exact in float32 as well
REWARDS = RNG.normal(size=40).astype(np.float32).astype(np.float64)


def unaligned(array):
    raw = np.zeros(array.nbytes + 1, dtype=np.uint8)
    out = np.ndarray(array.shape, dtype=array.dtype, buffer=raw.data, offset=1)
    out[...] = array
    return out


def read_only(array):
    array = array.copy()
    array.flags.writeable = False
    return array


SHAPES = {
    "c_order": np.ascontiguousarray,
    "fortran_order": np.asfortranarray,
    "float32": lambda a: a.astype(np.float32),
    "float32_fortran": lambda a: np.asfortranarray(a.astype(np.float32)),
    "big_endian": lambda a: a.astype(">f8"),
    "long_double": lambda a: a.astype(np.longdouble),
    "every_second": lambda a: np.repeat(a, 2, axis=0)[::2],
    "reversed_twice": lambda a: a[::-1].copy()[::-1],
    "columns_of_a_wider_one": lambda a: np.column_stack([a, a])[:, : a.shape[1]] if a.ndim == 2 else a,
    "transposed": lambda a: a.T.copy().T,
    "unaligned": unaligned,
    "read_only": read_only,
    "lists": lambda a: a.tolist(),
    "tuples": lambda a: tuple(map(tuple, a)) if a.ndim == 2 else tuple(a),
    "objects": lambda a: a.astype(object),
    "broadcast": lambda a: np.broadcast_to(a[None], (2, *a.shape))[1],
    "masked": np.ma.masked_array,
}


@pytest.fixture(scope="module")
def expected():
    policy = rr.Policy("k-ucb")
    policy.observe(STATES, REWARDS)
    return policy.predict(STATES), policy.decide(STATES)


@pytest.mark.parametrize("name", SHAPES)
def test_any_array_gives_the_same_numbers(name, expected):
    shape = SHAPES[name]
    policy = rr.Policy("k-ucb")
    policy.observe(shape(STATES), shape(REWARDS))
    forecast, decision = expected
    for ours, theirs in zip(policy.predict(shape(STATES)), forecast):
        np.testing.assert_array_equal(ours, theirs)
    assert policy.decide(shape(STATES)) == decision
    np.testing.assert_array_equal(rr.Gaussian()(shape(STATES)), rr.Gaussian()(STATES))


def test_pandas_frames_are_arrays():
    policy = rr.Policy("k-ucb")
    policy.observe(pandas.DataFrame(STATES), pandas.Series(REWARDS))
    assert policy.stats()["t"] == 40


def test_integers_and_booleans_are_numbers():
    policy = rr.Policy("k-ucb")
    policy.observe(np.array([[0, 1], [1, 1]]), np.array([True, False]))
    policy.observe(np.array([0, 1], dtype=np.uint8), True)
    assert policy.stats(anchors=True)["anchor_states"].tolist() == [[0.0, 1.0], [1.0, 1.0]]


def test_what_is_in_c_order_is_not_copied():
    # The kernel function sees the numbers that the array holds when it is called.
    array = np.array([[0.25], [0.5]])
    seen = []
    policy = rr.Policy("k-ucb", kernel=lambda x, y: (array.__setitem__((1, 0), 0.75), seen.append(y[0]),
                                                     float(np.exp(-abs(x[0] - y[0]))))[-1])
    policy.observe([0.25], 1.0)
    seen.clear()
    array[1, 0] = 0.5
    policy.predict(array)
    assert 0.75 in seen


def test_numbers_and_flat_lists():
    policy = rr.Policy("k-ucb")
    policy.observe(0.5, 1.0)                   # one state of dimension 1
    policy.observe([0.7], np.float32(2.0))     # the same
    policy.observe([0.1, 0.2], [1.0, 2.0])     # two states of dimension 1
    assert policy.stats()["t"] == 4
    assert policy.predict([0.5, 0.7, 0.9]).mean.shape == (3,)
    assert policy.decide(np.linspace(0, 1, 5)).index < 5


WRONG = {
    "three axes": (lambda p: p.decide(np.zeros((2, 2, 2))),
                   "actions must be points in rows, an array of n x d numbers, got 2 x 2 x 2"),
    "a number": (lambda p: p.predict(1.0), "states must be points in rows, an array of n x d numbers, got one number"),
    "ragged": (lambda p: p.decide([[1.0, 2.0], [3.0]]), "actions must be numbers, in rows of equal length"),
    "texts": (lambda p: p.decide([["a", "b"]]), "actions must be real numbers, got <U1"),
    "None": (lambda p: p.predict([[None, 1.0]]), "states must be finite"),
    "complex": (lambda p: p.decide(np.zeros((1, 2), complex)), "actions must be real numbers, got complex128"),
    "dates": (lambda p: p.predict(np.zeros((1, 2), "M8[s]")), "states must be real numbers, got datetime64[s]"),
    "dimension": (lambda p: p.decide([[1.0, 2.0, 3.0]]), "states must have dimension 2, got 3"),
    "flat": (lambda p: p.predict([0.1, 0.2]),
             "states must have dimension 2, got 1 (a flat list is read as points of dimension 1; one point is [[...]])"),
    "empty": (lambda p: p.decide(np.zeros((0, 2))), "actions must not be empty"),
    "nan": (lambda p: p.predict([[np.nan, 0.0]]), "states must be finite"),
    "counts": (lambda p: p.observe([[0.1, 0.2]], [1.0, 2.0]), "states and rewards must be equally many, got 1 and 2"),
    "rewards": (lambda p: p.observe([[0.1, 0.2]], [[1.0]]),
                "reward must be a number or a list of numbers, got an array of 1 x 1"),
    "state": (lambda p: p.observe([[0.1, 0.2], [0.3, 0.4]], 1.0),
              "state must be a number or a list of numbers, got an array of 2 x 2"),
    "context": (lambda p: p.decide([[0.1]], context=[[0.2]]),
                "context must be a number or a list of numbers, got an array of 1 x 1"),
    "infinite reward": (lambda p: p.observe([0.1, 0.2], np.inf), "rewards must be finite"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_shapes_explain_themselves(name):
    policy = rr.Policy("k-ucb")
    policy.observe([0.1, 0.2], 1.0)
    call, text = WRONG[name]
    with pytest.raises(ValueError) as error:
        call(policy)
    assert str(error.value) == text
    assert policy.stats()["t"] == 1 and policy.stats()["decisions"] == 0
