"""Sources with the same neighbours are swept once: which they are, and when that pays."""

import functools
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conformance.knobs import turned
from graphs import matrix
from hypothesis import given
from hypothesis import strategies as st

from sparsebc import betweenness, edge_betweenness, explain
from sparsebc.engines import devices
from sparsebc.graph.ops import GraphOps
from sparsebc.graph.read_matrix import canonical
from sparsebc.measures import runtime_estimate
from sparsebc.reduce import reduce, twins
from sparsebc.run import options, sweep
from sparsebc.run.fingerprint import Question
from sparsebc.testing import matrices

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


# Three classes, of 5, 40 and 80 nodes.
CLASSES = matrix(nx.complete_multipartite_graph(5, 40, 80)).astype(float)


@pytest.fixture
def hasty(monkeypatch):
    """Few blocks are timed: how long is no matter here."""
    monkeypatch.setattr(runtime_estimate, "ENOUGH", 0.0)


def test_a_plan_says_what_twins_save(hasty):
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
def test_why_twins_are_left_apart(measure, asked, reason, hasty):
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
