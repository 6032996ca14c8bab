"""The plan is that of the call it stands for."""

import json
import time

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conformance.drawing import small_questions
from conformance.knobs import turned
from graphs import ASSEMBLED, matrix
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsebc
from sparsebc import Plan, Step, datasets, explain
from sparsebc.sweep.options import REDUCTIONS

KARATE = datasets.load("karate")[0]
MEASURES = ("betweenness", "edge_betweenness", "stress", "closeness", "harmonic", "eccentricity")
QUICK = {"device": "cpu", "workers": 1}


@pytest.fixture(autouse=True)
def given_rate(monkeypatch):
    """A rate that no call measures, which takes a second or two."""
    monkeypatch.setattr("sparsebc.explaining._rate", lambda *_, **__: 1e6)


def swept(measure, A, **options):
    """How many sources a call sweeps in all."""
    seen = []
    getattr(sparsebc, measure)(A, progress=lambda done, total: seen.append(total), **options)
    return seen[-1] if seen else 0


@settings(max_examples=15)
@given(
    small_questions(),
    st.sampled_from(MEASURES),
    st.sampled_from(["all", {"trees"}, {"blocks"}, {"prune", "trees"}, "none"]),
)
def test_a_plan_has_the_sources_that_the_call_sweeps(question, measure, reduce):
    """The sources that the call sweeps are those of the plan, whatever is asked."""
    A, is_weighted, options = question
    if measure in MEASURES[3:]:
        options.pop("targets", None)
    options |= {"weighted": is_weighted, "reduce": reduce, **QUICK}
    with turned(["blocks of distances"], on_gpu=False):
        plan = explain(A, measure, **options)
        assert plan.sources == swept(measure, A, **options)
    assert (plan.measure, plan.device, plan.nodes) == (measure, "cpu", A.shape[0])
    given_, *steps = plan.steps
    assert given_.work == given_.sources * given_.arcs
    assert [step.name for step in steps] == ["prune", "trees", "blocks", "chains", "twins"]
    for before, step in zip(plan.steps, steps, strict=False):
        if step.left_out is not None:
            assert (step.arcs, step.sources) == (before.arcs, before.sources)
    wanted = {"all": set(REDUCTIONS), "none": set()}.get(str(reduce), reduce)
    used = {step.name for step in steps if step.left_out is None}
    assert used <= set(wanted)
    with turned(["blocks of distances"], on_gpu=False):  # and no other reduction has an effect
        assert swept(measure, A, **options | {"reduce": used}) == plan.sources


@pytest.mark.parametrize(("measure", "sources"), [("closeness", 1), ("eccentricity", 5)])
def test_distances_are_planned_in_their_direction(measure, sources):
    """Of a star whose arcs lead out, closeness searches from the centre, eccentricity to it."""
    star = sp.csr_array((np.ones(5), (np.zeros(5, int), np.arange(1, 6))), shape=(6, 6))
    assert explain(star, measure, **QUICK).sources == sources == swept(measure, star, **QUICK)


def test_each_step_has_the_size_that_is_left():
    """Nodes, arcs and sources; work counts each block within its own arcs."""
    graph = nx.disjoint_union(nx.cycle_graph(150), nx.complete_graph(4))
    graph.add_edges_from([(0, 150), (1, 200)])
    plan = explain(matrix(graph), directed=False, **QUICK)
    rows = {step.name: (step.nodes, step.arcs, step.sources, step.work) for step in plan.steps}
    assert rows["given"] == (155, 316, 155, 155 * 316)
    assert rows["trees"] == (154, 314, 154, 154 * 314)
    assert rows["blocks"] == (154, 312, 154, 150 * 300 + 4 * 12)
    assert (plan.components, plan.levels, plan.arcs) == (1, 76, 316)


def test_a_node_that_carries_a_tree_is_not_searched_from():
    """The distances from it are known once the other nodes of its cycle are searched from."""
    graph = nx.path_graph(2)
    nx.add_cycle(graph, range(1, 9))
    how = {"directed": False, "reduce": {"trees"}, **QUICK}
    with turned(["blocks of distances"], on_gpu=False):
        assert explain(matrix(graph), "closeness", **how).sources == 7


@pytest.mark.parametrize("measure", MEASURES)
def test_a_plan_tells_kernels_batches_and_memory(measure):
    """Kernels by edges or by length, groups that hold the sources, memory below the budget."""
    plan = explain(ASSEMBLED["one large block"], measure, directed=False, **QUICK)
    assert plan.sources <= plan.groups * plan.width
    assert 0 < plan.blocks <= plan.groups
    assert plan.workers == 1
    assert plan.memory > 0
    by_length = explain(ASSEMBLED["chain"], measure, weighted=True, k=9, rng=1, **QUICK)
    assert all("weighted" in file or "sssp" in file for file in by_length.kernels) is (
        by_length.by_length
    )
    with pytest.raises(MemoryError, match="memory_budget"):
        explain(ASSEMBLED["one large block"], measure, memory_budget=100, **QUICK)


@pytest.mark.parametrize("measure", ["betweenness", "closeness"])
def test_nothing_to_sweep_needs_no_memory(measure, caplog):
    """Without edges, or once trees are folded, as the call does."""
    empty, star = sp.csr_array((5, 5)), sp.csr_array(([1] * 299, ([0] * 299, range(1, 300))))
    star.resize(300, 300)
    for A in (empty, star) if measure == "betweenness" else (empty,):
        how = {"directed": False, "memory_budget": 1, **QUICK}
        getattr(sparsebc, measure)(A, **how)
        plan = explain(A, measure, **how)
        assert (plan.blocks, plan.workers, plan.memory) == (0, 0, 0)
    assert "chains are left out" not in caplog.text


@pytest.mark.long
@pytest.mark.parametrize("measure", ["betweenness", "closeness"])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["human-proteins", "roxel-streets"])
def test_seconds_are_rough(monkeypatch, measure, weighted, name):
    """Three times as long or as short, and room for what else the machine does."""
    monkeypatch.undo()
    A, options = datasets.load(name)[0], {"directed": False, "weighted": weighted, **QUICK}
    getattr(sparsebc, measure)(A, **options)
    begun = time.monotonic()
    getattr(sparsebc, measure)(A, **options)
    took = time.monotonic() - begun
    assert 0.1 < (explain(A, measure, **options).seconds + 0.02) / (took + 0.02) < 10


def test_a_plan_is_printed():
    """As a table, and as JSON."""
    plan = explain(KARATE, directed=False, **QUICK)
    assert isinstance(plan, Plan)
    assert all(isinstance(step, Step) for step in plan.steps)
    text = str(plan)
    assert text.startswith("betweenness on cpu\ngraph         34 nodes, 156 arcs, undirected")
    for word in ("trees", "fewer than 128 sources", "brandes_batch.py", "time          about "):
        assert word in text
    assert "\nbatches " in text
    record = json.loads(json.dumps(plan.to_dict()))
    assert record["steps"][2]["nodes"] == 33
    assert record["seconds"] == plan.seconds
    assert "at most about" in str(explain(KARATE, cutoff=2, **QUICK))


@pytest.mark.gpu
@pytest.mark.parametrize("measure", MEASURES)
def test_a_plan_on_a_gpu_has_the_sources_of_the_call(monkeypatch, measure):
    """The same plan but for what pays there, with a rate of that device."""
    monkeypatch.undo()
    A = ASSEMBLED["one large block"]
    plan = explain(A, measure, directed=False, device="cuda")
    assert plan.sources == swept(measure, A, directed=False, device="cuda")
    assert plan.seconds > 0
    assert all(file.startswith(("cuda/", "cpu/")) for file in plan.kernels)
