"""Null models in reports: columns beside the scores, and scores against expectations."""

import io
from types import SimpleNamespace

import numpy as np
import pytest
from pages import Page

import sparsebc
from sparsebc import datasets

KARATE, NAMES = datasets.load("karate")
SCORE = np.linspace(0, 1, 34)[::-1] ** 4
LINE = np.arange(34.0)


def model(**fields):
    """Some null model; expectations reach beyond the scores."""
    given = {"mean": LINE / 10, "z": LINE - 9, "q": LINE / 100, "low": LINE / 20, "high": LINE / 5}
    return SimpleNamespace(**given | fields)


def page(null_models, scores=SCORE):
    """The page of scores, read."""
    file, nodes = io.StringIO(), dict.fromkeys(null_models, scores) | {"other": LINE}
    sparsebc.report(file, KARATE, NAMES, nodes, directed=False, null_models=null_models)
    return Page(file.getvalue())


def heads(shown):
    return [column["title"] for column in shown.models["TableColumn"]]


def test_columns_and_points():
    """Each node by its name where its score and its mean are; apart those with q below 0.05."""
    shown = page({"betweenness": model()})
    assert heads(shown)[2:] == ["betweenness", "other", "expectation", "z", "q", "degree"]
    rows = shown.columns()
    for key, values in {"b0": LINE / 10, "b1": LINE - 9, "b2": LINE / 100}.items():
        np.testing.assert_array_equal(rows[key], values)
    assert rows["y0"][-1] == rows["e0"][0]  # zero has a place of its own, the same on both axes
    np.testing.assert_array_equal(rows["e0"][1:], LINE[1:] / 10)
    np.testing.assert_array_equal(rows["y0"][:-1], SCORE[:-1])
    filters = [one["indices"] for one in shown.models["IndexFilter"] if one.get("indices")]
    assert filters == [list(range(5, 34)), list(range(5))]
    assert any("Orange: q < 0.05." in text for text in shown.texts["p"])
    labels = {axis.get("axis_label") for axis in shown.models["LogAxis"]}
    assert {"expectation of betweenness", "betweenness"} <= labels


def test_several_and_edges_with_probabilities():
    """Columns are named after their score; without q nothing is coloured."""
    no = dict.fromkeys("zq", np.full(34, np.nan))
    shown = page({"a": model(**no), "b": model(**no)})
    want = [f"{what} of {title}" for title in "ab" for what in ("expectation", "low", "high")]
    assert heads(shown)[5:-1] == want
    assert not any("Orange" in text for text in shown.texts["p"])
    assert any("the dashed line is as expected" in text for text in shown.texts["p"])
    filters = [one["indices"] for one in shown.models["IndexFilter"] if one.get("indices")]
    assert filters == [list(range(34))] * 2


@pytest.mark.parametrize(
    ("models", "error", "said"),
    [
        ({"none": model()}, ValueError, "'none', which is no title of nodes"),
        ({"score": model(z=LINE[1:])}, ValueError, r"\['score'\].z is float64 of shape \(33,\)"),
        (
            {"score": {"mean": LINE}},
            TypeError,
            r"\['score'\].mean is not there: give what null_model returns",
        ),
    ],
)
def test_what_is_refused(models, error, said):
    """With what was expected."""
    with pytest.raises(error, match=said):
        sparsebc.report(io.StringIO(), KARATE, NAMES, {"score": SCORE}, null_models=models)
