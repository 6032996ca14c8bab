"""One tolerance a call: paths tie where their lengths differ by at most tau = tie_rtol E."""

from contextlib import nullcontext

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conformance.knobs import turned
from graphs import matrix, with_lengths
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy.sparse import csgraph

from sparsebc import (
    accessibility,
    approximate_betweenness,
    betweenness,
    centralities,
    edge_betweenness,
    streets,
)
from sparsebc.engines import devices
from sparsebc.errors import EdgeError, InputError, RangeError
from sparsebc.matrix.edge_weights import TIE_RTOL
from sparsebc.matrix.read_matrix import weighted
from sparsebc.measures.reading import validate
from sparsebc.sweep.options import Run

TENTHS = np.array([0, 0.1, 0.2, 0.3])
BY_LENGTH = {"weighted": True, "directed": False}
RAW = BY_LENGTH | {"normalized": False}


def edges(*triples, n=None):
    """Symmetric matrix of edges (i, j, length)."""
    i, j, lengths = zip(*triples, strict=True)
    n = 1 + max(*i, *j) if n is None else n
    A = sp.coo_array((lengths, (i, j)), shape=(n, n)).tocsr()
    return sp.csr_array(A + A.T)


def grid(height, width):
    """Grid whose edges have lengths 1, 2 or 3."""
    return with_lengths(matrix(nx.grid_2d_graph(height, width)), [1, 2, 3])


def in_tenths(A):
    """The matrix with .1, .2, .3 in place of 1, 2, 3."""
    return sp.csr_array((TENTHS[A.data], A.indices, A.indptr), shape=A.shape)


def tau_of(A, device, cutoff=None, directed=True, **asked):
    """The tau that a call has; on a GPU by a search there."""
    engine = devices.select(device)
    with engine.here(), turned(["graphs on the GPU"], on_gpu=device.startswith("cuda")):
        flags = {"directed": directed}
        query = validate(A, engine, Run(), flags=flags, weighted=True, cutoff=cutoff, **asked)
        assert query.graph.lengths is None or query.graph.lengths.tau == query.tau
        return query.tau


# What E is.


def farthest(A):
    """Largest distance from the hub of each component, edges both ways, by SciPy."""
    most = 0.0
    distance = csgraph.dijkstra(A, directed=False)
    neighbours = np.count_nonzero((A + A.T).toarray(), axis=1)
    _, label = csgraph.connected_components(A)
    for component in np.unique(label):
        nodes = np.flatnonzero(label == component)
        hub = nodes[neighbours[nodes].argmax()]
        most = max(most, distance[hub, nodes].max())
    return most


@given(st.integers(2, 40), st.integers(1, 80), st.integers(0, 2**32 - 1), st.booleans())
def test_tau_is_a_share_of_twice_the_distance_from_hubs(device, n, m, seed, directed):
    """To the bit: on every engine, whatever the sources."""
    rng = np.random.default_rng(seed)
    i, j = rng.integers(0, n, (2, m))
    A = sp.coo_array((rng.choice([0.1, 0.2, 0.3, 0.7], m), (i, j)), shape=(n, n)).tocsr()
    A.setdiag(0)
    A.eliminate_zeros()
    few = {"sources": [n - 1], "targets": [0], "directed": directed}
    is_exact = weighted(A, directed=directed).lengths is None or not (A.data % 1).any()
    want = 0.0 if is_exact else 1e-9 * farthest(A) * 2
    assert tau_of(A, device, tie_rtol=1e-9, **few) == want


def test_tau_is_a_share_of_cutoff_and_longest_edge(device):
    """E is the largest cutoff and the longest edge, if that is less."""
    A = edges((0, 1, 0.5), (1, 2, 0.25), (2, 3, 4.125), (0, 4, 7.5))
    half = 7.5
    for cutoff, E in ((1.0, 8.5), ([1.0, 3.0], 10.5), ([1.0, np.inf], 2 * half), (40, 2 * half)):
        assert tau_of(A, device, cutoff, tie_rtol=1e-4) == 1e-4 * E


@pytest.mark.parametrize("unit", [1, 0.5, 0.3])
def test_whole_lengths_have_no_tau_and_equal_ones_one_for_cutoffs(device, unit):
    A = edges((0, 1, unit), (1, 2, unit), (2, 3, unit))
    assert tau_of(A, device) == 0
    assert tau_of(A, device, cutoff=100) == (0 if unit == 1 else TIE_RTOL * 2 * (2 * unit))
    assert tau_of(A * 2 + edges((0, 3, 1)), device) == (TIE_RTOL * 2 * 1.2 if unit == 0.3 else 0)


def test_a_way_round_beside_which_a_length_is_lost_is_refused(device):
    """One way of an edge is 2**51 times as long as the other, and E takes the shorter both ways."""
    short, long = 0.1, 0.1 * 2.0**51
    for far, error in ((long / 4, nullcontext()), (long, pytest.raises(RangeError, match="lost"))):
        A = sp.csr_array([[0, far, 0], [short, 0, short], [0, 0, 0]])
        with error:
            scores = betweenness(A, weighted=True, normalized=False, device=device)
            assert scores.tolist() == [0, 1, 0]


def test_a_length_below_five_tau_is_refused(device):
    """E is twice 1.5, the way from the hub."""
    for times, error in ((5.1, nullcontext()), (4.9, pytest.raises(EdgeError, match="of E = 3"))):
        with error:
            scores = betweenness(
                edges((0, 1, 1.5), (1, 2, times * 1e-4 * 3)), **RAW, tie_rtol=1e-4, device=device
            )
            assert scores.tolist() == [0, 1, 0]


def test_a_node_apart_makes_no_ties(device):
    """It has no distance to any other, and adds nothing to E."""
    A = sp.coo_array(([0.1, 0.2, 0.15, 0.2], ([0, 1, 0, 2], [1, 3, 2, 3])), shape=(5, 5))
    got = betweenness(A, directed=False, weighted=True, normalized=False, device=device)
    assert got.tolist() == [1, 1, 0, 0, 0]  # from 0 to 3 by 1, and from 1 to 2 by 0, alone


def test_without_edges_there_is_no_tau(device):
    assert tau_of(sp.csr_array((3, 3)), device, cutoff=2) == 0


# What it is for.


@pytest.mark.parametrize("reduce", ["all", "none"])
def test_tenths_give_the_scores_of_whole_lengths(device, reduce):
    A = grid(8, 12)
    knobs = ["blocks", "chains"] if reduce == "all" else []
    with turned(knobs, on_gpu=device.startswith("cuda")):
        for measure in (betweenness, edge_betweenness):
            want = measure(A, **RAW, device=device, reduce="none")
            got = measure(in_tenths(A), **RAW, device=device, reduce=reduce)
            if sp.issparse(want):
                got, want = got.data, want.data
            assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize("reduce", ["all", "none"])
def test_a_tail_before_two_near_ways_makes_no_tie(device, reduce):
    """A tail of 8 edges, then a cycle of 4, one of whose two ways is 5e-10 longer: no tie."""
    tail = [(v, v + 1, 1.0) for v in range(8)]
    cycle = [(8, 9, 1.0), (9, 11, 1.0), (8, 10, 1.0), (10, 11, 1 + 5e-10)]
    got = betweenness(edges(*tail, *cycle), **RAW, device=device, reduce=reduce)
    assert_allclose(got[[9, 10]], [9, 0])
    tied = betweenness(edges(*tail, *cycle), **RAW, device=device, reduce=reduce, tie_rtol=1e-10)
    assert_allclose(tied[[9, 10]], [4.5, 4.5])


def road_with_a_town(lengths):
    """A road of 600 edges, and an 8 x 8 grid at its end."""
    road = nx.path_graph(601)
    town = nx.convert_node_labels_to_integers(nx.grid_2d_graph(8, 8), first_label=600)
    return with_lengths(matrix(nx.compose(road, town)), lengths, 3)


def test_float32_lengths_at_the_end_of_a_road_do_not_tie(fast_device):
    """Sums of .1, .2, .3 in float32 are a millionth off those of tenths, and none of them tie."""
    A = road_with_a_town(TENTHS[1:].astype(np.float32).astype(float))
    with turned(["blocks", "chains"], on_gpu=fast_device.startswith("cuda")):
        want, got = (
            betweenness(A, **RAW, device=fast_device, reduce=way) for way in ("none", "all")
        )
    assert_allclose(got, want, rtol=1e-12, atol=1e-9)


def separated(draw):
    """A graph by exact lengths, and its matrix: gaps below tau / 2n or above 2n tau.

    Lengths are L + m g, with g a bit more than 2n tau, and are off by up to tau / 8n**2.
    """
    n = draw(st.integers(4, 24))
    tie_rtol = 10.0 ** draw(st.integers(-11, -7))
    back = st.sampled_from([1, 1, 1, 2, 5])  # chains and trees
    pairs = {(max(0, v - draw(back)), v) for v in range(1, n)}
    node = st.integers(0, n - 1)
    more = draw(st.lists(st.tuples(node, node), max_size=12))
    pairs |= {(min(pair), max(pair)) for pair in more if pair[0] != pair[1]}
    pairs = sorted(pairs)
    directed = draw(st.integers(0, 3)) == 0
    exact = st.tuples(st.integers(1, 2), st.integers(0, 2), st.integers(-1, 1))
    drawn = np.array(draw(st.lists(exact, min_size=len(pairs), max_size=len(pairs))))
    i, j = np.array(pairs).T
    rough = sp.coo_array((drawn[:, 0] + 0.1, (i, j)), shape=(n, n)).tocsr()
    steps = int(1 / (2.5 * n * tie_rtol * 2 * 2.1 * n))  # E is at most 2.1 times 2n
    whole = drawn[:, 0] * steps + drawn[:, 1]
    unit = draw(st.sampled_from([0.1, 1 / 3, 7e5])) / steps
    tau = tie_rtol * 2 * farthest(sp.csr_array(rough)) * steps * unit * 0.9
    lengths = whole * unit + drawn[:, 2] * tau / (8 * n * n)
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(range(n))
    graph.add_weighted_edges_from(zip(i.tolist(), j.tolist(), whole.tolist(), strict=True))
    A = sp.coo_array((lengths, (i, j)), shape=(n, n)).tocsr()
    return graph, A, {"directed": directed, "tie_rtol": tie_rtol}


REDUCED = ["blocks", "chains", "twins"]


def check_reductions(device, graph, A, asked):
    """Scores with all reductions and with none, and those of NetworkX by exact lengths."""
    nodes = nx.betweenness_centrality(graph, weight="weight", normalized=False)
    arcs = nx.edge_betweenness_centrality(graph, weight="weight", normalized=False)
    for reduce in ("all", "none"):
        with turned(REDUCED, on_gpu=device.startswith("cuda")):
            how = {"weighted": True, "normalized": False, "device": device, "reduce": reduce}
            found = centralities(A, ["betweenness", "edge_betweenness"], **how, **asked)
        assert_allclose(found["betweenness"], [*nodes.values()], rtol=1e-9, atol=1e-9)
        by_edge = found["edge_betweenness"].todok()
        got = [by_edge[edge] for edge in arcs]
        assert_allclose(got, [*arcs.values()], rtol=1e-9, atol=1e-9)


@settings(max_examples=60)
@given(st.data())
def test_reductions_change_no_tie_where_gaps_are_clear(fast_device, data):
    """Below tau / 2n, or above 2n tau."""
    check_reductions(fast_device, *separated(data.draw))


# Paths drawn at random, whose two halves add up.


def two_ways(length):
    """84 nodes: two roads of 41 nodes, joined by two ways of which one is 2e-9 longer."""
    roads = [(v, v + 1, length) for v in (*range(40), *range(43, 83))]
    ways = [(40, 41, 1.0), (41, 43, 1.0), (40, 42, 1.0), (42, 43, 1 + 2e-9)]
    return edges(*roads, *ways)


PATHS = {"samples": "paths", "epsilon": 0.05, "delta": 0.1, "device": "cpu"}


@pytest.mark.parametrize(("length", "share"), [(1.0, 0), (3.0, 1)])
def test_paths_tie_as_in_exact_scores(length, share):
    """tau is 1.7e-9, or 5e-9 where roads are longer."""
    A = two_ways(length)
    exact = betweenness(A, **BY_LENGTH, device="cpu")
    assert_allclose(exact[42] / exact[41], share, atol=1e-12)
    for seed in range(4):
        near = approximate_betweenness(A, rng=seed, **PATHS, **BY_LENGTH)
        assert (np.abs(near.scores - exact) <= near.half_widths).all()


def test_paths_of_tenths_keep_their_bounds_or_are_refused():
    A = in_tenths(grid(7, 7))
    exact = betweenness(grid(7, 7), **BY_LENGTH, device="cpu")
    for seed in range(4):
        near = approximate_betweenness(A, rng=seed, **PATHS, **BY_LENGTH)
        assert (np.abs(near.scores - exact) <= near.half_widths).all()
    with pytest.raises(InputError, match=r"samples='paths' .*tie_rtol=0"):
        approximate_betweenness(A, rng=1, tie_rtol=0, **PATHS, **BY_LENGTH)
    of_sources = approximate_betweenness(A, rng=1, tie_rtol=0, epsilon=0.05, **BY_LENGTH)
    assert of_sources.population <= 49


# Cutoffs and decays.


def test_a_cutoff_and_a_radius_reach_as_far():
    """Streets whose middles are .1 + .2 apart, with a sum above .3, are within .3."""
    road = nx.Graph()
    for v, x in enumerate((0.0, 0.1, 0.2, 0.5)):
        road.add_node(v, x=x, y=0.0)
    road.add_edges_from((v, v + 1, {"length": length}) for v, length in enumerate((0.1, 0.1, 0.3)))
    turns = streets.dual(
        streets.from_networkx(road), degrees_weight=0.0, metres_weight=1.0, ends="streets"
    )
    within = accessibility(turns.matrix, weighted=True, cutoff=0.3, device="cpu")[turns.origins]
    ends = np.zeros(len(turns.street))
    ends[turns.destinations] = 1
    met = accessibility(turns.matrix, ends, weighted=True, cutoff=0.3, device="cpu")[turns.origins]
    assert turns.within(0.3).sum(axis=1)[turns.origins].tolist() == (met - 1).tolist() == [2, 2, 2]
    assert within.min() > 0


def test_a_table_reaches_as_far_as_a_cutoff(device):
    """Sums of .1 and .2 to .3, the last of its distances, and not to .31."""
    A = edges((0, 1, 0.1), (1, 2, 0.2), (2, 3, 0.01))
    jobs = [0, 0, 1, 1]
    for how in ({"cutoff": 0.3}, {"decay": ([0.1, 0.3], [1.0, 1.0])}):
        assert accessibility(A, jobs, **BY_LENGTH, **how, device=device)[0] == 1
