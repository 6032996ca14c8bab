"""Searches on a GPU alone: batches, dense and sparse levels, hubs, CuPy matrices, own kernels."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from changed_kernels import changed_sources, short_of_memory
from graphs import LARGE, MEDIUM, with_lengths
from numpy.testing import assert_array_equal

from sparsebc import bfs, centralities, closeness, connected_components, eccentricity, harmonic
from sparsebc import shortest_paths as paths
from sparsebc.engines import devices
from sparsebc.engines.cuda import kernel_table as table

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
        A = sp.csr_array(sp.random(3000, 3000, 0.001, random_state=3, format="csr"))
        want = harmonic(A, device="cuda")
        with monkeypatch.context() as patch:
            short_of_memory(patch, "one batch", most=1)
            assert_array_equal(harmonic(A, device="cuda"), want)
        assert any("out of device memory" in record.getMessage() for record in caplog.records)
        monkeypatch.setattr(table, "BLOCK_SLOTS", 3000)
        np.testing.assert_allclose(harmonic(A, device="cuda"), want, rtol=1e-14)

    @pytest.mark.parametrize("most", [1, 3, 600])
    def test_out_of_memory_halves_the_rows(self, most, monkeypatch, caplog):
        """With one warning for each halving, and the same results."""
        A, sources = LARGE["streets"], np.arange(1500) % LARGE["streets"].shape[0]
        want = bfs(A, sources, device="cpu"), *paths(A, sources, device="cpu")
        short_of_memory(monkeypatch, "search from one source", most=most)
        got = bfs(A, sources, device="cuda"), *paths(A, sources, device="cuda")
        for pair in zip(got, want, strict=True):
            assert_array_equal(*pair)
        assert any("out of device memory" in record.getMessage() for record in caplog.records)

    def test_not_even_one_source(self, monkeypatch):
        """The error says of what, and on how many nodes."""
        short_of_memory(monkeypatch, "", most=0)
        with pytest.raises(MemoryError, match="for the search from one source on 240 nodes"):
            bfs(LARGE["grid"], [0], device="cuda")
        with pytest.raises(MemoryError, match="for 32 sources on 240 nodes"):
            paths(LARGE["grid"].astype(float), [0], weighted=True, device="cuda")

    @pytest.mark.parametrize("directed", [True, False])
    @pytest.mark.parametrize("name", ["large hubs", "streets", "large digraph"])
    def test_lengths_in_little_memory(self, name, directed, monkeypatch, caplog):
        """Fewer words of sources where there is less, half when short: the same distances."""
        A, sources = with_lengths(LARGE[name], np.arange(1, 11) / 10, seed=5), np.arange(200)
        ways = {"weighted": True, "directed": directed, "device": "cuda"}
        want = paths(A, sources, **ways)
        with pytest.raises(MemoryError) as refused:
            paths(A, sources, memory_budget=1, **ways)
        least = int(re.search(r"needs (\d+) bytes", str(refused.value))[1])
        for memory in (least, 3 * least):
            for pair in zip(paths(A, sources, memory_budget=memory, **ways), want, strict=True):
                assert_array_equal(*pair)
        short_of_memory(monkeypatch, "32 sources", most=1)
        for pair in zip(paths(A, sources, **ways), want, strict=True):
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
