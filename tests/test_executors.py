"""Executors: any of them computes the bits of threads, and a lost worker is made good."""

import functools
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import threading
import time
import traceback
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp
from calls import CALLS, assert_same, sparse_graph
from late import Counted
from test_executors_calls import NAMES

from sparsebc import (
    approximate_betweenness,
    betweenness,
    bfs,
    centralities,
    shortest_paths,
)
from sparsebc.engines import devices
from sparsebc.graph import graph
from sparsebc.graph.graph import Graph
from sparsebc.graph.ops import GraphOps
from sparsebc.run import payload, tasks, window
from sparsebc.run.executors import CallExecutor
from sparsebc.run.memory import Need
from sparsebc.run.options import Run

A = sparse_graph(2500)
posix = pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL between processes")


def processes(workers=2):
    return ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn"))


def loky(workers=2):
    return pytest.importorskip("loky").ProcessPoolExecutor(workers)


@pytest.fixture(scope="module", params=[lambda: ThreadPoolExecutor(3), processes, loky],
                ids=["threads", "spawn", "loky"])  # fmt: skip
def executor(request):
    with request.param() as made:
        yield made


def lengths_of(pattern, whole):
    """Lengths that make ties, the same in both directions."""
    coo = sp.coo_array(pattern)
    low, high = np.minimum(coo.row, coo.col), np.maximum(coo.row, coo.col)
    return sp.csr_array(((1 + (low * 7 + high) % 3) * (1 if whole else 0.1), (coo.row, coo.col)))


def beyond_floats():
    """A ladder of squares: 2^1100 paths from end to end."""
    K = 1100
    joints = np.arange(K)
    tails = np.concatenate([joints, joints, K + 1 + joints, 2 * K + 1 + joints])
    heads = np.concatenate([K + 1 + joints, 2 * K + 1 + joints, joints + 1, joints + 1])
    n = 3 * K + 1
    return sp.csr_array((np.ones(tails.size), (tails, heads)), shape=(n, n))


PATHS = ("betweenness", "edge_betweenness", "stress")
DISTANCES = ("closeness", "harmonic", "eccentricity")
CASES = {
    "undirected": (A, (*PATHS, *DISTANCES), {"directed": False}),
    "directed": (sp.triu(A, k=1) + sp.tril(A, k=-40), (*PATHS, *DISTANCES), {"endpoints": True}),
    "by length": (lengths_of(A, True), (*PATHS, *DISTANCES), {"directed": False, "weighted": True}),
    "by floats": (lengths_of(A, False), PATHS, {"weighted": True}),
    "float32": (A, ("betweenness",), {"dtype": np.float32}),
    "sample": (A, ("betweenness", "harmonic"), {"k": 100, "rng": 7}),
    "beyond floats": (beyond_floats(), ("betweenness", "edge_betweenness"), {"sources": range(70)}),
}


def assert_same_bits(got, want):
    assert got.keys() == want.keys()
    for name in want:
        pairs = (got[name], want[name])
        mine, theirs = (getattr(one, "data", one) if sp.issparse(one) else one for one in pairs)
        np.testing.assert_array_equal(mine, theirs, err_msg=name)


@pytest.mark.parametrize("case", CASES)
def test_bits_of_threads(executor, case):
    """Nodes, edges, lengths, and counts beyond floats."""
    matrix, names, options = CASES[case]
    want = centralities(matrix, names, device="cpu", **options)
    for workers in (None, 2):
        ways = {"executor": executor, "workers": workers, **options}
        assert_same_bits(centralities(matrix, names, device="cpu", **ways), want)


def test_the_reference_too(executor):
    """The literal algebra on a graph as it was given."""
    options = {"device": "reference", "sources": range(0, 2500, 40), "targets": range(50)}
    want = betweenness(A, **options)
    np.testing.assert_array_equal(betweenness(A, executor=executor, **options), want)


def test_estimates(executor):
    """Round after round, from one directory of one graph."""
    options = {"epsilon": 0.05, "rng": 3, "directed": False, "device": "cpu"}
    want = approximate_betweenness(A, **options)
    got = approximate_betweenness(A, executor=executor, **options)
    np.testing.assert_array_equal(got.scores, want.scores)
    np.testing.assert_array_equal(got.half_widths, want.half_widths)


@pytest.mark.parametrize(("_", "call"), CALLS, ids=NAMES)
def test_every_call(executor, _, call):
    """On a small graph."""
    assert_same(call(executor=executor), call())


SEARCHES = {
    "levels": (bfs, A, {}),
    "undirected": (bfs, CASES["directed"][0], {"directed": False}),
    "paths": (shortest_paths, CASES["directed"][0], {}),
    "by length": (shortest_paths, CASES["by floats"][0], {"weighted": True}),
    "without an edge": (bfs, sp.csr_array((9, 9)), {}),
    "without a length": (shortest_paths, sp.csr_array((9, 9)), {"weighted": True}),
}


def assert_same_rows(search, executor, **options):
    """Those of a search from some nodes, one of them twice, whoever computes them."""
    find, matrix, asked = SEARCHES[search]
    sources = np.append(np.arange(0, matrix.shape[0], 11), 0)
    calls = []
    want = find(matrix, sources, device="cpu", **asked)
    options = {"progress": lambda *call: calls.append(call), **options}
    got = find(matrix, sources, device="cpu", executor=executor, **asked, **options)
    np.testing.assert_array_equal(got, want)
    done, totals = zip(*calls, strict=True)
    assert list(done) == sorted(set(done))
    assert done[-1] == sources.size
    assert set(totals) == {sources.size}


@pytest.mark.parametrize("search", SEARCHES)
@pytest.mark.parametrize("workers", [None, 2])
def test_rows_of_searches(executor, search, workers):
    """Levels, distances, predecessors, each row in its place."""
    assert_same_rows(search, executor, workers=workers)


def test_progress(executor):
    """It rises to the total, in the calling process."""
    calls = []
    betweenness(A, device="cpu", executor=executor, progress=lambda *call: calls.append(call))
    done, totals = zip(*calls, strict=True)
    assert list(done) == sorted(done)
    assert len(calls) > 10
    assert {done[-1]} == set(totals)


@pytest.mark.parametrize("error", [KeyboardInterrupt, ZeroDivisionError])
def test_whoever_leaves_early_leaves_the_executor(executor, error, tmp_path, monkeypatch):
    """What progress raises comes out; the executor is none the worse, and nothing is left."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))  # other runs have theirs elsewhere

    def stop(done, total):
        raise error("enough")

    with pytest.raises(error, match="enough"):
        betweenness(A, device="cpu", executor=executor, progress=stop)
    assert executor.submit(abs, -3).result() == 3
    want = betweenness(A, device="cpu")
    np.testing.assert_array_equal(betweenness(A, device="cpu", executor=executor), want)
    assert not list(tmp_path.glob("sparsebc-*"))
    assert not tasks._idle


def test_errors_of_tasks(executor):
    """Type and message are those of threads; the worker's traceback comes along."""
    tails, heads = np.arange(400), (np.arange(400) + 1) % 400
    along = np.where(tails == 200, 1e-14, 1.0)  # lost beside all that come before
    short = sp.csr_array((along, (tails, heads)), shape=(400, 400))
    options = {"weighted": True, "device": "cpu"}
    with pytest.raises(ValueError, match="is lost beside the distances") as want:
        betweenness(short, **options)
    with pytest.raises(ValueError, match="is lost beside the distances") as got:
        betweenness(short, executor=executor, **options)
    assert str(got.value) == str(want.value)
    with pytest.raises(MemoryError, match="memory_budget is 1000: raise memory_budget") as caught:
        betweenness(A, memory_budget=1000, executor=executor, device="cpu")
    told = "".join(traceback.format_exception(caught.value))
    assert "in plan" in told
    assert "tasks.py" in told


def counting():
    """Count the graphs that this process unpickles, from files or from a task."""
    tasks.unpickled = 0
    graph.Graph.__setstate__ = counted


def counted(self, state):
    """Be the graph of a pickle."""
    tasks.unpickled += 1
    self.__dict__.update(state)


def unpickled():
    """How many graphs came to this process, and how many pools of threads wait in it."""
    return tasks.unpickled, len(tasks._idle)


def test_the_graph_is_mapped_once_a_process():
    """However many tasks a process runs, and whatever they sum, it reads a graph once."""
    calls = []
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=counting) as one:
        options = {"executor": one, "device": "cpu", "progress": lambda *call: calls.append(call)}
        approximate_betweenness(A, epsilon=0.02, rng=1, **options)
        graphs, jobs = one.submit(unpickled).result()
    assert len(calls) > 5
    assert (graphs, jobs) == (1, 1)


def test_threads_of_a_process_map_a_graph_once(monkeypatch):
    """They read one after the other, and the others take what the first has read."""
    read, files = payload.read, []

    def reads(file):
        files.append(file)
        time.sleep(0.05)  # for the others to come in, if they may
        return read(file)

    monkeypatch.setattr(tasks, "_read", functools.lru_cache(reads))
    with ThreadPoolExecutor(3) as threads:
        betweenness(A, device="cpu", executor=threads)
    assert len(files) == len(set(files)) == 2  # graph and job


def blind():
    """Let this process see no file of a run, and count the graphs that come to it."""
    tasks.sees = lambda path: False
    counting()


def brought():
    """How many graphs came to this process."""
    return tasks.unpickled


def sighted():
    """Undo that."""
    tasks.sees = os.path.exists
    del graph.Graph.__setstate__


def test_processes_without_the_files():
    """As ranks of other hosts: each gets the graph once, along with a task."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context, initializer=blind) as pool:
        options = {"epsilon": 0.02, "rng": 1, "device": "cpu"}
        got = approximate_betweenness(A, executor=pool, **options)
        graphs = pool.submit(brought).result()
    np.testing.assert_array_equal(got.scores, approximate_betweenness(A, **options).scores)
    assert 1 <= graphs <= 2  # two tasks are out at first


@pytest.mark.parametrize(
    ("memory", "out", "window"),
    [(1 << 40, 2 * window.OUT, 2 * window.WINDOW), (2, 2, 2), (1, 1, 1)],
    ids=["workers", "memory", "one"],
)
def test_the_window_is_bounded(monkeypatch, late, memory, out, window):
    """While the first task is late, no more than the window are handed in, and few are out."""
    monkeypatch.setattr("sparsebc.run.window._results_in_memory", lambda size, run: memory)
    want = betweenness(A, device="cpu")  # compiles, for which nobody is to wait below
    np.testing.assert_array_equal(betweenness(A, device="cpu", executor=late, retries=0), want)
    assert late.most <= out
    assert late.before_the_first == window < late.submitted


class Factory:
    """Makes pools of processes; `kill` kills those of so many pools, each once."""

    def __init__(self, make=processes):
        self.make, self.made = make, []

    def __call__(self):
        self.made.append(self.make())
        return self.made[-1]

    def kill(self, times=1):
        killed = []

        def progress(done, total):
            pool = self.made[-1]
            if len(killed) < times and pool not in killed:
                killed.append(pool)
                for process in list(pool._processes):
                    os.kill(process, signal.SIGKILL)

        return progress


@pytest.mark.slow
@posix
@pytest.mark.usefixtures("nothing_ahead")
@pytest.mark.parametrize("make", [processes, loky])
def test_a_killed_worker(make):
    """The factory makes the pool again, and the bits are the same; then it is shut down."""
    factory = Factory(make)
    want = betweenness(A, device="cpu")
    got = betweenness(A, device="cpu", executor=factory, progress=factory.kill())
    np.testing.assert_array_equal(got, want)
    assert len(factory.made) == 2
    with pytest.raises(RuntimeError, match="shutdown"):
        factory.made[-1].submit(abs, 1)


@posix
@pytest.mark.usefixtures("nothing_ahead")
def test_a_pool_that_broke_and_was_given():
    """It cannot be made again; the error names the way out."""
    factory = Factory()
    with factory() as pool:
        with pytest.raises(BrokenExecutor) as caught:
            betweenness(A, device="cpu", executor=pool, progress=factory.kill())
        assert "give a function that makes it" in caught.value.__notes__[0]
        with pytest.raises(BrokenExecutor):
            betweenness(A, device="cpu", executor=pool)


LONG_RUN = """
    import functools, multiprocessing, signal
    from concurrent.futures import ProcessPoolExecutor
    import scipy.sparse as sp
    import sparsebc

    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore it
    n, hops = 300_000, (1, 17, 289, 4913, 83521)
    A = sp.csr_array(sum(sp.eye_array(n, k=k) + sp.eye_array(n, k=-k) for k in hops))
    context = multiprocessing.get_context("spawn")
    make = functools.partial(ProcessPoolExecutor, 2, mp_context=context)
    sparsebc.betweenness(A, sources=range(64), device="cpu", executor=make)  # compiles
    print("begun", flush=True)
    try:
        sparsebc.betweenness(A, device="cpu", executor=make)
    except KeyboardInterrupt:
        print("heard", flush=True)
"""


@pytest.mark.slow
@posix
def test_control_c(tmp_path):
    """Ctrl-C is heard at once, and the workers leave their blocks soon after."""
    command = [sys.executable, "-c", textwrap.dedent(LONG_RUN)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout.readline() == "begun\n", process.stderr.read()
            while not list(tmp_path.glob("sparsebc-*/*.job")):
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.1)
            time.sleep(2)  # the workers are at it
            begun = time.monotonic()
            process.send_signal(signal.SIGINT)
            assert process.stdout.readline() == "heard\n"
            assert time.monotonic() - begun < 2
            process.wait(timeout=10)
        finally:
            process.kill()
    assert not list(tmp_path.glob("sparsebc-*"))


def test_a_worker_with_another_gpu(monkeypatch):
    """Its digits would differ: refused, with both models."""
    monkeypatch.setattr(devices, "model", lambda name: "NVIDIA A" if asks() else "NVIDIA B")
    with ThreadPoolExecutor(1) as pool:
        with pytest.raises(RuntimeError, match="has NVIDIA B and the calling process NVIDIA A"):
            betweenness(A, device="cpu", executor=pool)


def asks():
    return threading.current_thread() is threading.main_thread()


def test_two_jobs_in_a_process_without_the_files(monkeypatch):
    """The payload of one takes the place of the other's, which goes on with its own."""
    monkeypatch.setattr(tasks, "sees", lambda path: False)
    monkeypatch.setattr("sparsebc.threads.POLL_SECONDS", 0.01)
    pattern = GraphOps().canonical("coo", np.array([0, 1]), np.array([1, 0]), 2)
    graph = Graph(2, pattern, pattern, GraphOps())
    need = Need("none", "a block", 0, 1)

    def of(name, work):
        files = f"/{name}/job", f"/{name}/graph"
        job = tasks.Job("cpu", "cpu", need, Run(workers=1), lambda *_: name, work)
        return tasks.Task(*files, (3,)), files, job, graph

    other = of("other", lambda state, block: (state, block))

    def among(state, block):
        results = tasks.perform(*other)
        time.sleep(0.2)  # it is asked meanwhile whether anybody waits
        return state, results

    one = of("one", among)
    assert tasks.perform(*one) == [("one", [("other", 3)])]
    assert tasks.perform(one[0]) == tasks.Missing(one[1])
    for name in list(tasks._idle):
        tasks.forget(name)
    tasks._sent.clear()


@pytest.mark.parametrize("weighted", [False, True])
def test_cutoffs_go_along(executor, weighted):
    """To the workers, with the graph."""
    few = A[:300, :300]
    ways = {"weighted": weighted, "cutoff": [2, 3.5], "directed": False, "device": "cpu"}
    names = ["betweenness", "closeness"]
    want = centralities(few, names, **ways)
    for name, scores in centralities(few, names, executor=executor, **ways).items():
        np.testing.assert_array_equal(scores, want[name])


def test_graphs_without_an_edge(executor):
    """Nothing to hand out."""
    empty = sp.csr_array((5, 5))
    got = betweenness(empty, device="cpu", executor=executor)
    np.testing.assert_array_equal(got, np.zeros(5))


def test_workers_that_an_executor_tells_of():
    """By the names that executors have for them."""

    class Ranks(Counted):
        num_workers = 7

    assert CallExecutor(Counted()).workers == 2
    assert CallExecutor(Ranks()).workers == 7
    made = CallExecutor(functools.partial(ThreadPoolExecutor, 5))
    assert made.workers == 5
    made.shut_down()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL between processes")
def test_a_task_for_a_pool_that_was_broken(monkeypatch):
    """It fails as those in it do, before the pool knows; a pool of a factory is made again."""

    def closed(*task):
        raise OSError("handle is closed")  # where it starts a process meanwhile

    context = multiprocessing.get_context("spawn")
    executor = CallExecutor(functools.partial(ProcessPoolExecutor, 2, mp_context=context))
    assert executor.submit(len, "ab").result() == 2
    executor.break_if_a_process_died()  # all are well: nothing happens
    assert executor.submit(len, "abc").result() == 3
    pool = executor._ready()
    process = next(iter(pool._processes.values()))
    with pool._shutdown_lock:  # the pool is not told meanwhile
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        executor.break_if_a_process_died()
    monkeypatch.setattr(pool, "submit", closed)
    assert isinstance(executor.submit(len, "abcd").exception(timeout=60), BrokenExecutor)
    executor.shut_down()
    assert executor.submit(len, "abcd").result() == 4
    executor.shut_down()
