"""Each call that takes an executor: it is the executor that computes, and losses are made good."""

import _thread
import functools
import inspect
import multiprocessing
import sys
import threading
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor

import dies
import networkx as nx
import numpy as np
import pytest
from calls import CALLS, A, assert_same

import sparsebc
from sparsebc.run import window

# Those that take run options, but no executor; each of them says why.
WITHOUT = {"explain"}
NAMES = [f"{place}-{name}" for place, (name, _) in enumerate(CALLS)]


class Fragile:
    """Makes pools of threads, of which the first breaks at its first task."""

    def __init__(self):
        self.made = []

    def __call__(self):
        self.made.append(ThreadPoolExecutor(2) if self.made else Breaking(2))
        return self.made[-1]


class Breaking(ThreadPoolExecutor):
    """Threads that die at the first task."""

    def submit(self, work, *task):
        raise BrokenExecutor("A worker died.")


@pytest.mark.parametrize(("_", "call"), CALLS, ids=NAMES)
def test_a_lost_task(_, call):
    """It is handed in again, the bits are those of this process, and the pool is shut down."""
    factory = Fragile()
    assert_same(call(executor=factory), call())
    assert len(factory.made) == 2
    with pytest.raises(RuntimeError, match="after shutdown"):
        factory.made[-1].submit(abs, 1)


@pytest.mark.parametrize(("_", "call"), CALLS, ids=NAMES)
def test_no_retries(_, call):
    """The first loss ends the call."""
    factory = Fragile()
    with pytest.raises(BrokenExecutor, match="A worker died") as caught:
        call(executor=factory, retries=0)
    assert caught.value.__notes__[0] == "The same blocks were lost 1 times, with retries=0."
    assert len(factory.made) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL between processes")
@pytest.mark.parametrize("pools", ["concurrent.futures", "loky"])
def test_a_worker_that_dies_in_the_midst_of_a_result(monkeypatch, pools):
    """A pool that would wait for the rest of it is broken, and made again."""
    monkeypatch.setattr(window, "LOOK_SECONDS", 0.1)
    pool, made = pytest.importorskip(pools).ProcessPoolExecutor, []
    ways = {} if pools == "loky" else {"mp_context": multiprocessing.get_context("spawn")}

    def make():
        dying = functools.partial(pool, 2, initializer=dies.speaking, **ways)
        made.append(ThreadPoolExecutor(2) if made else dying())
        return made[-1]

    want = sparsebc.betweenness(A, device="cpu")  # compiles, for which the timer does not wait
    too_late = threading.Timer(60, _thread.interrupt_main)
    too_late.start()
    try:
        got = sparsebc.betweenness(A, device="cpu", executor=make)
    finally:
        too_late.cancel()
    np.testing.assert_array_equal(got, want)
    assert len(made) == 2


WRONG = [
    ({"executor": 4}, TypeError, "executor must be a concurrent.futures.Executor, a distr"),
    ({"executor": "processes:4"}, TypeError, "got 'processes:4'"),
    ({"executor": lambda: 4}, TypeError, "made 4"),
    ({"retries": -1}, ValueError, "retries must be at least 0, got -1"),
    ({"retries": 1.5}, TypeError, "retries must be an int from 0 on, got 1.5"),
    ({"retries": True}, TypeError, "retries must be an int from 0 on, got True"),
]


@pytest.mark.parametrize(("_", "call"), CALLS, ids=NAMES)
def test_wrong_values(_, call):
    """Each is refused by its name."""
    for options, error, message in WRONG:
        with pytest.raises(error, match=message):
            call(**options)


def test_no_call_is_left_out():
    """A public function with run options is in the table, or says why it takes no executor."""
    public = [
        getattr(place, name)
        for place in (sparsebc, sparsebc.communities)
        for name in place.__all__
        if inspect.isfunction(getattr(place, name))
    ]
    takes = {each.__name__ for each in public if "run" in inspect.signature(each).parameters}
    assert takes == {name for name, _ in CALLS} | WITHOUT
    with pytest.raises(ValueError, match="executor has no effect on a plan, which looks at this"):
        sparsebc.explain(A, executor=Fragile())


G = nx.from_scipy_sparse_array(A)
G.__networkx_cache__ = None  # a graph that was converted would be taken with a warning
PARTS = nx.number_connected_components(G)
OF_NETWORKX = {
    "sums": lambda **run: nx.closeness_centrality(G, backend="sparsebc", **run),
    "partition": lambda **run: nx.community.edge_betweenness_partition(
        G, PARTS + 1, backend="sparsebc", **run
    ),
    "levels": lambda **run: next(nx.community.girvan_newman(G, backend="sparsebc", **run)),
    "groups": lambda **run: nx.group_betweenness_centrality(G, [1, 2], backend="sparsebc", **run),
}


@pytest.mark.parametrize("name", OF_NETWORKX)
def test_through_networkx(name):
    """The pool that a function made is shut down there, too."""
    factory, call = Fragile(), OF_NETWORKX[name]
    assert call(executor=factory, device="cpu") == call(device="cpu")
    with pytest.raises(RuntimeError, match="after shutdown"):
        factory.made[-1].submit(abs, 1)
