#!/usr/bin/python3
"""What Python costs on top of C++: a decision, and a whole comparison against the command line. Needs both builds for the same
machine: build/release with -DRIDGERUNNER_BUILD_BENCHMARKS=ON, and the package with RIDGERUNNER_ARCH=native."""

import pathlib
import statistics
import subprocess
import tempfile
import time

import numpy as np

import ridgerunner as rr

BUILD = pathlib.Path(__file__).resolve().parent.parent / "build" / "release"
POLICIES = ["k-ucb", "ek-ucb"]


def points(count, start):
    steps = np.arange(start, start + count)
    return np.fmod(np.outer(steps, [0.8191725134, 0.6710436067, 0.5497004779]), 1.0)


def microseconds(preset):
    learnt = rr.Policy(preset, oversampling=1e6)
    states, candidates = points(100, 1), points(30, 200)
    learnt.observe(states, states[:, 0].copy())
    assert learnt.stats()["anchors"] == 100
    times = []
    for _ in range(200):
        decide = learnt.copy().decide
        start = time.perf_counter()
        for _ in range(50):
            decide(candidates)
        times.append((time.perf_counter() - start) / 50 * 1e6)
    return statistics.median(times)


def decisions():
    theirs = subprocess.run([BUILD / "benchmarks" / "ridgerunner_decide", *POLICIES], capture_output=True, text=True,
                            check=True).stdout.split()
    for name, cpp in zip(theirs[::2], map(float, theirs[1::2])):
        python = microseconds(name)
        print(f"decide, 30 candidates, 100 anchors, {name}: C++ {cpp:.1f} us, Python {python:.1f} us, "
              f"{python - cpp:+.1f} us (at most {0.3 * cpp + 10:.1f})")


def comparison():
    options = {"horizon": 1000, "runs": 6, "threads": 1}
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(3):
            start = time.perf_counter()
            subprocess.run([BUILD / "ridgerunner", "compare", "--environment", "rkhs_sample", "--policies",
                            ",".join(POLICIES), "--out", folder, "--quiet",
                            *(text for key, value in options.items() for text in (f"--{key}", str(value)))], check=True)
            middle = time.perf_counter()
            rr.compare("rkhs_sample", POLICIES, **options)
            ratios.append((time.perf_counter() - middle) / (middle - start))
    print(f"compare, Python / command line: {statistics.median(ratios):.3f} ({min(ratios):.3f} to {max(ratios):.3f}; "
          "at most 1.1)")


if __name__ == "__main__":
    decisions()
    comparison()
