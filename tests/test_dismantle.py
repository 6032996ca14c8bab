"""Dismantling: each removal is the one that scores from scratch would make."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, matrix, with_lengths
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph

from sparsebc import Dismantling, betweenness, dismantle, edge_betweenness
from sparsebc.run import sweep
from sparsebc.testing import matrices

BY = ("betweenness", "edge_betweenness")


def without(A, by, item, *, directed):
    """The matrix without a node's entries, or an edge's."""
    coo = sp.coo_array(A)
    if by == "betweenness":
        gone = (coo.row == item) | (coo.col == item)
    else:
        gone = (coo.row == item[0]) & (coo.col == item[1])
        if not directed:
            gone |= (coo.row == item[1]) & (coo.col == item[0])
    return sp.csr_array((coo.data[~gone], (coo.row[~gone], coo.col[~gone])), shape=A.shape)


def largest(A, removed):
    """Nodes of the largest component but for those that were removed."""
    _, labels = csgraph.connected_components(A, connection="weak")
    kept = np.setdiff1d(np.arange(A.shape[0]), removed)
    return np.bincount(labels[kept], minlength=1).max()


def check(found, A, by, **options):
    """Each step is that of a run of the measure on what is left, its scores all compared."""
    kept = np.ones(A.shape[0], dtype=bool)
    measure = betweenness if by == "betweenness" else edge_betweenness
    for taken, score, left in zip(found.order.tolist(), found.scores, found.largest, strict=True):
        scores = measure(A, normalized=False, device="cpu", **options)
        if by == "betweenness":
            scores[~kept] = -1
            item = int(np.flatnonzero(scores >= scores.max() * (1 - 1e-9))[0])
            most, kept[item] = scores[item], False
        else:
            coo = scores.tocoo()
            most = coo.data.max()
            first = np.flatnonzero(coo.data >= most * (1 - 1e-9))[0]
            item = [int(coo.row[first]), int(coo.col[first])]
        assert taken == item
        np.testing.assert_allclose(score, most, rtol=1e-10, atol=1e-10)
        A = without(A, by, item, directed=options["directed"])
        assert left == largest(A, np.flatnonzero(~kept))
    return A


@given(
    matrices(max_nodes=6, explicit_zeros=False, duplicates=False, self_loops=False),
    st.sampled_from(BY),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=30)
def test_to_the_end(device, A, by, directed, weighted):
    """Order, score and largest component of each step; nodes by those left, edges by all."""
    options = {"directed": directed, "weighted": weighted}
    found = dismantle(A, by, normalized=False, device=device, **options)
    assert not check(found, A, by, **options).nnz
    assert by != "betweenness" or len(found.order) == A.shape[0]
    shares, n = dismantle(A, by, device=device, **options), A.shape[0]
    assert isinstance(shares, Dismantling)
    left = n - np.arange(len(found.order)) - 1  # of nodes, the others that there are
    pairs = n * (n - 1) if by == "edge_betweenness" else left * (left - 1)
    want = found.scores * (1 if directed else 2) / np.maximum(pairs, 1)
    np.testing.assert_allclose(shares.scores, want, rtol=1e-12)


SHAPES = ("sparse digraph", "hubs", "streets", "grid", "forest", "large hubs", "communities")


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("name", SHAPES)
@given(st.booleans(), st.booleans(), st.sampled_from(["all", "none", ["trees"]]))
@settings(max_examples=4)
def test_equals_recomputing_from_scratch(name, by, directed, weighted, reduce):
    """Each step a run of the measure on all that is left; trees, blocks and twins come and go."""
    A = (MEDIUM | LARGE)[name].astype(float)
    if weighted:
        A = with_lengths(A, [0.1, 0.2, 0.3])
    options = {"directed": directed, "weighted": weighted}
    run = {"steps": 8, "normalized": False, "device": "cpu", "reduce": reduce}
    found = dismantle(A, by, **run, **options)
    assert len(found.order) == 8
    check(found, A, by, **options)


@pytest.mark.parametrize("by", BY)
def test_only_the_component_that_lost_something_is_swept(by, monkeypatch):
    """A cycle loses its nodes or edges, and then a path does; a node that is gone is no source."""
    swept, accumulate = [], sweep.accumulate

    def counted(engine, question, run):
        swept.append(np.flatnonzero(question.alpha).tolist())
        return accumulate(engine, question, run)

    monkeypatch.setattr(sweep, "accumulate", counted)
    graph = nx.disjoint_union(nx.cycle_graph(12), nx.path_graph(3))
    found = dismantle(matrix(graph), by, steps=2, directed=False, device="cpu")
    if by == "betweenness":
        assert found.order.tolist() == [0, 6]
        assert swept == [[*range(15)], [*range(1, 12)], [*range(1, 6), *range(7, 12)]]
    else:
        assert found.order.tolist() == [[0, 1], [6, 7]]
        assert swept == [[*range(15)], [*range(12)], [*range(12)]]


@given(st.sampled_from(sorted(MEDIUM)), st.sampled_from(BY))
@settings(max_examples=8)
def test_first_scores_alone(name, by):
    """Without recomputing, the order is that of the scores of the whole graph."""
    A = MEDIUM[name]
    found = dismantle(A, by, recompute=False, directed=False, device="cpu")
    if by == "betweenness":
        want = betweenness(A, directed=False, device="cpu")
        np.testing.assert_allclose(found.scores, np.sort(want)[::-1], rtol=1e-8, atol=1e-12)
        assert sorted(found.order) == list(range(A.shape[0]))
    else:
        want = sp.triu(edge_betweenness(A, directed=False, device="cpu")).data
        np.testing.assert_allclose(found.scores, np.sort(want)[::-1], rtol=1e-8, atol=1e-12)
    assert (np.diff(found.largest) <= 0).all()
    assert found.largest[-1] == (0 if by == "betweenness" else 1)


def test_nothing_to_remove():
    """A graph without edges, or without nodes; and progress counts steps."""
    seen = []
    nothing = sp.csr_array((3, 3))
    found = dismantle(nothing, device="cpu", progress=lambda *step: seen.append(step))
    assert found.order.tolist() == [0, 1, 2]
    assert found.scores.tolist() == [0, 0, 0]
    assert found.largest.tolist() == [1, 1, 0]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    for A in (nothing, sp.csr_array((0, 0))):
        found = dismantle(A, "edge_betweenness", device="cpu")
        assert found.order.shape == (0, 2)
        assert found.largest.size == 0
