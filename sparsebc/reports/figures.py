"""Plots of a page: score against degree, and how scores and degrees are distributed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .content import Column, Listing, Ranked
from .ranking import precise
from .sources import Scale, Table, scale

POINT, PICKED, INK, FAINT = "#3b6ea5", "#d1495b", "#1f2937", "#c3c9d1"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
BINS = 40
CROWD = 2000  # points from which on they are small and faint


def against_degree(ranked: Ranked, table: Table, k: int, height: int) -> Any:
    """Score k of the listed rows against degree."""
    from bokeh.models import HoverTool, NumeralTickFormatter, PlainText
    from bokeh.plotting import figure

    column, axis, across = ranked.scores[k], table.scales[k], table.across
    plot = figure(
        height=height, sizing_mode="stretch_width",
        tools="pan,wheel_zoom,box_zoom,box_select,tap,reset,save",
        active_drag="pan", active_scroll=None,
        x_axis_type=across.kind, y_axis_type=axis.kind,
        x_range=(across.low, across.high), y_range=(axis.low, axis.high),
        x_axis_label=ranked.degree.label, y_axis_label=PlainText(column.label),
        name=f"scatter-{ranked.things}-{k}",
    )  # fmt: skip
    size, alpha = (5, 0.35) if len(ranked.listed) > CROWD else (8, 0.6)
    points = plot.scatter(
        "x", f"y{k}", source=table.rows, size=size, line_color=None, fill_color=POINT,
        fill_alpha=alpha, nonselection_fill_alpha=alpha / 3,
    )  # fmt: skip
    plot.scatter(
        "x", f"y{k}", source=table.picked, size=9, fill_color=PICKED, line_color="white",
        line_width=0.8,
    )  # fmt: skip
    label(plot, table, "x", f"y{k}")
    told, formats = tooltips(ranked)
    plot.add_tools(HoverTool(renderers=[points], tooltips=told, formatters=formats, limit=4))
    if across.kind == "log":
        plot.xaxis.formatter = NumeralTickFormatter(format="0,0.[0]")
    mark_zero(plot, axis)
    return plot


def mark_zero(plot: Any, axis: Scale, *, across: bool = False) -> None:
    """Draw the line where a logarithmic axis has zero, if it has."""
    from bokeh.models import Label, Span

    if axis.zero is None:
        return
    line: Any = {"line_color": FAINT, "line_dash": "dashed", "level": "underlay"}
    place: Any = {"x": 6, "y": axis.zero, "x_units": "screen", "y_offset": 2}
    if across:
        place = {"y": 6, "x": axis.zero, "y_units": "screen", "x_offset": 2}
    plot.add_layout(Span(location=axis.zero, dimension="height" if across else "width", **line))
    plot.add_layout(Label(**place, text="0"))


def histogram(ranked: Ranked, table: Table, k: int) -> tuple[Any, str]:
    """How score k of all rows is distributed, and what the plot leaves out."""
    from bokeh.models import ColumnDataSource, HoverTool, PlainText
    from bokeh.plotting import figure

    column, axis = ranked.scores[k], table.scales[k]
    counts, edges = bins(column.values, axis)
    plot = figure(
        height=250, sizing_mode="stretch_width", tools="save", x_axis_type=axis.kind,
        x_axis_label=PlainText(column.label), y_axis_label=f"number of {ranked.things}",
        name=f"histogram-{ranked.things}-{k}",
    )  # fmt: skip
    rows = ColumnDataSource({"left": edges[:-1], "right": edges[1:], "top": counts})
    bars = plot.quad(
        left="left", right="right", top="top", bottom=0, source=rows, fill_color=POINT,
        fill_alpha=0.8, line_color="white", hover_fill_color=POINT, hover_line_color="white",
    )  # fmt: skip
    told = [(column.title, "@left{%.3g} to @right{%.3g}"), (ranked.things, "@top{0,0}")]
    formats = {"@left": "printf", "@right": "printf"}
    plot.add_tools(HoverTool(renderers=[bars], tooltips=told, formatters=formats))
    plot.y_range.start = 0
    return plot, left_out(column.values, axis, ranked.things)


def of_degrees(ranked: Ranked) -> tuple[Any, str]:
    """The share of nodes that have at least a degree, and in words what that is."""
    from bokeh.models import HoverTool, NumeralTickFormatter
    from bokeh.plotting import figure

    values = ranked.degree.values
    degrees, counts = np.unique(values[values > 0], return_counts=True)
    share = counts[::-1].cumsum()[::-1] / max(len(values), 1)
    axis = scale(degrees, ratio=20).kind
    plot = figure(
        height=250, sizing_mode="stretch_width", tools="save", x_axis_type=axis, y_axis_type=axis,
        x_axis_label=ranked.degree.label, y_axis_label="share of nodes", name="degrees",
    )  # fmt: skip
    dots = plot.scatter(degrees, share, size=6, fill_color=POINT, line_color=None, fill_alpha=0.8)
    told = [("degree", "at least @x{0,0}"), ("share of nodes", "@y{0.0[000]%}")]
    plot.add_tools(HoverTool(renderers=[dots], tooltips=told))
    if axis == "log":
        plot.xaxis.formatter = NumeralTickFormatter(format="0,0")
    return plot, "Nodes of at least that degree."


def curve(listing: Listing) -> Any:
    """One column of rows against another."""
    from bokeh.models import HoverTool
    from bokeh.plotting import figure

    across, up = listing.curve
    plot = figure(
        height=430, sizing_mode="stretch_width", tools="pan,wheel_zoom,box_zoom,reset,save",
        active_scroll=None, x_axis_label=across, y_axis_label=up, name="curve",
    )  # fmt: skip
    x, y = (np.asarray(listing.columns[title], dtype=np.float64) for title in listing.curve)
    plot.line(x, y, line_color=POINT, line_width=1.5)
    points = plot.scatter(x, y, size=6, fill_color=POINT, line_color=None)
    told = [(across, "@x{0,0}"), (up, "@y{0,0.[000]}")]
    plot.add_tools(HoverTool(renderers=[points], tooltips=told, mode="vline"))
    if y.min(initial=0) >= 0:
        plot.y_range.start = 0
    return plot


def bins(values: NDArray[np.float64], axis: Scale) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Counts and edges of the bins: of equal width on the axis, of whole numbers one for each."""
    kept = values[np.isfinite(values)]
    if axis.kind == "log":
        kept = kept[kept > 0]
    low, high = (kept.min(), kept.max()) if kept.size else (0.0, 1.0)
    count = int(np.clip(2 * np.cbrt(kept.size), 8, BINS))  # the rule of Rice
    if axis.kind == "log":
        edges = np.geomspace(low, high, count + 1)
        edges[[0, -1]] = low, high
    elif (kept == np.round(kept)).all() and high - low < 2 * BINS:
        edges = np.arange(low, high + 2) - 0.5
    else:
        edges = np.linspace(low, high if high > low else low + 1, count + 1)
    return np.histogram(kept, edges)[0], edges


def left_out(values: NDArray[np.float64], axis: Scale, things: str) -> str:
    """In words, which values no bin counts."""
    zero = np.count_nonzero(values == 0) if axis.kind == "log" else 0
    wild = np.count_nonzero(~np.isfinite(values))
    parts = [f"{zero:,} that score 0"] * bool(zero)
    parts += [f"{wild:,} without a finite score"] * bool(wild)
    return f"Not shown of {len(values):,} {things}: {' and '.join(parts)}." if parts else ""


def tooltips(
    ranked: Ranked, *, of_rows: bool = True
) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """What is told of a row, or a line on a map, on hover, and how its numbers are written."""
    columns: dict[str, Column] = {f"s{k}": column for k, column in enumerate(ranked.scores)}
    columns |= {f"b{k}": column for k, column in enumerate(ranked.beside)}
    columns |= {"degree": ranked.degree} if of_rows else {}
    told = [(title, f"@t{k}") for k, title in enumerate(ranked.texts)]
    told += [(column.title, precise(column, field)) for field, column in columns.items()]
    return [("rank", "@rank{0,0}")] * of_rows + told, {f"@{field}": "printf" for field in columns}


def label(figure: Any, table: Table, x: str, y: str, **where: Any) -> Any:
    """The names of what is picked, beside it, as they are laid on the figure."""
    from bokeh.core.properties import value
    from bokeh.models import LabelSet

    around = {"x_offset": "right", "y_offset": "up", "text_align": "side"} | where
    names = LabelSet(
        x=x, y=y, text="label", source=table.picked, text_baseline="middle", text_color=INK,
        text_font=value(FONT), text_font_size="12px", background_fill_color="white",
        background_fill_alpha=0.7, **around,
    )  # fmt: skip
    figure.add_layout(names)
    return names
