"""Bounds of one's own: Python functions and plug-ins."""

import os
import pathlib
import pickle
import subprocess
import sys

import pytest

import ridgerunner as rr

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = pathlib.Path(os.environ.get("RIDGERUNNER_EXAMPLES", ROOT / "build" / "release" / "examples"))


def test_a_function_is_a_bound():
    rr.register_bound("by_ridge", lambda evidence, scale: scale * evidence.ridge, scale=3.0)
    policy = rr.Policy("k-ucb", bound="by_ridge", ridge=2.0)
    assert policy.stats()["radius"] == 6.0
    assert policy.spec["bound"]["type"] == "by_ridge"
    assert policy.spec["bound"]["scale"] == 3.0
    assert rr.Policy("k-ucb", bound={"type": "by_ridge", "scale": 0.5}, ridge=2.0).stats()["radius"] == 1.0
    decision = policy.decide([[0.0], [1.0]])
    assert decision.upper == pytest.approx(6.0 * decision.sd)
    assert pickle.loads(pickle.dumps(policy)).spec == policy.spec


def test_a_function_runs_in_comparisons_on_threads():
    rr.register_bound("in_threads", lambda evidence: 0.1)
    results = rr.compare("step_diagonal", {"own": {"policy": "k-ucb", "bound": {"type": "in_threads"}},
                                           "k-ucb": "k-ucb"}, horizon=30, runs=2, threads=2)
    regret = results.curve("regret")
    assert (regret["own"] == regret["k-ucb"]).all()


def test_what_cannot_be_registered_is_refused():
    rr.register_bound("once", lambda evidence: 1.0)
    with pytest.raises(ValueError, match="there is a bound once already"):
        rr.register_bound("once", lambda evidence: 1.0)
    with pytest.raises(ValueError, match="there is a bound amm already"):
        rr.register_bound("amm", lambda evidence: 1.0)
    with pytest.raises(ValueError, match="lower-case letters"):
        rr.register_bound("My Bound", lambda evidence: 1.0)
    with pytest.raises(ValueError, match="callable"):
        rr.register_bound("number", 3.0)
    with pytest.raises(ValueError, match="bound.type must be one of fixed, .*once.*, got \"never\""):
        rr.Policy("k-ucb", bound="never")


def test_errors_of_the_function_come_through_and_change_nothing():
    rr.register_bound("failing", lambda evidence: 1.0 / (2 - evidence.rounds))
    policy = rr.Policy("k-ucb", bound="failing")
    for x in (0.0, 1.0):
        policy.observe([x], 1.0)
    with pytest.raises(ZeroDivisionError):
        policy.decide([[0.0], [1.0]])
    policy.observe([2.0], 1.0)
    with pytest.raises(rr.NumericalError, match="the radius of failing is -1"):
        policy.decide([[0.0], [1.0]])


def test_a_plugin_works_in_python():
    program = """
import sys, ridgerunner as rr
rr.load_plugin(sys.argv[1])
policy = rr.Policy("gp-ucb", bound="srinivas", size=500, noise_bound=0.2)
print(policy.spec["bound"]["type"], policy.spec["bound"]["size"], round(policy.stats()["radius"], 6))
"""
    plugin = EXAMPLES / "own_bound.so"
    done = subprocess.run([sys.executable, "-c", program, plugin], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "srinivas 500.0 0.951524\n"
