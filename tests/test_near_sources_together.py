"""Eight near sources of a deep graph: distances, counts and sums by length, side by side."""

from dataclasses import replace
from fractions import Fraction

import networkx as nx
import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from graphs import layered, matrix, with_lengths
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import njit
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csgraph
from test_near_sources import GRAPHS, NO_STOP

from sparsebc import betweenness, stress
from sparsebc.engines import batching
from sparsebc.engines.base import Sweep
from sparsebc.engines.batch import Batch
from sparsebc.engines.cpu.brandes_weighted import brandes_clustered
from sparsebc.engines.cpu.brandes_weighted import workspace as betweenness_weighted
from sparsebc.engines.cpu.sssp import sssp, sssp_clustered
from sparsebc.graph import read_weights
from sparsebc.testing import patterns

ALL = frozenset({"dependency", "squares", "stress", "arcs", "ends"})
numbered, arranged, relaxed, left = map(
    njit,
    (sssp_clustered.number, sssp_clustered.arrange, sssp_clustered.relax, sssp_clustered.leave),
)
STREETS = matrix(nx.grid_2d_graph(30, 30))
# Three nodes a layer with arcs to all of the next, 1 or 2 long: floats do not hold the paths.
LAYERS = sp.csr_array(layered(3, 660))
LAYERS.data = 1.0 + np.repeat(np.arange(1980) // 3 % 2, np.diff(LAYERS.indptr))


@pytest.fixture
def swept(monkeypatch):
    """How many sources each batch had that came to `brandes_clustered`."""
    sizes, run = [], brandes_clustered.run

    def noted(columns, paths, places, sources, alpha):
        sizes.append(sources.size)
        return run(columns, paths, places, sources, alpha)

    monkeypatch.setattr(brandes_clustered, "run", noted)
    return sizes


def sums(A, directed, sources, weights, names=ALL, dtype=np.float64):
    """What the kernel adds up for one batch, however shallow the graph, and the graph."""
    graph = read_weights.weighted(A, directed=directed, tie_rtol=1e-10).with_unit_lengths()
    sweep = Sweep("brandes by length", 64, True, np.ones(graph.n), names, np.dtype(dtype))
    workspace = betweenness_weighted.WeightedWorkspace(graph, sweep, NO_STOP)
    workspace._in_order = True
    batch = Batch(np.array(sources, dtype=np.int32), np.array(weights, dtype=float), clustered=True)
    workspace.run([batch])
    return workspace, graph


@st.composite
def batches(draw):
    """Edges with their exact lengths, sources of a batch and their weights."""
    n, edges = draw(patterns(max_nodes=6, max_edges=14))
    edges = sorted({(i, j) for i, j in edges if i != j}) or [(0, 1)]
    lengths = st.integers(1, 4)
    counts = draw(st.lists(lengths, min_size=len(edges), max_size=len(edges)))
    sources = draw(st.permutations(range(max(n, 2))))
    weights = draw(st.lists(st.integers(1, 3), min_size=len(sources), max_size=len(sources)))
    tenths = draw(st.booleans())
    return max(n, 2), edges, counts, sources, weights, draw(st.booleans()), tenths


@settings(max_examples=40)
@given(batches())
def test_every_sum_is_the_definitions(question):
    """All of them at once, of sources with weights, by fractions."""
    n, edges, counts, sources, weights, directed, tenths = question
    unit = Fraction(1, 10) if tenths else Fraction(1)
    values = np.array(counts) / 10 if tenths else np.array(counts, dtype=float)
    A = sp.coo_array((values, tuple(np.array(edges).T)), shape=(n, n)).tocsr()
    length = oracle.merged(
        [(i, j, c * unit) for (i, j), c in zip(edges, counts, strict=True)], directed=directed
    )
    got, graph = sums(A, directed, sources, weights)
    alpha = dict(zip(sources, weights, strict=True))
    asked = {"directed": True, "length": length, "alpha": alpha}  # merged has both directions
    close = {"rtol": 1e-12, "atol": 1e-14}
    scores = [float(x) for x in oracle.raw(n, length, **asked)]
    assert_allclose(got.dependency, scores, **close)
    with_ends = [float(x) for x in oracle.raw(n, length, **asked, endpoints=True)]
    assert_allclose(got.dependency + got.ends, with_ends, **close)
    assert_allclose(got.stress, [float(x) for x in oracle.raw_stress(n, length, **asked)], **close)
    each = [[float(x) for x in oracle.raw(n, length, length=length, sources=[s])] for s in range(n)]
    squares = sum(alpha[s] * np.array(each[s]) ** 2 for s in range(n))
    assert_allclose(got.squares, squares, **close)
    by_edge = oracle.raw_edges(n, length, **asked)
    coo = graph.outgoing.matrix(got.arcs).tocoo()
    entries = zip(coo.row.tolist(), coo.col.tolist(), strict=True)
    assert_allclose(coo.data, [float(by_edge[arc]) for arc in entries], **close)


@pytest.mark.parametrize("lengths", [range(1, 10), [1, 2], np.arange(1, 7) / 10])
@pytest.mark.parametrize("directed", [False, True])
def test_scores_are_those_of_sources_alone(lengths, directed, swept):
    """On streets, one way as well; with many ties; batches that eight do not divide."""
    A = with_lengths(STREETS, lengths)
    if directed:
        A = sp.csr_array(A + sp.csr_array((np.ones(899), (range(899), range(1, 900))), A.shape))
    some = {"weighted": True, "directed": directed, "reduce": "none", "normalized": False}
    near = np.arange(41)
    got = betweenness(A, **some, sources=near, device="cpu")
    assert swept
    assert any(size % 8 for size in swept)
    ran = len(swept)
    parts = np.array_split(near, 3)  # so few that each searches alone
    alone = sum(betweenness(A, **some, sources=few, device="cpu") for few in parts)
    assert len(swept) == ran
    assert_allclose(got, alone, rtol=1e-12, atol=1e-9)


@pytest.mark.slow
def test_float32_is_close(swept):
    """By kernels of its own."""
    A = with_lengths(STREETS, range(1, 10))
    some = {"weighted": True, "normalized": False, "sources": np.arange(41), "device": "cpu"}
    rough = betweenness(A, **some, dtype=np.float32)
    assert swept
    assert_allclose(rough, betweenness(A, **some), rtol=1e-4, atol=1e-2)


def test_scattered_sources_go_eight_to_a_group():
    """Each once, with its weight; those of a thick part of the graph together, the others alone."""
    A = with_lengths(matrix(nx.grid_2d_graph(70, 70)), range(1, 10))
    graph = read_weights.weighted(A, directed=False, tie_rtol=0.0)
    thick = np.arange(0, 2000, 17, dtype=np.int32)
    sources = np.append(thick, np.array([4100, 4500, 4899], dtype=np.int32))
    weights = 1.0 + np.arange(sources.size) % 3
    given = batching.cut(sources, weights, 16, clustered=False)
    near = Batch(np.arange(2500, 2564, dtype=np.int32), np.ones(64), clustered=True)
    batches = batching.by_eight(graph, [near, *given])
    assert batches[0] is near
    found = {s: w for g in batches[1:] for s, w in zip(g.sources, g.alpha, strict=True)}
    assert found == dict(zip(sources, weights, strict=True))
    assert sum(g.sources.size for g in batches[1:]) == sources.size
    together = [g.sources.size for g in batches[1:] if g.clustered]
    assert set(together) <= set(range(4, 9))
    assert sum(together) > thick.size / 2
    apart = np.concatenate([g.sources for g in batches if not g.clustered])
    assert {4100, 4500, 4899} <= set(apart)
    assert batching.by_eight(graph, [near]) == [near]


def test_scores_of_scattered_sources(swept):
    """Along a strip of streets, too far apart for balls of many."""
    A = with_lengths(matrix(nx.grid_2d_graph(1000, 5)), range(1, 10))
    some = {"weighted": True, "directed": False, "reduce": "none", "normalized": False}
    sources = np.arange(0, 5000, 40)
    got = betweenness(A, **some, sources=sources, device="cpu")
    assert swept
    assert max(swept) <= 8
    ran = len(swept)
    parts = np.array_split(sources, 8)
    alone = sum(betweenness(A, **some, sources=part, device="cpu") for part in parts)
    assert len(swept) == ran
    assert_allclose(got, alone, rtol=1e-12, atol=1e-9)


def test_the_same_bits_for_any_workers():
    A = with_lengths(STREETS, range(1, 10))
    one, two = (betweenness(A, weighted=True, device="cpu", workers=w) for w in (1, 2))
    assert_array_equal(one, two)


def search(A, sources, limit=np.inf):
    """What `relax` finds in the order of the first source: whether it did, and its state."""
    first = csgraph.dijkstra(A, indices=sources[0])
    arrays = A.indptr.astype(np.int64), A.indices.astype(np.int32), A.data.astype(float)
    state = sssp.search(*arrays, NO_STOP)
    state.order[:] = np.argsort(first, kind="stable")
    graph = read_weights.weighted(A, directed=True, tie_rtol=0).with_unit_lengths()
    near, incoming = sssp_clustered.shared_order(graph, limit)
    numbered(near, state)
    arranged(state.order, near.place, *graph.incoming, graph.lengths.incoming, incoming)
    return relaxed(near, incoming, np.array(sources, dtype=np.int32)), near


# A walk goes back to what waits behind it before it has come to the end; rows of one arc to nine.
DISTRICT = nx.convert_node_labels_to_integers(nx.grid_2d_graph(80, 80))
DISTRICT.add_edges_from((i, 6400 + i // 3) for i in range(0, 6400, 7))
TOGETHER = GRAPHS | {
    "district": with_lengths(matrix(DISTRICT), np.geomspace(1, 300, 41)),
    "one way district": sp.csr_array(
        with_lengths(matrix(DISTRICT), [1, 50, 3]) + sp.triu(matrix(DISTRICT), k=1)
    ),
}


@pytest.mark.parametrize("name", TOGETHER)
@pytest.mark.parametrize("count", [1, 8])
def test_distances_are_dijkstras(name, count):
    """To the last bit, out of reach as well; the columns of no source stay clear."""
    A, sources = sp.csr_array(TOGETHER[name]), np.arange(count, dtype=np.int32)
    done, near = search(A, sources)
    assert done
    found = near.distance.reshape(-1, 8)[near.place]
    assert_array_equal(found[:, :count].T, csgraph.dijkstra(A, indices=sources))
    assert np.isinf(found[:, count:]).all()
    assert not near.waiting.any()
    left(near, sources)
    assert not near.starts.any()


def against(m):
    """A path along which node m + 1 meets 1..m from the far end, and node 0 from the near one.

    Node 0 has an edge to each, the farther the more it exceeds the way along the path.
    """
    path = np.arange(1, m)
    tails = np.concatenate([path, path + 1, np.zeros(m, dtype=int), [m + 1]])
    heads = np.concatenate([path + 1, path, np.arange(1, m + 1), [m]])
    lengths = np.concatenate([np.ones(2 * m - 2), 2.0 * np.arange(1, m + 1), [1]])
    return sp.csr_array((lengths, (tails, heads)), shape=(m + 2, m + 2))


def test_an_order_that_is_of_no_use_is_given_up(swept):
    """Nothing waits in the end, and each source searches alone."""
    A, sources = against(100), [101, 0]
    done, near = search(A, sources)
    assert not done
    assert not near.waiting.any()
    got, _ = sums(A, True, sources, [1, 1], frozenset({"dependency"}))
    assert swept == [2]
    want = betweenness(A, weighted=True, sources=sources, normalized=False, device="cpu")
    assert_array_equal(got.dependency, want)


def test_distances_beyond_the_limit_are_left_to_sources_alone():
    """Where a length might be lost beside a distance, and where it cannot."""
    A = with_lengths(STREETS, range(1, 10))
    far = csgraph.dijkstra(A, indices=[0, 1]).max()
    assert search(A, [0, 1], far)[0]
    assert not search(A, [0, 1], np.nextafter(far, 0))[0]


def test_lengths_that_are_lost_are_refused(swept):
    """From near sources as from one."""
    line = matrix(nx.path_graph(60)).astype(float)
    line.data[:] = 1e6
    line[30, 31] = line[31, 30] = 1e-5
    for sources in ([0], range(40)):
        with pytest.raises(ValueError, match=r"30, 31|31, 30"):
            betweenness(
                line, weighted=True, sources=sources, reduce="none", device="cpu", normalized=False
            )
    assert swept


def test_counts_beyond_floats(swept):
    """They are found to be so, and counted with exponents; by edges it is the same."""
    near = {"sources": range(40), "normalized": False, "device": "cpu", "reduce": "none"}
    got = betweenness(LAYERS, weighted=True, **near)
    assert swept
    assert_allclose(got, betweenness(LAYERS, **near), rtol=1e-9)
    with pytest.raises(OverflowError):
        stress(LAYERS, weighted=True, sources=range(40), device="cpu", reduce="none")


def test_sources_in_one_order(monkeypatch):
    """Each once, with its weight; full batches, but for what is left of a large component."""
    parts = [nx.grid_2d_graph(20, 150), *(nx.cycle_graph(m) for m in (5, 40, 7))]
    A = with_lengths(matrix(nx.disjoint_union_all(parts)), range(1, 10))
    graph = read_weights.weighted(A, directed=False, tie_rtol=0.0)
    sources = np.flatnonzero(np.arange(graph.n) % 5).astype(np.int32)
    weights = 1.0 + np.arange(sources.size) % 3
    batches = batching.in_one_order(graph, sources, weights, 32)
    found = {s: w for g in batches for s, w in zip(g.sources, g.alpha, strict=True)}
    assert found == dict(zip(sources, weights, strict=True))
    assert sum(g.sources.size for g in batches) == sources.size
    assert sum(g.sources.size == 32 for g in batches) > 0.8 * len(batches)
    # The sources of small components share batches with nobody else.
    small = [set(g.sources >= 3000) for g in batches]
    assert {True} in small
    assert all(len(kinds) == 1 for kinds in small)
    assert batching.in_one_order(graph, sources[::40], weights[::40], 32) == []  # too few
    monkeypatch.setattr(batching, "ORDERS", 0)
    assert batching.in_one_order(graph, sources[-60:], weights[-60:], 32)
    monkeypatch.setattr(batching, "VISITS", 1)  # balls of a source or two
    assert batching.in_one_order(graph, sources[::40], weights[::40], 32) == []


def test_runs_within_a_cutoff():
    """Sources in the order of the nodes, where there are many."""
    graph = read_weights.weighted(STREETS, directed=False, tie_rtol=1e-10)
    graph = replace(graph, cutoffs=(5,))
    sources = np.random.default_rng(3).permutation(900).astype(np.int32)
    batches = batching.in_one_order(graph, sources, 1.0 + sources, 256)
    assert [batch.sources.size for batch in batches] == [256, 256, 256, 132]
    assert_array_equal(np.concatenate([batch.sources for batch in batches]), np.arange(900))
    assert_array_equal(np.concatenate([batch.alpha for batch in batches]), 1.0 + np.arange(900))
    assert batching.in_one_order(graph, sources[:225], 1.0 + sources[:225], 256)
    assert not batching.in_one_order(graph, sources[:224], 1.0 + sources[:224], 256)
