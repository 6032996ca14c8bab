"""The ranked table of a page, sorted by its heads and searched as one types."""

from __future__ import annotations

import html
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .content import Column, Ranked
from .sources import Table, script

ROW, HEIGHT = 28, 560  # pixels


def ranking(ranked: Ranked, table: Table) -> tuple[Any, Any]:
    """A line to search in, and the table."""
    from bokeh.models import (
        CDSView,
        CustomJS,
        DataTable,
        Div,
        HTMLTemplateFormatter,
        InlineStyleSheet,
        NanCompare,
        TableColumn,
        TextInput,
    )
    from bokeh.models.layouts import Row

    last = NanCompare(ascending_first=True)  # NaN is below all numbers

    def numbers(field: str, title: str, template: str, width: int = 110) -> Any:
        order = "ascending" if field == "rank" else "descending"
        return TableColumn(
            field=field, title=html.escape(title), width=width, sorter=last, default_sort=order,
            formatter=_formatter(template),
        )  # fmt: skip

    columns = [numbers("rank", "rank", _WHOLE, 50)]
    columns += [
        TableColumn(
            field=f"o{k}",
            title=html.escape(title),  # heads are HTML
            width=140,
            formatter=HTMLTemplateFormatter(template=f"<%- t{k} %>"),
        )
        for k, title in enumerate(ranked.texts)
    ]
    for letter, group in (("s", ranked.scores), ("b", ranked.beside)):
        columns += [
            numbers(f"{letter}{k}", column.title, digits(column.values[ranked.listed]))
            for k, column in enumerate(group)
        ]
    if ranked.ends == 1:
        columns.append(numbers("degree", "degree", _WHOLE, 70))
    width = sum(column.width for column in columns)
    grid = DataTable(
        source=table.rows, view=CDSView(filter=table.hits), columns=columns, index_position=None,
        row_height=ROW, height=min(HEIGHT, ROW * (len(ranked.listed) + 1) + 16),
        sizing_mode="stretch_width", margin=0, min_width=min(width, 300),
        autosize_mode="force_fit" if width < 800 else "none", reorderable=False,
        stylesheets=[InlineStyleSheet(css=_grid_css(len(ranked.texts)))],
        name=f"table-{ranked.things}",
    )  # fmt: skip
    total = f"{len(ranked.listed):,}"
    query = TextInput(
        placeholder=f"Search {total} {ranked.things} by name",
        sizing_mode="stretch_width", margin=0, name=f"search-{ranked.things}",
        stylesheets=[InlineStyleSheet(css=_QUERY_CSS)],
    )  # fmt: skip
    count = Div(text="", width=100, margin=0, stylesheets=[InlineStyleSheet(css=_COUNT_CSS)])
    query.js_on_change(
        "value_input",
        CustomJS(
            args={
                **{"query": query, "hits": table.hits, "rows": table.rows, "count": count},
                "texts": [f"t{k}" for k in range(len(ranked.texts))],
            },
            code=script("search"),
        ),
    )
    return Row(children=[query, count], sizing_mode="stretch_width"), grid


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
    from bokeh.models import HTMLTemplateFormatter

    text = f'Number.isNaN(value) ? "–" : Math.abs(value) === Infinity ? "∞" : {number}'
    return HTMLTemplateFormatter(template=f'<div class="number"><%- {text} %></div>')


def _grid_css(texts: int) -> str:
    """The table in the letters of the page; heads stand as their cells do."""
    words = ", ".join(f".slick-header-column:nth-child({k})" for k in range(2, 2 + texts))
    return f"""
:host {{ font-family: inherit; font-size: 13px; border: 1px solid #dfe3e8; border-radius: 6px;
  overflow: hidden; }}
.slick-header-columns {{ background: #f6f7f9; border-bottom: 1px solid #dfe3e8; }}
.slick-header-column.ui-state-default {{ background: #f6f7f9; border: none; color: #4b5563;
  font-weight: 600; padding: 6px 10px; height: 18px; }}
.slick-header-column :is(.slick-column-name, .slick-sort-indicator) {{ float: right;
  margin-left: 4px; }}
:is({words}) :is(.slick-column-name, .slick-sort-indicator) {{ float: left; margin: 0 4px 0 0; }}
.slick-header-column:hover {{ color: #1f2937; background: #eceff3; cursor: pointer; }}
.slick-cell {{ border: none !important; border-bottom: 1px solid #eef0f3 !important;
  padding: 4px 10px; line-height: 19px; color: #1f2937; background: white; }}
.slick-row:hover .slick-cell {{ background: #f3f6fa; }}
.slick-row .slick-cell.selected {{ background: #fbe9eb; }}
.number {{ text-align: right; font-variant-numeric: tabular-nums; }}
"""


_QUERY_CSS = """
.bk-input { font: inherit; font-size: 14px; height: 34px; border: 1px solid #cfd5dc;
  border-radius: 6px; padding: 0 12px; color: #1f2937; }
.bk-input:focus { border-color: #3b6ea5; box-shadow: 0 0 0 3px rgb(59 110 165 / 18%); }
"""
_COUNT_CSS = """
:host { font-family: inherit; font-size: 13px; color: #6b7280; line-height: 34px;
  text-align: right; }
"""
