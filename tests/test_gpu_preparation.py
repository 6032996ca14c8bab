"""Nested clusters of nodes, found on a GPU: an order in which neighbours are close together."""

import numpy as np
import pytest
from conftest import NEEDS_GPU
from graphs import LARGE, MEDIUM
from scipy import sparse
from scipy.sparse import csgraph

from sparsebc.matrix.csr import CSR
from sparsebc.matrix.read_matrix import canonical

pytestmark = list(NEEDS_GPU)
GRAPHS = MEDIUM | LARGE


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_nested_clusters(name, directed):
    """Some nodes, each once; what they link is a run, and most neighbours on a road are close."""
    from sparsebc.engines.cuda.prepare.clusters import nested
    from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps

    graph = canonical(GRAPHS[name], directed=directed)
    nodes = np.flatnonzero(np.random.default_rng(3).random(graph.n) < 0.8)
    if not nodes.size:
        return
    pattern = CSR(*map(CUDAOps().asarray, graph.outgoing))
    first, again = (
        nested(pattern, CUDAOps().asarray(nodes), graph.symmetric).get() for _ in range(2)
    )
    np.testing.assert_array_equal(first, again)
    np.testing.assert_array_equal(np.sort(first), nodes)
    part = graph.outgoing.matrix()[first][:, first]
    _, label = csgraph.connected_components(part, directed=True, connection="weak")
    assert np.count_nonzero(np.diff(label)) == label.max()


@pytest.mark.parametrize("back", [False, True])
def test_nested_clusters_of_a_hub_that_arcs_leave_or_enter_alone(back):
    """Its 300 neighbours join it at once: one a round were more rounds than have a number."""
    from sparsebc.engines.cuda.prepare.clusters import nested
    from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps

    leaves = np.delete(np.arange(301), 150)
    hub = np.full(300, 150)
    places = (leaves, hub) if back else (hub, leaves)
    star = canonical(sparse.coo_array((np.ones(300), places), shape=(301, 301)), directed=True)
    pattern, nodes = CSR(*map(CUDAOps().asarray, star.outgoing)), CUDAOps().asarray(np.arange(301))
    order = nested(pattern, nodes, False)
    np.testing.assert_array_equal(np.sort(order.get()), np.arange(301))


def test_nested_clusters_are_local():
    """On a grid most edges are within 16 nodes of the order, where rows alone have half of them."""
    from sparsebc.engines.cuda.prepare.clusters import nested
    from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps

    side = 64
    path = sparse.diags_array([np.ones(side - 1), np.ones(side - 1)], offsets=[-1, 1])
    grid = canonical(sparse.csr_array(sparse.kronsum(path, path)), directed=False)
    pattern = CSR(*map(CUDAOps().asarray, grid.outgoing))
    order = nested(pattern, CUDAOps().asarray(np.arange(grid.n)), True).get()
    place = np.empty(grid.n, dtype=np.int64)
    place[order] = np.arange(grid.n)
    gaps = np.abs(place[grid.outgoing.rows] - place[grid.outgoing.indices])
    assert np.mean(gaps < 16) > 0.6
