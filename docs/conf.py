"""Sphinx: ``python -m sphinx -W -b html docs docs/_build/html``."""

import gzip
import sys
from pathlib import Path

import geopandas

import sparsebc

sys.path.insert(0, str(Path(__file__).parent))
import house

project = "sparsebc"
author = "The sparsebc developers"
copyright = "2026, The sparsebc developers"
version = release = sparsebc.__version__

extensions = [
    "complete",
    "formulas",
    "matplotlib.sphinxext.plot_directive",
    "myst_parser",
    "notebooks",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_design",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["_build"]
templates_path = ["_templates"]
# Where a file system ignores case, a class has a file beside its function.
autosummary_filename_map = {
    name: f"{name}-class" for name in ("sparsebc.communities.Partition", "sparsebc.streets.Dual")
}
autodoc_preserve_defaults = True
autodoc_typehints = "none"  # the docstrings name the types
default_role = "autolink"
numpydoc_show_class_members = False

plot_include_source = False
plot_html_show_source_link = False
plot_html_show_formats = False
plot_formats = [("png", 160)]

html_theme = "pydata_sphinx_theme"
html_title = "sparsebc"
html_static_path = ["_static"]
html_css_files = ["pages.css"]
html_math_renderer = "mathml"
html_show_sourcelink = False
html_sidebars = {"index": [], "**": ["globaltoc.html"]}
html_theme_options = {
    "logo": {"text": "sparsebc"},
    "navbar_center": [],
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": ["sphinx-version"],
}


def examples(app):
    """Write the reports that pages show, beside the pages."""
    if app.builder.format == "html":
        matrix, names = sparsebc.datasets.load("karate")
        run = {"directed": False, "device": "cpu"}
        sparsebc.report(
            Path(app.outdir, "karate.html"),
            matrix,
            names,
            sparsebc.centralities(matrix, ["betweenness", "closeness"], **run),
            {"edge_betweenness": sparsebc.edge_betweenness(matrix, **run)},
            directed=False,
            units={"betweenness": "share of pairs", "closeness": "1 / edges"},
            title="A karate club",
            notes=["Friendships of 34 members, Zachary 1977, doi:10.1086/jar.33.4.3629752"],
        )
        with gzip.open(Path(app.srcdir, "data", "helsinki.geojson.gz")) as file:
            city = sparsebc.streets.from_geodataframe(geopandas.read_file(file))
        radii, walk = [400, 800, 1600], {"weighted": True, **run}
        within = sparsebc.accessibility(city.matrix, cutoff=400, **walk)
        trips = sparsebc.edge_betweenness(city.matrix, cutoff=radii, normalized=False, **walk)
        titles = [f"betweenness within {radius} m" for radius in radii]
        sparsebc.report(
            Path(app.outdir, "helsinki.html"),
            city,
            nodes={"crossings within 400 m": within},
            edges=dict(zip(titles, trips, strict=True)),
            units=dict.fromkeys(titles, "pairs"),
            title="Helsinki, on foot",
            notes=["Streets © OpenStreetMap contributors, ODbL"],
        )


def values(app, what, name, obj, options, signature, returned):
    """The value of a default that a signature names."""
    return signature and signature.replace("TIE_RTOL", "1e-11"), returned


# Values have no docstrings but those of their types.
VALUES = {
    "sparsebc.Adjacency": (
        "A graph: a sparse matrix, a `sparsebc.io.Network`, a dense array, or a tuple (indptr, "
        "indices, n) of a csr pattern. `sparsebc.betweenness` says how each is read."
    ),
    "sparsebc.Measure": "Name of a measure that `sparsebc.centralities` computes.",
    "sparsebc.testing.CLASSES": "The classes of SciPy that `sparsebc.testing.matrices` draws.",
}


def described(app, what, name, obj, options, lines):
    """Replace the docstring of a value's type."""
    if name in VALUES:
        lines[:] = [VALUES[name]]


def setup(app):
    """Tables that are made from the sources, and the reports that pages show."""
    app.connect("source-read", lambda app, name, source: source.insert(0, house.fill(source.pop())))
    app.connect("builder-inited", examples)
    app.connect("autodoc-process-docstring", described, priority=400)  # before numpydoc
    app.connect("autodoc-process-signature", values)
