"""Plots of a page: scores against degrees and expectations, and distributions of scores."""

from typing import Any

import numpy as np
from bokeh import models
from bokeh.core.properties import value
from bokeh.plotting import figure
from numpy.typing import NDArray

from .content import LEVEL, Listing, Ranked
from .ranking import precise
from .sources import Scale, Table, scale

POINT, PICKED, INK, FAINT, ABOVE = "#3b6ea5", "#d1495b", "#1f2937", "#c3c9d1", "#e0861a"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"
BINS = 40
CROWD = 2000  # points are smaller and fainter if they are more


def _plot(name: str, height: int = 250, tools: str = "save", **how: Any) -> Any:
    """Empty plot of full width."""
    return figure(name=name, height=height, tools=tools, sizing_mode="stretch_width", **how)


def _against(
    ranked: Ranked, table: Table, k: int, across: Scale, x_label: Any, **how: Any
) -> tuple[Any, dict[str, Any]]:
    """Empty plot of score k of the listed rows, and the glyph options of its points."""
    axis = table.scales[k]
    size, alpha = (5, 0.35) if len(ranked.listed) > CROWD else (8, 0.6)
    look = {"size": size, "line_color": None, "fill_alpha": alpha}
    return _plot(
        tools="pan,wheel_zoom,box_zoom,box_select,tap,reset,save",
        active_drag="pan", active_scroll=None,
        x_axis_type=across.kind, y_axis_type=axis.kind,
        x_range=(across.low, across.high), y_range=(axis.low, axis.high),
        x_axis_label=x_label, y_axis_label=models.PlainText(ranked.scores[k].label), **how,
    ), look | {"source": table.rows, "nonselection_fill_alpha": alpha / 3}  # fmt: skip


def _labelled(plot: Any, ranked: Ranked, table: Table, x: str, k: int, shown: list[Any]) -> Any:
    """The plot of score k with labels of the picked rows, tooltips, and the line of zero."""
    label(plot, table, x, f"y{k}")
    add_hover(plot, shown, *tooltips(ranked), limit=4)
    mark_zero(plot, table.scales[k])
    return plot


def against_degree(ranked: Ranked, table: Table, k: int, height: int) -> Any:
    """Score k of the listed rows against degree."""
    across, name = table.across, f"scatter-{ranked.things}-{k}"
    plot, look = _against(ranked, table, k, across, ranked.degree.label, height=height, name=name)
    points = plot.scatter("x", f"y{k}", fill_color=POINT, **look)
    plot.scatter(
        "x", f"y{k}", source=table.picked, size=9, fill_color=PICKED, line_color="white",
        line_width=0.8,
    )  # fmt: skip
    if across.kind == "log":
        plot.xaxis.formatter = models.NumeralTickFormatter(format="0,0.[0]")
    return _labelled(plot, ranked, table, "x", k, [points])


def against_expectation(ranked: Ranked, table: Table, k: int, height: int) -> Any:
    """Score k of the listed rows against its mean over random networks, both on one scale."""
    axis, above, x, y = table.scales[k], ranked.expected[k].above, f"e{k}", f"y{k}"
    title = models.PlainText(f"expectation of {ranked.scores[k].label}")
    plot, look = _against(ranked, table, k, axis, title, height=height, name=f"expectation-{k}")
    is_above = np.zeros(len(ranked.listed), bool) if above is None else above[ranked.listed]
    shown = []
    for colour, wanted in ((POINT, False), (ABOVE, True)):  # points with q below LEVEL on top
        view = models.CDSView(
            filter=models.IndexFilter(np.flatnonzero(is_above == wanted).tolist())
        )
        look["fill_alpha"] = max(look["fill_alpha"], 0.8 * wanted)
        shown.append(plot.scatter(x, y, view=view, fill_color=colour, **look))
    plot.scatter(
        x, y, source=table.picked, size=12, fill_color=None, line_color=PICKED, line_width=2
    )
    ends = [axis.low, axis.high]
    plot.line(ends, ends, line_color=FAINT, line_dash="dashed", level="underlay")
    mark_zero(plot, axis, across=True)
    return _labelled(plot, ranked, table, x, k, shown)


def on_expectations(ranked: Ranked) -> str:
    """Legend of plots against expectations."""
    if not ranked.expected:
        return ""
    colour = f"Orange: q < {LEVEL:g}. " * any(
        expected.above is not None for expected in ranked.expected.values()
    )
    return f"{colour}Expectations are means over random networks; the dashed line is as expected."


def mark_zero(plot: Any, axis: Scale, *, across: bool = False) -> None:
    """Draw the line of zero on a logarithmic axis that shows zero."""
    if axis.zero is None:
        return
    line: Any = {"line_color": FAINT, "line_dash": "dashed", "level": "underlay"}
    place: Any = {"x": 6, "y": axis.zero, "x_units": "screen", "y_offset": 2}
    if across:
        place = {"y": 6, "x": axis.zero, "y_units": "screen", "x_offset": 2}
    dimension = "height" if across else "width"
    plot.add_layout(models.Span(location=axis.zero, dimension=dimension, **line))
    plot.add_layout(models.Label(**place, text="0"))


def histogram(ranked: Ranked, table: Table, k: int) -> tuple[Any, str]:
    """Histogram of score k of all rows, and a text about the values left out."""
    column, axis = ranked.scores[k], table.scales[k]
    counts, edges = bins(column.values, axis)
    plot = _plot(
        f"histogram-{ranked.things}-{k}", x_axis_type=axis.kind,
        x_axis_label=models.PlainText(column.label), y_axis_label=f"number of {ranked.things}",
    )  # fmt: skip
    rows = models.ColumnDataSource({"left": edges[:-1], "right": edges[1:], "top": counts})
    bars = plot.quad(
        left="left", right="right", top="top", bottom=0, source=rows, fill_color=POINT,
        fill_alpha=0.8, line_color="white", hover_fill_color=POINT, hover_line_color="white",
    )  # fmt: skip
    told = [(column.title, "@left{%.3g} to @right{%.3g}"), (ranked.things, "@top{0,0}")]
    add_hover(plot, [bars], told, {"@left": "printf", "@right": "printf"})
    plot.y_range.start = 0
    return plot, left_out(column.values, axis, ranked.things)


def of_degrees(ranked: Ranked) -> tuple[Any, str]:
    """Complementary cumulative distribution of the degrees, and its caption."""
    values = ranked.degree.values
    degrees, counts = np.unique(values[values > 0], return_counts=True)
    share = counts[::-1].cumsum()[::-1] / max(len(values), 1)
    axis = scale(degrees, ratio=20).kind
    plot = _plot(
        "degrees", x_axis_type=axis, y_axis_type=axis, x_axis_label=ranked.degree.label,
        y_axis_label="share of nodes",
    )  # fmt: skip
    dots = plot.scatter(degrees, share, size=6, fill_color=POINT, line_color=None, fill_alpha=0.8)
    add_hover(plot, [dots], [("degree", "at least @x{0,0}"), ("share of nodes", "@y{0.0[000]%}")])
    if axis == "log":
        plot.xaxis.formatter = models.NumeralTickFormatter(format="0,0")
    return plot, "Nodes of at least that degree."


def curve(listing: Listing) -> Any:
    """Line plot of one column of a listing against another."""
    across, up = listing.curve
    plot = _plot(
        "curve", 430, "pan,wheel_zoom,box_zoom,reset,save", active_scroll=None,
        x_axis_label=across, y_axis_label=up,
    )  # fmt: skip
    x, y = (np.asarray(listing.columns[title], dtype=np.float64) for title in listing.curve)
    plot.line(x, y, line_color=POINT, line_width=1.5)
    points = plot.scatter(x, y, size=6, fill_color=POINT, line_color=None)
    add_hover(plot, [points], [(across, "@x{0,0}"), (up, "@y{0,0.[000]}")], mode="vline")
    if y.min(initial=0) >= 0:
        plot.y_range.start = 0
    return plot


def bins(values: NDArray[np.float64], axis: Scale) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Counts and edges of bins: of equal width on the axis, or one for each of few integers."""
    kept = values[np.isfinite(values)]
    if axis.kind == "log":
        kept = kept[kept > 0]
    low, high = (float(kept.min()), float(kept.max())) if kept.size else (0.0, 1.0)
    count = int(np.clip(2 * np.cbrt(kept.size), 8, BINS))  # Rice's rule
    share = np.linspace(0, 1, count + 1)
    if axis.kind == "log":
        inside = np.exp(np.log(low) * (1 - share[1:-1]) + np.log(high) * share[1:-1])
        edges = np.array([low, *inside.clip(low, high), high])
    elif (kept == np.round(kept)).all() and max(high - low, -low, high - 2**50) < 2 * BINS:
        edges = np.arange(low, high + 2) - 0.5
    else:
        if high == low:
            low, high = sorted((low, low + 1 if low + 1 > low else low / 2))
        edges = low * (1 - share) + high * share
    edges = np.unique(edges)  # the range may have fewer floats than bins
    return np.histogram(kept, edges)[0], edges


def left_out(values: NDArray[np.float64], axis: Scale, things: str) -> str:
    """Text about the values that no bin counts; empty if there are none."""
    zero = np.count_nonzero(values == 0) if axis.kind == "log" else 0
    wild = np.count_nonzero(~np.isfinite(values))
    parts = [f"{zero:,} that score 0"] * bool(zero)
    parts += [f"{wild:,} without a finite score"] * bool(wild)
    return f"Not shown of {len(values):,} {things}: {' and '.join(parts)}." if parts else ""


def tooltips(
    ranked: Ranked, *, of_rows: bool = True
) -> tuple[list[tuple[str, str]], dict[str, str]]:
    """Tooltip of a row, or of a line on a map: (title, value) pairs, and formats of numbers."""
    columns = ranked.numbers | ({"degree": ranked.degree} if of_rows else {})
    told = [(title, f"@t{k}") for k, title in enumerate(ranked.texts)]
    told += [(column.title, precise(column, field)) for field, column in columns.items()]
    return [("rank", "@rank{0,0}")] * of_rows + told, {f"@{field}": "printf" for field in columns}


def add_hover(
    plot: Any,
    renderers: list[Any],
    told: list[tuple[str, str]],
    formats: dict[str, str] | None = None,
    **how: Any,
) -> None:
    """Add a tooltip of titles and values to the glyphs of these renderers."""
    plot.add_tools(
        models.HoverTool(renderers=renderers, tooltips=told, formatters=formats or {}, **how)
    )


def label(plot: Any, table: Table, x: str, y: str, **where: Any) -> Any:
    """Add to the plot the labels of the picked rows, beside their points, and return them."""
    around = {"x_offset": "right", "y_offset": "up", "text_align": "side"} | where
    names = models.LabelSet(
        x=x, y=y, text="label", source=table.picked, text_baseline="middle", text_color=INK,
        text_font=value(FONT), text_font_size="12px", background_fill_color="white",
        background_fill_alpha=0.7, **around,
    )  # fmt: skip
    plot.add_layout(names)
    return names
