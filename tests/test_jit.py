"""The door to Numba: which machine code runs, where it is kept, what is said, and Ctrl-C."""

import ast
import gc
import importlib
import os
import pickle
import shutil
import tempfile
from pathlib import Path

import children
import numba
import pytest
from sources import MODULES, PACKAGE, nodes

from sparsebc import jit, kernel_cache

# What others than kernels take from there.
FOR_ALL = {"BRIEF", "in_parts", "interruptible", "stopped"}
BFS = """
import numpy as np, scipy.sparse, sparsebc
print(sparsebc.bfs(scipy.sparse.csr_array(np.eye(3, k=1)), [0, 1], device="cpu").tolist())
"""
LEVELS = "[[0, 1, 2], [-1, 0, 1]]"
# One kernel, which is compiled in a fraction of a second.
READ = """
import numpy as np, sparsebc
from sparsebc.matrix import csr
indptr, indices, stop = np.arange(3), np.array([1, 0], np.int32), np.zeros(1, np.uint8)
print(csr.is_canonical(0, 2, indptr, indices, stop))
"""


@pytest.fixture
def copy(monkeypatch):
    """A copy of the package that everyone may read, of which nothing was compiled yet."""
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder).resolve() / "site"
        shutil.copytree(PACKAGE, site / "sparsebc", ignore=shutil.ignore_patterns("__pycache__"))
        Path(folder).chmod(0o755)
        yield site


def python(site, code, **environment):
    """Output and error output of a new process that imports the package from there."""
    env = {"PYTHONPATH": str(site), "PYTHONDONTWRITEBYTECODE": "1"} | environment
    code += f"assert sparsebc.__file__.startswith({str(site)!r})"
    out, err = children.python("-c", code, cwd=site, **env)
    return out.strip(), err


@pytest.mark.slow
def test_an_edit_of_what_a_kernel_calls_is_seen(copy):
    """Here of a file that the entry point imports from; and a type that is gone is no error."""
    cpu = copy / "sparsebc" / "engines" / "cpu"
    assert python(copy, BFS)[0] == LEVELS
    for file in (cpu / "msbfs").glob("*.py"):
        file.write_text(file.read_text().replace("Masks", "Bits"))
    assert python(copy, BFS)[0] == LEVELS
    with open(cpu / "common" / "simd.py", "a") as file:
        file.write(
            "\n\n@intrinsic\ndef lowest(typingctx, word):\n    return types.int64(types.uint64), "
            "lambda *_: ir.Constant(ir.IntType(64), 0)\n"
        )
    # Every column is the first, now.
    assert python(copy, BFS)[0] == "[[0, 1, 2], [-1, -1, -1]]"


def without_room(copy):
    """Take from the copy the place that Numba would take."""
    for folder in [copy / "sparsebc", *(copy / "sparsebc").rglob("*/")]:
        (folder / "__pycache__").write_text("no folder")


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="no permissions")
def test_kernels_without_a_place_for_a_cache_are_compiled_in_memory(copy):
    """With one warning that says how to mend it."""
    without_room(copy)
    out, err = python(copy, READ, HOME="/dev/null")
    assert out == "True"
    assert err.count("NUMBA_CACHE_DIR") == 1
    assert "every process compiles its own" in err
    assert err.count("compiling the kernels of this kind of call, for this process alone") == 1


class Runs:
    """What a stranger would plant: to read it is to run it."""

    def __init__(self, marker):
        self.marker = marker

    def __reduce__(self):
        return self.marker.touch, ()


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="no permissions")
def test_a_cache_is_private_and_one_of_others_is_not_read(copy, tmp_path):
    """It is kept to, as the warning asks; what others can write to is not read, with a warning."""
    without_room(copy)
    place, marker = tmp_path / "cache", tmp_path / "ran"
    folder = {"HOME": "/dev/null", "NUMBA_CACHE_DIR": str(place)}
    before = os.umask(0)
    try:
        out, err = python(copy, READ, **folder)
    finally:
        os.umask(before)
    assert out == "True"
    assert "NUMBA_CACHE_DIR" not in err
    assert err.count("compiling the kernels of this kind of call, once on this machine") == 1
    inside = [each for each in place.iterdir() if each.is_dir()]
    assert inside
    assert all(each.stat().st_mode & 0o777 == 0o700 for each in inside)
    assert python(copy, READ, **folder) == ("True", "")
    planted = pickle.dumps(numba.__version__) + pickle.dumps(Runs(marker))
    for file in place.rglob("*.nb[ic]"):
        file.write_bytes(planted)
    ways = [lambda each: each.chmod(0o777)]
    if os.geteuid() == 0:
        ways.append(lambda each: (each.chmod(0o700), os.chown(each, 65534, 65534)))
    for give_away in ways:
        for each in inside:
            give_away(each)
        out, err = python(copy, READ, **folder)
        assert out == "True"
        assert not marker.exists()
        assert err.count("others may have put code into") == 1
        assert err.count("compiling the kernels of this kind of call, for this process alone") == 1


@pytest.mark.long
def test_what_is_compiled_is_announced(copy):
    """One line before the first of several kernels is compiled, and none where all are on disk."""
    code = """
import sys, numpy as np, scipy.sparse, sparsebc.jit
from numba.core import event
class Heard(event.Listener):
    def on_start(self, happened):
        print("now", file=sys.stderr)
    def on_end(self, happened):
        pass
event.register("numba:compile", Heard())
A = scipy.sparse.csr_array(np.triu(np.arange(9).reshape(3, 3) + 1.0, k=1))
print(sparsebc.connected_components(A, connection="strong", device="cpu")[0])
"""
    out, err = python(copy, code)
    assert out == "3"
    heard = err.splitlines()
    assert (
        heard[0] == "compiling the kernels of this kind of call, once on this machine: some seconds"
    )
    assert len(heard) > 2
    assert set(heard[1:]) == {"now"}
    assert python(copy, code) == (out, "")


def modules():
    """Every module of the package: its path in it, and all nodes of its syntax tree."""
    return ((path.relative_to(PACKAGE), nodes(path)) for path in MODULES)


def is_source(path):
    """Whether a file counts in the stamp."""
    return any(
        str(path) == source or Path(source) in path.parents for source in kernel_cache.SOURCES
    )


def imports(path, inside):
    """(module within the package, name) of all that a module imports from it."""
    for node in inside:
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.parent.parts[: len(path.parent.parts) + 1 - node.level]
            module = ".".join((*folder, *(node.module.split(".") if node.module else ())))
            yield from ((module, alias.name) for alias in node.names)


def test_all_kernels_count_in_the_stamp():
    """Numba is imported by files of the stamp alone, or to print its version."""
    for path, inside in modules():
        names = {
            alias.name
            for node in inside
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
            if "numba" in (getattr(node, "module", None) or alias.name)
        }
        decorators = {name for module, name in imports(path, inside) if module == "jit"}
        is_door = path == Path("kernel_cache.py")  # no code of kernels
        if decorators - FOR_ALL or (names - {"numba"} and not is_door):
            assert is_source(path), path


def test_what_kernels_use_counts_in_the_stamp():
    """A kernel takes functions and constants from files of the stamp alone, and elsewhere types."""
    seen = 0
    for path, inside in modules():
        if not is_source(path) or path == Path("jit.py"):
            continue
        used = {
            name.id
            for function in inside
            if isinstance(function, ast.FunctionDef) and function.decorator_list
            for name in ast.walk(function)
            if isinstance(name, ast.Name)
        }
        for module, name in imports(path, inside):
            home = Path(*module.split(".")).with_suffix(".py")
            if name in used and (PACKAGE / home).exists() and not is_source(home):
                there = importlib.import_module(f"sparsebc.{module}")
                assert isinstance(getattr(there, name), type), (path, name)
            seen += name in used
    assert seen > 20


def test_work_on_another_thread_gives_what_it_gives_on_this_one():
    """An error too."""
    double = lambda x, stop: 2 * x + int(stop[0])  # noqa: E731
    for work in (0, jit.BRIEF + 1):
        assert jit.interruptible(work, double, 4) == 8
        with pytest.raises(ZeroDivisionError):
            jit.interruptible(work, lambda stop: 1 / 0)


def test_garbage_is_collected_after_ctrl_c(monkeypatch):
    """Wherever it comes while a kernel is being compiled or loaded, the start of that included."""

    def stopped():
        assert not gc.isenabled()
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt), kernel_cache.compilation.timed():
        stopped()
    assert gc.isenabled()
    disable = gc.disable
    monkeypatch.setattr(kernel_cache.gc, "disable", lambda: (disable(), stopped()))
    with pytest.raises(KeyboardInterrupt), kernel_cache.compilation.timed():
        pass
    assert gc.isenabled()
    assert not kernel_cache.compilation.depth
