"""Graphs of graph-tool, which distributions of Linux and conda have: against its own numbers."""

import re

import numpy as np
import pytest
from graph_texts import assert_canonical, edges

from sparsebc import betweenness, io


@pytest.fixture
def graph_tool():
    return pytest.importorskip("graph_tool")


@pytest.fixture
def make(graph_tool):
    """A graph of 30 vertices with weights, loops among its edges and no parallel ones."""

    def call(directed):
        rng = np.random.default_rng(7)
        ends = np.unique(np.sort(rng.integers(0, 30, (80, 2)), axis=1), axis=0)
        graph = graph_tool.Graph(directed=directed)
        graph.add_vertex(31)
        graph.add_edge_list(ends[:, :: -1 if directed else 1])
        graph.ep["w"] = graph.new_ep("int")
        graph.ep["w"].a = rng.integers(1, 9, len(ends))
        return graph

    return call


@pytest.mark.parametrize("directed", [True, False])
def test_its_own_numbers(make, directed):
    """Betweenness of vertices by lengths and without."""
    central = pytest.importorskip("graph_tool.centrality")
    graph = make(directed)
    matrix, names = io.from_graph_tool(graph, "w")
    assert names == tuple(map(str, range(31)))
    by_map = io.from_graph_tool(graph, graph.ep["w"]).matrix
    assert (by_map != matrix).nnz == 0
    for weighted in (True, False):
        theirs, _ = central.betweenness(graph, weight=graph.ep["w"] if weighted else None)
        ours = betweenness(matrix, directed=directed, weighted=weighted, device="reference")
        np.testing.assert_allclose(ours, theirs.a, atol=1e-14)
    plain = io.from_graph_tool(graph).matrix
    assert (set(plain.data), plain.nnz) == ({1}, matrix.nnz)


def test_views_and_names(make):
    """What is filtered out is not there; a reversed view leads back."""
    import graph_tool

    graph = make(True)
    graph.vp["name"] = graph.new_vp("string", [f"v{k}" for k in range(31)])
    there = edges(io.from_graph_tool(graph, "w"))
    assert_canonical(io.from_graph_tool(graph, "w"))
    assert there == {
        (f"v{int(e.source())}", f"v{int(e.target())}"): graph.ep["w"][e] for e in graph.edges()
    }
    part = graph_tool.GraphView(graph, vfilt=lambda v: int(v) % 3 != 0)
    found = io.from_graph_tool(part, "w")
    assert found.names == tuple(f"v{k}" for k in range(31) if k % 3)
    assert edges(found) == {e: w for e, w in there.items() if set(e) <= set(found.names)}
    back = graph_tool.GraphView(graph, reversed=True)
    assert edges(io.from_graph_tool(back, "w")) == {(v, u): w for (u, v), w in there.items()}


def test_what_is_refused(make):
    graph = make(False)
    with pytest.raises(ValueError, match=r"no edge property 'x'; there are \['w'\]"):
        io.from_graph_tool(graph, "x")
    with pytest.raises(ValueError, match="scalar type"):
        io.from_graph_tool(graph, graph.new_ep("string"))
    graph.vp["name"] = graph.new_vp("string", val="twice")
    with pytest.raises(ValueError, match=re.escape("graph.vp['name'] has a name twice")):
        io.from_graph_tool(graph)
    graph = make(False)
    graph.ep["w"][graph.add_edge(0, 1)] = 100
    graph.ep["w"][graph.add_edge(0, 1)] = 200
    with pytest.raises(ValueError, match=r"edge '0' - '1': weight"):
        io.from_graph_tool(graph, "w")
