"""Threads that call one GPU at once, and what belongs to a caller once it has its result."""

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, square, with_lengths

from sparsebc import betweenness, bfs, centralities, closeness
from sparsebc.engines import devices
from sparsebc.engines.common.base import Sweep
from sparsebc.engines.common.batch import Batch
from sparsebc.engines.common.sums import Launch
from sparsebc.matrix.read_matrix import canonical

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not devices.gpus(), reason="no GPU")]

# Spins for so many ticks of a multiprocessor's clock: about half a second.
SPIN = r"""
extern "C" __global__ void spin(long long ticks) {
    const long long start = clock64();
    while (clock64() - start < ticks) {}
}
"""
TICKS = 1 << 30


def calls():
    """One for each kind of kernel, by name."""
    hubs, streets = LARGE["large hubs"], LARGE["streets"]
    lengths = with_lengths(streets, np.arange(1, 11) / 10)
    high_diameter = square(60)
    measures = ["betweenness", "stress"]
    return {
        "wide": lambda: betweenness(hubs, device="cuda"),
        "thin": lambda: betweenness(high_diameter, device="cuda", sources=range(0, 3600, 9)),
        "both sums": lambda: np.array([*centralities(hubs, measures, device="cuda").values()]),
        "by length": lambda: betweenness(lengths, weighted=True, device="cuda"),
        "distances by length": lambda: closeness(lengths, weighted=True, device="cuda"),
        "levels": lambda: bfs(hubs, range(250), device="cuda"),
    }


def test_two_threads_get_what_one_gets():
    """Calls of all kinds at once, in another order in each thread; neither finds anything made."""
    from sparsebc.engines.cuda.runtime import kernels, streams

    works = calls()
    want = {name: work() for name, work in works.items()}
    kernels.kernels.cache_clear()
    streams.stream.cache_clear()
    begin = threading.Barrier(2)

    def caller(names):
        begin.wait(timeout=60)
        return [(name, works[name]()) for name in names]

    names = [*works]
    orders = [2 * names, [*islice(cycle(reversed(names)), 3, 3 + 2 * len(names))]]
    with ThreadPoolExecutor(2) as pool:
        for found in pool.map(caller, orders):
            for name, got in found:
                np.testing.assert_array_equal(got, want[name], err_msg=name)


def test_a_device_has_one_stream(monkeypatch):
    """Also where two threads are the first to ask: work on two of them would be in no order."""
    import cupy

    from sparsebc.engines.cuda.runtime import streams

    make, met = cupy.cuda.Stream, threading.Barrier(2)

    def slowly(**options):
        try:
            met.wait(timeout=1)  # for another thread that makes one as well
        except threading.BrokenBarrierError:
            pass
        return make(**options)

    monkeypatch.setattr(cupy.cuda, "Stream", slowly)
    streams.stream.cache_clear()
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(streams.stream, (0, 0))
    assert one is other


def test_shared_memory_of_another_graph():
    """A kernel may take what it was planned with, whoever plans with less before it runs."""
    engine, plain = devices.select("cuda"), frozenset({"dependency"})
    nodes = np.arange(2, dtype=np.int32)
    batch = Batch(nodes, np.ones(nodes.size), True)
    matrices = [square(500), square(5)]
    with engine.here():
        workspaces = [
            Sweep("brandes by source", 2, omega=np.ones(graph.n), sums=plain).state(
                engine, graph, 1 << 32, np.zeros(1, np.uint8)
            )
            for graph in map(canonical, matrices)
        ]
        for workspace, A in zip(workspaces, matrices, strict=True):
            ((_, sums),) = workspace.sweep(Launch(0, [[batch]]), np.inf).nodes
            want = betweenness(A, sources=nodes, normalized=False, device="cpu")
            np.testing.assert_allclose(sums["dependency"], want, rtol=1e-10)


@pytest.mark.parametrize("kind", ["scores", "levels"])
def test_a_freed_result_is_still_read(kind):
    """The next call, on another stream, writes nothing where the caller's work still looks."""
    import cupy
    import cupyx.scipy.sparse as cs

    A = cs.csr_matrix(sp.csr_matrix(LARGE["large hubs"].astype(float)))
    spin = cupy.RawKernel(SPIN, "spin")
    first, second = (cupy.cuda.Stream(non_blocking=True) for _ in range(2))

    def call(source):
        if kind == "levels":
            return bfs(A, range(source, source + 40))
        return betweenness(A, sources=[source])

    with second:  # all memory is there: to allocate more might wait for the device
        held = [call(50) for _ in range(3)]
        other = held[0].get()
        del held
    with first:
        want = call(0).get()
        spin((1,), (1,), (np.int64(1),))
        kept = cupy.empty_like(call(0))
        first.synchronize()
        assert (want != other).any()
        result = call(0)
        spin((1,), (1,), (np.int64(TICKS),))
        cupy.copyto(kept, result)
        del result
    with second:
        held = [call(50) for _ in range(3)]
        second.synchronize()
        assert not first.done, "the work of the first stream has ended before the calls"
    first.synchronize()
    np.testing.assert_array_equal(kept.get(), want)
    np.testing.assert_array_equal(held[0].get(), other)
