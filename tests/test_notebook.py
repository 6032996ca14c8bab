"""HTML of results: the rows are the highest scores, and names are text."""

import re

import numpy as np
import scipy.sparse as sp

from sparsebc import Approximation, NullModel, explain


def cells(page):
    """Rows of the table in a page."""
    rows = re.findall(r"<tr>(.*?)</tr>", page)
    return [re.findall(r"<t[hd]>(.*?)</t[hd]>", row) for row in rows]


def test_ten_nodes_of_highest_score():
    scores = np.arange(30.0) / 100
    page = Approximation(scores, np.full(30, 0.05), 7, None, False)._repr_html_()
    head, *rows = cells(page)
    assert head == ["node", "scores", "half_widths"]
    assert rows == [[str(v), f"{v / 100:.4g}", "0.05"] for v in range(29, 19, -1)]
    assert "<caption>Approximation of 30 nodes; samples 7; exact False</caption>" in page


def test_a_ranking_of_all_nodes_is_no_column():
    """Its rows are ranks, though there are as many of them as nodes."""
    scores = np.arange(3.0)
    ranked = Approximation(scores, scores, 7, None, False, np.array([2, 1, 0]), scores > 0)
    assert cells(ranked._repr_html_())[0] == ["node", "scores", "half_widths"]


def test_several_cutoffs_have_no_rows():
    """Columns of a node are told by the result itself; the line above stays."""
    by_cutoff = np.zeros((4, 2))
    page = NullModel(*[by_cutoff] * 8, samples=9, seed=3)._repr_html_()
    assert len(cells(page)) == 1
    assert "samples 9; seed 3" in page


def test_a_prompt_has_one_line():
    scores = np.zeros(3)
    near = Approximation(scores, scores, 7, None, False)
    assert repr(near) == "<Approximation of 3 nodes; samples 7; exact False>"


def test_a_plan_is_its_text():
    plan = explain(sp.csr_array(np.eye(3, k=1)), device="cpu")
    assert plan._repr_html_() == f"<pre>{plan}</pre>".replace("->", "-&gt;")
