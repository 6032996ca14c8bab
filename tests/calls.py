"""Every call that takes an executor, on small graphs, and its result as a list of arrays."""

import dataclasses
import functools
from itertools import islice

import numpy as np
import scipy.sparse as sp
from graphs import diamonds, with_lengths

import sparsebc
from sparsebc.communities import girvan_newman, partition


def sparse_graph(n):
    """A random graph: some trees, some components, one large core; edges in both directions."""
    degree = 5
    rng = np.random.default_rng(8)
    ends = rng.integers(0, n, (2, n * degree // 2)) * rng.random((2, n * degree // 2)) ** 0.5
    one = sp.coo_array((np.ones(ends.shape[1]), ends.astype(int)), shape=(n, n))
    return sp.csr_array(one + one.T)


A = sparse_graph(400)
LARGE = sparse_graph(2500)
LENGTHS = sp.csr_array((0.1 + np.hypot(*A.nonzero()) % 3, A.indices, A.indptr), shape=A.shape)
STATES = np.arange(400) % 7
PLACES = np.stack((STATES / 3, STATES == 2), axis=1)
DEMAND = sp.csr_array((1.0 + np.arange(A.nnz) % 8, A.indices[::-1], A.indptr), shape=A.shape)
GROUPS = [range(0, 400, 9), [3], [5, 8]]
SOURCES = range(0, 400, 2)
BOTH_WAYS = {"device": "cpu", "directed": False}
BY_LENGTH = {"device": "cpu", "weighted": True}


def named(function, *arguments, **options):
    """Name of a function, and a call of it that takes run options."""
    return function.__name__, lambda **run: function(*arguments, **options, **run)


# Function name and call; some functions have two.
CALLS = (
    named(sparsebc.betweenness, A, **BOTH_WAYS),
    named(sparsebc.edge_betweenness, A, **BOTH_WAYS),
    named(sparsebc.stress, A, **BOTH_WAYS),
    named(sparsebc.percolation, A, STATES, **BOTH_WAYS),
    named(sparsebc.centralities, A, ["stress", "harmonic"], **BOTH_WAYS),
    named(sparsebc.closeness, A, **BOTH_WAYS),
    named(sparsebc.harmonic, LENGTHS, **BY_LENGTH),
    named(sparsebc.eccentricity, A, **BOTH_WAYS),
    named(sparsebc.closeness, A, target_weights=STATES, **BOTH_WAYS),
    named(sparsebc.accessibility, A, PLACES, decay=("power", 2), cutoff=[1, 3], device="cpu"),
    named(sparsebc.accessibility, LENGTHS, PLACES, decay=([1, 4], [1, 0]), **BY_LENGTH),
    named(sparsebc.nearest, LENGTHS, PLACES, 3, **BY_LENGTH),
    named(sparsebc.approximate_betweenness, A, epsilon=0.02, top=3, rng=1, **BOTH_WAYS),
    named(sparsebc.adaptive_betweenness, A, [0, 7], rng=1, **BOTH_WAYS),
    named(sparsebc.group_betweenness, A, GROUPS, **BOTH_WAYS),
    named(sparsebc.group_betweenness, LENGTHS, GROUPS, **BY_LENGTH),
    named(sparsebc.group_betweenness, A[:150, :150], [[0, 5], [9]], device="reference"),
    named(sparsebc.prominent_group, A, 3, **BOTH_WAYS),
    named(sparsebc.prominent_group, LENGTHS, 2, candidates=SOURCES, **BY_LENGTH),
    named(sparsebc.null_model, A, "closeness", samples=4, rng=1, keep=True, **BOTH_WAYS),
    named(sparsebc.dismantle, A, steps=2, **BOTH_WAYS),
    named(sparsebc.dismantle, A, "edge_betweenness", steps=2, device="cpu"),
    (
        girvan_newman.__name__,
        lambda **run: list(islice(girvan_newman(A, device="cpu", **run), 2)),
    ),
    named(partition, A, 43, device="cpu"),
    named(sparsebc.bfs, A, SOURCES, **BOTH_WAYS),
    named(sparsebc.shortest_paths, LENGTHS, SOURCES, **BY_LENGTH),
    named(sparsebc.distance_summary, LENGTHS, width=0.5, **BY_LENGTH),
)

PATHS = ("betweenness", "edge_betweenness", "stress")
ALL = (*PATHS, "closeness", "harmonic", "eccentricity")
ONE_WAY = sp.triu(LARGE, k=1) + sp.tril(LARGE, k=-40)
# Graphs, measures and options of `centralities`.
CASES = {
    "undirected": (LARGE, ALL, {"directed": False}),
    "directed": (ONE_WAY, ALL, {"endpoints": True}),
    "by length": (with_lengths(LARGE, [1, 2, 3]), ALL, {"directed": False, "weighted": True}),
    "by floats": (with_lengths(LARGE, [0.1, 0.2, 0.3]), PATHS, {"weighted": True}),
    "float32": (LARGE, ("betweenness",), {"dtype": np.float32}),
    "sample": (LARGE, ("betweenness", "harmonic"), {"k": 100, "rng": 7}),
    "beyond floats": (diamonds(1100), PATHS[:2], {"sources": range(70)}),
    "demand": (A, PATHS, {"directed": False, "demand": DEMAND, "decay": ("linear", 9)}),
    "demand by length": (LENGTHS, PATHS, {"weighted": True, "demand": DEMAND}),
    "cutoffs": (A, ("betweenness", "closeness"), {"cutoff": [2, 3.5], "directed": False}),
    "no edge": (sp.csr_array((5, 5)), ALL, {}),
}
TWICE = [*range(0, 2500, 11), 0]
SEARCHES = {
    "levels": named(sparsebc.bfs, LARGE, TWICE, device="cpu"),
    "levels of both ways": named(sparsebc.bfs, ONE_WAY, TWICE, **BOTH_WAYS),
    "paths": named(sparsebc.shortest_paths, ONE_WAY, TWICE, device="cpu"),
    "paths by length": named(sparsebc.shortest_paths, CASES["by floats"][0], TWICE, **BY_LENGTH),
    "levels of no edge": named(sparsebc.bfs, sp.csr_array((9, 9)), [3, 3], device="cpu"),
    "paths of no edge": named(sparsebc.shortest_paths, sp.csr_array((9, 9)), [3], **BY_LENGTH),
}
# Calls by unique name.
EVERY = {
    **{f"{place}-{name}": call for place, (name, call) in enumerate(CALLS)},
    **{
        name: named(sparsebc.centralities, matrix, measures, device="cpu", **options)[1]
        for name, (matrix, measures, options) in CASES.items()
    },
    **{name: call for name, (_, call) in SEARCHES.items()},
}
# One for each kind of task and of graph, for executors that differ in how they transfer tasks.
SOME = (
    *("undirected", "by floats", "float32", "beyond floats", "demand by length", "cutoffs"),
    *("9-accessibility", "11-nearest", "12-approximate_betweenness", "15-group_betweenness"),
    *("18-prominent_group", "19-null_model", "levels", "paths by length"),
)


@functools.cache
def on_threads(name):
    """Result of a call of `EVERY` in this process."""
    return EVERY[name]()


def arrays(found):
    """The arrays of a call's result, as a list."""
    if isinstance(found, dict):
        found = list(found.values())
    if dataclasses.is_dataclass(found):
        found = list(vars(found).values())
    if isinstance(found, (list, tuple)):
        return [array for one in found for array in arrays(one)]
    return [np.asarray(getattr(found, "data", found))]


def assert_same(got, want):
    """Assert that two results are bitwise equal."""
    for mine, theirs in zip(arrays(got), arrays(want), strict=True):
        np.testing.assert_array_equal(mine, theirs)
