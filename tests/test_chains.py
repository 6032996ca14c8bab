"""Chains of nodes of degree 2: scores are those of the definition, whoever is swept from."""

import contextlib
import pickle
import re
from concurrent.futures import ThreadPoolExecutor

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import betweenness_of_igraph, layered, matrix, with_lengths
from numpy.testing import assert_allclose, assert_array_equal

from sparsebc import betweenness, centralities, explain, stress
from sparsebc.engines import devices
from sparsebc.graph import graph as graph_of
from sparsebc.graph.ops import GraphOps
from sparsebc.graph.read_matrix import canonical
from sparsebc.reduce import biconnected, chains, reduce, twins

OTHERS = {"trees", "blocks", "prune"}
PATHS = ["betweenness", "edge_betweenness", "stress"]


@contextlib.contextmanager
def eager(ends=64):
    """Leave chains to their ends, and graphs apart, whether that saves work or not."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("CPU", "GPU"):
            patch.setattr(chains, name, getattr(chains, name)._replace(most=1e9, ends=ends))
        patch.setattr(chains, "ENOUGH_SOURCES", 0)
        for enough in ("ENOUGH_SOURCES", "ENOUGH_HIGH_DIAMETER", "ENOUGH"):
            patch.setattr(biconnected, enough, 0)
        patch.setattr(biconnected, "LEAST_SAVED", -1)
        if devices.gpus():  # which take chains of deep graphs
            patch.setattr(graph_of, "HIGH_DIAMETER", 0)
        yield


def test_ends_beside_a_far_larger_weight():
    """What a node has itself is not lost from the sum of what the others have."""
    A = sp.csr_array([[0.0, 1.0], [1.0, 0.0]])
    weights = {"sources": [0], "target_weights": [0.1, 1e-9]}
    got = centralities(
        *(A, ["betweenness"]), **weights, directed=False, normalized=False, endpoints=True
    )["betweenness"]
    assert_allclose(got, 5e-10, rtol=1e-15)


def stretched(graph, seed, most=6):
    """A graph whose edges are chains of up to so many nodes, loops at some, and cycles apart."""
    rng = np.random.default_rng(seed)
    graph = nx.convert_node_labels_to_integers(graph)
    long = nx.Graph()
    n = len(graph)
    ends = [*graph.edges, *((v, v) for v in rng.integers(n, size=5))]
    for u, v in ends:
        size = int(rng.integers(2 * (u == v), most + 1))
        nx.add_path(long, [u, *range(n, n + size), v])
        n += size
    return matrix(nx.disjoint_union(long, nx.disjoint_union(nx.cycle_graph(7), nx.cycle_graph(3))))


LARGE = {
    "streets": stretched(nx.grid_2d_graph(9, 10), 71),
    "hubs": stretched(nx.barabasi_albert_graph(60, 2, seed=72), 72),
    "trees": stretched(nx.random_labeled_tree(40, seed=73), 73),
    "ladder": stretched(nx.ladder_graph(30), 74, most=12),
}
LENGTHS = [None, range(1, 4), [0.1, 0.2, 0.3]]


@pytest.fixture(params=LARGE)
def graph(request):
    """A graph of many chains."""
    return LARGE[request.param]


def close(got, want):
    """To rounding, within each cutoff."""
    for name, values in want.items():
        if name == "edge_betweenness":
            mine, values = np.array([one.data for one in got[name]]), [one.data for one in values]
        else:
            mine = got[name]
        assert_allclose(mine, values, rtol=1e-11, atol=1e-14, err_msg=name)


@pytest.mark.parametrize("lengths", LENGTHS, ids=str)
def test_large_graphs(fast_device, graph, lengths):
    """The same to rounding as without chains, in a chain of blocks or not, and as igraph."""
    A = graph if lengths is None else with_lengths(graph, lengths)
    options = {"directed": False, "weighted": lengths is not None, "device": fast_device}
    everywhere, within = {"cutoff": [np.inf]}, {"cutoff": [3, 7.5, 20], "endpoints": True}
    real = np.random.default_rng(75).random(A.shape[0])
    with eager(16):
        for names, asked in (
            (PATHS[:2], everywhere),
            (PATHS[2:], everywhere),
            (PATHS, within),
            (PATHS, everywhere | {"source_weights": real}),
        ):
            want = centralities(A, names, **options, **asked, reduce="none")
            for choice in ({"chains"}, "all"):
                close(centralities(A, names, **options, **asked, reduce=choice), want)
    if lengths is None or lengths[0] == 1:  # sums of fractions tie for us alone
        want = betweenness_of_igraph(A, directed=False, weighted=lengths is not None)
        got = betweenness(A, **options, normalized=False)
        assert_allclose(got, want, rtol=1e-11, atol=1e-9)


def found(A, alpha=None, ends=64):
    """Sources and groups of a matrix."""
    read = canonical(A, directed=False, ops_for=lambda n: GraphOps())
    alpha = np.ones(read.n, dtype=bool) if alpha is None else alpha
    with eager(ends):
        everyone = np.ones(read.n, dtype=bool)
        return reduce.reduced(read, alpha, everyone, {"prune", "chains", "twins"})


@pytest.mark.parametrize("ends", [8, 64])
def test_chains_cover_the_graph(graph, ends):
    """Each node of degree 2 is a source, or on a chain from each end; no path is left out."""
    problem = found(graph, ends=ends)
    pattern = problem.graph.outgoing
    inner = np.full(problem.graph.n, 2)
    inner[problem.sources] = 0
    sources = np.concatenate([group.sources for group in problem.batches])
    assert_array_equal(np.sort(sources), problem.sources)
    seen = np.zeros_like(inner)
    for group in problem.batches:
        columns = np.concatenate((group.sources, group.others))
        assert group.sources.size <= ends
        assert np.unique(columns).size == columns.size
        chains = group.chains
        assert (np.diff(chains.near) >= 0).all()
        assert (chains.near < group.sources.size).all()
        for k, (near, far) in enumerate(
            zip(columns[chains.near], columns[chains.far], strict=True)
        ):
            assert near != far
            place = slice(chains.start[k], chains.start[k + 1])
            path = [near, *chains.nodes[place]]
            seen[path[1:]] += 1
            assert chains.span[k] == len(path)
            assert_array_equal(chains.place[place], np.arange(1, len(path)))
            assert_array_equal(pattern.rows[chains.arcs[place]], path[1:])
            assert_array_equal(pattern.indices[chains.arcs[place]], path[:-1])
            last = pattern.indices[pattern.indptr[path[-1]] : pattern.indptr[path[-1] + 1]]
            assert far in last
    assert_array_equal(seen, inner)
    assert (pattern.degrees[inner > 0] == 2).all()


def test_a_cycle_is_cut_twice():
    """And the scores of its nodes are known in closed form: (k - 1) (k - 3) / 8 for k odd."""
    problem = found(matrix(nx.cycle_graph(101)))
    assert problem.sources.size == 2
    with eager():
        got = betweenness(
            *(matrix(nx.cycle_graph(101)),),
            directed=False,
            normalized=False,
            device="cpu",
            reduce={"chains"},
        )
    assert_allclose(got, 100 * 98 / 8, rtol=1e-13)


def test_chains_without_sources_are_none(graph):
    """Their ends are swept for their own sake, or not at all."""
    alpha = np.zeros(graph.shape[0], dtype=bool)
    alpha[0] = True
    assert found(graph, alpha).sources.size <= 2
    with eager():
        for some in ([0], range(0, graph.shape[0], 7)):
            got, want = (
                betweenness(graph, sources=some, directed=False, device="cpu", reduce=one)
                for one in ("all", "none")
            )
            assert_allclose(got, want, rtol=1e-11, atol=1e-14)


def test_where_it_saves_nothing_not_a_bit_changes():
    """A grid, leaves on hubs, few sources."""
    for A, options in (
        (matrix(nx.grid_2d_graph(12, 12)), {}),
        (matrix(nx.barabasi_albert_graph(150, 2, seed=3)), {}),
        (LARGE["ladder"], {"sources": range(20)}),
    ):
        got, want = (
            betweenness(A, **options, directed=False, device="cpu", reduce=one)
            for one in ("all", OTHERS)
        )
        assert_array_equal(got, want)


@pytest.mark.parametrize("cutoff", [[np.inf], [6, 14]], ids=str)
@pytest.mark.parametrize("lengths", LENGTHS[:2], ids=str)
def test_the_bits_are_those_of_any_plan(lengths, cutoff):
    """Workers, memory, who computes, and repetition; groups go by pickle."""
    A = LARGE["ladder"] if lengths is None else with_lengths(LARGE["ladder"], lengths)
    options = {"directed": False, "weighted": lengths is not None, "device": "cpu"}
    options["cutoff"] = cutoff
    with eager(8):
        totals = []
        progress = lambda done, total: totals.append(total)  # noqa: E731
        want = centralities(A, PATHS, **options, workers=1, progress=progress)
        assert totals[-1] < A.shape[0] / 3  # chains were in use
        without = centralities(A, PATHS, **options, reduce=OTHERS)
        with ThreadPoolExecutor(2) as pool:
            plans = ({"workers": 3}, {"memory_budget": 1 << 26}, {"executor": pool})
            for plan in plans:
                got = centralities(A, PATHS, **options, **plan)
                for one, other in zip(
                    got["edge_betweenness"], want["edge_betweenness"], strict=True
                ):
                    assert_array_equal(one.data, other.data)
                for name in PATHS[::2]:
                    assert_array_equal(got[name], want[name])
    close(want, without)
    group = found(A, ends=8).batches[0]
    again = pickle.loads(pickle.dumps(group))
    assert_array_equal(again.chains.nodes, group.chains.nodes)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
def test_counts_beyond_floats(weighted):
    """10**327 paths and one more by the chain that joins the ends, of equal length; and sources."""
    layers, width = 330, 10
    n = layers * width
    meshed = layered(width, layers).tocoo()
    chain = [0, *range(n, n + layers - 2), n - 1]
    i, j = np.r_[meshed.row, chain[:-1], 0], np.r_[meshed.col, chain[1:], 1]
    n += layers - 2
    lengths = np.ones(i.size)
    lengths[-1] = 7 if weighted else 1  # within a layer, and so on no path that ends elsewhere
    A = sp.coo_array((lengths, (i, j)), shape=(n, n)).tocsr()
    sources = chain[1:-1:9]
    options = {"directed": False, "weighted": weighted, "device": "cpu", "sources": sources}
    with eager():
        got = betweenness(A, **options, reduce={"chains"})
    assert_allclose(got, betweenness(A, **options, reduce="none"), rtol=1e-10, atol=1e-15)


@pytest.mark.slow
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("trees", [set(), {"trees"}], ids=str)
def test_paths_beyond_the_range_of_shares(weighted, trees):
    """10**306 paths from an inner node by way of the near end, and all run through one node."""
    layers, width = 308, 10
    n = layers * width
    meshed = layered(width, layers).tocoo()
    chain, leaf = [0, *range(n, n + layers - 2), n - 1], n + layers - 2
    i, j = np.r_[meshed.row, chain[:-1], n - 2], np.r_[meshed.col, chain[1:], leaf]
    lengths = np.ones(i.size)
    lengths[-1] = 7 if weighted else 1
    A = sp.coo_array((lengths, (i, j)), shape=(leaf + 1, leaf + 1)).tocsr()
    options = {"directed": False, "weighted": weighted, "device": "cpu"}
    options |= {"sources": [chain[1]], "targets": [leaf]}
    with eager():
        got = stress(A, **options, reduce={"chains"} | trees)
    want = stress(A, **options, reduce="none")
    assert want.max() > 2.0**1016 / 2
    assert_allclose(got, want, rtol=1e-12)


@pytest.mark.slow
def test_halves_of_the_state():
    """float32 has fewer digits, and whole weights keep all of theirs."""
    A = LARGE["streets"]
    options = {"directed": False, "device": "cpu"}
    with eager():
        got = betweenness(A, **options, dtype=np.float32)
    assert_allclose(got, betweenness(A, **options, reduce="none"), rtol=1e-4, atol=1e-7)


def test_what_is_left_of_the_work(monkeypatch):
    """The ends alone are swept, and the plan says so."""
    A = LARGE["ladder"]
    totals = []
    options = {"directed": False, "device": "cpu"}
    betweenness(A, **options, progress=lambda done, total: totals.append(total))
    monkeypatch.setattr(twins, "ENOUGH_SOURCES", 2000)
    plan = explain(A, **options, workers=1)
    steps = {step.name: step for step in plan.steps}
    step = steps["chains"]
    assert step.left_out is None
    assert plan.sources == step.sources == totals[-1] < steps["blocks"].sources / 3
    assert plan.kernels == ("cpu/chains/brandes_chains.py",)
    assert steps["twins"].left_out == "fewer than 2000 sources"
    monkeypatch.setattr(twins, "ENOUGH_SOURCES", 0)
    plan = explain(A, **options, workers=1)
    assert plan.steps[-1].left_out == "chains are left to their ends instead"


SHORT = {"directed": False, "device": "cpu", "memory_budget": 660_000}


def test_where_memory_is_short_they_are_left_out(caplog):
    """And a warning says so: scores have the bits of a call without them."""
    A = LARGE["streets"]

    def warnings():
        return [one.message for one in caplog.records if "left out" in one.message]

    got = betweenness(A, **SHORT)
    (warning,) = warnings()
    assert re.search(
        r"chains are left out: .* needs \d+ bytes( \(\d MiB\))?, and memory_budget is 660000. "
        r"Scores are those of reduce='all,-chains', to the last bit",
        warning,
    )
    assert_array_equal(got, betweenness(A, **SHORT, reduce="all,-chains"))
    assert len(warnings()) == 1
    with_chains = betweenness(A, directed=False, device="cpu")
    assert_allclose(got, with_chains, rtol=1e-12, atol=1e-15)


def test_a_plan_says_what_does_not_fit():
    """In place of chains, twins are looked for."""
    steps = {step.name: step for step in explain(LARGE["streets"], **SHORT).steps}
    assert steps["chains"].left_out == "its searches do not fit into memory"
    assert steps["twins"].left_out != "chains are left to their ends instead"
    steps = {step.name: step for step in explain(LARGE["streets"], directed=False).steps}
    assert steps["chains"].left_out is None


def test_a_checkpoint_knows_whether_they_were_left_out(tmp_path):
    """Sums that are kept are of one arrangement of the sources: more memory changes nothing."""
    A, kept = LARGE["streets"], {"checkpoint": tmp_path}
    want = betweenness(A, **SHORT, **kept)
    more = SHORT | {"memory_budget": 10**9}
    with pytest.raises(ValueError, match=r"differs in reduce \(.* is blocks, chains"):
        betweenness(A, **more, **kept)
    assert_array_equal(betweenness(A, **more, reduce="all,-chains", **kept), want)
