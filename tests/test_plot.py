"""Pictures: files of the right kind, whatever the scores are."""

import numpy as np
import pytest

from sparsebc.cli import main as cli
from sparsebc.cli import plot

pytest.importorskip("matplotlib")
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.image import imread


@pytest.fixture
def figure(monkeypatch):
    """The figure that a call of `degree_against_score` saved, with its labels."""
    saved = []
    save = Figure.savefig
    monkeypatch.setattr(
        Figure, "savefig", lambda self, *args, **how: saved.append(self) or save(self, *args, **how)
    )

    def call(path, *args, **options):
        plot.degree_against_score(path, *args, **options)
        return saved[-1]

    call.saved = saved
    return call


def labels(figure):
    return {text.get_text(): text for text in figure.axes[0].texts}


@pytest.mark.parametrize(
    ("suffix", "magic"), [("png", b"\x89PNG\r\n"), ("PDF", b"%PDF"), ("svg", b"<?xml")]
)
def test_the_suffix_decides_the_format_of_a_picture(tmp_path, capsys, suffix, magic):
    path = tmp_path / f"plot.{suffix}"
    assert cli.main(["betweenness", "karate", "-o", str(path)]) == 0
    assert capsys.readouterr().out == ""
    content = path.read_bytes()
    assert content.startswith(magic)
    assert len(content) > 5000
    if suffix == "png":  # more than one colour, in a picture wider than high
        pixels = imread(path)
        assert pixels.shape[1] > pixels.shape[0] > 500
        assert pixels[..., :3].std() > 0.01


@pytest.mark.parametrize(("top", "labelled"), [("3", 3), ("all", 10)])
def test_the_first_nodes_of_the_table_are_labelled(tmp_path, figure, top, labelled):
    assert cli.main(["betweenness", "karate", "-o", str(tmp_path / "plot.png"), "--top", top]) == 0
    assert [*labels(figure.saved[-1])][:3] == ["1", "34", "33"]
    assert len(labels(figure.saved[-1])) == labelled


def test_names_are_not_formulas(tmp_path, figure):
    """A dollar sign is a dollar sign; axes say what they show."""
    drawn = figure(tmp_path / "plot.png", [1], [1.0], [r"$\x$"], label="closeness")
    assert list(labels(drawn)) == [r"$\x$"]
    axes = drawn.axes[0]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("degree", "closeness")


@pytest.mark.parametrize(
    ("degrees", "scores"),
    [
        ([], []),
        ([0, 0], [0.0, 0.0]),
        ([0, 1, 1], [0.0, 1e-9, 1e9]),
        ([2, 1, 1], [np.nan, 0.5, 0.0]),
        ([1, 1], [np.nan, np.nan]),
        ([5, 5], [1e-300, 1e-300]),
    ],
)
def test_every_finite_score_is_drawn_within_the_axes(tmp_path, figure, degrees, scores):
    """Zeros, nothing at all, and what is not finite: every finite point is within the axes."""
    drawn = figure(tmp_path / "plot.png", degrees, scores, [str(v) for v in range(len(scores))])
    axes = drawn.axes[0]
    assert isinstance(axes, Axes)
    finite = np.isfinite(scores)
    shown = np.concatenate([c.get_offsets() for c in axes.collections])
    assert len(shown) == np.count_nonzero(finite)
    if len(shown):
        low, high = np.transpose([axes.get_xlim(), axes.get_ylim()])
        assert ((low <= shown) & (shown <= high)).all()
