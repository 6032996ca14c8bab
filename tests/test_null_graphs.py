"""Random graphs: each of the same degrees as likely, by enumeration; what swaps keep."""

import itertools

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from sparsebc.null_models.null_graphs import null_graphs
from sparsebc.testing import matrices

PLAIN = {"directed": False, "weighted": False, "workers": 1, "swaps": 10, "shuffled": False}
STOP = np.zeros(1, dtype=np.uint8)


def drawn(A, count, seed=5, **how):
    """The first samples of a seed."""
    graphs = null_graphs(A, seed=seed, **PLAIN | {"probability": None} | how)
    return (graphs.matrix(number, STOP) for number in range(count))


def of_the_same_degrees(A, *, directed):
    """All simple graphs in which each node has its degrees, as bytes of their dense matrices."""
    n, found = A.shape[0], []
    pairs = list(itertools.combinations(range(n), 2))
    candidates = itertools.combinations(pairs, A.nnz // 2)
    if directed:  # row by row
        rows = [
            [pair for pair in itertools.permutations(range(n), 2) if pair[0] == v] for v in range(n)
        ]
        each = map(itertools.combinations, rows, A.sum(axis=1))
        candidates = (sum(chosen, ()) for chosen in itertools.product(*each))
    for chosen in candidates:
        B = np.zeros((n, n), dtype=bool)
        B[tuple(np.array(chosen).T)] = True
        B |= B.T & (not directed)
        if all(np.array_equal(B.sum(axis=k), A.sum(axis=k)) for k in (0, 1)):
            found.append(B.tobytes())
    return found


def p_of_uniform(A, *, directed, swaps, each=12):
    """p-value of chi-square, of samples beside the graphs that there are."""
    graphs = {one: place for place, one in enumerate(of_the_same_degrees(A, directed=directed))}
    samples = drawn(A, each * len(graphs), directed=directed, swaps=swaps)
    places = [graphs[sample.astype(bool).toarray().tobytes()] for sample in samples]
    return len(graphs), stats.chisquare(np.bincount(places, minlength=len(graphs))).pvalue


def arcs(*pairs):
    """Matrix of a digraph."""
    return nx.to_scipy_sparse_array(nx.DiGraph(pairs), nodelist=range(1 + np.max(pairs)))


RING = nx.Graph([(0, 1), (1, 2), (2, 3), (3, 4), (4, 0), (5, 0), (5, 2)])
BOTH_WAYS = arcs((0, 1), (1, 2), (2, 0), (0, 2), (2, 3), (3, 0))
# A graph, whether it is directed, and how many there are of its degrees.
CASES = {
    "undirected": (nx.to_scipy_sparse_array(RING), False, 54),
    "reversals alone": (arcs((0, 1), (1, 2), (2, 0)), True, 2),
    "digraph": (arcs((0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 2)), True, 42),
    "a cycle with an arc both ways": (BOTH_WAYS, True, 4),
}


@pytest.mark.parametrize(("A", "directed", "count"), CASES.values(), ids=CASES)
def test_each_graph_of_the_same_degrees_is_as_likely(A, directed, count):
    found, p = p_of_uniform(A, directed=directed, swaps=20)
    assert found == count
    assert p > 0.001


def edges(A, *, directed):
    """Entries off the diagonal, as a dense mask; both directions unless directed."""
    there = np.zeros(A.shape, dtype=bool)
    there[sp.coo_array(A).coords] = True
    there &= ~np.eye(len(there), dtype=bool)
    return there if directed else there | there.T


@given(matrices(max_nodes=9, max_edges=30), st.booleans(), st.booleans(), st.booleans())
def test_degrees_and_lengths_are_kept(A, directed, weighted, shuffled):
    """Without loops or repeated entries; of a digraph, carried lengths stay in their rows."""
    A = sp.coo_array(A)
    A.data = 1.0 + np.arange(A.nnz) % 5
    want = edges(A, directed=directed)
    how = {"directed": directed, "weighted": weighted, "shuffled": shuffled}
    graphs = null_graphs(A, seed=1, probability=None, **PLAIN | how)
    for number in range(2):
        B = graphs.matrix(number, STOP)
        assert B.has_canonical_format
        got = edges(B, directed=True)
        assert np.count_nonzero(got) == B.nnz
        np.testing.assert_array_equal(got.sum(axis=0), want.sum(axis=0))
        np.testing.assert_array_equal(got.sum(axis=1), want.sum(axis=1))
        assert directed or (B != B.T).nnz == 0
        if weighted:
            was, lengths = graphs.lengths, B.data[edges_once(B, directed)]
            assert sorted(lengths) == sorted(was)
            if directed and not shuffled:
                rows = sp.csr_array((was, tuple(graphs.ends.T)), shape=A.shape).sum(axis=1)
                np.testing.assert_allclose(B.sum(axis=1), rows)


@pytest.mark.parametrize("directed", [False, True])
def test_many_swaps_of_a_dense_graph_leave_each_edge_once(directed):
    """An edge is known to be there whatever others, near it in the table of edges, are gone."""
    A = nx.to_scipy_sparse_array(nx.gnm_random_graph(60, 800, seed=1, directed=directed))
    (B,) = drawn(A, 1, directed=directed)
    for sample, want in ((B, A), (B.T, A.T)):
        there = edges(sample, directed=True)
        np.testing.assert_array_equal(there.sum(axis=1), want.sum(axis=1))


def edges_once(B, directed):
    """Mask of the entries of a csr array that are taken once for each edge."""
    rows = np.repeat(np.arange(B.shape[0]), np.diff(B.indptr))
    return (rows < B.indices) | directed
