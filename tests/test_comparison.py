"""The comparison page names a test for all that it says of this package, and the tests exist."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parent
PAGE = (TESTS.parent / "docs" / "comparison.md").read_text()
ANSWERS = {"yes", "no", "part", "?"}


def tables():
    """Titles and rows of each table."""
    for block in re.findall(r"(?:^\|.*\|\n)+", PAGE, re.MULTILINE):
        titles, _, *rows = (
            [cell.strip() for cell in line.strip("|").split("|")]
            for line in block.strip().splitlines()
        )
        yield titles, rows


ROWS = [(titles, row) for titles, rows in tables() for row in rows]


def functions(file):
    """Tests that a file defines."""
    tree = ast.parse((TESTS / file).read_text())
    return {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def test_the_systems_are_all_there():
    """The five papers and the five libraries, ours beside them."""
    first, second = (titles for titles, _ in tables())
    assert first[1:-2] == ["gpu-fan", "weighted GPU", "cuRnet", "first GPU", "TurboBC"]
    assert second[1:-2] == ["NetworkX", "igraph", "networkit", "graph-tool", "cuGraph"]
    assert first[-2:] == second[-2:] == ["sparsebc", "tested by"]


@pytest.mark.parametrize(("titles", "row"), ROWS, ids=[row[0] for _, row in ROWS])
def test_a_test_for_every_capability(titles, row):
    """What we say we do, a test of that name holds; what we do not do has none."""
    assert len(row) == len(titles)
    assert set(row[1:-1]) <= ANSWERS
    *_, ours, test = row
    assert (ours == "no") == (test == "")
    if test:
        file, name = test.split("::")
        assert name in functions(file)


def test_whatever_others_do_is_listed_as_done_or_not():
    """No answer of ours is left open, and the five papers have nothing that we do not have."""
    (_, papers), _ = tables()
    assert all(row[-2] == "yes" for row in papers)
