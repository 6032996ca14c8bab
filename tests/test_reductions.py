"""Reductions change no score where that is hard: ties, deep trees, far weights, many cut nodes.

The conformance suite asks the same of all that it draws.
"""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conformance import verdict
from conformance.drawing import Question
from conformance.knobs import turned
from graphs import ASSEMBLED, matrix, with_lengths, with_trees
from hypothesis import example, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from sparsebc import approximate_betweenness, betweenness, closeness, eccentricity, edge_betweenness
from sparsebc.matrix.ops import GraphOps
from sparsebc.sweep.options import parse
from sparsebc.testing import by_definition, patterns


@pytest.fixture(params=ASSEMBLED)
def graph(request):
    """A large graph with cut nodes."""
    return ASSEMBLED[request.param]


EDGES = st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda edge: edge[0] < edge[1])


@given(st.dictionaries(EDGES, st.integers(1, 9), min_size=1))
@example({(0, 1): 1, (1, 2): 1, (2, 3): 2, (1, 3): 3, (3, 4): 1})  # .1 + .1 + .2 is .4, not .1 + .3
def test_without_tolerance_no_reduction_makes_or_breaks_a_tie(edges):
    """Sums of floats are compared as they are, in the order of the path."""
    lengths = np.array([*edges.values()]) / 10
    A = sp.csr_array((lengths, tuple(zip(*edges, strict=True))), shape=(8, 8))
    ways = {"weighted": True, "directed": False, "tie_rtol": 0, "device": "cpu"}
    want = betweenness(A, reduce="none", **ways)
    with turned(["blocks"], on_gpu=False):
        for reduce in ("all", {"trees"}, {"blocks"}, {"chains"}):
            np.testing.assert_allclose(betweenness(A, reduce=reduce, **ways), want, atol=1e-12)


def test_an_estimate_is_the_same_estimate(fast_device, graph):
    """What is drawn, and what trees are known to count, does not hang on the reductions."""
    options = {"directed": False, "rng": 5, "epsilon": 0.05, "device": fast_device}
    want = approximate_betweenness(graph, **options, reduce="none")
    for choice in ("all", {"blocks"}, {"trees"}):
        got = approximate_betweenness(graph, **options, reduce=choice)
        np.testing.assert_allclose(got.scores, want.scores, rtol=1e-11, atol=1e-13)


def test_a_long_chain_of_bridges_changes_no_bit(fast_device):
    """Each way or both: the tree of blocks is as deep as the chain is long, and has one kernel."""
    n, draws = 3000, np.random.default_rng(3)
    ways, order = draws.integers(0, 10, n - 1), draws.permutation(n)
    A = sp.diags_array([(ways > 0).astype(float), (ways != 1).astype(float)], offsets=[1, -1])
    A = sp.csr_array(A)[order][:, order]
    A.eliminate_zeros()
    options = {"normalized": False, "device": fast_device}
    with turned(["blocks", "graphs on the GPU"], on_gpu=fast_device == "cuda"):
        got = betweenness(A, **options)
    np.testing.assert_array_equal(got, betweenness(A, **options, reduce="none"))


@pytest.mark.parametrize(
    ("choice", "want"),
    [
        (("all", None), {"trees", "blocks", "chains", "twins", "prune"}),
        (("none", set()), set()),
        (({"trees"}, ["trees"]), {"trees"}),
        (("all,-chains,-twins", {"all", "-twins", "-chains"}), {"trees", "blocks", "prune"}),
    ],
    ids=["all", "none", "one", "all but two"],
)
def test_every_name_is_a_choice(choice, want):
    """In a word, as the command has it, or as a set or list; "all" where nothing is said."""
    for one in choice:
        assert parse({} if one is None else {"reduce": one}).reduce == want


@given(st.dictionaries(EDGES, st.integers(1, 9), min_size=1), st.booleans())
@example({(0, 1): 7, (1, 2): 1, (0, 2): 8, (1, 3): 50, (1, 4): 50}, False)  # .7 + .1 < .8
@example({(1, 0): 1, (0, 2): 2, (0, 3): 9, (0, 4): 9, (2, 0): 1, (2, 1): 4}, True)
def test_ways_through_the_hub_tie_as_whole_numbers_do(edges, directed):
    """Whole numbers, and tenths of them, have the scores without any reduction."""
    lengths = np.array([*edges.values()], dtype=float)
    A = sp.csr_array((lengths, tuple(zip(*edges, strict=True))), shape=(8, 8))
    ways = {"weighted": True, "directed": directed, "normalized": False, "device": "cpu"}
    want = betweenness(A, reduce="none", **ways)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sparsebc.reduce.prune.HUB_WORK", 0)
        patch.setattr(GraphOps, "needed", lambda self, A, *_: np.ones(A.values.size, bool))
        for B in (A, A * 0.1):
            np.testing.assert_allclose(betweenness(B, reduce={"prune"}, **ways), want, atol=1e-12)


NAMES = ["betweenness", "edge_betweenness"]


@st.composite
def of_forests_and_more(draw):
    """Questions of a graph that is a forest but for few edges, and of weights of nodes."""
    n = draw(st.integers(1, 9))
    edges = {}
    for v in range(1, n):
        parent = draw(st.none() | st.integers(0, v - 1))
        if parent is not None:
            edges[parent, v] = draw(st.integers(1, 5))
    for _ in range(draw(st.integers(0, 3)) if n > 2 else 0):
        u, v = sorted(draw(st.lists(st.integers(0, n - 1), min_size=2, max_size=2, unique=True)))
        edges[u, v] = draw(st.integers(1, 5))
    options = {"directed": False, "normalized": False, "names": NAMES}
    options |= {name: draw(st.booleans()) for name in ("weighted", "endpoints")}
    options["decay"] = "exponential", draw(st.sampled_from([0.01, 0.7, 5.0, 60.0]))
    weight = st.sampled_from([0, 1, 3, 0.75, 2.0**40])
    weights = draw(st.none() | st.lists(weight, min_size=n, max_size=n).filter(any))
    if weights:
        options |= dict.fromkeys(("source_weights", "target_weights"), weights)
    return Question(n, [(*edge, length) for edge, length in edges.items()], "centralities", options)


@given(of_forests_and_more())
def test_scores_are_those_of_the_definition(question):
    """A score of a small share of the largest as well: no digit is lost beside it."""
    assert not verdict.complaints(question, "cpu")


def test_roots_that_weigh_next_to_nothing_keep_their_trees():
    """A share that a sweep could lose beside path counts is not handed on."""
    A = with_lengths(with_trees(nx.grid_2d_graph(9, 9), seed=3), [1.0])
    weights = np.zeros(A.shape[0])
    weights[-1], weights[0] = 1, 2
    ways = {"source_weights": weights, "target_weights": weights, "device": "cpu"}
    ways |= {"decay": ("exponential", 130.0), "weighted": True}
    want = betweenness(A, reduce="none", normalized=False, **ways)
    assert_allclose(betweenness(A, normalized=False, **ways), want, rtol=1e-11)


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


def test_more_cut_nodes_than_a_word_has_bits_change_no_score(fast_device):
    """In one block of a digraph, where pairs pass from block to block."""
    A, ways = below_and_above(), {"normalized": False, "device": fast_device}
    with turned(["blocks"], on_gpu=False):
        got = betweenness(A, **ways)
    assert_allclose(got, betweenness(A, reduce="none", **ways), rtol=1e-11)


@pytest.mark.parametrize("lengths", [None, [0.5]], ids=str)
def test_far_roots_lose_no_digits(fast_device, lengths):
    """Sources close together, and nodes far away that are none: a path out of a clique."""
    graph = nx.complete_graph(8)
    nx.add_path(graph, [7, *range(8, 60)])
    A = matrix(graph) if lengths is None else with_lengths(matrix(graph), lengths)
    names = np.random.default_rng(4).permutation(60)
    A = sp.csr_array(A)[names][:, names]
    options = {"sources": np.flatnonzero(names < 5), "directed": False, "device": fast_device}
    with turned(["blocks of distances"], on_gpu=False):
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
    with turned(["blocks of distances"], on_gpu=False):
        got, want = (
            closeness(A, weighted=True, wf_improved=False, reduce=one, device=fast_device)
            for one in ("all", "none")
        )
        assert_allclose(got, want, rtol=1e-14)


def test_eccentricity_by_length_is_that_of_all_blocks(fast_device, graph):
    """Each node knows how far sources are behind itself, wherever it is renumbered to."""
    A = with_lengths(graph, [1.0, 2.0, 5.0])
    ways = {"weighted": True, "directed": False, "reachable_only": True, "device": fast_device}
    with turned(["blocks of distances"], on_gpu=False):
        got, want = (eccentricity(A, reduce=one, **ways) for one in ("all", "none"))
    np.testing.assert_array_equal(got, want)


def test_eccentricity_of_a_long_cycle_with_tails_is_exact(fast_device):
    """Few sources search at once, and meet with tails of different lengths behind them."""
    n = 9000
    G, tail = nx.cycle_graph(n), np.arange(n) * 7 % 5
    for v in range(n):
        nx.add_path(G, [v, *((v, i) for i in range(tail[v]))])
    opposite = [n // 2 - abs(k) + np.roll(tail, n // 2 + k) for k in range(-4, 5)]
    got = eccentricity(matrix(G), directed=False, device=fast_device)
    np.testing.assert_array_equal(got[:n], np.max(opposite, axis=0))


@st.composite
def weighted_twins(draw):
    """Nodes, arcs, and weights of sources and targets, over 12 orders of magnitude.

    The classes of nodes are a small graph's nodes, and have a weight of targets each.
    """
    weights = st.floats(-6, 6).map(lambda x: 10.0**x)
    count, steps = draw(patterns(max_nodes=4, max_edges=6))
    steps += [(j, i) for i, j in steps] * draw(st.booleans())
    sizes = draw(st.lists(st.integers(1, 3), min_size=count, max_size=count))
    each = draw(st.lists(weights, min_size=count, max_size=count))
    omega = [each[k] for k in range(count) for _ in range(sizes[k])]
    ends = np.cumsum([0, *sizes]).tolist()
    nodes = [range(*ends[k : k + 2]) for k in range(count)]
    arcs = {(u, v) for i, j in steps for u in nodes[i] for v in nodes[j] if u != v}
    alpha = draw(st.lists(weights, min_size=len(omega), max_size=len(omega)))
    return len(omega), sorted(arcs), alpha, omega


PATH = [(0, 1), (1, 0), (1, 2), (2, 1)]


@given(weighted_twins(), st.booleans(), st.booleans())
@example((3, PATH, [1e12, 0.8317496104191175, 0.9416213852367645], [1.0] * 3), True, False)
@example((3, PATH, [1.0, 0.0, 2.0**52], [1.0] * 3), False, True)
def test_a_small_weight_beside_that_of_a_twin_keeps_its_digits(
    fast_device, network, directed, endpoints
):
    n, arcs, alpha, omega = network
    A = sp.coo_array((np.ones(len(arcs)), tuple(np.reshape(arcs, (-1, 2)).T)), shape=(n, n))
    ask = {"source_weights": alpha, "target_weights": omega, "directed": directed}
    ask |= {"normalized": False}
    want = by_definition(A, endpoints=endpoints, **ask)
    along = by_definition(A, "edge_betweenness", **ask)
    for steps in ("all", "none") if n else ():
        run = {"reduce": steps, "device": fast_device}
        with turned(["twins"], on_gpu=False):
            got = betweenness(A, endpoints=endpoints, **run, **ask)
            edges = edge_betweenness(A, **run, **ask).toarray()
        np.testing.assert_allclose(got, want, rtol=1e-11)
        np.testing.assert_allclose(edges, along, rtol=1e-11)
