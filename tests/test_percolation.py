"""Percolation centrality is what its definition and NetworkX say it is."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import MEDIUM

from sparsebc import betweenness, percolation


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", MEDIUM)
def test_equals_networkx(name, directed, weighted, fast_device):
    """By edges and by length, of random states."""
    A, rng = MEDIUM[name].tocsr().astype(float), np.random.default_rng(21)
    A.setdiag(0)
    A.eliminate_zeros()
    upper = sp.triu(A + A.T, format="csr")
    upper.data = rng.integers(1, 5, upper.nnz).astype(float)
    A = upper + upper.T if not directed else A.multiply(upper + upper.T).tocsr()
    x = rng.random(A.shape[0])
    kind = nx.DiGraph if directed else nx.Graph
    graph = nx.from_scipy_sparse_array(sp.csr_array(A), create_using=kind)
    want = nx.percolation_centrality(
        graph, states=dict(enumerate(x)), weight="weight" if weighted else None
    )
    got = percolation(A, x, directed=directed, weighted=weighted, device=fast_device)
    np.testing.assert_allclose(got, [want[v] for v in range(len(x))], rtol=1e-10, atol=1e-14)


def test_is_betweenness_by_weights_of_sources():
    """Normalized; and states that are all alike give betweenness itself."""
    A = MEDIUM["hubs"]
    x = np.random.default_rng(22).random(A.shape[0])
    one = percolation(A, x, device="cpu")
    np.testing.assert_array_equal(one, betweenness(A, source_weights=x, device="cpu"))
    alike = percolation(A, np.full(x.size, 0.3), device="cpu")
    np.testing.assert_allclose(alike, betweenness(A, device="cpu"), rtol=1e-11)


@pytest.mark.parametrize(
    ("states", "error", "words"),
    [
        ([1, 2], ValueError, ["states", "4 nodes", "(2,)"]),
        ([0, 0, 0, 0], ValueError, ["states", "all zero"]),
        ([0, -1, 0, 0], ValueError, ["states", "-1", "node 1"]),
        (["a", "b", "c", "d"], TypeError, ["states", "number"]),
    ],
)
def test_what_is_refused(states, error, words):
    """Named as states, for a matrix and for a tuple of index arrays."""
    A = sp.csr_array(np.eye(4, k=1))
    for given_as in (A, (A.indptr, A.indices, 4)):
        with pytest.raises(error) as caught:
            percolation(given_as, states)
        for word in words:
            assert word in str(caught.value)


def test_what_is_no_graph_is_refused_as_such():
    """As by `betweenness`."""
    for A, error in (("graph", TypeError), ((), ValueError), (np.array(5), ValueError)):
        with pytest.raises(error, match=r"A as a tuple|A must be"):
            percolation(A, [1, 2])


def test_ties_by_length():
    """The detour of 0.1 + 0.2 ties with the edge of 0.3, unless sums are compared as they are."""
    A = sp.csr_array([[0, 0.1, 0.3], [0, 0, 0.2], [0, 0, 0]])
    options = {"weighted": True, "device": "cpu"}
    assert percolation(A, [1, 0, 0], **options)[1] == 0.5
    assert percolation(A, [1, 0, 0], tie_rtol=0, **options)[1] == 0
