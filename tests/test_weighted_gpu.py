"""Lengths on a GPU: the same bits however distances are found and sources are shared out."""

import numpy as np
import pytest
from graphs import LARGE, with_lengths

from sparsebc import betweenness, edge_betweenness, engines

WHOLE = np.arange(1, 11)
UNEQUAL = np.append(np.arange(1.0, 6.0), 2.0**16)
KINDS = {"whole": WHOLE, "tenths": WHOLE / 10, "unequal": UNEQUAL, "uneven": UNEQUAL / 10}
NAMES = ["large hubs", "streets", "grid", "dense", "directed cycle"]


def test_the_reference_engine_on_a_gpu_takes_no_lengths():
    """The message says which engine does."""
    with pytest.raises(ValueError, match="'reference:cuda' takes no lengths: use device='cuda'"):
        engines.select("reference:cuda", weighted=True)


@pytest.mark.gpu
@pytest.mark.skipif(not engines.devices(), reason="no GPU")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", NAMES)
class TestOnTheDevice:
    """Need CuPy and a GPU."""

    @pytest.fixture
    def scores(self, name, kind):
        """Scores for options of a run."""
        A = with_lengths(LARGE[name], KINDS[kind], seed=3)
        return lambda **run: betweenness(A, weighted=True, device="cuda", **run)

    def test_fewer_sources_at_once(self, scores, monkeypatch):
        """A budget for one lane, launches of one source a lane: the same bits."""
        from sparsebc.engines import weighted_cuda

        want = {dtype: scores(dtype=dtype) for dtype in ("float32", "float64")}
        monkeypatch.setattr(weighted_cuda, "LAUNCH_ARCS", 1)
        lane_bytes = weighted_cuda.lane_bytes
        for factor in (1, 1 << 14, 1 << 60):
            monkeypatch.setattr(
                weighted_cuda, "lane_bytes", lambda *of, factor=factor: factor * lane_bytes(*of)
            )
            monkeypatch.setattr(weighted_cuda, "workspace_bytes", lambda *of: 0)
            for dtype, expected in want.items():
                np.testing.assert_array_equal(scores(dtype=dtype), expected)

    @pytest.mark.parametrize("near", [0.01, 1, 1e9])
    def test_near_and_far(self, scores, near, monkeypatch):
        """Distances found in waves give the bits that narrow buckets give, as do 64 bits for 32."""
        from sparsebc.engines import weighted_cuda

        want = scores()
        monkeypatch.setattr(weighted_cuda, "RING", 0)
        monkeypatch.setattr(weighted_cuda, "NEAR", near)
        np.testing.assert_array_equal(scores(), want)
        monkeypatch.setattr(weighted_cuda, "UNREACHED", 0)
        np.testing.assert_array_equal(scores(), want)

    def test_out_of_memory_halves_the_plan(self, scores, monkeypatch, caplog):
        """With a warning, and the same bits."""
        import cupy

        from sparsebc.engines import weighted_cuda

        want = scores()
        allocate = weighted_cuda.WeightedWorkspace._lane_arrays

        def short(self, lanes):
            if lanes > 1:
                raise cupy.cuda.memory.OutOfMemoryError(0, 0, 0)
            return allocate(self, lanes)

        monkeypatch.setattr(weighted_cuda.WeightedWorkspace, "_lane_arrays", short)
        np.testing.assert_array_equal(scores(), want)
        assert any("out of device memory" in record.getMessage() for record in caplog.records)


@pytest.mark.gpu
@pytest.mark.skipif(not engines.devices(), reason="no GPU")
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
def test_cupy_in_cupy_out(form):
    """Lengths of a CuPy matrix; the scores are where it is, and it stays what it was."""
    import cupy
    import cupyx.scipy.sparse

    A = with_lengths(LARGE["large hubs"], WHOLE, seed=3).astype(float)
    there = cupyx.scipy.sparse.csr_matrix(A).asformat(form)
    got = betweenness(there, weighted=True)
    assert isinstance(got, cupy.ndarray)
    np.testing.assert_array_equal(got.get(), betweenness(A, weighted=True, device="cuda"))
    np.testing.assert_array_equal(there.get().toarray(), A.toarray())


@pytest.mark.gpu
@pytest.mark.skipif(not engines.devices(), reason="no GPU")
def test_what_a_gpu_does_not_know_by_length():
    """Sums along edges: the message says where to go."""
    A = with_lengths(LARGE["large hubs"], WHOLE, seed=3)
    with pytest.raises(RuntimeError, match=r"cannot sum arcs with weighted=True yet: .*'cpu'"):
        edge_betweenness(A, weighted=True, device="cuda")
