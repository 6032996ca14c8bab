"""Scores beside those of NetworkX and igraph, which share no code: every option, by edges and by
length, on graphs of more sources than one batch holds."""

import functools
import itertools

import igraph
import networkx as nx
import numpy as np
import pytest
from graphs import LARGE, MEDIUM, SELECTED, matrix, peer
from questions import Drawn
from test_weighted import lengthened

from sparsebc import betweenness, closeness, edge_betweenness, harmonic, percolation

BOOLS = (True, False)
KINDS = (None, "tenths", "unequal")  # of lengths
BESIDE_IGRAPH = ("digraph", "disconnected", "communities", *SELECTED)
# igraph before 1.0 takes `normalized` of harmonic centralities for their cutoff.
HAS_HARMONIC = any(igraph.Graph([(0, 1)]).harmonic_centrality(cutoff=1, normalized=False))


def graph_of(name, kind):
    """A named graph, by edges or with lengths of a kind."""
    return (MEDIUM | LARGE)[name] if kind is None else lengthened(name, kind)


def in_order(found, A):
    """Scores of NetworkX as a vector, those of edges as a matrix."""
    if not found or not isinstance(next(iter(found)), tuple):
        return np.array([found[v] for v in sorted(found)])
    scores = np.zeros(A.shape)
    for (i, j), score in found.items():
        scores[i, j] = score
    return scores


def assert_same(got, want, A, *, directed=True, case=None):
    """Equal up to the order of float additions; both entries of an undirected edge."""
    want = in_order(want, A) if isinstance(want, dict) else np.asarray(want)
    if want.ndim == 2:
        got, want = got.toarray(), want if directed else np.maximum(want, want.T)
    np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-11, err_msg=str(case))


@functools.cache
def networkx_answers(name, kind, directed):
    """Rows (our function, its options, NetworkX's scores) of all that NetworkX has as well."""
    A, weight = graph_of(name, kind), None if kind is None else "weight"
    G, n, rng = peer(A, directed=directed), A.shape[0], np.random.default_rng(953)
    some, others = rng.permutation(n)[: n // 2].tolist(), rng.permutation(n)[: n // 3].tolist()
    states = rng.random(n)
    rows = []
    for k, normalized in itertools.product((None, 1, 17), BOOLS):
        sample = {} if k is None else {"k": k, "rng": 4711}
        drawn = None if k is None else np.random.default_rng(4711).choice(n, k, replace=False)
        asked = {"k": k, "normalized": normalized, "weight": weight}
        asked["seed"] = None if k is None else Drawn(drawn.tolist())
        ways = {"normalized": normalized, **sample}
        for endpoints in BOOLS if k else (normalized,):  # the table below has all combinations
            found = nx.betweenness_centrality(G, endpoints=endpoints, **asked)
            rows.append((betweenness, {**ways, "endpoints": endpoints}, found))
        if k or normalized:  # igraph's below are not
            rows.append((edge_betweenness, ways, nx.edge_betweenness_centrality(G, **asked)))
    for sources, targets in ((some, others), (some, range(n)), (some, some)):
        found = nx.betweenness_centrality_subset(G, sources, targets, weight=weight)
        ways = {"sources": sources, "targets": targets, "normalized": False}
        rows.append((betweenness, ways, found))
    if len(G) < 100:  # NetworkX takes long
        found = nx.percolation_centrality(G, states=dict(enumerate(states)), weight=weight)
        rows.append((percolation, {"states": states}, found))
    rows.append((closeness, {}, nx.closeness_centrality(G, distance=weight)))
    rows.append((harmonic, {}, nx.harmonic_centrality(G, distance=weight)))
    return rows


@pytest.mark.parametrize("directed", BOOLS, ids=["directed", "undirected"])
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        *((name, kind) for name in (*MEDIUM, "leaves on hubs", "streets") for kind in KINDS[:1]),
        *zip(MEDIUM, itertools.cycle(KINDS[1:])),
    ],
)
def test_networkx(fast_device, name, kind, directed):
    """NaN included; ``tie_rtol=0`` compares sums of floats as NetworkX does, rounding and all."""
    A = graph_of(name, kind)
    for function, ways, want in networkx_answers(name, kind, directed):
        run = {"directed": directed, "weighted": kind is not None, "device": fast_device}
        if kind is not None and function not in (closeness, harmonic):
            run["tie_rtol"] = 0
        case = (function.__name__, ways)
        assert_same(function(A, **ways, **run), want, A, directed=directed, case=case)


@pytest.mark.parametrize("directed", BOOLS, ids=["directed", "undirected"])
@pytest.mark.parametrize("kind", [None, "few"])
@pytest.mark.parametrize("name", BESIDE_IGRAPH)
def test_igraph(fast_device, name, kind, directed):
    """Within cutoffs, and pairs of some nodes; with a tolerance of its own, so that floats tie."""
    A = graph_of(name, kind)
    n, rng = A.shape[0], np.random.default_rng(953)
    edges = list(peer(A, directed=directed).edges(data="weight"))
    graph = igraph.Graph(n, [edge[:2] for edge in edges], directed=directed)
    lengths = None if kind is None else [float(edge[2]) for edge in edges]
    tails, heads = np.array(graph.get_edgelist()).T
    run = {"directed": directed, "weighted": kind is not None, "device": fast_device}
    cutoff = [0, 1, 2, 5.5, 8, 1000]
    nodes = betweenness(A, normalized=False, cutoff=cutoff, **run)
    along = edge_betweenness(A, normalized=False, cutoff=cutoff, **run)
    mean = closeness(A, direction="out", wf_improved=False, cutoff=cutoff, **run)
    near = harmonic(A, cutoff=cutoff, **run)
    for column, most in enumerate(cutoff):
        asked = {"cutoff": most, "weights": lengths}
        assert_same(nodes[:, column], graph.betweenness(directed=directed, **asked), A)
        want = graph.edge_betweenness(directed=directed, **asked)
        assert_same(along[column].toarray()[tails, heads], want, A)
        assert_same(mean[:, column], np.nan_to_num(graph.closeness(mode="out", **asked)), A)
        if HAS_HARMONIC:
            want = graph.harmonic_centrality(mode="in", normalized=False, **asked)
            assert_same(near[:, column], want, A)
    some, others = rng.permutation(n)[: n // 2].tolist(), rng.permutation(n)[: n // 3].tolist()
    ends = {"sources": some, "targets": others}
    want = graph.edge_betweenness(directed=directed, weights=lengths, **ends)
    got = edge_betweenness(A, normalized=False, **ends, **run)
    assert_same(got.toarray()[tails, heads], want, A)


NAN = np.nan
STAR = matrix(nx.star_graph(4))
DRAWS_LEAF_1 = next(
    seed
    for seed in itertools.count()
    if np.random.default_rng(seed).choice(5, 1, replace=False).tolist() == [1]
)


@pytest.mark.parametrize(
    ("normalized", "endpoints", "directed", "k", "hub", "source", "leaf"),
    [
        (True, True, True, None, 1, 0.4, 0.4),
        (True, True, True, 1, 1, 1, 0.25),
        (True, True, False, None, 1, 0.4, 0.4),
        (True, True, False, 1, 1, 1, 0.25),
        (True, False, True, None, 1, 0, 0),
        (True, False, True, 1, 1, NAN, 0),
        (True, False, False, None, 1, 0, 0),
        (True, False, False, 1, 1, NAN, 0),
        (False, True, True, None, 20, 8, 8),
        (False, True, True, 1, 20, 20, 5),
        (False, True, False, None, 10, 4, 4),
        (False, True, False, 1, 10, 10, 2.5),
        (False, False, True, None, 12, 0, 0),
        (False, False, True, 1, 12, NAN, 0),
        (False, False, False, None, 6, 0, 0),
        (False, False, False, 1, 6, NAN, 0),
    ],
)
def test_star_table_of_networkx(fast_device, normalized, endpoints, directed, k, hub, source, leaf):
    """The table NetworkX keeps for its sampled scaling: hub 0, the source is leaf 1."""
    ways = {"normalized": normalized, "endpoints": endpoints, "directed": directed}
    sample = {"k": k, "rng": None if k is None else DRAWS_LEAF_1}
    got = betweenness(STAR, **ways, **sample, device=fast_device)
    np.testing.assert_allclose(got, [hub, source, leaf, leaf, leaf], rtol=1e-14)
