"""Sphinx: ``python -m sphinx -W -b html docs docs/_build/html``."""

import sys
from pathlib import Path

import sparsebc

sys.path.insert(0, str(Path(__file__).parent))
import house

project = "sparsebc"
author = "The sparsebc developers"
copyright = "2026, The sparsebc developers"
version = release = sparsebc.__version__

extensions = [
    "matplotlib.sphinxext.plot_directive",
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["_build"]
autodoc_preserve_defaults = True
autodoc_typehints = "none"  # the docstrings name the types
default_role = "autolink"
numpydoc_show_class_members = False

plot_include_source = True
plot_html_show_source_link = False
plot_html_show_formats = False
plot_formats = [("png", 160)]

html_theme = "alabaster"
html_theme_options = {
    "description": "Shortest-path centrality of sparse matrices",
    "page_width": "1160px",  # tables of seven columns fit beside the navigation
}


def setup(app):
    """Tables that are made from the sources."""
    app.connect("source-read", lambda app, name, source: source.insert(0, house.fill(source.pop())))
