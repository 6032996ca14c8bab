"""Only pairs at most so far apart: ``cutoff`` beside that of igraph, of nodes and edges."""

import functools

import igraph
import numpy as np
import pytest
from graphs import LARGE, MEDIUM, close, peer, with_lengths

from sparsebc import betweenness, closeness, edge_betweenness, harmonic

GRAPHS = MEDIUM | LARGE
BESIDE_IGRAPH = ("digraph", "disconnected", "communities", "leaves on hubs", "grid", "streets")
# igraph before 1.0 takes `normalized` of harmonic centralities for their cutoff.
HAS_HARMONIC = any(igraph.Graph([(0, 1)]).harmonic_centrality(cutoff=1, normalized=False))


@functools.cache
def in_igraph(name, *, directed, weighted):
    """A matrix, and the graph that igraph sees in it."""
    A = with_lengths(GRAPHS[name], [1, 2, 2.5, 4]) if weighted else GRAPHS[name]
    edges = list(peer(A, directed=directed).edges(data="weight"))
    graph = igraph.Graph(A.shape[0], [edge[:2] for edge in edges], directed=directed)
    return A, graph, [edge[2] for edge in edges] if weighted else None


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
@pytest.mark.parametrize("name", BESIDE_IGRAPH)
def test_equals_igraph(name, directed, weighted):
    """Raw scores of nodes and edges; means of distances from nodes, inverse distances to them."""
    A, graph, lengths = in_igraph(name, directed=directed, weighted=weighted)
    cutoff = [0, 1, 2, 5.5, 8, 1000]
    ways = {"directed": directed, "weighted": weighted, "cutoff": cutoff, "device": "cpu"}
    nodes = betweenness(A, normalized=False, **ways)
    along = edge_betweenness(A, normalized=False, **ways)
    mean = closeness(A, direction="out", wf_improved=False, **ways)
    near = harmonic(A, **ways)
    tails, heads = np.array(graph.get_edgelist()).T
    for column, most in enumerate(cutoff):
        asked = {"cutoff": most, "weights": lengths}
        close(nodes[:, column], graph.betweenness(directed=directed, **asked))
        want = graph.edge_betweenness(directed=directed, **asked)
        close(along[column].toarray()[tails, heads], want)
        close(mean[:, column], np.nan_to_num(graph.closeness(mode="out", **asked)))
        if HAS_HARMONIC:
            want = graph.harmonic_centrality(mode="in", normalized=False, **asked)
            close(near[:, column], want)
