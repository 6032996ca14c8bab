"""What measures refuse: the message names the argument, the value and the way out."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import matrix

from sparsebc import (
    adaptive_betweenness,
    approximate_betweenness,
    betweenness,
    centralities,
    closeness,
    dismantle,
    eccentricity,
    edge_betweenness,
    explain,
    group_betweenness,
    harmonic,
    percolation,
    prominent_group,
    stress,
)
from sparsebc.communities import girvan_newman

PATH = sp.csr_array(np.eye(5, k=1))  # 0 -> 1 -> 2 -> 3 -> 4
NAN, INF = float("nan"), float("inf")


def each(functions, rows):
    """The rows of several functions."""
    return [(function, *row) for function in functions for row in rows]


DISTANCES = (closeness, harmonic, eccentricity)
ROWS = [
    # function, arguments, error, words of the message
    *each(
        [betweenness, edge_betweenness, stress, *DISTANCES],
        [
            ({"directed": 1}, TypeError, ["directed must be True or False, got 1"]),
            ({"sources": []}, ValueError, ["sources is empty: leave it out"]),
            ({"sources": [1, 1]}, ValueError, ["sources names node 1 more than once"]),
            ({"sources": [9]}, ValueError, ["sources must lie in 0..4, got 9"]),
            ({"workers": -1}, ValueError, ["workers must be at least 1, got -1"]),
        ],
    ),
    *each(
        [betweenness, closeness],
        [
            ({"cutoff": -1}, ValueError, ["cutoff", "-1", "leave it out"]),
            ({"cutoff": [1, NAN]}, ValueError, ["cutoff", "nan", "numpy.inf"]),
            ({"cutoff": []}, ValueError, ["cutoff", "empty"]),
            ({"cutoff": [[1, 2]]}, ValueError, ["cutoff", "2 dimensions"]),
            ({"cutoff": [[1], [1, 2]]}, ValueError, ["cutoff", "unequal"]),
            ({"cutoff": "5"}, TypeError, ["cutoff", "'5'", "number"]),
            ({"cutoff": True}, TypeError, ["cutoff", "True", "number"]),
            ({"cutoff": [1, None]}, TypeError, ["cutoff", "number"]),
        ],
    ),
    *each(DISTANCES, [({"direction": "up"}, ValueError, ["direction must be 'in' or 'out', got"])]),
    (closeness, {"wf_improved": "no"}, TypeError, ["wf_improved must be True or False, got 'no'"]),
    (eccentricity, {"reachable_only": "no"}, TypeError, ["reachable_only must be True or False"]),
    (eccentricity, {"reciprocal": "no"}, TypeError, ["reciprocal must be True or False"]),
    (closeness, {"source_weights": np.ones(5)}, TypeError, ["source_weights"]),
    (betweenness, {"source_weights": [1, 2]}, ValueError, ["source_weights", "5 nodes", "(2,)"]),
    *each(
        [betweenness],
        [
            ({"target_weights": [1, 2, -3, 4, 5]}, ValueError, ["target_weights", "-3", "node 2"]),
            ({"target_weights": [1, 2, NAN, 4, 5]}, ValueError, ["target_weights", "nan for"]),
            ({"target_weights": [1, INF, 0, 4, 5]}, ValueError, ["target_weights", "inf for"]),
            ({"source_weights": [0] * 5}, ValueError, ["source_weights", "all zero", "leave"]),
            ({"source_weights": list("abcde")}, TypeError, ["source_weights", "number"]),
            ({"source_weights": [True] * 5}, TypeError, ["source_weights", "number"]),
            ({"source_weights": [[1], [1, 2]]}, ValueError, ["source_weights", "unequal"]),
            ({"source_weights": [1e-18, 1, 1, 1, 1]}, ValueError, ["source_weights", "1e-18"]),
            ({"source_weights": [1e-120, 0, 0, 0, 0]}, ValueError, ["source_weights", "factor"]),
            ({"source_weights": [1] * 5, "k": 2}, ValueError, ["k=2", "source_weights"]),
            ({"target_weights": [1] * 5, "k": 2}, ValueError, ["k=2", "target_weights"]),
        ],
    ),
    *each(
        [percolation],
        [
            ({"states": [1, 2]}, ValueError, ["states", "5 nodes", "(2,)"]),
            ({"states": [0] * 5}, ValueError, ["states", "all zero"]),
            ({"states": [0, -1, 0, 0, 0]}, ValueError, ["states", "-1", "node 1"]),
            ({"states": list("abcde")}, TypeError, ["states", "number"]),
        ],
    ),
    *each(
        [centralities],
        [
            ({"names": "stress"}, TypeError, ["names must be a list of names, got 'stress'"]),
            ({"names": []}, ValueError, ["names is empty: list some of betweenness, edge_betw"]),
            ({"names": [1]}, TypeError, ["names must hold strs, got 1"]),
            ({"names": ["fame"]}, ValueError, ["names must be among betweenness, ", "got 'fame'"]),
            ({"names": ["stress"] * 2}, ValueError, ["names holds 'stress' more than once"]),
            (
                {"names": ["stress"], "endpoints": True},
                ValueError,
                ["endpoints=True has an effect only on 'betweenness'"],
            ),
            *(
                (
                    {"names": ["betweenness", name], option: [1]},
                    ValueError,
                    [f"{option} have no effect on {name!r}"],
                )
                for name, option in (
                    ("harmonic", "targets"),
                    ("closeness", "source_weights"),
                    ("eccentricity", "target_weights"),
                )
            ),
        ],
    ),
    *each(
        [group_betweenness],
        [
            ({"groups": [0, 1]}, TypeError, ["groups[0] is 0, not a list of nodes", "use [group]"]),
            ({"groups": "ab"}, TypeError, ["groups must be a list of lists of nodes, got 'ab'"]),
            ({"groups": 3}, TypeError, ["groups must be a list of lists of nodes, got 3"]),
            ({"groups": []}, ValueError, ["groups is empty: list at least one group"]),
            ({"groups": [[0], []]}, ValueError, ["groups[1] is empty"]),
            ({"groups": [[0.5]]}, TypeError, ["groups[0] must hold node numbers"]),
            ({"groups": [[7]]}, ValueError, ["groups[0] must lie in 0..4, got 7"]),
            ({"groups": [[1, 1]]}, ValueError, ["groups[0] names node 1 more than once"]),
            ({"groups": [[0], [1, 2, 3, 4]]}, ValueError, ["groups[1] leaves 1 of 5 nodes"]),
            ({"groups": [[0]], "executor": 4}, TypeError, ["executor must be a concurrent.fut"]),
            ({"groups": [[0]], "reduce": "none"}, TypeError, ["unknown option 'reduce'"]),
            ({"groups": [[0]], "checkpoint": 3}, TypeError, ["checkpoint must be the name of a"]),
            ({"groups": [[0]], "dtype": np.float32}, TypeError, ["unknown option 'dtype'"]),
            ({"groups": [[0]], "endpoints": 1}, TypeError, ["endpoints must be True or False"]),
            (
                {"groups": [[0]], "memory_budget": 1000, "device": "cpu"},
                MemoryError,
                ["one batch of 1 source on 5 nodes needs"],
            ),
        ],
    ),
    *each(
        [prominent_group],
        [
            ({"size": 0}, ValueError, ["size must lie in 1..5, the candidates, got 0"]),
            ({"size": 6}, ValueError, ["size must lie in 1..5, the candidates, got 6"]),
            ({"size": 2, "candidates": [1]}, ValueError, ["size must lie in 1..1, the candidates"]),
            ({"size": 1.0}, TypeError, ["size must be an int"]),
            ({"size": True}, TypeError, ["size must be an int"]),
            ({"size": 1, "candidates": [9]}, ValueError, ["candidates must lie in 0..4, got 9"]),
            ({"size": 1, "checkpoint": "kept"}, TypeError, ["unknown option 'checkpoint'"]),
        ],
    ),
    *each(
        [dismantle],
        [
            ({"by": "degree"}, ValueError, ["by must be 'betweenness' or 'edge_betweenness', got"]),
            ({"steps": 0}, ValueError, ["steps must be at least 1, got 0"]),
            ({"steps": 1.5}, TypeError, ["steps must be an int, got 1.5"]),
            ({"recompute": 1}, TypeError, ["recompute must be True or False"]),
            ({"directed": None}, TypeError, ["directed must be True or False"]),
            ({"checkpoint": "kept"}, ValueError, ["checkpoint='kept' has no effect on what is"]),
            ({"stpes": 1}, TypeError, ["unknown option 'stpes'"]),
        ],
    ),
    *each(
        [girvan_newman],  # at once, not with the first level
        [
            ({"progress": True}, ValueError, ["progress=True has no end"]),
            ({"checkpoint": "kept"}, ValueError, ["checkpoint='kept' has no effect"]),
            ({"weighted": 1}, TypeError, ["weighted must be True or False"]),
        ],
    ),
    *each(
        [adaptive_betweenness],
        [
            ({"nodes": []}, ValueError, ["nodes is empty"]),
            ({"nodes": [5]}, ValueError, ["nodes", "0..4", "got 5"]),
            ({"nodes": ["a"]}, TypeError, ["nodes", "ints"]),
            ({"nodes": [1], "c": 0}, ValueError, ["c must", "above 0", "got 0"]),
            ({"nodes": [1], "c": INF}, ValueError, ["c must", "finite", "got inf"]),
            ({"nodes": [1], "c": "5"}, TypeError, ["c must", "'5'"]),
        ],
    ),
    *each(
        [approximate_betweenness],
        [
            ({"epsilon": 0}, ValueError, ["epsilon", "between 0 and 1", "got 0"]),
            ({"epsilon": 1}, ValueError, ["epsilon", "between 0 and 1", "got 1"]),
            ({"epsilon": -0.5}, ValueError, ["epsilon", "got -0.5"]),
            ({"epsilon": NAN}, ValueError, ["epsilon", "got nan"]),
            ({"epsilon": "0.1"}, TypeError, ["epsilon", "'0.1'", "number"]),
            ({"epsilon": True}, TypeError, ["epsilon", "True", "number"]),
            ({"epsilon": 0.1, "delta": 0}, ValueError, ["delta", "between 0 and 1", "got 0"]),
            ({"epsilon": 0.1, "delta": 1.5}, ValueError, ["delta", "got 1.5"]),
            ({"epsilon": 0.1, "delta": 1e-300}, ValueError, ["delta must be at least 1e-100, got"]),
            ({"epsilon": 0.1, "delta": None}, TypeError, ["delta", "None", "number"]),
            ({"epsilon": 0.1, "top": 0}, ValueError, ["top", "1..n = 5", "got 0"]),
            ({"epsilon": 0.1, "top": 6}, ValueError, ["top", "1..n = 5", "got 6"]),
            ({"epsilon": 0.1, "top": 2.0}, TypeError, ["top", "2.0", "int"]),
            ({"epsilon": 0.1, "top": True}, TypeError, ["top", "True", "int"]),
            ({"epsilon": None}, TypeError, ["epsilon or seconds", "seconds=60"]),
            ({"seconds": 0}, ValueError, ["seconds", "above 0", "got 0"]),
            ({"seconds": INF}, ValueError, ["seconds", "got inf"]),
            ({"seconds": "1"}, TypeError, ["seconds", "'1'", "number"]),
            ({"epsilon": 0.1, "rng": -1}, ValueError, ["rng", "got -1", "seed"]),
            ({"epsilon": 0.1, "directed": 1}, TypeError, ["directed", "got 1"]),
            ({"epsilon": 0.1, "worker": 1}, TypeError, ["'worker'", "did you mean 'workers'?"]),
            ({"epsilon": 0.1, "device": "gpu"}, ValueError, ["device", "'gpu'"]),
            ({"epsilon": 0.1, "tie_rtol": 0.5}, ValueError, ["tie_rtol"]),
            ({"epsilon": 0.1, "cutoff": 3}, TypeError, ["cutoff=3 ", "A, cutoff=..., k="]),
        ],
    ),
    *each(
        [explain],
        [
            ({"measure": "rank"}, ValueError, ["must be among betweenness, ", "got 'rank'"]),
            ({"measure": 3}, TypeError, ["must hold strs, got 3"]),
            ({"executor": list}, ValueError, ["executor has no effect on a plan"]),
            ({"checkpoint": "kept"}, ValueError, ["checkpoint='kept' has no effect on a plan"]),
            ({"measure": "closeness", "targets": [1]}, ValueError, ["targets have no effect on"]),
            ({"measure": "stress", "endpoints": True}, ValueError, ["an effect only on 'betweenn"]),
            ({"wokers": 3}, TypeError, ["unknown option 'wokers'"]),
        ],
    ),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "options", "error", "words"),
    ROWS,
    ids=[f"{row[0].__name__} {row[1]}" for row in ROWS],
)
def test_what_is_refused(function, options, error, words):
    """At once, by an error of Python's that is one of the package's."""
    with pytest.raises(error) as caught:
        function(PATH, **options)
    for word in words:
        assert word in str(caught.value)


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
        with pytest.raises(MemoryError, match="80% of what is free is 1600: free some memory"):
            measure(matrix(nx.cycle_graph(300)), device="cpu")
