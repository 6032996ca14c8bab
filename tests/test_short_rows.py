"""Rows of a graph as records of four entries, for sources that are swept alone."""

import networkx as nx
import numpy as np
import pytest
from graphs import close, matrix, peer

from sparsebc import centralities
from sparsebc.engines.common import batching
from sparsebc.engines.cpu.common import short_rows
from sparsebc.graph.ops import GraphOps
from sparsebc.graph.read_matrix import canonical


def hubs():
    """A ladder, and nodes with 0 to 9 neighbours on it."""
    G = nx.ladder_graph(40)
    for degree in range(10):
        G.add_node(f"hub {degree}")
        G.add_edges_from((f"hub {degree}", 4 * i + degree % 4) for i in range(degree))
    return nx.convert_node_labels_to_integers(G)


def test_a_record_is_the_row_or_says_that_it_is_longer():
    """Filled up with the number of the row itself, which is no neighbour."""
    G = hubs()
    pattern = canonical(matrix(G), directed=False, ops_for=lambda entries: GraphOps()).outgoing
    records = short_rows.with_records(pattern).records.reshape(-1, 4)
    for v in G:
        if G.degree(v) > 4:
            assert records[v, 3] == short_rows.LONG
        else:
            assert sorted(records[v]) == sorted([*G[v], *[v] * (4 - G.degree(v))])


def test_long_rows_have_no_records():
    """Where rows are long in the mean, none would hold one."""
    pattern = canonical(
        matrix(nx.complete_graph(6)), directed=False, ops_for=lambda entries: GraphOps()
    ).outgoing
    assert short_rows.with_records(pattern).records.size == 0 == short_rows.nbytes(6, 30)


@pytest.mark.parametrize("more", [0, 200])
@pytest.mark.parametrize("directed", [False, True])
def test_rows_of_any_length(directed, more, monkeypatch):
    """With records and without them, for nodes and arcs."""
    monkeypatch.setattr(batching, "ALONE", 10**9)
    G, rng = hubs(), np.random.default_rng(1)
    G.add_edges_from(rng.choice(80, (more, 2)).tolist())
    G.remove_edges_from(list(nx.selfloop_edges(G)))
    A = matrix(G)
    if directed:
        A.data[rng.random(A.nnz) < 0.2] = 0
        A.eliminate_zeros()
    options = {"directed": directed, "normalized": False, "reduce": "none", "device": "cpu"}
    got = centralities(A, ("betweenness", "edge_betweenness"), **options)
    nodes = nx.betweenness_centrality(peer(A, directed=directed), normalized=False)
    close(got["betweenness"], [nodes[v] for v in range(A.shape[0])])
    arcs = nx.edge_betweenness_centrality(peer(A, directed=directed), normalized=False)
    found = got["edge_betweenness"].tocsr()
    close([found[arc] for arc in arcs], list(arcs.values()))
