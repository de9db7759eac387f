"""Policies: specs, decisions, errors, files, pickles, copies."""

import copy
import json
import math
import os
import pathlib
import pickle
import subprocess

import numpy as np
import pytest

import ridgerunner as rr

PROGRAM = os.environ.get("RIDGERUNNER_PROGRAM",
                         pathlib.Path(__file__).resolve().parents[2] / "build" / "release" / "ridgerunner")
ACTIONS = np.linspace(0, 1, 7).reshape(-1, 1)


def rounds(policy, count, start=0):
    """Decisions of `count` rounds on a fixed problem."""
    made = []
    for t in range(start, start + count):
        actions = np.random.default_rng(t).random((12, 2))
        decision = policy.decide(actions)
        state = actions[decision.index]
        policy.observe(state, math.sin(5 * state[0]) + state[1])
        made.append((decision.index, decision.mean, decision.sd, decision.lower, decision.upper, decision.propensity))
    return made


@pytest.mark.parametrize("preset", [name for name in rr.presets()])
def test_every_preset_decides_learns_and_continues_from_a_pickle(preset):
    options = {"noise_upper": 0.5} if preset.startswith("adaptive") else {}
    policy = rr.Policy(preset, horizon=60, **options)
    rounds(policy, 12)
    again = pickle.loads(pickle.dumps(policy))
    assert rounds(again, 8, 12) == rounds(policy, 8, 12)
    assert again.stats() == policy.stats()


def test_a_decision_by_hand():
    policy = rr.Policy("k-ucb", kernel=rr.Gaussian(1.0), ridge=1.0, radius=0.5)
    policy.observe([0.0], 1.0)
    decision = policy.decide([[0.0], [10.0]])
    # At 0: mean 1/2, sd sqrt(1/2); far away: mean 0, sd 1.
    assert decision.index == 0
    assert decision.mean == pytest.approx(0.5)
    assert decision.sd == pytest.approx(math.sqrt(0.5))
    assert decision.lower == pytest.approx(0.5 - 0.5 * math.sqrt(0.5))
    assert decision.upper == pytest.approx(0.5 + 0.5 * math.sqrt(0.5))
    assert decision.propensity == 1


def test_the_first_choice_is_random_with_its_propensity():
    firsts = {rr.Policy("k-ucb", seed=seed).decide(ACTIONS).index for seed in range(60)}
    assert firsts == set(range(7))
    assert rr.Policy("k-ucb").decide(ACTIONS).propensity == pytest.approx(1 / 7)
    assert rr.Policy("kernel-ucb").decide(ACTIONS).index == 0


def test_keywords_dicts_and_toml_say_the_same(tmp_path):
    toml = 'policy = "gp-ucb"\nseed = 3\n[kernel]\ntype = "matern52"\nlengthscale = [0.2, 0.4]\n' \
           '[bound]\ndelta = 0.05\nnoise_bound = 0.3\n[rule]\nfirst = "lowest"\n'
    file = tmp_path / "mine.toml"
    file.write_text(toml)
    given = {"policy": "gp-ucb", "seed": 3, "kernel": {"type": "matern52", "lengthscale": [0.2, 0.4]},
             "bound": {"delta": 0.05, "noise_bound": 0.3}, "rule": {"first": "lowest"}}
    by_keyword = rr.Policy("gp-ucb", kernel=rr.Matern52([0.2, 0.4]), seed=3, delta=0.05, noise_bound=0.3,
                           first="lowest").spec
    assert rr.Policy(given).spec == rr.Policy(toml).spec == rr.Policy(file).spec == by_keyword
    assert rr.Policy(str(file)).spec == by_keyword
    assert by_keyword["regression"]["ridge"] == pytest.approx(0.09)
    assert rr.Policy(by_keyword).spec == by_keyword
    assert rr.Policy(rr.to_toml(by_keyword)).spec == by_keyword


def test_parts_by_their_type():
    spec = rr.Policy("ek-ucb", regression="exact", bound="amm", rule="greedy", arms=[0.0, 0.5]).spec
    assert (spec["regression"]["type"], spec["bound"]["type"], spec["rule"]["type"]) == ("exact", "amm", "greedy")
    assert spec["arms"]["points"] == [[0.0], [0.5]]
    assert spec["regression"]["ridge"] == pytest.approx(0.01)


def test_arms_from_a_file(tmp_path):
    (tmp_path / "arms.csv").write_text("# two arms\n0.1,0.2\n0.3,0.4\n")
    (tmp_path / "mine.toml").write_text('[arms]\nfile = "arms.csv"\n')
    policy = rr.Policy(tmp_path / "mine.toml")
    np.testing.assert_array_equal(policy.arms, [[0.1, 0.2], [0.3, 0.4]])
    assert policy.decide().index in (0, 1)


@pytest.mark.parametrize("content, text", [
    ("0.1,0.2\n0.3,x\n", 'arms.csv:2: "x" is not a number'),
    ("0.1,nan\n", 'arms.csv:1: "nan" is not a number'),
    ("# arms\n0.1,0.2\n0.3\n", "arms.csv:3: 1 numbers, but the first row has 2"),
    ("# nothing\n", "arms.csv holds no numbers"),
])
def test_files_of_arms_that_are_wrong(tmp_path, content, text):
    (tmp_path / "arms.csv").write_text(content)
    with pytest.raises(ValueError) as error:
        rr.Policy("k-ucb", arms={"file": tmp_path / "arms.csv"})
    assert str(error.value) == f"arms.file: {tmp_path}/{text}"
    with pytest.raises(FileNotFoundError):
        rr.Policy("k-ucb", arms={"file": tmp_path / "none.csv"})


@pytest.mark.parametrize("options, text", [
    ({"ridge": -1}, "ridge must be > 0, got -1"),
    ({"ridge": float("nan")}, "regression.ridge must be finite, got nan"),
    ({"delta": 2}, "delta must be between 0 and 1 (exclusive), got 2"),
    ({"norm_bound": -3}, "norm_bound must be >= 0, got -3"),
    ({"lengthscale": 0}, "lengthscale must be > 0, got 0"),
    ({"kernel": "wide"}, 'kernel.type must be one of gaussian, matern12, matern32, matern52, linear, polynomial, '
                         'rational_quadratic, sum, product, precomputed, got "wide"'),
    ({"seed": -1}, "seed must be an integer >= 0, got -1"),
    ({"kernel": rr.Gaussian(), "lengthscale": 1}, "kernel and lengthscale exclude each other"),
])
def test_bad_parameters_are_value_errors_with_the_texts_of_the_library(options, text):
    with pytest.raises(ValueError) as error:
        rr.Policy("k-ucb", **options)
    assert str(error.value) == text


def test_unknown_names():
    with pytest.raises(TypeError, match="unknown parameter rigde; known are accuracy, action"):
        rr.Policy("k-ucb", rigde=1)
    with pytest.raises(ValueError, match=r'a policy must be a preset \(auto, ek-ucb, .*\) or a spec file, got "kucb"'):
        rr.Policy("kucb")
    with pytest.raises(ValueError, match="unknown field regression.rigde; known are"):
        rr.Policy({"regression": {"rigde": 1}})
    with pytest.raises(ValueError, match=r"not TOML: .*line 1"):
        rr.Policy("ridge = = 1")


def test_what_is_refused_changes_nothing():
    policy = rr.Policy("k-ucb")
    rounds(policy, 5)
    before = policy.archive()
    for wrong in [lambda: policy.observe([1.0], 1.0), lambda: policy.observe([1.0, math.nan], 1.0),
                  lambda: policy.observe([1.0, 2.0], math.inf), lambda: policy.decide([[1.0, 2.0, 3.0]]),
                  lambda: policy.decide([]), lambda: policy.decide(), lambda: policy.observe([[1.0, 2.0]], [1.0, 2.0]),
                  lambda: policy.decide(context=[1.0])]:
        with pytest.raises(ValueError):
            wrong()
    assert policy.archive() == before


def test_failing_arithmetic_is_an_arithmetic_error():
    policy = rr.Policy("k-ucb", kernel=lambda x, y: -1.0)
    with pytest.raises(rr.NumericalError) as error:
        policy.observe([0.5], 1.0)
    assert isinstance(error.value, ArithmeticError)
    with pytest.raises(rr.NumericalError, match="the kernel function returned nan"):
        rr.Policy("k-ucb", kernel=lambda x, y: math.nan).observe([0.5], 1.0)
    assert policy.stats()["t"] == 0


def test_context_and_action_are_joined():
    with_context, joined = rr.Policy("k-ucb"), rr.Policy("k-ucb")
    for policy in (with_context, joined):
        policy.observe([[0.1, 0.2, 0.3], [0.7, 0.1, 0.4]], [1.0, 2.0])
    actions = np.random.default_rng(0).random((5, 1))
    states = np.column_stack([np.tile([0.3, 0.6], (5, 1)), actions])
    assert with_context.decide(actions, context=[0.3, 0.6]) == joined.decide(states)


def test_fixed_arms_need_no_actions():
    policy = rr.Policy("k-ucb", arms=ACTIONS, kernel=rr.Gaussian(0.2))
    for _ in range(20):
        arm = policy.decide().index
        policy.observe(ACTIONS[arm], float(ACTIONS[arm, 0] == 0.5))
    assert ACTIONS[policy.decide().index, 0] == 0.5


def test_ask_and_tell_find_the_top():
    policy, grid = rr.Policy("k-ucb", kernel=rr.Gaussian(0.2), ridge=0.01), np.random.default_rng(1).random((200, 2))
    for _ in range(40):
        x = policy.ask(grid)
        policy.tell(x, -((x - 0.6) ** 2).sum())
    best = grid[policy.predict(grid).mean.argmax()]
    assert np.abs(best - 0.6).max() < 0.1
    assert policy.stats()["open"] == 0


def test_save_and_load_continue_bit_for_bit(tmp_path):
    policy, file = rr.Policy("ek-ucb", seed=5), tmp_path / "m.rr"
    rounds(policy, 30)
    policy.save(file)
    loaded = rr.Policy.load(file)
    assert rounds(loaded, 20, 30) == rounds(policy, 20, 30)
    assert loaded.archive() == policy.archive()
    assert [entry.name for entry in tmp_path.iterdir()] == ["m.rr"]


def test_files_of_the_command_line_are_the_same(tmp_path):
    requests = "\n".join(['{"op":"observe","states":[[0.1,0.2],[0.7,0.4]],"rewards":[1.0,0.25]}',
                          '{"op":"save","file":"m.rr"}', '{"op":"predict","states":[[0.5,0.5]]}'])
    answers = subprocess.run([PROGRAM, "stream", "--spec", "ek-ucb"], input=requests, capture_output=True, text=True,
                             cwd=tmp_path, check=True).stdout.splitlines()
    policy = rr.Policy.load(tmp_path / "m.rr")
    np.testing.assert_allclose(policy.predict([[0.5, 0.5]]).mean, json.loads(answers[-1])["mean"], rtol=1e-12)
    policy.save(tmp_path / "m.rr")
    back = subprocess.run([PROGRAM, "stream", "--spec", "ek-ucb"], input='{"op":"load","file":"m.rr"}', text=True,
                          capture_output=True, cwd=tmp_path, check=True).stdout
    assert json.loads(back) == {"t": 2}


def test_a_damaged_file_is_refused(tmp_path):
    file = tmp_path / "m.rr"
    rr.Policy("k-ucb").save(file)
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(bytes(content))
    with pytest.raises(ValueError, match="m.rr: "):
        rr.Policy.load(file)
    with pytest.raises(OSError):
        rr.Policy("k-ucb").save(tmp_path / "nowhere" / "m.rr")
    with pytest.raises(OSError, match="it is not a regular file"):
        rr.Policy("k-ucb").save(tmp_path)
    with pytest.raises(ValueError, match="saved with another spec: kernel.lengthscale is 0.5 there, 0.1 here"):
        rr.Policy("k-ucb").save(file)
        rr.Policy.load(file, kernel=rr.Gaussian(0.1))


def test_copies_go_their_own_way():
    policy = rr.Policy("k-ucb")
    rounds(policy, 10)
    for other in (copy.copy(policy), copy.deepcopy(policy), policy.copy()):
        assert other.archive() == policy.archive()
        other.observe([0.5, 0.5], 1.0)
        assert (policy.stats()["t"], other.stats()["t"]) == (10, 11)


def own_kernel(x, y):
    return math.exp(-((x - y) ** 2).sum() / 0.5)


def test_a_function_as_kernel(tmp_path):
    ours = rr.Policy("k-ucb", kernel=rr.Gaussian(0.5))
    for kernel in (own_kernel, rr.FunctionKernel(own_kernel), rr.FunctionKernel(rr.Gaussian(0.5), batches=True)):
        theirs = rr.Policy("k-ucb", kernel=kernel)
        assert [made[0] for made in rounds(theirs, 15)] == [made[0] for made in rounds(ours.copy(), 15)]
        again = pickle.loads(pickle.dumps(theirs))
        assert rounds(again, 5, 15) == rounds(theirs, 5, 15)
    file = tmp_path / "m.rr"
    theirs.save(file)
    with pytest.raises(ValueError, match="a kernel function of its own, which no file holds: hand in the kernel"):
        rr.Policy.load(file)
    assert rr.Policy.load(file, kernel=kernel).archive() == theirs.archive()
    assert theirs.spec["kernel"] is None


def test_an_error_in_a_kernel_function_comes_through_and_changes_nothing():
    switch = {"fail": False}

    def kernel(x, y):
        if switch["fail"]:
            raise KeyError("lost")
        return own_kernel(x, y)

    policy = rr.Policy("ek-ucb", kernel=kernel)
    rounds(policy, 5)
    before, switch["fail"] = policy.archive(), True
    with pytest.raises(KeyError, match="lost"):
        policy.observe([0.1, 0.2], 1.0)
    with pytest.raises(KeyError, match="lost"):
        policy.decide([[0.1, 0.2]])
    assert policy.archive() == before


def test_a_kernel_function_must_not_use_its_policy():
    policy = rr.Policy("k-ucb", kernel=lambda x, y: policy.stats()["t"] + own_kernel(x, y))
    with pytest.raises(ValueError, match="at work already"):
        policy.observe([0.5], 1.0)


def test_stats_have_the_stream_protocols_names():
    policy = rr.Policy("adaptive-ucb", arms=ACTIONS)
    policy.observe(ACTIONS[policy.decide().index], 1.0)
    policy.decide()
    stats = policy.stats()
    assert list(stats) == ["t", "ridge", "logdet", "radius", "anchors", "effective_dimension", "projection_error",
                           "residual_sum", "decisions", "open", "clamped", "noise_lower", "noise_upper",
                           "noise_crossed", "empty_since"]
    assert (stats["t"], stats["decisions"], stats["open"], stats["noise_crossed"]) == (1, 2, 1, False)
    assert rr.Policy("cmm-ucb").stats()["radius"] is None


def test_decisions_are_values():
    decision = rr.Policy("k-ucb").decide(ACTIONS)
    assert pickle.loads(pickle.dumps(decision)) == decision
    assert repr(decision).startswith(f"Decision(number=1, index={decision.index}, mean=0")
    with pytest.raises(AttributeError):
        decision.index = 3


def test_a_reward_comes_back_to_its_decision():
    policy = rr.Policy("kernel-ucb")
    first, second, third = (policy.decide([[0.5]]) for _ in range(3))
    assert [first.number, second.number, third.number] == [1, 2, 3]
    policy.observe(second, 2.0)
    policy.observe(third, reward=1)
    policy.withdraw(first)
    assert (policy.stats()["t"], policy.stats()["open"]) == (2, 0)
    for call in [lambda: policy.observe(second, 2.0), lambda: policy.withdraw(first)]:
        with pytest.raises(ValueError, match="is not open"):
            call()
    assert policy.stats()["t"] == 2


def test_decisions_keep_their_numbers_in_pickles():
    policy = rr.Policy("k-ucb")
    decision = pickle.loads(pickle.dumps(policy.decide(ACTIONS)))
    assert decision.number == 1
    policy.observe(decision, 1.0)
    assert policy.stats()["open"] == 0


def test_a_policy_tunes_itself_and_is_frozen_by_what_it_tuned():
    shop, policy = rr.Environment("pricing"), rr.Policy()
    assert repr(policy) == "<Policy auto: not tuned yet, 0 observations>" and policy.tuned is None
    for visitor in range(60):
        states, expected = shop.offer(visitor)
        decision = policy.decide(states)
        policy.observe(decision, expected[decision.index] + shop.noise(visitor))
    tune = policy.stats()["tune"]
    assert tune["tuned_at"] == 41 and tune["next_at"] == 62 and len(tune["lengthscale"]) == 9
    assert repr(policy).startswith("<Policy auto: Gaussian(lengthscale=[")
    frozen = rr.Policy(policy.tuned)
    assert frozen.tuned == frozen.spec == policy.tuned and "tune" not in frozen.stats()
    restored = pickle.loads(pickle.dumps(policy))
    states, _ = shop.offer(60)
    assert restored.decide(states) == policy.decide(states)


def test_a_lengthscale_far_from_the_data_is_told():
    policy = rr.Policy("k-ucb")
    policy.observe(np.arange(20.0).reshape(-1, 1) * 40, np.arange(20.0))
    assert policy.stats()["warnings"][0].startswith("the length-scale 0.5 is far below the 240 that states are apart")
    assert "warnings" not in rr.Policy("k-ucb").stats()
