"""What functions refuse: wrong values of every option that they take, by its name."""

import inspect
import itertools

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import matrix

import sparsebc
from sparsebc import (
    accessibility,
    adaptive_betweenness,
    approximate_betweenness,
    betweenness,
    bfs,
    centralities,
    closeness,
    dismantle,
    distance_summary,
    eccentricity,
    edge_betweenness,
    explain,
    group_betweenness,
    harmonic,
    io,
    nearest,
    percolation,
    prominent_group,
    shortest_paths,
    stress,
    temporal,
)
from sparsebc.communities import girvan_newman, partition
from sparsebc.errors import SparsebcError

PATH = sp.csr_array(np.eye(5, k=1))  # 0 -> 1 -> 2 -> 3 -> 4
CONTACTS = temporal.Contacts(range(4), range(1, 5), range(4))
NAN, INF, EMPTY = float("nan"), float("inf"), np.array([])
MASKED = np.ma.masked_equal([1, 2, 3, 4, 0], 3)
# Functions, and the arguments that each needs besides a graph.
NEEDED = {
    bfs: {"sources": [0]},
    shortest_paths: {"sources": [0]},
    centralities: {"names": ["betweenness", "stress"]},
    percolation: {"states": [1] * 5},
    group_betweenness: {"groups": [[0]]},
    prominent_group: {"size": 1},
    accessibility: {},
    nearest: {"places": [1] * 5},
    adaptive_betweenness: {"nodes": [1]},
    approximate_betweenness: {"epsilon": 0.1},
    temporal.arrival: {"sources": [0], "start": 0},
}
FUNCTIONS = [*NEEDED, betweenness, edge_betweenness, stress, closeness, harmonic, eccentricity]
FUNCTIONS += [dismantle, distance_summary, explain, girvan_newman, partition]
FUNCTIONS += [temporal.betweenness, temporal.closeness, temporal.reach]

# Values of each option that no function takes, by the error that names it.
T, V = TypeError, ValueError
FLAG = {T: (1, "no", None, EMPTY)}
NODES = {
    T: (1.5, [0, 1.0], [True, False], "01", ["a"]),
    V: (3, [[0, 1]], [[0], [1, 2]], [0, 5], [-1], MASKED),
}
CHOICE = {**NODES, V: (*NODES[V], [], EMPTY.astype(int), [2, 0, 2])}
WEIGHTS = {
    T: (list("abcde"), [True] * 5),
    V: (
        [1, 2],
        [1, 2, -3, 4, 5],
        [1, 2, NAN, 4, 5],
        [1, INF, 0, 4, 5],
        [0] * 5,
        MASKED,
        [[1], [1, 2]],
    ),
}
COUNT = {T: (2.0, True, "3"), V: (0, -1)}
SHARE = {T: ("0.1", True), V: (0, 1, -0.5, 1.5, NAN)}
ABOVE_0 = {T: ("5",), V: (0, INF, 10**400)}
PLACES = {
    T: (["a"] * 5,),
    V: (
        [1, 2],
        MASKED,
        np.ones((5, 0)),
        np.ones((5, 1, 1)),
        [1, -2, 0, 1, 1],
        [[1], [1], [NAN], [1], [1]],
    ),
}
WRONG = {
    **dict.fromkeys(["directed", "weighted", "normalized", "endpoints", "wf_improved"], FLAG),
    **dict.fromkeys(["reachable_only", "reciprocal", "recompute", "min_only"], FLAG),
    **dict.fromkeys(["sources", "targets", "candidates"], CHOICE),
    **dict.fromkeys(["source_weights", "target_weights", "states"], WEIGHTS),
    **dict.fromkeys(["workers", "memory_budget", "steps"], COUNT),
    **{key: {T: COUNT[T], V: (0, -2, 6)} for key in ["k", "size", "top", "parts"]},
    **dict.fromkeys(["W", "places"], PLACES),
    **dict.fromkeys(["epsilon", "delta"], SHARE),
    **dict.fromkeys(["c", "seconds"], ABOVE_0),
    "nodes": {**NODES, V: (*NODES[V], [])},
    "decay": {
        T: ("exponential", "linear", ("power", "2")),
        V: (
            ("exp", 1),
            ("linear", 0),
            ("gaussian", INF),
            ([], []),
            ([2, 2], [1, 1]),
            ([1, 2], [1, -1]),
            ([1, NAN], [1, 1]),
            ([[1]], [1]),
            ([1], [1e60]),
        ),
    },
    "demand": {
        T: ("trips", PATH * 1j),
        V: (
            sp.csr_array((4, 5)),
            sp.csr_array((5, 5)),
            sp.csr_array(np.eye(5)),
            -PATH,
            PATH * INF,
            PATH * 1e-60,
            io.Network(PATH, tuple("abcde")),
        ),
    },
    "samples": {V: ("pairs",)},
    "rng": {T: (1.5,), V: (-1,)},
    "device": {T: (0, {"cuda:0"}), V: ("gpu", "cuda:", [], ["cpu"]), RuntimeError: ("cuda:99",)},
    "dtype": {V: (np.int64, "half", "real", None)},
    "progress": {T: ("yes", 1)},
    "executor": {T: (4, "processes:4")},
    "retries": {T: (1.5, True), V: (-1, 2)},
    "checkpoint": {T: (3,), V: ("a\ud800", "a\0")},
    "tie_rtol": {T: ("0", None), V: (0.5, -1, NAN)},
    "reduce": {
        T: (None, True),
        V: ("some", "trees", {"tree"}, [["trees"]], {"-trees"}, "all,-some"),
    },
    "direction": {V: ("up", EMPTY)},
    "cutoff": {T: ("5", True, [1, None]), V: (-1, [1, NAN], [], [[1, 2]], [[1], [1, 2]])},
    "names": {T: ("stress", 3, [1]), V: ([], ["fame"], ["stress"] * 2)},
    "measure": {T: (3,), V: ("rank",)},
    "groups": {
        T: ([0, 1], "ab", 3, np.array(3), itertools.repeat([0]), [[0.5]]),
        V: ([], [[0], []], [[7]], [[1, 1]], [[0], [1, 2, 3, 4]]),
    },
    "by": {V: ("degree",)},
    "kind": {V: ("foremost", "fastest", "longest", EMPTY)},
    "wait": {T: ("1",), V: (-1, NAN)},
    "start": {T: ("1",), V: (NAN,)},
}


def options_of(function):
    """Names of all options that a function takes, those of a run included."""
    parameters = inspect.signature(function).parameters
    run = [p.annotation for p in parameters.values() if p.kind is p.VAR_KEYWORD]
    more = [getattr(sparsebc, text.removeprefix("Unpack[")[:-1]).__annotations__ for text in run]
    return [*parameters, *(name for each in more for name in each)]


def graph_for(function):
    """A path, or contacts along it."""
    return CONTACTS if function.__module__.startswith("sparsebc.temporal") else PATH


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_wrong_values(function):
    """Each by an error of ours that names the option."""
    graph, options = graph_for(function), options_of(function)
    for option in options:
        given = dict(NEEDED.get(function, {}))
        if option == "rng" and "k" in options:
            given["k"] = 2
        wrong = WRONG.get(option, {})
        if wrong is CHOICE and function in (bfs, shortest_paths):
            one = option == "sources"  # stands for itself
            wrong = {**NODES, V: NODES[V][one:]}
        elif wrong is CHOICE and option in given:
            wrong = NODES
        if (function, option) == (nearest, "k"):
            wrong = COUNT
        for error, values in wrong.items():
            for value in values:
                with pytest.raises(error, match=rf"\b{option}\b") as caught:
                    function(graph, **{**given, option: value})
                assert isinstance(caught.value, SparsebcError), (option, value)
                assert caught.value.option in ("", option), (option, value)
    with pytest.raises(TypeError, match=r"'worker'.* \(did you mean 'workers'\?\)"):
        function(graph, **NEEDED.get(function, {}), worker=2)


EPSILON, NARROW = {"epsilon": 0.1}, {"dtype": np.float32}
BY_PATHS = {**EPSILON, "samples": "paths"}
TOGETHER = [
    # function, arguments, error, what it names
    (betweenness, {"source_weights": [1e-18, *[1] * 4]}, V, "source_weights"),
    (betweenness, {"source_weights": [1e-120, *[0] * 4]}, V, "source_weights"),
    (betweenness, {"source_weights": [2e200] * 5}, V, "source_weights"),
    (betweenness, {"source_weights": [1] * 5, "k": 2}, V, "source_weights"),
    (betweenness, {"target_weights": [1] * 5, "k": 2}, V, "target_weights"),
    (betweenness, {"k": 2, "sources": [0]}, V, "sources"),
    (betweenness, {"k": 2, "targets": [0]}, V, "targets"),
    (betweenness, {"k": 2, "demand": PATH}, V, "demand"),
    (betweenness, {"demand": PATH, **NARROW}, V, "demand"),
    (betweenness, {"decay": ("power", 1), **NARROW}, V, "decay"),
    (betweenness, {"rng": 5}, V, "rng"),
    (betweenness, {"rng": 5, "k": [0, 1]}, V, "rng"),
    (betweenness, {"k": [0, 0]}, V, "k"),
    (betweenness, {"k": []}, V, "k"),
    (betweenness, {"tie_rtol": 0}, V, "tie_rtol"),
    (betweenness, {"batch_size": 64}, T, "batch_size"),
    (betweenness, {"demand": PATH, "memory_budget": 1000}, MemoryError, "memory_budget"),
    (closeness, {"source_weights": np.ones(5)}, T, "source_weights"),
    (centralities, {"names": ["stress"], "endpoints": True}, V, "endpoints"),
    (centralities, {"names": ["closeness"], "decay": ("power", 1)}, V, "decay"),
    (centralities, {"names": ["betweenness", "harmonic"], "targets": [1]}, V, "targets"),
    (centralities, {"names": ["closeness"], "source_weights": [1]}, V, "source_weights"),
    (centralities, {"names": ["eccentricity"], "target_weights": [1]}, V, "target_weights"),
    (stress, {"normalized": True}, T, "normalized"),
    (edge_betweenness, {"endpoints": True}, T, "endpoints"),
    (percolation, {"states": [1] * 5, "normalized": False}, T, "normalized"),
    (percolation, {"states": [1] * 5, "cutoff": 2}, T, "cutoff"),
    (percolation, {"states": [1e-18, *[1] * 4]}, V, "states"),
    (bfs, {"sources": [0], "reduce": "none"}, T, "reduce"),
    (bfs, {"sources": [0], "cutoff": [1, 2]}, V, "cutoff"),
    (distance_summary, {"width": 2}, V, "width"),
    (distance_summary, {"width": 1e-9, "weighted": True}, V, "width"),
    (group_betweenness, {"groups": [[0]], "reduce": "none"}, T, "reduce"),
    (group_betweenness, {"groups": [[0]], **NARROW}, T, "dtype"),
    (group_betweenness, {"groups": [[0]], "memory_budget": 1000}, MemoryError, "memory_budget"),
    (prominent_group, {"size": 2, "candidates": [1]}, V, "size"),
    (prominent_group, {"size": 1, "checkpoint": "x"}, T, "checkpoint"),
    (approximate_betweenness, {"epsilon": None}, T, "epsilon"),
    (approximate_betweenness, {**EPSILON, "delta": 1e-300}, V, "delta"),
    (approximate_betweenness, {**EPSILON, "cutoff": 3}, T, "cutoff"),
    (approximate_betweenness, {**BY_PATHS, "device": "reference"}, V, "device"),
    (approximate_betweenness, {**BY_PATHS, "device": "cuda", "weighted": True}, V, "device"),
    (explain, {"measure": "closeness", "targets": [1]}, V, "targets"),
    (explain, {"measure": "stress", "endpoints": True}, V, "endpoints"),
    (temporal.betweenness, {"memory_budget": 10}, MemoryError, "memory_budget"),
    (temporal.betweenness, {"checkpoint": "x"}, T, "checkpoint"),
]


@pytest.mark.parametrize("row", TOGETHER, ids=lambda row: f"{row[0].__name__} {row[1]}")
def test_options_that_do_not_go_together(row):
    """Nor with the function that they are given to."""
    function, options, error, named = row
    with pytest.raises(error, match=rf"\b{named}\b"):
        function(graph_for(function), **options)


def test_options_are_keywords():
    """A second positional argument has no meaning of its own."""
    with pytest.raises(TypeError, match="positional"):
        betweenness(PATH, False)


@pytest.mark.parametrize("options", [{"k": 1}, {"sources": [0]}, {"targets": [0]}], ids=str)
def test_nothing_to_choose_from(options):
    """A graph without nodes says so, not that 0 lies outside 0..-1."""
    with pytest.raises(ValueError, match=r"A has no nodes.*leave \w+ out"):
        betweenness(sp.csr_array((0, 0)), **options)


def test_states_of_what_is_no_graph():
    """The graph is refused, as by `betweenness`; states of a tuple of arrays are theirs."""
    for A, error in (("graph", TypeError), ((), ValueError), (np.array(5), ValueError)):
        with pytest.raises(error, match=r"A as a tuple|A must be"):
            percolation(A, [1, 2])
    with pytest.raises(ValueError, match=r"states must hold a number for each of the 5 nodes"):
        percolation((PATH.indptr, PATH.indices, 5), [1, 2])


def test_a_plan_without_a_budget(monkeypatch):
    """80% of what is free; it says so where that is too little."""
    monkeypatch.setattr("sparsebc.engines.cpu.engine.free_memory", lambda: 2000)
    for measure in (closeness, betweenness):
        with pytest.raises(MemoryError, match="80% of the free memory is 1600: free some memory"):
            measure(matrix(nx.cycle_graph(300)), device="cpu")


@pytest.mark.parametrize("function", [temporal.betweenness, temporal.closeness])
def test_a_matrix_has_no_times(function):
    with pytest.raises(TypeError, match=r"contacts must be .*Contacts, got csr_array"):
        function(PATH)
