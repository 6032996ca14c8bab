"""The backend against NetworkX itself: every function, on random graphs of all four classes."""

import math

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsebc.networkx.functions import BARYCENTER, FUNCTIONS, SINCE_3_7

CLASSES = (nx.Graph, nx.DiGraph, nx.MultiGraph, nx.MultiDiGraph)
NAMES = ("a", "", 7, -1, 2.5, (1, 2), frozenset({3}), True, "b", 10**30)
LENGTHS = {
    "none": st.none(),
    "ints": st.integers(1, 3),
    "fractions": st.sampled_from((0.1, 0.2, 0.3, 0.7)),
    "mixed": st.sampled_from((1, 2.0, 0.5)),
}
# NetworkX 3.5 has no such index, does not scale edge scores of a sample, and has other words for
# the barycenter of a graph of no nodes.
AS_OF_3_6 = hasattr(nx, "hyper_wiener_index")
LATER = [nx.hyper_wiener_index] if AS_OF_3_6 else []
# What each function is asked, beside the graph: lengths by "w".
SCORES = [
    *((nx.betweenness_centrality, {"normalized": n, "endpoints": e, "weight": w})
      for n in (True, False) for e in (True, False) for w in (None, "w")),
    *((nx.edge_betweenness_centrality, {"normalized": n, "weight": w})
      for n in (True, False) for w in (None, "w")),
    *((nx.closeness_centrality, {"wf_improved": f, "distance": w})
      for f in (True, False) for w in (None, "w")),
    *((nx.harmonic_centrality, {"distance": w}) for w in (None, "w")),
]  # fmt: skip
DISTANCES = [
    *((function, {"weight": w})
      for function in (nx.eccentricity, nx.diameter, nx.radius, nx.center, nx.periphery)
      for w in (None, "w")),
    *((function, {"usebounds": True}) for function in (nx.diameter, nx.center, nx.periphery)),
    *((nx.average_shortest_path_length, {"weight": w}) for w in (None, "w")),
    (nx.average_shortest_path_length, {"weight": "w", "method": "floyd-warshall"}),
    *((function, {"weight": w})
      for function in (nx.wiener_index, nx.schultz_index, nx.gutman_index, *LATER)
      for w in (None, "w")),
    *([(nx.barycenter, {})] if AS_OF_3_6 else []),
    (nx.global_efficiency, {}),
    (nx.global_reaching_centrality, {}),
    (nx.all_pairs_shortest_path_length, {}),
    (nx.all_pairs_shortest_path_length, {"cutoff": 1.5}),
    (nx.all_pairs_dijkstra_path_length, {"weight": None, "cutoff": 1.5}),
    (nx.all_pairs_dijkstra_path_length, {"weight": "w"}),
    (nx.all_pairs_dijkstra_path_length, {"weight": "w", "cutoff": 1.5}),
    (nx.shortest_path_length, {"weight": "w"}),
]  # fmt: skip
PAIRS = (
    nx.all_pairs_shortest_path_length,
    nx.all_pairs_dijkstra_path_length,
    nx.shortest_path_length,
)
COMPONENTS = [
    (getattr(nx, f"{start}{kind}connected{end}"), {})
    for kind in ("", "strongly_", "weakly_")
    for start, end in (("", "_components"), ("number_", "_components"), ("is_", ""))
]


@st.composite
def networks(draw):
    """A graph of one of the classes, with loops and parallel edges, some without a length."""
    G = draw(st.sampled_from(CLASSES))()
    names = draw(st.permutations(NAMES))[: draw(st.integers(0, 7))]
    G.add_nodes_from(names)
    length = LENGTHS[draw(st.sampled_from(tuple(LENGTHS)))]
    if names:
        node = st.sampled_from(names)
        for u, v, w in draw(st.lists(st.tuples(node, node, length), max_size=14)):
            G.add_edge(u, v, **({} if w is None else {"w": w}))
    return G


def outcome(function, G, backend, **asked):
    """What a call gives, an iterator used up, or the type and text of what it raises."""
    try:
        with nx.config(cache_converted_graphs=False):
            found = function(G, backend=backend, **asked)
            return list(found) if hasattr(found, "__next__") else found
    except Exception as error:
        return type(error), str(error)


def outcomes(function, G, **asked):
    """Our outcome, and NetworkX's."""
    return [outcome(function, G, backend, **asked) for backend in ("sparsebc", None)]


def assert_same(ours, theirs, G):
    """Equal to roundings, of the same types, with the same keys in the same order.

    Where some lengths are ints and some floats, NetworkX's sums are one or the other by the path.
    """
    if isinstance(theirs, int | float):
        lengths = {type(length) for *_, length in G.edges(data="w", default=1)}
        assert type(ours) is type(theirs) or (type(ours) is float and len(lengths) == 2)
        assert math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12) or ours != ours != theirs
    elif isinstance(theirs, dict):
        assert type(ours) is dict
        assert list(ours) == list(theirs)
        for key, value in theirs.items():
            assert_same(ours[key], value, G)
    else:
        assert type(ours) is type(theirs)
        assert ours == theirs


def assert_rows(ours, theirs, G):
    """Distances of all pairs, in ascending order: NetworkX has them in that of its search."""
    assert [node for node, _ in ours] == [node for node, _ in theirs]
    for (_, mine), (_, other) in zip(ours, theirs, strict=True):
        assert list(mine.values()) == sorted(mine.values())
        assert_same(mine, {node: other[node] for node in mine}, G)
        assert len(mine) == len(other)


@pytest.mark.parametrize(
    ("function", "asked"),
    [*SCORES, *DISTANCES, *COMPONENTS],
    ids=lambda part: getattr(part, "__name__", str(part)),
)
@given(G=networks())
@settings(max_examples=12)
def test_every_option(function, asked, G):
    """Of graphs that are mostly connected too, where that decides whether there is an answer."""
    connected = nx.compose(G, nx.path_graph(list(G), create_using=type(G)))
    for graph in (G, connected) if (function, asked) in DISTANCES else (G,):
        ours, theirs = outcomes(function, graph, **asked)
        if function is nx.strongly_connected_components and isinstance(theirs, list):
            ours, theirs = set(map(frozenset, ours)), set(map(frozenset, theirs))
        if function in PAIRS and isinstance(theirs, list):
            assert_rows(ours, theirs, graph)
        else:
            assert_same(ours, theirs, graph)


@given(G=networks(), data=st.data())
@settings(max_examples=80)
def test_samples_and_chosen_nodes(G, data):
    """Seeds draw NetworkX's own sample; sources may repeat; nodes may be missing."""
    nodes = st.sampled_from([*G, "missing"])
    some = data.draw(st.lists(nodes, max_size=6))
    others = data.draw(st.lists(nodes, max_size=6))
    weight = data.draw(st.sampled_from((None, "w")))
    k = data.draw(st.integers(0, len(G) + 1))
    node = data.draw(nodes)
    for function, asked in (
        (nx.betweenness_centrality, {"k": k, "seed": 5, "weight": weight}),
        (nx.betweenness_centrality, {"k": k, "seed": 5, "normalized": False, "endpoints": True}),
        (nx.betweenness_centrality, {"k": k, "seed": 5, "normalized": False}),
        *([(nx.edge_betweenness_centrality, {"k": k, "seed": 5, "weight": weight})] * AS_OF_3_6),
        (nx.betweenness_centrality_subset,
         {"sources": some, "targets": others, "weight": weight, "normalized": True}),
        (nx.closeness_centrality, {"u": node, "distance": weight}),
        (nx.harmonic_centrality, {"nbunch": some, "sources": others, "distance": weight}),
        (nx.eccentricity, {"v": some}),
        (nx.eccentricity, {"v": node, "weight": weight}),
        (nx.shortest_path_length, {"source": node, "target": data.draw(nodes), "weight": weight}),
    ):  # fmt: skip
        ours, theirs = outcomes(function, G, **asked)
        assert_same(ours, theirs, G)
    for function, asked in (
        (nx.single_source_shortest_path_length, {"source": node}),
        (nx.single_source_shortest_path_length, {"source": node, "cutoff": 1}),
        (nx.bfs_layers, {"sources": some}),
        (nx.descendants_at_distance, {"source": node, "distance": 1}),
        (nx.node_connected_component, {"n": node}),
    ):
        ours, theirs = outcomes(function, G, **asked)
        assert ours == theirs
        if not isinstance(theirs, set):
            assert list(ours) == list(theirs)  # in the order in which NetworkX meets them
    for function, asked in (
        (nx.shortest_path_length, {"source": node, "weight": weight}),
        (nx.shortest_path_length, {"target": node, "weight": weight}),
        (nx.single_source_dijkstra_path_length, {"source": node, "weight": "w", "cutoff": 2}),
        (nx.single_source_dijkstra_path_length, {"source": node, "weight": None, "cutoff": 1.5}),
    ):
        ours, theirs = outcomes(function, G, **asked)
        assert ours == (pytest.approx(theirs) if isinstance(theirs, dict) else theirs)


@given(G=networks(), data=st.data())
@settings(max_examples=60)
def test_edge_subset_by_its_definition(G, data):
    """The share of shortest paths that take an edge: paths enumerated by NetworkX, one by one."""
    some = data.draw(st.sets(st.sampled_from(list(G) or ["a"]))) & set(G)
    others = data.draw(st.sets(st.sampled_from(list(G) or ["a"]))) & set(G)
    simple = (nx.DiGraph if G.is_directed() else nx.Graph)(G)
    expected = dict.fromkeys(simple.edges, 0.0)
    for s in some:
        for t in others - {s}:
            if nx.has_path(simple, s, t):
                paths = list(nx.all_shortest_paths(simple, s, t))
                for u, v in (pair for path in paths for pair in nx.utils.pairwise(path)):
                    expected[(u, v) if (u, v) in expected else (v, u)] += 1 / len(paths)
    function = nx.edge_betweenness_centrality_subset
    ours = outcome(function, G, "sparsebc", sources=some, targets=others)
    scale = 1 if G.is_directed() or len(G) < 2 else 2
    together = dict.fromkeys(expected, 0.0)
    for (u, v, *_), score in ours.items():
        together[(u, v) if (u, v) in together else (v, u)] += score
    assert together == pytest.approx({edge: score / scale for edge, score in expected.items()})
    assert list(ours) == list(G.edges)


@given(G=networks(), data=st.data())
@settings(max_examples=80)
def test_percolation(G, data):
    """States in a dictionary, or of the nodes themselves, 1 where one has none."""
    state = st.sampled_from((0, 1, 0.25, 0.1))
    some = data.draw(st.dictionaries(st.sampled_from(list(G) or ["a"]), state))
    weight = data.draw(st.sampled_from((None, "w")))
    nx.set_node_attributes(G, {node: some[node] for node in some if node in G}, "x")
    for asked in ({"attribute": "x"}, {"states": dict.fromkeys(G, 1) | some}, {"states": some}):
        ours, theirs = outcomes(nx.percolation_centrality, G, weight=weight, **asked)
        if isinstance(ours, tuple) and ours[0] is NotImplementedError:
            states = asked.get("states", nx.get_node_attributes(G, "x", default=1))
            total = sum(states.values())  # a node has no state, or alone one above 0
            assert any(node not in states or total == states[node] for node in G)
        elif isinstance(theirs, tuple):
            assert ours[0] is theirs[0]
        else:
            assert_same(ours, theirs, G)


def test_a_state_that_floats_would_lose_is_left_to_networkx():
    """It is lost beside the sum of all states, from which NetworkX takes it."""
    G = nx.path_graph(5)
    states = dict.fromkeys(G, 1) | {0: 1e-18}
    with pytest.raises(NotImplementedError):
        nx.percolation_centrality(G, states=states, backend="sparsebc")


@given(G=networks(), data=st.data())
@settings(max_examples=30)
def test_groups_by_their_definition(G, data):
    """The share of the shortest paths that meet a group: enumerated by NetworkX, one by one."""
    if len(G) < 3:
        return
    group = data.draw(st.lists(st.sampled_from(list(G)), min_size=1, max_size=len(G) - 2))
    other = data.draw(st.sets(st.sampled_from(list(G)), max_size=len(G) - 2))
    endpoints = data.draw(st.booleans())
    simple = (nx.DiGraph if G.is_directed() else nx.Graph)(G)
    met = {"group": 0.0, "other": 0.0}
    for s in G:
        for t in set(nx.descendants(simple, s)) - {s}:
            paths = [set(path) for path in nx.all_shortest_paths(simple, s, t)]
            for name, nodes in (("group", set(group)), ("other", other)):
                if endpoints or not {s, t} & nodes:
                    met[name] += sum(bool(path & nodes) for path in paths) / len(paths)
    halves = 1 if G.is_directed() else 2
    asked = {"normalized": False, "endpoints": endpoints}
    function = nx.group_betweenness_centrality
    one = outcome(function, G, "sparsebc", C=group, **asked)
    assert type(one) is float
    assert one == pytest.approx(met["group"] / halves)
    if group not in list(G) and not any(node in G for node in [tuple(group), frozenset(other)]):
        both = outcome(function, G, "sparsebc", C=[group, other], **asked)
        assert both == pytest.approx([met["group"] / halves, met["other"] / halves])
    left = len(G) if endpoints and SINCE_3_7 else len(G) - len(set(group))
    share = outcome(function, G, "sparsebc", C=group, endpoints=endpoints)
    assert share == pytest.approx(met["group"] / (left * (left - 1)))
    for asked in ({"C": ["missing"]}, {"C": [group, {"missing"}]}):
        ours, theirs = outcomes(function, G, **asked)
        assert ours[0] is theirs[0]
        assert sorted(ours[1]) == sorted(theirs[1])  # a set is written there, in any order
    k = data.draw(st.integers(1, len(G) - 2))
    asked = {"endpoints": True, "normalized": False}
    score, nodes = outcome(nx.prominent_group, G, "sparsebc", k=k, C=[], greedy=True, **asked)
    assert len(nodes) == k == len(set(nodes))
    exact = outcome(function, G, "sparsebc", C=nodes, **asked)
    assert score == float(f"{exact:.2f}")


def first_of_the_highest(weight):
    """NetworkX's choice of an edge, but that scores tie where roundings alone differ."""

    def choose(G):
        scores = nx.edge_betweenness_centrality(G, weight=weight)
        most = max(scores.values())
        return next(edge for edge, score in scores.items() if score >= most * (1 - 1e-9))

    return choose


@given(G=networks(), data=st.data())
@settings(max_examples=40)
def test_partitions(G, data):
    """Level by level, the sets in NetworkX's order; errors as they are there."""
    sets = data.draw(st.integers(-1, len(G) + 1))
    weight = data.draw(st.sampled_from((None, "w")))
    function = nx.community.edge_betweenness_partition
    asked = {"number_of_sets": sets, "weight": weight}
    ours = outcome(function, G, "sparsebc", **asked)
    if G.is_directed() or not 1 < sets < len(G):
        assert ours == outcome(function, G, None, **asked)
    elif G.is_multigraph():
        assert ours[0] is NotImplementedError
    else:
        H = nx.Graph(G)
        while nx.number_connected_components(H) < sets:
            H.remove_edge(*first_of_the_highest(weight)(H))
        assert ours == list(nx.connected_components(H))
    levels = outcome(nx.community.girvan_newman, G, "sparsebc")
    if G.is_directed() or G.is_multigraph():
        assert levels[0] is NotImplementedError
    else:
        theirs = nx.community.girvan_newman(G, first_of_the_highest(None), backend="networkx")
        assert levels == list(theirs)


def test_every_function_is_here():
    """Each function served has its place in one of the tests of this file."""
    tried = {function.__name__ for function, _ in (*SCORES, *DISTANCES, *COMPONENTS)}
    tried |= {
        BARYCENTER,  # in NetworkX 3.5
        "percolation_centrality",
        *("group_betweenness_centrality", "prominent_group"),
        *("edge_betweenness_partition", "girvan_newman"),
        "betweenness_centrality_subset",
        "bfs_layers",
        "descendants_at_distance",
        "edge_betweenness_centrality_subset",
        "node_connected_component",
        "single_source_dijkstra_path_length",
        "single_source_shortest_path_length",
    }
    assert tried == {name for name in FUNCTIONS if hasattr(nx, name) or hasattr(nx.community, name)}
