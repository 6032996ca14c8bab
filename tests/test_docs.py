"""The examples in the documentation give what the pages say."""

import doctest
from pathlib import Path

import pytest

PAGES = sorted(
    page
    for page in (Path(__file__).parent.parent / "docs").glob("*.rst")
    if ">>>" in page.read_text()
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_examples(page):
    """Every page with an example."""
    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert tried > 0
    assert failed == 0


def test_there_are_examples():
    assert "communities.rst" in [page.name for page in PAGES]
