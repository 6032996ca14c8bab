"""Scores do not depend on what is counted in closed form: trees, blocks, edges left out."""

import functools

import networkx as nx
import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from conformance.knobs import turned
from graphs import betweenness_of_igraph, matrix, with_lengths
from hypothesis import strategies as st

from sparsebc import (
    approximate_betweenness,
    betweenness,
    bfs,
    edge_betweenness,
    stress,
)
from sparsebc.cli import argument_types
from sparsebc.graph.ops import GraphOps
from sparsebc.graph.read_matrix import canonical
from sparsebc.reduce import biconnected, reduce
from sparsebc.run.options import REDUCTIONS, Run

# Take graphs apart however small they are, and whether that saves work or not.
eager = functools.partial(turned, ["blocks"], on_gpu=False)
CHOICES = ("all", {"blocks"}, {"trees", "blocks"}, {"blocks", "prune"}, {"trees"}, "none")
# What is joined to a node of the graph so far: edges among that node, 0, and new ones.
PARTS = {
    "edge": [(0, 1)],
    "path": [(0, 1), (1, 2)],
    "triangle": [(0, 1), (1, 2), (2, 0)],
    "square": [(0, 1), (1, 2), (2, 3), (3, 0)],
    "diamond": [(0, 1), (0, 2), (1, 3), (2, 3), (1, 2)],
    "chord": [(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)],
}


@st.composite
def assembled(draw):
    """Undirected edges of blocks, bridges and trees that share nodes; or lie apart."""
    n, edges, max_nodes = 1, [], 8
    for name in draw(st.lists(st.sampled_from(sorted(PARTS)), max_size=6)):
        new = max(map(max, PARTS[name]))
        if n + new > max_nodes:
            break
        apart = n + new < max_nodes and draw(st.integers(0, 4)) == 0
        n += apart
        at = n - 1 if apart else draw(st.integers(0, n - 1))
        numbers = [at, *range(n, n + new)]
        edges += [(numbers[i], numbers[j]) for i, j in PARTS[name]]
        n += new
    names = draw(st.permutations(range(n)))
    return n, [(names[i], names[j]) for i, j in edges]


@st.composite
def questions(draw):
    """A matrix, the lengths of its edges or None, and options."""
    n, edges = draw(assembled())
    lengths = draw(
        st.none() | st.lists(st.integers(1, 3), min_size=len(edges), max_size=len(edges))
    )
    values = np.ones(len(edges)) if lengths is None else np.array(lengths, dtype=float)
    i, j = np.array(edges, dtype=int).reshape(-1, 2).T
    A = sp.coo_array((values, (i, j)), shape=(n, n))
    options = {"directed": draw(st.booleans())}
    if options["directed"]:  # each edge in both directions, or some in one
        there, back = np.r_[i, j], np.r_[j, i]
        kept = np.ones(there.size, dtype=bool)
        if draw(st.booleans()):
            size = there.size
            kept[:] = draw(st.lists(st.booleans(), min_size=size, max_size=size))
        A = sp.coo_array((np.tile(values, 2)[kept], (there[kept], back[kept])), shape=(n, n))
    nodes = st.lists(st.integers(0, n - 1), min_size=1, unique=True)
    for name in ("sources", "targets"):
        if draw(st.booleans()):
            options[name] = draw(nodes)
    return A, lengths is not None, options


def definition(A, is_weighted, options):
    """Arguments of the oracle."""
    coo = sp.coo_array(A)
    entries = list(zip(coo.row.tolist(), coo.col.tolist(), coo.data.tolist(), strict=True))
    length = oracle.merged(entries, directed=options["directed"]) if is_weighted else None
    edges = [(i, j) for i, j, _ in entries]
    return (A.shape[0], edges), {**options, "length": length}


def large(seed, parts=70, size=None):
    """Some hundred nodes: random blocks, cycles and edges joined at random nodes; and a forest."""
    rng = np.random.default_rng(seed)
    graph = nx.Graph()
    graph.add_node(0)
    for _ in range(parts):
        kind = rng.integers(4)
        if kind == 0:
            part = nx.gnm_random_graph(int(rng.integers(4, 20)), 30, seed=int(rng.integers(99)))
        else:
            part = [nx.path_graph, nx.cycle_graph, nx.complete_graph][kind - 1](
                int(rng.integers(2, 7))
            )
        n, at = graph.number_of_nodes(), int(rng.integers(graph.number_of_nodes()))
        names = {v: n + v - 1 if v else at for v in part}
        graph.update(nx.relabel_nodes(part, names))
    if size:  # one block that holds most of the work
        graph = nx.disjoint_union(graph, nx.barabasi_albert_graph(size, 3, seed=seed))
        graph.add_edges_from([(0, len(graph) - 1), (1, len(graph) - 1)])
    return nx.disjoint_union(graph, nx.random_labeled_tree(20, seed=seed))


LARGE = {
    "many blocks": matrix(large(911)),
    "one large block": matrix(large(911, size=200)),
    "chain": matrix(large(911, parts=120)),
}


def some_one_way(A, share=0.3):
    """A matrix without a share of its entries."""
    coo = sp.coo_array(A)
    kept = np.random.default_rng(913).random(coo.nnz) >= share
    return sp.csr_array((coo.data[kept], (coo.row[kept], coo.col[kept])), shape=A.shape)


@pytest.fixture(params=LARGE)
def graph(request):
    """A large graph with cut nodes."""
    return LARGE[request.param]


@pytest.mark.parametrize("lengths", [None, range(1, 6), [0.1, 0.25, 0.3]], ids=str)
def test_large_graphs(fast_device, graph, lengths):
    """The same to rounding as without any reduction, and igraph agrees."""
    A = graph if lengths is None else with_lengths(graph, lengths)
    options = {"directed": False, "weighted": lengths is not None, "device": fast_device}
    for measure in (betweenness, edge_betweenness):
        want = measure(A, **options, reduce="none")
        for choice in CHOICES[:-1]:
            got = measure(A, **options, reduce=choice)
            pair = (got, want) if measure is betweenness else (got.data, want.data)
            np.testing.assert_allclose(*pair, rtol=1e-11, atol=1e-13)
    if lengths != [0.1, 0.25, 0.3]:  # sums of fractions tie for us alone
        want = betweenness_of_igraph(A, directed=False, weighted=lengths is not None)
        got = betweenness(A, **options, normalized=False)
        np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-9)


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5])
def test_large_directed_graphs(fast_device, graph, share):
    """Arcs of either direction or one: as without reductions, and as igraph has it."""
    A = some_one_way(graph, share)
    some = np.random.default_rng(914).permutation(A.shape[0])
    with eager():
        for options in ({}, {"sources": some[:150]}, {"targets": some[:90]}, {"endpoints": True}):
            got, want = (
                betweenness(A, **options, reduce=one, device=fast_device) for one in ("all", "none")
            )
            np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-13)
        got, want = (edge_betweenness(A, reduce=one, device=fast_device) for one in ("all", "none"))
        np.testing.assert_allclose(got.data, want.data, rtol=1e-11, atol=1e-13)
        got = betweenness(A, normalized=False, device=fast_device)
    want = betweenness_of_igraph(A, directed=True)
    np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-9)


def on_host(n):
    """Where to keep a graph."""
    return GraphOps()


@pytest.mark.parametrize(
    "A",
    [
        matrix(nx.grid_2d_graph(20, 20)),
        matrix(nx.cycle_graph(200)),
        matrix(nx.random_labeled_tree(300, seed=5)),
        matrix(nx.complete_graph(150)),
    ],
    ids=["grid", "cycle", "tree", "complete"],
)
def test_a_graph_without_cut_nodes_stays_as_it_is(fast_device, A):
    """Not a bit changes."""
    everything, nothing = (
        betweenness(A, directed=False, reduce=one, device=fast_device)
        for one in ("all", {"trees", "prune"})
    )
    np.testing.assert_array_equal(everything, nothing)


def is_taken_apart(A, directed=False, throughput=1, sources=10**9, **constants):
    """Whether a graph is, by an engine of some relative throughput, with changed constants."""
    read = canonical(A, directed=directed, ops_for=on_host)
    nodes = np.arange(read.n)
    ends = nodes < sources, nodes >= 0
    with pytest.MonkeyPatch.context() as patch:
        for name, value in constants.items():
            patch.setattr(biconnected, name, value)
        found = reduce.reduced(read, *ends, {"blocks"}, relative_throughput=throughput)
    return found.bridges is not None


def test_where_blocks_pay(graph):
    """For enough sources, of enough nodes outside of the largest block, whose search is cheap."""
    read = canonical(graph, directed=False, ops_for=on_host)
    assert is_taken_apart(graph)
    assert not is_taken_apart(graph, sources=biconnected.ENOUGH_SOURCES - 1)
    assert not is_taken_apart(graph, throughput=32)
    enough = "ENOUGH_HIGH_DIAMETER" if read.traits.high_diameter else "ENOUGH"
    for least, apart in ((int(read.reach), True), (read.n, False)):
        gpu = {"throughput": 32, "LEAST_OTHERS": 0, enough: least}
        assert is_taken_apart(graph, **gpu) == apart
    others = read.blocks(read.degrees > 0).others
    any_number = {"ENOUGH_SOURCES": 0, "ENOUGH_HIGH_DIAMETER": 0, "ENOUGH": 0}
    for throughput in (1, 2):
        least = others // throughput**2
        on_edge = any_number | {"throughput": throughput}
        assert is_taken_apart(graph, **on_edge, LEAST_OTHERS=least)
        assert not is_taken_apart(graph, **on_edge, LEAST_OTHERS=least + 1)
    one_way = any_number | {"directed": True, "LEAST_OTHERS": 0, "LEAST_SAVED": -1}
    for throughput, apart in ((1, True), (1000, False)):
        part = one_way | {"throughput": throughput, "REACH_SHARE": 10}
        assert is_taken_apart(some_one_way(graph), **part) == apart


def test_counts_do_not_multiply_across_cut_nodes(fast_device):
    """A chain of 1500 diamonds has 2**1500 paths from end to end, and each diamond two."""
    diamonds = 1500
    start = 3 * np.arange(diamonds)
    steps = ((0, 1), (0, 2), (1, 3), (2, 3))
    i, j = np.concatenate([np.stack((start + a, start + b)) for a, b in steps], axis=1)
    n = 3 * diamonds + 1
    A = sp.csr_array((np.ones(i.size), (i, j)), shape=(n, n))
    ends = {"sources": range(0, n, 3), "directed": False, "normalized": False}
    got = betweenness(A, **ends, device=fast_device)
    # Where diamonds meet: a source for each diamond on one side, three targets on the other.
    left = np.arange(1, diamonds)
    want = 3 * left * (diamonds - left)
    np.testing.assert_allclose(got[3:-1:3], want, rtol=1e-12)


def test_an_estimate_is_the_same_estimate(fast_device, graph):
    """What is drawn, and what trees are known to count, does not hang on the reductions."""
    options = {"directed": False, "rng": 5, "epsilon": 0.05, "device": fast_device}
    want = approximate_betweenness(graph, **options, reduce="none")
    for choice in CHOICES:
        got = approximate_betweenness(graph, **options, reduce=choice)
        np.testing.assert_allclose(got.scores, want.scores, rtol=1e-11, atol=1e-13)


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
        assert (Run() if one is None else Run(reduce=one)).reductions == want


@pytest.mark.parametrize(
    ("choice", "error", "message"),
    [
        ("some", ValueError, "reduce must be 'all', 'none' or a set of 'trees', .*, got 'some'$"),
        ("trees", ValueError, "got 'trees'; for one of them alone use {'trees'}"),
        (
            {"tree"},
            ValueError,
            "reduce must hold some of 'trees', 'blocks', 'chains', 'twins', 'prune', got 'tree'",
        ),
        ([["trees"]], ValueError, r"got \['trees'\]"),
        ({"-chains"}, ValueError, "got '-chains'; 'all,-chains' are all but one"),
        ("all,chains", ValueError, "got 'chains'; 'all,-chains' are all but one"),
        ("none,-chains", ValueError, "reduce must be .*, got 'none,-chains'"),
        ("all,-some", ValueError, "got '-some'"),
        (None, TypeError, "reduce must be .*, got None"),
        (True, TypeError, "reduce must be .*, got True"),
    ],
    ids=str,
)
def test_a_wrong_choice_is_refused(choice, error, message):
    """With the name, the value and what would do."""
    with pytest.raises(error, match=message):
        stress(LARGE["chain"], reduce=choice)


def test_searches_take_no_choice():
    """Those reduce nothing."""
    with pytest.raises(TypeError, match="unknown option 'reduce'"):
        bfs(LARGE["chain"], [0], reduce="none")


def test_the_command_line_knows_every_name(run):
    """It cannot ask, for that takes NumPy; and refuses others before it reads a file."""
    assert argument_types.REDUCTIONS == REDUCTIONS
    for wrong in ("some", "trees,leaves", "trees,all", ""):
        status, _, err = run("closeness", "karate", "--reduce", wrong)
        assert status == 2
        assert "expected all, none, some of trees,blocks,chains,twins,prune, or all,-chains" in err
        assert f"got {wrong!r}" in err
