"""Conversions that NetworkX caches, while the graph and what its views show change."""

import contextlib
import functools
import pickle

import networkx as nx
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

NODE = st.integers(0, 6)
LENGTH = st.sampled_from((1, 2, 0.5))
ASKED = {
    "weight": (nx.betweenness_centrality, nx.edge_betweenness_centrality),
    "distance": (nx.closeness_centrality, nx.harmonic_centrality),
}


class Cached(RuleBasedStateMachine):
    """Whatever was asked before, answers are those of NetworkX, which caches nothing."""

    @initialize(cls=st.sampled_from((nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)))
    def begin(self, cls):
        self.G = nx.path_graph(5, create_using=cls)
        self.views, self.toll = [], 1

    @rule(u=NODE, v=NODE, length=LENGTH)
    def add_edge(self, u, v, length):
        self.G.add_edge(u, v, w=length)

    @rule(node=NODE)
    def add_node(self, node):
        self.G.add_node(node)

    @precondition(lambda self: self.G.size())
    @rule(at=st.integers(0, 99))
    def remove_edge(self, at):
        self.G.remove_edge(*list(self.G.edges())[at % self.G.size()])

    @precondition(lambda self: len(self.G))
    @rule(at=st.integers(0, 99))
    def remove_node(self, at):
        self.G.remove_node(list(self.G)[at % len(self.G)])

    @rule(length=LENGTH)
    def change_lengths(self, length):
        nx.set_edge_attributes(self.G, length, "w")

    @rule(toll=st.integers(1, 3))
    def change_toll(self, toll):
        """Of which no graph knows."""
        self.toll = toll

    @rule(nodes=st.sets(NODE))
    def view(self, nodes):
        self.views.append(nx.subgraph_view(self.G, filter_node=lambda node: node not in nodes))

    @precondition(lambda self: self.G.is_directed())
    @rule()
    def view_backward(self):
        self.views.append(self.G.reverse(copy=False))

    @rule()
    def pickle(self):
        """Views are of the graph that was, which nobody changes any more."""
        self.G = pickle.loads(pickle.dumps(self.G))

    def length(self, u, v, data):
        """Length of an edge for NetworkX: of parallel edges all data are given."""
        edges = data.values() if self.G.is_multigraph() else [data]
        return self.toll * min(edge.get("w", 1) for edge in edges)

    @rule(
        name=st.sampled_from(sorted(ASKED)),
        which=st.integers(0, 1),
        lengths=st.sampled_from((None, "w", "function")),
    )
    def ask(self, name, which, lengths):
        """Of the graph, and of views."""
        function = functools.partial(
            ASKED[name][which], **{name: self.length if lengths == "function" else lengths}
        )
        for graph in (self.G, *self.views[:2]):
            with (
                nx.config(cache_converted_graphs=True, warnings_to_ignore={"cache"}),
                contextlib.suppress(NotImplementedError),  # handed back: functions of arcs reversed
            ):
                ours = function(graph, backend="sparsebc")
                assert ours == pytest.approx(function(graph))


Cached.TestCase.settings = settings(max_examples=30, stateful_step_count=20)
TestCached = Cached.TestCase
