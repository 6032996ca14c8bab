"""Everything public is documented, mentioned in the API page, and tested."""

import ast
import inspect
import re
import subprocess
import sys
from pathlib import Path

import pytest
from sources import MODULES, nodes

import sparsebc

TESTS = Path(__file__).parent
PUBLIC = [name for name in dir(sparsebc) if name != "__version__"]
CALLABLES = [name for name in PUBLIC if inspect.isfunction(getattr(sparsebc, name))]


def test_all_is_what_is_there():
    """`__all__` lists every public name but `testing`, once, and each of them can be had."""
    assert len(PUBLIC) == len(set(PUBLIC))
    assert set(PUBLIC) == {*sparsebc.__all__, "testing"}
    for name in PUBLIC:
        assert hasattr(sparsebc, name)


@pytest.mark.long
def test_a_star_needs_no_more_than_the_package_does():
    """Names come in where none of the packages of extras is installed."""
    optional = [
        "bokeh",
        "cupy",
        "dask",
        "hypothesis",
        "matplotlib",
        "networkx",
        "pandas",
        "shapely",
    ]
    hidden = f"import sys; sys.modules |= dict.fromkeys({optional})"
    code = f"{hidden}; from sparsebc import *; betweenness, streets, report"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize("name", CALLABLES)
def test_docstring_is_complete(name):
    """Summary, then the four sections that a user looks for, then every parameter."""
    function = getattr(sparsebc, name)
    doc = inspect.getdoc(function)
    for section in ("Parameters", "Returns", "Raises", "Examples"):
        assert re.search(rf"^{section}\n-+$", doc, re.MULTILINE), section
    for parameter in inspect.signature(function).parameters:
        assert re.search(rf"^\*{{0,2}}(\w+, )*{parameter}\b.*", doc, re.MULTILINE), parameter
    assert ">>>" in doc


def test_the_api_page_and_all_agree():
    """Each public name has its line on the page, and nothing else has one."""
    public = set()
    for name in PUBLIC:
        value = getattr(sparsebc, name)
        if inspect.ismodule(value):
            inside = [one for one in value.__all__ if not inspect.ismodule(getattr(value, one))]
            public |= {f"sparsebc.{name}.{one}" for one in inside}
        else:
            public.add(f"sparsebc.{name}")
    page = (TESTS.parent / "docs" / "api.rst").read_text()
    assert sorted(re.findall(r"^   (sparsebc\.\S+)$", page, re.MULTILINE)) == sorted(public)


def test_every_name_is_used_by_some_test():
    """A public name that no test file uses fails here, however new it is."""
    files = [path for path in TESTS.glob("test_*.py") if path != Path(__file__)]
    used = {
        node.id if isinstance(node, ast.Name) else node.attr
        for path in files
        for node in nodes(path)
        if isinstance(node, ast.Name | ast.Attribute)
    }
    assert set(PUBLIC) - used == set()


def test_files_stay_short():
    """One file, one concept: none above 500 lines, docstrings of the package left out."""
    files = [*Path(sparsebc.__file__).parent.rglob("*.cu*"), *TESTS.rglob("*.py")]
    lines = {path: len(path.read_text().splitlines()) for path in (*files, *MODULES)}
    for path in MODULES:
        texts = [node.body[0] for node in nodes(path) if _has_text(node)]
        lines[path] -= sum(text.end_lineno - text.lineno + 1 for text in texts)
    assert [path for path, count in lines.items() if count > 500] == []


def _has_text(node):
    """Whether a module, class or function has a docstring."""
    kinds = ast.Module | ast.ClassDef | ast.FunctionDef
    return isinstance(node, kinds) and ast.get_docstring(node) is not None
