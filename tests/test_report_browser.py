"""Reports as a browser shows them: searched, sorted, hovered over, and nothing asked of anyone."""

import csv
import io
import time
from types import SimpleNamespace

import numpy as np
import pytest
from pages import XSS

import sparsebc
from benchmarks import browser, report
from sparsebc import datasets

pytest.importorskip("selenium")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(None in browser.programs(), reason="no chromium with chromedriver"),
]
KARATE, NAMES = datasets.load("karate")
EVIL = "<img src=x onerror=\"document.title='run'\">"


def until(page, script, *arguments):
    """What a script returns once that is something, within ten seconds."""
    for _ in range(100):
        found = page.execute_script(f"return {script}", *arguments)
        if found:
            return found
        time.sleep(0.1)
    raise AssertionError(f"still nothing: {script}")


@pytest.fixture(scope="module")
def karate(tmp_path_factory):
    """A page of the karate club, one of whose members has markup for a name."""
    path = tmp_path_factory.mktemp("report") / "karate.html"
    scores = {
        "betweenness": sparsebc.betweenness(KARATE, directed=False, device="cpu"),
        "wild": np.r_[np.nan, np.inf, np.arange(32.0)],
    }
    names = [EVIL, *NAMES[1:]]
    ties = {"edge_betweenness": sparsebc.edge_betweenness(KARATE, directed=False, device="cpu")}
    sparsebc.report(path, KARATE, names, scores, ties, directed=False)
    with browser.opened(path) as page:
        yield page


def test_nothing_is_asked_of_anyone(karate):
    """By the log of the browser's network; nor does the page complain."""
    from selenium.webdriver.common.by import By

    asked = browser.requests(karate)
    assert len(asked) >= 1  # the page itself
    assert {address.partition(":")[0] for address in asked} <= {"file", "data", "blob"}
    assert browser.errors(karate) == []
    assert karate.find_element(By.TAG_NAME, "h1").text == "Betweenness, wild, edge betweenness"


def test_search(karate):
    """As one types; the letters typed stay, the rows that fit are left and marked."""
    query = karate.execute_script("return find('input.bk-input')")
    query.send_keys("33")
    assert until(karate, "model('table-nodes').view.filter.indices") == [2]
    assert karate.execute_script("return cells('table-nodes', 1)") == ["33"]
    until(karate, "model('scatter-nodes-0').renderers[1].data_source.data.t0.join() === '33'")
    query.send_keys("x")
    until(karate, "model('table-nodes').view.filter.indices.length === 0")
    assert query.get_attribute("value") == "33x"
    query.send_keys("\ue003" * 3)  # the key that deletes
    until(karate, "model('table-nodes').view.filter.indices === null")
    assert len(karate.execute_script("return cells('table-nodes', 1)")) > 10


def test_sort(karate):
    """By numbers and by names, where 10 comes after 9; NaN is below all numbers."""
    head = "find('.slick-header-columns').querySelectorAll('.slick-header-column')[arguments[0]]"
    first = "cells('table-nodes', arguments[0])"

    def sorted_by(column):
        karate.execute_script(f"return {head}", column).click()
        return karate.execute_script(f"return {first}", column)

    assert sorted_by(2)[0] == "0.437635"
    assert sorted_by(2)[0] == "0.000000"
    assert sorted_by(3)[:3] == ["∞", "31", "30"]
    assert sorted_by(3)[0] == "–"
    names = sorted_by(1)
    assert [name for name in names if name != EVIL] == list(NAMES[1:])
    assert sorted_by(0)[:3] == ["1", "2", "3"]


def hovered(page, *place):
    """What is told of a point."""
    from selenium.webdriver.common.actions.action_builder import ActionBuilder

    x, y = page.execute_script("return place(...arguments)", *place)
    move = ActionBuilder(page)
    move.pointer_action.move_to_location(round(x), round(y))
    move.perform()
    return until(page, "tooltip()")


def test_hover(karate):
    """A point tells the name, the score and the degree of its node."""
    told = hovered(karate, "scatter-nodes-0", 1, "x", "y0")
    assert told[:2] == ["2", "34"]
    assert told[2].startswith("0.304075")
    assert told[-1].startswith("17")


def test_expectation(tmp_path):
    """Points lie at their means, apart those with small q; each tells name, z and q."""
    score, mean = np.arange(1.0, 35.0), np.arange(34.0, 0.0, -1.0)
    rest = dict.fromkeys(("low", "high"), mean) | {"z": score - mean, "q": score / 100}
    path, found = tmp_path / "null.html", SimpleNamespace(mean=mean, **rest)
    sparsebc.report(path, KARATE, NAMES, {"s": score}, directed=False, null_models={"s": found})
    with browser.opened(path) as page:
        told = hovered(page, "expectation-0", 33, "e0", "y0")
        assert told[:2] == ["34", "1"]
        assert [float(cell.split()[0]) for cell in told[2:6]] == [1, 34, -33, 0.01]
        drawn = "model('expectation-0').renderers.filter(r => r.view?.filter?.indices)"
        shown = page.execute_script(f"return {drawn}.map(r => r.view.filter.indices)")
        assert shown == [list(range(30)), list(range(30, 34))]
        assert browser.errors(page) == []


def test_pick(karate):
    """A row that is picked is marked and named in the plots and in the network."""
    karate.execute_script("model('table-nodes').source.selected.indices = [7]")
    until(karate, "model('network').renderers.some(r => r.data_source.data.label?.[0] === '14')")
    karate.execute_script("model('table-nodes').source.selected.indices = []")
    until(karate, "model('scatter-nodes-0').renderers[1].data_source.data.label.length === 3")


def test_the_score_that_colours(tmp_path):
    """Lines in its order and by its mapper, on a map of nodes as well; dark pages turn palettes."""
    path = tmp_path / "map.html"
    places = np.random.default_rng(0).random((34, 2))
    scores = {"a": np.arange(34.0), "b": np.arange(34.0)[::-1]}
    ties = sparsebc.edge_betweenness(KARATE, directed=False, device="cpu")
    sparsebc.report(path, KARATE, NAMES, scores, {"c": ties}, directed=False, positions=places)
    lines = "model('network').renderers.find(r => r.glyph.type === 'MultiLine')"
    dots = "model('network').renderers.find(r => r.glyph.type === 'Scatter')"
    with browser.opened(path) as page:
        for place, (title, of_nodes) in enumerate([("a", True), ("b", True), ("c", False)]):
            page.execute_script("model('colours').value = arguments[0]", str(place))
            shown = page.execute_script(f"return {lines}.data_source.data")
            ends = [[NAMES.index(name) for name in shown[key]] for key in ("t0", "t1")]
            want = ties[*ends] if not of_nodes else scores[title][ends].mean(axis=0)
            np.testing.assert_array_equal(shown["value"], want)
            assert (np.diff(shown["width"]) >= 0).all()
            assert shown["width"][-1] > 3 * shown["width"][0]
            for k, (x, y) in enumerate(zip(shown["xs"], shown["ys"], strict=True)):
                at = places[[ends[0][k], ends[1][k]]]
                np.testing.assert_allclose(np.column_stack((x, y)), at, rtol=1e-6)
            assert page.execute_script(f"return {dots}.visible") == of_nodes
            bar = "model('network').above.filter(b => b.type === 'ColorBar' && b.visible)"
            assert page.execute_script(f"return {bar}.map(b => b.title.text)") == [title]
            same = f"{lines}.glyph.line_color.transform === {bar}[0].color_mapper"
            assert page.execute_script(f"return {same}")
        page.execute_script("model('table-edges').source.selected.indices = [7]")
        marked = "model('network').renderers.filter(r => r.glyph.type === 'MultiLine')[1]"
        until(page, f"{marked}.data_source.data.xs.length === 1")
        page.execute_script(f"{lines}.data_source.selected.indices = [3]")
        until(page, f"{marked}.data_source.data.xs[0][0] === {lines}.data_source.data.xs[3][0]")
        assert until(page, "model('network').background_fill_color") == "#ffffff"
        first = page.execute_script(f"return {bar}[0].color_mapper.palette[0]")
        night = [{"name": "prefers-color-scheme", "value": "dark"}]
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": night})
        until(page, "model('network').background_fill_color === '#14171c'")
        assert page.execute_script(f"return {bar}[0].color_mapper.palette[0]") != first
        labels = "model('scatter-edges-0').center.filter(l => l.type === 'LabelSet')"
        names = page.execute_script(f"return {labels}.map(l => l.background_fill_color.value)")
        assert names == ["#14171c"]
        assert browser.errors(page) == []


def test_long_titles_are_whole(tmp_path):
    """Heads of several radii have the lines that they need, and the rows begin below."""
    titles = ["short", "betweenness within 400 m", "betweenness within 1600 m", "of jobs, 400"]
    path = tmp_path / "long.html"
    sparsebc.report(path, KARATE, NAMES, dict.fromkeys(titles, np.arange(34.0)))
    with browser.opened(path) as page:
        heads = page.execute_script(
            "const grid = Bokeh.index.find_one_by_id(model('table-nodes').id)"
            "  .shadow_el.querySelectorAll('.slick-header-column .slick-column-name');"
            "return [...grid].map(e => [e.textContent, e.getBoundingClientRect(),"
            "  e.parentElement.getBoundingClientRect()])"
        )
        assert [head[0] for head in heads] == ["rank", "node", *titles, "degree"]
        for _, title, cell in heads:
            assert cell["left"] <= title["left"] < title["right"] <= cell["right"]
            assert cell["top"] <= title["top"] < title["bottom"] <= cell["bottom"]
        assert page.execute_script("return cells('table-nodes', 0)")[0] == "1"
        assert browser.errors(page) == []


def test_save(karate):
    """The rows that a search left, every digit of the scores, as csv reads it."""
    karate.execute_script(
        "window.saved = null;"
        "URL.createObjectURL = (blob) => (blob.text().then((text) => { saved = text }), '#')"
    )
    karate.execute_script("model('table-nodes').view.filter.indices = [0, 1, 33]")
    karate.execute_script("find('.bk-btn').click()")
    titles, *lines = csv.reader(io.StringIO(until(karate, "window.saved"), newline=""))
    assert titles == ["rank", "node", "betweenness", "wild"]
    assert [line[1] for line in lines[:2]] == [EVIL, "34"]
    scores = sparsebc.betweenness(KARATE, directed=False, device="cpu")
    assert [float(line[2]) for line in lines] == [scores[0], scores[33], scores.min()]
    karate.execute_script("model('table-nodes').view.filter.indices = null")


def test_no_text_is_a_script(tmp_path):
    """Names, titles, units and notes that are scripts elsewhere; nothing runs, or is fetched."""
    path = tmp_path / "page.html"
    columns = {f"{k} {text}": np.arange(34.0) * (k + 1) for k, text in enumerate((*XSS, "$$x$$"))}
    sparsebc.report(
        path, KARATE, [*XSS, *NAMES[len(XSS) :]], {**columns, XSS[0]: [*XSS] * 4 + [*XSS[:2]]},
        {text: KARATE * 0.25 for text in XSS}, directed=False, title=" ".join(XSS), notes=XSS,
        half_widths={title: np.ones(34) for title in columns},
        units={title: f"{title} @t0{{safe}}" for title in columns},
        provenance=dict.fromkeys(XSS, XSS[1]),
    )  # fmt: skip
    with browser.opened(path) as page:
        assert any(XSS[0] in line for line in hovered(page, "scatter-nodes-0", 1, "x", "y0"))
        assert XSS[0] in page.execute_script("return cells('table-nodes', 1)")
        assert page.title != "run"
        assert page.execute_script("return find('img[src=x]') ?? find('svg[onload]')") is None
        assert browser.errors(page) == []
        assert {url.partition(":")[0] for url in browser.requests(page)} <= {"file", "data", "blob"}
        # Nor would a script that got into the page.
        page.execute_script("document.body.innerHTML = arguments[0]", XSS[0])
        until(page, "find('img[src=x]')")
        assert any("inline event handler" in message for message in browser.errors(page))
        assert page.title != "run"


@pytest.mark.parametrize("width", [420, 1400])
def test_it_fits_the_window(tmp_path, width):
    """Narrow or wide, nothing hangs over the side."""
    path = tmp_path / "map.html"
    places = np.random.default_rng(0).random((34, 2))
    sparsebc.report(
        path, KARATE, NAMES, {"closeness": np.arange(34)}, positions=places, geographic=True
    )
    with browser.opened(path, width=width) as page:
        sizes = "return [document.documentElement.scrollWidth, window.innerWidth]"
        assert page.execute_script(sizes) == [width, width]
        assert browser.errors(page) == []


def test_what_is_measured(tmp_path, capsys):
    """Every step of the benchmark, on small pages."""
    output = tmp_path / "out.json"
    report.main(["--nodes", "400", "--output", str(output)])
    printed = capsys.readouterr().out
    for name in (*report.STEPS, "hover scatter-nodes-0", "drag network", "graph mesh  nodes 400"):
        assert name in printed
