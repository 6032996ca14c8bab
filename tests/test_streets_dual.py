"""Turns between streets: costs, restrictions and scores, against paths written down one by one."""

import itertools
import math
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest
from graphs import close
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import dijkstra, floyd_warshall

from sparsebc import accessibility, betweenness, streets

RUN = {"weighted": True, "normalized": False, "device": "reference"}
ANGULAR = {"metres_weight": 1e-2}
METRIC = {"metres_weight": 1.0, "degrees_weight": 0.0}
ENDS = ("directions", "streets")


def town(kind, edges, places):
    """A graph whose streets run straight between the places of its nodes."""
    graph = kind()
    for node, (x, y) in enumerate(places):
        graph.add_node(node, x=x, y=y)
    for u, v in edges:
        graph.add_edge(u, v, length=math.dist(places[u], places[v]))
    return graph


@st.composite
def towns(draw):
    """A town of few streets, on a lattice, where angles tie, or anywhere."""
    lattice = st.tuples(st.integers(0, 2), st.integers(0, 2))
    anywhere = st.tuples(st.floats(0, 4, width=16), st.floats(0, 4, width=16))
    place = draw(st.sampled_from((lattice, anywhere)))
    places = draw(st.lists(place, min_size=3, max_size=6, unique=True))
    n = len(places)
    ends = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(
        lambda pair: math.dist(places[pair[0]], places[pair[1]]) > 1e-3
    )
    edges = draw(st.lists(ends, min_size=1, max_size=8))
    return town(draw(st.sampled_from((nx.MultiGraph, nx.MultiDiGraph))), edges, places)


def arcs_of(graph):
    """Directed streets (row, tail, head), forward ones first, as nodes of the dual."""
    rows = [(row, u, v) for row, (u, v) in enumerate(graph.edges())]
    return rows if graph.is_directed() else rows + [(row, v, u) for row, u, v in rows]


def angle_between(graph, first, then):
    """Degrees from one straight street to the next, by their cross and their dot product."""
    a, b, c = (complex(*map(graph.nodes[node].get, "xy")) for node in (first[1], first[2], then[2]))
    return math.degrees(np.angle((c - b) * (b - a).conjugate()))


def costs_of(graph, cost, *, u_turns=False):
    """Costs of the turns between arcs by definition, dense; infinite where there is none."""
    lengths = [length for *_, length in graph.edges(data="length")]
    arcs = arcs_of(graph)
    found = np.full((len(arcs), len(arcs)), np.inf)
    for (i, first), (j, then) in itertools.permutations(enumerate(arcs), 2):
        back = first[1] == then[2] and (graph.is_directed() or first[0] == then[0])
        if first[2] == then[1] and (u_turns or not back):
            metres = (lengths[first[0]] + lengths[then[0]]) / 2
            found[i, j] = cost(metres, angle_between(graph, first, then), back)
    return found


def scores_of(costs, groups, counts=lambda s, t: True):
    """Scores of arcs on cheapest paths from each group of arcs to each other, written down.

    The paths of a pair of groups that tie have equal shares; their first and last arcs do not
    count. ``counts`` says whether a pair does. Returned beside: the least cost of each pair.
    """
    n, scores = len(costs), np.zeros(len(costs))
    distance = floyd_warshall(np.where(np.isinf(costs), 0, costs))
    least = np.array([[distance[np.ix_(s, t)].min() for t in groups] for s in groups])
    for (s, start), (t, end) in itertools.permutations(enumerate(groups), 2):
        if least[s, t] == np.inf or not counts(s, t):
            continue
        bound = least[s, t] * (1 + 1e-9)
        paths, best = [((arc,), 0.0) for arc in start], []
        while paths:
            path, cost = paths.pop()
            if path[-1] in end:
                best.append(path)
            paths += [
                ((*path, j), cost + costs[path[-1], j])
                for j in range(n)
                if cost + costs[path[-1], j] + distance[j, end].min() <= bound
            ]
        for path in best:
            scores[list(path[1:-1])] += 1 / len(best)
    return scores, least


def by_definition(weights):
    """Cost of a turn with these weights."""
    metre, degree = weights["metres_weight"], weights.get("degrees_weight", 1.0)
    return lambda metres, angle, back: metre * metres + degree * abs(angle)


@settings(max_examples=25, deadline=None)
@given(graph=towns(), u_turns=st.booleans(), weights=st.sampled_from((ANGULAR, METRIC)))
def test_turns_and_scores_are_those_of_the_definition(graph, u_turns, weights):
    """Costs as defined; scores of paths between directed streets, and between streets."""
    city = streets.from_networkx(graph)
    costs = costs_of(graph, by_definition(weights), u_turns=u_turns)
    turns = streets.dual(city, u_turns=u_turns, **weights)
    arcs = arcs_of(graph)
    assert turns.street.tolist() == [row for row, *_ in arcs]
    assert turns.backward.tolist() == [i >= graph.number_of_edges() for i in range(len(arcs))]
    want = np.where(np.isinf(costs), 0, costs)
    np.testing.assert_allclose(turns.matrix.toarray(), want, rtol=1e-9, atol=1e-12)
    want, _ = scores_of(costs, [[arc] for arc in range(len(arcs))])
    close(betweenness(turns.matrix, **RUN), want)

    groups = [
        [i for i, arc in enumerate(arcs) if arc[0] == row] for row in range(len(city.lengths))
    ]
    turns = streets.dual(city, u_turns=u_turns, ends="streets", **weights)
    want, least = scores_of(costs, groups)
    ours = betweenness(turns.matrix, **turns.pairs, **RUN)
    is_metric = weights == METRIC and not graph.is_directed()
    if is_metric:  # both directions of a street are one node
        assert len(turns.street) == len(groups)
        want = np.array([want[group].sum() for group in groups])
    close(ours[: len(want)], want)
    assert not ours[len(want) :].any()
    found = dijkstra(turns.matrix, indices=turns.origins)[:, turns.destinations]
    np.fill_diagonal(least, np.diag(found))
    np.testing.assert_allclose(found, least)
    places = np.zeros(len(turns.street))
    places[turns.destinations] = 1
    options = {"weighted": True, "device": "reference", "decay": ("exponential", 0.1)}
    near = accessibility(turns.matrix, places, **options)[turns.origins]
    np.testing.assert_allclose(near, np.exp(-0.1 * least).sum(axis=1))


@settings(max_examples=25, deadline=None)
@given(graph=towns(), loops=st.lists(st.floats(0.5, 3), max_size=3), u_turns=st.booleans())
def test_a_node_a_street_along_lengths_alone(graph, loops, u_turns):
    """Scores, distances and pairs are those of the graph of four nodes a street, loops or not."""
    for node, length in enumerate(loops):
        x, y = graph.nodes[node]["x"], graph.nodes[node]["y"]
        ring = SimpleNamespace(coords=[(x, y), (x + 1, y), (x, y + 1), (x, y)])
        graph.add_edge(node, node, length=length, geometry=ring)
    city = streets.from_networkx(graph)
    found = []
    for penalty in (None, {}):  # no penalty of any class, but turns
        turns = streets.dual(city, u_turns=u_turns, ends="streets", turn_penalty=penalty, **METRIC)
        scores = betweenness(turns.matrix, **turns.pairs, **RUN)
        apart = dijkstra(turns.matrix, indices=turns.origins)[:, turns.destinations]
        np.fill_diagonal(apart, 0)
        pairs = turns.within(2.1).toarray()[np.ix_(turns.origins, turns.destinations)]
        found.append((np.bincount(turns.street, scores), apart, pairs))
    for ours, other in zip(*found, strict=True):
        np.testing.assert_allclose(ours, other, rtol=1e-9, atol=1e-9)


@settings(max_examples=20, deadline=None)
@given(graph=towns(), radius=st.sampled_from((1.2, 2.1, 4.0)), ends=st.sampled_from(ENDS))
def test_angular_paths_within_a_metric_radius(graph, radius, ends):
    """The pairs are those that metric paths join within it; the paths are the straightest."""
    arcs = arcs_of(graph)
    costs, metres = (costs_of(graph, by_definition(weights)) for weights in (ANGULAR, METRIC))
    rows = range(graph.number_of_edges())
    by_street = [[i for i, arc in enumerate(arcs) if arc[0] == row] for row in rows]
    groups = by_street if ends == "streets" else [[i] for i in range(len(arcs))]
    _, apart = scores_of(metres, groups)
    street = [arcs[group[0]][0] for group in groups]
    close_by = (apart <= radius * (1 + 1e-9)) & (np.subtract.outer(street, street) != 0)
    want, _ = scores_of(costs, groups, lambda s, t: close_by[s, t])
    turns = streets.dual(streets.from_networkx(graph), ends=ends, **ANGULAR)
    pairs = turns.within(radius)
    assert pairs.nnz == close_by.sum()
    if pairs.nnz:
        close(betweenness(turns.matrix, demand=pairs, **RUN)[: len(arcs)], want)


CLASSES = ("straight", "left", "right", "u")
PENALTIES = st.dictionaries(st.sampled_from(CLASSES), st.sampled_from((0, 7.5, np.inf)))


def class_of(angle, back):
    """Class of a turn; 45 and 180 degrees are so to a millionth of a degree."""
    if back or abs(angle) > 180 - 1e-6:
        return "u"
    return "straight" if abs(angle) < 45 + 1e-6 else "left" if angle > 0 else "right"


@settings(max_examples=25, deadline=None)
@given(graph=towns(), penalty=PENALTIES)
def test_penalties_by_class_and_by_function_add_to_costs(graph, penalty):
    """By class, and the same by a function; an infinite one leaves the turn out."""
    ends = list(graph.edges())

    def cost(metres, angle, back):
        return metres + penalty.get(class_of(angle, back), 0)

    def function(angle, first, then):
        found = []
        for size, a, b in zip(angle, first, then, strict=True):
            back = ends[a] == ends[b][::-1] if graph.is_directed() else a == b
            found.append(penalty.get(class_of(size, back), 0))
        return np.array(found, dtype=float)

    city = streets.from_networkx(graph)
    want = costs_of(graph, cost, u_turns=True)
    by_class, by_function = (
        streets.dual(city, turn_penalty=given, u_turns=True, **METRIC)
        for given in (penalty, function)
    )
    found = by_class.matrix.toarray()
    np.testing.assert_allclose(np.where(found == 0, np.inf, found), want)
    assert (by_class.matrix != by_function.matrix).nnz == 0


def crossing(**more):
    """Four streets from one crossing, by the compass; each is 10 long."""
    ends = {"east": (10, 0), "north": (0, 10), "west": (-10, 0), "south": (0, -10)}
    graph = nx.Graph(**more)
    graph.add_node("middle", x=0, y=0)
    for name, (x, y) in ends.items():
        graph.add_node(name, x=x, y=y)
        graph.add_edge("middle", name, length=10.0)
    return graph


def test_an_angle_is_that_of_the_end_segments():
    """The angle is that of the end segments, whichever way a line is drawn; the middle is free."""
    shapely = pytest.importorskip("shapely")
    graph = nx.MultiGraph(crs="epsg:32631")
    for name, (x, y) in {"a": (0, 0), "b": (10, 0), "c": (20, 10)}.items():
        graph.add_node(name, x=x, y=y)
    bent = [(0, 0), (2, 5), (8, 5), (8, 0), (8, 0), (10, 0)]
    for line in (bent, bent[::-1]):
        graph.remove_edges_from(list(graph.edges(keys=True)))
        graph.add_edge("a", "b", length=20.0, geometry=shapely.LineString(line))
        graph.add_edge("b", "c", length=15.0)
        city = streets.from_networkx(graph)
        np.testing.assert_allclose(city.bearings(), [[math.degrees(math.atan2(5, 2)), 0], [45, 45]])
        turns = streets.dual(city, metres_weight=1e-3)
        np.testing.assert_allclose(turns.matrix.data, 45 + 17.5e-3)
        np.testing.assert_allclose(turns.metres.data, 17.5)
    geopandas = pytest.importorskip("geopandas")
    lines = [shapely.LineString(line) for line in (bent, [(20, 10), (10, 0)])]
    frame = geopandas.GeoDataFrame(geometry=lines, index=["x", "y"], crs="epsg:32631")
    turns = streets.dual(streets.from_geodataframe(frame))
    length = sum(
        math.dist(*pair)
        for line in (bent, [(20, 10), (10, 0)])
        for pair in itertools.pairwise(line)
    )
    np.testing.assert_allclose(turns.matrix.data, 45 + 1e-4 * length / 2)
    assert turns.on_edges(np.ones((4, 2))).loc["y"].tolist() == [2, 2]


def test_streets_without_angles_and_scores_of_turns_are_refused():
    pytest.importorskip("pandas")
    turns = streets.dual(streets.from_networkx(crossing(), None))
    assert repr(turns) == f"<Dual: 4 streets, 8 nodes, {turns.matrix.nnz} turns>"
    for scores in (turns.matrix, [turns.matrix, turns.matrix], {"a": 1}):
        with pytest.raises(TypeError, match="scores"):
            turns.on_edges(scores)
    with pytest.raises(TypeError, match="city"):
        streets.dual(crossing())
    a_point = town(nx.Graph, [(0, 1), (1, 2)], [(0, 0), (0, 0), (1, 0)])
    for graph, message in ((a_point, "street 0,"), (nx.path_graph(3), r"street \(0, 1\)")):
        with pytest.raises(ValueError, match=message):
            streets.dual(streets.from_networkx(graph, None))
    pytest.importorskip("pyproj")
    with pytest.raises(ValueError, match=r"degrees .*osmnx\.project_graph"):
        streets.dual(streets.from_networkx(crossing(crs="epsg:4326")))


def test_zero_lengths_loops_and_parallel_streets():
    """A street of length zero is a part of a junction; loops and parallel streets are nodes."""
    pytest.importorskip("pandas")
    places = [(0, 0), (1, 0), (1, 0), (2, 0)]
    graph = town(nx.MultiGraph, [(0, 1), (1, 2), (2, 3), (2, 3)], places)
    city = streets.from_networkx(graph, zero="merge")
    assert streets.dual(city, ends="streets", **METRIC).street.tolist() == [0, 2, 3]
    turns = streets.dual(city, ends="streets", **ANGULAR)
    assert turns.street.tolist() == [0, 2, 3] * 4
    scores = turns.on_edges(np.arange(12.0))
    assert scores.isna().tolist() == [False, True, False, False]
    assert scores.dropna().tolist() == [18, 22, 26]
    assert turns.on_edges([1.0, 2.0, 3.0]).dropna().tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match=r"scores has shape \(4,\); expected \(12,\)"):
        turns.on_edges(np.ones(4))


@pytest.mark.parametrize("ends", ENDS)
def test_pairs_within_a_radius_are_counted_in_metres(ends):
    """By metres from middle to middle, along permitted turns, whatever these cost."""
    city = streets.from_networkx(crossing())
    turns = streets.dual(city, ends=ends, turn_penalty={"left": np.inf, "straight": 500})
    pairs = turns.within(10.0)
    assert pairs.shape == turns.matrix.shape
    assert (pairs.data == 1).all()
    order = ["east", "north", "west", "south"]
    rows, columns = turns.street[pairs.nonzero()[0]], turns.street[pairs.nonzero()[1]]
    # From the east the turn to the north is one to the right, and so on around.
    assert {(order[a], order[b]) for a, b in zip(rows, columns, strict=True)} == {
        (order[i], order[(i + step) % 4]) for i in range(4) for step in (1, 2)
    }
    assert turns.within(9.99).nnz == 0


def test_an_origin_leads_to_its_own_destination_at_half_its_least_turn():
    """A street of several turns takes the least of them, and one without turns has no such edge."""
    places = [(0, 0), (1, 0), (4, 0), (4, 2), (9, 9), (9, 8)]
    graph = town(nx.Graph, [(0, 1), (1, 2), (2, 3), (4, 5)], places)
    turns = streets.dual(streets.from_networkx(graph), ends="streets", **ANGULAR)
    own = turns.matrix.toarray()[turns.origins, turns.destinations]
    straight, left = 0.01 * (1 + 3) / 2, 0.01 * (3 + 2) / 2 + 90
    np.testing.assert_allclose(own, [straight / 2, straight / 2, left / 2, 0])


def test_a_town_without_streets_has_no_turns():
    city = streets.from_networkx(town(nx.Graph, [], []))
    assert streets.dual(city).matrix.shape == (0, 0)
    assert streets.dual(city, ends="streets", **METRIC).matrix.shape == (0, 0)
