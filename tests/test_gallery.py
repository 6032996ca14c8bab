"""The gallery's code runs, and draws what its page says."""

import re
import runpy
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest

DOCS = Path(__file__).parent.parent / "docs"
SCRIPTS = sorted((DOCS / "gallery").glob("*.py"))
pytestmark = pytest.mark.long


@pytest.fixture(autouse=True)
def _no_window():
    """Draw into memory, and forget the figures."""
    mpl.use("agg")
    yield
    plt.close("all")


@pytest.mark.slow
@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_every_script_draws_one_figure(script):
    """Of more than one colour, in all of its panels."""
    runpy.run_path(str(script))
    (number,) = plt.get_fignums()
    figure = plt.figure(number)
    figure.canvas.draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())
    assert len(np.unique(pixels.reshape(-1, 4), axis=0)) > 20
    assert all(axes.has_data() or axes.texts for axes in figure.axes)


def test_the_page_shows_every_script():
    """And no other."""
    shown = re.findall(r"^\.\. plot:: gallery/(\w+)\.py$", (DOCS / "gallery.rst").read_text(), re.M)
    assert sorted(shown) == [script.stem for script in SCRIPTS]


def test_bridges_are_the_busiest_roads():
    """All that crosses the river takes one of three roads: the three highest scores are theirs."""
    names = runpy.run_path(str(DOCS / "gallery" / "roads.py"))
    scores, bank = names["scores"], names["bank"]
    across = bank[scores.row] != bank[scores.col]
    assert np.count_nonzero(across) == 6  # both directions of three bridges
    assert scores.data[across].min() > np.quantile(scores.data, 0.99)


def test_roads_have_a_scale():
    """A bar beside the map, in the units of the scores, from the least to the greatest."""
    scores = runpy.run_path(str(DOCS / "gallery" / "roads.py"))["scores"]
    _, bar = plt.gcf().axes
    assert "edge betweenness" in bar.get_ylabel()
    np.testing.assert_allclose(bar.get_ylim(), (scores.data.min(), scores.data.max()))


def test_panels_of_proteins_are_labelled():
    """Below each column and beside each row, what it is of."""
    names = runpy.run_path(str(DOCS / "gallery" / "proteins.py"))
    panels = names["panels"]
    assert [panel.get_xlabel() for panel in panels[-1]] == names["measures"]
    assert [panel.get_ylabel() for panel in panels[1:, 0]] == names["measures"][1:]
    assert [panels[i, i].get_title() for i in range(5)] == names["measures"]
    assert all("rank correlation" in panels[0, j].texts[0].get_text() for j in range(1, 5))


def test_trips_are_on_the_map():
    """Weights move the traffic; every trip leaves its home by some street."""
    names = runpy.run_path(str(DOCS / "gallery" / "trips.py"))
    assert (names["weights"]["source_weights"] > 0).sum() > 300
    scores = names["scores"]  # of the last map
    near = names["from_middle"][scores.row] < 2
    assert scores.data[near].mean() > 3 * scores.data[~near].mean()
    maps = plt.gcf().axes[:3]
    words = ("all corners", "1.5 km", "homes")
    assert all(word in axes.get_title() for word, axes in zip(words, maps, strict=True))
    assert [axes.get_xlabel() for axes in maps] == ["km"] * 3


def test_the_prominent_group_is_above_the_others():
    """And all below what is proved; every curve rises."""
    names = runpy.run_path(str(DOCS / "gallery" / "groups.py"))
    found, curves = names["found"], names["curves"]
    assert (found.scores >= curves.max(axis=0) - 1e-12).all()
    assert found.scores[-1] <= found.bound
    assert found.scores[-1] > 0.9 * found.bound
    assert (np.diff(curves, axis=1) > 0).all()


def test_an_attack_falls_faster_than_chance():
    """By scores of what is left first of all, and the map shows those that halve the city."""
    names = runpy.run_path(str(DOCS / "gallery" / "attack.py"))
    anew, once, chance = (
        names["anew"].largest.sum(), names["once"].largest.sum(),
        names["curves"]["at random"].sum(),
    )  # fmt: skip
    assert anew < once < chance
    count = len(names["closed"])
    assert names["anew"].largest[count - 1] < names["n"] / 2 <= names["anew"].largest[count - 2]


def test_communities_are_the_villages():
    """The cut at the top of the curve parts what was laid out apart."""
    names = runpy.run_path(str(DOCS / "gallery" / "villages.py"))
    labels, village = names["found"].labels, names["village"]
    assert len(set(zip(labels.tolist(), village.tolist(), strict=True))) == labels.max() + 1 == 7


@pytest.mark.slow
def test_bands_hold_the_exact_scores():
    """On the picture, every dotted line is inside its band, all along."""
    names = runpy.run_path(str(DOCS / "gallery" / "convergence.py"))
    assert (np.diff(names["samples"]) >= 0).all()
    for near in names["nears"]:
        assert (abs(near.scores - names["exact"]) <= near.half_widths + 1e-12).all()
    (axes,) = plt.gcf().axes  # and none reaches where no score can be
    assert axes.get_ylim()[0] == 0
    for band in axes.collections:
        heights = band.get_paths()[0].vertices[:, 1]
        assert 0 <= heights.min() < heights.max() <= 1


def test_two_members_have_more_than_chance():
    """They stand above the line, and beyond 95% of their samples."""
    names = runpy.run_path(str(DOCS / "gallery" / "chance.py"))
    found, prominent = names["found"], names["prominent"]
    assert [names["names"][v] for v in prominent] == ["1", "32"]
    assert (found.score > found.high)[prominent].all()
    assert {text.get_text() for text in plt.gcf().axes[0].texts} == {"1", "32"}


def test_who_is_first_at_school_is_not_who_is_between():
    names = runpy.run_path(str(DOCS / "gallery" / "times.py"))
    assert names["static"].argmax() != names["foremost"].argmax()
    (school,) = plt.gcf().axes
    assert len(school.texts) == 3
