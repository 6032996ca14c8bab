"""Dismantling: each removal is the one that scores from scratch would make."""

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, with_lengths
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from scipy.sparse import csgraph

from sparsebc import Dismantling, betweenness, dismantle, edge_betweenness
from sparsebc.engines import devices
from sparsebc.testing import brandes, graphs, lengths

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


def by_engine(A, by, **options):
    """Raw scores by a run from scratch, of edges as a matrix."""
    measure = betweenness if by == "betweenness" else edge_betweenness
    return measure(A, normalized=False, device="cpu", **options)


def by_brandes(A, by, **options):
    """The same by Brandes' algorithm in plain Python; unlike zeros, edges of score 0 are stored."""
    scores = brandes(A, by, normalized=False, **options)
    if by == "betweenness":
        return scores
    pattern = A if options["directed"] else A + A.T
    row, column = sp.csr_array(pattern).tocoo().coords
    return sp.csr_array((scores[row, column], (row, column)), shape=A.shape)


def check(found, A, by, scratch=by_engine, **options):
    """Each step is that of scores from scratch of what is left, which is returned."""
    kept = np.ones(A.shape[0], dtype=bool)
    for taken, score, left in zip(found.order.tolist(), found.scores, found.largest, strict=True):
        scores = scratch(A, by, **options)
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


NODE = st.integers(0, 6)


class Attack(RuleBasedStateMachine):
    """A graph that is attacked, mended and attacked again, against Brandes' algorithm."""

    @initialize(
        A=graphs(max_nodes=7, lengths=lengths),
        device=st.sampled_from(["cpu", "reference", *(["cuda"] if devices.gpus() else [])]),
        directed=st.booleans(),
        weighted=st.booleans(),
    )
    def begin(self, A, device, directed, weighted):
        self.A, self.device = sp.csr_array(A.astype(float)), device
        self.options = {"directed": directed, "weighted": weighted}

    @rule(by=st.sampled_from(BY), steps=st.integers(1, 4))
    def attack(self, by, steps):
        """Some steps, of which the next attack finds what is left."""
        run = {"steps": steps, "device": self.device, **self.options}
        found = dismantle(self.A, by, normalized=False, **run)
        left = check(found, self.A, by, by_brandes, **self.options)
        if by == "betweenness":
            assert len(found.order) == min(steps, left.shape[0])
        else:
            assert len(found.order) == steps or not left.nnz
        self.A = left

    @rule(by=st.sampled_from(BY))
    def attack_to_the_end(self, by):
        """Nothing is left; shares are of the pairs of nodes that are left, or of all for edges."""
        run = {"device": self.device, **self.options}
        found = dismantle(self.A, by, normalized=False, **run)
        shares, n = dismantle(self.A, by, **run), self.A.shape[0]
        assert isinstance(shares, Dismantling)
        assert by != "betweenness" or len(found.order) == n
        left = n - np.arange(len(found.order)) - 1  # of nodes, the others that there are
        pairs = n * (n - 1) if by == "edge_betweenness" else left * (left - 1)
        want = found.scores * (1 if self.options["directed"] else 2) / np.maximum(pairs, 1)
        np.testing.assert_allclose(shares.scores, want, rtol=1e-12)
        self.A = check(found, self.A, by, by_brandes, **self.options)
        assert not self.A.nnz

    @rule(i=NODE, j=NODE, length=st.integers(1, 3))
    def mend(self, i, j, length):
        """Lay an edge, if there are such nodes."""
        if max(i, j) < self.A.shape[0] and i != j:
            A = self.A.tolil()
            A[i, j] = length
            self.A = sp.csr_array(A)


Attack.TestCase.settings = settings(max_examples=15, stateful_step_count=6)
TestAttack = Attack.TestCase


SHAPES = ("sparse digraph", "streets", "forest", "communities")


@pytest.mark.parametrize("by", BY)
@pytest.mark.parametrize("name", SHAPES)
@given(st.booleans(), st.booleans(), st.sampled_from(["all", "none", ["trees"]]))
@settings(max_examples=2)
def test_each_step_removes_what_scores_from_scratch_say(name, by, directed, weighted, reduce):
    """Each step a run of the measure on all that is left; trees, blocks and twins come and go."""
    A = (MEDIUM | LARGE)[name].astype(float)
    if weighted:
        A = with_lengths(A, [0.1, 0.2, 0.3])
    options = {"directed": directed, "weighted": weighted}
    run = {"steps": 8, "normalized": False, "device": "cpu", "reduce": reduce}
    found = dismantle(A, by, **run, **options)
    assert len(found.order) == 8
    check(found, A, by, **options)


@given(st.sampled_from(sorted(MEDIUM)), st.sampled_from(BY))
@settings(max_examples=8)
def test_without_recomputing_the_order_is_that_of_the_first_scores(name, by):
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


def test_graphs_without_edges_end_at_once():
    """A graph without edges, or without nodes; and progress counts steps."""
    seen = []
    nothing = sp.csr_array((3, 3))
    found = dismantle(nothing, device="cpu", progress=lambda *step: seen.append(step))
    assert found.order.tolist() == [0, 1, 2]
    assert found.scores.tolist() == [0, 0, 0]
    assert found.largest.tolist() == [1, 1, 0]
    assert seen == [(1, 3), (2, 3), (3, 3)]
    path = sp.csr_array(np.eye(3, k=1))
    assert dismantle(path, directed=False, device="cpu").scores.tolist() == [1, 0, 0]
    for A in (nothing, sp.csr_array((0, 0))):
        found = dismantle(A, "edge_betweenness", device="cpu")
        assert found.order.shape == (0, 2)
        assert found.largest.size == 0
