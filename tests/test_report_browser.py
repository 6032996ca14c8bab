"""Reports as a browser shows them: searched, sorted, hovered over, and nothing asked of anyone."""

import time

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


def test_a_search_leaves_and_picks_the_rows_that_fit(karate):
    """As one types; the letters typed stay, the rows that fit are left and picked."""
    query = karate.execute_script("return find('input.bk-input')")
    query.send_keys("33")
    until(karate, "model('table-nodes').view.filter.indices?.join() === '2'")
    assert karate.execute_script("return cells('table-nodes', 1)") == ["33"]
    until(
        karate, "model('scatter-nodes-0').renderers[0].data_source.selected.indices.join() === '2'"
    )
    query.send_keys("x")
    until(karate, "model('table-nodes').view.filter.indices.length === 0")
    assert query.get_attribute("value") == "33x"
    query.send_keys("\ue003" * 3)  # the key that deletes
    until(karate, "model('table-nodes').view.filter.indices === null")
    assert len(karate.execute_script("return cells('table-nodes', 1)")) > 10


def test_columns_are_sorted_by_numbers_and_by_names(karate):
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


def test_a_point_tells_name_score_and_degree(karate):
    told = hovered(karate, "scatter-nodes-0", 1, "x", "y0")
    assert told[:2] == ["2", "34"]
    assert told[2].startswith("0.304075")
    assert told[-1].startswith("17")


def clicked(page, *place):
    """Click on a point."""
    from selenium.webdriver.common.actions.action_builder import ActionBuilder

    x, y = page.execute_script("return place(...arguments)", *place)
    click = ActionBuilder(page)
    click.pointer_action.move_to_location(round(x), round(y)).click()
    click.perform()


def test_what_is_picked_in_one_view_is_picked_in_the_others(tmp_path):
    """A point of the plot and a line of the map mark their rows; a dark page is drawn on black."""
    path, places = tmp_path / "map.html", np.random.default_rng(0).random((34, 2))
    ties = sparsebc.edge_betweenness(KARATE, directed=False, device="cpu")
    scores = {"a": np.arange(34.0)}
    sparsebc.report(path, KARATE, NAMES, scores, {"c": ties}, directed=False, positions=places)
    picked = "model('table-{}').source.selected.indices.join()"
    marked = "find('.slick-row .slick-cell.selected').textContent"
    lines = "model('network').renderers.filter(r => r.glyph.type === 'MultiLine')"
    with browser.opened(path) as page:
        clicked(page, "scatter-nodes-0", 0, "x", "y0")
        assert until(page, picked.format("nodes")) == "0"
        assert page.execute_script(f"return {marked}") == "1"
        page.execute_script(
            f"const {{data}} = {lines}[0].data_source;"
            "data.east = data.xs.map(([a, b]) => (a + b) / 2);"
            "data.north = data.ys.map(([a, b]) => (a + b) / 2)"
        )
        clicked(page, "network", 0, "east", "north")
        assert "0" in until(page, picked.format("edges")).split(",")
        order = page.execute_script(
            f"return {lines}.flatMap(r => r.view.filter.indices.map(i => r.data_source.data.s0[i]))"
        )
        assert order == sorted(order)  # the highest are drawn last
        shown = "getComputedStyle(Bokeh.index.find_one_by_id(model('network').id).el).filter"
        assert page.execute_script(f"return {shown}") == "none"
        night = [{"name": "prefers-color-scheme", "value": "dark"}]
        page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": night})
        assert "invert(1)" in page.execute_script(f"return {shown}")
        assert browser.errors(page) == []


@pytest.mark.parametrize("width", [420, 1400])
def test_long_titles_are_whole(tmp_path, width):
    """Heads of several radii have the room that they need, and the rows begin below."""
    titles = ["short", "betweenness within 400 m", "betweenness within 1600 m", "of jobs, 400"]
    path = tmp_path / "long.html"
    sparsebc.report(path, KARATE, NAMES, dict.fromkeys(titles, np.arange(34.0)))
    with browser.opened(path, width=width) as page:
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
def test_a_page_fits_the_window(tmp_path, width):
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


def test_every_step_of_the_benchmark_is_measured(tmp_path, capsys):
    """Every step of the benchmark, on small pages."""
    output = tmp_path / "out.json"
    report.main(["--nodes", "400", "--output", str(output)])
    printed = capsys.readouterr().out
    for name in (*report.STEPS, "hover scatter-nodes-0", "drag network", "graph mesh  nodes 400"):
        assert name in printed
