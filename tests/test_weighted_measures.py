"""Edge scores and stress by length are what their definition and their peers say."""

import functools
import itertools

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, SELECTED, peer
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph
from test_edges import LAWS, assert_scores, sum_is_length
from test_weighted import BOOLS, lengthened, questions

from sparsebc import betweenness, centralities, edge_betweenness, stress


@pytest.fixture(scope="session")
def device(fast_device):
    """The conformance suite asks the literal algebra."""
    return fast_device


ALL = ("betweenness", "edge_betweenness", "stress")
SHAPES = ("streets", "large hubs", "unicyclic", "dense")
edges_by_length = functools.partial(edge_betweenness, weighted=True)
stress_by_length = functools.partial(stress, weighted=True)


@pytest.mark.parametrize("kind", ["few", "tenths", "unequal"])
@pytest.mark.parametrize("name", MEDIUM)
def test_edges_equal_networkx(device, name, kind):
    """tie_rtol=0 compares sums of floats as NetworkX does, rounding and all."""
    A = lengthened(name, kind)
    for directed in BOOLS:
        graph = peer(A, directed=directed)
        want = nx.edge_betweenness_centrality(graph, weight="weight")
        got = edges_by_length(A, tie_rtol=0, directed=directed, device=device)
        assert_scores(got, want, f"{directed=}")


@pytest.mark.parametrize("name", SELECTED)
def test_edges_equal_igraph_between_subsets(fast_device, name):
    """Edges of folded trees, edges that a triangle rules out, and several groups."""
    igraph = pytest.importorskip("igraph")
    A, rng = lengthened(name, "few"), np.random.default_rng(953)
    n = A.shape[0]
    sources, targets = rng.permutation(n)[: n // 2].tolist(), rng.permutation(n)[: n // 3].tolist()
    for directed in BOOLS:
        tails, heads, lengths = zip(*peer(A, directed=directed).edges(data="weight"), strict=True)
        graph = igraph.Graph(n, list(zip(tails, heads, strict=True)), directed=directed)
        scores = graph.edge_betweenness(
            directed=directed, sources=sources, targets=targets, weights=list(lengths)
        )
        want = dict(zip(graph.get_edgelist(), scores, strict=True))
        ways = {"directed": directed, "normalized": False, "device": fast_device}
        got = edges_by_length(A, sources=sources, targets=targets, **ways)
        assert_scores(got, want, f"{directed=}")


def counted(A):
    """Stress by distances and numbers of paths between all pairs, of whole lengths."""
    d = csgraph.dijkstra(A)
    n, coo = A.shape[0], A.tocoo()
    paths = np.eye(n)
    for s in range(n):
        for v in np.argsort(d[s], kind="stable")[1:]:
            into = (coo.col == v) & (d[s, coo.row] + coo.data == d[s, v]) & np.isfinite(d[s, v])
            paths[s, v] = paths[s, coo.row[into]].sum()
    score = np.zeros(n)
    for v in range(n):
        through = (d[:, [v]] + d[[v], :] == d) & np.isfinite(d)
        through[v, :] = through[:, v] = False
        score[v] = (np.outer(paths[:, v], paths[v]) * through).sum()
    return score


@pytest.mark.parametrize("name", ["grid", "streets", "large digraph", "leaves on hubs"])
def test_stress_equals_counted_paths(device, name):
    """More than one group, on trees, deep graphs and digraphs."""
    A = lengthened(name, "few")
    np.testing.assert_allclose(stress_by_length(A, device=device), counted(A), rtol=1e-11)


WEIGHTED_LAWS = [law for law in LAWS if law is not sum_is_length]
each_law = pytest.mark.parametrize("law", WEIGHTED_LAWS, ids=lambda law: law.__name__)


def functions(device):
    """Edge scores and node scores."""
    ways = {"weighted": True, "normalized": False, "device": device}
    return [functools.partial(function, **ways) for function in (edge_betweenness, betweenness)]


@each_law
@given(question=questions())
@settings(max_examples=20)
def test_law_on_small_matrices(fast_device, law, question):
    """What holds by edges holds by length."""
    law(question[0].tocsr(), *functions(fast_device))


@each_law
@pytest.mark.parametrize("kind", ["few", "unequal"])
@pytest.mark.parametrize("name", SHAPES)
def test_law(fast_device, law, name, kind):
    """What holds by edges holds by length."""
    law(lengthened(name, kind), *functions(fast_device))


@pytest.mark.parametrize("name", SELECTED)
def test_lengths_times_scores_add_up_to_distances(fast_device, name):
    """Each pair walks its distance along the edges."""
    A = lengthened(name, "few")
    scores = edges_by_length(A, normalized=False, device=fast_device)
    d = csgraph.dijkstra(A)
    assert A.multiply(scores).sum() == pytest.approx(d[np.isfinite(d)].sum(), rel=1e-12)


@pytest.mark.parametrize("kind", ["few", "unequal"])
@pytest.mark.parametrize("name", ["leaves on hubs", "streets", "dense"])
def test_all_at_once_equals_one_by_one(device, name, kind):
    """Sampled or between subsets as well."""
    A = lengthened(name, kind)
    single = {
        "betweenness": functools.partial(betweenness, normalized=False),
        "edge_betweenness": functools.partial(edge_betweenness, normalized=False),
        "stress": stress,
    }
    for pairs in ({"k": 90, "rng": 5}, {"sources": range(0, 90, 2), "targets": range(70, 99)}):
        ways = {"weighted": True, "device": device, **pairs}
        want = {measure: single[measure](A, **ways) for measure in ALL}
        for names in (ALL, ALL[1:], ALL[::2], ALL[:2]):
            got = centralities(A, names, normalized=False, **ways)
            for measure in names:
                values = [getattr(x[measure], "data", x[measure]) for x in (got, want)]
                np.testing.assert_allclose(*map(np.asarray, values), rtol=1e-11, atol=1e-9)


@given(question=questions(), data=st.data())
@settings(max_examples=30)
def test_both_entries_of_an_undirected_edge_agree(device, question, data):
    """To the bit."""
    A, n = question[0], question[0].shape[0]
    some = data.draw(st.lists(st.integers(0, n - 1), min_size=1, unique=True)) if n else None
    got = edges_by_length(A, directed=False, sources=some, device=device).toarray()
    np.testing.assert_array_equal(got, got.T)


@pytest.mark.parametrize("name", SHAPES)
def test_equal_lengths_are_no_lengths(fast_device, name):
    """Not a bit differs from the unweighted scores."""
    A = sp.csr_array(LARGE[name]) * 0.1
    want = centralities(A, ALL, device=fast_device)
    got = centralities(A, ALL, weighted=True, device=fast_device)
    for measure in ALL:
        values = [np.asarray(getattr(x[measure], "data", x[measure])) for x in (got, want)]
        np.testing.assert_array_equal(*values)


@pytest.mark.parametrize("kind", ["few", "unequal"])
@pytest.mark.parametrize("name", SHAPES)
def test_no_run_option_changes_a_bit(device, name, kind):
    """Nor does a repeat."""
    scores = functools.partial(
        centralities, lengthened(name, kind), ALL, weighted=True, k=90, rng=3, device=device
    )
    want = scores()
    for options in ({}, {"workers": 1}, {"workers": 3}, {"memory_budget": 1 << 28}):
        got = scores(**options)
        for measure in ALL:
            values = [np.asarray(getattr(x[measure], "data", x[measure])) for x in (got, want)]
            np.testing.assert_array_equal(*values, err_msg=str((measure, options)))


@pytest.mark.slow  # kernels of their own
def test_float32_is_close_to_float64(device):
    """Single precision stays within 1e-5 of the largest score."""
    for function, name in itertools.product((edges_by_length, stress_by_length), SHAPES):
        scores = functools.partial(function, lengthened(name, "tenths"), device=device)
        got, want = (scores(dtype=dtype) for dtype in ("f4", "f8"))
        got, want = (np.asarray(getattr(x, "data", x)) for x in (got, want))
        assert got.dtype == np.float64
        np.testing.assert_allclose(got, want, rtol=0, atol=1e-5 * want.max())
