"""The package as such: version, docstrings, stubs, types."""

import ast
import doctest
import importlib
import inspect
import pathlib
import re
import subprocess
import sys

import matplotlib
import numpy
import pytest

import ridgerunner as rr
import ridgerunner.sklearn
from ridgerunner import _core

matplotlib.use("agg")
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULES = ["", ".bounds", ".environments", ".experiments", ".kernels", ".plot", ".policies", ".regressions", ".sklearn",
           ".specs"]


def test_the_version_is_the_librarys():
    written = re.search(r"ridgerunner VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]
    assert rr.__version__ == _core.__version__ == written


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_run(name):
    module = importlib.import_module("ridgerunner" + name)
    known = {**vars(rr), **vars(module), "rr": rr, "np": numpy}
    finder, runner = doctest.DocTestFinder(), doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for test in finder.find(module, globs=known):
        runner.run(test)
    assert runner.failures == 0


CLASSES = [rr.Policy, rr.Regression, rr.Bound, rr.Kernel, rr.Environment, rr.Results, rr.sklearn.KernelRegressor]
MEMBERS = [(owner, name) for owner in CLASSES for name in dir(owner) if not name.startswith("_")
           and inspect.getattr_static(owner, name, None) is not None
           and getattr(getattr(owner, name), "__module__", "ridgerunner") in (None, "ridgerunner") + tuple(
               "ridgerunner" + module for module in MODULES)]


@pytest.mark.parametrize("owner, name", MEMBERS, ids=lambda part: part if isinstance(part, str) else part.__name__)
def test_every_member_is_explained_by_an_example_that_runs(owner, name):
    text = inspect.getdoc(inspect.getattr_static(owner, name)) or inspect.getdoc(getattr(owner, name))
    assert text and ">>>" in text
    test = doctest.DocTestParser().get_doctest(text, {**vars(rr), "rr": rr, "np": numpy,
                                                      "KernelRegressor": rr.sklearn.KernelRegressor}, name, None, None)
    runner = doctest.DocTestRunner()
    runner.run(test)
    assert runner.failures == 0


@pytest.mark.parametrize("name", [name for name in rr.__all__ if name not in ("__version__", "bounds", "client", "plot")])
def test_everything_public_is_explained(name):
    thing = getattr(rr, name)
    assert inspect.getdoc(thing)
    if thing.__module__ != "ridgerunner._core":
        assert ">>>" in thing.__doc__, f"{name} has no example"


def stub_names(body):
    """Names of classes, functions and attributes, with those inside of classes."""
    names = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            names[node.name] = set(stub_names(node.body))
        elif isinstance(node, ast.FunctionDef):
            names[node.name] = {argument.arg for argument in node.args.args + node.args.kwonlyargs} - {"self"}
        elif isinstance(node, ast.AnnAssign):
            names[node.target.id] = None
    return names


def test_the_stubs_agree_with_the_module():
    tree = ast.parse((pathlib.Path(rr.__file__).parent / "_core.pyi").read_text())
    stubs = stub_names(tree.body)
    public = {name for name in vars(_core) if not name.startswith("_")} | {"__version__"}
    assert set(stubs) == public
    for name in public:
        thing = getattr(_core, name)
        if inspect.isclass(thing):
            there = {member for member in vars(thing) if not member.startswith("_")}
            assert {member for member in stubs[name] if not member.startswith("_")} == there, name


def test_signatures_in_the_stubs_are_the_modules():
    tree = ast.parse((pathlib.Path(rr.__file__).parent / "_core.pyi").read_text())
    checked = 0
    for scope in [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef))]:
        owner = _core if scope is tree else getattr(_core, scope.name)
        for node in scope.body:
            if not isinstance(node, ast.FunctionDef) or node.name.startswith("_"):
                continue
            member = getattr(owner, node.name)
            if not callable(member):
                continue  # a property
            written = [argument.arg for argument in node.args.args + node.args.kwonlyargs if argument.arg != "self"]
            first = member.__doc__.splitlines()[0]
            real = [name for name in re.findall(r"(\w+): ", first[: first.rindex("->")]) if name not in ("self", "arg0")]
            assert written == real, (node.name, first)
            checked += 1
    assert checked > 30


def test_the_types_are_consistent():
    package = pathlib.Path(rr.__file__).parent
    checked = subprocess.run(["/usr/bin/python3", "-m", "mypy", "--ignore-missing-imports", "--no-error-summary",
                              "--cache-dir", "/dev/null", "--follow-imports=silent", str(package)],
                             capture_output=True, text=True)
    assert checked.stdout == "" and checked.returncode == 0, checked.stdout + checked.stderr
    assert (package / "py.typed").exists()


def test_optional_parts_are_not_imported():
    code = "import sys, ridgerunner; print([m for m in ('matplotlib', 'pandas', 'sklearn') if m in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert printed.strip() == "[]"
