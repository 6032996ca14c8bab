"""Searches on a GPU alone: batches, dense and sparse levels, hubs, CuPy matrices, own kernels."""

import numpy as np
import pytest
import scipy.sparse as sp
from changed_kernels import changed_sources
from graphs import LARGE, MEDIUM, with_lengths
from numpy.testing import assert_array_equal

from sparsebc import bfs, centralities, closeness, connected_components, eccentricity, harmonic
from sparsebc import shortest_paths as paths
from sparsebc.engines import devices
from sparsebc.engines.base import Sweep
from sparsebc.engines.cuda import kernel_table as table
from sparsebc.graph.read_matrix import canonical

MEASURES = {"closeness": closeness, "harmonic": harmonic, "eccentricity": eccentricity}
CASES = ["large hubs", "grid", "dense", "streets", "forest", "directed cycle", "large digraph"]

gpu = [pytest.mark.gpu, pytest.mark.skipif(not devices.gpus(), reason="no GPU")]


def short_of(patch, owner, allocate, *, most):
    """Let memory run out where more than so much is allocated at once."""
    import cupy

    enough = getattr(owner, allocate)

    def short(self, count):
        if count > most:
            raise cupy.cuda.memory.OutOfMemoryError(0, 0, 0)
        return enough(self, count)

    patch.setattr(owner, allocate, short)


class TestOnTheDevice:
    """Need CuPy and a GPU."""

    pytestmark = gpu

    @pytest.mark.parametrize("name", CASES)
    @pytest.mark.parametrize("dense", ["0", "(1ull << 40)"])
    def test_dense_and_sparse_levels_give_the_same(self, name, dense, monkeypatch):
        """By marks alone, or by all rows alone."""
        want = harmonic(LARGE[name], device="cuda")
        text, other = "DENSE = 1;", f"DENSE = {dense};"
        with changed_sources(monkeypatch, "msbfs/msbfs.cu", text, other):
            assert_array_equal(harmonic(LARGE[name], device="cuda"), want)

    @pytest.mark.parametrize("name", CASES)
    @pytest.mark.parametrize("most", [0, 5, 1 << 20])
    def test_hubs_and_rows_give_the_same(self, name, most, monkeypatch):
        """Every row a hub, some, or none."""
        from sparsebc.engines.cuda.msbfs import msbfs

        want = harmonic(LARGE[name], device="cuda"), bfs(LARGE[name], [0, 5], device="cuda")
        monkeypatch.setattr(msbfs, "HUB", most)
        assert_array_equal(harmonic(LARGE[name], device="cuda"), want[0])
        assert_array_equal(bfs(LARGE[name], [0, 5], device="cuda"), want[1])

    def test_batches_and_blocks(self, monkeypatch, caplog):
        """Groups one after the other where memory is short, with a warning where it fails."""
        from sparsebc.engines.cuda.msbfs import msbfs

        A = sp.csr_array(sp.random(3000, 3000, 0.001, random_state=3, format="csr"))
        want = harmonic(A, device="cuda")
        with monkeypatch.context() as patch:
            short_of(patch, msbfs.MSBFSSearch, "_batch_arrays", most=1)
            patch.setattr(msbfs.MSBFSSearch, "_batches_at_once", lambda self: 2)
            assert_array_equal(harmonic(A, device="cuda"), want)
        assert any("out of device memory" in record.getMessage() for record in caplog.records)
        monkeypatch.setattr(table, "BLOCK_SLOTS", 3000)
        np.testing.assert_allclose(harmonic(A, device="cuda"), want, rtol=1e-14)

    @pytest.mark.parametrize("times", [1, 3, 10, 1000])
    @pytest.mark.parametrize("there", [False, True], ids=["to the host", "to the device"])
    @pytest.mark.parametrize("name", ["large hubs", "streets", "large digraph"])
    def test_results_are_in_the_plan(self, name, there, times, monkeypatch):
        """Rows of results fit the memory, whatever there is: fewer sources share a search."""
        import cupy

        from sparsebc.engines.cuda.engine import CUDA
        from sparsebc.engines.cuda.msbfs import msbfs, plan

        A, cuda, taken = LARGE[name], CUDA(0), []
        graph, sources = canonical(A), np.arange(1500, dtype=np.int32) % A.shape[0]
        memory = times * plan.least_bytes(graph.n, graph.limits.size)
        allocate = msbfs.MSBFSSearch._row_arrays

        def taking(self, rows):
            arrays = allocate(self, rows)
            taken.append((rows, sum(array.nbytes for array in arrays.values())))
            return arrays

        monkeypatch.setattr(msbfs.MSBFSSearch, "_row_arrays", taking)
        want = bfs(A, sources, device="cpu"), *paths(A, sources, device="cpu")
        xp = cupy if there else np
        got = [xp.empty(array.shape, array.dtype) for array in want]
        with cuda.here():
            search = msbfs.MSBFSSearch(graph, Sweep("", 0), memory, np.zeros(1, np.uint8))
            for rows in (slice(0, 1024), slice(1024, None)):
                search.levels(sources[rows], got[0][rows])
                search.paths(sources[rows], got[1][rows], got[2][rows])
        for values, expected in zip(got, want, strict=True):
            assert_array_equal(cupy.asnumpy(values), expected)
        assert all(plan.fixed_bytes(graph.n) + size <= memory for _, size in taken)
        if times == 1:
            assert max(rows for rows, _ in taken) < 1024 or there
        if times == 1000:
            assert max(rows for rows, _ in taken) == 1024

    @pytest.mark.parametrize("most", [1, 3, 600])
    def test_out_of_memory_halves_the_rows(self, most, monkeypatch, caplog):
        """With one warning for each halving, and the same results."""
        from sparsebc.engines.cuda.msbfs import msbfs

        A, sources = LARGE["streets"], np.arange(1500) % LARGE["streets"].shape[0]
        want = bfs(A, sources, device="cpu"), *paths(A, sources, device="cpu")
        short_of(monkeypatch, msbfs.MSBFSSearch, "_row_arrays", most=most)
        got = bfs(A, sources, device="cuda"), *paths(A, sources, device="cuda")
        for pair in zip(got, want, strict=True):
            assert_array_equal(*pair)
        assert any("out of device memory" in record.getMessage() for record in caplog.records)

    def test_not_even_one_source(self, monkeypatch):
        """The error says of what, and on how many nodes."""
        from sparsebc.engines.cuda.msbfs import msbfs
        from sparsebc.engines.cuda.sssp import shortest_paths

        short_of(monkeypatch, msbfs.MSBFSSearch, "_row_arrays", most=0)
        short_of(monkeypatch, shortest_paths.ShortestPaths, "_word_arrays", most=0)
        with pytest.raises(MemoryError, match="for the search from one source on 240 nodes"):
            bfs(LARGE["grid"], [0], device="cuda")
        with pytest.raises(MemoryError, match="for 32 sources on 240 nodes"):
            paths(LARGE["grid"].astype(float), [0], weighted=True, device="cuda")

    @pytest.mark.parametrize("directed", [True, False])
    @pytest.mark.parametrize("name", ["large hubs", "streets", "large digraph"])
    def test_lengths_in_little_memory(self, name, directed, monkeypatch, caplog):
        """As planned to the byte, fewer words of sources where there is less, half when short."""
        from sparsebc.engines.cuda.engine import CUDA
        from sparsebc.engines.cuda.sssp import plan, shortest_paths

        A = with_lengths(LARGE[name], np.arange(1, 11) / 10, seed=5)
        n, sources = A.shape[0], np.arange(300, dtype=np.int32) % A.shape[0]
        want = paths(A, sources, weighted=True, directed=directed, device="cuda")
        cuda, taken = CUDA(0), []
        allocate = shortest_paths.ShortestPaths._word_arrays

        def taking(self, words):
            arrays = allocate(self, words)
            taken.append((words, sum(array.nbytes for array in arrays.values())))
            return arrays

        def found(memory):
            out = [np.empty_like(array) for array in want]
            sweep = Sweep("", 0, directed=directed)
            with cuda.here():
                state = shortest_paths.ShortestPaths(A, sweep, memory, np.zeros(1, np.uint8))
                state.paths(sources, *out)
            return out

        monkeypatch.setattr(shortest_paths.ShortestPaths, "_word_arrays", taking)
        least = plan.least_sssp_bytes(n, A.nnz)
        for memory in (least, least + 3 * n * plan.WORD_BYTES, 1 << 34):
            for pair in zip(found(memory), want, strict=True):
                assert_array_equal(*pair)
        assert taken == [(words, words * n * plan.WORD_BYTES) for words, _ in taken]
        assert taken[0][0] < taken[-1][0] == 10
        short_of(monkeypatch, shortest_paths.ShortestPaths, "_word_arrays", most=1)
        for pair in zip(found(1 << 34), want, strict=True):
            assert_array_equal(*pair)
        assert any("out of device memory" in record.getMessage() for record in caplog.records)

    @pytest.mark.parametrize("piece", [64, 1000, 1 << 23])
    def test_long_arrays_come_to_the_host_in_pieces(self, piece, monkeypatch):
        """Whatever their size, in whatever order they lie, and into memory that is there."""
        import cupy

        from sparsebc.engines.cuda.runtime import copies

        monkeypatch.setattr(copies, "PIECE", piece)
        want = np.random.default_rng(0).random((37, 211))
        there, out = cupy.asarray(want), np.empty_like(want)
        assert_array_equal(copies.download(there), want)
        assert_array_equal(copies.download(there[::2].T), want[::2].T)
        assert copies.download(there, out) is out
        assert_array_equal(out, want)

    def test_a_budget_that_holds_no_batch(self):
        """The number of bytes that would do."""
        with pytest.raises(MemoryError, match=r"240 sources on 240 nodes needs .* memory_budget"):
            centralities(LARGE["grid"], ["harmonic"], device="cuda", memory_budget=1 << 16)

    @pytest.mark.parametrize("form", ["csr", "csc", "coo"])
    @pytest.mark.parametrize("name", ["digraph", "disconnected"])
    def test_cupy_in_cupy_out(self, name, form):
        """The same numbers, on the device of the matrix, which is left as it was."""
        import cupy
        import cupyx.scipy.sparse as cs

        A = MEDIUM[name].astype(float)
        A.data[:] = np.random.default_rng(4).integers(1, 9, A.nnz)
        B = getattr(cs, f"{form}_matrix")(sp.csr_matrix(A))
        before = B.get().toarray()
        calls = {
            **MEASURES,
            "bfs": lambda A: bfs(A, [3, 1]),
            "distances": lambda A: paths(A, [3, 1])[0],
            "predecessors": lambda A: paths(A, [3, 1])[1],
            "lengths": lambda A: paths(A, [3, 1], weighted=True)[0],
            "before": lambda A: paths(A, [3, 1], weighted=True)[1],
            "weak": lambda A: connected_components(A)[1],
            "strong": lambda A: connected_components(A, connection="strong")[1],
        }
        for call in calls.values():
            got, want = call(B), call(A)
            assert isinstance(got, cupy.ndarray)
            assert isinstance(want, np.ndarray)
            assert got.device == B.data.device
            assert_array_equal(got.get(), want)
        assert_array_equal(B.get().toarray(), before)

    def test_a_cupy_matrix_may_be_searched_on_the_host(self):
        """The results come back to its device."""
        import cupy
        import cupyx.scipy.sparse as cs

        B = cs.csr_matrix(sp.csr_matrix(MEDIUM["digraph"].astype(float)))
        got = bfs(B, [0], device="cpu")
        assert isinstance(got, cupy.ndarray)
        assert_array_equal(got.get(), bfs(B, [0]).get())
