"""Which part of a large network a page draws, beside the induced subgraphs of NetworkX."""

import io
import re

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from pages import Page

import sparsebc
from sparsebc.reports import layout
from sparsebc.reports import page as rendering

WHOLE = re.compile(
    r"Of ([\d,]+) nodes and ([\d,]+) edges this draws the ([\d,]+) (?:nodes|ends).*, ([\d,]+) of "
    r"their ([\d,]+) neighbours, .* all ([\d,]+) edges between"
)


def numbers(text):
    """Those that the page tells of its drawing."""
    return [int(number.replace(",", "")) for number in WHOLE.match(text).groups()]


@pytest.fixture
def picture(monkeypatch):
    """The picture of a report, before it is a page, its places aside."""

    def of(A, *scores, **options):
        found = []
        monkeypatch.setattr(layout, "draw", lambda n, *_: np.zeros((n, 2)))
        monkeypatch.setattr(rendering, "render", lambda content: found.append(content) or "")
        sparsebc.report(io.StringIO(), A, None, *scores, **{"directed": False} | options)
        return found[0].picture

    return of


@pytest.mark.parametrize(
    ("n", "degree", "directed", "limit"),
    [(900, 3, False, 900), (700, 40, False, 700), (700, 3, True, 120), (130, 90, True, 130)],
)
def test_the_highest_and_their_neighbours(picture, n, degree, directed, limit):
    """As many as there is room for; of a dense network not even all of the highest."""
    rng = np.random.default_rng(n + degree)
    graph = nx.gnp_random_graph(n, degree / n, seed=n, directed=directed)
    scores = rng.permutation(n) / n
    scores[rng.integers(0, n, 40)] = np.nan  # no score is the highest
    A, undirected = nx.to_scipy_sparse_array(graph), graph.to_undirected()
    shown = picture(A, {"s": scores}, directed=directed, limit=limit)
    drawn, told = {*np.flatnonzero(np.isfinite(shown.x)).tolist()}, numbers(shown.part)
    ranks = np.argsort(-scores, kind="stable")[:limit].tolist()
    top = [v for v in ranks[:50] if scores[v] == scores[v]]
    around = set().union(*map(undirected.neighbors, top)) - {*top}
    order = top + [v for v in ranks if v in around]
    assert drawn == {*order[: len(drawn)]}
    inside = graph.subgraph(drawn).number_of_edges()
    assert inside == len(shown.tails)
    assert told[:2] == [n, graph.number_of_edges()]
    both = min(len(drawn), len(top))
    assert told[2:] == [both, len(drawn) - both, len(around), inside]
    assert len(drawn) <= 500
    assert inside <= 2000
    one_more = {*order[: len(drawn) + 1]}
    assert len(drawn) in (500, len(order)) or graph.subgraph(one_more).number_of_edges() > 2000


def test_edges_lead_to_the_nodes_at_their_ends():
    """Each line that is drawn has its own row, score and places; the others have no line."""
    n = 600
    graph = nx.gnp_random_graph(n, 4 / n, seed=1)
    A = nx.to_scipy_sparse_array(graph, dtype=float, format="coo")
    ties = sp.coo_array((np.hypot(A.row + 1.0, A.col + 1.0), (A.row, A.col)), shape=A.shape)
    file = io.StringIO()
    sparsebc.report(file, A, None, {"s": np.arange(n)}, {"t": ties}, directed=False)
    shown = Page(file.getvalue())
    (told,) = map(numbers, filter(WHOLE.match, shown.texts["p"]))
    nodes, edges = shown.columns(), shown.columns("edges")
    place = dict(
        zip(nodes["t0"].tolist(), zip(nodes["east"], nodes["north"], strict=True), strict=True)
    )
    points = max(
        (one for one in shown.sources if set(one) == {"x", "y"}), key=lambda one: len(one["x"])
    )
    (every,) = [
        one for one in shown.sources if {"first", "last", "s0"} <= set(one) and "rank" not in one
    ]
    assert sorted(edges["line"][edges["line"] >= 0]) == list(range(told[-1]))
    for source, target, line, first, last, score in zip(
        *(edges[key] for key in ("t0", "t1", "line", "first", "last", "s0")), strict=True
    ):
        ends = np.array([place[source], place[target]])
        assert (line >= 0) == np.isfinite(ends).all()
        if line >= 0:
            assert (every["first"][line], every["last"][line]) == (first, last)
            assert every["s0"][line] == score
            drawn = np.column_stack((points["x"], points["y"]))[first:last]
            np.testing.assert_allclose(drawn, ends, rtol=1e-6)
        else:
            assert first >= last


def test_ends_of_the_highest_edges(picture):
    """Where edges alone are ranked: each node where it occurs first."""
    graph = nx.cycle_graph(600)
    A = nx.to_scipy_sparse_array(graph, dtype=float)
    ties = sp.csr_array(sp.triu(A) * np.arange(600.0)[:, None])
    shown = picture(A, None, {"t": ties + ties.T})
    assert numbers(shown.part) == [600, 600, 50, 2, 2, 51]
    assert np.flatnonzero(np.isfinite(shown.x)).tolist() == [0, *range(549, 600)]


def test_without_edges(picture):
    """Dots; and of edges nothing, where there is none."""
    empty = sp.csr_array((501, 501))
    shown = picture(empty, {"s": np.arange(501)})
    assert numbers(shown.part) == [501, 0, 50, 0, 0, 0]
    assert np.isfinite(shown.x).sum() == 50
    assert picture(empty, None, {"t": empty}) is None
