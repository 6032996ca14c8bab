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
@settings(max_examples=50)
def test_to_the_end(A, by, directed, weighted):
    """Order, score and largest component of each step, until nothing is left."""
    options = {"directed": directed, "weighted": weighted}
    found = dismantle(A, by, normalized=False, device="cpu", **options)
    assert not check(found, A, by, **options).nnz
    assert by != "betweenness" or len(found.order) == A.shape[0]


CASES = [
    *((name, *way, "all") for name in ("sparse digraph", "hubs", "streets", "grid")
      for way in ((False, False), (True, False), (False, True))),
    # Trees, blocks and twins come about and go, in whatever component.
    *((name, False, False, reduce) for name in ("forest", "large hubs", "communities")
      for reduce in ("none", ["trees"], "all")),
]  # fmt: skip


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize(("name", "directed", "weighted", "reduce"), CASES)
def test_equals_recomputing_from_scratch(name, by, directed, weighted, reduce):
    """Each step a run of the measure on all that is left."""
    A = (MEDIUM | LARGE)[name].astype(float)
    if weighted:
        A = with_lengths(A, [0.1, 0.2, 0.3])
    options = {"directed": directed, "weighted": weighted}
    run = {"steps": 8, "normalized": False, "device": "cpu", "reduce": reduce}
    found = dismantle(A, by, **run, **options)
    assert len(found.order) == 8
    check(found, A, by, **options)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("by", BY)
def test_on_every_engine(device, by, weighted):
    """The same order and scores, whoever sums."""
    A = with_lengths(MEDIUM["graph"], [1, 2, 3])
    options = {"steps": 4, "directed": False, "weighted": weighted}
    want = dismantle(A, by, device="cpu", **options)
    got = dismantle(A, by, device=device, **options)
    np.testing.assert_array_equal(got.order, want.order)
    np.testing.assert_allclose(got.scores, want.scores, rtol=1e-11)
    np.testing.assert_array_equal(got.largest, want.largest)


@pytest.mark.parametrize("by", BY)
def test_only_the_component_that_lost_something_is_swept(by, monkeypatch):
    """A cycle loses its nodes or edges, and then a path does; a node that is gone is no source."""
    swept, accumulate = [], sweep.accumulate

    def counted(engine, question, run):
        swept.append(np.flatnonzero(question.alpha).tolist())
        return accumulate(engine, question, run)

    monkeypatch.setattr(sweep, "accumulate", counted)
    cycle, path = nx.cycle_graph(12), nx.path_graph(3)
    graph = nx.disjoint_union(cycle, path)
    found = dismantle(matrix(graph), by, steps=2, directed=False, device="cpu")
    whole, first, second = swept
    assert whole == list(range(15))
    if by == "betweenness":
        assert found.order.tolist() == [0, 6]
        assert (first, second) == (list(range(1, 12)), [1, 2, 3, 4, 5, 7, 8, 9, 10, 11])
    else:
        assert found.order.tolist() == [[0, 1], [6, 7]]
        assert first == second == list(range(12))


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


@pytest.mark.parametrize("by", BY)
def test_scores_are_scaled(by):
    """Those of nodes by the nodes that are left, those of edges by all."""
    A = MEDIUM["graph"]
    n = A.shape[0]
    raw = dismantle(A, by, steps=3, directed=False, normalized=False, device="cpu")
    shares = dismantle(A, by, steps=3, directed=False, device="cpu")
    assert isinstance(shares, Dismantling)
    left = n - np.arange(3) - 1
    pairs = n * (n - 1) if by == "edge_betweenness" else left * (left - 1)
    np.testing.assert_allclose(shares.scores, 2 * raw.scores / pairs, rtol=1e-12)
    function = edge_betweenness if by == "edge_betweenness" else betweenness
    first = function(A, directed=False, device="cpu")
    assert shares.scores[0] == pytest.approx(first.max(), rel=1e-12)


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
