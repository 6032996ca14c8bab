"""Trees folded where pairs count by an exponential of their distance, beside the definition."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conformance import verdict
from conformance.drawing import Question
from graphs import with_lengths, with_trees
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from sparsebc import betweenness, edge_betweenness, explain

NAMES = ["betweenness", "edge_betweenness"]


@st.composite
def of_forests_and_more(draw):
    """Questions of a graph that is a forest but for few edges, and of weights of nodes."""
    n = draw(st.integers(1, 9))
    edges = {}
    for v in range(1, n):
        parent = draw(st.none() | st.integers(0, v - 1))
        if parent is not None:
            edges[parent, v] = draw(st.integers(1, 5))
    for _ in range(draw(st.integers(0, 3)) if n > 2 else 0):
        u, v = sorted(draw(st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True)))
        edges[u, v] = draw(st.integers(1, 5))
    options = {"directed": False, "normalized": False, "names": NAMES}
    options |= {name: draw(st.booleans()) for name in ("weighted", "endpoints")}
    options["decay"] = "exponential", draw(st.sampled_from([0.01, 0.7, 5.0, 60.0]))
    weight = st.sampled_from([0, 1, 3, 0.75, 2.0**40])
    weights = draw(st.none() | st.lists(weight, min_size=n, max_size=n).filter(any))
    if weights:
        options |= dict.fromkeys(("source_weights", "target_weights"), weights)
    return Question(n, [(*edge, length) for edge, length in edges.items()], "centralities", options)


@given(of_forests_and_more())
def test_scores_are_those_of_the_definition(question):
    """A score of a small share of the largest as well: no digit is lost beside it."""
    assert not verdict.complaints(question, "cpu")


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
        assert step.left_out == "by demand or decay a node cannot stand for others"


def test_roots_that_weigh_next_to_nothing_keep_their_trees():
    """A share that a sweep could lose beside path counts is not handed on."""
    A = with_lengths(with_trees(LATTICE, seed=3), [1.0])
    weights = np.zeros(A.shape[0])
    weights[-1], weights[0] = 1, 2
    ways = {"source_weights": weights, "target_weights": weights, "device": "cpu"}
    ways |= {"decay": ("exponential", 130.0), "weighted": True}
    want = betweenness(A, reduce="none", normalized=False, **ways)
    assert_allclose(betweenness(A, normalized=False, **ways), want, rtol=1e-11)
