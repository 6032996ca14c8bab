"""What functions refuse: wrong values of every option that they take, with the way out."""

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
    eccentricity,
    edge_betweenness,
    explain,
    group_betweenness,
    harmonic,
    nearest,
    percolation,
    prominent_group,
    shortest_paths,
    stress,
    temporal,
)
from sparsebc.communities import girvan_newman, partition

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
FUNCTIONS += [dismantle, explain, girvan_newman, partition]
FUNCTIONS += [temporal.betweenness, temporal.closeness, temporal.reach]
FLAGS = ["directed", "weighted", "normalized", "endpoints", "wf_improved", "reachable_only"]
FLAGS += ["reciprocal", "recompute"]
FLAG = [
    (value, TypeError, f"must be True or False, got {value!r}") for value in (1, "no", None, EMPTY)
]
NODES = [
    # value, error, words of the message beside the name of the option
    (1.5, TypeError, "got 1.5", "ints"),
    ([0, 1.0], TypeError, "got [0, 1.0]", "ints"),
    ([True, False], TypeError, "booleans", "numpy.flatnonzero"),
    ("01", TypeError, "got '01'", "ints"),
    (["a"], TypeError, "got ['a']", "ints"),
    (3, ValueError, "0 dimensions", "in a list"),
    ([[0, 1]], ValueError, "2 dimensions", "one-dimensional"),
    ([[0], [1, 2]], ValueError, "one-dimensional", "unequal"),
    ([0, 5], ValueError, "must lie in 0..4, got 5"),
    ([-1], ValueError, "must lie in 0..4, got -1"),
    (MASKED, ValueError, "has masked values"),
]
NONE = [(nodes, ValueError, "is empty") for nodes in ([], np.array([], dtype=np.int64))]
TWICE = [([2, 0, 2], ValueError, "node 2 more than once", "numpy.unique")]
WEIGHTS = [
    ([1, 2], ValueError, "5 nodes", "(2,)"),
    ([1, 2, -3, 4, 5], ValueError, "-3", "node 2"),
    ([1, 2, NAN, 4, 5], ValueError, "nan for"),
    ([1, INF, 0, 4, 5], ValueError, "inf for"),
    ([0] * 5, ValueError, "all zero"),
    (MASKED, ValueError, "has masked values", ".filled(0)"),
    (list("abcde"), TypeError, "number"),
    ([True] * 5, TypeError, "number"),
    ([[1], [1, 2]], ValueError, "unequal"),
]
SHARE = [
    *((value, ValueError, f"between 0 and 1, got {value}") for value in (0, 1, -0.5, 1.5, NAN)),
    *((value, TypeError, repr(value), "number") for value in ("0.1", True)),
]
NUMBER = [(2.0, TypeError, "2.0", "int"), (True, TypeError, "True", "int"), ("3", TypeError, "int")]
ABOVE_0 = [(0, ValueError, "above 0", "got 0"), (INF, ValueError, "finite", "got inf")]
ABOVE_0 += [("5", TypeError, "'5'", "number"), (10**400, ValueError, "finite", "got 1000")]
COUNT = [*NUMBER, *((value, ValueError, f"at least 1, got {value}") for value in (0, -1))]
PLACES = [
    ([1, 2], ValueError, "must hold a number for each of the 5 nodes"),
    (MASKED, ValueError, "has masked values"),
    (np.ones((5, 0)), ValueError, "got shape (5, 0)"),
    (np.ones((5, 1, 1)), ValueError, "got shape (5, 1, 1)"),
    ([1, -2, 0, 1, 1], ValueError, "must lie in 0..1e+100, got -2.0 for node 1"),
    ([[1], [1], [NAN], [1], [1]], ValueError, "got nan for node 2"),
    (["a"] * 5, TypeError, "must hold a number for each node"),
]
WITHIN = [*NUMBER, *((value, ValueError, "1..", "5", f"got {value}") for value in (0, -2, 6))]
WRONG = {
    **dict.fromkeys(FLAGS, FLAG),
    **dict.fromkeys(["sources", "targets", "nodes", "candidates"], NODES),
    **dict.fromkeys(["source_weights", "target_weights", "states"], WEIGHTS),
    **dict.fromkeys(["workers", "memory_budget"], COUNT),
    **dict.fromkeys(["k", "size", "top", "parts"], WITHIN),
    (nearest, "k"): COUNT,
    **dict.fromkeys(["W", "places"], PLACES),
    (accessibility, "decay"): [
        (("exponential", 0), ValueError, "must be a finite number above 0"),
        ("linear", TypeError, "must be ('exponential', beta)"),
    ],
    (approximate_betweenness, "samples"): [
        ("pairs", ValueError, "must be 'sources' or 'paths', got 'pairs'")
    ],
    **dict.fromkeys(["epsilon", "delta"], SHARE),
    "rng": [(-1, ValueError, "got -1", "seed"), (1.5, TypeError, "got 1.5", "seed")],
    "device": [
        ("gpu", ValueError, "got 'gpu'", "'cpu'"),
        ("cuda:", ValueError, "'cuda:'", "'cpu'", "'cuda:0'"),
        ("cuda:99", RuntimeError, "device 'cuda:99' is not available"),
        (0, TypeError, "got 0", "'cpu'"),
    ],
    "dtype": [
        (value, ValueError, word, "numpy.float64 or numpy.float32")
        for value, word in ((np.int64, "int64"), ("half", "'half'"), ("real", ""), (None, "None"))
    ],
    "progress": [(value, TypeError, f"got {value!r}", "callable") for value in ("yes", 1)],
    "executor": [
        (4, TypeError, "must be a concurrent.futures.Executor, a distr"),
        ("processes:4", TypeError, "got 'processes:4'"),
    ],
    "retries": [
        (-1, ValueError, "must be at least 0, got -1"),
        (2, ValueError, "retries=2 has an effect only with executor: leave it out"),
        *((value, TypeError, f"must be an int from 0 on, got {value}") for value in (1.5, True)),
    ],
    "checkpoint": [
        (3, TypeError, "must be the name of a"),
        ("a\ud800", ValueError, "'a\\ud800' cannot name a directory"),
        ("a\0", ValueError, "'a\\x00' cannot name a directory"),
    ],
    "tie_rtol": [(0.5, ValueError, "0.5")],
    "direction": [(value, ValueError, "must be 'in' or 'out', got") for value in ("up", EMPTY)],
    "cutoff": [
        (-1, ValueError, "-1", "leave it out"),
        ([1, NAN], ValueError, "nan", "numpy.inf"),
        ([], ValueError, "empty"),
        ([[1, 2]], ValueError, "2 dimensions"),
        ([[1], [1, 2]], ValueError, "unequal"),
        ("5", TypeError, "'5'", "number"),
        (True, TypeError, "True", "number"),
        ([1, None], TypeError, "number"),
    ],
    **dict.fromkeys(["c", "seconds"], ABOVE_0),
    "names": [
        ("stress", TypeError, "must be a list of names, got 'stress'"),
        (3, TypeError, "must be a list of names, got 3"),
        ([], ValueError, "is empty: list some of betweenness, edge_betw"),
        ([1], TypeError, "must hold strs, got 1"),
        (["fame"], ValueError, "must be among betweenness, ", "got 'fame'"),
        (["stress"] * 2, ValueError, "holds 'stress' more than once"),
    ],
    "measure": [
        ("rank", ValueError, "must be among betweenness, ", "got 'rank'"),
        (3, TypeError, "must hold strs, got 3"),
    ],
    "groups": [
        ([0, 1], TypeError, "[0] is 0, not a list of nodes", "use [group]"),
        ("ab", TypeError, "must be a list of lists of nodes, got 'ab'"),
        (3, TypeError, "must be a list of lists of nodes, got 3"),
        (np.array(3), TypeError, "must be a list of lists of nodes, got array(3)"),
        (itertools.repeat([0]), TypeError, "must be a list of lists of nodes, got repeat([0])"),
        ([], ValueError, "is empty: list at least one group"),
        ([[0], []], ValueError, "[1] is empty"),
        ([[0.5]], TypeError, "[0] must hold node numbers"),
        ([[7]], ValueError, "[0] must lie in 0..4, got 7"),
        ([[1, 1]], ValueError, "[0] names node 1 more than once"),
        ([[0], [1, 2, 3, 4]], ValueError, "[1] leaves 1 of 5 nodes"),
    ],
    "by": [("degree", ValueError, "must be 'betweenness' or 'edge_betweenness', got")],
    "steps": [*COUNT[:3], (0, ValueError, "must be at least 1, got 0")],
    "kind": [
        ("foremost", ValueError, "='foremost' is refused: to count foremost walks"),
        ("fastest", ValueError, "#P-hard"),
        ("longest", ValueError, "must be 'shortest' or 'shortest foremost'"),
        (EMPTY, ValueError, "must be 'shortest' or 'shortest foremost'"),
    ],
    "wait": [
        (-1, ValueError, "must not be negative or NaN, got -1"),
        (NAN, ValueError, "must not be negative or NaN"),
        ("1", TypeError, "must be a number or None"),
    ],
    "start": [(NAN, ValueError, "must not be NaN"), ("1", TypeError, "must be a number")],
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
    """Of each option: the message names it, the value, and the way out."""
    graph, options = graph_for(function), options_of(function)
    for option in options:
        given = dict(NEEDED.get(function, {}))
        if option == "rng" and "k" in options:
            given["k"] = 2
        wrong = WRONG.get((function, option), WRONG.get(option, []))
        if wrong is NODES and option not in NEEDED.get(function, ()):
            wrong = [*NODES, *NONE, *TWICE]
        for value, error, *words in wrong:
            with pytest.raises(error) as caught:
                function(graph, **{**given, option: value})
            for word in (option, *words):
                assert word in str(caught.value), (option, value)
    with pytest.raises(TypeError, match=r"'worker'.* \(did you mean 'workers'\?\)"):
        function(graph, **NEEDED.get(function, {}), worker=2)


EPSILON = {"epsilon": 0.1}
GROUP = {"groups": [[0]], "device": "cpu"}
TOGETHER = [
    # function, arguments, error, words of the message
    (betweenness, {"source_weights": [1e-18, *[1] * 4]}, ValueError, "source_weights", "1e-18"),
    (betweenness, {"source_weights": [1e-120, *[0] * 4]}, ValueError, "source_weights", "factor"),
    (betweenness, {"source_weights": [1] * 5, "k": 2}, ValueError, "k=2", "source_weights"),
    (betweenness, {"target_weights": [1] * 5, "k": 2}, ValueError, "k=2", "target_weights"),
    (betweenness, {"k": 2, "sources": [0]}, ValueError, "k=2", "sources", "leave out"),
    (betweenness, {"k": 2, "targets": [0]}, ValueError, "k=2", "targets", "leave out"),
    (betweenness, {"rng": 5}, ValueError, "rng=5", "leave it out", "give k"),
    (betweenness, {"batch_size": 64}, TypeError, "'batch_size'", "memory_budget, reduce"),
    (betweenness, {"memory_budget": 1e9}, TypeError, "memory_budget", "got 1000000000.0", "int"),
    (closeness, {"source_weights": np.ones(5)}, TypeError, "source_weights"),
    (centralities, {"names": ["stress"], "endpoints": True}, ValueError,
     "endpoints=True has an effect only on 'betweenness'"),
    *(
        (centralities, {"names": ["betweenness", name], option: [1]}, ValueError,
         f"{option} have no effect on {name!r}")
        for name, option in (("harmonic", "targets"), ("closeness", "source_weights"),
                             ("eccentricity", "target_weights"))
    ),
    (stress, {"normalized": True}, TypeError, "unknown option 'normalized'; run options are"),
    (edge_betweenness, {"endpoints": True}, TypeError, "unknown option 'endpoints'"),
    (percolation, {"states": [1] * 5, "normalized": False}, TypeError, "option 'normalized'"),
    (percolation, {"states": [1] * 5, "cutoff": 2}, TypeError, "unknown option 'cutoff'"),
    (percolation, {"states": [1e-18, *[1] * 4]}, ValueError, "states must not differ so much"),
    (percolation, {"states": [0] * 5}, ValueError, "states are all zero", "give some node a"),
    (betweenness, {"source_weights": [2e200] * 5}, ValueError, "got 2e+200 and 2e+200: divide"),
    (group_betweenness, {**GROUP, "reduce": "none"}, TypeError, "unknown option 'reduce'"),
    (group_betweenness, {**GROUP, "dtype": np.float32}, TypeError, "unknown option 'dtype'"),
    (group_betweenness, {**GROUP, "memory_budget": 1000}, MemoryError,
     "one batch of 1 source on 5 nodes needs"),
    (prominent_group, {"size": 2, "candidates": [1]}, ValueError, "size must lie in 1..1, the "),
    (prominent_group, {"size": 1, "checkpoint": "x"}, TypeError, "unknown option 'checkpoint'"),
    (girvan_newman, {"directed": False}, TypeError, "'directed'", "edge both ways", "leave it out"),
    (adaptive_betweenness, {"nodes": []}, ValueError, "nodes is empty"),
    (approximate_betweenness, {"epsilon": None, "top": 3}, TypeError, "beside top=3", "epsilon="),
    (approximate_betweenness, {**EPSILON, "delta": 1e-300}, ValueError, "at least 1e-100, got"),
    (approximate_betweenness, {"epsilon": None}, TypeError, "epsilon or seconds", "seconds=60"),
    (approximate_betweenness, {**EPSILON, "cutoff": 3}, TypeError, "cutoff=3 ", "A, cutoff=..., k"),
    (approximate_betweenness, {**EPSILON, "samples": "paths", "device": "reference"}, ValueError,
     "device='reference' draws no paths"),
    (approximate_betweenness,
     {**EPSILON, "samples": "paths", "device": "cuda", "weighted": True}, ValueError,
     "device='cuda' draws no paths by length", "leave it out"),
    (explain, {"measure": "closeness", "targets": [1]}, ValueError, "targets have no effect on"),
    (explain, {"measure": "stress", "endpoints": True}, ValueError, "an effect only on 'betweenn"),
    (temporal.betweenness, {"memory_budget": 10}, MemoryError, "memory_budget", " bytes"),
    (temporal.betweenness, {"checkpoint": "x"}, TypeError, "unknown option 'checkpoint'"),
]  # fmt: skip


@pytest.mark.parametrize("row", TOGETHER, ids=lambda row: f"{row[0].__name__} {row[1]}")
def test_options_that_do_not_go_together(row):
    """Nor with the function that they are given to."""
    function, options, error, *words = row
    with pytest.raises(error) as caught:
        function(graph_for(function), **options)
    for word in words:
        assert word in str(caught.value)


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
