"""HTML of a page: its sections, and the ranked tables with sorting and search."""

import base64
import hashlib
import html
import json
import re
import textwrap
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any

import numpy as np
from bokeh import models
from bokeh.document import Document
from bokeh.embed import file_html
from bokeh.resources import INLINE
from bokeh.themes import Theme
from jinja2 import Environment

from . import figures
from .content import Column, Content, Ranked
from .places import Floats

TOLD = {
    "drawn": "Neighbours lie near each other. Zoom with the tool beside the picture.",
    "plane": "At the coordinates given.",
    "globe": "In Mercator's projection.",
}
Section = tuple[str, str, list[list[Any]]]  # its head, a sentence, columns of models of Bokeh
SCRIPT = re.compile(r"<script([^>]*)>(.*?)</script>", re.DOTALL)
ROW, HEIGHT = 28, 560  # pixels
WIDTHS = {"rank": 50, "degree": 70}  # of narrow columns
HEAD = textwrap.TextWrapper(10, break_long_words=False, max_lines=3)  # room in a narrow column
WHOLE = 'value.toLocaleString("en")'
# Numbers in names are compared by their values.
NATURAL = """
globalThis.natural ??= new Intl.Collator("en", {numeric: true}).compare
return natural(x, y)
"""


def render(content: Content) -> str:
    """The page as HTML: sections of a map, listings, and ranked tables, or a picture last."""
    ranked = [one for one in (content.nodes, content.edges) if one is not None]
    shown = {one.things: (one, figures.source(one)) for one in ranked}
    sections = [_listing(*listing) for listing in content.listings]
    sections += [_ranking(*pair) for pair in shown.values()]
    picture = content.picture
    if isinstance(picture, str):
        sections.append(("Network", picture, []))
    else:
        text = TOLD[picture.kind]
        if len(picture.ends) > figures.LINES:
            text += " The edges are too many to be drawn."
        is_map = picture.kind != "drawn"
        plot = figures.network(picture, shown.get("nodes"), shown.get("edges"))
        found = "Map" if is_map else "Network", text, [[plot]]
        sections.insert(0 if is_map else len(sections), found)
    document = Document(theme=Theme(json=json.loads(text_of("theme.json"))))
    with document.models.freeze():  # models are collected once, not after each root
        for root in (root for *_, blocks in sections for block in blocks for root in block):
            root.name = root.name or f"root-{len(document.roots)}"
            document.add_root(root)
    variables = {
        "content": content,
        "hashes": _hashes,
        "sections": sections,
        "css": text_of("page.css"),
    }
    template = Environment(autoescape=True).from_string(text_of("page.html.jinja"))
    how: Any = {"template": template, "template_variables": variables}
    page: str = file_html(document, INLINE, title=content.title, **how)
    return page


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


def text_of(name: str) -> str:
    """Text of a file of this package."""
    return (resources.files(__package__) / name).read_text("utf-8")


def _listing(title: str, listed: Mapping[str, Any], curve: tuple[str, ...]) -> Section:
    """Section of a listing: its table, and its curve. Columns in the browser are ``c0``, ..."""
    columns = {}
    for k, (head, values) in enumerate(listed.items()):
        array = np.asarray(values)
        numbers = array.dtype.kind in "iuf"
        columns[f"c{k}"] = Column(head, array if numbers else array.astype(object))
    rows = figures.rows_of({field: column.values for field, column in columns.items()})
    table = _grid(rows, columns, f"listing-{title}", models.CDSView())
    plots = [[figures.curve([*listed], curve, rows)]] if curve else []
    return title, "", [[table], *plots]


def _ranking(ranked: Ranked, rows: Any) -> Section:
    """Section of the field of a search, the ranked table, and the plots of each score."""
    shown, things = len(ranked.listed), ranked.things
    total = shown + len(ranked.rest)
    text = "Click the head of a column to sort by it; pick rows or points to find them everywhere."
    if shown < total:
        text = f"The {shown:,} of {total:,} {things} that score highest. {text}"
    columns = {"rank": Column("rank", rows.data["rank"])} | ranked.columns
    if things == "edges":
        del columns["degree"]
    hits = models.IndexFilter(indices=None)
    grid = _grid(rows, columns, f"table-{things}", models.CDSView(filter=hits))
    query = models.TextInput(
        placeholder=f"Search {shown:,} {things} by name", sizing_mode="stretch_width",
        name=f"search-{things}", **_styled(),
    )  # fmt: skip
    count = models.Div(text="", width=100, **_styled())
    texts = [field for field, column in columns.items() if column.is_text]
    args = {"query": query, "count": count, "texts": texts, "rows": rows, "hits": hits}
    query.js_on_change("value_input", models.CustomJS(args=args, code=text_of("search.js")))
    search = models.Row(children=[query, count], spacing=8, sizing_mode="stretch_width")
    heights = [grid.height + 44, *(430 for _ in ranked.scores[1:])]  # the first beside the table
    plots = [[figures.against_degree(ranked, rows, k, height)] for k, height in enumerate(heights)]
    return f"Ranking of {things}", text, [[search, grid], *plots]


def _grid(rows: Any, columns: Mapping[str, Column], name: str, view: Any) -> Any:
    """Table of the rows in a view."""
    width = sum(WIDTHS.get(field, 140 if of.is_text else 110) for field, of in columns.items())
    lines = max(len(HEAD.wrap(column.title)) for column in columns.values())
    fits = width < 800  # a narrower window scrolls the whole table
    count = len(next(iter(rows.data.values())))
    text = (k for k, column in enumerate(columns.values(), 1) if column.is_text)
    return models.DataTable(
        source=rows, view=view, index_position=None, row_height=ROW, name=name,
        columns=[_head(field, column) for field, column in columns.items()],
        height=min(HEIGHT, ROW * (count + lines) + 16),
        sizing_mode="stretch_width", reorderable=False,
        min_width=width if fits else 300, autosize_mode="force_fit" if fits else "none",
        styles={"--heads": f"{18 * lines}px"}, **_styled(text),
    )  # fmt: skip


def _styled(text: Iterable[int] = ()) -> dict[str, Any]:
    """Options of a widget; heads of columns of text, by number, are aligned like their cells."""
    heads = ", ".join(f".slick-header-column:nth-child({k})" for k in text)
    css = text_of("widgets.css").replace(".words", heads)
    return {"margin": 0, "stylesheets": [models.InlineStyleSheet(css=css)]}


def _head(field: str, column: Column) -> Any:
    """Column of a table, with signs for NaN and infinity; heads are HTML."""
    title, width = html.escape(column.title), WIDTHS.get(field, 110)
    if column.is_text:
        order = models.CustomJSCompare(code=NATURAL)
        return models.TableColumn(field=field, title=title, width=140, sorter=order)
    template = digits(column.values)
    text = f'Number.isNaN(value) ? "–" : Math.abs(value) === Infinity ? "∞" : {template}'
    cell = f'<div class="number"><%- {text} %></div>'
    return models.TableColumn(
        field=field, title=title, width=width,
        default_sort="ascending" if field == "rank" else "descending",
        sorter=models.NanCompare(ascending_first=True),  # NaN is less than all numbers
        formatter=models.HTMLTemplateFormatter(template=cell),
    )  # fmt: skip


def digits(values: Floats) -> str:
    """JavaScript that formats a column, with decimals for six digits of its largest number."""
    finite = values[np.isfinite(values)]
    most = abs(finite).max(initial=0)
    if most < 1e12 and (finite == np.round(finite)).all():
        return WHOLE
    if not 1e-3 <= most < 1e6:
        return "value.toExponential(4)"
    decimals = min(max(5 - int(np.floor(np.log10(most))), 0), 6)
    return (
        f"value !== 0 && Math.abs(value) < {10.0 ** (1 - decimals)} ? value.toExponential(1) : "
        f"value.toFixed({decimals})"
    )
