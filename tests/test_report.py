"""Reports: pages that are complete, and hold the numbers that they were given."""

import base64
import hashlib
import re
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from pages import XSS, reported

from sparsebc import datasets
from sparsebc.reports import places

KARATE, NAMES = datasets.load("karate")
SCORES = {"betweenness": np.linspace(0, 1, 34)[::-1] ** 3, "group": ["a", "b"] * 17}
TIES = {"edge_betweenness": KARATE * 0.25}


def page(*args, **options):
    """The page of a report, undirected if nothing else is said."""
    return reported(*args, **{"directed": False} | options)


def heads(shown):
    """Titles of the table of nodes or edges."""
    return [column["title"] for column in shown.models["TableColumn"]]


@pytest.fixture(scope="module")
def karate():
    return page(KARATE, NAMES, SCORES, TIES)


def test_a_page_holds_the_numbers_given_to_the_bit(karate):
    """To the bit, the highest first, each beside its name and degree; an undirected edge once."""
    shown = karate.columns()
    order = np.argsort(-SCORES["betweenness"], kind="stable")
    np.testing.assert_array_equal(shown["s0"], SCORES["betweenness"][order])
    assert shown["t0"].tolist() == [NAMES[v] for v in order]
    assert shown["t1"].tolist() == [SCORES["group"][v] for v in order]
    np.testing.assert_array_equal(shown["degree"], KARATE.count_nonzero(axis=0)[order])
    np.testing.assert_array_equal(shown["rank"], range(1, 35))
    edges = karate.columns("edges")
    assert edges["s0"].tolist() == [0.25] * 78
    for source, target in zip(edges["t0"], edges["t1"], strict=True):
        assert KARATE[NAMES.index(source), NAMES.index(target)]
    assert karate.texts["span"] == ["34 nodes", "78 edges", "undirected"]


def test_a_page_fetches_nothing(karate):
    """Nothing is fetched, and the browser is told to fetch nothing; all scripts are inside."""
    for tag, name, value in karate.attributes:
        if name in ("src", "href", "action", "data", "srcset"):
            assert (tag, value) == ("link", "data:,")
    (policy,) = [
        value for _, name, value in karate.attributes if name == "content" and "src" in value
    ]
    assert policy.startswith("default-src 'none'; ")
    assert "http" not in policy
    for style in karate.texts["style"]:
        assert not re.search(r"@import|url\((?!['\"]?data:)", style)
    assert sum(map(len, karate.texts["script"])) > 1e6


def test_no_text_given_becomes_a_script():
    """Whoever chose it: all that Bokeh takes for HTML is escaped, and no other script may run."""
    names, titles = [*XSS, *NAMES[len(XSS) :]], ("".join(XSS[::2]), "".join(XSS[1::2]))
    shown = page(
        KARATE,
        names,
        dict.fromkeys(titles, SCORES["betweenness"]) | {f"{XSS[0]} group": names},
        {titles[0]: TIES["edge_betweenness"]},
        half_widths=dict.fromkeys(titles, np.ones(34)),
        units={text: f"{text} @t0{{safe}} $x" for text in titles},
        title=titles[0],
        notes=XSS,
        provenance=dict(zip(XSS, XSS, strict=True)),
    )
    assert {*XSS} <= {*shown.columns()["t0"]}
    assert shown.texts["h1"] == shown.texts["title"] == [titles[0]]
    assert {*XSS} <= {*shown.texts["p"]}
    assert not {"img", "svg", "a"} & {tag for tag, *_ in shown.attributes}
    for column in shown.models["TableColumn"]:
        assert not re.search("[<>]", column["title"])
    for tool in shown.models["HoverTool"]:
        for _, value in tool["tooltips"]:
            assert not re.search(r"[<>]|@t0\{safe|[$]", value)
    (policy,) = [value for *_, value in shown.attributes if "script-src" in str(value)]
    assert "'unsafe-inline'" not in policy.partition("style-src")[0]
    hashes = {
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in shown.texts["script"]
    }
    assert set(re.findall("'sha256-([^']+)'", policy)) <= hashes
    assert len(set(re.findall("'sha256-([^']+)'", policy))) == len(hashes) - 1  # but that of data


def test_what_is_told_of_scores_is_beside_them(karate):
    """Half-widths, units and provenance, what has parts as JSON; of many rows the highest."""
    wide = np.linspace(0, 0.1, 34)
    shown = page(
        KARATE, NAMES, SCORES, half_widths={"betweenness": wide}, units={"betweenness": "share"},
        provenance={"k": 5, "estimate": True, "sha256": {"a": "b"}}, limit=5,
    )  # fmt: skip
    assert shown.texts["dt"] == ["k", "estimate", "sha256"]
    assert shown.texts["dd"] == ["5", "True", '{"a":"b"}']
    assert "dl" not in karate.texts
    assert shown.columns()["t0"].tolist() == list(NAMES[:5])
    assert any("The 5 of 34 nodes that score highest." in text for text in shown.texts["p"])
    np.testing.assert_array_equal(shown.columns()["b0"], wide[:5])
    assert heads(shown) == ["rank", "node", "group", "betweenness", "± betweenness", "degree"]
    labels = {axis.get("axis_label") for axis in shown.models["LogAxis"]}
    assert "betweenness (share)" in labels


@pytest.mark.parametrize("first", ["mixed", "ties"])
def test_scores_that_are_not_finite_are_kept_and_ranked_last(first):
    """What is not finite is kept as it is, NaN last; ties are in the order of the nodes."""
    scores = {
        "mixed": [np.nan, np.inf, 0.5],
        "none": [np.nan] * 3,
        "signed": [-1.0, 0.0, 2.0],
        "farthest": [-1e308, 0.0, 1.7e308],
        "unbounded": [-np.inf, np.inf, np.nan],
        "ties": [2, 2, 2],
    }
    if first == "ties":
        scores = {name: scores[name] for name in ("ties", "mixed")}
    shown = page(sp.eye_array(3, k=1), None, scores, {"ties": sp.eye_array(3, k=1)}).columns()
    order = np.argsort(-np.array(scores[first], float), kind="stable")
    for place, values in enumerate(scores.values()):
        np.testing.assert_array_equal(shown[f"s{place}"], np.array(values, float)[order])
    assert shown["t0"].tolist() == [str(v) for v in order]


def test_degrees_count_both_ways():
    """Edges in and out, no self loops; an edge has the geometric mean of its ends'."""
    matrix = sp.csr_array(np.array([[1, 1, 1], [1, 0, 0], [0, 0, 0]]))
    shown = page(matrix, ["a", "b", "c"], {"score": [3, 2, 1]}, {"s": matrix}, directed=True)
    assert shown.columns()["degree"].tolist() == [3, 2, 1]
    assert shown.texts["span"][-1] == "directed"
    edges = shown.columns("edges")
    assert dict(zip(edges["t1"].tolist(), edges["degree"].tolist(), strict=True))["c"] == 3**0.5


def test_nodes_with_positions_are_drawn_on_a_map():
    """Where they were given; longitude and latitude in the metres of Mercator's projection."""
    places = np.column_stack([np.linspace(-180, 180, 34), np.linspace(-60, 60, 34)])
    flat = page(KARATE, NAMES, SCORES, positions=places).columns()
    np.testing.assert_array_equal(flat["east"], places[:, 0])
    globe = page(KARATE, NAMES, SCORES, positions=places, geographic=True)
    east = globe.columns()["east"]
    assert east[[0, -1]] == pytest.approx([-20037508.342789244, 20037508.342789244])
    north = globe.columns()["north"]  # 60 degrees, from the tables of the projection
    assert north[[0, -1]] == pytest.approx([-8399737.889818357, 8399737.889818357])
    assert any("Map" in text for text in globe.texts["h2"])


def test_views_of_nodes_and_of_edges_share_their_rows(karate):
    """So that rows that are picked in one are picked in the others."""
    for things, score in (("nodes", "scatter-nodes-0"), ("edges", "scatter-edges-0")):
        rows = karate.source(f"table-{things}")
        assert karate.sources(score) == {rows}
        assert rows in karate.sources("network")


@pytest.mark.parametrize("missing", [(), ("igraph",)])
def test_a_small_network_is_drawn(monkeypatch, missing):
    """By igraph or NetworkX, the same at each call; the ends of a path are farthest apart."""
    monkeypatch.setattr(places, "find_spec", lambda name: name not in missing or None)
    path = sp.diags_array(np.ones(9), offsets=1, shape=(10, 10))
    first, second = (page(path, None, {"s": range(10)}).columns() for _ in range(2))
    at = np.column_stack((first["east"], first["north"]))
    np.testing.assert_array_equal(at, np.column_stack((second["east"], second["north"])))
    apart = np.linalg.norm(at[:, None] - at, axis=2)
    far = np.unravel_index(apart.argmax(), apart.shape)
    assert {first["t0"][v] for v in far} == {"0", "9"}
    assert abs(at).max(axis=0).argmax() == 0  # the longer axis is across
    for scores in ([], [1.0, 2.0])[bool(missing) :]:  # as many nodes, without edges
        page(sp.csr_array((len(scores),) * 2), None, {"s": scores})


def test_a_network_that_is_not_drawn_has_a_reason(monkeypatch):
    """More than 500 nodes, or no library that lays out nodes."""

    def told(n):
        shown = page(sp.csr_array((n, n)), None, {"s": np.arange(n)})
        assert all(one["name"] != "network" for one in shown.models["Figure"])
        return [text for text in shown.texts["p"] if text.startswith("It is not drawn")]

    assert "500 nodes" in told(501)[0]
    monkeypatch.setattr(places, "find_spec", lambda name: None)
    assert "igraph nor NetworkX" in told(3)[0]


def test_zero_has_no_place_on_a_logarithmic_axis():
    """Nor has what is not finite; both are on the page as they are."""
    shown = page(sp.csr_array((6, 6)), None, {"s": [1, 1e-3, 1e-6, 0, np.inf, np.nan]})
    drawn = shown.columns()["y0"].tolist()
    assert [at for at in drawn if at == at] == [1, 1e-3, 1e-6]
    plain = page(sp.csr_array((3, 3)), None, {"s": [0.5, 0.3, 0]}).columns()
    assert plain["y0"].tolist() == [0.5, 0.3, 0]


def test_lines_of_edges_lead_to_their_ends():
    """Those that are listed, in their rows, and the others, on a map."""
    at = np.random.default_rng(0).random((34, 2))
    shown = page(KARATE, NAMES, None, {"t": KARATE * np.arange(34.0)}, positions=at, limit=20)
    rows = shown.columns("edges")
    assert len(rows["xs"]) == 20
    for source, target, xs, ys in zip(
        *(rows[key] for key in ("t0", "t1", "xs", "ys")), strict=True
    ):
        ends = at[[NAMES.index(source), NAMES.index(target)]]
        np.testing.assert_array_equal(np.column_stack((xs, ys)), ends)
    drawn = [shown.data(name) for name in shown.sources("network")]
    assert sum(len(one["xs"]) for one in drawn) == 78


LINE = np.arange(34.0)


def against(*titles, **fields):
    """The page of scores beside null models."""
    given = {"mean": LINE / 10, "z": LINE - 9, "q": LINE / 100, "low": LINE / 20, "high": LINE / 5}
    models = dict.fromkeys(titles, SimpleNamespace(**given | fields))
    return page(KARATE, NAMES, dict.fromkeys(titles, LINE) | {"other": LINE}, null_models=models)


def test_a_null_model_adds_columns_beside_its_score():
    """Expectation, z and q beside the scores."""
    shown = against("betweenness")
    assert heads(shown)[2:] == ["betweenness", "other", "expectation", "z", "q", "degree"]
    rows = shown.columns()
    for key, values in {"b0": LINE / 10, "b1": LINE - 9, "b2": LINE / 100}.items():
        np.testing.assert_array_equal(rows[key], values[::-1])


def test_several_expectations_and_edges_with_probabilities():
    """Columns are named after their score; low and high take the place of z and q."""
    shown = against("a", "b", **dict.fromkeys("zq", np.full(34, np.nan)))
    want = [f"{what} of {title}" for title in "ab" for what in ("expectation", "low", "high")]
    assert heads(shown)[5:-1] == want
