"""Laws of graphs larger than those that the conformance suite draws, and what changes no bit."""

import functools

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, SELECTED
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsebc import betweenness, edge_betweenness
from sparsebc.testing import matrices


def halves(n):
    """Split the nodes in two, both non-empty, in no particular order."""
    order = np.random.default_rng(761).permutation(n)
    return order[: (n + 1) // 2], order[(n + 1) // 2 :]


@given(A=matrices(), directed=st.booleans(), data=st.data())
@settings(max_examples=30)
def test_only_the_pattern_counts(fast_device, A, directed, data):
    """Values, repetitions, self loops, order, format, class and index width change no bit."""
    coo, n = A.tocoo(), A.shape[0]
    more = st.lists(st.sampled_from(range(coo.nnz)), max_size=8) if coo.nnz else st.just([])
    again = data.draw(st.permutations([*range(coo.nnz), *data.draw(more)]))
    row, column = (np.array([*ends[again], *range(n)], dtype=int) for ends in (coo.row, coo.col))
    values = data.draw(st.lists(st.floats(0.1, 9), min_size=len(row), max_size=len(row)))
    same = sp.coo_array((values, (row, column)), shape=A.shape)
    scores = functools.partial(betweenness, directed=directed, device=fast_device)
    want = scores(A)
    for other in (same, same.tocsr(), same.tocsc(), sp.csr_matrix(same)):
        np.testing.assert_array_equal(scores(other), want)


@given(A=matrices(), some=st.data(), weighted=st.booleans())
@settings(max_examples=30)
def test_both_entries_of_an_undirected_edge_agree(fast_device, A, some, weighted):
    """To the bit."""
    n = A.shape[0]
    A = A.astype(float)
    A.data = (1 + A.data) / 10
    sources = some.draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True)) if n else None
    ways = {"directed": False, "weighted": weighted, "device": fast_device}
    got = edge_betweenness(A, sources=sources, **ways).toarray()
    np.testing.assert_array_equal(got, got.T)


@pytest.mark.parametrize("name", SELECTED)
def test_order_of_sources_and_targets_changes_no_bit(fast_device, name):
    """Sources and targets are sets; lengths that are all equal are none."""
    scores = functools.partial(betweenness, device=fast_device)
    sources, targets = halves(LARGE[name].shape[0])
    want = scores(LARGE[name], sources=sources, targets=targets)
    for A, weighted in ((LARGE[name], False), (LARGE[name] * 0.1, True)):
        ends = {"sources": np.sort(sources), "targets": targets[::-1]}
        assert scores(A, weighted=weighted, **ends).tobytes() == want.tobytes()
