"""Trees folded where pairs count by an exponential of their distance, beside the definition."""

from fractions import Fraction

import networkx as nx
import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from graphs import with_lengths, with_trees
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sparsebc import betweenness, centralities, edge_betweenness, explain

NAMES = ["betweenness", "edge_betweenness"]


@st.composite
def forests_and_more(draw):
    """Edges of a graph that is a forest but for few edges, with a length each; weights of nodes."""
    n = draw(st.integers(1, 9))
    edges = {}
    for v in range(1, n):
        parent = draw(st.none() | st.integers(0, v - 1))
        if parent is not None:
            edges[parent, v] = draw(st.integers(1, 5))
    for _ in range(draw(st.integers(0, 3)) if n > 2 else 0):
        u, v = sorted(draw(st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True)))
        edges[u, v] = draw(st.integers(1, 5))
    weight = st.sampled_from([0, 1, 3, 0.75, 2.0**40])
    weights = draw(st.none() | st.lists(weight, min_size=n, max_size=n).filter(any))
    return n, edges, weights


@given(forests_and_more(), st.booleans(), st.booleans(), st.sampled_from([0.01, 0.7, 5.0, 60.0]))
def test_scores_are_those_of_the_definition(made, weighted, endpoints, beta):
    """A score of a small share of the largest as well: no digit is lost beside it."""
    n, edges, weights = made
    both = {(i, j): w for (u, v), w in edges.items() for i, j in ((u, v), (v, u))}
    A = sp.coo_array((n, n), dtype=np.float64)
    if edges:
        A = sp.coo_array((list(both.values()), tuple(zip(*both, strict=True))), shape=(n, n))
    length = {edge: Fraction(w) for edge, w in both.items()} if weighted else None
    asked = {
        "directed": False,
        "length": length,
        "alpha": weights,
        "omega": weights,
        "decay": lambda d: oracle.by_distance(("exponential", beta), d),
    }
    scores = centralities(
        A,
        NAMES,
        directed=False,
        weighted=weighted,
        normalized=False,
        endpoints=endpoints,
        source_weights=weights,
        target_weights=weights,
        decay=("exponential", beta),
        device="cpu",
    )
    near = {"rtol": 1e-12, "atol": 1e-150 * 2.0**80 * n**2}
    raw = oracle.raw(n, both, endpoints=endpoints, **asked)
    assert_allclose(scores["betweenness"], [float(score / 2) for score in raw], **near)
    along = oracle.raw_edges(n, both, **asked)
    arcs = scores["edge_betweenness"].tocoo()
    want = [float(along[i, j] / 2) for i, j in zip(arcs.row, arcs.col, strict=True)]
    assert_allclose(arcs.data, want, **near)


LATTICE = nx.grid_2d_graph(9, 9)


@pytest.mark.parametrize("weighted", [False, True])
def test_a_plan_folds_trees_where_pairs_count_alike_both_ways(weighted):
    """Their nodes are not swept; normalized scores and any number of workers change nothing."""
    A = with_trees(LATTICE, seed=3)
    A = with_lengths(A, [1, 2, 2.5]) if weighted else A
    ways = {"weighted": weighted, "decay": ("exponential", 0.2), "device": "cpu"}
    trees = next(step for step in explain(A, **ways).steps if step.name == "trees")
    assert trees.left_out is None
    assert trees.nodes == len(LATTICE)
    for score in (betweenness, lambda A, **ways: edge_betweenness(A, **ways).data):
        one = score(A, workers=1, **ways)
        assert_array_equal(one, score(A, workers=2, **ways))
        assert_allclose(one, score(A, reduce="none", **ways), rtol=1e-11)
    jobs = np.arange(A.shape[0])
    for other in (
        {"decay": ("linear", 3)},
        {"target_weights": jobs},
        {"cutoff": 3},
        {"demand": sp.eye_array(A.shape[0], k=1)},
    ):
        step = next(step for step in explain(A, **ways | other).steps if step.name == "trees")
        assert step.left_out == "with demand or decay a node cannot stand for others"


def test_roots_that_weigh_next_to_nothing_keep_their_trees():
    """A share that a sweep could lose beside path counts is not handed on."""
    A = with_lengths(with_trees(LATTICE, seed=3), [1.0])
    weights = np.zeros(A.shape[0])
    weights[-1], weights[0] = 1, 2
    ways = {"source_weights": weights, "target_weights": weights, "device": "cpu"}
    ways |= {"decay": ("exponential", 130.0), "weighted": True}
    want = betweenness(A, reduce="none", normalized=False, **ways)
    assert_allclose(betweenness(A, normalized=False, **ways), want, rtol=1e-11)
