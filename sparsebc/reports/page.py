"""HTML of a page: its sections with styles and scripts."""

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from bokeh.document import Document
from bokeh.embed import file_html
from bokeh.models import ContinuousColorMapper, LabelSet, Plot
from bokeh.palettes import Magma256
from bokeh.resources import INLINE
from bokeh.themes import Theme
from jinja2 import Environment

from . import figures, network, ranking, sources
from .content import Content, Listing, Ranked

TOLD = {
    "drawn": "Drawn so that distances on the page are those in the network, as nearly as they can "
    "be. Zoom with the tool beside the picture.",
    "plane": "At the coordinates given.",
    "globe": "In Mercator's projection.",
}
_SCRIPT = re.compile(r"<script([^>]*)>(.*?)</script>", re.DOTALL)
LISTED = 1000  # most rows of a listing
BARE = "The edges are too many to be drawn."


def render(content: Content) -> str:
    """The page as HTML."""
    parts, script = _sections(content)
    document = Document(theme=Theme(json=json.loads(sources.read("theme.json"))))
    with document.models.freeze():  # models are collected once, not after each root
        for root in (
            root for part in parts for block in part["blocks"] for root in block.get("roots", ())
        ):
            root.name = root.name or f"root-{len(document.roots)}"
            document.add_root(root)
    document.js_on_event("document_ready", *script, _dark(document))
    template = Environment(autoescape=True).from_string(sources.read("page.html.jinja"))
    told = {
        "facts": content.facts,
        "notes": content.notes,
        "provenance": content.provenance,
        "hashes": _hashes,
        "sections": parts,
        "css": sources.read("page.css"),
    }
    how: Any = {"template": template, "template_variables": told}
    text: str = file_html(document, INLINE, title=content.title, **how)
    return text


def _hashes(*parts: str) -> str:
    """Hashes for a content security policy that allows the scripts in these parts only."""
    scripts = (
        script
        for part in parts
        for attributes, script in _SCRIPT.findall(part)
        if "application/json" not in attributes
    )
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()) for text in scripts)
    return " ".join(f"'sha256-{digest.decode()}'" for digest in digests)


def _dark(document: Any) -> Any:
    """The script that gives plots the reader's colour scheme, light or dark."""
    palettes = {"light": Magma256[network.LIGHT], "dark": Magma256[network.DARK]}
    kinds = Plot, LabelSet, ContinuousColorMapper
    plots, labels, mappers = (list(document.select({"type": kind})) for kind in kinds)
    given = {"plots": plots, "labels": labels, "ink": figures.INK, "mappers": mappers}
    return sources.script("dark", **given, **palettes)


def _sections(content: Content) -> tuple[list[dict[str, Any]], list[Any]]:
    """Sections of the page, a map and listings first, and the scripts that draw them.

    A section has a title, a text and blocks.
    """
    picture = content.picture
    shown = [ranked for ranked in (content.nodes, content.edges) if ranked is not None]
    tables = {ranked.things: (ranked, sources.table(ranked, picture)) for ranked in shown}
    sections, script = [_listing(listing) for listing in content.listings], []
    sections += [_ranking(*pair) for pair in tables.values()]
    if picture is not None and picture.x.size:
        *roots, draw = network.network(picture, tables, content.colour)
        script.append(draw)
        index, title = (len(sections), "Network") if picture.kind == "drawn" else (0, "Map")
        text = " ".join(
            filter(None, (picture.part, TOLD[picture.kind], "" if picture.lines else BARE))
        )
        columns = f"picture {title.lower()}"
        part = {"title": title, "text": text, "columns": columns, "blocks": [{"roots": roots}]}
        sections.insert(index, part)
    return sections + [_distributions(*pair) for pair in tables.values()], script


def _listing(listing: Listing) -> dict[str, Any]:
    """Section of a listing: an HTML table, and its curve."""
    columns = {title: list(values[:LISTED]) for title, values in listing.columns.items()}
    count = len(next(iter(listing.columns.values())))
    cells = [_cells(values) for values in columns.values()]
    table = {
        "heads": [*columns],
        "numbers": [np.asarray(values).dtype.kind in "iuf" for values in columns.values()],
        "rows": list(zip(*cells, strict=True)),
    }
    plots = [{"roots": [figures.curve(listing)]}] if listing.curve else []
    return {
        "title": listing.title,
        "text": f"The first {LISTED:,} of {count:,}." if count > LISTED else "",
        "columns": "pairs" if plots else "",
        "blocks": [{"listing": table}, *plots],
    }


def _cells(values: Sequence[Any]) -> list[str]:
    """Values as text; floats to six digits."""
    return [
        f"{value:.6g}" if isinstance(value, (float, np.floating)) else str(value)
        for value in values
    ]


def _ranking(ranked: Ranked, table: sources.Table) -> dict[str, Any]:
    """Section of the ranked table and the plots of each score."""
    total, listed = len(ranked.degree.values), len(ranked.listed)
    text = (
        "Click the head of a column to sort by it; pick rows, or points, to find them everywhere."
    )
    if listed < total:
        text = f"The {listed:,} of {total:,} {ranked.things} that score highest. {text}"
    query, grid = ranking.ranking(ranked, table)
    drawings = [partial(figures.against_expectation, k=k) for k in sorted(ranked.expected)]
    drawings += [partial(figures.against_degree, k=k) for k in range(len(ranked.scores))]
    count = len(drawings)
    beside = 1 if count % 2 else 2  # plots next to the table: an even number is left
    room = max(grid.height + 44, 430 * beside)
    heights = [room // beside] * beside + [430] * (count - beside)
    plots = [
        draw(ranked, table, height=height) for draw, height in zip(drawings, heights, strict=True)
    ]
    return {
        "title": f"Ranking of {ranked.things}",
        "text": " ".join(filter(None, (text, figures.on_expectations(ranked)))),
        "columns": "pairs",
        "blocks": [
            {"roots": [query, grid]},
            {"roots": plots[:beside]},
            *({"roots": [plot]} for plot in plots[beside:]),
        ],
    }


def _distributions(ranked: Ranked, table: sources.Table) -> dict[str, Any]:
    """Section of the histograms, and of the degree distribution for nodes."""
    drawn = [figures.histogram(ranked, table, k) for k in range(len(ranked.scores))]
    if ranked.ends == 1:
        drawn.append(figures.of_degrees(ranked))
    blocks = [{"roots": [plot], "caption": text} for plot, text in drawn]
    return {"title": f"Distributions of all {ranked.things}", "columns": "many", "blocks": blocks}
