"""Sources with the same neighbours are swept once: which they are, and when that pays."""

import functools
from dataclasses import replace

import networkx as nx
import numpy as np
import oracle
import pytest
import scipy.sparse as sp
from conformance.knobs import turned
from graphs import matrix
from hypothesis import example, given
from hypothesis import strategies as st

from sparsebc import betweenness, edge_betweenness, explain
from sparsebc.engines import devices
from sparsebc.matrix.ops import GraphOps
from sparsebc.matrix.read_matrix import canonical
from sparsebc.reduce import reduce, twins
from sparsebc.sweep import options, sweep
from sparsebc.sweep.fingerprint import Question
from sparsebc.testing import matrices, patterns

# Merge sources however few they are, and whether that saves work or not.
eager = functools.partial(turned, ["twins"], on_gpu=False)


def exchangeable(arcs, u, v):
    """Whether exchanging two nodes leaves a set of arcs as it is."""
    other = {u: v, v: u}
    return {(other.get(i, i), other.get(j, j)) for i, j in arcs} == arcs


def prepared(A, directed, device, **weights):
    """The problem that an engine is given."""
    engine = devices.select(device)
    with engine.here():
        graph = canonical(A, directed=directed, ops_for=engine.ops_for)
        question = Question(graph, *weights.values(), ["betweenness"], False)
        return sweep.prepared(engine, question, options.Run(reduce=frozenset({"twins"})))[0]


@given(matrices(max_nodes=7, duplicates=False, self_loops=False), st.booleans(), st.data())
def test_twins_are_those_that_can_be_exchanged(fast_device, A, directed, data):
    """All of them, and no others: sources of equal weight as targets, if they are targets."""
    A = sp.coo_array(A)
    n = A.shape[0]
    weights = st.lists(st.sampled_from([0, 1, 1, 2]), min_size=n, max_size=n)
    alpha, omega = data.draw(weights), data.draw(weights)
    with eager():
        problem = prepared(
            *(A, directed, fast_device), alpha=np.array(alpha, int), omega=np.array(omega, int)
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
    leader = np.arange(problem.graph.n) if problem.twins is None else problem.twins.leader
    classes = [set(problem.nodes[leader == row].tolist()) for row in np.unique(leader)]
    assert {one for one in want if len(one) > 1} == {
        frozenset(one) for one in classes if len(one) > 1
    }
    swept = set(problem.nodes[problem.sources].tolist())
    assert swept <= set(starts)
    assert all(len(one & swept) == 1 for one in want)


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
    given = {"directed": directed, "alpha": alpha, "omega": omega}
    pairs = 1 if directed else 2
    want = [x / pairs for x in oracle.raw(n, arcs, endpoints=endpoints, **given)]
    along = {arc: x / pairs for arc, x in oracle.raw_edges(n, arcs, **given).items()}
    ask = {"source_weights": alpha, "target_weights": omega, "directed": directed}
    ask |= {"normalized": False, "device": fast_device}
    for steps in ("all", "none") if n else ():
        with eager():
            got = betweenness(A, endpoints=endpoints, reduce=steps, **ask)
            edges = edge_betweenness(A, reduce=steps, **ask).todok()
        np.testing.assert_allclose(got, np.array(want, dtype=float), rtol=1e-11)
        for arc, value in along.items():
            assert edges[arc] == pytest.approx(float(value), rel=1e-11, abs=0)


# Three classes, of 5, 40 and 80 nodes.
CLASSES = matrix(nx.complete_multipartite_graph(5, 40, 80)).astype(float)


def test_a_plan_says_what_twins_save():
    """The last step: as many arcs, fewer sources."""
    run, swept = {"directed": False, "device": "cpu"}, []
    with eager():
        plan = explain(CLASSES, **run)
        betweenness(CLASSES, **run, progress=lambda done, total: swept.append(total))
    before, step = plan.steps[-2:]
    assert (step.name, step.arcs, step.left_out) == ("twins", before.arcs, None)
    assert step.sources == plan.sources == swept[-1] == 3
    assert step.work < 0.1 * before.work


@pytest.mark.parametrize(
    ("measure", "asked", "reason"),
    [
        ("betweenness", {}, "fewer than 800 sources"),
        ("betweenness", {"weighted": True}, "lengths of edges differ"),
        ("betweenness", {"reduce": {"trees"}}, "left out by reduce"),
        ("closeness", {}, "searches in batches save more than twins"),
    ],
    ids=str,
)
def test_why_twins_are_left_apart(measure, asked, reason):
    """In words."""
    A = CLASSES.copy()
    A.data[:5] = 3
    plan = explain(A, measure, device="cpu", sources=[0, 1], **asked)
    assert plan.steps[-1].left_out == reason


def test_the_rule_looks_at_the_graph_alone(monkeypatch):
    """Enough sources to look for twins, and work enough that they save: here 122 of 125."""
    read = canonical(CLASSES, directed=False, ops_for=lambda entries: GraphOps())
    everyone = np.ones(read.n, dtype=bool)
    for sources, saved, throughput, merged in (
        *((125, 0.97, 1, True), (126, 0.97, 1, False), (125, 0.98, 1, False)),
        (125, 0.97, 10, False),
    ):
        monkeypatch.setattr(twins, "ENOUGH_SOURCES", sources)
        monkeypatch.setattr(twins, "LEAST_SAVED", saved)
        problem = reduce.reduced(
            *(read, everyone, everyone, {"twins"}), relative_throughput=throughput
        )
        assert (problem.twins is not None) == merged, (sources, saved, throughput)


def test_short_searches_look_for_no_twins():
    """Within a cutoff of a deep graph, from more sources on."""
    for levels, times in ((3, 1), (40, twins.NEAR)):
        path = sp.diags_array(np.ones(levels), offsets=1, shape=(levels + 1, levels + 1))
        read = canonical(path, directed=False, ops_for=lambda entries: GraphOps())
        whole, within = (twins.enough(1, replace(read, cutoffs=far)) for far in ((), (2,)))
        assert within == times * whole
