"""Blocks, their rows and what lies below their tops, as NetworkX has them, where a graph lives."""

import networkx as nx
import numpy as np
import pytest
from conftest import NEEDS_GPU
from graphs import LARGE, MEDIUM, with_lengths
from test_reductions import LARGE as ASSEMBLED

from sparsebc.graph.csr import CSR, Matrix
from sparsebc.graph.ops import GraphOps
from sparsebc.graph.read_matrix import canonical
from sparsebc.graph.read_weights import weighted
from sparsebc.reduce.biconnected_rows import BlockRows, biconnected_rows, weights_at_cuts

GRAPHS = {**MEDIUM, **LARGE, **ASSEMBLED}


@pytest.fixture(
    params=["host", pytest.param("gpu", marks=NEEDS_GPU), pytest.param("deep", marks=NEEDS_GPU)]
)
def ops_for(request, monkeypatch):
    """The host; a GPU; and one where every tree is too deep for it."""
    if request.param == "host":
        return lambda _: GraphOps()
    from sparsebc.engines.cuda.prepare import biconnected
    from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps

    if request.param == "deep":
        monkeypatch.setattr(biconnected, "DEEPEST", 0)
    return lambda _: CUDAOps()


def rows_at(rows, ops):
    """The rows where some ops keep a graph."""
    ways = [
        Matrix(CSR(*map(ops.asarray, way.pattern)), ops.asarray(way.values)) for way in rows[4:]
    ]
    return BlockRows(*map(ops.asarray, rows[:4]), *ways)


def found_in(graph):
    """The nodes with edges, and their blocks, where the graph lives."""
    left = graph.degrees > 0
    return left, graph.blocks(left)


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_blocks_are_those_of_networkx(name, directed, ops_for):
    """Whatever the directions; a top is in a block before its own; an arc in the larger of two."""
    graph = canonical(GRAPHS[name], directed=directed, ops_for=ops_for)
    left, (block, tops, roots, others) = found_in(graph)
    block, tops = map(graph.ops.on_host, (block, tops))
    assert block.dtype == tops.dtype == np.int32
    assert (block[tops] < np.arange(tops.size)).all()
    assert roots == np.count_nonzero(graph.ops.on_host(left) & (block < 0))
    sizes = np.bincount(block[block >= 0], minlength=1)
    assert others == sizes.sum() - sizes.max()
    peer = nx.from_scipy_sparse_array(GRAPHS[name], create_using=nx.Graph)
    peer.remove_edges_from(list(nx.selfloop_edges(peer)))
    want = sorted(sorted(one) for one in nx.biconnected_components(peer))
    got = [[top, *np.flatnonzero(block == b)] for b, top in enumerate(tops)]
    assert sorted(sorted(map(int, one)) for one in got) == want
    for one in nx.biconnected_component_edges(peer):
        assert len({max(block[u], block[v]) for u, v in one}) == 1


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("lengths", [None, range(1, 9)], ids=str)
@pytest.mark.parametrize("name", sorted(ASSEMBLED))
def test_rows_are_the_nodes_of_each_block(name, lengths, directed, ops_for):
    """One for each, the top first; every arc once, within its block, at its length."""
    A = ASSEMBLED[name]
    if lengths is None:
        graph = canonical(A, directed=directed, ops_for=ops_for)
    else:
        A = with_lengths(A, lengths)
        graph = weighted(A, directed=directed, tie_rtol=1e-10, ops_for=ops_for)
    left, (block, tops, *_) = found_in(graph)
    rows = rows_at(biconnected_rows(graph, left, block, tops), GraphOps())
    block, tops = map(graph.ops.on_host, (block, tops))
    assert (rows.nodes[rows.tops] == tops).all()
    for b in range(tops.size):
        own = rows.nodes[rows.start[b] + 1 : rows.start[b + 1]]
        np.testing.assert_array_equal(own, np.flatnonzero(block == b))
        assert (rows.block[rows.start[b] : rows.start[b + 1]] == b).all()
    below = np.flatnonzero(block >= 0)
    np.testing.assert_array_equal(rows.nodes[rows.own_row[below]], below)
    assert (rows.own_row[block < 0] == -1).all()
    for way, given in ((rows.outgoing, A), (rows.incoming, A.T)):
        tails, heads = way.pattern.rows, way.pattern.indices
        assert (rows.block[tails] == rows.block[heads]).all()
        assert (np.diff(tails.astype(np.int64) * rows.nodes.size + heads) > 0).all()
        ends = rows.nodes[tails], rows.nodes[heads]
        assert len(set(zip(*map(np.ndarray.tolist, ends), strict=True))) == given.nnz == heads.size
        if lengths is not None:
            np.testing.assert_array_equal(way.values, given[ends])


@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_weights_at_cuts_are_what_lies_behind(name, ops_for):
    """Without a cut node, what is no longer joined to the rest of a block weighs as much."""
    graph = canonical(GRAPHS[name], directed=False, ops_for=ops_for)
    _, (block, tops, *_) = found_in(graph)
    own = np.random.default_rng(7).integers(0, 9, (2, graph.n))
    sums = weights_at_cuts(graph.ops, block, tops, graph.ops.asarray(own))
    below, behind, children = map(graph.ops.on_host, sums)
    block, tops = map(graph.ops.on_host, (block, tops))
    peer = nx.from_scipy_sparse_array(GRAPHS[name], create_using=nx.Graph)
    want_behind, want_children = own.copy(), np.zeros(graph.n, dtype=np.int64)
    for b, top in enumerate(tops):
        rest = peer.subgraph(set(peer) - {int(top)})
        inside = list(nx.node_connected_component(rest, int(np.argmax(block == b))))
        np.testing.assert_array_equal(below[:, b], own[:, inside].sum(axis=1))
        want_behind[:, top] += below[:, b]
        want_children[top] += below[0, b] * below[1, b]
    np.testing.assert_array_equal(behind, want_behind)
    np.testing.assert_array_equal(children, want_children)
