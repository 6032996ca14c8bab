"""A cutoff that no distance exceeds is none: found by a few searches, right whatever the graph."""

from itertools import pairwise

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy.sparse import csgraph

from sparsebc import betweenness, datasets, explain
from sparsebc.matrix.graph import is_within
from sparsebc.matrix.read_matrix import canonical
from sparsebc.matrix.read_matrix import weighted as with_lengths
from sparsebc.testing import matrices

GRID, _ = datasets.load("human-proteins")
NEAR = np.sort(csgraph.breadth_first_order(GRID, 0, return_predecessors=False)[:1200])
GRID = sp.csr_array(GRID[NEAR][:, NEAR])
LENGTHS = sp.csr_array(
    (np.random.default_rng(1).random(GRID.nnz) + 0.1, GRID.indices, GRID.indptr), shape=GRID.shape
)
UNDIRECTED = {"directed": False, "device": "cpu"}


def read(A, *, directed, weighted):
    return (with_lengths if weighted else canonical)(A, directed=directed)


@given(
    matrices(max_nodes=7, explicit_zeros=False, duplicates=False, self_loops=False),
    st.booleans(),
    st.booleans(),
)
def test_a_limit_that_is_not_passed(A, directed, weighted):
    """Never said of one that is; always of twice the diameter if all that are joined reach."""
    graph = read(A, directed=directed, weighted=weighted)
    if not graph.n:
        assert is_within(graph, 0)
        return
    values = graph.lengths.outgoing if graph.lengths else None
    unit = 1.0 if graph.lengths is None else None
    found = csgraph.dijkstra(graph.outgoing.matrix(values).astype(float), unweighted=bool(unit))
    longest = found[np.isfinite(found)].max()
    for limit in np.unique(
        [0, 0.5 * longest, longest - 0.25, longest, 1.5 * longest, 2.1 * longest]
    ):
        if is_within(graph, limit):
            assert longest <= limit
    if not directed or np.isfinite(found).all():
        assert is_within(graph, 2.1 * longest)


@given(st.lists(st.lists(st.integers(1, 20), min_size=1, max_size=5), min_size=3, max_size=4))
@example([[4, 1, 1], [4, 1, 1], [2]])  # .6 from the middle, and 1.2 and a rounding from end to end
def test_sums_in_another_order_do_not_pass_the_limit(legs):
    """The float below the diameter of a tree of decimal lengths is passed."""
    assume(len({length for leg in legs for length in leg}) > 1)  # else edges are counted
    tree = nx.Graph()
    for leg, lengths in enumerate(legs):
        ends = [0, *((leg, place) for place in range(len(lengths)))]
        edges = zip(pairwise(ends), lengths, strict=True)
        tree.add_weighted_edges_from((*pair, length / 10) for pair, length in edges)
    A = nx.to_scipy_sparse_array(tree)
    graph = read(A, directed=False, weighted=True)
    assert not is_within(graph, np.nextafter(csgraph.dijkstra(A).max(), 0))


@pytest.mark.parametrize(
    ("A", "weighted"), [(GRID, False), (LENGTHS, True)], ids=["edges", "length"]
)
def test_a_generous_cutoff_is_none(A, weighted):
    """The bits of a call without one, and its reductions; several that are none are one."""
    run = UNDIRECTED | {"weighted": weighted}
    diameter = csgraph.dijkstra(A, unweighted=not weighted).max()
    want = betweenness(A, **run)
    np.testing.assert_array_equal(betweenness(A, **run, cutoff=1.5 * diameter), want)
    several = betweenness(A, **run, cutoff=[2 * diameter, 1.5 * diameter])
    np.testing.assert_array_equal(several, np.column_stack([want, want]))
    plan = {step.name: step for step in explain(A, **run, cutoff=1.5 * diameter).steps}
    assert plan["trees"].left_out is None
    assert (betweenness(A, **run, cutoff=diameter / 3) != want).any()
