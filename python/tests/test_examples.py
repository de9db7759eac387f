"""The lessons in examples/ print the same in Python and in C++, and say what they should about real data."""

import importlib.util
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = pathlib.Path(os.environ.get("RIDGERUNNER_EXAMPLES", ROOT / "build" / "release" / "examples"))
LESSONS = sorted(path.stem for path in (ROOT / "examples").glob("[0-9]_*.py"))


def test_every_lesson_is_there_in_both_languages():
    assert LESSONS == sorted(path.stem for path in (ROOT / "examples").glob("[0-9]_*.cpp"))
    assert len(LESSONS) == 8


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    return tmp_path_factory.mktemp("tables")


@pytest.mark.parametrize("lesson", LESSONS)
def test_both_languages_print_the_same(lesson, tables):
    folder = [str(tables)] if lesson.startswith(("6", "7")) else []  # of real data: Python writes it, C++ reads it
    python = subprocess.run([sys.executable, ROOT / "examples" / f"{lesson}.py", *folder], capture_output=True, text=True)
    assert python.returncode == 0, python.stderr
    program = PROGRAMS / lesson.split("_", 1)[1]
    cpp = subprocess.run([program, *folder], capture_output=True, text=True)
    assert cpp.returncode == 0, cpp.stderr
    assert python.stdout == cpp.stdout
    if lesson.startswith("6"):
        for kernel, linear, uniform in re.findall(r"kernel (\d+), linear (\d+), uniform (\d+)", python.stdout):
            assert int(kernel) <= 1.1 * int(linear) and int(linear) < 0.5 * int(uniform)
    if lesson.startswith("7"):
        kernel, linear, uniform = map(float, re.findall(r"mean ([\d.]+)", python.stdout))
        assert kernel > linear > 2 * uniform


def classification():
    spec = importlib.util.spec_from_file_location("classification", ROOT / "examples" / "6_classification.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_kernel_makes_few_mistakes_on_digits():
    lesson = classification()
    name, images, digits, *settings = next(lesson.tables())
    assert name == "digits"
    mistakes = {"kernel": [], "linear": []}
    for shuffle in range(10):
        order = np.random.default_rng(shuffle).permutation(len(digits))
        for name, policy in lesson.policies(64, *settings):
            if name in mistakes:
                mistakes[name].append(lesson.mistakes(policy, images[order], digits[order]))
    print("mistakes in the mean:", {name: np.mean(counts) for name, counts in mistakes.items()})
    assert np.mean(mistakes["kernel"]) <= 0.75 * np.mean(mistakes["linear"])
