"""On a GPU: what is done with patterns and weights before a sweep, as on the host."""

import numpy as np
import pytest
from graphs import LARGE, MEDIUM
from scipy import sparse
from scipy.sparse import csgraph

from sparsebc.engines import devices
from sparsebc.graph.csr import CSR
from sparsebc.graph.ops import GraphOps
from sparsebc.graph.read_matrix import canonical

pytestmark = [pytest.mark.gpu, pytest.mark.skipif(not devices.gpus(), reason="no GPU")]
GRAPHS = MEDIUM | LARGE


def assert_same(found, want):
    """Numbers of a GPU, or of the host, and those of the host."""
    got = found.get() if hasattr(found, "get") else found
    np.testing.assert_array_equal(got, want)
    assert got.dtype == want.dtype


@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", sorted(GRAPHS))
def test_patterns(name, directed):
    """Entries of either direction, components from what a search has found, orders of nodes."""
    from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps

    host = canonical(GRAPHS[name], directed=directed)
    there = canonical(GRAPHS[name], directed=directed, ops_for=lambda _: CUDAOps())
    ops = there.ops
    for way in ("outgoing", "incoming"):
        for found, want in zip(getattr(there, way), getattr(host, way), strict=True):
            assert_same(found, want)
    assert_same(there.components, host.components)
    for whole in (None, there.traits.whole if there.symmetric else None):
        found = ops.components(there.outgoing, there.incoming, whole)
        assert_same(found, GraphOps().components(host.outgoing, host.incoming, None))
    found, total = ops.by_degree(there.outgoing.degrees)
    nodes, want = GraphOps().by_degree(host.outgoing.degrees)
    assert_same(found, nodes)
    assert total == want
    if host.arcs:
        nodes = np.random.default_rng(1).permutation(host.n)[::2].astype(np.int32)
        assert_same(
            ops.by_first_neighbour(there.outgoing, ops.asarray(nodes)),
            GraphOps().by_first_neighbour(host.outgoing, nodes),
        )


@pytest.mark.parametrize("size", [1, 31, 257, 5000])
@pytest.mark.parametrize("kind", [np.bool_, np.int64, np.float64])
def test_weights(size, kind):
    """Marks, whole numbers and floats: those of the sources, and their sums."""
    from sparsebc.engines.cuda.prepare.graph_ops import CUDAOps

    ops, draws = CUDAOps(), np.random.default_rng(size)
    ends = draws.integers(0, 3, (2, size)).astype(kind)
    nodes = draws.permutation(size)[: -(-2 * size // 3)]
    leaving = draws.integers(0, 2, nodes.size)
    weights = ends if kind == np.float64 else ends.astype(np.int64)
    there = ops.asarray(weights)
    assert_same(there, weights)
    chosen = ops.asarray(nodes)
    for leaves in (None, leaving):
        want = GraphOps().weighed(weights, nodes, leaves, nodes.size)
        leaves = leaves if leaves is None else ops.asarray(leaves)
        for most in (want[0].size, nodes.size):
            for got, wanted in zip(ops.weighed(there, chosen, leaves, most), want, strict=True):
                assert_same(got, wanted)
    label = draws.integers(0, size, size).astype(np.int32)
    numbers = draws.integers(0, 1 << 20, (2, size))
    found = ops.add_up(ops.asarray(label), ops.asarray(numbers), size)
    assert_same(found, GraphOps().add_up(label, numbers, size))


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
