"""Distances from many near sources at once on the CPU, and the order of nodes that they give."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import matrix, one_way, peer, with_lengths
from numba import njit
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csgraph

from sparsebc import betweenness, centralities, harmonic
from sparsebc.engines.base import Sweep
from sparsebc.engines.batch import Batch
from sparsebc.engines.cpu.sssp import radix_sort, sssp, sssp_batch, sssp_sums
from sparsebc.engines.cpu.sssp.distance_sums import LengthSearch
from sparsebc.graph.read_weights import weighted

NO_STOP = np.zeros(1, dtype=np.uint8)
ON_DEEP = Sweep("distances by length", 64, deep=True)
relaxed = njit(sssp_batch.relax)
arranged = njit(radix_sort.sort_by_distance)
taken = njit(radix_sort.take_columns)

STREETS = matrix(nx.grid_2d_graph(30, 30))
KARATE = matrix(nx.karate_club_graph())
GRAPHS = {
    "streets": with_lengths(STREETS, range(1, 10)),
    "uneven streets": with_lengths(STREETS, np.geomspace(0.1, 1e3, 50)),
    "one way": sp.csr_array(sp.triu(with_lengths(STREETS, range(1, 4)), k=1)),
    "components": with_lengths(sp.block_diag([STREETS, KARATE], "csr"), [1, 2, 5]),
    "shallow": with_lengths(KARATE, np.linspace(0.3, 3, 11)),
}


def search(A, sources):
    """What `relax` finds in the order of the first source: whether it did, and its state."""
    n = A.shape[0]
    first = csgraph.dijkstra(A, indices=sources[0])
    batch = sssp_batch.BatchState.make(sssp_batch.sizes(n))
    arrays = A.indptr.astype(np.int64), A.indices.astype(np.int32), A.data.astype(float)
    state = sssp.search(*arrays, NO_STOP)
    state.order[:] = np.argsort(first, kind="stable")
    return relaxed(state, np.array(sources, dtype=np.int32), batch), batch


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("count", [1, 8, 29])
def test_distances_are_dijkstras(name, count):
    """To the last bit, for whatever part of the 64 columns has a source; the others stay clear."""
    A = sp.csr_array(GRAPHS[name])
    sources = np.arange(count)
    done, rows = search(A, sources)
    assert done
    found = rows.distance.reshape(-1, sssp_batch.WIDTH)
    assert_array_equal(found[:, :count].T, csgraph.dijkstra(A, indices=sources))
    assert np.isinf(found[:, count:]).all()
    assert not rows.fallen.any()


def zigzag(m):
    """Node 0 has edges to all of a path that starts from node 1, in an order that turns at each."""
    path = np.arange(m)
    far = 10 * m
    from_hub = far + np.where(path % 2, path, 2 * m - path)
    tails = np.concatenate([np.zeros(m + 1), [1], path[:-1] + 2])
    heads = np.concatenate([[1], path + 2, [2], path[1:] + 2])
    lengths = np.concatenate([[2 * far], from_hub, np.full(m, 2 * m + 1)])
    return sp.csr_array((lengths, (tails.astype(int), heads)), shape=(m + 2, m + 2))


def test_an_order_that_is_of_no_use_is_given_up():
    """The rows are as they were, and each source searches alone."""
    A = zigzag(1000)
    done, rows = search(A, [0, 1])
    assert not done
    assert np.isinf(rows.distance).all()
    assert not rows.fallen.any()
    D = csgraph.dijkstra(A, indices=[0, 1])
    expected = np.where(np.isfinite(D) & (D > 0), 1 / np.where(D > 0, D, 1), 0).sum(axis=0)
    got = harmonic(A, weighted=True, sources=[0, 1], device="cpu")
    assert_allclose(got, expected, rtol=1e-12)
    graph = peer(A, directed=True)
    by_pairs = nx.betweenness_centrality_subset(graph, [0, 1], list(graph), weight="weight")
    got = betweenness(A, weighted=True, sources=[0, 1], normalized=False, device="cpu")
    assert_allclose(got, list(by_pairs.values()))


@pytest.mark.parametrize("width", [1.0, 1e-3, 1e-6, 1e-9])
def test_nodes_are_sorted_by_bucket(width):
    """By number within one; one to four digits, and what is out of reach is left out."""
    n = 300
    D = np.random.default_rng(5).uniform(0, 1000, (n, radix_sort.LANES))
    D[::7] = np.inf
    D[3] = 0
    rows = np.full((n, sssp_batch.WIDTH), np.inf)
    rows[:, 8:16] = D
    memory = radix_sort.Sorting.make(radix_sort.sizes(n), per_width=1 / width)
    taken(rows.ravel(), 8, memory.columns)
    distance, order = np.empty(n), np.empty(n, dtype=np.int32)
    for column in range(radix_sort.LANES):
        count, farthest = arranged(memory, column, distance, order)
        here = D[:, column]
        assert_array_equal(distance, here)
        assert farthest == here[np.isfinite(here)].max()
        reached = np.flatnonzero(np.isfinite(here))
        buckets = (here[reached] * (1 / width)).astype(np.int64)
        assert_array_equal(order[:count], reached[np.argsort(buckets, kind="stable")])


DEEP = {
    "streets": GRAPHS["streets"],
    "uneven streets": GRAPHS["uneven streets"],
    "one-way streets": with_lengths(matrix(one_way(nx.grid_2d_graph(40, 30), 0.2, 3)), [1, 2, 5]),
    "blocks": with_lengths(
        matrix(nx.corona_product(nx.grid_2d_graph(9, 60), nx.path_graph(2))), [1, 2]
    ),
    "components": with_lengths(
        sp.block_diag([STREETS, matrix(nx.grid_2d_graph(4, 90))], "csr"), [1.5, 2, 5]
    ),
}


@pytest.fixture
def shared(monkeypatch):
    """How many sources of each group went together, of how many."""
    counts, accumulate = [], sssp_sums.accumulate_clustered  # the sources are its fifth

    def spied(*arguments):
        done = accumulate(*arguments)
        counts.append((done, arguments[4].size))
        return done

    monkeypatch.setattr(sssp_sums, "accumulate_clustered", spied)
    return counts


def sums(A, sources, directed):
    """The measures by SciPy's distances, by SciPy's and NetworkX's definitions."""
    D = csgraph.dijkstra(A if directed else A.maximum(A.T), indices=sources)
    met = np.isfinite(D) & (D > 0)
    reached, total = met.sum(axis=0), np.where(met, D, 0).sum(axis=0)
    mine = np.isin(np.arange(A.shape[0]), sources)
    others = np.where(mine, len(sources) - 1, len(sources))
    closeness = np.divide(reached, total, out=np.zeros(total.size), where=total > 0)
    closeness *= np.divide(reached, others, out=np.zeros(total.size), where=others > 0)
    inverse = np.divide(1, D, out=np.zeros_like(D), where=met).sum(axis=0)
    return closeness, inverse


@pytest.mark.parametrize("count", [1, 17, 64, 100, 300])
@pytest.mark.parametrize("name", DEEP)
def test_sums_of_distances_in_one_order(name, count, shared):
    """From near sources, eight at once, and from those that lie apart, where eight are near."""
    A = sp.csr_array(DEEP[name])
    directed = bool((A != A.T).nnz)
    n, options = A.shape[0], {"weighted": True, "directed": directed, "device": "cpu"}
    apart = np.sort(np.random.default_rng(4).permutation(n)[:count])
    for sources, least in ((np.arange(count), 17), (apart, 300)):
        shared.clear()
        got = centralities(A, ["closeness", "harmonic"], sources=sources, **options)
        want = sums(A, sources, directed)
        assert_allclose(got["closeness"], want[0], rtol=1e-12)
        assert_allclose(got["harmonic"], want[1], rtol=1e-12)
        assert shared or count < least
        assert all(done == asked for done, asked in shared) or name == "uneven streets"


@pytest.mark.parametrize("reduce", ["all", "none"])
@pytest.mark.parametrize("place", [0, 1], ids=["closeness", "harmonic"])
@pytest.mark.parametrize("name", DEEP)
def test_all_nodes(name, place, reduce, shared):
    """With what blocks leave: sources that stand for others."""
    A = sp.csr_array(DEEP[name])
    options = {"weighted": True, "directed": bool((A != A.T).nnz), "reduce": reduce}
    [got] = centralities(A, [("closeness", "harmonic")[place]], device="cpu", **options).values()
    assert shared
    want = sums(A, np.arange(A.shape[0]), options["directed"])
    assert_allclose(got, want[place], rtol=1e-12)


def test_an_order_of_no_use_to_eight(shared):
    """They search alone from there on, and the sums are the same, weights and all."""
    sources = np.arange(64, dtype=np.int32)
    graph = weighted(DEEP["uneven streets"], directed=False, tie_rtol=1e-10)
    weights, beyond = sources + 1.0, sources / 8
    together, alone = (
        LengthSearch(graph, ON_DEEP, NO_STOP).accumulate(
            [Batch(sources, weights, clustered, beyond)]
        )
        for clustered in (True, False)
    )
    [(done, asked)] = shared
    assert done < asked == 64
    for got, want in zip(together, alone, strict=True):
        assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize("name", ["streets", "one-way streets"])
def test_weights_and_what_lies_beyond(name, shared):
    """Of 21 sources, three rows of columns, the last one not full."""
    A, sources = sp.csr_array(DEEP[name]), np.arange(40, 61, dtype=np.int32)
    graph = weighted(A, directed=bool((A != A.T).nnz), tie_rtol=1e-10)
    weights, beyond = sources - 38.0, sources / 8
    state = LengthSearch(graph, ON_DEEP, NO_STOP)
    got = state.accumulate([Batch(sources, weights, True, beyond)])
    assert shared == [(21, 21)]
    D = csgraph.dijkstra(graph.outgoing.matrix(graph.lengths.outgoing), indices=sources)
    met, w = np.isfinite(D) & (D > 0), weights[:, None]
    assert_array_equal(got.reached, (w * met).sum(axis=0))
    assert_allclose(got.total, np.where(met, w * D, 0).sum(axis=0), rtol=1e-13)
    inverse = np.divide(w, D, out=np.zeros_like(D), where=met)
    assert_allclose(got.harmonic, inverse.sum(axis=0), rtol=1e-13)
    farthest = np.where(met, D + beyond[:, None], 0).max(axis=0)
    assert_allclose(got.farthest, farthest, rtol=1e-15)
