"""Near sources on the CPU: distances, counts and sums by length for 64 or for eight at once."""

from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import layered, matrix, one_way, with_lengths
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csgraph

from sparsebc import accessibility, betweenness, centralities, stress
from sparsebc.engines.common import batching
from sparsebc.engines.common.base import Sweep, Task
from sparsebc.engines.common.batch import Batch
from sparsebc.engines.cpu.brandes_weighted import brandes_weighted_high_diameter
from sparsebc.engines.cpu.common.outcomes import ALONE, DONE
from sparsebc.engines.cpu.sssp import distance_sums
from sparsebc.engines.cpu.sssp.workspace import LengthSearch
from sparsebc.errors import RangeError
from sparsebc.graph import read_weights
from sparsebc.graph.edge_weights import Lengths

NO_STOP = np.zeros(1, dtype=np.uint8)
STREETS = matrix(nx.grid_2d_graph(30, 30))
KARATE = matrix(nx.karate_club_graph())
# Three nodes a layer with arcs to all of the next, 1 or 2 long: floats do not hold the paths.
LAYERS = sp.csr_array(layered(3, 660))
LAYERS.data = 1.0 + np.repeat(np.arange(1980) // 3 % 2, np.diff(LAYERS.indptr))
# A walk goes back to what waits behind it before it has come to the end; rows of one arc to nine.
DISTRICT = nx.convert_node_labels_to_integers(nx.grid_2d_graph(80, 80))
DISTRICT.add_edges_from((i, 6400 + i // 3) for i in range(0, 6400, 7))
GRAPHS = {
    "streets": with_lengths(STREETS, range(1, 10)),
    "uneven streets": with_lengths(STREETS, np.geomspace(0.1, 1e3, 50)),
    "one way": sp.csr_array(sp.triu(with_lengths(STREETS, range(1, 4)), k=1)),
    "components": with_lengths(sp.block_diag([STREETS, KARATE], "csr"), [1, 2, 5]),
    "shallow": with_lengths(KARATE, np.linspace(0.3, 3, 11)),
    "district": with_lengths(matrix(DISTRICT), np.geomspace(1, 300, 41)),
    "one way district": sp.csr_array(
        with_lengths(matrix(DISTRICT), [1, 50, 3]) + sp.triu(matrix(DISTRICT), k=1)
    ),
}


def zigzag(m):
    """Node 0 has edges to all of a path that starts from node 1, in an order that turns at each."""
    path = np.arange(m)
    far = 10 * m
    from_hub = far + np.where(path % 2, path, 2 * m - path)
    tails = np.concatenate([np.zeros(m + 1), [1], path[:-1] + 2])
    heads = np.concatenate([[1], path + 2, [2], path[1:] + 2])
    lengths = np.concatenate([[2 * far], from_hub, np.full(m, 2 * m + 1)])
    return sp.csr_array((lengths, (tails.astype(int), heads)), shape=(m + 2, m + 2))


def against(m):
    """A path along which node m + 1 meets 1..m from the far end, and node 0 from the near one.

    Node 0 has an edge to each, the farther the more it exceeds the way along the path, and longer
    than all of that.
    """
    path = np.arange(1, m)
    tails = np.concatenate([path, path + 1, np.zeros(m, dtype=int), [m + 1]])
    heads = np.concatenate([path + 1, path, np.arange(1, m + 1), [m]])
    lengths = np.concatenate([np.ones(2 * m - 2), m + 2.0 * np.arange(1, m + 1), [1]])
    return sp.csr_array((lengths, (tails, heads)), shape=(m + 2, m + 2))


@pytest.fixture
def shared(monkeypatch):
    """How many sources of each group went together, of how many."""
    counts = []

    def spied(accumulate):
        def counting(*arguments):
            counts.append((accumulate(*arguments), arguments[-4].size))
            return counts[-1][0]

        return counting

    for name in ("accumulate_batch", "accumulate_clustered"):
        monkeypatch.setattr(distance_sums, name, spied(getattr(distance_sums, name)))
    return counts


@pytest.mark.parametrize(
    ("A", "sources", "high_diameter", "least"),
    [
        *((A, range(29), False, 29) for A in GRAPHS.values()),
        *((A, range(min(64, A.shape[0])), True, 16) for A in GRAPHS.values()),
        (zigzag(1000), [0, 1], False, 0),
        (against(100), [101, 0], True, 0),
    ],
)
def test_together_and_alone(A, sources, high_diameter, least, shared):
    """Sums are the same, weights and all; once an order is of no use, the others go alone."""
    graph = read_weights.weighted(A, directed=True, tie_rtol=1e-10).with_unit_lengths()
    sources = np.array(sources, dtype=np.int32)
    sweep = Sweep("distances by length", 64, high_diameter=high_diameter)
    together, alone = (
        LengthSearch(graph, sweep, NO_STOP).accumulate(
            [Batch(sources, sources + 1.0, clustered, sources / 8)]
        )
        for clustered in (True, False)
    )
    [(done, asked)] = shared
    assert least <= done <= asked == sources.size
    assert (done == 0) == (least == 0)
    for got, want in zip(together, alone, strict=True):
        assert_allclose(got, want, rtol=1e-12)


HIGH_DIAMETER = {
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
@pytest.mark.parametrize("name", HIGH_DIAMETER)
def test_sums_of_distances_in_one_order(name, count, shared):
    """From near sources, eight at once, and from those that lie apart, where eight are near."""
    A = sp.csr_array(HIGH_DIAMETER[name])
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


@pytest.fixture
def swept(monkeypatch):
    """How many sources each batch had that came to `brandes_weighted_high_diameter`."""
    sizes, run = [], brandes_weighted_high_diameter.run

    def noted(columns, paths, places, sources, alpha):
        sizes.append(sources.size)
        return run(columns, paths, places, sources, alpha)

    monkeypatch.setattr(brandes_weighted_high_diameter, "run", noted)
    return sizes


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


@pytest.mark.parametrize("limit", [None, "safe_distance", "limit"])
def test_distances_beyond_limits(limit, monkeypatch):
    """Where a length might be lost beside a distance, arcs are looked at; none may pass 2**53."""
    A, sources, outcomes, run = GRAPHS["streets"], range(40), [], brandes_weighted_high_diameter.run
    far = csgraph.dijkstra(A, indices=sources).max()
    asked = {"weighted": True, "sources": sources, "reduce": "none", "device": "cpu"}
    want = betweenness(A, **asked)
    monkeypatch.setattr(
        brandes_weighted_high_diameter,
        "run",
        lambda *given: outcomes.append(run(*given)) or outcomes[-1],
    )
    if limit:
        monkeypatch.setattr(Lengths, limit, np.nextafter(far, 0))
    if limit == "limit":
        with pytest.raises(RangeError, match="passes 2"):
            betweenness(A, **asked)
        assert max(outcomes) >= ALONE
    else:
        assert_array_equal(betweenness(A, **asked), want)
        assert set(outcomes) == {DONE}


RADII = {"none": [4.0], "few": [9.0], "several": [5.0, 9.0, 17.0]}


@pytest.mark.parametrize("radii", RADII.values(), ids=RADII)
@pytest.mark.parametrize("name", ["streets", "one-way streets", "components"])
def test_within_a_radius(name, radii, swept, shared, monkeypatch):
    """Near sources number the nodes that one of them reaches; scores are those of each alone."""
    A = sp.csr_array(HIGH_DIAMETER[name])
    n, options = A.shape[0], {"weighted": True, "cutoff": radii, "device": "cpu"}
    pairs = {"sources": np.arange(n - 5), "reduce": "none"}
    demand = sp.random_array((n, n), density=0.02, rng=5, data_sampler=lambda size: np.ones(size))
    demand.setdiag(0)
    kinds = np.arange(2 * n).reshape(n, 2) % 3
    monkeypatch.setattr(batching, "MANY_LOOKS", 0)
    found = []
    for share in (0, 1e9):
        monkeypatch.setattr(batching, "WITHIN", share)
        swept.clear()
        shared.clear()
        paths = ["betweenness", "edge_betweenness", "stress"]
        got = centralities(A, paths, endpoints=True, **pairs, **options)
        far = centralities(A, ["closeness", "harmonic", "eccentricity"], **pairs, **options)
        found.append(
            [
                got["betweenness"],
                *(each.data for each in got["edge_betweenness"]),
                got["stress"],
                betweenness(A, demand=demand, decay=("exponential", 0.1), **options),
                *far.values(),
                accessibility(A, kinds, decay=("linear", 12), **options),
            ]
        )
        assert bool(swept) == bool(shared) == bool(share)
        assert all(done == asked for done, asked in shared)
    for got, want in zip(*found, strict=True):
        assert_allclose(got, want, rtol=1e-11, atol=1e-11)


def test_batches_within_a_radius():
    """Sources whose balls are small beside what each of them reaches; the others are alone."""
    A = with_lengths(matrix(nx.grid_2d_graph(60, 60)), [1, 1.5])
    graph = read_weights.weighted(A, directed=False, tie_rtol=1e-10)
    every = np.arange(graph.n, dtype=np.int32)
    for limit, sources, is_near in (
        *((8.0, every, False), (25.0, every, True)),
        *((25.0, every[::3], False), (80.0, every[::3], True)),
    ):
        task = Task("paths", replace(graph, cutoffs=(limit,)), True, sources, 1.0 + sources)
        batches = batching.within_cutoff(task, batching.for_paths(task, width=64))
        near = sum(batch.sources.size for batch in batches if batch.clustered)
        assert (near > sources.size / 4) == is_near == (near > 0)
        assert_array_equal(np.sort(np.concatenate([b.sources for b in batches])), sources)


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
