"""What the contracts of imports in pyproject.toml cannot say, and that applications can go."""

import re
import shutil

import pytest
from children import python
from sources import PACKAGE

from sparsebc.kernel_cache import source_stamp

# All else of the package are applications.
CORE = {"__init__", "arguments", "engines", "errors", "foreign", "jit", "kernel_cache", "process"}
CORE |= {"matrix", "measures", "notebook", "plain_text", "private_files", "py", "reduce", "sweep"}
APPLICATIONS = sorted({place.stem for place in PACKAGE.iterdir()} - CORE - {"__pycache__"})
RUN = """
import importlib, pkgutil, sparsebc
for part in pkgutil.walk_packages(sparsebc.__path__, "sparsebc."):
    if part.name.startswith(("sparsebc.arguments", "sparsebc.engines.devices", "sparsebc.matrix",
                             "sparsebc.measures", "sparsebc.reduce", "sparsebc.sweep")):
        importlib.import_module(part.name)
A = [[0, 1, 0], [1, 0, 1], [0, 1, 0]]
print(sparsebc.__path__[0], sparsebc.betweenness(sparsebc.matrix.csr.scipy.sparse.csr_array(A)))
"""
CONFTEST = """
import hypothesis, pytest

hypothesis.settings.register_profile("core", deadline=None)
hypothesis.settings.load_profile("core")

@pytest.fixture(params=["cpu", "reference"])
def device(request):
    return request.param

@pytest.fixture
def fast_device():
    return "cpu"
"""
TESTS = ("closed_forms", "distances", "pairwise_sum")


@pytest.fixture
def copy(tmp_path):
    """The core alone, what was compiled of it included, and a few of its tests."""
    root = PACKAGE.parent
    shutil.copytree(PACKAGE, tmp_path / "sparsebc")
    shutil.copy(root / "pyproject.toml", tmp_path)
    (tmp_path / "tests").mkdir()
    for name in ("graphs", *(f"test_{name}" for name in TESTS)):
        shutil.copy(root / "tests" / f"{name}.py", tmp_path / "tests")
    (tmp_path / "tests/conftest.py").write_text(CONFTEST)
    for name in APPLICATIONS:
        place = tmp_path / "sparsebc" / name
        shutil.rmtree(place) if place.is_dir() else place.with_suffix(".py").unlink()
    with open(tmp_path / "sparsebc/kernel_cache.py", "a") as file:  # the kernels left are the same
        file.write(f"source_stamp = lambda: {source_stamp()!r}\n")
    return tmp_path


@pytest.mark.long
def test_without_any_application_the_core_runs_and_its_tests_pass(copy):
    there = {"cwd": copy, "PYTHONPATH": str(copy), "PYTEST_ADDOPTS": ""}
    assert python("-c", RUN, **there)[0].split(" ", 1) == [str(copy / "sparsebc"), "[0. 1. 0.]\n"]
    # NetworkX warns that it does not find the backend that is told to be installed.
    options = ("-q", "-o", "addopts=", "-W", "ignore:Error encountered")
    assert " passed" in python("-m", "pytest", *options, "tests", **there)[0]


def test_no_rule_asks_how_much_memory_there_is():
    """Those of kernels and reductions fix the bits: engines alone ask, for the plan of workers."""
    asks = r"[.'\"](memGetInfo|totalGlobalMem|free_memory|cpu_count|sched_getaffinity)"
    files = [
        path for name in ("engines", "reduce", "matrix") for path in (PACKAGE / name).rglob("*.py")
    ]
    asking = {str(path.relative_to(PACKAGE)) for path in files if re.search(asks, path.read_text())}
    known = {f"engines/{name}/engine.py" for name in ("cpu", "cuda", "reference")}
    assert asking <= known | {f"engines/reference/{name}.py" for name in ("elementwise", "updates")}
