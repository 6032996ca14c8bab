"""Questions to NetworkX's functions: graphs of every class and view of them, and arguments."""

import math
import random
from fractions import Fraction

import networkx as nx
import numpy as np
from hypothesis import strategies as st

from sparsebc.networkx.functions import BARYCENTER, FUNCTIONS

NAMES = ("a", "", 7, -1, 2.5, (1, 2), frozenset({3}), True, "b", 10**30)
LENGTHS = {
    "none": st.none(),
    "ints": st.integers(1, 3),
    "fractions": st.sampled_from((0.1, 0.2, 0.3, 0.7)),
    "mixed": st.sampled_from((1, 2.0, 0.5)),
    "far apart": st.sampled_from((1e-20, 1.5, 1e20, 2**53 - 1, 2.0**52, 1, 1e307)),
    "odd": st.sampled_from(
        (0, -1, math.inf, math.nan, "1", 2**60, 10**400, 1e-310, np.float32(1), np.int64(2), 1j,
         Fraction(1, 3), True)
    ),
}  # fmt: skip


class Sorted(dict):
    """Iterates in the order of the keys' texts."""

    def __iter__(self):
        return iter(sorted(self.keys(), key=repr))


def sorting(kind):
    """A subclass whose nodes come in another order than its rows."""
    return type(f"Sorting{kind.__name__}", (kind,), {"node_dict_factory": Sorted})


CLASSES = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
VIEWS = {
    "induced": lambda G: G.subgraph(list(G)[1:]),
    "without an edge": lambda G: nx.restricted_view(G, [], list(G.edges)[:1]),
    "reversed": lambda G: nx.reverse_view(G) if G.is_directed() else G.to_directed(as_view=True),
    "undirected": lambda G: G.to_undirected(as_view=True),
}


def by_names(u, v, data):
    """A length that does not depend on the direction."""
    return 1 + len(str(u)) + len(str(v))


def uneven(u, v, data):
    """A length that depends on the direction."""
    return 1 if str(u) < str(v) else 2


def doubled(u, v, data):
    """Twice the length of an edge, of the shortest if data are those of parallel ones by key."""
    edges = [one for one in data.values() if isinstance(one, dict)] or [data]
    return 2 * min(one.get("w", 1) for one in edges)


class Model:
    """Its methods compare equal, whatever the toll; no instance is hashable."""

    __hash__ = None
    toll = 1

    def __eq__(self, other):
        return True

    def __call__(self, u, v, data):
        return self.toll

    length = __call__


class Once(list):
    """Handed over as an iterator."""


class Seed:
    """Handed over as a generator of random numbers."""

    def __init__(self, kind):
        self.kind = kind

    def __repr__(self):
        return f"Seed({self.kind.__name__})"


@st.composite
def networks(
    draw, lengths=("none", "ints", "fractions", "mixed"), *, kinds=CLASSES, connected=False
):
    """A graph of one of the classes, with loops and parallel edges, some without a length."""
    G = draw(st.sampled_from(kinds))()
    names = draw(st.permutations(NAMES))[: draw(st.integers(0, 7))]
    G.add_nodes_from(names)
    G.name = draw(st.sampled_from(("", "net")))
    length = LENGTHS[draw(st.sampled_from(lengths))]
    if names:
        node = st.sampled_from(names)
        for u, v, w in draw(st.lists(st.tuples(node, node, length), max_size=14)):
            G.add_edge(u, v, **({} if w is None else {"w": w}))
        if connected:
            nx.add_path(G, names)
    states = draw(st.dictionaries(st.sampled_from(NAMES), st.sampled_from((0, 1, 0.25, 0.1, -1))))
    nx.set_node_attributes(G, {node: states[node] for node in states if node in G}, "x")
    return G


def arguments(name, G):
    """What a function may be asked beside the graph, each argument or none of them."""
    nodes = st.sampled_from([*G, "missing"])
    some = st.lists(nodes, max_size=6)
    listed = some | some.map(Once) | st.sets(st.sampled_from([*G] or ["missing"]))
    one = nodes | st.just([1])
    flag = st.booleans()
    callables = (by_names, doubled, uneven, Model(), Model().length)
    weight = st.sampled_from((None, "w", "w", "w", "v", *callables))
    k = st.none() | st.integers(-1, len(G) + 1) | st.sampled_from(("a", math.inf, 1.5, True))
    seed = st.sampled_from((None, 7, Seed(random.Random), Seed(np.random.RandomState)))
    cutoff = st.sampled_from((None, 0, 1, 1.5, math.inf, -1))
    sample = {"k": k, "normalized": flag, "weight": weight, "seed": seed}
    subset = {"sources": listed, "targets": listed}
    extreme = {"e": st.none(), "usebounds": flag, "weight": weight}
    states = st.dictionaries(nodes, st.sampled_from((0, 1, 0.25, 0.1))).map(
        lambda found: dict.fromkeys(G, 1) | found
    )
    methods = (None, "", "unweighted", "dijkstra", "bellman-ford", "floyd-warshall", "guess")
    asked = {
        "betweenness_centrality": sample | {"endpoints": flag},
        "edge_betweenness_centrality": sample,
        "betweenness_centrality_subset": {"normalized": flag, "weight": weight},
        "percolation_centrality": {"attribute": st.just("x"), "states": states, "weight": weight},
        "closeness_centrality": {"u": one, "distance": weight, "wf_improved": flag},
        "harmonic_centrality": {"nbunch": listed | one, "distance": weight, "sources": listed},
        "global_efficiency": {},
        "eccentricity": {"v": listed | one, "sp": st.none(), "weight": weight},
        "average_shortest_path_length": {"weight": weight, "method": st.sampled_from(methods)},
        "all_pairs_shortest_path_length": {"cutoff": cutoff},
        "all_pairs_dijkstra_path_length": {"cutoff": cutoff, "weight": weight},
    }
    for extremes in ("center", "diameter", "periphery", "radius"):
        asked[extremes] = extreme
    for sums in ("wiener_index", BARYCENTER):
        asked[sums] = {"weight": weight}
    needed = subset if name == "betweenness_centrality_subset" else {}
    return st.fixed_dictionaries(needed, optional=asked[name])


# By their definitions below, as NetworkX differs, or ties of edges decide.
APART = {
    name
    for name in FUNCTIONS
    if FUNCTIONS[name].by_name or name in ("edge_betweenness_partition", "girvan_newman")
}
ALIKE = sorted(name for name in FUNCTIONS if name not in APART and hasattr(nx, name))


def lengths_of(G, asked):
    """Types of the lengths that a question is about."""
    weight = asked.get("weight", asked.get("distance"))
    attribute = weight if isinstance(weight, str) else "w"
    return {type(length) for *_, length in G.edges(data=attribute, default=1)}


@st.composite
def questions(draw):
    """A function by name, a graph or a view of one, and arguments."""
    name = draw(st.sampled_from(ALIKE))
    kinds = CLASSES * 3 + tuple(map(sorting, CLASSES))
    G = draw(networks(tuple(LENGTHS), kinds=kinds, connected=draw(st.booleans())))
    if draw(st.integers(0, 3)) == 0:
        G = VIEWS[draw(st.sampled_from(sorted(VIEWS)))](G)
    asked = draw(arguments(name, G))
    if callable(asked.get("weight")) or not lengths_of(G, asked) <= {int}:
        asked.pop("usebounds", None)  # where ways back are longer by an ulp, its search never ends
    return name, G, asked
