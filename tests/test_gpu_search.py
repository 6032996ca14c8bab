"""Searches on a GPU alone: batches, dense and sparse levels, hubs, CuPy matrices, own kernels."""

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM
from numpy.testing import assert_array_equal
from test_gpu import changed_sources

from sparsebc import bfs, centralities, closeness, connected_components, eccentricity, harmonic
from sparsebc import shortest_paths as paths
from sparsebc.engines import devices

MEASURES = {"closeness": closeness, "harmonic": harmonic, "eccentricity": eccentricity}
CASES = ["large hubs", "grid", "dense", "streets", "forest", "directed cycle", "large digraph"]

gpu = [pytest.mark.gpu, pytest.mark.skipif(not devices.gpus(), reason="no GPU")]


class TestOnTheDevice:
    """Need CuPy and a GPU."""

    pytestmark = gpu

    @pytest.mark.parametrize("name", CASES)
    @pytest.mark.parametrize("dense", ["0", "(1ull << 40)"])
    def test_dense_and_sparse_levels_give_the_same(self, name, dense, monkeypatch):
        """By marks alone, or by all rows alone."""
        want = harmonic(LARGE[name], device="cuda")
        with changed_sources(monkeypatch, "DENSE = 1", f"DENSE = {dense}"):
            assert_array_equal(harmonic(LARGE[name], device="cuda"), want)

    @pytest.mark.parametrize("name", CASES)
    @pytest.mark.parametrize("most", [0, 5, 1 << 20])
    def test_hubs_and_rows_give_the_same(self, name, most, monkeypatch):
        """Every row a hub, some, or none."""
        from sparsebc.engines.cuda.search import msbfs

        want = harmonic(LARGE[name], device="cuda"), bfs(LARGE[name], [0, 5], device="cuda")
        monkeypatch.setattr(msbfs, "HUB", most)
        assert_array_equal(harmonic(LARGE[name], device="cuda"), want[0])
        assert_array_equal(bfs(LARGE[name], [0, 5], device="cuda"), want[1])

    def test_batches_and_blocks(self, monkeypatch, caplog):
        """Groups one after the other where memory is short, with a warning where it fails."""
        import cupy

        from sparsebc.engines.cuda import engine
        from sparsebc.engines.cuda.search import msbfs

        A = sp.csr_array(sp.random(3000, 3000, 0.001, random_state=3, format="csr"))
        want = harmonic(A, device="cuda")
        empty = cupy.empty

        def short(shape, dtype=float):
            if np.prod(shape) > 3000 * 4 * msbfs.LANES:
                raise cupy.cuda.memory.OutOfMemoryError(0, 0, 0)
            return empty(shape, dtype)

        with monkeypatch.context() as patch:
            patch.setattr(cupy, "empty", short)
            patch.setattr(msbfs.CUDASearch, "_at_once", lambda self: 1 + (self._memory > 2**31))
            assert_array_equal(harmonic(A, device="cuda"), want)
        assert any("halving" in record.getMessage() for record in caplog.records)
        monkeypatch.setattr(engine, "BLOCK_SLOTS", 3000)
        np.testing.assert_allclose(harmonic(A, device="cuda"), want, rtol=1e-14)

    @pytest.mark.parametrize("piece", [64, 1000, 1 << 23])
    def test_long_arrays_come_to_the_host_in_pieces(self, piece, monkeypatch):
        """Whatever their size, in whatever order they lie, and into memory that is there."""
        import cupy

        from sparsebc.engines.cuda import runtime

        monkeypatch.setattr(runtime, "PIECE", piece)
        want = np.random.default_rng(0).random((37, 211))
        there, out = cupy.asarray(want), np.empty_like(want)
        assert_array_equal(runtime.fetch(there), want)
        assert_array_equal(runtime.fetch(there[::2].T), want[::2].T)
        assert runtime.fetch(there, out) is out
        assert_array_equal(out, want)

    def test_a_budget_that_holds_no_group(self):
        """The number of bytes that would do."""
        with pytest.raises(MemoryError, match=r"1024 sources on 240 nodes needs .* memory_budget"):
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
