"""Executors: any of them computes the bits of threads, and leaves nothing behind."""

import contextlib
import errno
import functools
import inspect
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np
import pytest
import scipy.sparse as sp
from calls import CALLS, EVERY, LARGE, SEARCHES, SOME, TWICE, A, assert_same, on_threads
from pools import blind, loky, processes

import sparsebc
from sparsebc import betweenness, bfs, shortest_paths
from sparsebc.engines import devices
from sparsebc.errors import InputError
from sparsebc.sweep import executor
from sparsebc.sweep import executor_worker as pool

# Makers of executors, and the threads of a task. Each process loads the kernels of all calls: of
# those that are spawned one is enough, where two of loky, Dask and the command do the same.
POOLS = {
    "threads": (lambda: ThreadPoolExecutor(3), 2),
    "spawn": (functools.partial(processes, 1), None),
    "loky": (loky, 2),
}


OTHER = {"spawn": pytest.mark.long, "loky": pytest.mark.long}  # processes


@pytest.fixture(scope="module")
def pool_of():
    """The pool of a name, which all tests share, in whatever order they run."""
    with contextlib.ExitStack() as stack:
        yield functools.cache(lambda name: stack.enter_context(POOLS[name][0]()))


@pytest.fixture(params=[pytest.param(p, marks=OTHER.get(p, ())) for p in POOLS])
def run(request, pool_of):
    """Options that have an executor compute."""
    return {"executor": pool_of(request.param), "workers": POOLS[request.param][1]}


@pytest.mark.parametrize(
    ("run", "name"),
    [
        pytest.param(pool, name, marks=OTHER.get(pool, ()))
        for pool in POOLS
        for name in (SOME if pool == "loky" else EVERY)
    ],
    indirect=["run"],
)
def test_an_executor_has_the_bits_of_threads(run, name):
    """Of every call, of graphs with and without lengths, and of counts beyond floats."""
    assert_same(EVERY[name](**run), on_threads(name))


@pytest.mark.parametrize("find", [functools.partial(bfs, sources=TWICE), betweenness])
def test_progress_rises_to_the_total(run, find):
    """In the calling process."""
    calls = []
    find(LARGE, device="cpu", progress=lambda *call: calls.append(call), **run)
    done, totals = zip(*calls, strict=True)
    assert list(done) == sorted(set(done))
    assert len(calls) > 3
    assert {done[-1]} == set(totals)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_whoever_leaves_early_leaves_the_executor(run, error, tmp_path, monkeypatch):
    """What progress raises comes out; the executor is none the worse, and nothing is left."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # other runs have theirs elsewhere

    def stop(done, total):
        raise error("enough")

    with pytest.raises(error, match="enough"):
        betweenness(LARGE, device="cpu", progress=stop, **run)
    assert run["executor"].submit(abs, -3).result() == 3
    want = betweenness(LARGE, device="cpu")
    np.testing.assert_array_equal(betweenness(LARGE, device="cpu", **run), want)
    assert not list(tmp_path.glob("sparsebc-*"))
    assert not pool._idle


def test_errors_of_tasks_are_those_of_threads(run):
    """In type and message; the worker's traceback comes along."""
    tails, heads = np.arange(400), (np.arange(400) + 1) % 400
    along = np.where(tails == 200, 1, 2**46)  # of which 128 add up to 2**53
    long = sp.csr_array((along, (tails, heads)), shape=(400, 400))
    options = {"weighted": True, "device": "cpu"}
    with pytest.raises(OverflowError, match=r"distance exceeds 2\*\*53") as want:
        betweenness(long, **options)
    with pytest.raises(OverflowError, match=r"distance exceeds 2\*\*53") as got:
        betweenness(long, **run, **options)
    assert str(got.value) == str(want.value)
    for find in (betweenness, functools.partial(shortest_paths, sources=[0])):
        with pytest.raises(MemoryError, match="memory_budget is 1000: raise memory_") as caught:
            find(LARGE, memory_budget=1000, device="cpu", **run)
        told = "".join(traceback.format_exception(caught.value))
        assert "in team_of" in told
        assert "workers.py" in told


@pytest.mark.long
@pytest.mark.parametrize("name", ["levels", "paths by length"])
def test_a_process_that_sees_no_file_says_so(name):
    """Of a graph and of a matrix of lengths; the executor is none the worse."""
    with processes(1, initializer=blind) as one:
        with pytest.raises(InputError, match=r"does not see .* TMPDIR") as caught:
            SEARCHES[name][1](executor=one)
        assert one.submit(abs, -3).result() == 3
    assert caught.value.option == "executor"


def test_a_worker_with_another_gpu_is_refused(monkeypatch):
    """Its digits would differ: refused, with both models."""

    def model(name):
        asks = threading.current_thread() is threading.main_thread()
        return "NVIDIA A" if asks else "NVIDIA B"

    monkeypatch.setattr(devices, "model", model)
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(RuntimeError, match="has NVIDIA B and the calling process NVIDIA A"):
            betweenness(LARGE, device="cpu", executor=pool)


def test_no_call_is_left_out():
    """A public function with run options is in the table, or says why it takes no executor."""
    public = [
        getattr(place, name)
        for place in (sparsebc, sparsebc.communities)
        for name in place.__all__
        if inspect.isfunction(getattr(place, name))
    ]
    takes = {each.__name__ for each in public if "run" in inspect.signature(each).parameters}
    assert takes == {name for name, _ in CALLS} | {"explain"}
    with pytest.raises(TypeError, match="made 4"):
        betweenness(A, executor=lambda: 4)


KILLED = """
import os, signal, sys
import numpy as np, scipy.sparse as sp
from sparsebc.sweep.executor import RunDirectory
directory = RunDirectory(sp.csr_array(np.eye(3)))
print(os.path.dirname(directory.graph_file), flush=True)
if sys.argv[1:]:
    sys.stdin.read()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_directories_of_killed_processes_are_removed_by_the_next_run(tmp_path, monkeypatch):
    """The next run removes those of a process that was killed, and of no other."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    command = [sys.executable, "-c", KILLED]
    ways = {"env": {**os.environ, "TMPDIR": str(tmp_path)}, "text": True}
    dead = subprocess.run(command, stdout=subprocess.PIPE, check=False, **ways).stdout.strip()
    assert os.listdir(dead)
    (tmp_path / "sparsebc-mine").mkdir()  # no directory of a run
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([*command, "wait"], **pipes, **ways) as living:
        alive = living.stdout.readline().strip()
        assert not os.path.exists(dead)
        directory = executor.RunDirectory(sp.csr_array(np.eye(3)))
        mine = os.path.dirname(directory.graph_file)
        assert os.path.exists(alive)
        living.stdin.close()
    other = executor.RunDirectory(sp.csr_array(np.eye(4)))
    assert os.path.exists(other.graph_file)
    assert not os.path.exists(alive)
    assert os.path.exists(mine)
    assert (tmp_path / "sparsebc-mine").exists()
    assert os.stat(mine).st_mode & 0o777 == 0o700
    directory.remove()
    other.remove()


RING = sp.csr_array(sp.eye_array(600, k=1) + sp.eye_array(600, k=-1) + sp.eye_array(600, k=7))


def vanish(directory):
    for place in directory.glob("sparsebc-*"):
        shutil.rmtree(place)


def vanish_in_part(directory):
    for file in directory.glob("sparsebc-*/graph"):
        file.unlink()


@pytest.mark.parametrize("vanishes", [vanish, vanish_in_part])
@pytest.mark.parametrize("when", ["first", "last", "before"])
def test_a_call_whose_directory_vanishes_ends(tmp_path, monkeypatch, when, vanishes):
    """As cleaners of temporary files have it: the call ends, unless all tasks are done."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def clean(done, total):
        if when == "first" or done == total:
            vanishes(tmp_path)

    def before(path):
        vanishes(tmp_path)
        return executor.read(path)

    if when == "before":
        monkeypatch.setattr(pool, "cached_read", functools.lru_cache(before))
    refused = pytest.raises(InputError, match=r"does not see .*sparsebc-")
    with ThreadPoolExecutor(2) as threads, nullcontext() if when == "last" else refused:
        progress = clean if when != "before" else False
        got = betweenness(RING, device="cpu", executor=threads, progress=progress)
        np.testing.assert_array_equal(got, betweenness(RING, device="cpu"))


@pytest.mark.parametrize("what", ["directory", "graph", "job"])
def test_a_full_disk_is_told_and_nothing_stays(tmp_path, monkeypatch, what):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def full_for_some(path, content):
        path.write_bytes(b"a beginning")
        return full() if what in path.name else write(path, content)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    write = executor.write
    with ThreadPoolExecutor(2) as threads, monkeypatch.context() as disk:
        disk.setattr(executor, "write", full_for_some)
        if what == "directory":
            disk.setattr(executor.Path, "mkdir", full)
        with pytest.raises(OSError, match="No space left on device") as caught:
            betweenness(RING, device="cpu", executor=threads)
    assert f"files in {tmp_path}: set TMPDIR" in caught.value.__notes__[0]
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives a file away")
def test_a_job_of_another_user_is_not_read(tmp_path):
    """It is a pickle, and is not read."""
    job = tmp_path / "a.job"
    job.write_bytes(b"cos\nabort\n(tR.")
    os.chown(job, 65534, 65534)
    with pytest.raises(InputError, match=r"not as a file of its own user"):
        pool.perform(str(job), str(tmp_path / "graph"), (1,))
