"""The ranked table of a page, with sorting, search and export."""

import html
import textwrap
from collections.abc import Sequence
from importlib import resources
from typing import Any

import numpy as np
from bokeh import models

from .content import Floats, Listing, Ranked

ROW, HEIGHT = 28, 560  # pixels
HEAD = textwrap.TextWrapper(10, break_long_words=False, max_lines=3)  # room in a narrow column
WHOLE = 'value.toLocaleString("en")'
# Numbers in names are compared by their values.
NATURAL = """
globalThis.natural ??= new Intl.Collator("en", {numeric: true}).compare
return natural(x, y)
"""


def read(name: str) -> str:
    """Text of a file of this package."""
    return (resources.files(__package__) / name).read_text("utf-8")


def ranking(ranked: Ranked, rows: Any) -> tuple[Any, Any]:
    """Row of the search field and the save button, and the table."""
    texts = {f"t{k}": title for k, title in enumerate(ranked.texts)}
    columns = [_numbers("rank", "rank", WHOLE, 50, order="ascending")]
    columns += [_words(field, title) for field, title in texts.items()]
    for field, column in ranked.numbers.items():
        columns.append(_numbers(field, column.title, digits(column.values[ranked.listed])))
    if ranked.things == "nodes":
        columns.append(_numbers("degree", "degree", WHOLE, 70))
    hits = models.IndexFilter(indices=None)
    table = _grid(rows, columns, f"table-{ranked.things}", models.CDSView(filter=hits))
    query = models.TextInput(
        placeholder=f"Search {len(ranked.listed):,} {ranked.things} by name",
        sizing_mode="stretch_width", name=f"search-{ranked.things}", **_styled(),
    )  # fmt: skip
    count = models.Div(text="", width=100, **_styled())
    found = {"rows": rows, "hits": hits}
    args: dict[str, Any] = {"query": query, "count": count, "texts": [*texts], **found}
    query.js_on_change("value_input", models.CustomJS(args=args, code=read("search.js")))
    save = models.Button(label="Save as CSV", width=110, name=f"save-{ranked.things}", **_styled())
    saved = {"rank": "rank", **texts}
    saved |= {field: column.title for field, column in ranked.numbers.items()}
    args = {"fields": [*saved], "titles": [*saved.values()], "name": f"{ranked.things}.csv"}
    save.js_on_event("button_click", models.CustomJS(args=args | found, code=read("save.js")))
    return models.Row(children=[query, count, save], spacing=8, sizing_mode="stretch_width"), table


def listed(listing: Listing) -> tuple[Any, Any]:
    """Table of a listing, and its rows in the browser: columns ``c0``, ``c1``, ..."""
    data: dict[str, Any] = {}
    columns = []
    for k, (title, values) in enumerate(listing.columns.items()):
        array, field = np.asarray(values), f"c{k}"
        if array.dtype.kind in "iuf":
            data[field] = array
            columns.append(_numbers(field, title, digits(array), 90))
        else:
            data[field] = array.tolist()
            columns.append(_words(field, title))
    rows = models.ColumnDataSource(data)
    return _grid(rows, columns, f"listing-{listing.title}", models.CDSView()), rows


def _grid(rows: Any, columns: list[Any], name: str, view: Any) -> Any:
    """Table of the rows in a view."""
    width = sum(column.width for column in columns)
    lines = max(len(HEAD.wrap(html.unescape(column.title))) for column in columns)
    count = len(next(iter(rows.data.values())))
    return models.DataTable(
        source=rows, view=view, columns=columns, index_position=None, row_height=ROW,
        height=min(HEIGHT, ROW * (count + lines) + 16),
        sizing_mode="stretch_width", min_width=min(width, 300), reorderable=False,
        autosize_mode="force_fit" if width < 800 else "none", name=name,
        styles={"--heads": f"{18 * lines}px"}, **_styled(columns),
    )  # fmt: skip


def _styled(columns: Sequence[Any] = ()) -> dict[str, Any]:
    """Options of a widget; heads of text columns are aligned like their cells."""
    text = (isinstance(column.formatter, models.StringFormatter) for column in columns)
    places = (
        f".slick-header-column:nth-child({k})" for k, is_text in enumerate(text, 1) if is_text
    )
    heads = ", ".join(places)
    css = read("widgets.css").replace(".words", heads)
    return {"margin": 0, "stylesheets": [models.InlineStyleSheet(css=css)]}


def _words(field: str, title: str) -> Any:
    """Column of text; heads are HTML."""
    order = models.CustomJSCompare(code=NATURAL)
    return models.TableColumn(field=field, title=html.escape(title), width=140, sorter=order)


def _numbers(
    field: str, title: str, template: str, width: int = 110, order: str = "descending"
) -> Any:
    """Column of numbers, with signs for NaN and infinity."""
    text = f'Number.isNaN(value) ? "–" : Math.abs(value) === Infinity ? "∞" : {template}'
    cell = f'<div class="number"><%- {text} %></div>'
    return models.TableColumn(
        field=field, title=html.escape(title), width=width, default_sort=order,
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
