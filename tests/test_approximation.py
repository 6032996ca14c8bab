"""Approximate betweenness: bounds that hold, as few samples as prove them, exact at the worst."""

import networkx as nx
import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, matrix, with_trees
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from sparsebc import (
    Adaptive,
    Approximation,
    adaptive_betweenness,
    approximate_betweenness,
    betweenness,
)
from sparsebc.engines import devices
from sparsebc.engines.cpu.engine import CPU
from sparsebc.graph import read_weights
from sparsebc.graph.read_matrix import canonical
from sparsebc.measures import sampling, time_limit
from sparsebc.preprocess import reduce
from sparsebc.run import blocks, options
from sparsebc.testing import matrices

GRAPHS = {
    "hubs": matrix(nx.barabasi_albert_graph(500, 3, seed=841)),
    "small world": matrix(nx.connected_watts_strogatz_graph(500, 6, 0.1, seed=842)),
    "digraph": matrix(nx.gnp_random_graph(500, 0.006, seed=843, directed=True)),
    "two parts": matrix(
        nx.disjoint_union(
            nx.barabasi_albert_graph(400, 2, seed=844), nx.random_geometric_graph(150, 0.15, seed=4)
        )
    ),
    "bridge": matrix(nx.barbell_graph(180, 90)),
}
RUNS, DELTA = 200, 0.1
# More misses than this among so many runs have a probability below one in a million, if a run
# misses with probability DELTA at most.
ALLOWED = int(binom.isf(1e-6, RUNS, DELTA))


def is_directed(name):
    return name == "digraph"


@pytest.mark.parametrize("name", GRAPHS)
def test_coverage(name):
    """Every score is within its half-width of the exact one, in all but a share delta of runs."""
    A, directed = GRAPHS[name], is_directed(name)
    exact = betweenness(A, directed=directed, device="cpu")
    misses = stopped_early = 0
    for seed in range(RUNS):
        near = approximate_betweenness(
            A, epsilon=0.15, delta=DELTA, rng=seed, directed=directed, device="cpu"
        )
        assert near.half_widths.max() <= 0.15
        misses += (abs(near.scores - exact) > near.half_widths + 1e-12).any()
        stopped_early += not near.exact
    assert misses <= ALLOWED
    assert stopped_early > RUNS // 2


@pytest.mark.parametrize("name", GRAPHS)
def test_more_precision_takes_no_fewer_samples(name, fast_device):
    """Down to an exact run, and never beyond it."""
    A, directed = GRAPHS[name], is_directed(name)
    exact = betweenness(A, directed=directed)
    runs = [
        approximate_betweenness(A, epsilon=epsilon, rng=3, directed=directed, device=fast_device)
        for epsilon in (0.3, 0.15, 0.08, 0.04, 1e-6)
    ]
    samples = [run.samples for run in runs]
    assert samples == sorted(samples)
    assert samples[0] < samples[-1] == runs[-1].population
    assert [run.exact for run in runs] == [run.samples == run.population for run in runs]
    assert not runs[-1].half_widths.any()
    np.testing.assert_allclose(runs[-1].scores, exact, rtol=1e-12, atol=1e-15)


@given(
    matrices(),
    st.booleans(),
    st.floats(1e-3, 0.999),
    st.floats(1e-3, 0.999),
    st.integers(0, 2**32),
)
def test_never_more_samples_than_exact(device, A, directed, epsilon, delta, seed):
    """On awkward matrices: no more samples than nodes; exact scores if all were taken."""
    before = A.copy()
    near = approximate_betweenness(
        A, epsilon=epsilon, delta=delta, rng=seed, directed=directed, device=device
    )
    n = A.shape[0]
    assert 0 <= near.samples <= near.population <= n
    assert near.exact == (near.samples == near.population)
    assert near.scores.shape == near.half_widths.shape == (n,)
    assert (near.half_widths <= epsilon).all()
    if near.exact:
        exact = betweenness(A, directed=directed)
        np.testing.assert_allclose(near.scores, exact, rtol=1e-12, atol=1e-15)
    assert (A.tocsr() != before.tocsr()).nnz == 0


@pytest.mark.parametrize("name", MEDIUM)
@pytest.mark.parametrize("directed", [True, False])
def test_the_same_scale_as_betweenness(name, directed, device):
    """An exact run gives normalized scores."""
    A = MEDIUM[name]
    near = approximate_betweenness(A, epsilon=1e-9, rng=0, directed=directed, device=device)
    exact = betweenness(A, directed=directed)
    assert near.exact
    np.testing.assert_allclose(near.scores, exact, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("graph", [nx.star_graph(400), nx.path_graph(400)], ids=["star", "path"])
def test_trees_need_no_samples(graph):
    """Pairs in an undirected tree are counted in closed form, and nothing is left to sample."""
    A = matrix(graph)
    near = approximate_betweenness(A, epsilon=0.1, directed=False, device="cpu")
    assert near.exact
    assert near.samples == near.population == 0
    np.testing.assert_allclose(near.scores, betweenness(A, directed=False), rtol=1e-12)


def test_one_way_path(device):
    """Half of all pairs pass the middle: node i is passed by i (n - 1 - i) of (n - 1)(n - 2)."""
    n = 600
    A = sp.csr_array(np.eye(n, k=1))
    near = approximate_betweenness(A, epsilon=0.1, rng=5, device=device)
    i = np.arange(n)
    exact = i * (n - 1 - i) / ((n - 1) * (n - 2))
    assert near.samples < near.population
    assert (abs(near.scores - exact) <= near.half_widths).all()


def test_out_star_of_one_way_arcs(device):
    """Arcs into the centre and out of it: all paths between other nodes pass it."""
    n = 500
    into, out_of = np.arange(1, 250), np.arange(250, n)
    arcs = [*((v, 0) for v in into), *((0, v) for v in out_of)]
    A = sp.csr_array((np.ones(n - 1), np.transpose(arcs)), shape=(n, n))
    near = approximate_betweenness(A, epsilon=0.1, rng=6, device=device)
    centre = into.size * out_of.size / ((n - 1) * (n - 2))
    assert abs(near.scores[0] - centre) <= near.half_widths[0]
    assert not near.scores[1:].any()


def test_scores_that_are_all_zero(device):
    """In a complete graph no node lies between two others; intervals shrink all the same."""
    A = matrix(nx.complete_graph(400))
    near = approximate_betweenness(A, epsilon=0.1, rng=7, directed=False, device=device)
    assert not near.scores.any()
    assert near.samples < near.population
    assert 0 < near.half_widths.max() <= 0.1


def test_small_components_need_fewer_samples():
    """A node's dependency is no larger than its component."""
    one = nx.barabasi_albert_graph(300, 3, seed=845)
    many = matrix(nx.disjoint_union_all([one] * 10))
    few = approximate_betweenness(many, epsilon=0.01, rng=8, directed=False, device="cpu")
    assert few.samples < few.population / 2
    exact = betweenness(many, directed=False)
    assert (abs(few.scores - exact) <= few.half_widths).all()


@pytest.mark.parametrize("name", ["hubs", "digraph"])
def test_same_bits(name, device):
    """A seed gives the same bits, whatever the workers and the memory."""
    A, directed = GRAPHS[name], is_directed(name)
    options = {"epsilon": 0.1, "rng": 9, "directed": directed, "device": device}
    first = approximate_betweenness(A, **options)
    for run in ({"workers": 1}, {"workers": 3}, {"memory_budget": 1 << 26}):
        again = approximate_betweenness(A, **options, **run)
        np.testing.assert_array_equal(again.scores, first.scores)
        np.testing.assert_array_equal(again.half_widths, first.half_widths)
        assert again.samples == first.samples
    other = approximate_betweenness(A, **options | {"rng": 10})
    assert (other.scores != first.scores).any()


def test_float32_is_close(device):
    """Path counts in float32 round, and no more."""
    A = GRAPHS["hubs"]
    options = {"epsilon": 0.1, "rng": 11, "directed": False, "device": device}
    wide = approximate_betweenness(A, **options)
    narrow = approximate_betweenness(A, dtype=np.float32, **options)
    assert narrow.samples == wide.samples
    np.testing.assert_allclose(narrow.scores, wide.scores, atol=1e-5 * wide.scores.max())
    np.testing.assert_allclose(narrow.half_widths, wide.half_widths, rtol=1e-3)


def test_ranking_of_a_wheel():
    """The hub is certainly first; of the rim, alike by symmetry, no position is."""
    A = matrix(nx.wheel_graph(500))
    near = approximate_betweenness(A, epsilon=0.02, top=3, rng=12, directed=False)
    assert near.ranking[0] == 0
    assert near.certain.tolist() == [True, False, False]
    first = approximate_betweenness(A, epsilon=0.02, top=1, rng=12, directed=False)
    assert first.samples < near.samples
    assert first.certain.tolist() == [True]


@pytest.mark.parametrize("name", GRAPHS)
def test_certain_positions(name, fast_device):
    """What is called certain is so, in each of twenty runs (fixed seeds; delta is 1 in 1000)."""
    A, directed = GRAPHS[name], is_directed(name)
    ranks = np.argsort(-betweenness(A, directed=directed), kind="stable")
    for seed in range(20):
        near = approximate_betweenness(
            A, epsilon=0.05, delta=1e-3, top=5, rng=seed, directed=directed, device=fast_device
        )
        assert (near.ranking[near.certain] == ranks[:5][near.certain]).all()
        assert near.certain.all() or near.half_widths.max() <= 0.05


def test_exact_ties_are_uncertain():
    """All sources taken, and yet nodes of a cycle have no order."""
    near = approximate_betweenness(matrix(nx.cycle_graph(31)), epsilon=0.01, top=31, directed=False)
    assert near.exact
    assert not near.certain.any()
    assert sorted(near.ranking) == list(range(31))


def test_progress(device):
    """Calls go (sampled, expected), never fall, and end with what was sampled."""
    calls = []
    near = approximate_betweenness(
        GRAPHS["small world"],
        epsilon=0.05,
        rng=13,
        directed=False,
        device=device,
        progress=lambda *call: calls.append(call),
    )
    done, expected = zip(*calls, strict=True)
    assert list(done) == sorted(done)
    assert done[-1] == near.samples
    assert max(expected) <= near.population


BAD = [
    ({"epsilon": 0}, ValueError, ["epsilon", "between 0 and 1", "got 0"]),
    ({"epsilon": 1}, ValueError, ["epsilon", "between 0 and 1", "got 1"]),
    ({"epsilon": -0.5}, ValueError, ["epsilon", "got -0.5"]),
    ({"epsilon": float("nan")}, ValueError, ["epsilon", "got nan"]),
    ({"epsilon": "0.1"}, TypeError, ["epsilon", "'0.1'", "number"]),
    ({"epsilon": True}, TypeError, ["epsilon", "True", "number"]),
    ({"delta": 0}, ValueError, ["delta", "between 0 and 1", "got 0"]),
    ({"delta": 1.5}, ValueError, ["delta", "got 1.5"]),
    ({"delta": None}, TypeError, ["delta", "None", "number"]),
    ({"top": 0}, ValueError, ["top", "1..n = 5", "got 0"]),
    ({"top": 6}, ValueError, ["top", "1..n = 5", "got 6"]),
    ({"top": 2.0}, TypeError, ["top", "2.0", "int"]),
    ({"top": True}, TypeError, ["top", "True", "int"]),
    ({"epsilon": None}, TypeError, ["epsilon or seconds", "seconds=60"]),
    ({"seconds": 0}, ValueError, ["seconds", "above 0", "got 0"]),
    ({"seconds": float("inf")}, ValueError, ["seconds", "got inf"]),
    ({"seconds": "1"}, TypeError, ["seconds", "'1'", "number"]),
    ({"rng": -1}, ValueError, ["rng", "got -1", "seed"]),
    ({"directed": 1}, TypeError, ["directed", "got 1"]),
    ({"worker": 1}, TypeError, ["'worker'", "did you mean 'workers'?"]),
    ({"device": "gpu"}, ValueError, ["device", "'gpu'"]),
]


@pytest.mark.parametrize(("options", "error", "words"), BAD, ids=[str(row[0]) for row in BAD])
def test_bad_options(options, error, words):
    """The message names the argument, the value and the remedy."""
    A = sp.csr_array(np.eye(5, k=1))
    with pytest.raises(error) as caught:
        approximate_betweenness(A, **{"epsilon": 0.1} | options)
    for word in words:
        assert word in str(caught.value)


def squares(A, directed, device, dtype=np.float64, sources=None):
    """The engine's sums of dependencies and of their squares, on the graph as it was given."""
    engine = devices.select(device)
    with engine.here():
        graph = canonical(A, directed=directed, ops_for=engine.ops_for)
        everyone = np.ones(graph.n, dtype=bool)
        is_source = everyone if sources is None else np.isin(np.arange(graph.n), sources)
        problem = reduce.as_given(graph, is_source, everyone)
        wanted = frozenset({"dependency", "squares"})
        return blocks.sum_blocks(engine, problem, wanted, options.Run(device=device, dtype=dtype))


@given(matrices(max_nodes=6), st.booleans())
def test_sums_of_squares_from_the_definition(device, A, directed):
    """Of each source the score that it alone gives, from the oracle, squared and added up."""
    coo, n = A.tocoo(), A.shape[0]
    edges = list(zip(coo.row.tolist(), coo.col.tolist(), strict=True))
    each = [oracle.raw(n, edges, directed=directed, sources=[s]) for s in range(n)]
    want = [float(sum(one[v] ** 2 for one in each)) for v in range(n)]
    got = squares(A, directed, device)
    np.testing.assert_allclose(got["squares"], want, rtol=1e-12)


@pytest.mark.parametrize(
    ("name", "dtype", "rtol"),
    [
        *((name, np.float64, 1e-11) for name in ("large hubs", "grid", "streets", "spider")),
        ("large digraph", np.float32, 1e-5),
    ],
)
def test_sums_of_squares(name, dtype, rtol, device):
    """By rows and by columns, as the sums of the dependencies themselves."""
    A = LARGE[name]
    each = np.array([betweenness(A, sources=[s], normalized=False) for s in range(A.shape[0])])
    got = squares(A, True, device, dtype)
    np.testing.assert_allclose(got["dependency"], each.sum(axis=0), rtol=rtol)
    np.testing.assert_allclose(got["squares"], (each**2).sum(axis=0), rtol=rtol)


@pytest.mark.parametrize("device", ["cpu", "reference"])
def test_sums_of_squares_beyond_floats(device):
    """Ten nodes a layer, 330 layers: more paths than 1.8e308. A layer shares what passes it."""
    width, layers = 10, 330
    A = sp.csr_array(sp.kron(sp.eye_array(layers, k=1), np.ones((width, width))))
    layer = np.repeat(np.arange(layers), width)
    sources = [0, 1, 5]  # of the first layer
    behind = (layers - 1 - layer) * (layer > 0.0)  # a tenth of the pairs that pass its layer
    got = squares(A, True, device, sources=sources)
    np.testing.assert_allclose(got["dependency"], 3 * behind, rtol=1e-11)
    np.testing.assert_allclose(got["squares"], 3 * behind**2, rtol=1e-11)


def lengths(A, seed):
    """The same edges, with lengths from 1 to 4 that are whole numbers."""
    upper = sp.triu(A, format="csr")
    upper.data = np.random.default_rng(seed).integers(1, 5, upper.nnz)
    return sp.csr_array(upper + upper.T)


def test_by_length(device):
    """Within the bounds of the exact scores by length, from some of the sources."""
    A = lengths(GRAPHS["hubs"], 16)
    near = approximate_betweenness(
        A, epsilon=0.1, rng=17, directed=False, weighted=True, device=device
    )
    exact = betweenness(A, directed=False, weighted=True, device="cpu")
    assert near.samples < near.population
    assert (abs(near.scores - exact) <= near.half_widths).all()
    hops = betweenness(A, directed=False, device="cpu")
    assert (abs(near.scores - hops) > near.half_widths).any()
    found = adaptive_betweenness(
        A, [exact.argmin()], rng=18, directed=False, weighted=True, device=device
    )
    np.testing.assert_allclose(found.scores, exact.min(), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("name", ["hubs", "digraph"])
def test_equal_lengths_change_nothing(name):
    """All edges of length 3: the scores, bounds and samples of hops."""
    A, directed = GRAPHS[name], is_directed(name)
    options = {"epsilon": 0.1, "rng": 19, "directed": directed, "device": "cpu"}
    hops = approximate_betweenness(A, **options)
    by_length = approximate_betweenness(A * 3, weighted=True, **options)
    assert by_length.samples == hops.samples
    np.testing.assert_allclose(by_length.scores, hops.scores, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(by_length.half_widths, hops.half_widths, rtol=1e-9)


def test_sums_of_squares_by_length(device):
    """Of the scores that each source alone gives."""
    A = lengths(MEDIUM["hubs"], 20)
    n = A.shape[0]
    each = np.array(
        [betweenness(A, sources=[s], normalized=False, weighted=True) for s in range(n)]
    )
    with devices.select(device).here():
        graph = read_weights.weighted(A, directed=True, tie_rtol=1e-10)
        everyone = np.ones(n, dtype=bool)
        got = blocks.sum_blocks(
            devices.select(device),
            reduce.as_given(graph, everyone, everyone),
            frozenset({"dependency", "squares"}),
            options.Run(device=device),
        )
    np.testing.assert_allclose(got["squares"], (each**2).sum(axis=0), rtol=1e-11)


def test_a_length_that_is_lost_is_named():
    """As `betweenness` does, whatever sweeps it."""
    A = sp.csr_array([[0, 1e9, 0], [0, 0, 1e-9], [0, 0, 0]])
    with pytest.raises(ValueError, match=r"A\[1, 2\] is lost beside"):
        approximate_betweenness(A, epsilon=0.1, weighted=True, device="cpu")
    with pytest.raises(ValueError, match="tie_rtol"):
        approximate_betweenness(A, epsilon=0.1, tie_rtol=0.5, device="cpu")


def test_adaptive_takes_fewer_samples_for_central_nodes(device):
    """The hub of a wheel is done after the first rounds; a node that is passed by none is exact."""
    A = matrix(nx.compose(nx.wheel_graph(600), nx.complete_graph([0, 1, 2, 3])))
    exact = betweenness(A, directed=False)
    quiet = int(exact.argmin())
    found = adaptive_betweenness(A, [0, quiet, 0], rng=14, directed=False, device=device)
    assert found.samples.tolist() == [found.samples[0], 600, found.samples[0]]
    assert found.samples[0] < 300
    assert abs(found.scores[0] / exact[0] - 1) < 0.1
    np.testing.assert_allclose(found.scores[1], exact[quiet], rtol=1e-12, atol=1e-15)


@given(matrices(), st.booleans(), st.floats(0.1, 9), st.integers(0, 2**32))
def test_adaptive_law(A, directed, c, seed):
    """A node stops with enough gathered, c n, or with all sources, and then it is exact."""
    n = A.shape[0]
    if n == 0:
        return
    found = adaptive_betweenness(A, range(n), c=c, rng=seed, directed=directed)
    exact = betweenness(A, directed=directed)
    population = approximate_betweenness(A, epsilon=0.5, directed=directed).population
    assert (found.samples <= population).all()
    done = found.samples == population
    np.testing.assert_allclose(found.scores[done], exact[done], rtol=1e-12, atol=1e-15)
    gathered = found.scores * (n - 1) * (n - 2) * found.samples / max(population, 1)
    assert (gathered[~done] >= c * n * (1 - 1e-12)).all()


def test_adaptive_gathers_enough():
    """Of many nodes, those that stop early have gathered c n."""
    A, c = GRAPHS["hubs"], 1.5
    n = A.shape[0]
    found = adaptive_betweenness(A, range(n), c=c, rng=15, directed=False, device="cpu")
    early = found.samples < found.samples.max()
    assert 0 < np.count_nonzero(early) < n
    gathered = found.scores * (n - 1) * (n - 2) * found.samples / n
    assert (gathered[early] >= c * n * (1 - 1e-12)).all()


BAD_ADAPTIVE = [
    ({"nodes": []}, ValueError, ["nodes is empty"]),
    ({"nodes": [5]}, ValueError, ["nodes", "0..4", "got 5"]),
    ({"nodes": ["a"]}, TypeError, ["nodes", "ints"]),
    ({"c": 0}, ValueError, ["c must", "above 0", "got 0"]),
    ({"c": float("inf")}, ValueError, ["c must", "finite", "got inf"]),
    ({"c": "5"}, TypeError, ["c must", "'5'"]),
]


@pytest.mark.parametrize(
    ("options", "error", "words"), BAD_ADAPTIVE, ids=[str(row[0]) for row in BAD_ADAPTIVE]
)
def test_bad_adaptive_options(options, error, words):
    """The message names the argument, the value and the remedy."""
    A = sp.csr_array(np.eye(5, k=1))
    with pytest.raises(error) as caught:
        adaptive_betweenness(A, **{"nodes": [1]} | options)
    for word in words:
        assert word in str(caught.value)


def nodes_drawn(A, rng, directed, foldable=True):
    """The rule of the docs: a random order of all nodes, those with nothing left to sample out."""
    n = A.shape[0]
    graph = nx.from_scipy_sparse_array(A, create_using=nx.DiGraph if directed else nx.Graph)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    if directed:
        left = {v for v in graph if graph.out_degree(v)}
    else:
        core = nx.k_core(graph, 2 if foldable else 1)
        left = {v for part in nx.connected_components(graph) if part & set(core) for v in part}
    return [v for v in np.random.default_rng(rng).permutation(n) if v in left]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("name", ["digraph", "hubs", "small world"])
def test_a_seed_names_nodes(name, seed, device):
    """Without trees a score is the mean of what these nodes alone give: they are the sample."""
    A, directed = GRAPHS[name], is_directed(name)
    n = A.shape[0]
    near = approximate_betweenness(A, epsilon=0.2, rng=seed, directed=directed, device=device)
    order = nodes_drawn(A, seed, directed)
    assert near.population == len(order)
    assert near.samples < near.population
    sample = order[: near.samples]
    # The sum over sources halves in an undirected graph.
    alone = betweenness(A, sources=sample, normalized=False, directed=directed, device="cpu")
    raw = alone * (1 if directed else 2) * near.population / near.samples
    np.testing.assert_allclose(near.scores, raw / ((n - 1) * (n - 2)), rtol=1e-11, atol=1e-15)


FOLDED = {
    "trees": with_trees(nx.barabasi_albert_graph(250, 3, seed=846), seed=847, nodes=400),
    "components": matrix(
        nx.disjoint_union_all(
            [nx.barabasi_albert_graph(300, 3, seed=848), nx.star_graph(50), nx.empty_graph(20)]
        )
    ),
}


@pytest.mark.parametrize("name", FOLDED)
def test_a_seed_names_nodes_of_trees_too(name, device):
    """A score is the pairs that trees decide, and the mean of the others from the sample."""
    A = FOLDED[name]
    n = A.shape[0]
    near = approximate_betweenness(A, epsilon=0.15, rng=5, directed=False, device=device)
    order = nodes_drawn(A, 5, False)
    assert near.population == len(order) < n + (name == "trees")
    assert near.samples < near.population
    # Take a node v of the core away with its trees, one at a time: no tree decides the pairs left.
    graph = nx.from_scipy_sparse_array(A)
    core = nx.k_core(graph, 2)
    rest = graph.copy()
    rest.remove_edges_from(core.edges)
    exact = betweenness(A, directed=False, normalized=False, device="cpu")
    for v in sorted(core)[::40]:
        outside = sorted(set(graph) - nx.node_connected_component(rest, v))
        given_ = {"directed": False, "normalized": False, "targets": outside, "device": "cpu"}
        sampled = [s for s in order[: near.samples] if s in set(outside)]
        every = betweenness(A, sources=outside, **given_)[v]
        some = betweenness(A, sources=sampled, **given_)[v]
        want = exact[v] - every + some * near.population / near.samples
        assert near.scores[v] == pytest.approx(want * 2 / ((n - 1) * (n - 2)), rel=1e-11)


def weighted_cases():
    """Lengths on which engines prune differently, and some that make leaves when they do."""
    rng = np.random.default_rng(849)
    hubs = nx.barabasi_albert_graph(300, 4, seed=850)
    nx.add_path(hubs, [0, "a", "b", "c"])
    for u, v in hubs.edges:
        hubs.edges[u, v]["weight"] = float(rng.uniform(0.1, 2))
    # A chord longer than the way round it: left out, it leaves a path that hangs on the graph.
    for i in range(60):
        nx.add_path(hubs, [i, (i, 1), (i, 2)], weight=1.0)
        hubs.add_edge(i, (i, 2), weight=5.0)
    return sp.csr_array(nx.to_scipy_sparse_array(hubs))


@pytest.mark.parametrize("seed", range(4))
def test_one_sample_whatever_is_left_out(seed, monkeypatch):
    """By length: an engine that prunes and one that does not draw the same nodes."""
    A = weighted_cases()
    options = {"epsilon": 0.15, "rng": seed, "directed": False, "weighted": True}
    runs = []
    for device, throughput in (("cpu", 1), ("cpu", 1 << 40), ("reference", 1)):
        monkeypatch.setattr(CPU, "relative_throughput", throughput)
        runs.append(approximate_betweenness(A, device=device, **options))
    first = runs[0]
    assert first.samples < first.population
    for other in runs[1:]:
        assert (other.samples, other.population) == (first.samples, first.population)
        np.testing.assert_allclose(other.scores, first.scores, rtol=1e-9, atol=1e-15)
        np.testing.assert_allclose(other.half_widths, first.half_widths, rtol=1e-6)
    few = [
        adaptive_betweenness(A, [0, 5], c=1, rng=seed, directed=False, weighted=True, device=device)
        for device in ("cpu", "reference")
    ]
    assert few[0].samples.tolist() == few[1].samples.tolist()
    np.testing.assert_allclose(few[0].scores, few[1].scores, rtol=1e-9)


@given(matrices(explicit_zeros=False), st.booleans(), st.booleans(), st.integers(0, 2**32))
def test_the_same_on_every_engine(device, A, directed, weighted, seed):
    """Samples, population and scores, on awkward matrices."""
    options = {"epsilon": 0.3, "rng": seed, "directed": directed, "weighted": weighted}
    one, other = (approximate_betweenness(A, device=name, **options) for name in ("cpu", device))
    assert (one.samples, one.population) == (other.samples, other.population)
    np.testing.assert_allclose(one.scores, other.scores, rtol=1e-11, atol=1e-15)


def test_results_have_public_names():
    """What a call returns can be named in annotations."""
    A = GRAPHS[next(iter(GRAPHS))]
    assert isinstance(approximate_betweenness(A, epsilon=0.5, delta=0.5), Approximation)
    assert isinstance(adaptive_betweenness(A, [0]), Adaptive)


class Clock:
    """Time that passes where sources are swept, so many seconds each, and once at the start."""

    def __init__(self, monkeypatch, each, start=0.0):
        self.now, self.each = 0.0, each
        draw, problem = sampling.Sampler.draw, sampling._problem

        def timed(sample, count, *args, **kwargs):
            drawn = draw(sample, count, *args, **kwargs)
            self.now += count * self.each
            return drawn

        def reading(*args):
            self.now += start
            return problem(*args)

        monkeypatch.setattr(sampling.Sampler, "draw", timed)
        monkeypatch.setattr(sampling, "_problem", reading)
        monkeypatch.setattr(time_limit.time, "monotonic", lambda: self.now)


@pytest.mark.parametrize("name", GRAPHS)
def test_coverage_in_a_given_time(name, monkeypatch):
    """Stopped by a clock after some 250 sources, bounds hold as often as they say."""
    A, directed = GRAPHS[name], is_directed(name)
    exact = betweenness(A, directed=directed, device="cpu")
    Clock(monkeypatch, each=0.004)
    misses = 0
    for seed in range(RUNS):
        near = approximate_betweenness(
            A, seconds=1, delta=DELTA, rng=seed, directed=directed, device="cpu"
        )
        assert near.exact == (near.samples == near.population)
        assert near.samples <= 250
        misses += (abs(near.scores - exact) > near.half_widths + 1e-12).any()
    assert misses <= ALLOWED
    assert 128 < near.samples < near.population
    assert near.half_widths.max() < 0.3


def test_more_time_is_closer(monkeypatch):
    """In time that is ample, exact; the warm-up and reading are counted."""
    A = GRAPHS["hubs"]
    options = {"rng": 3, "directed": False, "device": "cpu"}
    clock = Clock(monkeypatch, each=0.01)
    runs = []
    for seconds in (1, 2, 4, 100):
        clock.now = 0.0
        runs.append(approximate_betweenness(A, seconds=seconds, **options))
        assert clock.now <= seconds
    widths = [run.half_widths.max() for run in runs]
    assert widths == sorted(widths, reverse=True)
    assert runs[-1].exact
    assert widths[-1] == 0 < widths[-2]
    late = approximate_betweenness(A, seconds=2, **options)
    Clock(monkeypatch, each=0.01, start=1.0)
    later = approximate_betweenness(A, seconds=2, **options)
    assert 0 < later.samples < late.samples


def test_epsilon_ends_a_search_before_its_time(monkeypatch):
    """The sources of a seed come in one order, whatever ends the search, and `top` ends it too."""
    Clock(monkeypatch, each=0.001)
    A = matrix(nx.wheel_graph(3000))
    options = {"rng": 3, "directed": False, "device": "cpu"}
    both = approximate_betweenness(A, epsilon=0.1, seconds=100, **options)
    assert not both.exact
    assert both.half_widths.max() <= 0.1
    first = approximate_betweenness(A, seconds=100, top=1, **options)
    assert first.certain.tolist() == [True]
    assert first.samples < both.population
    short = approximate_betweenness(A, epsilon=1e-4, seconds=0.5, **options)
    assert both.half_widths.max() != short.half_widths.max() > 1e-4
    assert 64 < short.samples <= 500


def test_time_that_is_up_at_once(monkeypatch, device):
    """Nothing swept: half-widths reach from what trees alone say to all that is possible."""
    Clock(monkeypatch, each=0.0, start=2.0)
    A = GRAPHS["hubs"]
    near = approximate_betweenness(A, seconds=1, directed=False, device=device)
    assert near.samples == 0
    assert not near.exact
    exact = betweenness(A, directed=False)
    assert (abs(near.scores - exact) <= near.half_widths).all()
    assert near.half_widths.max() > exact.max()


def test_a_round_that_is_late_is_dropped(monkeypatch):
    """Sources become slower: what was under way is stopped between blocks, and not counted."""
    clock = Clock(monkeypatch, each=0.001)
    seen = []

    def slower(done, total):
        seen.append(done)
        if done > 64:
            clock.now += 100.0

    A = GRAPHS["hubs"]
    near = approximate_betweenness(
        A, seconds=10, rng=4, directed=False, device="cpu", workers=1, progress=slower
    )
    assert near.samples == 64 < max(seen) < 500
    exact = betweenness(A, directed=False)
    assert (abs(near.scores - exact) <= near.half_widths).all()


def test_rounds_fit_the_time_left(monkeypatch):
    """A warm-up, then as many as 0.8 of the time left has room for, until that is too few."""
    now = [0.0]
    monkeypatch.setattr(time_limit.time, "monotonic", lambda: now[0])
    limit = time_limit.TimeLimit(10.0)
    assert limit.affordable(1000) == time_limit.WARM_UP
    assert limit.affordable(5) == 5
    with limit.measured(64):
        now[0] += 2.0
    assert limit.affordable(1000) == int(0.8 * 8 * 32)
    assert limit.affordable(100) == 100
    now[0] = 8.0
    assert limit.affordable(1000) == 0
    assert limit.affordable(40) == 40
    limit.check()
    now[0] = 10.0
    assert limit.affordable(1) == 0
    with pytest.raises(time_limit.TimeUp):
        limit.check()
    never = time_limit.TimeLimit(None)
    assert never.affordable(10**9) == 10**9
    never.check()
