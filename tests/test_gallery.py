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


@pytest.fixture(autouse=True)
def _no_window():
    """Draw into memory, and forget the figures."""
    mpl.use("agg")
    yield
    plt.close("all")


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


def test_bands_hold_the_exact_scores():
    """On the picture, every dotted line is inside its band, all along."""
    names = runpy.run_path(str(DOCS / "gallery" / "convergence.py"))
    assert (np.diff(names["samples"]) >= 0).all()
    for near in names["nears"]:
        assert (abs(near.scores - names["exact"]) <= near.half_widths + 1e-12).all()
