"""Everything public is documented, mentioned in the API page, and tested."""

import inspect
import re
from pathlib import Path

import pytest
from children import python

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
    optional = "bokeh cupy dask hypothesis matplotlib networkx pandas shapely".split()
    hidden = f"import sys; sys.modules |= dict.fromkeys({optional})"
    python("-c", f"{hidden}; from sparsebc import *; betweenness, streets, report")


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
