"""The backend against NetworkX itself: any question that can be drawn, and definitions."""

import cmath
import random
import warnings
from collections.abc import Iterator
from unittest import mock

import networkx as nx
import numpy as np
import pytest
from hypothesis import event, example, given, settings
from hypothesis import strategies as st
from networkx_questions import Model, Once, Seed, doubled, lengths_of, networks, questions, sorting

from sparsebc.networkx import backend, from_networkx
from sparsebc.networkx.functions import BARYCENTER, SINCE_3_7
from sparsebc.testing import adjacency, all_shortest_paths, by_definition


def fresh(value):
    """The argument itself: an iterator and a generator are another one each time."""
    if isinstance(value, Seed):
        return value.kind(7)
    return iter(value) if isinstance(value, Once) else value


def left_of(value):
    """What a call left of an argument: of an iterator what follows, of a generator its state."""
    if isinstance(value, Iterator):
        return list(value)
    if isinstance(value, random.Random):
        return value.getstate()
    if isinstance(value, np.random.RandomState):
        return [str(part) for part in value.get_state()]
    return None


def outcome(function, G, backend, **asked):
    """What a call gives, a generator used up, or its error; and what is left of the arguments."""
    random.seed(3)
    asked = {name: fresh(value) for name, value in asked.items()}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = function(G, backend=backend, **asked)
            found = list(found) if isinstance(found, Iterator) else found
    except Exception as error:
        found = error
    return found, [random.getstate(), *map(left_of, asked.values())]


def result(function, G, backend, **asked):
    """What a call gives, or its error."""
    return outcome(function, G, backend, **asked)[0]


def may_be_left(name, G, asked):
    """Whether a question may be refused: ordinary ones must be served."""
    weight = asked.get("weight", asked.get("distance"))
    lengths = [] if callable(weight) else nx.get_edge_attributes(G, weight).values()
    ordinary = all(type(one) in (int, float) and 0.1 <= one <= 3 for one in lengths)
    states = asked.get("states") or nx.get_node_attributes(G, asked.get("attribute"), default=1)
    total = sum(states.values())
    return (
        callable(weight)
        or not ordinary
        or list(G) != list(G.adj)
        or getattr(G, "_graph", G).is_directed() > G.is_directed()  # lengths of two directions
        or isinstance(asked.get("targets"), Once)
        or (name == BARYCENTER and not all(length == int(length) for length in lengths))
        or (
            name == "percolation_centrality"
            and (
                any(not 0 <= states.get(node, -1) < total for node in G)
                or not any(states[node] for node in G)  # all zero, as the docs say
            )
        )
    )


def assert_same(ours, theirs, mixed=False):
    """Equal to roundings, of the same types, with the same keys in the same order.

    Where some lengths are ints and some floats, NetworkX's sums are one or the other by the path;
    where they are NumPy's, its sums are.
    """
    if isinstance(theirs, Exception):
        assert isinstance(ours, type(theirs)), ours
        if isinstance(theirs, nx.NetworkXException):
            assert str(ours).replace("Sorting", "") == str(theirs).replace("Sorting", "")
    elif isinstance(theirs, int | float | np.number):
        assert type(ours) is type(theirs) or (mixed and type(ours) in (int, float))
        if type(theirs) is int:  # of any size
            assert ours == theirs
        else:
            near = cmath.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-12)
            assert near or ours != ours != theirs
    elif isinstance(theirs, dict):
        assert type(ours) is dict
        assert list(ours) == list(theirs)
        for key, value in theirs.items():
            assert_same(ours[key], value, mixed)
    else:
        assert type(ours) is type(theirs), ours
        assert ours == theirs


def assert_rows(ours, theirs, mixed):
    """Distances of all pairs, in the order of the nodes; each row is in an order of its own."""
    assert [node for node, _ in ours] == [node for node, _ in theirs]
    for (_, mine), (_, other) in zip(ours, theirs, strict=True):
        assert len(mine) == len(other)
        assert_same(mine, {node: other[node] for node in mine}, mixed)


def path(*lengths, kind=nx.Graph):
    """A path with these lengths as "w"."""
    G = kind()
    G.add_weighted_edges_from([(v, v + 1, length) for v, length in enumerate(lengths)], weight="w")
    return G


TRIANGLE = nx.Graph([("a", "b"), ("b", "c"), ("a", "c")])
EDGES_OF_ZERO = path(1, 2, 0, 1, 3)
LONG_WAY_ROUND = nx.cycle_graph(3, create_using=nx.DiGraph)
nx.set_edge_attributes(LONG_WAY_ROUND, 2**51 + 1, "w")
BY_W = {"weight": "w"}
# A neighbour all of whose edges are left out counts in the length of a row.
ONE_EDGE_LEFT_OUT = nx.restricted_view(path(1, 2, 3, kind=nx.MultiGraph), [], [(1, 2, 0)])
ONE_STATE = nx.path_graph(4)  # other nodes have that of NetworkX, 1
nx.set_node_attributes(ONE_STATE, {0: 0.5}, "x")
TWO_LENGTHS = nx.DiGraph([("a", "b", {"w": 5}), ("b", "a"), ("b", "c")])


@given(question=questions())
@example(("all_pairs_dijkstra_path_length", EDGES_OF_ZERO, BY_W))
@example(("wiener_index", EDGES_OF_ZERO, BY_W))
@example(("betweenness_centrality", EDGES_OF_ZERO, {"k": 2, "seed": Seed(random.Random), **BY_W}))
@example(
    ("betweenness_centrality", path(1.5, 1e-20, 1.5), {"k": 3, "seed": Seed(random.Random), **BY_W})
)
@example(("harmonic_centrality", EDGES_OF_ZERO, {"distance": "w", "sources": Once([0, 1, 2])}))
@example(("eccentricity", EDGES_OF_ZERO, {"v": Once([0, 1]), "weight": "w"}))
@example(("center", path(2**53, 1, 1), BY_W))
@example((BARYCENTER, path(2**53, 1, 1), BY_W))
@example(("periphery", path(2**53, 1, 1), BY_W))
@example(("periphery", path(0.1, 0.2, 0.3), BY_W))  # by sums from the node outwards
@example(("all_pairs_dijkstra_path_length", path(10**400), BY_W))
@example(("wiener_index", LONG_WAY_ROUND, BY_W))
@example(("eccentricity", TRIANGLE, {"weight": Model()}))
@example(
    (
        "betweenness_centrality_subset",
        path(1, "1"),
        {"sources": [], "targets": [], "weight": doubled},
    )
)
@example(("betweenness_centrality_subset", path(1, 1), {"sources": [0, 0], "targets": [2]}))
@example(("all_pairs_shortest_path_length", path(1, 1), {"cutoff": 1}))
@example(("closeness_centrality", ONE_EDGE_LEFT_OUT, {}))
@example(("closeness_centrality", ONE_EDGE_LEFT_OUT, {"distance": "w"}))
@example(("closeness_centrality", TWO_LENGTHS.to_undirected(as_view=True), {"distance": "w"}))
@example(("percolation_centrality", ONE_STATE, {"attribute": "x"}))
@example(("percolation_centrality", TRIANGLE, {"states": {"a": 0, "b": 0, "c": 0, "d": 1}}))
@example(("average_shortest_path_length", TRIANGLE, {"method": ""}))
@example(("closeness_centrality", TRIANGLE, {"u": [1], "distance": "w"}))
@example(("closeness_centrality", sorting(nx.DiGraph)([(3, 2), (2, 1), (1, 0)]), {}))
@example((BARYCENTER, sorting(nx.Graph)([(3, 2), (1, 0)]), {}))
@settings(max_examples=200)
def test_any_question_is_answered_as_by_networkx(question):
    """By name, chosen by NetworkX, and of a graph of the backend; or left with nothing touched.

    Values, types, classes of errors, states of random numbers, and what is left of iterators.
    """
    name, G, asked = question
    function = getattr(nx, name)
    types = lengths_of(G, asked)
    mixed = len(types) > 1 or bool(types & {np.int64, np.float64})
    theirs, left = outcome(function, G, "networkx", **asked)

    def compare(ours, remaining):
        if name.startswith("all_pairs") and isinstance(theirs, list):
            assert_rows(ours, theirs, mixed)
        else:
            assert_same(ours, theirs, mixed)
        if not isinstance(theirs, Exception):
            assert remaining == left

    ours, remaining = outcome(function, G, "sparsebc", **asked)
    refused = isinstance(ours, NotImplementedError)
    event("refused" if refused else "served")
    if refused:
        assert may_be_left(name, G, asked)
        known = ("leave backend='sparsebc' out", "previously failed")
        assert any(text in f"{ours} {ours.__cause__}" for text in known)
        assert remaining == outcome(lambda *_, **__: None, G, None, **asked)[1]
    else:
        compare(ours, remaining)
        if name.startswith("all_pairs") and isinstance(ours, list):
            assert all(list(row.values()) == sorted(row.values()) for _, row in ours)
    eager = {"CALL": -1, "_is_compiled": lambda *_: True}
    with nx.config(backend_priority=["sparsebc"]), mock.patch.multiple(backend, **eager):
        compare(*outcome(function, G, None, **asked))
    weight = asked.get("weight", asked.get("distance"))
    left_out = name == "percolation_centrality" or isinstance(theirs, KeyError)  # needs attributes
    two_ways = getattr(G, "_graph", G).is_directed() > G.is_directed()
    if not callable(weight) and list(G) == list(G.adj) and not left_out:
        with nx.config(fallback_to_nx=True):
            H = from_networkx(G, weight or "weight")
            found, remaining = outcome(function, H, None, **asked)
        if isinstance(found, NotImplementedError):
            assert two_ways
        elif not isinstance(theirs, nx.NetworkXException) and isinstance(theirs, Exception):
            assert isinstance(found, type(theirs))
        elif name != BARYCENTER or not isinstance(theirs, Exception):
            compare(found, remaining)


def numbered(G):
    """Numbers of the nodes, and the matrix of the graph."""
    number = {node: v for v, node in enumerate(G)}
    return number, adjacency(len(G), [(number[u], number[v]) for u, v in G.edges()])


@given(G=networks(), data=st.data())
@settings(max_examples=60)
def test_subset_scores_of_edges_are_those_of_the_definition(G, data):
    """The share of shortest paths that take an edge; parallel edges share it."""
    ends = {
        name: data.draw(st.sets(st.sampled_from(list(G) or ["a"]))) & set(G)
        for name in ("sources", "targets")
    }
    ours = result(nx.edge_betweenness_centrality_subset, G, "sparsebc", **ends)
    assert list(ours) == list(G.edges)
    number, A = numbered(G)
    chosen = {name: [number[node] for node in nodes] for name, nodes in ends.items()}
    how = {"directed": G.is_directed(), "normalized": False}
    want, found = by_definition(A, "edge_betweenness", **how, **chosen), np.zeros(A.shape)
    for (u, v, *_), score in ours.items():
        pair = (number[u], number[v])
        found[pair if G.is_directed() else tuple(sorted(pair))] += score
    np.testing.assert_allclose(found, want if G.is_directed() else np.triu(want), atol=1e-12)


def test_parallel_edges_share_the_score_of_their_pair():
    G = nx.MultiDiGraph([(0, 1), (0, 1), (1, 2)])
    found = nx.edge_betweenness_centrality_subset(G, [0], [2], backend="sparsebc")
    assert found == {(0, 1, 0): 0.5, (0, 1, 1): 0.5, (1, 2, 0): 1}


def test_a_state_that_floats_would_lose_is_left_to_networkx():
    """It is lost beside the sum of all states, from which NetworkX takes it."""
    G = nx.path_graph(5)
    states = dict.fromkeys(G, 1) | {0: 1e-18}
    with pytest.raises(NotImplementedError):
        nx.percolation_centrality(G, states=states, backend="sparsebc")


@given(G=networks(), data=st.data())
@settings(max_examples=30)
def test_scores_of_groups_are_those_of_the_definition(G, data):
    """The share of the shortest paths that meet a group, written down one by one."""
    if len(G) < 3:
        return
    group = data.draw(st.lists(st.sampled_from(list(G)), min_size=1, max_size=len(G) - 2))
    other = data.draw(st.sets(st.sampled_from(list(G)), max_size=len(G) - 2))
    endpoints = data.draw(st.booleans())
    met, (_, A) = {"group": 0.0, "other": 0.0}, numbered(G)
    for pair, found in all_shortest_paths(A, directed=G.is_directed()).items():
        paths = [{list(G)[v] for v in path} for path in found]
        ends = {list(G)[v] for v in pair}
        for name, nodes in (("group", set(group)), ("other", other)):
            if endpoints or not ends & nodes:
                met[name] += sum(bool(path & nodes) for path in paths) / len(paths)
    halves = 1 if G.is_directed() else 2
    asked = {"normalized": False, "endpoints": endpoints}
    function = nx.group_betweenness_centrality
    one = result(function, G, "sparsebc", C=group, **asked)
    assert type(one) is float
    assert one == pytest.approx(met["group"] / halves)
    if group not in list(G) and not any(node in G for node in [tuple(group), frozenset(other)]):
        both = result(function, G, "sparsebc", C=[group, other], **asked)
        assert both == pytest.approx([met["group"] / halves, met["other"] / halves])
    left = len(G) if endpoints and SINCE_3_7 else len(G) - len(set(group))
    share = result(function, G, "sparsebc", C=group, endpoints=endpoints)
    assert share == pytest.approx(met["group"] / (left * (left - 1)))
    for asked in ({"C": ["missing"]}, {"C": [group, {"missing"}]}):
        ours, theirs = (result(function, G, name, **asked) for name in ("sparsebc", None))
        assert type(ours) is type(theirs)
        assert sorted(str(ours)) == sorted(str(theirs))  # a set is written there, in any order
    k = data.draw(st.integers(1, len(G) - 2))
    asked = {"endpoints": True, "normalized": False}
    score, nodes = result(nx.prominent_group, G, "sparsebc", k=k, C=[], greedy=True, **asked)
    assert len(nodes) == k == len(set(nodes))
    exact = result(function, G, "sparsebc", C=nodes, **asked)
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
def test_partitions_remove_the_first_edge_of_highest_score(G, data):
    """Level by level, the sets in NetworkX's order; errors as they are there."""
    sets = data.draw(st.integers(-1, len(G) + 1))
    weight = data.draw(st.sampled_from((None, "w")))
    function = nx.community.edge_betweenness_partition
    asked = {"number_of_sets": sets, "weight": weight}
    ours, theirs = (result(function, G, name, **asked) for name in ("sparsebc", None))
    if G.is_directed() or G.is_multigraph():
        assert isinstance(ours, NotImplementedError)
    elif not 1 < sets < len(G):
        assert_same(ours, theirs)
    else:
        H = nx.Graph(G)
        while nx.number_connected_components(H) < sets:
            H.remove_edge(*first_of_the_highest(weight)(H))
        assert ours == list(nx.connected_components(H))
    levels = result(nx.community.girvan_newman, G, "sparsebc")
    if G.is_directed() or G.is_multigraph():
        assert isinstance(levels, NotImplementedError)
    else:
        theirs = nx.community.girvan_newman(G, first_of_the_highest(None), backend="networkx")
        assert levels == list(theirs)
