"""Sources with the same neighbours are swept once: the scores are those of all."""

import functools
import itertools
from dataclasses import replace
from fractions import Fraction

import networkx as nx
import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from conformance.knobs import turned
from graphs import matrix, one_way
from hypothesis import given
from hypothesis import strategies as st
from test_reductions import assembled, definition

from sparsebc import betweenness, centralities, edge_betweenness, explain
from sparsebc.engines import devices
from sparsebc.graph import twins as rows_alike
from sparsebc.graph.ops import GraphOps
from sparsebc.graph.read_matrix import canonical
from sparsebc.measures import runtime_estimate
from sparsebc.reduce import reduce, twins
from sparsebc.run import options, sweep
from sparsebc.run.fingerprint import Question

MAX_NODES = 7
# Take graphs apart and merge sources however few they are, and whether that saves work or not.
eager = functools.partial(turned, ["blocks", "twins"], on_gpu=False)


def with_twin(arcs, n, v, is_closed):
    """Arcs of a graph with one more node, n, of the same neighbours as v."""
    new = {(n, b) for a, b in arcs if a == v} | {(a, n) for a, b in arcs if b == v}
    return arcs | new | ({(v, n), (n, v)} if is_closed else set())


def of_arcs(arcs, n):
    """The matrix of some arcs."""
    tails, heads = np.array(list(arcs), dtype=int).reshape(-1, 2).T
    return sp.coo_array((np.ones(tails.size), (tails, heads)), shape=(n, n))


@st.composite
def graphs(draw):
    """Blocks, bridges and trees, some arcs one way; then nodes get twins, and these leaves."""
    n, edges = draw(assembled().filter(lambda graph: graph[0] <= 5))
    directed = draw(st.booleans())
    arcs = {arc for i, j in edges for arc in ((i, j), (j, i))}
    if directed:
        arcs = {arc for arc in sorted(arcs) if draw(st.integers(0, 3))}
    for _ in range(draw(st.integers(1, MAX_NODES - n))):
        v = draw(st.integers(0, n - 1))
        kind = draw(st.sampled_from(["open", "closed", "open", "closed", "leaf"]))
        new = {(v, n), (n, v)} if kind == "leaf" else with_twin(arcs, n, v, kind == "closed")
        arcs, n = arcs | new, n + 1
    names = draw(st.permutations(range(n)))
    return of_arcs([[names[i], names[j]] for i, j in sorted(arcs)], n), directed


MEASURES = ["betweenness", "edge_betweenness", "stress"]


def exchangeable(arcs, u, v):
    """Whether exchanging two nodes leaves a set of arcs as it is."""
    other = {u: v, v: u}
    return {(other.get(i, i), other.get(j, j)) for i, j in arcs} == arcs


def prepared(A, directed, device="cpu", reductions=("twins",), **weights):
    """The problem that an engine is given, and the engine."""
    engine = devices.select(device)
    with engine.here():
        graph = canonical(A, directed=directed, ops_for=engine.ops_for)
        alpha, omega = (
            np.asarray(weights.get(name, np.ones(graph.n, dtype=bool)))
            for name in ("alpha", "omega")
        )
        question = Question(graph, alpha, omega, ["betweenness"], False)
        run = options.Run(reduce=frozenset(reductions))
        return engine, sweep.prepared(engine, question, run)[0]


def classes(problem):
    """Sets of nodes given of which one is swept."""
    found = {}
    leader = np.arange(problem.graph.n) if problem.twins is None else problem.twins.leader
    for row in range(problem.graph.n):
        found.setdefault(leader[row], set()).add(int(problem.nodes[row]))
    return {frozenset(one) for one in found.values() if len(one) > 1}


@given(graphs(), st.data())
def test_twins_are_those_that_can_be_exchanged(fast_device, graph, data):
    """All of them, and no others: sources of equal weight as targets, if they are targets."""
    A, directed = graph
    n = A.shape[0]
    weights = st.lists(st.sampled_from([0, 1, 1, 2]), min_size=n, max_size=n)
    alpha, omega = data.draw(weights), data.draw(weights)
    with eager():
        _, problem = prepared(
            A, directed, fast_device, alpha=np.array(alpha), omega=np.array(omega)
        )
    arcs = set(zip(A.row.tolist(), A.col.tolist(), strict=True))
    arcs |= set() if directed else {(j, i) for i, j in arcs}
    is_met = {j for _, j in arcs}
    starts = [v for v in range(n) if alpha[v] and any(i == v for i, _ in arcs)]
    want = {
        frozenset(
            v
            for v in starts
            if u == v
            or (exchangeable(arcs, u, v) and (omega[u] == omega[v] or not {u, v} & is_met))
        )
        for u in starts
    }
    assert classes(problem) == {one for one in want if len(one) > 1}
    swept = set(problem.nodes[problem.sources].tolist())
    assert swept <= set(starts)
    assert all(len(one & swept) == 1 for one in want)


@given(graphs(), st.data())
def test_rows_are_compared(fast_device, graph, data):
    """Where all hashes are equal, nothing is merged that is no twin."""
    A, directed = graph
    n = A.shape[0]
    omega = np.array(data.draw(st.lists(st.sampled_from([1, 2]), min_size=n, max_size=n)))
    run = {"directed": directed, "target_weights": omega, "device": fast_device}
    with eager(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(rows_alike, "scrambled", np.zeros_like)
        got = betweenness(A, **run, reduce={"twins"})
    np.testing.assert_allclose(got, betweenness(A, **run, reduce="none"), rtol=1e-12, atol=1e-14)


def test_rows_of_all_small_graphs():
    """Whoever is proposed as a twin, of each kind: those that can be exchanged are told, if any."""
    pairs = list(itertools.combinations(range(4), 2))
    for kept in itertools.product([False, True], repeat=len(pairs)):
        arcs = {arc for i, j in itertools.compress(pairs, kept) for arc in ((i, j), (j, i))}
        pattern = canonical(of_arcs(arcs, 4), directed=False).outgoing
        for pair, is_closed in itertools.product(pairs, [False, True]):
            (told,) = rows_alike.are_alike(pattern, *np.array(pair)[:, None], is_closed)
            assert told == ((pair in arcs) == is_closed and exchangeable(arcs, *pair))


@given(graphs())
def test_squares_stand(fast_device, graph):
    """Sums of squared dependencies, from which estimates take their variance."""
    A, directed = graph
    n = A.shape[0]
    sums = frozenset({"dependency", "squares"})
    with eager():
        engine, problem = prepared(A, directed, fast_device)
        with engine.here():
            got = sweep.sum_blocks(engine, problem, sums, options.Run(device=fast_device))
    graph, named = definition(A, False, {"directed": directed})
    each = [oracle.raw(*graph, **named, sources=[s]) for s in range(n)]
    want = np.array(
        [sum((one[v] ** 2 for one in each), Fraction(0)) for v in range(n)], dtype=float
    )
    whole = np.zeros(n)
    whole[problem.nodes] = got["squares"]
    np.testing.assert_allclose(whole, want, rtol=1e-12, atol=1e-14)


def many_twins(directed, seed=921, hubs=70, most=12):
    """Some 400 nodes: each hub a class of twins, every other one closed; and leaves."""
    rng = np.random.default_rng(seed)
    core = nx.barabasi_albert_graph(hubs, 3, seed=seed)
    pattern = matrix(one_way(core, 0.4, seed) if directed else core).toarray()
    np.fill_diagonal(pattern, np.arange(hubs) % 2)
    member = np.repeat(np.arange(hubs), rng.integers(1, most, hubs))
    pattern = pattern[member][:, member]
    np.fill_diagonal(pattern, 0)
    graph = nx.from_numpy_array(pattern, create_using=nx.DiGraph)
    n = len(graph)
    for leaf in range(n, n + 20):
        v = int(rng.integers(n))
        graph.add_edges_from([(v, leaf), (leaf, v)])
    return matrix(nx.relabel_nodes(graph, dict(enumerate(rng.permutation(len(graph)).tolist()))))


BLOWN = {directed: many_twins(directed) for directed in (False, True)}


@pytest.mark.parametrize("directed", [False, True], ids=["undirected", "directed"])
def test_many_twins(fast_device, directed):
    """A fifth of the sources is left, and the scores are those of NetworkX."""
    A = BLOWN[directed]
    with eager():
        _, problem = prepared(A, directed, fast_device, ("trees", "blocks", "twins"))
        assert 0 < problem.sources.size < 0.4 * A.shape[0]
        weight, whole = (
            prepared(A, directed, fast_device, choice)[1].alpha.sum() for choice in (["twins"], [])
        )
        assert weight == whole
        got = centralities(A, MEASURES, directed=directed, device=fast_device, normalized=False)
    want = centralities(
        *(A, MEASURES), directed=directed, device=fast_device, normalized=False, reduce="none"
    )
    kind = nx.DiGraph if directed else nx.Graph
    peer = nx.from_scipy_sparse_array(A, create_using=kind)
    exact = nx.betweenness_centrality(peer, normalized=False)
    np.testing.assert_allclose(got["betweenness"], list(exact.values()), rtol=1e-11, atol=1e-11)
    for name in MEASURES:
        ours, theirs = (getattr(one[name], "data", one[name]) for one in (got, want))
        np.testing.assert_allclose(np.array(ours), np.array(theirs), rtol=1e-11, atol=1e-11)


def test_a_small_weight_is_not_lost(fast_device):
    """Beside a twin of 2**52 times the weight, arcs keep all digits: nothing cancels."""
    A = sp.csr_array(([1, 1, 1, 1], ([0, 1, 2, 2], [2, 2, 0, 1])), shape=(3, 3))  # 0 - 2 - 1
    for large in ([1, 2**52, 0], [2**52, 1, 0]):
        with eager():
            run = {"normalized": False, "device": fast_device}
            got = edge_betweenness(A, source_weights=np.array(large, dtype=float), **run)
        want = {(0, 2): 2 * large[0], (1, 2): 2 * large[1], (2, 0): large[1], (2, 1): large[0]}
        for (i, j), value in want.items():
            assert got[i, j] == pytest.approx(value, rel=1e-12)


def test_counts_beyond_floats(fast_device):
    """Layers of twins have more paths than floats hold, and each twin half of all of them."""
    layers, width = 1100, 2
    step = np.arange(layers - 1)
    pairs = list(itertools.product(range(width), repeat=2))
    tails = np.concatenate([width * step + a for a, _ in pairs])
    heads = np.concatenate([width * (step + 1) + b for _, b in pairs])
    n = width * layers
    A = sp.csr_array((np.ones(tails.size), (tails, heads)), shape=(n, n))
    ends = {"sources": [0, 1, 2], "targets": [n - 1, n - 2]}
    with eager():
        got = betweenness(A, **ends, normalized=False, device=fast_device)
    want = np.repeat([0, 2, 3, 0], [2, 2, n - 6, 2])  # half of the pairs from before
    np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.fixture
def hasty(monkeypatch):
    """Few blocks are timed: how long is no matter here."""
    monkeypatch.setattr(runtime_estimate, "ENOUGH", 0.0)


def test_a_plan_says_what_twins_save(hasty):
    """The last step: as many arcs, fewer sources."""
    run = {"directed": False, "device": "cpu"}
    with eager():
        plan = explain(BLOWN[False], **run)
        step = plan.steps[-1]
        before = plan.steps[-2]
        assert (step.name, step.arcs, step.left_out) == ("twins", before.arcs, None)
        assert step.sources == plan.sources < 0.5 * before.sources
        assert step.work < 0.5 * before.work
        swept = []
        betweenness(BLOWN[False], **run, progress=lambda done, total: swept.append(total))
    assert swept[-1] == plan.sources


@pytest.mark.parametrize(
    ("measure", "asked", "reason"),
    [
        ("betweenness", {}, "fewer than 800 sources"),
        ("betweenness", {"weighted": True}, "lengths of edges differ"),
        ("betweenness", {"reduce": {"trees"}}, "left out by reduce"),
        ("closeness", {}, "distances are searched from many sources at once"),
    ],
    ids=str,
)
def test_why_twins_are_left_apart(measure, asked, reason, hasty):
    """In words."""
    A = BLOWN[False].astype(float)
    A.data[:5] = 3
    plan = explain(A, measure, device="cpu", sources=[0, 1], **asked)
    assert plan.steps[-1].left_out == reason


def test_the_rule_looks_at_the_graph_alone():
    """Enough sources to look for twins, and work enough that they save."""
    A = BLOWN[False]
    read = canonical(A, directed=False, ops_for=lambda entries: GraphOps())
    everyone = np.ones(read.n, dtype=bool)

    def merges(sources, saved, relative_throughput=1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(twins, "ENOUGH_SOURCES", sources)
            patch.setattr(twins, "LEAST_SAVED", saved)
            problem = reduce.reduced(
                *(read, everyone, everyone, {"prune", "trees", "twins"}),
                relative_throughput=relative_throughput,
            )
            return problem.twins is not None

    assert merges(100, 0.5)
    assert not merges(100, 0.9)
    assert not merges(read.n + 1, 0.5)
    assert not merges(100, 0.5, relative_throughput=10)


def test_short_searches_look_for_no_twins():
    """Within a cutoff of a deep graph, from more sources on."""
    for levels, times in ((3, 1), (40, twins.NEAR)):
        path = sp.diags_array(np.ones(levels), offsets=1, shape=(levels + 1, levels + 1))
        read = canonical(path, directed=False, ops_for=lambda entries: GraphOps())
        whole, within = (twins.enough(1, replace(read, cutoffs=far)) for far in ((), (2,)))
        assert within == times * whole
