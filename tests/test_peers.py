"""Scores beside those of libraries that share no code: igraph, NetworkX, scipy.sparse.csgraph.

Those of the backend are beside NetworkX's in `test_networkx_laws`.
"""

from random import Random

import igraph
import networkx as nx
import numpy as np
import pytest
from graphs import LARGE, MEDIUM, SELECTED, close, peer, with_lengths
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csgraph

from sparsebc import (
    accessibility,
    betweenness,
    bfs,
    closeness,
    distance_summary,
    eccentricity,
    edge_betweenness,
    harmonic,
    nearest,
)
from sparsebc.testing import matrices

BOOLS = (True, False)
BESIDE_IGRAPH = ("digraph", "disconnected", "communities", *SELECTED)
# igraph before 1.0 takes `normalized` of harmonic centralities for their cutoff.
HAS_HARMONIC = any(igraph.Graph([(0, 1)]).harmonic_centrality(cutoff=1, normalized=False))


def graph_of(name, kind):
    """A named graph, by edges or with lengths of a kind."""
    A = (MEDIUM | LARGE)[name]
    return A if kind is None else with_lengths(A, [1.0, 2.0, 3.0], seed=77)


@pytest.mark.parametrize("directed", BOOLS, ids=["directed", "undirected"])
@pytest.mark.parametrize("kind", [None, "few"])
@pytest.mark.parametrize("name", BESIDE_IGRAPH)
def test_scores_are_those_of_igraph(fast_device, name, kind, directed):
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
        close(nodes[:, column], graph.betweenness(directed=directed, **asked))
        want = graph.edge_betweenness(directed=directed, **asked)
        close(along[column].toarray()[tails, heads], want)
        close(mean[:, column], np.nan_to_num(graph.closeness(mode="out", **asked)))
        if HAS_HARMONIC:
            want = graph.harmonic_centrality(mode="in", normalized=False, **asked)
            close(near[:, column], want)
    some, others = rng.permutation(n)[: n // 2].tolist(), rng.permutation(n)[: n // 3].tolist()
    ends = {"sources": some, "targets": others}
    want = graph.edge_betweenness(directed=directed, weights=lengths, **ends)
    got = edge_betweenness(A, normalized=False, **ends, **run)
    close(got.toarray()[tails, heads], want)


@settings(max_examples=60)
@given(matrices(max_nodes=10, max_edges=30), st.booleans(), st.integers(0, 2**32 - 1))
def test_lengths_of_zero_are_edges_where_no_paths_are_counted(fast_device, A, directed, seed):
    """Stored zeros are edges of length 0 where no paths are counted, as in csgraph and NetworkX.

    Searches on a GPU refuse them.
    """
    A, rng = A.tocsr(), np.random.default_rng(seed)
    A.sum_duplicates()
    zeros = [0, 0] * (not fast_device.startswith("cuda"))
    A.data, n = rng.choice([*zeros, 0.5, 1, 2], A.nnz), A.shape[0]
    run = {"weighted": True, "directed": directed, "device": fast_device}
    W = csgraph.csgraph_to_dense(A, null_value=np.inf)
    tails, heads = np.nonzero(np.isfinite(W))
    graph = nx.DiGraph() if directed else nx.Graph()
    graph.add_nodes_from(range(n))
    lengths = (W if directed else np.minimum(W, W.T))[tails, heads]
    graph.add_weighted_edges_from(zip(tails.tolist(), heads.tolist(), lengths, strict=True))
    distance = csgraph.dijkstra(A, directed=directed)
    close(closeness(A, **run), [*nx.closeness_centrality(graph, distance="weight").values()])
    close(harmonic(A, **run), [*nx.harmonic_centrality(graph, distance="weight").values()])
    reached = np.where(np.isfinite(distance), distance, 0)
    close(eccentricity(A, reachable_only=True, **run), reached.max(axis=1, initial=0))
    for cutoff in (0, 1):
        close(accessibility(A, cutoff=cutoff, **run), (distance <= cutoff).sum(axis=1))
    places = rng.permutation(n) < n // 2 + 1
    close(nearest(A, places, **run), distance[:, places].min(axis=1, initial=np.inf))


@settings(max_examples=30)
@given(matrices(min_nodes=3, max_nodes=12), st.booleans(), st.booleans(), st.data())
def test_nodes_that_stand_for_all_are_scaled_as_by_networkx(A, directed, normalized, data):
    """Scaled as NetworkX scales the nodes that it draws."""
    n, how = A.shape[0], {"normalized": normalized}
    seed, k = data.draw(st.integers(0, 99)), data.draw(st.integers(2, n))
    drawn, graph = Random(seed).sample(range(n), k), peer(A, directed=directed)
    for endpoints in BOOLS:
        ends = how | {"endpoints": endpoints}
        want = nx.betweenness_centrality(graph, k=k, seed=Random(seed), **ends)
        close(betweenness(A, k=drawn, directed=directed, **ends), [*want.values()])
    got = edge_betweenness(A, k=drawn, directed=directed, **how)
    want = nx.edge_betweenness_centrality(graph, k=k, seed=Random(seed), **how)
    close([got[edge] for edge in want], [*want.values()])
    mask = np.isin(np.arange(n), drawn)
    whole = harmonic(A, sources=drawn, directed=directed) * (n - 1) / (k - mask)
    close(harmonic(A, k=mask, directed=directed), whole)


@settings(max_examples=30)
@given(matrices(min_nodes=2, max_nodes=10), st.booleans())
def test_normalized_scores_are_those_of_networkit(A, directed):
    """Closeness is its generalized one, outgoing; a version ignores ``normalized=False`` there."""
    nk = pytest.importorskip("networkit")
    n, ways = A.shape[0], {"direction": "out", "directed": directed}
    graph = nk.nxadapter.nx2nk(peer(A, directed=directed))
    graph.removeSelfLoops()
    for normalized in BOOLS:
        want = nk.centrality.HarmonicCloseness(graph, normalized).run().scores()
        close(harmonic(A, normalized=normalized, **ways), want)
    variant = nk.centrality.ClosenessVariant.GENERALIZED
    scores = nk.centrality.Closeness(graph, True, variant).run().scores()
    close(closeness(A, **ways), scores)
    reached = np.maximum((bfs(A, directed=directed) > 0).sum(axis=1), 1)
    close(closeness(A, normalized=False, **ways), scores / reached)
    mean = closeness(A, wf_improved=False, normalized=False, **ways)
    close(mean * reached**2, np.array(scores) * (n - 1))
    some = harmonic(A, normalized=True, k=[0, 1], **ways) * (n - 1)
    close(some, harmonic(A, k=[0, 1], **ways))


@pytest.mark.parametrize("directed", BOOLS, ids=["directed", "undirected"])
@pytest.mark.parametrize("kind", [None, "few"])
@pytest.mark.parametrize("name", BESIDE_IGRAPH)
def test_summaries_of_distances_are_those_of_igraph_and_scipy(fast_device, name, kind, directed):
    """Those of igraph, and with SciPy's matrix of them the share of the pairs that have a path."""
    A = graph_of(name, kind)
    n, weights = A.shape[0], None
    edges = list(peer(A, directed=directed).edges(data="weight"))
    graph = igraph.Graph(n, [edge[:2] for edge in edges], directed=directed)
    run = {"directed": directed, "weighted": kind is not None, "device": fast_device}
    found = distance_summary(A, **run)
    distance = csgraph.dijkstra(A, directed=directed, unweighted=kind is None)
    if kind is None:
        theirs = graph.path_length_hist(directed=directed)
        times = 1 if directed else 2  # igraph counts a pair once
        assert found.counts.tolist() == [0, *(times * count for *_, count in theirs.bins())]
        assert found.radius == np.where(np.isfinite(distance), distance, 0).max(axis=1).min()
    else:
        weights = [float(edge[2]) for edge in edges]
        bins = np.ceil(distance[np.isfinite(distance) & (distance > 0)] / found.width)
        assert found.counts.tolist() == np.bincount(bins.astype(int)).tolist()
    assert found.diameter == graph.diameter(directed=directed, weights=weights)
    close(found.mean, graph.average_path_length(directed=directed, weights=weights))
    np.fill_diagonal(distance, np.inf)
    pairs = n * (n - 1)
    close(found.reachable, np.isfinite(distance).sum() / pairs)
    close(found.efficiency, (1 / distance).sum() / pairs)
    some = distance_summary(A, k=[1, 0], **run)
    close(some.efficiency, (1 / distance[:2]).sum() / (2 * (n - 1)))
    assert (some.counts.sum(), some.width) == (np.isfinite(distance[:2]).sum(), found.width)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_a_summary_of_no_distances_is_undefined(device, n):
    for weighted in BOOLS:
        found = distance_summary(np.zeros((n, n)), weighted=weighted, device=device)
        assert np.isnan(found.mean)
        assert (found[1:5], found.counts.tolist()) == ((0, 0, 0, 0), [0])
