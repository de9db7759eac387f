"""Named values: dicts, rows of pandas and NumPy, what is missing, what is refused."""

import collections
import pickle
import sys

import numpy as np
import pytest

import ridgerunner as rr

FEATURES = {"context": [{"name": "hour", "period": 24}, {"name": "city", "type": "category", "values": ["Paris", "Rome"]},
                        {"name": "member", "type": "boolean"}],
            "action": [{"name": "price"}, {"name": "title", "type": "text", "width": 8}]}
CONTEXT = {"hour": 7, "city": "Rome", "member": True}
ACTIONS = [{"price": 3.5, "title": "hot latte"}, {"price": 2, "title": "green tea"}]


def coffee(**options):
    return rr.Policy("kernel-ucb", features=FEATURES, **options)


def seen(policy):
    return policy.stats(anchors=True)["anchor_states"]


def test_a_policy_decides_learns_and_predicts_by_name():
    policy = coffee()
    decision = policy.decide(ACTIONS, context=CONTEXT)
    policy.observe(decision, 1.0)
    assert policy.predict(context=CONTEXT, actions=ACTIONS).mean == pytest.approx([0.5, 0.0], abs=0.1)
    assert policy.decide(context=CONTEXT, actions=ACTIONS).index == 0
    assert policy.spec["features"]["context"][0] == {"name": "hour", "type": "number", "period": 24.0}


def test_observing_by_name_closes_the_decision_of_that_state():
    policy = coffee()
    policy.decide(ACTIONS, CONTEXT)
    policy.observe(CONTEXT, ACTIONS[0], 1.0)
    assert policy.stats()["open"] == 0 and policy.stats()["t"] == 1
    policy.observe(context=CONTEXT, action=ACTIONS[1], reward=0.0)
    assert policy.stats()["t"] == 2


def test_what_is_missing_has_columns_too():
    policy = coffee()
    policy.observe({"hour": None, "city": "Oslo"}, {"price": float("nan")}, 1.0)
    assert seen(policy)[0].tolist() == [0, 0, 1, 0, 0, 1, 0, 1, 0, 1] + [0] * 8 + [1]


def test_rows_of_numpy_are_named_values():
    policy, other = coffee(), coffee()
    row = np.array([(7, "Rome", True)], dtype=[("hour", "i4"), ("city", "U8"), ("member", "?")])
    actions = np.array([(3.5, b"hot latte"), (2, b"green tea")], dtype=[("price", "f4"), ("title", "S16")])
    policy.observe(row[0], actions[1], 1.0)
    other.observe(CONTEXT, ACTIONS[1], 1.0)
    assert np.array_equal(seen(policy), seen(other))
    assert policy.decide(actions, row[0]) == other.decide(ACTIONS, CONTEXT)


def test_rows_of_pandas_are_named_values():
    pandas = pytest.importorskip("pandas")
    policy, other = coffee(), coffee()
    contexts = pandas.DataFrame([CONTEXT, {"hour": 23, "city": None, "member": False}])
    actions = pandas.DataFrame(ACTIONS)
    policy.observe(contexts, actions, [1.0, 2.0])
    other.observe(CONTEXT, ACTIONS[0], 1.0)
    other.observe({"hour": 23, "member": False}, ACTIONS[1], 2.0)
    assert np.array_equal(seen(policy), seen(other))
    assert policy.decide(actions, contexts.iloc[0]) == other.decide(ACTIONS, CONTEXT)
    rows = [row for row in actions.itertuples(index=False)]
    assert policy.predict(context=contexts.iloc[0], actions=rows).mean.tolist() == \
        other.predict(context=CONTEXT, actions=ACTIONS).mean.tolist()
    policy.observe({"hour": pandas.NA, "city": pandas.NaT}, ACTIONS[0], 0.5)
    other.observe({}, ACTIONS[0], 0.5)
    assert np.array_equal(seen(policy), seen(other))


def test_named_tuples_are_rows():
    Drink = collections.namedtuple("Drink", ["price", "title"])
    one, two = coffee(), coffee()
    assert one.decide([Drink(**action) for action in ACTIONS], CONTEXT) == two.decide(ACTIONS, CONTEXT)


def test_actions_without_features_are_their_ids():
    policy = rr.Policy("kernel-ucb", features={})
    policy.observe(None, "latte", -1.0)
    assert policy.decide(["latte", "tea"]).index == 1
    assert policy.decide([{"id": "latte"}, {"id": "tea"}]).index == 1


def test_files_pickles_and_copies_keep_the_features(tmp_path):
    policy = coffee()
    policy.observe(CONTEXT, ACTIONS[0], 1.0)
    policy.save(tmp_path / "policy.rr")
    for other in (rr.Policy.load(tmp_path / "policy.rr"), pickle.loads(pickle.dumps(policy)), policy.copy()):
        assert other.decide(ACTIONS, CONTEXT) == policy.copy().decide(ACTIONS, CONTEXT)


@pytest.mark.parametrize("context, actions, message", [
    ({"huor": 7}, ACTIONS, "unknown feature context.huor; did you mean hour? known are hour, city, member"),
    ({"hour": "noon"}, ACTIONS, 'context.hour must be a number, got "noon"'),
    ({"hour": float("inf")}, ACTIONS, "context.hour must be finite, got inf"),
    ({"hour": object}, ACTIONS, "context.hour must be a number, text, flag or a list of them, got <class 'object'>"),
    ({7: 1}, ACTIONS, "context must have names for keys, got 7"),
    ([7], ACTIONS, "context must be an object of features, as the spec has features, got [7]"),
    (CONTEXT, [[1.0]], "actions[0] must be an object of features, as the spec has features, got [1.0]"),
    (CONTEXT, [], "actions must be a list of actions, got []"),
    (CONTEXT, ACTIONS[0], "actions must be a list of actions, got "),
    (CONTEXT, [ACTIONS[0], {"price": "x"}], 'actions[1].price must be a number, got "x"'),
    (CONTEXT, None, "actions is missing"),
])
def test_what_cannot_be_is_refused_and_changes_nothing(context, actions, message):
    policy = coffee()
    with pytest.raises(ValueError) as error:
        policy.decide(actions, context)
    assert str(error.value).startswith(message)
    assert policy.stats()["decisions"] == 0


def test_numbers_are_refused_with_features_and_names_without():
    with pytest.raises(ValueError, match="state is for specs without features"):
        coffee().observe([1.0], 1.0)
    with pytest.raises(ValueError, match="states is for specs without features"):
        coffee().predict([[1.0]])
    with pytest.raises(ValueError, match="ask and tell are for numbers"):
        coffee().ask([[1.0]])
    with pytest.raises(ValueError, match="3 rewards need as many contexts and actions"):
        coffee().observe([CONTEXT] * 3, ACTIONS, [1, 2, 3])
    plain = rr.Policy("k-ucb")
    with pytest.raises(ValueError, match="context must be numbers, as the spec has no features"):
        plain.decide([[1.0]], context={"hour": 1})
    with pytest.raises(ValueError, match="actions must be numbers, as the spec has no features"):
        plain.decide([{"price": 1}])
    with pytest.raises(ValueError, match="needs a spec with features"):
        plain.observe({"hour": 1}, {"price": 1}, 1.0)
    with pytest.raises(ValueError, match="need a spec with features"):
        plain.predict(context={"hour": 1}, actions=[{"price": 1}])
    with pytest.raises(ValueError, match="not both"):
        coffee().predict([[1.0]], context=CONTEXT)


def test_pandas_stays_optional():
    assert "pandas" in sys.modules or coffee().decide(ACTIONS, CONTEXT).index == 0
