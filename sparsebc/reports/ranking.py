"""The ranked table of a page, sorted by its heads and searched as one types."""

import html
import textwrap
from typing import Any

import numpy as np
from bokeh import models
from numpy.typing import NDArray

from .content import Column, Ranked
from .sources import Table, script, styled

ROW, HEIGHT = 28, 560  # pixels
# Lines of a head, of as many letters as a column that is made narrow has room for.
HEAD = textwrap.TextWrapper(10, break_long_words=False, max_lines=3)


def ranking(ranked: Ranked, table: Table) -> tuple[Any, Any]:
    """A line to search in and to save from, and the table."""
    last = models.NanCompare(ascending_first=True)  # NaN is below all numbers

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
    # Heads stand as their cells do.
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
    """JavaScript that writes numbers of a column: as many decimals as six digits of the largest."""
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
    """A number in the text on hover, which is HTML where @ and $ stand before names of columns."""
    unit = html.escape(column.unit).replace("@", "&#64;").replace("$", "&#36;")
    return f"@{field}{{%.6g}} {unit}".rstrip()


_WHOLE = 'value.toLocaleString("en")'


def _formatter(number: str) -> Any:
    text = f'Number.isNaN(value) ? "–" : Math.abs(value) === Infinity ? "∞" : {number}'
    return models.HTMLTemplateFormatter(template=f'<div class="number"><%- {text} %></div>')
