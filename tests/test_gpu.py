"""What only a GPU has: CuPy matrices, streams, devices, many batches in flight, own kernels."""

import gc
import weakref

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, with_lengths

import sparsebc
from sparsebc import betweenness, centralities, edge_betweenness
from sparsebc.engines import devices
from sparsebc.engines.cuda import kernel_table as table

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

gpu = [pytest.mark.gpu, pytest.mark.skipif(not devices.gpus(), reason="no GPU")]


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

    pytestmark = gpu

    @pytest.mark.parametrize("cls", ["csr_matrix", "csc_matrix", "coo_matrix"])
    def test_strengths_of_a_cupy_matrix(self, cls):
        """Lengths come back as what the strengths were, where they were."""
        import cupyx.scipy.sparse

        A = sp.csr_matrix(np.array([[0, 2.0], [4.0, 0]]))
        there = getattr(cupyx.scipy.sparse, cls)(A)
        got = sparsebc.strength_to_distance(there)
        assert type(got) is type(there)
        np.testing.assert_array_equal(got.get().toarray(), [[0, 0.5], [0.25, 0]])

    @pytest.mark.parametrize("width", ["THIN", "WIDE"])
    def test_a_workspace_is_in_no_cycle(self, width):
        """Or its memory would be held until cycles are collected."""
        from sparsebc.engines.common.base import Sweep
        from sparsebc.engines.common.batch import Batch
        from sparsebc.engines.common.sums import Launch
        from sparsebc.engines.cuda import engine
        from sparsebc.matrix.read_matrix import canonical

        cuda, graph, sources = (
            engine.CUDA(0),
            canonical(LARGE["dense"]),
            np.arange(9, dtype=np.int32),
        )
        with cuda.here():
            kernel = table.Alone() if width == "THIN" else table.InStep()
            omega, sums = np.ones(graph.n), frozenset({"dependency"})
            sweep = Sweep(kernel.name, sources.size, omega=omega, sums=sums)
            workspace = sweep.state(cuda, graph, 1 << 30, np.zeros(1, np.uint8))
            workspace.sweep(Launch(0, [[Batch(sources, np.ones(sources.size), False)]]), np.inf)
            is_there = weakref.ref(workspace)
            gc.disable()
            try:
                del workspace
                assert is_there() is None
            finally:
                gc.enable()

    @pytest.mark.parametrize("small", [0, 1 << 40])
    @pytest.mark.parametrize("form", ["csr", "csc", "coo"])
    @pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
    def test_cupy_in_cupy_out(self, call, form, small, monkeypatch):
        """The numbers of the matrix on the host, where the matrix is, which stays as it was."""
        import cupy
        import cupyx.scipy.sparse as cs

        from sparsebc.engines.cuda import engine

        monkeypatch.setattr(engine, "SMALL", small)
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
    def test_damaged_matrices(self, part, at, value, form, dtype, monkeypatch):
        """Refused in the words of the host, and nothing that points outside is followed."""
        from sparsebc.engines.cuda import engine

        A = MEDIUM["graph"].asformat(form, copy=True)
        A.indices, A.indptr = A.indices.astype(dtype), A.indptr.astype(dtype)
        getattr(A, part)[at] = value
        messages = []
        for device, small in (("cpu", 0), ("cuda", 1 << 40), ("cuda", 0)):
            monkeypatch.setattr(engine, "SMALL", small)
            with pytest.raises(ValueError, match=rf"A\.{part}") as error:
                betweenness(A, device=device)
            messages.append(str(error.value))
        assert len(set(messages)) == 1

    @pytest.mark.parametrize("name", [*sorted(MEDIUM), *sorted(LARGE)])
    def test_what_decides_how_a_graph_is_prepared(self, name):
        """Leaves and depth, as the host finds them; symmetry at the first look."""
        from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps
        from sparsebc.matrix.read_matrix import canonical

        A = (MEDIUM | LARGE)[name]
        for directed in (True, False):
            host = canonical(A, directed=directed)
            device = canonical(A, directed=directed, ops_for=lambda _: CUDAOps())
            assert device.symmetric == host.symmetric
            for levels in (0, 1, 2, 5, 12):
                found = [g.ops.traits(g.outgoing, levels) for g in (host, device)]
                assert found[0][:2] == found[1][:2]

    def test_streams(self):
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


def test_a_gpu_that_is_not_there():
    """One line that names the device and says what to do."""
    with pytest.raises(RuntimeError) as caught:
        betweenness(MEDIUM["graph"], device="cuda:77")
    assert "'cuda:77' is not available" in str(caught.value)
    assert "\n" not in str(caught.value)
