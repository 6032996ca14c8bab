"""What is counted in closed form, trees, blocks, edges left out: when, and how it is asked for.

That scores do not depend on it is asked by the conformance suite.
"""

import functools
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conformance import drawing
from conformance.knobs import turned
from graphs import matrix
from hypothesis import example, given
from hypothesis import strategies as st

from sparsebc import approximate_betweenness, betweenness, bfs, stress
from sparsebc.cli import argument_types
from sparsebc.matrix.ops import GraphOps
from sparsebc.matrix.read_matrix import canonical
from sparsebc.reduce import blocks, reduce
from sparsebc.sweep.options import REDUCTIONS, Run

# Take graphs apart however small they are, and whether that saves work or not.
eager = functools.partial(turned, ["blocks"], on_gpu=False)


def questions():
    """A matrix, whether it has lengths, and options: small questions of the conformance suite."""

    def asked(question):
        entries = [(i, j, max(length, 1)) for i, j, length in question.entries]
        names = [name for name in ("directed", "sources", "targets") if name in question.options]
        options = {name: question.options[name] for name in names}
        if "sources" in options:  # of searches, which may come again
            options["sources"] = list(dict.fromkeys(options["sources"]))
        question = replace(question, form="csr_array", entries=entries)
        return question.matrix(), question.weighted, options

    return drawing.questions(most=40).map(asked).filter(lambda one: one[0].nnz)


def large(seed, parts=70, size=None):
    """Some hundred nodes: random blocks, cycles and edges joined at random nodes; and a forest."""
    rng = np.random.default_rng(seed)
    graph = nx.empty_graph(1)
    kinds = nx.path_graph, nx.cycle_graph, nx.complete_graph, lambda n: nx.wheel_graph(3 * n)
    for _ in range(parts):
        part = kinds[rng.integers(4)](int(rng.integers(2, 7)))
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


EDGES = st.tuples(st.integers(0, 7), st.integers(0, 7)).filter(lambda edge: edge[0] < edge[1])


@given(st.dictionaries(EDGES, st.integers(1, 9), min_size=1))
@example({(0, 1): 1, (1, 2): 1, (2, 3): 2, (1, 3): 3, (3, 4): 1})  # .1 + .1 + .2 is .4, not .1 + .3
def test_without_tolerance_no_reduction_makes_or_breaks_a_tie(edges):
    """Sums of floats are compared as they are, in the order of the path."""
    lengths = np.array([*edges.values()]) / 10
    A = sp.csr_array((lengths, tuple(zip(*edges, strict=True))), shape=(8, 8))
    ways = {"weighted": True, "directed": False, "tie_rtol": 0, "device": "cpu"}
    want = betweenness(A, reduce="none", **ways)
    with eager():
        for reduce in ("all", {"trees"}, {"blocks"}, {"chains"}):
            np.testing.assert_allclose(betweenness(A, reduce=reduce, **ways), want, atol=1e-12)


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
            patch.setattr(blocks, name, value)
        found = reduce.reduced(read, *ends, {"blocks"}, relative_throughput=throughput)
    return found.bridges is not None


def test_where_blocks_pay(graph):
    """For enough sources, of enough nodes outside of the largest block, whose search is cheap."""
    read = canonical(graph, directed=False, ops_for=on_host)
    assert is_taken_apart(graph)
    assert not is_taken_apart(graph, sources=blocks.ENOUGH_SOURCES - 1)
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


def test_an_estimate_is_the_same_estimate(fast_device, graph):
    """What is drawn, and what trees are known to count, does not hang on the reductions."""
    options = {"directed": False, "rng": 5, "epsilon": 0.05, "device": fast_device}
    want = approximate_betweenness(graph, **options, reduce="none")
    for choice in ("all", {"blocks"}, {"trees"}):
        got = approximate_betweenness(graph, **options, reduce=choice)
        np.testing.assert_allclose(got.scores, want.scores, rtol=1e-11, atol=1e-13)


def test_a_long_chain_of_bridges(fast_device):
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
