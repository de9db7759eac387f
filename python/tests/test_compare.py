"""Environments, comparisons, results, pictures."""

import json
import os
import pathlib
import pickle
import subprocess

import matplotlib
import numpy as np
import pandas
import pytest

import ridgerunner as rr

matplotlib.use("agg")
ROOT = pathlib.Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def results():
    return rr.compare("chessboard", ["ek-ucb", "k-ucb", "uniform"], horizon=120, runs=3, threads=2)


def test_curves_are_arrays_by_policy(results):
    assert results.labels == ["ek-ucb", "k-ucb", "uniform"]
    assert results.rounds.tolist() == list(range(1, 121))
    for name in ("regret", "reward", "seconds", "anchors"):
        for curve in results.curve(name).values():
            assert curve.shape == (3, 120) and curve.dtype == np.float64
    assert (np.diff(results.regret["uniform"]) >= -1e-12).all()
    assert results.final()["k-ucb"].mean() < results.final()["uniform"].mean()
    assert results.curve("noise_lower") == {}
    with pytest.raises(ValueError, match="no such curve: rergret"):
        results.curve("rergret")


def test_results_do_not_depend_on_threads(results):
    other = rr.compare("chessboard", ["ek-ucb", "k-ucb", "uniform"], horizon=120, runs=3, threads=1)
    for label in results.labels:
        np.testing.assert_array_equal(other.regret[label], results.regret[label])


def test_the_same_numbers_as_round_by_round(results):
    spec = results.specs["k-ucb"]  # of the first run, with its seed
    problem, policy, regret = rr.Environment("chessboard", seed=spec["seed"]), rr.Policy(spec), []
    for t in range(120):
        states, expected = problem.offer(t)
        chosen = policy.decide(states).index
        policy.observe(states[chosen], expected[chosen] + problem.noise(t))
        regret.append(expected.max() - expected[chosen])
    np.testing.assert_allclose(np.cumsum(regret), results.regret["k-ucb"][0], atol=1e-12)


def test_the_same_results_as_the_command_line(tmp_path, results):
    program = os.environ.get("RIDGERUNNER_PROGRAM", ROOT / "build" / "release" / "ridgerunner")
    subprocess.run([program, "compare", "--environment", "chessboard", "--policies", "ek-ucb,k-ucb,uniform",
                    "--horizon", "120", "--runs", "3", "--out", str(tmp_path), "--quiet"], check=True)
    theirs = rr.load_results(tmp_path / "results.json")
    assert theirs.environment == results.environment and theirs.specs == results.specs
    for label in results.labels:
        np.testing.assert_allclose(theirs.regret[label], results.regret[label], rtol=1e-9)


def test_results_go_to_a_file_a_pickle_a_frame_and_a_page(results, tmp_path):
    results.save(tmp_path / "results.json")
    for again in (rr.load_results(tmp_path / "results.json"), pickle.loads(pickle.dumps(results))):
        np.testing.assert_array_equal(again.regret["k-ucb"], results.regret["k-ucb"])
        assert again.specs == results.specs and again.provenance == results.provenance
    assert json.loads((tmp_path / "results.json").read_text())["provenance"]["version"] == rr.__version__
    results.save_report(tmp_path / "report.html")
    assert "<svg" in (tmp_path / "report.html").read_text()
    assert "k-ucb" in str(results) and "<table" in results._repr_html_()
    frame = results.to_frame()
    assert isinstance(frame, pandas.DataFrame) and len(frame) == 3 * 3 * 120
    last = frame[(frame.policy == "uniform") & (frame["round"] == 120)].sort_values("run")
    np.testing.assert_array_equal(last.regret, results.final()["uniform"])


def test_curves_that_one_policy_has_are_missing_for_the_others():
    frame = rr.compare("taylor_function", ["adaptive-ucb", "uniform"], horizon=20, runs=1).to_frame()
    assert frame[frame.policy == "uniform"].noise_upper.isna().all()
    assert frame[frame.policy == "adaptive-ucb"].noise_upper.notna().all()


def test_policies_by_name_with_overrides():
    mine = rr.spec("k-ucb", radius=0.5)
    results = rr.compare("bump", {"narrow": "k-ucb", "wide": mine, "own": rr.Policy("ek-ucb", ridge=3.0)}, horizon=10,
                         runs=1, delta=0.2)
    assert results.specs["wide"]["bound"]["radius"] == 0.5
    assert results.specs["own"]["regression"]["ridge"] == 3.0
    assert all(spec["bound"]["delta"] == 0.2 for spec in results.specs.values())


@pytest.mark.parametrize("options, text", [
    ({"policies": ["k-ucb", "k-ucb"]}, 'policies must have different names, got "k-ucb" twice'),
    ({"policies": []}, "policies must name at least one policy"),
    ({"horizon": 0}, "horizon must be >= 1, got 0"),
    ({"runs": 0}, "runs must be >= 1, got 0"),
    ({"threads": 0}, "threads must be >= 1, got 0"),
    ({"policies": ["k-ucb"], "ridge": -1}, "k-ucb: ridge must be > 0, got -1"),
    ({"environment": "moon"}, "environment.type must be one of bump, chessboard, step_diagonal, rkhs_sample, "
                              'taylor_function, gp_draw, pricing, got "moon"'),
])
def test_bad_comparisons_are_refused(options, text):
    with pytest.raises(ValueError) as error:
        rr.compare(**{"environment": "bump", "horizon": 5, "runs": 1, **options})
    assert str(error.value) == text


def test_a_function_as_environment():
    centre = np.array([0.3, 0.7])
    problem = rr.FunctionEnvironment(lambda x: -((x - centre) ** 2).sum(axis=1), lambda rng: rng.random((15, 2)),
                                     noise_sd=0.05, kernel=rr.Gaussian(0.4))
    one, two = (rr.compare(problem, ["k-ucb", "uniform"], horizon=60, runs=2, threads=n) for n in (1, 2))
    for label in one.labels:
        np.testing.assert_array_equal(one.regret[label], two.regret[label])
    assert one.final()["k-ucb"].mean() < 0.5 * one.final()["uniform"].mean()
    assert one.specs["k-ucb"]["bound"]["noise_bound"] == 0.05
    assert one.specs["k-ucb"]["kernel"]["lengthscale"] == 0.4
    assert one.environment is None
    with pytest.raises(ValueError, match="results of Python functions cannot be written"):
        one.save("never")
    assert problem.offer(2).states.tolist() == problem.offer(2).states.tolist()


def test_fixed_arms_as_environment():
    problem = rr.FunctionEnvironment(lambda x: np.sin(6 * x[:, 0]), np.linspace(0, 1, 30), kernel=rr.Gaussian(0.1))
    assert problem.facts["fixed_arms"] and problem.facts["dimension"] == 1
    results = rr.compare(problem, ["gp-ucb", "bkb", "uniform"], horizon=50, runs=1, norm_bound=3)
    assert len(results.specs["gp-ucb"]["arms"]["points"]) == 30


def test_wrong_functions_explain_themselves():
    with pytest.raises(ValueError, match="must return 3 numbers, one for each candidate, got 1"):
        rr.FunctionEnvironment(lambda x: [1.0], [0.0, 0.5, 1.0])
    with pytest.raises(ZeroDivisionError):
        rr.FunctionEnvironment(lambda x: 1 / 0, [0.0, 0.5, 1.0])
    calls = []

    def late(x):
        calls.append(1)
        if len(calls) > 20:
            raise LookupError("gone")
        return x[:, 0]

    with pytest.raises(LookupError, match="gone"):
        rr.compare(rr.FunctionEnvironment(late, lambda rng: rng.random((4, 1))), ["uniform"], horizon=50, runs=2)


def test_a_kernel_function_in_a_comparison():
    own = rr.FunctionKernel(rr.Gaussian(0.1), batches=True)
    results = rr.compare("step_diagonal", {"own": rr.Policy("k-ucb", kernel=own), "ours": "k-ucb"}, horizon=30, runs=2)
    np.testing.assert_allclose(results.regret["own"], results.regret["ours"])


def test_progress_is_told():
    told = []
    rr.compare("rkhs_sample", ["k-ucb"], horizon=400, runs=2, threads=1, progress=lambda *now: told.append(now))
    assert told[-1] == (800, 800)
    assert told == sorted(told)


def test_pictures(results, tmp_path):
    ax = rr.plot.regret(results, policies=["k-ucb", "uniform"])
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["k-ucb", "uniform"]
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), results.regret["k-ucb"].mean(axis=0))
    ax.figure.savefig(tmp_path / "regret.png")
    with pytest.raises(ValueError, match="policies must be among ek-ucb, k-ucb, uniform, got mine"):
        rr.plot.regret(results, policies=["mine"])


def test_pictures_of_bands():
    policy = rr.Policy("amm-ucb", kernel=rr.Gaussian(0.2), norm_bound=2)
    policy.observe(np.linspace(0, 1, 9), np.sin(np.linspace(0, 6, 9)))
    ax = rr.plot.band(policy, truth=lambda x: np.sin(6 * x))
    np.testing.assert_allclose(ax.get_lines()[0].get_ydata(), policy.predict(np.linspace(0, 1, 200)).mean)
    contextual = rr.Policy("k-ucb")
    contextual.observe([[0.1, 0.2, 0.5]], [1.0])
    assert rr.plot.band(contextual, np.linspace(0, 1, 5), context=[0.1, 0.2]).get_xlabel() == "action"
    with pytest.raises(ValueError, match="a line needs a context of 2 numbers, got 0"):
        rr.plot.band(contextual)
    with pytest.raises(ValueError, match="states are needed"):
        rr.plot.band(rr.Policy("k-ucb"))
