"""Long arrays on their way to a GPU and back, and what the host does meanwhile."""

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import NEEDS_GPU
from graphs import LARGE

from sparsebc import betweenness, edge_betweenness
from sparsebc.matrix import read_matrix

pytestmark = list(NEEDS_GPU)


@pytest.mark.parametrize("directed", [True, False])
def test_matrices_begun_during_the_sweep(directed, monkeypatch):
    """Scores of edges as without, of a single cutoff as well; each call has its own arrays."""
    from sparsebc.engines.cuda import engine
    from sparsebc.engines.cuda.runtime import copies

    A = LARGE["leaves on hubs"]
    given = sp.csr_array(A, dtype=float)
    monkeypatch.setattr(engine, "SMALL", 0)
    options = {"device": "cuda", "directed": directed}
    want = edge_betweenness(given, **options)
    within = edge_betweenness(given, cutoff=[2, 3], **options)
    monkeypatch.setattr(copies, "PIECE", 1 << 6)
    filled, begun = copies.CSRDownload.filled, []

    def counted(self, values):
        begun.append(values)
        return filled(self, values)

    monkeypatch.setattr(copies.CSRDownload, "filled", counted)
    first, second = (edge_betweenness(given, **options) for _ in range(2))
    third = edge_betweenness(given, cutoff=3, **options)
    listed = edge_betweenness(given, cutoff=[2, 3], **options)
    assert len(begun) == 3
    for part in ("data", "indices", "indptr"):
        for got in (first, second):
            np.testing.assert_array_equal(getattr(got, part), getattr(want, part))
            assert not np.shares_memory(getattr(got, part), getattr(given, part))
        assert not np.shares_memory(getattr(first, part), getattr(second, part))
        for got, expected in zip((*listed, third), (*within, within[1]), strict=True):
            np.testing.assert_array_equal(getattr(got, part), getattr(expected, part))


@pytest.mark.parametrize("bad", [np.nan, np.inf, -1.0])
def test_values_are_checked_during_the_upload(bad, monkeypatch):
    """By other threads, to the last of them."""
    from sparsebc.engines.cuda import engine

    monkeypatch.setattr(engine, "SMALL", 0)
    monkeypatch.setattr(read_matrix, "PIECE", 8)
    A = sp.csr_array(LARGE["dense"], dtype=float)
    assert np.isfinite(betweenness(A, device="cuda")).all()
    A.data[-1] = bad
    with pytest.raises(ValueError, match=rf"A stores .*\(entry {A.nnz - 1} of A.data\)"):
        betweenness(A, device="cuda")
