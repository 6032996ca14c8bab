"""Every call that takes an executor, on a small graph: what it comes to, as a list of arrays."""

from itertools import islice

import numpy as np
import scipy.sparse as sp

import sparsebc
from sparsebc.communities import girvan_newman


def sparse_graph(n):
    """A random graph: some trees, some components, one large core; edges in both directions."""
    degree = 5
    rng = np.random.default_rng(8)
    ends = rng.integers(0, n, (2, n * degree // 2)) * rng.random((2, n * degree // 2)) ** 0.5
    one = sp.coo_array((np.ones(ends.shape[1]), ends.astype(int)), shape=(n, n))
    return sp.csr_array(one + one.T)


A = sparse_graph(400)
LENGTHS = sp.csr_array((0.1 + np.hypot(*A.nonzero()) % 3, A.indices, A.indptr), shape=A.shape)
STATES = np.arange(400) % 7
GROUPS = [range(0, 400, 9), [3], [5, 8]]
SOURCES = range(0, 400, 2)
BOTH_WAYS = {"device": "cpu", "directed": False}
BY_LENGTH = {"device": "cpu", "weighted": True}


def named(function, *arguments, **options):
    """A call by the name of its function."""
    return function.__name__, lambda **run: function(*arguments, **options, **run)


# Name of the function, and the call; of some functions two.
CALLS = (
    named(sparsebc.betweenness, A, **BOTH_WAYS),
    named(sparsebc.edge_betweenness, A, **BOTH_WAYS),
    named(sparsebc.stress, A, **BOTH_WAYS),
    named(sparsebc.percolation, A, STATES, **BOTH_WAYS),
    named(sparsebc.centralities, A, ["stress", "harmonic"], **BOTH_WAYS),
    named(sparsebc.closeness, A, **BOTH_WAYS),
    named(sparsebc.harmonic, LENGTHS, **BY_LENGTH),
    named(sparsebc.eccentricity, A, **BOTH_WAYS),
    named(sparsebc.approximate_betweenness, A, epsilon=0.02, top=3, rng=1, **BOTH_WAYS),
    named(sparsebc.adaptive_betweenness, A, [0, 7], rng=1, **BOTH_WAYS),
    named(sparsebc.group_betweenness, A, GROUPS, **BOTH_WAYS),
    named(sparsebc.group_betweenness, LENGTHS, GROUPS, **BY_LENGTH),
    named(sparsebc.group_betweenness, A[:150, :150], [[0, 5], [9]], device="reference"),
    named(sparsebc.prominent_group, A, 3, **BOTH_WAYS),
    named(sparsebc.prominent_group, LENGTHS, 2, candidates=SOURCES, **BY_LENGTH),
    named(sparsebc.dismantle, A, steps=2, **BOTH_WAYS),
    named(sparsebc.dismantle, A, "edge_betweenness", steps=2, device="cpu"),
    (
        girvan_newman.__name__,
        lambda **run: list(islice(girvan_newman(A, device="cpu", **run), 2)),
    ),
    named(sparsebc.bfs, A, SOURCES, **BOTH_WAYS),
    named(sparsebc.shortest_paths, LENGTHS, SOURCES, **BY_LENGTH),
)


def arrays(found):
    """The arrays of what a call returns, one after the other."""
    if isinstance(found, dict):
        found = list(found.values())
    if hasattr(found, "half_widths"):
        found = [*vars(found).values()]
    if hasattr(found, "samples"):
        found = [found.scores, found.samples]
    if not isinstance(found, (list, tuple)):
        found = [found]
    return [np.asarray(getattr(one, "data", one)) for one in found]


def assert_same(got, want):
    """To the last bit."""
    for mine, theirs in zip(arrays(got), arrays(want), strict=True):
        np.testing.assert_array_equal(mine, theirs)
