"""Scores do not depend on what is counted in closed form: trees, blocks, edges left out."""

import contextlib

import networkx as nx
import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from graphs import matrix, with_lengths
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
from sparsebc.graph.read_weights import weighted
from sparsebc.reduce import biconnected, reduce
from sparsebc.run.options import REDUCTIONS, Run

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


@contextlib.contextmanager
def eager():
    """Take graphs apart however small they are, and whether that saves work or not."""
    with pytest.MonkeyPatch.context() as patch:
        for enough in ("ENOUGH_SOURCES", "ENOUGH_DEEP", "ENOUGH", "LEAST_OTHERS"):
            patch.setattr(biconnected, enough, 0)
        patch.setattr(biconnected, "LEAST_SAVED", -1)
        patch.setattr(biconnected, "REACH_SHARE", 1e9)
        yield


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
    """The same to rounding as without any reduction, and NetworkX agrees."""
    A = graph if lengths is None else with_lengths(graph, lengths)
    options = {"directed": False, "weighted": lengths is not None, "device": fast_device}
    for measure in (betweenness, edge_betweenness):
        want = measure(A, **options, reduce="none")
        for choice in CHOICES[:-1]:
            got = measure(A, **options, reduce=choice)
            pair = (got, want) if measure is betweenness else (got.data, want.data)
            np.testing.assert_allclose(*pair, rtol=1e-11, atol=1e-13)
    if lengths != [0.1, 0.25, 0.3]:  # sums of fractions tie for us alone
        named = {"weight": "weight"} if lengths else {}
        want = nx.betweenness_centrality(nx.from_scipy_sparse_array(A), **named)
        np.testing.assert_allclose(
            betweenness(A, **options), list(want.values()), rtol=1e-11, atol=1e-13
        )


@pytest.mark.parametrize("share", [0.05, 0.3, 0.5])
def test_large_directed_graphs(fast_device, graph, share):
    """Arcs of either direction or one: as without reductions, and as NetworkX has it."""
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
        got = betweenness(A, device=fast_device)
    peer = nx.from_scipy_sparse_array(A, create_using=nx.DiGraph)
    want = nx.betweenness_centrality(peer)
    np.testing.assert_allclose(got, list(want.values()), rtol=1e-11, atol=1e-13)


def test_directed_weights_are_what_reaches_a_block(graph):
    """Sources that reach a node from outside of its block, counted one by one."""
    A = some_one_way(graph)
    everyone = np.ones(A.shape[0], dtype=bool)
    read = canonical(A, directed=True, ops_for=on_host)
    with eager():
        reduced = reduce.reduced(read, everyone, everyone)
    assert np.unique(reduced.nodes).size < reduced.nodes.size
    label = reduced.graph.components
    alpha = np.zeros(reduced.graph.n)
    alpha[reduced.sources] = reduced.alpha
    for one in np.unique(label)[:20]:
        rows = np.flatnonzero(label == one)
        inside = reduced.nodes[rows]
        # Without the arcs of the block, what still reaches its nodes, or is reached from them.
        outside = sp.lil_array(A)
        outside[np.ix_(inside, inside)] = 0
        near = sp.csgraph.shortest_path(outside.tocsr(), unweighted=True)
        starts = reduced.graph.outgoing.degrees[rows] > 0
        want = np.isfinite(near[:, inside]).sum(axis=0)
        np.testing.assert_array_equal(alpha[rows][starts], want[starts])
        np.testing.assert_array_equal(reduced.omega[rows], np.isfinite(near[inside]).sum(axis=1))


def test_a_dear_search_for_what_reaches_is_left_out(graph):
    """Where it would take longer than the sweeps it saves."""
    A, reach = some_one_way(graph), []
    everyone = np.ones(A.shape[0], dtype=bool)
    read = canonical(A, directed=True, ops_for=on_host)
    for share in (1e9, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(biconnected, "REACH_SHARE", share)
            reach.append(reduce.reduced(read, everyone, everyone).bridges is not None)
    assert reach == [True, False]


def on_host(n):
    """Where to keep a graph."""
    return GraphOps()


def problem(A, lengths=None, reductions=reduce.FOR_ALL):
    """The reduced problem of an undirected graph on the host."""
    if lengths is None:
        read = canonical(A, directed=False, ops_for=on_host)
    else:
        read = weighted(with_lengths(A, lengths), directed=False, tie_rtol=1e-10, ops_for=on_host)
    everyone = np.ones(read.n, dtype=bool)
    return reduce.reduced(read, everyone, everyone, reductions)


@pytest.mark.parametrize("lengths", [None, range(1, 6)], ids=str)
def test_blocks_are_those_of_networkx(graph, lengths):
    """By default a graph of cut nodes is swept in blocks: theirs are the components of it."""
    reduced = problem(graph, lengths, {"trees", "blocks", "twins"})
    label = reduced.graph.components
    got = sorted(sorted(reduced.nodes[label == one].tolist()) for one in np.unique(label))
    found = nx.biconnected_components(nx.from_scipy_sparse_array(graph))
    assert got == sorted(sorted(block) for block in found if len(block) > 2)
    assert np.unique(reduced.nodes).size < reduced.nodes.size
    sizes = np.bincount(label)[label]
    assert (np.diff(sizes) <= 0).all()  # largest first
    assert problem(graph, lengths, {"prune", "trees", "twins"}).bridges is None


def test_weights_are_what_lies_behind(graph):
    """The weights of a block's nodes add up to its component: nothing lost, nothing twice."""
    reduced = problem(graph)
    label = reduced.graph.components
    _, component = sp.csgraph.connected_components(graph, directed=False)
    size = np.bincount(component)
    for one in np.unique(label):
        inside = label == one
        assert reduced.omega[inside].sum() == size[component[reduced.nodes[inside][0]]]
        assert reduced.alpha[inside[reduced.sources]].sum() == reduced.omega[inside].sum()


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
    assert problem(A).bridges is None
    everything, nothing = (
        betweenness(A, directed=False, reduce=one, device=fast_device)
        for one in ("all", {"trees", "prune"})
    )
    np.testing.assert_array_equal(everything, nothing)


def test_few_sources_do_not_look_for_blocks(graph):
    """Where the search would cost as much as the sweeps."""
    read = canonical(graph, directed=False, ops_for=on_host)
    everyone = np.ones(read.n, dtype=bool)
    few = np.arange(read.n) < biconnected.ENOUGH_SOURCES - 1
    assert reduce.reduced(read, few, everyone).bridges is None
    assert reduce.reduced(read, everyone, everyone, relative_throughput=32).bridges is None


def test_blocks_pay_on_a_gpu_from_more_sources_on(graph, monkeypatch):
    """Sooner where each sweep takes long; and the search for what reaches has to save more."""
    read = canonical(graph, directed=False, ops_for=on_host)
    everyone = np.ones(read.n, dtype=bool)
    enough = "ENOUGH_DEEP" if read.traits.deep else "ENOUGH"
    monkeypatch.setattr(biconnected, "LEAST_OTHERS", 0)
    monkeypatch.setattr(biconnected, enough, int(read.n * read.reach / read.n))
    assert reduce.reduced(read, everyone, everyone, relative_throughput=32).bridges is not None
    monkeypatch.setattr(biconnected, enough, read.n)
    assert reduce.reduced(read, everyone, everyone, relative_throughput=32).bridges is None
    one_way = canonical(some_one_way(graph), directed=True, ops_for=on_host)
    monkeypatch.setattr(biconnected, "LEAST_SAVED", -1)
    monkeypatch.setattr(biconnected, "REACH_SHARE", 10)
    for name in ("ENOUGH_DEEP", "ENOUGH"):
        monkeypatch.setattr(biconnected, name, 0)
    for throughput, apart in ((1, True), (1000, False)):
        found = reduce.reduced(one_way, everyone, everyone, relative_throughput=throughput)
        assert (found.bridges is not None) == apart


def test_blocks_pay_where_enough_nodes_are_outside_of_the_largest(graph, monkeypatch):
    """So many, and more for a GPU."""
    read = canonical(graph, directed=False, ops_for=on_host)
    everyone = np.ones(read.n, dtype=bool)
    others = read.blocks(read.degrees > 0).others  # trees are left where they are
    for throughput, more in ((1, 0), (1, 1), (2, 0), (2, 1)):
        for name in ("ENOUGH_SOURCES", "ENOUGH_DEEP", "ENOUGH"):
            monkeypatch.setattr(biconnected, name, 0)
        monkeypatch.setattr(biconnected, "LEAST_OTHERS", others // throughput**2 + more)
        found = reduce.reduced(read, everyone, everyone, {"blocks"}, relative_throughput=throughput)
        assert (found.bridges is not None) == (more <= 0)


def test_the_bits_are_those_of_any_plan(fast_device, graph):
    """Workers, memory and repetition change no bit of a graph in blocks."""
    options = {"directed": False, "device": fast_device}
    want = betweenness(graph, **options, workers=1)
    for plan in ({"workers": 3}, {"workers": 2}, {"memory_budget": 1 << 28}):
        np.testing.assert_array_equal(betweenness(graph, **options, **plan), want)


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


def test_every_name_is_a_choice():
    """ "all" is all of them, "none" none; lists and sets are taken as they are."""
    everything = frozenset({"trees", "blocks", "chains", "twins", "prune"})
    assert Run().reductions == Run(reduce="all").reductions == everything
    assert Run(reduce="none").reductions == Run(reduce=set()).reductions == frozenset()
    assert Run(reduce=["trees"]).reductions == {"trees"}


@pytest.mark.parametrize("choice", ["all,-chains,-twins", {"all", "-twins", "-chains"}])
def test_all_but_some(choice):
    """In one word, as the command has it, or as a set or list."""
    assert Run(reduce=choice).reductions == {"trees", "blocks", "prune"}


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
