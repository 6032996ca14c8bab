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
    host = canonical(A, directed=True)
    ways(A, host, *host.ops.tree_to_busiest(host.outgoing, host.incoming, host.components))


def groups_of(graph):
    """Batches of all nodes of a deep graph, as the CPU engine has them."""
    everyone = np.arange(graph.n, dtype=np.int32)
    return arranged(CPU(), Task("paths", graph, True, everyone, np.ones(graph.n)))[1]


def have_starts(A):
    """Of each batch, whether its searches start one after the other."""
    batches = groups_of(canonical(A))
    return [batch.starts is not None for batch in batches]


def test_where_starts_are_shifted():
    """Where searches meet at a busy node; a grid has none, and its nodes are left alone."""
    graph = canonical(matrix(broom(16, 1500, 4)))
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
    def test_the_tree(self, name, monkeypatch):
        """That of the host."""
        monkeypatch.setattr("sparsebc.matrix.read_matrix.SMALL", 0)
        from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps

        A = sp.csr_array((HIGH_DIAMETER | MEDIUM | LARGE)[name])
        for directed in (True, False):
            want, got = (
                g.ops.tree_to_busiest(g.outgoing, g.incoming, g.components)
                for ops in (GraphOps, CUDAOps)
                for g in [canonical(A, directed=directed, ops=ops)]
            )
            np.testing.assert_array_equal(got, want)
