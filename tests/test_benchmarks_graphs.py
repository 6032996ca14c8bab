"""The benchmarks measure the right graphs."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from scipy import sparse
from scipy.sparse import csgraph

from benchmarks import graphs

MAKERS = {
    "ba": lambda seed: graphs.ba(60, 4, seed),
    "leafy": lambda seed: graphs.leafy(60, 4, seed),
    "rmat": lambda seed: graphs.rmat(6, 3, seed),
    "road": lambda seed: graphs.road_like(9, 11, seed=seed),
    "er": lambda seed: graphs.erdos_renyi(50, 4, seed),
    "ws": lambda seed: graphs.watts_strogatz(40, 6, 0.5, seed),
}


@pytest.mark.parametrize("make", [*MAKERS.values(), lambda seed: graphs.mesh(4, 7)])
def test_patterns_are_simple_and_symmetric(make):
    """Every generator gives a canonical boolean pattern of a simple undirected graph."""
    matrix = make(1)
    assert isinstance(matrix, sparse.csr_array)
    assert (matrix.indices.dtype, matrix.indptr.dtype, matrix.dtype) == (np.int32, np.int32, bool)
    assert matrix.data.all()
    assert matrix.has_canonical_format
    assert (matrix != matrix.T).nnz == 0
    assert not matrix.diagonal().any()


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_seed_decides_the_graph(make):
    """One seed gives one graph, another seed another."""
    first, again, other = make(1), make(1), make(2)
    assert_array_equal(first.indices, again.indices)
    assert_array_equal(first.indptr, again.indptr)
    assert not np.array_equal(first.indices, other.indices)


@pytest.mark.parametrize(
    ("matrix", "nodes", "arcs", "degrees"),
    [
        (graphs.ba(60, 4), 60, 2 * 4 * 56, (4, 59)),  # each node after the first 4 brings 4 edges
        (graphs.erdos_renyi(50, 4), 50, 2 * 98, (0, 49)),  # of 100 that are drawn
        (graphs.mesh(4, 7), 28, 2 * (4 * 6 + 7 * 3), (2, 4)),
        (graphs.road_like(5, 6, keep=1.0), 30, 2 * (5 * 5 + 6 * 4), (2, 4)),
        (graphs.watts_strogatz(40, 6, 0.0), 40, 40 * 6, (6, 6)),
        (graphs.watts_strogatz(40, 6, 1.0), 40, 40 * 6, (3, 39)),  # rewired, none lost
    ],
)
def test_sizes(matrix, nodes, arcs, degrees):
    """Nodes, arcs, and the least and the largest degree that there may be."""
    assert (matrix.shape, matrix.nnz) == ((nodes, nodes), arcs)
    found = np.diff(matrix.indptr)
    assert degrees[0] <= found.min() <= found.max() <= degrees[1]


def test_rmat_keeps_isolated_nodes_and_skews():
    """All 2**scale nodes stay, and the first quadrant holds the most arcs, the last the fewest."""
    matrix = graphs.rmat(8, 2)
    assert matrix.shape == (256, 256)
    assert 0 < matrix.nnz <= 2 * 2 * 256
    assert (np.diff(matrix.indptr) == 0).any()
    assert matrix[:128, :128].nnz > matrix[:128, 128:].nnz > matrix[128:, 128:].nnz


def test_road_like_is_one_component_of_the_grid():
    """Connected, at most four neighbours; with every edge kept it is the grid itself."""
    matrix = graphs.road_like(30, 20)
    assert csgraph.connected_components(matrix)[0] == 1
    assert 300 < matrix.shape[0] < 600
    assert np.diff(matrix.indptr).max() <= 4
    assert (graphs.road_like(5, 6, keep=1.0) != graphs.mesh(5, 6)).nnz == 0


def test_one_way_streets_lead_everywhere():
    """A strong part of the grid, canonical, of whose edges a share lead one way."""
    matrix, directed = graphs.find("oneway-40x30")()
    count, _ = csgraph.connected_components(matrix, connection="strong")
    assert (count, directed, matrix.dtype, matrix.has_canonical_format) == (1, True, bool, True)
    two_way = (matrix.astype(int) + matrix.T.astype(int)).tocsr()
    assert 0.02 < np.mean(two_way.data == 1) < 0.2
    assert not matrix.diagonal().any()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: graphs.ba(4, 4), "n=4, b=4"),
        (lambda: graphs.erdos_renyi(1, 1), "n=1, degree=1"),
        (lambda: graphs.watts_strogatz(10, 3), "degree=3"),
        (lambda: graphs.watts_strogatz(10, 6), "degree=6"),
        (lambda: graphs.find("rmat-12"), "rmat-12.*no folder was given"),
        (lambda: graphs.find("absent", "."), "absent.npz is no file"),
    ],
)
def test_impossible_graphs_are_refused(make, message):
    """The message names the value."""
    with pytest.raises(ValueError, match=message):
        make()


def test_find_by_name_and_in_a_folder(tmp_path):
    """A generator's name with two numbers, or a file with its direction; values are dropped."""
    matrix, directed = graphs.find("ba-60x4")()
    assert not directed
    assert (matrix != graphs.ba(60, 4)).nnz == 0
    arcs = sparse.csr_array(np.array([[0, 0.5, 0], [0, 0, 2], [0, 0, 0]]))
    fields = {"indices": arcs.indices, "indptr": arcs.indptr, "data": arcs.data}
    np.savez(tmp_path / "chain.npz", **fields, format=b"csr", shape=(3, 3), directed=True)
    assert graphs.from_folder(tmp_path) == ["chain"]
    matrix, directed = graphs.find("chain", tmp_path)()
    assert directed
    assert_array_equal(matrix.toarray(), arcs.toarray() != 0)


def test_ball_is_what_a_search_meets_first():
    """The centre, then its neighbours whatever the direction; no more than its component."""
    ring = np.arange(9)
    matrix = sparse.csr_array((np.ones(9, bool), (ring, (ring + 1) % 9)), shape=(10, 10))
    matrix = graphs._int32(matrix)
    assert graphs.ball(matrix, 1) == [5]
    assert set(graphs.ball(matrix, 3)) == {4, 5, 6}
    with pytest.raises(ValueError, match=r"10 nodes around node 5: it reaches 9"):
        graphs.ball(matrix, 10)


def test_a_name_that_ends_in_f_has_float_lengths():
    """From 0.1 to 1.1, the same in both directions, on the edges of the plain graph."""
    plain, _ = graphs.find("ba-200x3")()
    matrix, directed = graphs.find("ba-200x3f")()
    assert not directed
    assert_array_equal(matrix.indices, plain.indices)
    assert abs(matrix - matrix.T).max() == 0
    assert 0.1 <= matrix.data.min() < 0.2
    assert 1.0 < matrix.data.max() < 1.1


def test_a_name_that_ends_in_w_has_lengths(tmp_path):
    """The same pattern with whole lengths from 1 to 10, or the file's own."""
    matrix, _ = graphs.find("mesh-9x9w")()
    assert (matrix != matrix.T).nnz == 0
    assert_array_equal(np.unique(matrix.data), np.arange(1, 11))
    assert_array_equal(matrix.indices, graphs.mesh(9, 9).indices)
    assert_array_equal(matrix.data, graphs.find("mesh-9x9w")()[0].data)
    arcs = sparse.csr_array(np.array([[0, 0.5], [2, 0]]))
    fields = {"indices": arcs.indices, "indptr": arcs.indptr, "data": arcs.data}
    np.savez(tmp_path / "pair.npz", **fields, format=b"csr", shape=(2, 2), directed=True)
    matrix, directed = graphs.find("pairw", tmp_path)()
    assert directed
    assert_array_equal(matrix.toarray(), arcs.toarray())


def test_tight_arcs_by_length():
    """0 - 1 - 2 ties with 0 - 2, and 0 - 3 - 2 is longer: four arcs lead away from 0."""
    parts = ([1.0, 2.0, 3.0, 2.0, 2.0], ([0, 1, 0, 0, 3], [1, 2, 2, 3, 2]))
    matrix = sparse.csr_array(sparse.coo_array(parts, shape=(4, 4)))
    assert graphs.tight_arcs(matrix, [0]) == 4


def test_tight_arcs_counts_reached_levels_only():
    """On a cycle of five and a distant edge: four arcs lead away from a cycle's node, one here."""
    ring = np.arange(5)
    tails, heads = np.append(ring, 5), np.append((ring + 1) % 5, 6)
    matrix = sparse.coo_array((np.ones(6, bool), (tails, heads)), shape=(7, 7))
    matrix = sparse.csr_array(matrix + matrix.T)
    assert graphs.tight_arcs(matrix, [0]) == 4
    assert graphs.tight_arcs(matrix, [0, 5]) == (4 + 1) / 2
