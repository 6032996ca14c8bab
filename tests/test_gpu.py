"""What only a GPU has: CuPy matrices, streams, devices, many batches in flight, own kernels."""

import gc
import weakref

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from changed_kernels import changed_sources, short_of_memory
from graphs import LARGE, MEDIUM, with_lengths, with_trees

import sparsebc
from sparsebc import betweenness, centralities, edge_betweenness
from sparsebc.engines import devices
from sparsebc.engines.cuda import kernel_table as table
from sparsebc.graph.csr import CSR
from sparsebc.graph.graph import Graph
from sparsebc.graph.ops import HostOps

MEASURES = ["betweenness", "edge_betweenness", "stress"]
CASES = ["large hubs", "grid", "dense", "streets", "forest", "directed cycle"]

# Trees on cores of more than one batch: wide levels, and thin ones.
TREES = {
    "trees on hubs": with_trees(nx.barabasi_albert_graph(150, 3, seed=51), seed=52),
    "trees on a ladder": with_trees(nx.circular_ladder_graph(70), seed=53),
}

gpu = [pytest.mark.gpu, pytest.mark.skipif(not devices.gpus(), reason="no GPU")]


class TestOnTheDevice:
    """Need CuPy and a GPU."""

    pytestmark = gpu

    @pytest.mark.parametrize("name", CASES)
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_budget_and_repeat_change_no_bit(self, name, dtype):
        """As many batches at once as fit, or one after the other."""
        A = LARGE[name]
        want = betweenness(A, device="cuda", dtype=dtype)
        for budget in (2**22, 2**24, 2**26, None):
            got = betweenness(A, device="cuda", dtype=dtype, memory_budget=budget)
            np.testing.assert_array_equal(got, want)

    @pytest.mark.parametrize("cls", ["csr_matrix", "csc_matrix", "coo_matrix"])
    def test_strengths_of_a_cupy_matrix(self, cls):
        """Lengths come back as what the strengths were, where they were."""
        import cupyx.scipy.sparse

        A = sp.csr_matrix(np.array([[0, 2.0], [4.0, 0]]))
        there = getattr(cupyx.scipy.sparse, cls)(A)
        got = sparsebc.strength_to_distance(there)
        assert type(got) is type(there)
        np.testing.assert_array_equal(got.get().toarray(), [[0, 0.5], [0.25, 0]])

    @pytest.mark.parametrize("name", [*CASES, *TREES])
    def test_budget_changes_no_bit_of_the_other_measures(self, name):
        """Arcs of many batches are added up in the order of the batches."""
        for names in (MEASURES, MEASURES[:2], MEASURES[::2], MEASURES[2:]):
            want, *others = (
                centralities((LARGE | TREES)[name], names, device="cuda", memory_budget=budget)
                for budget in (None, 2**24, 2**25)
            )
            for got in others:
                for pair in zip(got.values(), want.values(), strict=True):
                    np.testing.assert_array_equal(*(getattr(x, "toarray", x.copy)() for x in pair))

    @pytest.mark.parametrize("name", CASES)
    @pytest.mark.parametrize("dense", ["0", "(1ull << 40)"])
    def test_dense_and_sparse_levels_give_the_same_bits(self, name, dense, monkeypatch):
        """By lists alone, or by all rows alone."""

        monkeypatch.setattr(table, "goes_alone", lambda *_: False)
        want = betweenness(LARGE[name], device="cuda")
        text, other = "DENSE = 4;", f"DENSE = {dense};"
        with changed_sources(monkeypatch, "brandes_batch/brandes_batch.cu", text, other):
            np.testing.assert_array_equal(betweenness(LARGE[name], device="cuda"), want)

    @pytest.mark.parametrize("name", ["grid", "streets", "large digraph"])
    def test_level_lists_that_run_out_of_room(self, name, monkeypatch):
        """The block is repeated with longer lists, and the bits are the same."""
        from sparsebc.engines.cuda.brandes_batch import brandes_batch as batch

        monkeypatch.setattr(table, "goes_alone", lambda *_: False)
        want = betweenness(LARGE[name], device="cuda")
        monkeypatch.setattr(batch, "SPREAD", 1)
        np.testing.assert_array_equal(betweenness(LARGE[name], device="cuda"), want)

    @pytest.mark.parametrize("width", ["THIN", "WIDE"])
    @pytest.mark.parametrize("name", sorted(MEDIUM | LARGE))
    def test_both_kernels_take_every_graph(self, name, width, monkeypatch):
        """Whatever is faster, either way is right."""
        from sparsebc.engines.cuda import engine

        A, options = (MEDIUM | LARGE)[name], {"endpoints": True, "targets": range(0, 30, 2)}
        want = betweenness(A, device="reference", **options)
        is_alone = width == "THIN"
        monkeypatch.setattr(table, "goes_alone", lambda *_: is_alone)
        monkeypatch.setattr(engine, "SMALL", 0)
        for dtype, tolerance in (("float64", 1e-12), ("float32", 1e-5)):
            got = betweenness(A, device="cuda", dtype=dtype, **options)
            np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance * want.max())

    @pytest.mark.parametrize("names", [MEASURES, MEASURES[::2], MEASURES[2:]], ids="+".join)
    @pytest.mark.parametrize(
        ("width", "hub"), [("THIN", 128), ("WIDE", 128), ("WIDE", 1), ("WIDE", 0)]
    )
    @pytest.mark.parametrize("name", ["large digraph", "dense", *TREES])
    def test_every_kernel_sums_everything(self, name, width, hub, names, monkeypatch):
        """A block to a source, a warp to a row, a block to a row of many neighbours, or to any."""
        from sparsebc.engines.cuda.brandes_batch import brandes_batch as batch

        A = (LARGE | TREES)[name]
        options = {"sources": range(0, A.shape[0], 2), "targets": range(9, A.shape[0] - 9)}
        want = centralities(A, names, device="reference", **options)
        is_alone = width == "THIN"
        monkeypatch.setattr(table, "goes_alone", lambda *_: is_alone)
        monkeypatch.setattr(batch, "HUB", hub)
        for dtype, tolerance in (("float64", 1e-12), ("float32", 1e-5)):
            found = centralities(A, names, device="cuda", dtype=dtype, **options)
            for pair in zip(found.values(), want.values(), strict=True):
                got, exact = (getattr(x, "toarray", x.copy)() for x in pair)
                np.testing.assert_allclose(got, exact, rtol=tolerance, atol=tolerance * exact.max())

    @pytest.mark.parametrize("threads", [128, 512, 1024])
    @pytest.mark.parametrize("name", ["grid", "streets", "forest", "large digraph"])
    def test_a_block_to_a_source(self, name, threads, monkeypatch):
        """Marks of any kind, bytes that begin again, short queues, few workers: the same bits."""
        from sparsebc.engines.cuda.brandes_source import brandes_source as brandes
        from sparsebc.engines.cuda.common import per_source

        def scores():
            found = centralities(LARGE[name], MEASURES, device="cuda")
            found["edge_betweenness"] = found["edge_betweenness"].data
            return np.concatenate([betweenness(LARGE[name], device="cuda"), *found.values()])

        monkeypatch.setattr(table, "goes_alone", lambda *_: True)
        monkeypatch.setattr(brandes, "ALONE", threads)
        monkeypatch.setattr(brandes, "SHARING", ((threads, 72 << 10),))
        want = scores()
        file = "brandes_source/brandes_source.cu"
        queue = file, "QUEUE = 1024;", "QUEUE = 1;"
        levels = file, "LEVELS = 255;", "LEVELS = 3;"
        with changed_sources(monkeypatch, *queue):
            np.testing.assert_array_equal(scores(), want)
        monkeypatch.setattr(brandes, "SHARING", ((threads, 0),))
        np.testing.assert_array_equal(scores(), want)
        for change in (queue, levels):
            with changed_sources(monkeypatch, *change):
                np.testing.assert_array_equal(scores(), want)
        with monkeypatch.context() as patch:
            patch.setattr(brandes, "STATIC_BYTES", 1 << 30)
            np.testing.assert_array_equal(scores(), want)
        begin = per_source.PerSource.__init__

        def alone(self, *args, **options):
            begin(self, *args, **options)
            self._at_once = 1

        monkeypatch.setattr(per_source.PerSource, "__init__", alone)
        np.testing.assert_array_equal(scores(), want)

    @pytest.mark.parametrize(
        ("kibibytes", "nodes", "shape"),
        [
            (228, 1, ("Phases<true>", 8, 128)),
            (228, 32_768, ("Phases<true>", 2048, 128)),
            (228, 114_599, ("Phases<true>", 7168, 256)),
            (228, 264_346, ("Phases<true>", 16_528, 512)),
            (228, 524_288, ("Bytes<true>", 16_384, 512)),
            (228, 915_408, ("Bytes<true>", 28_608, 1024)),
            (228, 2_000_000, ("Bytes<false>", 62_500, 1024)),
            (64, 264_346, ("Bytes<true>", 8264, 1024)),
        ],
    )
    def test_shape_of_a_block(self, kibibytes, nodes, shape, monkeypatch):
        """Several with all marks at hand, two or one that know what is found, one that does not."""
        from sparsebc.engines.cuda.brandes_source import brandes_source as brandes

        attributes = {
            "MaxSharedMemoryPerMultiprocessor": kibibytes << 10,
            "MaxSharedMemoryPerBlockOptin": (kibibytes - 1) << 10,
        }
        monkeypatch.setattr(brandes, "device_attributes", lambda: attributes)
        none = CSR(np.zeros(nodes + 1, int), np.zeros(0, np.int32))
        assert brandes.shape_of(Graph(nodes, none, none, HostOps()))[:3] == shape

    def test_out_of_memory_halves_the_plan(self, monkeypatch, caplog):
        """With a warning, and the same bits."""
        monkeypatch.setattr(table, "goes_alone", lambda *_: False)
        A = LARGE["large hubs"]
        want = betweenness(A, device="cuda")
        short_of_memory(monkeypatch, "batch", most=1)
        np.testing.assert_array_equal(betweenness(A, device="cuda"), want)
        assert any("out of device memory" in record.getMessage() for record in caplog.records)

    @pytest.mark.parametrize("way", ["THIN", "WIDE", "by length"])
    @pytest.mark.parametrize("name", ["large digraph", "dense", *TREES])
    def test_row_pointers_of_64_bits(self, name, way, monkeypatch):
        """Those of a graph of 2**31 arcs and more: the same bits."""
        from sparsebc.engines.cuda.brandes_batch import brandes_batch as batch
        from sparsebc.engines.cuda.common import per_source
        from sparsebc.engines.cuda.runtime.kernels import pointer_type

        assert [pointer_type(arcs) for arcs in (2**31 - 1, 2**31)] == [np.int32, np.int64]
        A, names, given = (LARGE | TREES)[name], [*MEASURES, "closeness"], []
        weighted = way == "by length"
        if weighted:
            A = with_lengths(A, np.arange(1, 11), seed=61)
        else:
            is_alone = way == "THIN"
            monkeypatch.setattr(table, "goes_alone", lambda *_: is_alone)
        want = centralities(A, names, weighted=weighted, device="cuda")

        def long(arcs):
            given.append(arcs)
            return np.dtype(np.int64)

        for module in (batch, per_source):
            monkeypatch.setattr(module, "pointer_type", long)
        got = centralities(A, names, weighted=weighted, device="cuda")
        assert given
        for pair in zip(got.values(), want.values(), strict=True):
            np.testing.assert_array_equal(*(getattr(x, "toarray", x.copy)() for x in pair))

    @pytest.mark.parametrize("width", ["THIN", "WIDE"])
    def test_a_workspace_is_in_no_cycle(self, width):
        """Or its memory would be held until cycles are collected."""
        from sparsebc.engines.base import Sweep
        from sparsebc.engines.batch import Batch
        from sparsebc.engines.cuda import engine
        from sparsebc.engines.sums import Launch
        from sparsebc.graph.read_matrix import canonical

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

    @pytest.mark.parametrize("kernel", table.KERNELS, ids=lambda kernel: kernel.name)
    def test_every_kernel_of_the_table_has_a_launcher(self, kernel):
        """A class of a module that is there; those of the host have none."""
        assert kernel.device == "cpu" or callable(getattr(kernel.module, kernel.launcher[1]))

    @pytest.mark.parametrize("form", ["csr", "csc", "coo"])
    @pytest.mark.parametrize("dtype", ["float32", "float64", "bool"])
    @pytest.mark.parametrize("name", ["digraph", "disconnected"])
    def test_cupy_in_cupy_out(self, name, form, dtype):
        """The same numbers, on the device of the matrix, which is left as it was."""
        import cupy
        import cupyx.scipy.sparse as cs

        A = MEDIUM[name]
        B = getattr(cs, f"{form}_matrix")(sp.csr_matrix(A.astype(dtype)))
        before = B.get().toarray()
        got = betweenness(B)
        assert isinstance(got, cupy.ndarray)
        assert got.device == B.data.device
        np.testing.assert_array_equal(got.get(), betweenness(A, device="cuda"))
        np.testing.assert_array_equal(B.get().toarray(), before)

    @pytest.mark.parametrize("small", [0, 1 << 40])
    @pytest.mark.parametrize("device", ["cuda", "cpu"])
    def test_edges_of_a_cupy_matrix(self, device, small, monkeypatch):
        """A CuPy matrix with the pattern and the numbers of the one from a SciPy matrix."""
        import cupyx.scipy.sparse as cs

        from sparsebc.engines.cuda import engine

        A = LARGE["leaves on hubs"]
        B = cs.csr_matrix(sp.csr_matrix(A.astype(float)))
        monkeypatch.setattr(engine, "SMALL", small)
        for directed in (True, False):
            want = edge_betweenness(A, device=device, directed=directed)
            got = edge_betweenness(B, device=device, directed=directed)
            assert isinstance(got, cs.csr_matrix)
            assert got.data.device == B.data.device
            assert got.shape == want.shape
            for part in ("data", "indices", "indptr"):
                values = getattr(got, part).get()
                np.testing.assert_array_equal(values, getattr(want, part))

    @pytest.mark.parametrize("name", [*sorted(MEDIUM), *sorted(LARGE)])
    def test_places_of_entries(self, name):
        """On the device what SciPy finds on the host."""
        from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps
        from sparsebc.graph.read_matrix import canonical

        A = (MEDIUM | LARGE)[name]
        nodes = np.random.default_rng(8).permutation(A.shape[0])[::2]
        for directed in (True, False):
            host = canonical(A, directed=directed)
            device = canonical(A, directed=directed, ops_for=lambda _: CUDAOps())
            found = []
            for graph in (host, device):
                graph = graph.with_unit_lengths()
                lengths, rows = graph.lengths, graph.ops.rows(graph.outgoing)
                heads = graph.outgoing.indices
                if graph.symmetric:
                    lengths.outgoing[:] = graph.n * abs(rows - heads) + rows + heads
                else:
                    lengths.outgoing[:] = graph.ops.xp.arange(graph.arcs)
                    back = graph.ops.counterparts(graph.outgoing, graph.incoming)
                    lengths.incoming[:] = back
                found.append(graph.induced(graph.ops.asarray(nodes)).on_host().ways)
            for there, here in zip(found[1], found[0], strict=True):
                np.testing.assert_array_equal(there.values, here.values)
                np.testing.assert_array_equal(there.pattern.indices, here.pattern.indices)
            keys = [graph.ops.keys(graph.outgoing) for graph in (host, device)]
            np.testing.assert_array_equal(keys[1].get(), keys[0])
            if host.symmetric:
                found = [g.ops.counterparts(g.outgoing, g.incoming) for g in (host, device)]
                np.testing.assert_array_equal(found[1].get(), found[0])

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

    @pytest.mark.parametrize("long", [1, 3, 32])
    @pytest.mark.parametrize("name", ["forest", "leaves on hubs", "dense", "large digraph"])
    def test_rows_that_many_warps_share(self, name, long, monkeypatch):
        """A graph is read, folded and renumbered alike, and a damaged one refused."""
        from sparsebc.engines.cuda import engine

        monkeypatch.setattr(engine, "SMALL", 0)
        A = LARGE[name]
        shuffled = sp.coo_array(A).tocsc().tocoo()
        measures = ["betweenness", "edge_betweenness", "closeness"]

        def measured():
            return [
                numbers
                for B in (A, shuffled)
                for directed in (True, False)
                for numbers in centralities(B, measures, directed=directed, device="cuda").values()
            ]

        want = measured()
        damaged = A.copy()
        damaged.indices[-1] = A.shape[0]
        with changed_sources(
            monkeypatch, "prepare/graph_ops.cu", "LONG = 2048;", f"LONG = {long};"
        ):
            for got, expected in zip(measured(), want, strict=True):
                both = (it.data if sp.issparse(it) else it for it in (got, expected))
                np.testing.assert_array_equal(*both)
            with pytest.raises(ValueError, match=r"A\.indices\[\d+\] must lie in"):
                betweenness(damaged, device="cuda")

    @pytest.mark.parametrize("small", [0, 1 << 40])
    @pytest.mark.parametrize("form", ["csr", "csc", "coo"])
    def test_out_of_order(self, form, small, monkeypatch):
        """Rows unsorted, entries repeated and on the diagonal: the same graph."""
        from sparsebc.engines.cuda import engine

        monkeypatch.setattr(engine, "SMALL", small)
        for name in ("graph", "digraph"):
            A = MEDIUM[name]
            B = (A + sp.eye_array(A.shape[0])).tocoo()
            order = np.random.default_rng(9).permutation(2 * B.nnz)
            rows, columns = (np.tile(axis, 2)[order] for axis in B.coords)
            B = sp.coo_array((np.ones(rows.size), (rows, columns)), shape=A.shape)
            if form != "coo":
                major, minor = (rows, columns) if form == "csr" else (columns, rows)
                sort = np.argsort(major, kind="stable")
                indptr = np.searchsorted(major[sort], np.arange(A.shape[0] + 1))
                kind = getattr(sp, f"{form}_array")
                B = kind((B.data, minor[sort], indptr), shape=A.shape)
            got = betweenness(B, device="cuda")
            np.testing.assert_array_equal(got, betweenness(A, device="cuda"))

    @pytest.mark.parametrize("name", [*sorted(MEDIUM), *sorted(LARGE)])
    def test_what_decides_how_a_graph_is_prepared(self, name):
        """Leaves and depth, as the host finds them; symmetry at the first look."""
        from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps
        from sparsebc.graph.read_matrix import canonical

        A = (MEDIUM | LARGE)[name]
        for directed in (True, False):
            host = canonical(A, directed=directed)
            device = canonical(A, directed=directed, ops_for=lambda _: CUDAOps())
            assert device.symmetric == host.symmetric
            for levels in (0, 1, 2, 5, 12):
                found = [g.ops.traits(g.outgoing, levels) for g in (host, device)]
                assert found[0][:2] == found[1][:2]

    @pytest.mark.parametrize("device", ["cpu", "reference"])
    def test_cupy_in_and_another_device(self, device):
        """The device says where to compute, the matrix where the answer goes."""
        import cupy
        import cupyx.scipy.sparse as cs

        A = MEDIUM["graph"]
        got = betweenness(cs.csr_matrix(sp.csr_matrix(A.astype(float))), device=device)
        assert isinstance(got, cupy.ndarray)
        np.testing.assert_array_equal(got.get(), betweenness(A, device=device))

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
    assert "'cuda:77' is not there" in str(caught.value)
    assert "\n" not in str(caught.value)
