"""The ranked table of a page, with sorting, search and export."""

import html
import textwrap
from typing import Any

import numpy as np
from bokeh import models
from numpy.typing import NDArray

from .content import Column, Ranked
from .sources import Table, script, styled

ROW, HEIGHT = 28, 560  # pixels
# Wraps a head to 10 letters, the room in a narrow column.
HEAD = textwrap.TextWrapper(10, break_long_words=False, max_lines=3)


def ranking(ranked: Ranked, table: Table) -> tuple[Any, Any]:
    """Row of the search field and the save button, and the table."""
    last = models.NanCompare(ascending_first=True)  # NaN is less than all numbers

    def numbers(field: str, title: str, template: str, width: int = 110) -> Any:
        order = "ascending" if field == "rank" else "descending"
        return models.TableColumn(
            field=field, title=html.escape(title), width=width, sorter=last, default_sort=order,
            formatter=_formatter(template),
        )  # fmt: skip

    columns = [numbers("rank", "rank", _WHOLE, 50)]
    columns += [
        models.TableColumn(
            field=f"o{k}",
            title=html.escape(title),  # heads are HTML
            width=140,
            formatter=models.HTMLTemplateFormatter(template=f"<%- t{k} %>"),
        )
        for k, title in enumerate(ranked.texts)
    ]
    columns += [
        numbers(field, column.title, digits(column.values[ranked.listed]))
        for field, column in ranked.numbers.items()
    ]
    if ranked.ends == 1:
        columns.append(numbers("degree", "degree", _WHOLE, 70))
    width = sum(column.width for column in columns)
    lines = max(len(HEAD.wrap(column.title)) for column in columns)
    texts = {f"t{k}": title for k, title in enumerate(ranked.texts)}
    # Heads are aligned like their cells.
    words = ", ".join(f".slick-header-column:nth-child({2 + k})" for k in range(len(texts)))
    grid = models.DataTable(
        source=table.rows, view=models.CDSView(filter=table.hits), columns=columns,
        index_position=None, row_height=ROW,
        height=min(HEIGHT, ROW * (len(ranked.listed) + lines) + 16), margin=0,
        sizing_mode="stretch_width", min_width=min(width, 300), reorderable=False,
        autosize_mode="force_fit" if width < 800 else "none", name=f"table-{ranked.things}",
        stylesheets=styled("table", words=words), styles={"--heads": f"{18 * lines}px"},
    )  # fmt: skip
    query = models.TextInput(
        placeholder=f"Search {len(ranked.listed):,} {ranked.things} by name",
        sizing_mode="stretch_width", margin=0, name=f"search-{ranked.things}",
        stylesheets=styled("search"),
    )  # fmt: skip
    count = models.Div(text="", width=100, margin=0, stylesheets=styled("count"))
    found = {"rows": table.rows, "hits": table.hits}
    query.js_on_change(
        "value_input", script("search", query=query, count=count, texts=[*texts], **found)
    )
    save = models.Button(
        label="Save as CSV", width=110, margin=0, name=f"save-{ranked.things}",
        stylesheets=styled("search"),
    )  # fmt: skip
    told = {"rank": "rank"} | texts
    told |= {field: column.title for field, column in ranked.numbers.items()}
    saved = {"name": f"{ranked.things}.csv", "fields": [*told], "titles": [*told.values()]}
    save.js_on_event("button_click", script("save", **saved, **found))
    return models.Row(children=[query, count, save], spacing=8, sizing_mode="stretch_width"), grid


def digits(values: NDArray[np.float64]) -> str:
    """JavaScript that formats a column, with decimals for six digits of its largest number."""
    finite = values[np.isfinite(values)]
    most = abs(finite).max(initial=0)
    if most < 1e12 and (finite == np.round(finite)).all():
        return _WHOLE
    if not 1e-3 <= most < 1e6:
        return "value.toExponential(4)"
    decimals = min(max(5 - int(np.floor(np.log10(most))), 0), 6)
    return (
        f"value !== 0 && Math.abs(value) < {10.0 ** (1 - decimals)} ? value.toExponential(1) : "
        f"value.toFixed({decimals})"
    )


def precise(column: Column, field: str) -> str:
    """Tooltip of a number: HTML in which @ and $ precede names of columns, so units escape them."""
    unit = html.escape(column.unit).replace("@", "&#64;").replace("$", "&#36;")
    return f"@{field}{{%.6g}} {unit}".rstrip()


_WHOLE = 'value.toLocaleString("en")'


def _formatter(number: str) -> Any:
    """Formatter of cells, with signs for NaN and infinity."""
    text = f'Number.isNaN(value) ? "–" : Math.abs(value) === Infinity ? "∞" : {number}'
    return models.HTMLTemplateFormatter(template=f'<div class="number"><%- {text} %></div>')
