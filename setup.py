"""Builds the extension with CMake; everything else about the package is in pyproject.toml.

RIDGERUNNER_ARCH=native      compiles for this machine instead of any (the value of -march)
RIDGERUNNER_BUILD_DIR=DIR    builds in this CMake folder, with its options, instead of one of its own
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent
VERSION = re.search(r"project\(ridgerunner VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def where_pybind11_is():
    """From the Python package, if it is there; else CMake looks for the system's."""
    try:
        import pybind11
    except ImportError:
        return []
    return [f"-Dpybind11_DIR={pybind11.get_cmake_dir()}"]


class BuildWithCMake(build_ext):
    def build_extension(self, ext):
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        given = os.environ.get("RIDGERUNNER_BUILD_DIR")
        # A folder for each interpreter and target machine, so that the next build is a short one.
        arch = os.environ.get("RIDGERUNNER_ARCH", "")
        own = "-".join(["python", sys.implementation.cache_tag, *([arch] if arch else [])])
        folder = ROOT / given if given else ROOT / "build" / own
        options = [f"-DPython_EXECUTABLE={os.path.realpath(sys.executable)}", "-DRIDGERUNNER_BUILD_PYTHON=ON", *where_pybind11_is()]
        if not given:
            options += ["-DCMAKE_BUILD_TYPE=Release", f"-DRIDGERUNNER_ARCH={arch}", "-DRIDGERUNNER_BUILD_CLI=OFF",
                        "-DRIDGERUNNER_BUILD_EXAMPLES=OFF"]
            if shutil.which("ninja"):
                options += ["-G", "Ninja"]
        subprocess.check_call(["cmake", "-S", str(ROOT), "-B", str(folder), *options])
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(os.cpu_count() or 1))
        subprocess.check_call(["cmake", "--build", str(folder), "--target", "ridgerunner_python", "--parallel", jobs])
        (built,) = (folder / "python").glob("_core*.so")
        shutil.copyfile(built, target)


setup(version=VERSION, ext_modules=[Extension("ridgerunner._core", sources=[])],
      cmdclass={"build_ext": BuildWithCMake})
