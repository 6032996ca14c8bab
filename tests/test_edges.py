"""Edge betweenness is what its definition and its peers say it is, for every engine and option."""

import functools
import itertools

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, SELECTED, close, matrix, peer
from hypothesis import given, settings
from hypothesis import strategies as st
from questions import Drawn
from scipy.sparse import csgraph

from sparsebc import betweenness, edge_betweenness
from sparsebc.testing import matrices


@pytest.fixture(scope="session")
def device(fast_device):
    """The conformance suite asks the literal algebra."""
    return fast_device


BOOLS = (True, False)
GRAPHS = MEDIUM | LARGE


def arcs(scores):
    """Scores by arc, the zeros too."""
    coo = scores.tocoo()
    return dict(zip(zip(coo.row.tolist(), coo.col.tolist(), strict=True), coo.data, strict=True))


def assert_scores(got, want, case=""):
    """The matrix holds the arcs of the dictionary and its values, up to the order of additions.

    NetworkX names an undirected edge once.
    """
    got = arcs(got)
    want = {arc: want[arc] if arc in want else want[arc[::-1]] for arc in got} if want else {}
    np.testing.assert_allclose(
        list(got.values()), list(want.values()), rtol=1e-11, atol=1e-12, err_msg=case
    )


@pytest.mark.parametrize("k", [None, 1, 17], ids=lambda k: f"k={k}")
@pytest.mark.parametrize("name", MEDIUM)
def test_equals_networkx(device, name, k):
    """Exact and sampled scores."""
    A, sample, drawn = MEDIUM[name], {}, None
    if k is not None:
        sample = {"k": k, "rng": 4711}
        drawn = np.random.default_rng(4711).choice(A.shape[0], k, replace=False).tolist()
    for directed, normalized in itertools.product(BOOLS, BOOLS):
        want = nx.edge_betweenness_centrality(
            peer(A, directed=directed),
            normalized=normalized,
            k=k,
            seed=None if drawn is None else Drawn(drawn),
        )
        ways = {"directed": directed, "normalized": normalized}
        assert_scores(edge_betweenness(A, **ways, **sample, device=device), want, str(ways))


@functools.cache
def networkx_scores(name, *, directed):
    """NetworkX's answer, for all engines to share."""
    return nx.edge_betweenness_centrality(peer(GRAPHS[name], directed=directed), normalized=False)


@pytest.mark.parametrize("name", SELECTED)
def test_equals_networkx_over_several_groups(device, name):
    """Every shape that folds, queues or fills, with more sources than one group holds."""
    for directed in BOOLS:
        got = edge_betweenness(LARGE[name], directed=directed, normalized=False, device=device)
        assert_scores(got, networkx_scores(name, directed=directed), f"{directed=}")


@pytest.mark.parametrize("name", SELECTED)
def test_equals_igraph_between_subsets(device, name):
    """Sources and targets among folded trees and in several groups.

    NetworkX shares what a node that is no target hands back evenly among its predecessors, however
    many paths come by each, so its subset scores of edges are not those of the definition.
    """
    igraph = pytest.importorskip("igraph")
    A = LARGE[name]
    n = A.shape[0]
    rng = np.random.default_rng(953)
    sources, targets = rng.permutation(n)[: n // 2].tolist(), rng.permutation(n)[: n // 3].tolist()
    for directed in BOOLS:
        graph = igraph.Graph(n, peer(A, directed=directed).edges, directed=directed)
        scores = graph.edge_betweenness(directed=directed, sources=sources, targets=targets)
        want = dict(zip(graph.get_edgelist(), scores, strict=True))
        ways = {"directed": directed, "normalized": False}
        got = edge_betweenness(A, sources=sources, targets=targets, **ways, device=device)
        assert_scores(got, want, f"{directed=}")


def out_edges_sum_to_node(A, edges, scores):
    """Each pair through v, or from v to where it leads, leaves v along one of its edges."""
    reach = np.isfinite(csgraph.shortest_path(pattern(A), unweighted=True)).sum(axis=1) - 1
    close(edges(A).sum(axis=1), scores(A) + reach)


def sum_is_length(A, edges, scores):
    """The scores add up to d(s, t) over all pairs that reach each other."""
    d = csgraph.shortest_path(pattern(A), unweighted=True)
    close(edges(A).sum(), d[np.isfinite(d)].sum())


def reversal_transposes(A, edges, scores):
    """Paths of A' are paths of A walked backwards."""
    close(edges(A.T).toarray(), edges(A).toarray().T)


def relabelling_permutes(A, edges, scores):
    """Node p[i] of A is node i of the relabelled graph."""
    p = np.random.default_rng(762).permutation(A.shape[0])
    close(edges(A.tocsr()[p][:, p]).toarray(), edges(A).toarray()[p][:, p])


def unions_concatenate(A, edges, scores):
    """Components do not see each other."""
    union = sp.block_diag([A, sp.csr_array((1, 1)), A.T], format="csr")
    parts = [edges(A), sp.csr_array((1, 1)), edges(A.T)]
    close(edges(union).toarray(), sp.block_diag(parts).toarray())


def pattern(A):
    """Ones where A stores anything: explicit zeros are edges to us but not to csgraph."""
    coo = A.tocoo()
    return sp.csr_array((np.ones(coo.nnz), (coo.row, coo.col)), shape=A.shape)


LAWS = (
    out_edges_sum_to_node,
    sum_is_length,
    reversal_transposes,
    relabelling_permutes,
    unions_concatenate,
)
each_law = pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)


@each_law
@given(A=matrices())
@settings(max_examples=20)
def test_law_on_small_matrices(device, law, A):
    """Awkward matrices: duplicates, self loops, explicit zeros, isolated nodes, n = 0, 1, 2."""
    law(A, *(functools.partial(f, normalized=False, device=device) for f in FUNCTIONS))


@each_law
@pytest.mark.parametrize("name", SELECTED)
def test_law_on_large_graphs(fast_device, law, name):
    """More than one batch of sources, on trees, deep graphs, dense ones and digraphs."""
    law(
        LARGE[name],
        *(functools.partial(f, normalized=False, device=fast_device) for f in FUNCTIONS),
    )


FUNCTIONS = (edge_betweenness, betweenness)


@given(A=matrices(), sources=st.data())
@settings(max_examples=30)
def test_both_entries_of_an_undirected_edge_agree(device, A, sources):
    """To the bit."""
    n = A.shape[0]
    some = sources.draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True)) if n else None
    got = edge_betweenness(A, directed=False, sources=some, device=device).toarray()
    np.testing.assert_array_equal(got, got.T)


@pytest.mark.parametrize("name", ["leaves on hubs", "grid", "dense", "streets"])
def test_workers_and_memory_change_no_bit(device, name):
    """Nor does a repeat."""
    scores = functools.partial(edge_betweenness, LARGE[name], device=device)
    want = scores()
    for options in ({}, {"workers": 1}, {"workers": 3}, {"memory_budget": 1 << 26}):
        assert scores(**options).data.tobytes() == want.data.tobytes(), options


def test_float32_is_close_to_float64(device):
    """Single precision stays within 1e-5 of the largest score."""
    want = edge_betweenness(LARGE["large hubs"], device=device).data
    got = edge_betweenness(LARGE["large hubs"], dtype=np.float32, device=device).data
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-5 * want.max())


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_results_share_no_arrays(device, index):
    """SciPy drops zeros in place: out of no other result, and not out of the matrix given."""
    A = matrix(nx.path_graph(6))
    indptr, indices = A.indptr.astype(np.int64), A.indices.astype(index)
    none, near = edge_betweenness((indptr, indices, 6), cutoff=[0, 2], device=device)
    assert none.nnz == near.nnz == A.nnz
    none.eliminate_zeros()
    assert none.nnz == 0
    assert near.nnz == A.nnz
    np.testing.assert_array_equal(indptr, A.indptr)
    np.testing.assert_array_equal(indices, A.indices)


def test_indices_are_of_one_type(device):
    """Of 32 bits, which suffice."""
    got = edge_betweenness(matrix(nx.path_graph(5)), device=device)
    assert got.indices.dtype == got.indptr.dtype == np.int32


@pytest.mark.parametrize("leaves", [1, 2, 63, 150])
def test_star(device, leaves):
    """A leaf's edge carries its pairs with all other nodes."""
    got = edge_betweenness(
        matrix(nx.star_graph(leaves)), directed=False, normalized=False, device=device
    )
    np.testing.assert_array_equal(got.data, np.full(2 * leaves, leaves))


@pytest.mark.parametrize("n", [2, 3, 64, 200])
def test_path(device, n):
    """The edge after node i parts i + 1 nodes from n - 1 - i."""
    i = np.arange(n - 1)
    got = edge_betweenness(
        matrix(nx.path_graph(n)), directed=False, normalized=False, device=device
    )
    np.testing.assert_array_equal(got.diagonal(1), (i + 1) * (n - 1 - i))


def test_bridge_of_two_cliques(device):
    """Every pair across takes the only bridge, so 12 x 12 pairs and the two cliques are found."""
    A = matrix(nx.barbell_graph(12, 0))
    scores = edge_betweenness(A, directed=False, normalized=False, device=device).toarray()
    assert scores[11, 12] == pytest.approx(144, rel=1e-12)
    assert np.unravel_index(scores.argmax(), scores.shape) == (11, 12)
