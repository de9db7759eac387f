"""Threads, interrupts and memory."""

import gc
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import ridgerunner as rr


def together(*works):
    """Runs the works at the same time; the first error of any is raised."""
    errors = []

    def guarded(work):
        try:
            work()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=guarded, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(120)
        assert not thread.is_alive(), "a thread hangs"
    if errors:
        raise errors[0]


@pytest.mark.parametrize("preset, kernel", [("k-ucb", None), ("ek-ucb", None), ("dmm-ucb", None),
                                            ("k-ucb", lambda x, y: float(np.exp(-((x - y) ** 2).sum())))])
def test_two_threads_decide_while_one_observes(preset, kernel):
    policy = rr.Policy(preset, kernel=kernel)
    actions, count = np.random.default_rng(0).random((25, 2)), 60
    rng = np.random.default_rng(1)
    states, rewards = rng.random((count, 2)), rng.normal(size=count)
    made = [[], []]

    def decide(which):
        for _ in range(count):
            made[which].append(policy.decide(actions))

    def observe():
        for state, reward in zip(states, rewards):
            policy.observe(state, reward)

    together(lambda: decide(0), lambda: decide(1), observe)
    assert policy.stats()["t"] == count and policy.stats()["decisions"] == 2 * count
    # As if serialised: every decision is the one after some number of observations, and that number only rises.
    serial = rr.Policy(preset, kernel=kernel, first="lowest")
    after = []
    for t in range(count + 1):
        if t:
            serial.observe(states[t - 1], rewards[t - 1])
        decision = serial.copy().decide(actions)
        after.append((decision.index, round(decision.mean, 9), round(decision.sd, 9)))
    for decisions in made:
        at = 0
        for decision in decisions:
            if decision.propensity < 1:
                continue  # there were no data yet
            seen = decision.index, round(decision.mean, 9), round(decision.sd, 9)
            at = after.index(seen, at)


def test_reading_and_writing_at_the_same_time():
    policy = rr.Policy("k-ucb")
    policy.observe([0.5, 0.5], 1.0)
    points = np.random.default_rng(0).random((30, 2))
    together(lambda: [policy.predict(points) for _ in range(200)],
             lambda: [policy.observe(point, 1.0) for point in points for _ in range(5)],
             lambda: [policy.copy().decide(points) for _ in range(100)],
             lambda: [policy.archive() for _ in range(100)],
             lambda: [policy.stats() for _ in range(100)])
    assert policy.stats()["t"] == 151


def test_the_gil_is_free_while_it_works():
    policy = rr.Policy("k-ucb", kernel=rr.Matern12(0.1))
    rng = np.random.default_rng(0)
    policy.observe(rng.random((1500, 4)), rng.normal(size=1500))
    points, counted, done = rng.random((3000, 4)), [0], threading.Event()

    def count():
        while not done.is_set():
            counted[0] += 1
            time.sleep(0)

    def work():
        before = counted[0]
        policy.predict(points)
        counted.append(counted[0] - before)
        done.set()

    together(count, work)
    assert counted[1] > 100  # with the GIL held it would be a handful


LONG = """
    import sys, time
    import ridgerunner as rr
    {setup}
    print("ready", flush=True)
    try:
        rr.compare({environment}, ["k-ucb", "gp-ucb"], horizon=100000, runs=4, threads=2)
    except KeyboardInterrupt:
        print("interrupted", time.time(), flush=True)
        print("alive", rr.Policy("k-ucb").decide([[0.5]]).index, flush=True)
"""


@pytest.mark.parametrize("setup, environment", [
    ("", "'rkhs_sample'"),
    ("problem = rr.FunctionEnvironment(lambda x: x[:, 0], lambda rng: rng.random((20, 2)))", "problem"),
])
def test_ctrl_c_stops_a_comparison_within_a_second(setup, environment):
    program = textwrap.dedent(LONG).format(setup=setup, environment=environment)
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout.readline() == "ready\n"
        time.sleep(2)
        sent = time.time()
        child.send_signal(signal.SIGINT)
        word, when = child.stdout.readline().split()
        assert word == "interrupted"
        assert float(when) - sent < 1
        assert child.stdout.readline() == "alive 0\n"
        assert child.wait(30) == 0


def test_an_error_in_the_progress_function_stops_the_comparison():
    def progress(done, total):
        raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        rr.compare("rkhs_sample", ["k-ucb"], horizon=100000, runs=2, threads=1, progress=progress)


def resident():
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")


LOOPS = {
    "decide": lambda policy, x: policy.decide(x),
    "decide with a context": lambda policy, x: policy.decide(x[:, :1], context=[0.5]),
    "decide with float32": lambda policy, x: policy.decide(x.astype(np.float32)),
    "predict": lambda policy, x: policy.predict(x),
    "observe": lambda policy, x: policy.observe(x[0], 0.5),
    "refused": lambda policy, x: pytest.raises(ValueError, policy.observe, x[0], np.inf),
    "stats": lambda policy, x: policy.stats(anchors=True),
    "spec": lambda policy, x: rr.spec("k-ucb", ridge=2.0),
    "kernel": lambda policy, x: rr.Gaussian(0.5)(x),
    "copy": lambda policy, x: policy.copy(),
}


@pytest.mark.parametrize("name", LOOPS)
def test_nothing_leaks(name):
    # Decisions without a reward stay open and do take memory, so they are answered.
    policy, x = rr.Policy("k-ucb", kernel=rr.Gaussian(0.3)), np.random.default_rng(0).random((8, 2))
    policy.observe(x, x[:, 0])
    states = {"decide with a context": np.column_stack([np.full(8, 0.5), x[:, :1]])}.get(name, x)
    states = states.astype(np.float32).astype(float) if name == "decide with float32" else states
    policy.observe(states, states[:, 0])

    def turn():
        made = LOOPS[name](policy, x)
        if isinstance(made, rr.Decision):
            policy.observe(states[made.index], 0.5)

    for _ in range(2000):
        turn()
    gc.collect()
    before = resident()
    for _ in range(100_000):
        turn()
    gc.collect()
    assert resident() - before < 4 << 20  # 40 bytes a call


def test_kernel_functions_are_let_go():
    import weakref

    class Own:
        def __call__(self, x, y):
            return float(x[0] == y[0])

    function = Own()
    alive = weakref.ref(function)
    policy = rr.Policy("k-ucb", kernel=rr.FunctionKernel(function))
    policy.observe([1.0], 1.0)
    other = policy.copy()
    del function, policy, other
    gc.collect()
    assert alive() is None
