"""Kernels compiled ahead: by the command for it, and by a second process of the first scores."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from sparsebc.cli.ahead import _Ahead


@pytest.mark.slow
def test_nothing_is_left_to_compile(tmp_path):
    """A process that scores a network afterwards announces nothing."""

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "sparsebc", *arguments],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
        )

    compiled = run("compile")
    assert (compiled.returncode, compiled.stderr.count("compiling kernels")) == (0, 1)
    assert f": {tmp_path}" in compiled.stdout
    for network in ("karate", "human-protein-hein2015"):
        scored = run("betweenness", network, "--top", "1", "--device", "cpu", "--quiet")
        assert (scored.returncode, scored.stderr) == (0, "")


# A command, and the kernels that this process has compiled.
FIRST = """
import sys
from numba.core import event
from sparsebc.cli.main import main
from sparsebc.run import cpus
compiled = []
class Heard(event.Listener):
    def on_start(self, happened):
        kernel = happened.data["dispatcher"]
        compiled.append(f"{kernel.__module__}.{kernel.__name__}")
    def on_end(self, happened):
        pass
event.register("numba:compile", Heard())
cpus.usable_cpus = lambda: int(sys.argv[1])
main(["betweenness", "karate", "--device", "cpu", "--json"])
print(*compiled, sep="\\n", file=sys.stderr)
"""


@pytest.mark.slow
def test_two_processes_compile_the_first_scores(tmp_path):
    """The same ones as one process does, which compiles the sweep as well."""
    ranked, compiled = [], []
    for count in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", FIRST, count],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / count)},
            capture_output=True,
            text=True,
            check=True,
        )
        ranked.append(done.stdout.partition('"ranking"')[2].partition('"provenance"')[0])
        notice, *names = done.stderr.splitlines()
        assert notice.startswith("compiling kernels for this machine, once")
        compiled.append(set(names))
    sweep = "sparsebc.engines.cpu.brandes.brandes_batch.run"
    assert sweep in compiled[0]
    assert sweep not in compiled[1]
    assert "sparsebc.graph.csr_kernels.is_canonical" in compiled[1]
    assert ranked[0] == ranked[1] != ""


def sweep():
    """What `_Ahead` asks of a kernel that nobody has compiled."""


def kernel(path="folder", signatures=()):
    """A kernel whose machine code goes to a folder, and the process that compiles it."""
    stats = SimpleNamespace(cache_path=path)
    made = SimpleNamespace(py_func=sweep, signatures=signatures, stats=stats)
    return made, _Ahead(made, "float64")


@pytest.fixture
def started(monkeypatch):
    """The processes, which sleep."""
    processes, popen = [], subprocess.Popen

    def start(command, **options):
        assert command[1:3] == ["-P", "-m"]  # nothing is imported from the current folder
        sleeping = [sys.executable, "-c", "import time; time.sleep(600)"]
        processes.append(popen(sleeping, **options))
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", start)
    return processes


def test_a_process_ends_with_the_command(started):
    """One is started, as the first kernel is compiled, and waited for by nobody but its own."""
    _, ahead = kernel()
    ahead.end()
    assert not started
    for _ in range(2):
        ahead.begin("another kernel")
    (process,) = started
    ahead.wait(len)
    assert process.poll() is None
    ahead.end()
    assert process.poll() is not None
    ahead.wait(sweep)


@pytest.mark.parametrize("why", ["no folder", "loaded", "compiled here", "no interpreter"])
def test_no_process_is_started(started, why, monkeypatch):
    """Where it could not hand anything over, or would be too late."""
    made, ahead = kernel(
        path=None if why == "no folder" else "folder", signatures=("one",) * (why == "loaded")
    )
    if why == "no interpreter":
        monkeypatch.setattr(sys, "executable", None)
    ahead.begin(made if why == "compiled here" else "another kernel")
    ahead.begin("another kernel")
    ahead.wait(sweep)
    ahead.end()
    assert not started


def test_no_process_can_be_started(monkeypatch):
    """Then this one compiles all kernels."""

    def refuse(*_, **__):
        raise BlockingIOError("no more processes")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    _, ahead = kernel()
    ahead.begin("another kernel")
    ahead.wait(sweep)
    ahead.end()
