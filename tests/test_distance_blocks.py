"""Distances of graphs taken apart at their cut nodes, or without trees: when, and what digits.

That measures do not depend on it, those of whole distances to the last bit, is asked by the
conformance suite.
"""

import functools

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conformance.knobs import turned
from graphs import matrix, with_lengths
from numpy.testing import assert_allclose, assert_array_equal
from test_reductions import LARGE, on_host

from sparsebc import betweenness, closeness, eccentricity
from sparsebc.matrix.read_matrix import canonical, weighted
from sparsebc.reduce import distances
from sparsebc.reduce.choice import Choice

# Take graphs apart however small they are, and whether that saves work or not.
eager = functools.partial(turned, ["blocks of distances"], on_gpu=False)


def read(A, lengths=None, directed=False):
    """A graph on the host."""
    if lengths is None:
        return canonical(A, directed=directed, ops_for=on_host)
    A = with_lengths(A, lengths)
    return weighted(A, directed=directed, ops_for=on_host)


def apart(A, lengths=None, names=("trees", "blocks"), is_source=None, directed=False):
    """What is taken apart of a graph, if that pays."""
    graph = read(A, lengths, directed)
    is_source = np.ones(graph.n, dtype=bool) if is_source is None else is_source
    return distances.split(graph, is_source, Choice(set(names)))


def below_and_above(blocks=300, hung=300):
    """Nodes hang, by an arc in or out or by both, on an acyclic block and on each other.

    So many strong components lead to others, and something arrives at most of them.
    """
    block, rng = nx.barabasi_albert_graph(blocks, 3, seed=913), np.random.default_rng(913)
    arcs = [(max(edge), min(edge)) for edge in block.edges]
    for v in range(blocks, blocks + hung):
        at = int(rng.integers(v))
        arcs += [[(at, v)], [(v, at)], [(at, v), (v, at)]][rng.integers(3)]
    i, j = np.array(arcs).T
    return sp.csr_array((np.ones(i.size), (i, j)), shape=(blocks + hung, blocks + hung))


def test_more_cut_nodes_than_a_word_has_bits(fast_device):
    """In one block of a digraph, where pairs pass from block to block."""
    A, ways = below_and_above(), {"normalized": False, "device": fast_device}
    with turned(["blocks"], on_gpu=False):
        got = betweenness(A, **ways)
    assert_allclose(got, betweenness(A, reduce="none", **ways), rtol=1e-11)


def test_what_arrives_takes_less_than_it_saves(fast_device, monkeypatch):
    """A digraph stays whole where bits and arcs to look at are many beside the searches saved."""
    A = below_and_above()
    with eager():
        parts = apart(A, directed=True)
        assert (parts.unweighed > 0).any(axis=0).sum() > 64  # more than one word of bits
        for measure in (closeness, eccentricity):
            got, want = (measure(A, reduce=one, device=fast_device) for one in ("all", "none"))
            assert_array_equal(got, want)
        monkeypatch.setattr(distances, "REACH_SHARE", 1e-9)
        assert apart(A, directed=True) is None
        assert apart(A, directed=False) is not None  # where all reach all


def test_trees_alone_leave_what_they_hang_on():
    """The two-core of each component stays in one piece, and is searched from all but one node."""
    A = LARGE["one large block"]
    core = nx.k_core(nx.from_scipy_sparse_array(A), 2)
    with eager():
        parts = apart(A, names=["trees"])
    assert sorted(parts.nodes[parts.swept].tolist()) == sorted(core)
    assert parts.graph.arcs == 2 * core.number_of_edges()
    assert (parts.weights == 0).sum() == nx.number_connected_components(core)


def leafy(n=6000):
    """A graph of many leaves, which is not deep."""
    core = nx.barabasi_albert_graph(n // 2, 3, seed=5)
    core.add_edges_from((v, v % (n // 2)) for v in range(n // 2, n))
    return matrix(core)


def hung(A, is_out):
    """The graph of `leafy` whose leaves are left by an arc each, or entered by one."""
    arcs = sp.coo_array(A)
    kept = (np.maximum(arcs.row, arcs.col) < 3000) | ((arcs.row >= 3000) == is_out)
    return sp.csr_array((arcs.data[kept], (arcs.row[kept], arcs.col[kept])), shape=arcs.shape)


@pytest.mark.parametrize(
    ("is_apart", "asked", "constants"),
    [
        (False, {}, {}),  # 2300 sources saved, which share few searches
        (True, {"lengths": range(1, 6)}, {}),  # by length each takes one of its own
        (True, {}, {"ENOUGH_TOGETHER": 2000}),
        (False, {"names": []}, {"ENOUGH_TOGETHER": 2000}),
        (False, {"is_source": np.arange(6000) < 1999}, {"ENOUGH_TOGETHER": 2000}),
        (False, {}, {"ENOUGH_TOGETHER": 2000, "LEAST_SAVED": 0.9}),
        (False, {"A": matrix(nx.grid_2d_graph(40, 40))}, {}),
        (True, {"A": hung(leafy(), True), "directed": True}, {"ENOUGH_TOGETHER": 400}),
        # No search begins there, but there are arcs to save.
        (False, {"A": hung(leafy(), False), "directed": True}, {"ENOUGH_TOGETHER": 400}),
        (
            True,
            {"A": hung(leafy(), False), "directed": True},
            {"ENOUGH_TOGETHER": 400, "PLENTY": 6000},
        ),
    ],
)
def test_what_pays_is_taken_apart(is_apart, asked, constants, monkeypatch):
    """Enough sources saved; not a graph without leaves, nor one of few sources, nor a little."""
    for name, value in constants.items():
        monkeypatch.setattr(distances, name, value)
    assert (apart(**({"A": leafy()} | asked)) is not None) == is_apart


@pytest.mark.parametrize(
    ("is_folded", "asked", "sources", "names", "least"),
    [
        (True, {}, 600, {"trees"}, 300),
        (False, {}, 600, {"trees"}, 301),  # leaves
        (False, {}, 299, {"trees"}, 300),
        (False, {}, 600, {"blocks", "prune"}, 300),
        (False, {"lengths": [1, 2]}, 600, {"trees"}, 300),
        (False, {"A": sp.triu(leafy(600)), "directed": True}, 600, {"trees"}, 300),
    ],
)
def test_trees_that_are_folded(is_folded, asked, sources, names, least, monkeypatch):
    """By edges, without directions, where so many sources and leaves are enough."""
    for name in ("ENOUGH_ALONE", "ENOUGH_TOGETHER"):
        monkeypatch.setattr(distances, name, least)
    graph = read(**{"A": leafy(600)} | asked)
    folded = distances.fold(graph, np.arange(600) < sources, Choice(names))
    assert (folded is not None) == is_folded
    if is_folded:
        assert folded.graph.n == 300
        assert folded.weights.sum() == 600


@pytest.mark.parametrize("lengths", [None, [0.5]], ids=str)
def test_far_roots_lose_no_digits(fast_device, lengths):
    """Sources close together, and nodes far away that are none: a path out of a clique."""
    graph = nx.complete_graph(8)
    nx.add_path(graph, [7, *range(8, 60)])
    A = matrix(graph) if lengths is None else with_lengths(matrix(graph), lengths)
    names = np.random.default_rng(4).permutation(60)
    A = sp.csr_array(A)[names][:, names]
    options = {"sources": np.flatnonzero(names < 5), "directed": False, "device": fast_device}
    with eager():
        for measure in (closeness, eccentricity):
            got, want = (
                measure(A, weighted=lengths is not None, **options, reduce=one)
                for one in ("all", "none")
            )
            assert_allclose(got, want, rtol=1e-14)


@pytest.mark.parametrize("seed", range(8))
def test_far_sources_cost_near_ones_no_digits(fast_device, seed):
    """Node 0 is far from node 1 and near to 2, where what is near node 1 arrives too."""
    long, short = 5e7, 0.1
    arcs = [(0, 1, long), (0, 2, short), (1, 2, short)]  # a block below node 1, or above
    arcs += [(3, 1, short), (1, 4, short), (4, 3, short)]  # another one
    arcs += [(5, 3, short), (6, 1, short)]  # and two bridges
    i, j, lengths = map(np.array, zip(*arcs, strict=True))
    names = np.random.default_rng(seed).permutation(7)
    A = sp.csr_array((lengths, (names[i], names[j])), shape=(7, 7))
    with eager():
        got, want = (
            closeness(A, weighted=True, wf_improved=False, reduce=one, device=fast_device)
            for one in ("all", "none")
        )
        assert_allclose(got, want, rtol=1e-14)


def test_eccentricity_of_a_long_cycle_with_tails(fast_device):
    """Few sources search at once, and meet with tails of different lengths behind them."""
    n = 9000
    G, tail = nx.cycle_graph(n), np.arange(n) * 7 % 5
    for v in range(n):
        nx.add_path(G, [v, *((v, i) for i in range(tail[v]))])
    opposite = [n // 2 - abs(k) + np.roll(tail, n // 2 + k) for k in range(-4, 5)]
    got = eccentricity(matrix(G), directed=False, device=fast_device)
    np.testing.assert_array_equal(got[:n], np.max(opposite, axis=0))
