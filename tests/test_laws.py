"""Laws that betweenness obeys on every graph, whatever its scores are.

Each law takes a matrix, a direction and `scores`, which is `betweenness` without normalization
on the engine under test. It holds on small awkward matrices and on large graphs of every shape.
"""

import functools

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, SELECTED, close
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph

from sparsebc import betweenness
from sparsebc.testing import matrices


@pytest.fixture(scope="session")
def device(fast_device):
    """The conformance suite asks the literal algebra."""
    return fast_device


def distances(A, *, directed):
    """Hops between all pairs; explicit zeros are edges to us but not to csgraph."""
    coo = A.tocoo()
    ones = sp.csr_array((np.ones(coo.nnz), (coo.row, coo.col)), shape=A.shape)
    return csgraph.shortest_path(ones, directed=directed, unweighted=True)


def halves(n):
    """Split the nodes in two, both non-empty, in no particular order."""
    order = np.random.default_rng(761).permutation(n)
    return order[: (n + 1) // 2], order[(n + 1) // 2 :]


def sum_is_interior_length(A, scores, directed):
    """The scores add up to d(s, t) - 1 over all pairs that reach each other."""
    d = distances(A, directed=directed)
    apart = np.isfinite(d) & (d > 0)
    close(scores(A).sum(), (d[apart] - 1).sum() / (1 if directed else 2))


def endpoints_add_the_pairs(A, scores, directed):
    """With endpoints, a node also counts once in every pair that it starts or ends."""
    d = distances(A, directed=directed)
    apart = np.isfinite(d) & (d > 0)
    one, other = halves(A.shape[0])
    everyone = np.arange(A.shape[0])
    for sources, targets in ((everyone, everyone), (one, other[::2])):
        if len(targets):
            counted = np.zeros_like(apart)
            counted[np.ix_(sources, targets)] = apart[np.ix_(sources, targets)]
            ends = (counted.sum(axis=0) + counted.sum(axis=1)) / (1 if directed else 2)
            named = {"sources": sources, "targets": targets}
            close(scores(A, endpoints=True, **named), scores(A, **named) + ends)


def reversal_swaps_sources_and_targets(A, scores, directed):
    """Paths of A' are paths of A walked backwards."""
    close(scores(A.T), scores(A))
    sources, targets = halves(A.shape[0])
    if len(targets):
        close(
            scores(A.T, sources=targets, targets=sources),
            scores(A, sources=sources, targets=targets),
        )


def relabelling_permutes(A, scores, directed):
    """Node p[i] of A is node i of the relabelled graph."""
    p = np.random.default_rng(762).permutation(A.shape[0])
    close(scores(A.tocsr()[p][:, p]), scores(A)[p])


def sources_add_up(A, scores, directed):
    """Scores are sums over sources, and over targets."""
    one, other = halves(A.shape[0])
    if len(other):
        close(scores(A, sources=one) + scores(A, sources=other), scores(A))
        close(scores(A, targets=one) + scores(A, targets=other), scores(A))


def all_nodes_are_the_default(A, scores, directed):
    """Naming every node is the same as naming none."""
    n = A.shape[0]
    if n:
        close(scores(A, sources=range(n)), scores(A))
        close(scores(A, targets=range(n)), scores(A))
        close(scores(A, k=n), scores(A))


def unions_concatenate(A, scores, directed):
    """Components do not see each other, and an isolated node adds a zero."""
    union = sp.block_diag([A, sp.csr_array((1, 1)), A.T], format="csr")
    close(scores(union), np.concatenate([scores(A), [0], scores(A.T)]))


LAWS = (
    sum_is_interior_length,
    endpoints_add_the_pairs,
    reversal_swaps_sources_and_targets,
    relabelling_permutes,
    sources_add_up,
    all_nodes_are_the_default,
    unions_concatenate,
)
each_law = pytest.mark.parametrize("law", LAWS, ids=lambda law: law.__name__)


@each_law
@given(A=matrices(), directed=st.booleans())
@settings(max_examples=20)
def test_law_on_small_matrices(device, law, A, directed):
    """Awkward matrices: duplicates, self loops, explicit zeros, isolated nodes, n = 0, 1, 2."""
    law(
        A,
        functools.partial(betweenness, directed=directed, normalized=False, device=device),
        directed,
    )


@each_law
@pytest.mark.parametrize("name", SELECTED)
def test_law_on_large_graphs(fast_device, law, name):
    """More than one batch of sources, on trees, deep graphs, dense ones and digraphs."""
    A = LARGE[name]
    law(A, functools.partial(betweenness, normalized=False, device=fast_device), True)


@given(A=matrices(), directed=st.booleans(), seed=st.integers(0, 2**32))
@settings(max_examples=30)
def test_only_the_pattern_counts(device, A, directed, seed):
    """Values, repetitions, order, format, class and index width change no bit."""
    coo = A.tocoo()
    rng = np.random.default_rng(seed)
    again = rng.permutation(np.repeat(np.arange(coo.nnz), rng.integers(1, 3, coo.nnz)))
    same = sp.coo_array((rng.random(len(again)), (coo.row[again], coo.col[again])), shape=A.shape)
    scores = functools.partial(betweenness, directed=directed, device=device)
    want = scores(A)
    for other in (same, same.tocsr(), same.tocsc(), sp.csr_matrix(same)):
        np.testing.assert_array_equal(scores(other), want)


@given(A=matrices(), directed=st.booleans())
@settings(max_examples=30)
def test_self_loops_change_nothing(device, A, directed):
    """A path never uses a self loop."""
    scores = functools.partial(betweenness, directed=directed, device=device)
    coo, nodes = A.tocoo(), np.arange(A.shape[0])
    looped = sp.coo_array(
        (
            np.ones(coo.nnz + len(nodes)),
            (np.concatenate([coo.row, nodes]), np.concatenate([coo.col, nodes])),
        ),
        shape=A.shape,
    )
    np.testing.assert_array_equal(scores(looped), scores(A))


@pytest.mark.parametrize("name", SELECTED)
def test_float32_is_close_to_float64(device, name):
    """Single precision stays within 1e-5 of the largest score."""
    scores = functools.partial(betweenness, LARGE[name], device=device)
    want = scores()
    got = scores(dtype=np.float32)
    assert got.dtype == np.float64
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-5 * want.max())


def tightest_budget(scores):
    """Smallest power of two of bytes that some plan still fits."""
    budget = 1
    while True:
        try:
            scores(memory_budget=budget)
        except MemoryError:
            budget *= 2
        else:
            return budget


@pytest.mark.parametrize("name", LARGE)
def test_no_run_option_changes_a_bit(device, name):
    """Workers, memory and repetition decide when a sum is formed, never in which order."""
    scores = functools.partial(
        betweenness, LARGE[name], k=140, rng=5, endpoints=True, device=device
    )
    want = scores(workers=1)
    for options in (
        {"workers": 1},
        {"workers": 2},
        {"workers": 3, "memory_budget": 2**32},
        {"workers": 3, "memory_budget": tightest_budget(scores)},
    ):
        assert scores(**options).tobytes() == want.tobytes(), options


@pytest.mark.parametrize("name", SELECTED)
def test_order_of_sources_and_targets_changes_no_bit(device, name):
    """Sources and targets are sets."""
    scores = functools.partial(betweenness, LARGE[name], device=device)
    sources, targets = halves(LARGE[name].shape[0])
    want = scores(sources=sources, targets=targets)
    got = scores(sources=np.sort(sources), targets=targets[::-1])
    assert got.tobytes() == want.tobytes()


def arrays_of(A):
    """The arrays that hold a sparse matrix."""
    return (A.data, *(A.coords if A.format == "coo" else (A.indices, A.indptr)))


@given(A=matrices(), directed=st.booleans())
@settings(max_examples=30)
def test_the_matrix_is_left_alone(device, A, directed):
    """Read-only arrays are welcome, and neither bytes nor arrays are exchanged."""
    before = arrays_of(A)
    for array in before:
        array.flags.writeable = False
    copies = [array.copy() for array in before]
    betweenness(A, directed=directed, device=device)
    for array, old, copy in zip(arrays_of(A), before, copies, strict=True):
        assert array is old
        assert array.dtype == copy.dtype
        assert array.tobytes() == copy.tobytes()
