"""The pages say what is so: examples run, files are there, tables and pictures are the code's."""

import doctest
import importlib.util
import itertools
import re
import runpy
import shutil
from pathlib import Path
from textwrap import dedent

import matplotlib as mpl
import matplotlib.pyplot as plt
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
def test_examples(page, tmp_path, monkeypatch):
    """Every page with an example, where the files that it offers were saved."""
    for name in re.findall(r":download:`[^`]*<data/([\w.]+)>`", page.read_text()):
        shutil.copy(DOCS / "data" / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "__main__"}
    test = doctest.DocTestParser().get_doctest(runnable(page), names, page.name, str(page), 0)
    failed, tried = doctest.DocTestRunner().run(test)
    assert tried > 0
    assert failed == 0


# Imports, and what is installed for them.
NEEDS = {
    r"import (\w+, )*report": "report",
    "import networkx": "networkx",
    "geopandas": "geopandas",
}


@pytest.mark.parametrize("page", sorted(DOCS.glob("tutorial_*.rst")), ids=lambda page: page.stem)
def test_a_tutorial_says_what_to_install(page):
    """Each package that its examples import and the plain install lacks."""
    text = page.read_text()
    code = "\n".join(re.findall(r"^(?:>>>|\.\.\.) (.*)", text, re.M))
    line = " ".join(re.findall(r"``pip install (.+?)``", text))
    assert {extra for words, extra in NEEDS.items() if re.search(words, code)} == {
        extra for extra in NEEDS.values() if re.search(rf"\b{extra}\b", line)
    }


@pytest.mark.long
@pytest.mark.parametrize(("line", "output"), SHOWN, ids=[line for line, _ in SHOWN])
def test_output_of_commands(run, tmp_path, monkeypatch, line, output):
    """All that a page shows; notes and names of files may follow."""
    monkeypatch.chdir(tmp_path)
    status, out, _ = run(*line.split(), "--device", "cpu")
    assert status == 0
    printed, shown = (re.sub(VARIES, "", text, flags=re.M) for text in (out, dedent(output)))
    assert printed[: len(shown.rstrip())] == shown.rstrip()


def test_there_are_examples():
    assert len(SHOWN) == 8
    assert {"communities.rst", "contributing.rst"} <= {page.name for page in PAGES}


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


def test_the_map_has_every_file():
    """Of every folder of the package, each file by its own first sentence."""
    page = (DOCS / "engines.rst").read_text()
    folders = re.findall(r"^\.\. files:: (\S+)$", page, re.M)
    listed = {
        PACKAGE / folder / file for folder in folders for file, said in HOUSE["files"](folder)
    }
    sources = {path for kind in ("py", "cu", "cuh") for path in PACKAGE.rglob(f"*.{kind}")}
    assert listed == {path for path in sources if path.name != "__init__.py"}
    assert "   * - ``brandes.py``\n     - Brandes' level loop" in HOUSE["fill"](page)


def test_the_kernels_that_the_pages_list():
    """Rows of the engines' tables, each with files that are there."""
    rows = list(HOUSE["kernels"]())
    assert {engine for engine, *_ in rows} == {"cpu", "cuda"}
    for *_, files in rows:
        named = re.findall("``(.*?)``", files)
        assert named
        assert all((PACKAGE / "engines" / file).is_file() for file in named)
    page = HOUSE["fill"]((DOCS / "engines.rst").read_text())
    for row in rows:
        assert "   * - " + "\n     - ".join(row) in page


@pytest.mark.parametrize("page", MAPS)
def test_included_code_is_there(page):
    """What a page shows of a file begins where it says."""
    included = re.findall(
        r"^\.\. literalinclude:: (\S+)\n((?:   :.*\n)+)", (DOCS / page).read_text(), re.M
    )
    assert included or page != "algorithm.rst"
    for file, options in included:
        text = (DOCS / file).read_text()
        wanted = re.findall(r":(?:start-at|end-before): (.*)", options)
        wanted += [
            f"def {name.rpartition('.')[2]}(" for name in re.findall(r":pyobject: (.*)", options)
        ]
        assert wanted
        assert all(line in text for line in wanted), (file, wanted)


@pytest.fixture
def in_memory():
    """Draw without a window, and forget the figure."""
    mpl.use("agg")
    yield
    plt.close("all")


def test_the_picture_of_the_levels(in_memory):
    """Its numbers are those of the graph: both products hold between the levels."""
    drawn = runpy.run_path(str(DOCS / "figures" / "levels.py"))
    assert drawn["level"].tolist() == [0, 1, 1, 2, 2, 2, 3, 3]
    assert drawn["sigma"].tolist() == [1, 1, 1, 1, 2, 1, 3, 3]
    assert sparsebc.betweenness(
        drawn["A"], sources=[0], normalized=False, device="cpu"
    ) == pytest.approx(drawn["delta"])


def test_the_picture_of_the_layout(in_memory):
    """Every package is in it, and every arrow leads down."""
    drawn = runpy.run_path(str(DOCS / "figures" / "layout.py"))
    packages = {path.parent.name for path in PACKAGE.glob("*/__init__.py")} - {"engines"}
    assert packages <= drawn["PARTS"].keys()
    assert len(drawn["arrows"]) > 10
    for one, other in drawn["arrows"]:
        assert drawn["PARTS"][one][1] > drawn["PARTS"][other][1]


def test_the_picture_of_the_reductions(in_memory):
    """Twelve sources become seven, of the same weight in each block, and no score changes."""
    drawn = runpy.run_path(str(DOCS / "figures" / "reductions.py"))
    problem = drawn["reduced"]()
    assert (problem.sources.size, drawn["n"]) == (7, 12)
    label = problem.graph.components[problem.sources]
    assert {problem.alpha[label == one].sum() for one in label} == {12}
    assert sorted(problem.alpha) == [1, 2, 2, 3, 3, 6, 7]


def test_what_the_pages_load():
    """From another host, it is found: scripts, pictures and styles, but no links."""
    pytest.importorskip("sphinx")
    complete = runpy.run_path(str(DOCS / "complete.py"))
    text = """<link rel="canonical" href="https://a"><link rel="stylesheet" href="//b/c.css">
        <a href="https://d"><img src="pictures/e.png"><script src="HTTPS://f/g.js"></script>
        <style>@import "https://h"; p { background: url( 'http://i/j.png') url(data:,) }</style>"""
    assert complete["Loaded"](text).found == [
        "https://h",
        "http://i/j.png",
        "//b/c.css",
        "HTTPS://f/g.js",
    ]


def test_the_first_page_shows_the_gallery():
    """All of its pictures, and a way in for each kind of user."""
    text = (DOCS / "index.rst").read_text()
    shown = re.findall(r"^ *\.\. plot:: gallery/(\w+)\.py$", text, re.M)
    assert sorted(shown) == sorted(path.stem for path in (DOCS / "gallery").glob("*.py"))
    ways = re.findall(r"^ *:link: (tutorial_\w+)$", text, re.M)
    assert sorted(ways) == sorted(path.stem for path in DOCS.glob("tutorial_*.rst"))


def test_the_comparison_leaves_nothing_of_ours_open():
    """Rows are whole, of known answers; we have all that the five papers have."""
    page = (DOCS / "comparison.md").read_text()
    libraries, planners, times, papers = (
        [[cell.strip() for cell in line.strip("|").split("|")] for line in block.splitlines()]
        for block in re.findall(r"(?:^\|.*\|\n)+", page, re.M)
    )
    tables = (papers, 7, {"yes"}), (libraries, 10, {"yes", "no"}), (planners, 5, {"yes"})
    tables = *tables, (times, 4, {"yes"})
    for (titles, _, *rows), width, ours in tables:
        assert (len(titles), titles[-1]) == (width, "sparsebc")
        assert {len(row) for row in rows} == {width}
        assert {answer for row in rows for answer in row[1:]} <= {"yes", "no", "part", "?"}
        assert {row[-1] for row in rows} == ours


def test_the_picture_of_the_speed():
    """Its labels are the results, as the script draws them now."""
    pytest.importorskip("matplotlib")
    drawn = runpy.run_path(str(DOCS / "figures" / "speed.py"))
    if not drawn["RESULTS"].is_dir():
        pytest.skip("results are not part of a source distribution")
    shown = (DOCS / "_static" / "speed.svg").read_text()
    for taken in drawn["seconds"]():
        for value in taken:
            if value == value:
                assert f"{drawn['label'](value)}</text>" in shown


def test_notebooks_are_the_pages():
    """Each expression ends a cell, so that its value is shown; prompts and outputs are gone."""
    for needed in ("docutils", "nbclient", "sphinx"):
        pytest.importorskip(needed)
    made = runpy.run_path(str(DOCS / "notebooks.py"))
    text = ">>> import math\n>>> math.pi\n3.14\n>>> def f():\n...     return 1\n>>> x = f()"
    assert list(made["sources"](text)) == [
        "import math\nmath.pi\n",
        "def f():\n    return 1\nx = f()\n",
    ]


def test_results_are_quoted_and_there():
    """Each file of results has a page that says what it shows, and each that is named is kept."""
    kept = DOCS.parent / "benchmarks" / "results"
    if not kept.is_dir():
        pytest.skip("results are not part of a source distribution")
    quoted = HOUSE["quoted"]()
    assert {path.name for path in kept.iterdir()} == set(quoted)
    assert "cpu-2026-11-22.json``\n     - :doc:`performance`" in HOUSE["fill"](".. results::\n")


def test_a_result_that_is_not_quoted_is_noticed(tmp_path):
    (tmp_path / "README.md").write_text("`a-b_c-2026-01-02.json`, b-2026-1-2.json")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "page.rst").write_text("``results/a-b_c-2026-01-02.json``, d.json")
    want = {"a-b_c-2026-01-02.json": ("README.md", "page.rst")}
    assert HOUSE["quoted"](tmp_path / "docs") == want
