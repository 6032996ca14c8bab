"""Searches of a batch that wait for each other, to meet at the busiest node of a component."""

import dataclasses

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conformance.knobs import turned
from conftest import NEEDS_GPU
from graphs import LARGE, MEDIUM, close, matrix, one_way, square

from sparsebc import betweenness
from sparsebc.engines.common import batch as batch_overlap
from sparsebc.engines.common import batching
from sparsebc.engines.common.base import Task, arranged
from sparsebc.engines.cpu.engine import CPU
from sparsebc.matrix.ops import GraphOps
from sparsebc.matrix.read_matrix import canonical


def broom(handle, bristles, tails):
    """A path to a busy node, many paths of different lengths to it, and a piece that is apart."""
    G = nx.DiGraph(nx.path_graph(handle, create_using=nx.DiGraph))
    for k in range(bristles):
        nx.add_path(G, [*((k, i) for i in range(k % 7)), handle // 2])
    for k in range(tails):
        nx.add_path(G, [handle - 1, *(("tail", k, i) for i in range(k % 5)), "end"])
    nx.add_path(G, ["apart 0", "apart 1", "apart 2"])
    return G


HIGH_DIAMETER = {
    "broom": matrix(broom(30, 60, 20)),
    "brooms": matrix(nx.disjoint_union(broom(30, 60, 20), broom(12, 30, 9))),
    "scattered": matrix(one_way(nx.random_geometric_graph(400, 0.08, seed=2), 0.3, 5)),
    "ladder": matrix(nx.ladder_graph(90)),
    "barbell": matrix(nx.barbell_graph(20, 40)),
    "bristles": matrix(nx.DiGraph(broom(16, 400, 4))),
}


def ways(A, host, parent, level):
    """Check a tree of shortest paths to the busiest node of each component by NetworkX."""
    G = nx.from_scipy_sparse_array(A, create_using=nx.DiGraph)
    far = {}
    for piece in nx.weakly_connected_components(G):
        busy = max(piece, key=lambda v: (G.in_degree(v), -v))
        far |= nx.single_source_shortest_path_length(G.reverse(), busy)
    assert level.tolist() == [far.get(v, -1) for v in G]
    for v in G:
        nearer = [w for w in G[v] if far.get(w, len(G)) == far.get(v, -1) - 1]
        assert parent[v] == min(nearer, default=host.n)


@pytest.mark.parametrize("name", HIGH_DIAMETER)
def test_the_tree(name):
    """From each node the first neighbour that is nearer, and how far it is."""
    A = HIGH_DIAMETER[name]
    host = canonical(A, directed=True, ops_for=lambda entries: GraphOps())
    ways(A, host, *host.ops.tree_to_busiest(host.outgoing, host.incoming, host.components))


@pytest.mark.parametrize("name", HIGH_DIAMETER)
@pytest.mark.parametrize("width", [1, 7, 128])
def test_groups_are_branches(name, width):
    """What goes through a node comes in one piece; all of a batch meet at the busiest node."""
    graph = canonical(HIGH_DIAMETER[name], directed=True, ops_for=lambda entries: GraphOps())
    parent, level = graph.ops.tree_to_busiest(graph.outgoing, graph.incoming, graph.components)
    rng = np.random.default_rng(1)
    sources = rng.permutation(graph.n)[: 2 * graph.n // 3].astype(np.int32)
    alpha = rng.random(sources.size)
    batches = batching.by_branch(graph, sources, alpha, width)
    order = np.concatenate([batch.sources for batch in batches])
    assert sorted(order) == sorted(sources)
    assert {batch.sources.size for batch in batches[:-1]} <= {width}
    weights = dict(zip(sources, alpha, strict=True))
    left = set()
    before = []
    for v in order:
        path = [v]
        while parent[path[-1]] < graph.n:
            path.append(parent[path[-1]])
        assert not left & set(path)
        left |= set(before) - set(path)
        before = path
    for batch in batches:
        there = level[batch.sources]
        assert batch.alpha.tolist() == [weights[v] for v in batch.sources]
        assert set(batch.starts[there < 0]) <= {0}
        assert len(set((batch.starts + there)[there >= 0])) <= 1
        assert min(batch.starts[there >= 0], default=0) == 0


def counted(G, sources, starts):
    """Columns of an entry by NetworkX: a row has one on each step on which searches reach it."""
    found = [
        (v, start + distance)
        for s, start in zip(sources, starts, strict=False)
        for v, distance in nx.single_source_shortest_path_length(G, s).items()
    ]
    return len(found) / len(set(found))


@pytest.mark.parametrize("count", [1, 4, 100])
@pytest.mark.parametrize("name", HIGH_DIAMETER)
def test_columns_together(name, count, monkeypatch):
    """The mean over batches that are spread over all, seen to their ends, by any threads."""
    monkeypatch.setattr(batch_overlap, "ENOUGH", 1)
    graph = canonical(HIGH_DIAMETER[name], directed=True, ops_for=lambda entries: GraphOps())
    everyone = np.arange(graph.n, dtype=np.int32)
    batches = batching.by_branch(graph, everyone, np.ones(graph.n), 5 if count > 1 else 64)
    at_once = [batch._replace(starts=None) for batch in batches]
    G = nx.from_scipy_sparse_array(HIGH_DIAMETER[name], create_using=nx.DiGraph)
    for given in (batches, at_once):
        some = given[len(batches) // (2 * count) :: -(-len(batches) // count)]
        together = [
            counted(G, one.sources.tolist(), [0] * 64 if one.starts is None else one.starts)
            for one in some
        ]
        columns = [sum(len(nx.descendants(G, s)) + 1 for s in one.sources.tolist()) for one in some]
        want = sum(columns) / sum(np.divide(columns, together))
        for threads in (1, 3):
            monkeypatch.setattr(graph.ops, "threads", threads)
            got = batch_overlap.columns_together(graph, given, count)
            np.testing.assert_allclose(got, want, rtol=1e-12)


def test_a_search_with_too_many_entries_ends():
    """On a path with arcs both ways, searches from all over it: no two ever go together."""
    n, width = 400, 64
    graph = canonical(matrix(nx.path_graph(n)), ops_for=lambda entries: GraphOps())
    sources = np.arange(0, 2 * width, 2, dtype=np.int32)
    masks = (np.zeros(n, np.uint64) for _ in range(3))
    levels = (np.zeros(n + 1, np.int32) for _ in range(2))
    entries, columns = batch_overlap._together(
        *(*graph.outgoing, sources, np.zeros(width, np.int32), 5 * n),
        *(*masks, *levels, np.zeros(1, np.uint8)),
    )
    assert 5 * n < entries <= 6 * n
    assert columns < n * width


def groups_of(graph):
    """Batches of all nodes of a deep graph, as the CPU engine has them."""
    everyone = np.arange(graph.n, dtype=np.int32)
    return arranged(CPU(), Task("paths", graph, True, everyone, np.ones(graph.n)))[1]


def have_starts(A):
    """Of each batch, whether its searches start one after the other."""
    batches = groups_of(canonical(A, ops_for=lambda entries: GraphOps()))
    return [batch.starts is not None for batch in batches]


def test_where_starts_are_shifted():
    """Where searches meet at a busy node; a grid has none, and its nodes are left alone."""
    graph = canonical(matrix(broom(16, 1500, 4)), ops_for=lambda entries: GraphOps())
    meeting = groups_of(graph)
    assert all(batch.starts is not None and batch.clustered for batch in meeting)
    assert max(batch.starts.max() for batch in meeting) > 1
    assert not any(have_starts(square(60)))
    assert not any(have_starts(matrix(broom(16, 300, 4))))
    for other in (graph.with_unit_lengths(), dataclasses.replace(graph, cutoffs=(3,))):
        assert all(batch.starts is None for batch in groups_of(other))


@pytest.mark.parametrize("n", [3, 70, 130])
def test_searches_that_start_late_reach_the_ends_of_a_path(n):
    """Those from beside the busiest node, an end of it: by their starts, in more than n steps."""
    with turned({"shifted starts"}, on_gpu=False):
        got = betweenness(matrix(nx.path_graph(n)), reduce="none", normalized=False, device="cpu")
    close(got, 2.0 * np.arange(n) * np.arange(n)[::-1])


ON_GPU = list(NEEDS_GPU)


class TestOnTheDevice:
    """Need CuPy and a GPU."""

    pytestmark = ON_GPU

    @pytest.mark.parametrize("name", [*HIGH_DIAMETER, *MEDIUM, *LARGE])
    def test_the_tree(self, name):
        """That of the host."""
        from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps

        A = sp.csr_array((HIGH_DIAMETER | MEDIUM | LARGE)[name])
        for directed in (True, False):
            want, got = (
                g.ops.tree_to_busiest(g.outgoing, g.incoming, g.components)
                for ops in (GraphOps(), CUDAOps())
                for g in [canonical(A, directed=directed, ops_for=lambda _, ops=ops: ops)]
            )
            np.testing.assert_array_equal(got, want)
