"""Betweenness of nodes and edges and stress by length, beside peers, on graphs of some size.

The conformance suite asks the definition, of small graphs.
"""

import functools
import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from calls import assert_same
from graphs import LARGE, MEDIUM, SELECTED, with_lengths
from scipy.sparse import csgraph

from sparsebc import betweenness, centralities, edge_betweenness


@pytest.fixture(scope="session")
def device(fast_device):
    """The conformance suite asks the literal algebra."""
    return fast_device


BOOLS = (True, False)
UNEQUAL = np.append(np.arange(1.0, 6.0), 2.0**16)  # of several magnitudes
# Whole numbers, some with many ties; sums of tenths round.
KINDS = {
    "whole": np.arange(1, 11),
    "few": np.array([1.0, 2.0, 3.0]),
    "tenths": np.arange(1, 7) / 10,
    "unequal": UNEQUAL,
}
ALL = ("betweenness", "edge_betweenness", "stress")
SHAPES = ("streets", "large hubs", "unicyclic", "dense")
by_length = functools.partial(centralities, names=ALL, weighted=True)


@functools.cache
def lengthened(name, kind):
    """A named graph with lengths of a kind."""
    return with_lengths((MEDIUM | LARGE)[name], KINDS[kind], seed=77)


def subdivided(A):
    """Put w - 1 nodes on each edge of whole length w, behind the nodes there are."""
    coo = sp.coo_array(A)
    edges, fresh = [], A.shape[0]
    for i, j, w in zip(coo.row, coo.col, coo.data, strict=True):
        stops = [i, *range(fresh, fresh + int(w) - 1), j]
        fresh += int(w) - 1
        edges += itertools.pairwise(stops)
    tails, heads = np.array(edges).T
    return sp.csr_array((np.ones(len(edges)), (tails, heads)), shape=(fresh, fresh))


@pytest.mark.parametrize("name", SELECTED)
def test_a_length_is_as_many_edges(device, name):
    """An edge of length w is a path of w edges, where only the old nodes are ends."""
    A = lengthened(name, "few")
    old, ways = np.arange(A.shape[0]), {"normalized": False, "device": device}
    want = betweenness(subdivided(A), sources=old, targets=old, **ways)[old]
    got = by_length(A, **ways)
    np.testing.assert_allclose(got["betweenness"], want, rtol=1e-10, atol=1e-10)
    d = csgraph.dijkstra(A)
    walked = A.multiply(got["edge_betweenness"]).sum()  # each pair, along the edges
    assert walked == pytest.approx(d[np.isfinite(d)].sum(), rel=1e-12)


@pytest.mark.parametrize("length", [0.1, 7])
@pytest.mark.parametrize("name", SELECTED)
def test_equal_lengths_are_no_lengths(device, name, length):
    """Not a bit differs from the unweighted scores."""
    A = sp.csr_array(LARGE[name])
    same = sp.csr_array((np.full(A.nnz, length), A.indices, A.indptr), shape=A.shape)
    for options in ({"tie_rtol": 0}, {"directed": False}):
        got = by_length(same, **options, device=device)
        want = centralities(A, ALL, directed=options.get("directed", True), device=device)
        assert_same(got, want)


@pytest.mark.parametrize("power", [-40, 1])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", SHAPES)
def test_scaling_by_a_power_of_two_changes_no_bit(device, name, kind, power):
    """Sums, comparisons and buckets scale with the lengths."""
    A = lengthened(name, kind)
    assert_same(*(by_length(B, device=device) for B in (A * 2.0**power, A)))


@pytest.mark.parametrize("name", SHAPES)
def test_both_entries_of_an_undirected_edge_agree(device, name):
    """To the bit."""
    options = {"weighted": True, "directed": False, "sources": range(70), "device": device}
    got = edge_betweenness(lengthened(name, "tenths"), **options).toarray()
    np.testing.assert_array_equal(got, got.T)
