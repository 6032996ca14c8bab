"""The pages say what is so: examples run, files are there, tables and pictures are the code's."""

import doctest
import importlib.util
import itertools
import re
import runpy
import shutil
from pathlib import Path
from textwrap import dedent

import pytest

import sparsebc

DOCS = Path(__file__).parent.parent / "docs"
# Commands that the pages show with their output, on networks that are at hand.
SHOWN = [
    match.groups()
    for page in sorted(DOCS.glob("*.rst"))
    for match in re.finditer(
        r"^   \$ sparsebc ([\w-]+ (?:karate|human-proteins)(?!.*--json).*)\n"
        r"((?:   (?!\$).*\n|\n)+)",
        page.read_text(),
        re.M,
    )
]
# Of the output, what depends on the machine and on the moment.
VARIES = r"^(?:workers|time  ).*\n|[\d.]+ s on "
PACKAGE = Path(sparsebc.__file__).parent
PAGES = sorted(page for page in DOCS.glob("*.rst") if ">>>" in page.read_text())
# Pages that say in which file something is done.
MAPS = ("algorithm.rst", "engines.rst", "contributing.rst")
HOUSE = runpy.run_path(str(DOCS / "house.py"))


def runnable(page):
    """Text of a page without the sections that import a library which is not installed."""
    sections = re.split(r"(?m)^(?=.+\n-{3,}$)", page.read_text())
    lines = [re.findall(r"^>>> (?:import (.+)|from (\w+))", section, re.M) for section in sections]
    imported = [re.findall(r"(?:^|, )(\w+)", ", ".join(map("".join, found))) for found in lines]
    there = [all(map(importlib.util.find_spec, names)) for names in imported]
    return "".join(itertools.compress(sections, there))


def named(page):
    """Name of a page, which tells whether sections are left out."""
    return page.name if runnable(page) == page.read_text() else f"{page.name}, in part"


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES, ids=named)
def test_examples_of_a_page_run(page, folder):
    """Every page with an example, where the files that it offers were saved."""
    for name in re.findall(r":download:`[^`]*<data/([\w.]+)>`", page.read_text()):
        shutil.copy(DOCS / "data" / name, folder)
    names = {"__name__": "__main__"}
    test = doctest.DocTestParser().get_doctest(runnable(page), names, page.name, str(page), 0)
    failed, tried = doctest.DocTestRunner().run(test)
    assert tried > 0
    assert failed == 0


@pytest.mark.long
@pytest.mark.parametrize(("line", "output"), SHOWN, ids=[line for line, _ in SHOWN])
@pytest.mark.usefixtures("folder", "terminal")
def test_commands_print_what_a_page_shows(run, line, output):
    """All that a page shows; notes and names of files may follow."""
    status, out, _ = run(*line.split(), "--device", "cpu")
    assert status == 0
    printed, shown = (re.sub(VARIES, "", text, flags=re.M) for text in (out, dedent(output)))
    assert printed[: len(shown.rstrip())] == shown.rstrip()


@pytest.mark.parametrize("page", sorted(page.name for page in DOCS.glob("*.[rm][sd]*")))
def test_files_that_are_named_are_there(page):
    """By the end of their path, in the package or beside it."""
    text = (DOCS / page).read_text()
    named = set(re.findall(r"``([\w/.]+\.(?:py|cuh?))``", text))
    assert len(named) >= 5 or page not in MAPS
    there = [f"/{path.relative_to(PACKAGE.parent)}" for path in PACKAGE.rglob("*.*")]
    there += [f"/tests/{path.name}" for path in Path(__file__).parent.rglob("*.py")]
    there += [f"/{path.relative_to(DOCS.parent)}" for path in DOCS.parent.glob("[.b]*/*.py")]
    for name in named:
        assert any(path.endswith(f"/{name}") for path in there), name


def test_times_are_those_of_the_results():
    """Tables are filled; each file of results is quoted, and each that is named is kept."""
    kept = DOCS.parent / "benchmarks" / "results"
    if not kept.is_dir():
        pytest.skip("results are not part of a source distribution")
    page = HOUSE["fill"]((DOCS / "performance.rst").read_text())
    assert "\n   * - bio-human-ppi-snap-pathways\n     - betweenness\n" in page
    assert "\n     - wrong\n" in page
    assert {path.name for path in kept.iterdir()} == set(HOUSE["quoted"]())
    for name, words in HOUSE["said"]():
        page = DOCS / name if name != "README.md" else DOCS.parent / name
        assert words in " ".join(page.read_text().split()), name
