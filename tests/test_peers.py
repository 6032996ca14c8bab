"""Scores within cutoffs and of chosen pairs beside igraph, which shares no code.

Those of NetworkX are beside ours in `test_networkx_laws`.
"""

import igraph
import numpy as np
import pytest
from graphs import LARGE, MEDIUM, SELECTED, peer, with_lengths

from sparsebc import betweenness, closeness, edge_betweenness, harmonic

BOOLS = (True, False)
BESIDE_IGRAPH = ("digraph", "disconnected", "communities", *SELECTED)
# igraph before 1.0 takes `normalized` of harmonic centralities for their cutoff.
HAS_HARMONIC = any(igraph.Graph([(0, 1)]).harmonic_centrality(cutoff=1, normalized=False))


def graph_of(name, kind):
    """A named graph, by edges or with lengths of a kind."""
    A = (MEDIUM | LARGE)[name]
    return A if kind is None else with_lengths(A, [1.0, 2.0, 3.0], seed=77)


def close(got, want, case=None):
    """Equal up to the order of float additions."""
    np.testing.assert_allclose(got, want, rtol=1e-11, atol=1e-11, err_msg=str(case))


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
