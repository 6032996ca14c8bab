"""Which part of a network: by strength, without isolated nodes, the largest component."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sparsebc import part_of
from sparsebc.io import Network
from sparsebc.testing import matrices


@given(matrices(duplicates=False), st.integers(0, 3), st.booleans())
def test_a_part_is_that_of_dense_indexing(A, threshold, isolated):
    """Entries that suffice, and the nodes that have one off the diagonal, in order."""
    before = A.copy()
    dense = np.full(A.shape, -1.0)
    coo = A.tocoo()
    dense[coo.row, coo.col] = coo.data
    kept = dense >= threshold
    if not kept.any():
        with pytest.raises(ValueError, match=f"threshold={threshold}: no edge reaches it"):
            part_of(A, threshold=threshold)
        return
    part, nodes = part_of(A, threshold=threshold, isolated=isolated)
    off = kept & ~np.eye(len(dense), dtype=bool)
    linked = np.flatnonzero(off.any(axis=0) | off.any(axis=1))
    want = np.arange(len(dense)) if isolated else linked
    np.testing.assert_array_equal(nodes, want)
    got = np.full(part.shape, -1.0)
    coo = part.tocoo()
    got[coo.row, coo.col] = coo.data
    np.testing.assert_array_equal(got, np.where(kept, dense, -1)[np.ix_(want, want)])
    assert (A != before).nnz == 0


@given(matrices(duplicates=False), st.sampled_from(["f2", ">f8", ">f4", ">i4", ">u2"]))
def test_values_of_types_that_scipy_lacks_are_kept(A, kind):
    """Halves and values of another byte order, as a file may hold them, are what they are."""
    A = A.tocsr()
    A.data = np.arange(A.nnz) % 5 + 1.0
    other = A.copy()
    other.data = A.data.astype(kind)
    for options in ({}, {"threshold": 1}, {"isolated": False}, {"largest_component": True}):
        if options.get("threshold") and not A.nnz:
            continue
        (want, nodes), (got, same) = part_of(A, **options), part_of(other, **options)
        np.testing.assert_array_equal(got.toarray(), want.toarray())
        np.testing.assert_array_equal(same, nodes)
    network = Network(other, tuple(map(str, range(A.shape[0]))))
    np.testing.assert_array_equal(part_of(network)[0].toarray(), A.toarray())


def test_the_largest_component_is_found_whatever_its_directions():
    """Directions aside, of several as large that of the first node; isolated nodes are not in."""
    A = sp.coo_array(([1, 1, 1, 1], ([1, 3, 5, 4], [2, 4, 6, 3])), shape=(7, 7))
    part, nodes = part_of(A, largest_component=True)
    assert nodes.tolist() == [1, 2]
    assert part.toarray().tolist() == [[0, 1], [0, 0]]
    assert part_of(sp.csr_array((0, 0)), largest_component=True)[1].size == 0
    alone = part_of(sp.csr_array((3, 3)), largest_component=True, isolated=False)[1]
    assert alone.tolist() == [0]  # `isolated` has no effect
