"""What only a GPU has: CuPy matrices, streams, devices, calls of several threads at once."""

import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, islice

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, square, with_lengths

import sparsebc
from sparsebc import betweenness, bfs, centralities, closeness, edge_betweenness
from sparsebc.engines import devices
from sparsebc.matrix import read_matrix

# Trees on cores of more than one batch: wide levels, and thin ones.
MEASURES = ["betweenness", "edge_betweenness", "closeness"]
CALLS = {
    "betweenness": betweenness,
    "edges": edge_betweenness,
    "several": lambda A, **ways: centralities(A, MEASURES, **ways),
    "by length": lambda A, **ways: centralities(A, MEASURES, weighted=True, **ways),
    "cutoffs": lambda A, **ways: centralities(A, MEASURES, cutoff=[2, 3], **ways),
    "bfs": lambda A, **ways: sparsebc.bfs(A, [3, 1], **ways),
    "paths": lambda A, **ways: sparsebc.shortest_paths(A, [3, 1], **ways),
    "paths by length": lambda A, **ways: sparsebc.shortest_paths(A, [3], weighted=True, **ways),
    "access": lambda A, **ways: sparsebc.accessibility(A, cutoff=[1, 3], weighted=True, **ways),
    "nearest": lambda A, **ways: sparsebc.nearest(A, np.arange(A.shape[0]) % 9, 2, **ways),
    "null model": lambda A, **ways: vars(
        sparsebc.null_model(A, "harmonic", samples=3, rng=1, keep=True, **ways)
    ),
    "components": lambda A, **ways: sparsebc.connected_components(A, **ways)[1],
}


def parts(found):
    """Arrays of a result: of scores, of matrices, of several measures or cutoffs."""
    if hasattr(found, "indptr"):
        return [found.data, found.indices, found.indptr]
    found = found.values() if isinstance(found, dict) else found
    if isinstance(found, int):  # of a null model
        return []
    return [found] if hasattr(found, "dtype") else [x for each in found for x in parts(each)]


class TestOnTheDevice:
    """Need CuPy and a GPU."""

    pytestmark = pytest.mark.gpu

    @pytest.mark.parametrize("cls", ["csr_matrix", "csc_matrix", "coo_matrix"])
    def test_strengths_of_a_cupy_matrix_become_lengths_there(self, cls):
        """Lengths come back as what the strengths were, where they were."""
        import cupyx.scipy.sparse

        A = sp.csr_matrix(np.array([[0, 2.0], [4.0, 0]]))
        there = getattr(cupyx.scipy.sparse, cls)(A)
        got = sparsebc.strength_to_distance(there)
        assert type(got) is type(there)
        np.testing.assert_array_equal(got.get().toarray(), [[0, 0.5], [0.25, 0]])

    @pytest.mark.parametrize("small", [0, 1 << 40])
    @pytest.mark.parametrize("form", ["csr", "csc", "coo"])
    @pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
    def test_results_are_where_the_matrix_is(self, call, form, small, monkeypatch):
        """The numbers of the matrix on the host, where the matrix is, which stays as it was."""
        import cupy
        import cupyx.scipy.sparse as cs

        monkeypatch.setattr(read_matrix, "SMALL", small)
        A = with_lengths(LARGE["large digraph"], np.arange(1, 9), seed=4).astype(float)
        B = getattr(cs, f"{form}_matrix")(sp.csr_matrix(A))
        before = B.get().toarray()
        for device in (None, "cpu"):
            got = call(B) if device is None else call(B, device=device)
            want = call(A, device=device or "cuda")
            for mine, theirs in zip(parts(got), parts(want), strict=True):
                assert isinstance(mine, cupy.ndarray)
                assert isinstance(theirs, np.ndarray)
                assert mine.device == B.data.device
                np.testing.assert_array_equal(mine.get(), theirs)
        np.testing.assert_array_equal(B.get().toarray(), before)

    @pytest.mark.parametrize("dtype", [np.int32, np.int64])
    @pytest.mark.parametrize("form", ["csr", "csc"])
    @pytest.mark.parametrize(
        ("part", "at", "value"),
        [("indices", 0, 99), ("indices", -1, -1), ("indptr", 1, 77), ("indptr", -2, -3)],
    )
    def test_damaged_matrices_are_refused_alike(self, part, at, value, form, dtype, monkeypatch):
        """Refused in the words of the host, and nothing that points outside is followed."""

        A = MEDIUM["graph"].asformat(form, copy=True)
        A.indices, A.indptr = A.indices.astype(dtype), A.indptr.astype(dtype)
        getattr(A, part)[at] = value
        messages = []
        for device, small in (("cpu", 0), ("cuda", 1 << 40), ("cuda", 0)):
            monkeypatch.setattr(read_matrix, "SMALL", small)
            with pytest.raises(ValueError, match=rf"A\.{part}") as error:
                betweenness(A, device=device)
            messages.append(str(error.value))
        assert len(set(messages)) == 1

    def test_a_call_under_another_stream_has_the_same_numbers(self):
        """A matrix made on one stream, a call under another: the same numbers."""
        import cupy
        import cupyx.scipy.sparse as cs

        A = MEDIUM["digraph"]
        want = betweenness(A, device="cuda")
        first, second = cupy.cuda.Stream(non_blocking=True), cupy.cuda.Stream(non_blocking=True)
        with first:
            B = cs.csr_matrix(sp.csr_matrix(A.astype(float)))
        first.synchronize()
        with second:
            got = betweenness(B)
            assert cupy.cuda.get_current_stream() == second
            np.testing.assert_array_equal(got.get(), want)

    def test_current_device_is_left_alone(self):
        """On the last GPU there is, whichever is current."""
        import cupy

        last = len(devices.gpus()) - 1
        want = betweenness(MEDIUM["hubs"], device="cuda")
        current = cupy.cuda.runtime.getDevice()
        np.testing.assert_array_equal(betweenness(MEDIUM["hubs"], device=f"cuda:{last}"), want)
        assert cupy.cuda.runtime.getDevice() == current


def test_a_gpu_that_is_not_there_is_refused_in_one_line():
    """One line that names the device and says what to do."""
    with pytest.raises(RuntimeError) as caught:
        betweenness(MEDIUM["graph"], device="cuda:77")
    assert "'cuda:77' is not available" in str(caught.value)
    assert "\n" not in str(caught.value)


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


@pytest.mark.gpu
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


@pytest.mark.gpu
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


@pytest.mark.gpu
@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_values_are_checked_during_the_upload(bad, monkeypatch):
    """By other threads, to the last of them."""

    monkeypatch.setattr(read_matrix, "SMALL", 0)
    monkeypatch.setattr(read_matrix, "PIECE", 8)
    A = sp.csr_array(LARGE["dense"], dtype=float)
    assert np.isfinite(betweenness(A, device="cuda")).all()
    A.data[-1] = bad
    with pytest.raises(ValueError, match=rf"A stores .*\(entry {A.nnz - 1} of A.data\)"):
        betweenness(A, device="cuda")
