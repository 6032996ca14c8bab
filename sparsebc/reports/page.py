"""HTML of a page: its sections with styles and scripts."""

import base64
import hashlib
import json
import re
from itertools import chain
from typing import Any

from bokeh.document import Document
from bokeh.embed import file_html
from bokeh.resources import INLINE
from bokeh.themes import Theme
from jinja2 import Environment

from . import figures
from .content import Content, Listing, Ranked
from .table import listed, ranking, read

TOLD = {
    "drawn": "Neighbours lie near each other. Zoom with the tool beside the picture.",
    "plane": "At the coordinates given.",
    "globe": "In Mercator's projection.",
}
SCRIPT = re.compile(r"<script([^>]*)>(.*?)</script>", re.DOTALL)


def render(content: Content) -> str:
    """The page as HTML."""
    sections = _sections(content)
    document = Document(theme=Theme(json=json.loads(read("theme.json"))))
    with document.models.freeze():  # models are collected once, not after each root
        for root in chain.from_iterable(block for part in sections for block in part["blocks"]):
            root.name = root.name or f"root-{len(document.roots)}"
            document.add_root(root)
    template = Environment(autoescape=True).from_string(read("page.html.jinja"))
    told = {"content": content, "hashes": _hashes, "sections": sections, "css": read("page.css")}
    how: Any = {"template": template, "template_variables": told}
    text: str = file_html(document, INLINE, title=content.title, **how)
    return text


def _hashes(*parts: str) -> str:
    """Hashes for a content security policy that allows the scripts in these parts only."""
    scripts = (
        script
        for part in parts
        for attributes, script in SCRIPT.findall(part)
        if "application/json" not in attributes
    )
    digests = (base64.b64encode(hashlib.sha256(text.encode()).digest()) for text in scripts)
    return " ".join(f"'sha256-{digest.decode()}'" for digest in digests)


def _sections(content: Content) -> list[dict[str, Any]]:
    """Sections of the page, a map and listings first: a title, a text and blocks each."""
    shown = {
        ranked.things: (ranked, figures.source(ranked))
        for ranked in (content.nodes, content.edges)
        if ranked is not None
    }
    sections = [_listing(listing) for listing in content.listings]
    sections += [_ranking(*pair) for pair in shown.values()]
    picture = content.picture
    if isinstance(picture, str):
        return [*sections, {"title": "Network", "text": picture, "blocks": []}]
    plot = figures.network(picture, shown.get("nodes"), shown.get("edges"), content.colour)
    text = TOLD[picture.kind]
    if len(picture.ends) > figures.LINES:
        text += " The edges are too many to be drawn."
    if picture.kind == "drawn":
        return [*sections, {"title": "Network", "text": text, "blocks": [[plot]]}]
    return [{"title": "Map", "text": text, "blocks": [[plot]]}, *sections]


def _listing(listing: Listing) -> dict[str, Any]:
    """Section of a listing: its table, and its curve."""
    table, rows = listed(listing)
    plots = [[figures.curve(listing, rows)]] if listing.curve else []
    return {"title": listing.title, "text": "", "blocks": [[table], *plots]}


def _ranking(ranked: Ranked, rows: Any) -> dict[str, Any]:
    """Section of the ranked table and the plots of each score."""
    total, shown, count = len(ranked.degree.values), len(ranked.listed), len(ranked.scores)
    text = "Click the head of a column to sort by it; pick rows or points to find them everywhere."
    if shown < total:
        text = f"The {shown:,} of {total:,} {ranked.things} that score highest. {text}"
    query, grid = ranking(ranked, rows)
    beside = 1 if count % 2 else 2  # plots next to the table: an even number is left
    room = max(grid.height + 44, 430 * beside)
    heights = [room // beside] * beside + [430] * (count - beside)
    plots = [figures.against_degree(ranked, rows, k, height) for k, height in enumerate(heights)]
    blocks = [[query, grid], plots[:beside], *([plot] for plot in plots[beside:])]
    return {"title": f"Ranking of {ranked.things}", "text": text, "blocks": blocks}
