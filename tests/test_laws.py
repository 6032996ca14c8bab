"""Laws that every graph of some size obeys, whatever its scores are: by edges and by length.

Small ones have their scores from the definitions in the conformance suite.

A law gets a matrix, the raw scores as a function of a matrix and options, and whether edges have
directions; some laws hold for some measures. Scores are vectors, or matrices of arcs.
"""

import functools
import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, SELECTED, close
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph
from test_weighted import SHAPES, lengthened

from sparsebc import betweenness, centralities, edge_betweenness, stress
from sparsebc.testing import matrices

ALL = ("betweenness", "edge_betweenness", "stress")
FUNCTIONS = {"betweenness": betweenness, "edge_betweenness": edge_betweenness, "stress": stress}


def dense(scores):
    """A vector, or the scores of arcs as a dense matrix."""
    return scores.toarray() if sp.issparse(scores) else scores


def numbers(scores):
    """Scores of nodes, or of arcs with where these are."""
    return (scores.indices, scores.data) if sp.issparse(scores) else (scores,)


def functions(device, *, directed=True, weighted=False):
    """Raw scores of each measure; ``normalized=False`` where it is an option."""
    ways = {"directed": directed, "weighted": weighted, "device": device}
    return {
        name: functools.partial(
            lambda A, function, raw, **options: dense(function(A, **raw, **ways, **options)),
            function=function,
            raw={} if name == "stress" else {"normalized": False},
        )
        for name, function in FUNCTIONS.items()
    }


def distances(A, *, directed, weighted):
    """Between all pairs; explicit zeros are edges to us but not to csgraph."""
    coo = sp.coo_array(A)
    data = coo.data if weighted else np.ones(coo.nnz)
    ones = sp.coo_array((data, (coo.row, coo.col)), shape=A.shape).tocsr()
    return csgraph.shortest_path(ones, directed=directed, unweighted=not weighted)


def halves(n):
    """Split the nodes in two, both non-empty, in no particular order."""
    order = np.random.default_rng(761).permutation(n)
    return order[: (n + 1) // 2], order[(n + 1) // 2 :]


def reversal_transposes(A, scores):
    """Paths of A' are paths of A walked backwards."""
    close(scores(A.T), scores(A).T)
    sources, targets = halves(A.shape[0])
    if len(targets):
        turned = scores(A.T, sources=targets, targets=sources)
        close(turned, scores(A, sources=sources, targets=targets).T)


def relabelling_permutes(A, scores):
    """Node p[i] of A is node i of the relabelled graph."""
    p = np.random.default_rng(762).permutation(A.shape[0])
    there = scores(A)[p]
    close(scores(sp.csr_array(A)[p][:, p]), there if there.ndim == 1 else there[:, p])


def sources_add_up(A, scores):
    """Scores are sums over sources, and over targets."""
    one, other = halves(A.shape[0])
    if len(other):
        close(scores(A, sources=one) + scores(A, sources=other), scores(A))
        close(scores(A, targets=one) + scores(A, targets=other), scores(A))


def all_nodes_are_the_default(A, scores):
    """Naming every node is the same as naming none."""
    n = A.shape[0]
    for everyone in ({"sources": range(n)}, {"targets": range(n)}, {"k": n}) if n else ():
        close(scores(A, **everyone), scores(A))


def unions_concatenate(A, scores):
    """Components do not see each other, and an isolated node adds a zero."""
    union = sp.block_diag([A, sp.csr_array((1, 1)), A.T], format="csr")
    parts = [scores(A), scores(A.T)]
    if parts[0].ndim == 1:
        close(scores(union), np.concatenate([parts[0], [0], parts[1]]))
    else:
        close(scores(union), sp.block_diag([parts[0], sp.csr_array((1, 1)), parts[1]]).toarray())


LAWS = (
    reversal_transposes,
    relabelling_permutes,
    sources_add_up,
    all_nodes_are_the_default,
    unions_concatenate,
)


def sums_are_distances(A, measures, *, directed, weighted):
    """Sums over all pairs: of what is inside of a path, at its ends, on its edges and out of v."""
    d = distances(A, directed=directed, weighted=weighted)
    hops = distances(A, directed=directed, weighted=False)
    apart, halved = np.isfinite(d) & (d > 0), 1 if directed else 2
    nodes, edges = measures["betweenness"], measures["edge_betweenness"]
    along = edges(A)
    if weighted:  # each pair walks its distance
        lengths = sp.csr_array(A).toarray()
        close((lengths * along).sum() / halved, d[apart].sum() / halved)
    else:
        close(nodes(A).sum(), (hops[apart] - 1).sum() / halved)
        close(along.sum(), hops[apart].sum())
    everyone, (one, other) = np.arange(A.shape[0]), halves(A.shape[0])
    for sources, targets in ((everyone, everyone), (one, other[::2])):
        if len(targets):
            counted = np.zeros_like(apart)
            counted[np.ix_(sources, targets)] = apart[np.ix_(sources, targets)]
            ends = (counted.sum(axis=0) + counted.sum(axis=1)) / halved
            named = {"sources": sources, "targets": targets}
            close(nodes(A, endpoints=True, **named), nodes(A, **named) + ends)
    if directed:  # a pair through v, or from v, leaves v along one of its edges
        close(along.sum(axis=1), nodes(A) + apart.sum(axis=1))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", SELECTED)
def test_laws_on_large_graphs(fast_device, name, weighted):
    """More than one batch of sources, on trees, deep graphs, dense ones and digraphs."""
    A = lengthened(name, "few") if weighted else LARGE[name]
    measures = functions(fast_device, weighted=weighted)
    for law in LAWS:
        for measure in ALL if law is unions_concatenate else ALL[:2]:
            law(A, measures[measure])
    sums_are_distances(A, measures, directed=True, weighted=weighted)


@given(A=matrices(), directed=st.booleans(), seed=st.integers(0, 2**32))
@settings(max_examples=30)
def test_only_the_pattern_counts(fast_device, A, directed, seed):
    """Values, repetitions, self loops, order, format, class and index width change no bit."""
    coo, n = A.tocoo(), A.shape[0]
    rng = np.random.default_rng(seed)
    again = rng.permutation(np.repeat(np.arange(coo.nnz), rng.integers(1, 3, coo.nnz)))
    row, column = (np.concatenate([ends[again], range(n)]) for ends in (coo.row, coo.col))
    same = sp.coo_array((rng.random(len(row)), (row, column)), shape=A.shape)
    scores = functools.partial(betweenness, directed=directed, device=fast_device)
    want = scores(A)
    for other in (same, same.tocsr(), same.tocsc(), sp.csr_matrix(same)):
        np.testing.assert_array_equal(scores(other), want)


@given(A=matrices(), some=st.data(), weighted=st.booleans())
@settings(max_examples=30)
def test_both_entries_of_an_undirected_edge_agree(fast_device, A, some, weighted):
    """To the bit."""
    n = A.shape[0]
    A = A.astype(float)
    A.data[:] = 1 + A.data
    sources = some.draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True)) if n else None
    ways = {"directed": False, "weighted": weighted, "device": fast_device}
    got = edge_betweenness(A, sources=sources, **ways).toarray()
    np.testing.assert_array_equal(got, got.T)


def tightest_budget(scores):
    """Smallest power of two of bytes, of a page at least, that some plan still fits."""
    budget = 1 << 12
    while True:
        try:
            scores(memory_budget=budget)
        except MemoryError:
            budget *= 2
        else:
            return budget


@pytest.mark.parametrize(
    ("name", "kind"),
    [*itertools.product(LARGE, [None, "few"]), *itertools.product(SHAPES, ["tenths", "unequal"])],
)
def test_no_run_option_changes_a_bit(fast_device, name, kind):
    """Workers, memory and repetition decide when a sum is formed, never in which order."""
    A, sample = lengthened(name, kind) if kind else LARGE[name], {"k": 140, "rng": 5}
    ways = {"weighted": bool(kind), "endpoints": True, "device": fast_device}
    names = (*ALL, "closeness", "harmonic", "eccentricity")
    scores = functools.partial(centralities, A, names, **sample, **ways)
    want = scores(workers=1)
    for options in (
        {"workers": 1},
        {"workers": 2},
        {"workers": 3, "memory_budget": 2**32},
        {"workers": 3, "memory_budget": tightest_budget(scores)},
    ):
        got = scores(**options)
        for measure in names:
            for mine, other in zip(numbers(got[measure]), numbers(want[measure]), strict=True):
                assert mine.tobytes() == other.tobytes(), (measure, options)


@pytest.mark.parametrize("name", SELECTED)
def test_order_of_sources_and_targets_changes_no_bit(fast_device, name):
    """Sources and targets are sets; lengths that are all equal are none."""
    scores = functools.partial(betweenness, device=fast_device)
    sources, targets = halves(LARGE[name].shape[0])
    want = scores(LARGE[name], sources=sources, targets=targets)
    for A, weighted in ((LARGE[name], False), (LARGE[name] * 0.1, True)):
        ends = {"sources": np.sort(sources), "targets": targets[::-1]}
        assert scores(A, weighted=weighted, **ends).tobytes() == want.tobytes()


@pytest.mark.parametrize(
    "weighted", [False, pytest.param(True, marks=pytest.mark.slow)]
)  # by length kernels of its own
@pytest.mark.parametrize("name", SELECTED)
def test_float32_is_close_to_float64(fast_device, name, weighted):
    """Single precision stays within 1e-5 of the largest score."""
    A = lengthened(name, "tenths") if weighted else LARGE[name]
    scores = functools.partial(centralities, A, ALL, weighted=weighted, device=fast_device)
    for got, want in zip(scores(dtype=np.float32).values(), scores().values(), strict=True):
        (*_, got), (*_, want) = numbers(got), numbers(want)
        assert got.dtype == np.float64
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-5 * want.max())
