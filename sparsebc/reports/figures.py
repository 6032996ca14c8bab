"""Plots of a page: scores against degrees, curves, and the network."""

import html
from itertools import pairwise
from typing import Any

import numpy as np
from bokeh import models, palettes
from bokeh.plotting import figure

from .content import Column, Ranked
from .places import Floats, Picture

POINT, PICKED = "#3b6ea5", "#d1495b"
GREY = "#a3abb6"  # colour without a score, visible on white and on black
LOW_TO_HIGH = palettes.Magma256[225:30:-1]  # low scores are faint, but visible
CROWD = 2000  # points and lines are smaller and fainter if they are more
LINES = 200_000  # most edges that are drawn
BANDS = 8  # of lines, drawn in ascending order of scores
DECADES = 2  # range of a logarithmic colour scale, which is to show the highest scores
TOOLS = "pan,wheel_zoom,box_zoom,box_select,tap,reset,save"

Shown = tuple[Ranked, Any]  # ranked rows, and their source in the browser


def axis_of(values: Floats, ratio: float = 100.0) -> str:
    """Kind of an axis: "log" if the maximum exceeds `ratio` times the 10 % quantile, else "linear".

    The quantile is that of the positive numbers; negative numbers make the axis linear.
    """
    finite = values[np.isfinite(values)]
    positive = finite[finite > 0]
    is_wide = positive.size and positive.max() / ratio > np.quantile(positive, 0.1)
    return "log" if is_wide and not (finite < 0).any() else "linear"


def source(ranked: Ranked, *, rest: bool = False) -> Any:
    """The listed rows in the browser, or the rest.

    Columns are ``rank`` and those of `Ranked`; ``x``, ``y0``, ... are degree and scores as
    positions on an axis.
    """
    at, before = (ranked.rest, len(ranked.listed)) if rest else (ranked.listed, 0)
    degree = ranked.columns["degree"].values
    data: dict[str, Any] = {"rank": np.arange(1, len(at) + 1, dtype=np.int32) + before}
    data |= {field: column.values[at] for field, column in ranked.columns.items()}
    axes = {"x": (degree, axis_of(degree, 20))}
    axes |= {f"y{k}": (one.values, axis_of(one.values)) for k, one in enumerate(ranked.scores)}
    for field, (values, axis) in axes.items():  # 0 has no place on a logarithmic axis
        has_place = np.isfinite(values) & ((axis == "linear") | (values > 0))
        data[field] = np.where(has_place, values, np.nan)[at]
    return rows_of(data)


def rows_of(data: dict[str, Any]) -> Any:
    """Columns in the browser; text as lists."""
    return models.ColumnDataSource(
        {field: of.tolist() if of.dtype == object else of for field, of in data.items()}
    )


def against_degree(ranked: Ranked, rows: Any, k: int, height: int) -> Any:
    """Score k of the listed rows against degree."""
    score, degree = ranked.scores[k], ranked.columns["degree"]
    across, up = axis_of(degree.values, 20), axis_of(score.values)
    size, alpha = (5, 0.35) if len(ranked.listed) > CROWD else (8, 0.6)
    plot = figure(
        name=f"scatter-{ranked.things}-{k}", height=height, sizing_mode="stretch_width",
        tools=TOOLS, active_scroll=None, x_axis_type=across, y_axis_type=up,
        x_axis_label=degree.label, y_axis_label=models.PlainText(score.label),
    )  # fmt: skip
    points = plot.scatter(
        "x", f"y{k}", source=rows, size=size, fill_color=POINT, line_color=None, fill_alpha=alpha,
        selection_fill_color=PICKED, selection_fill_alpha=1, nonselection_fill_alpha=alpha / 3,
    )  # fmt: skip
    if across == "log":
        plot.xaxis.formatter = models.NumeralTickFormatter(format="0,0.[0]")
    _hover(plot, [points], ranked)
    return plot


def curve(titles: list[str], axes: tuple[str, ...], rows: Any) -> Any:
    """Line plot of one column of a listing against another."""
    across, up = axes
    x, y = (f"c{titles.index(title)}" for title in axes)
    plot = figure(
        name="curve", height=430, sizing_mode="stretch_width", tools=TOOLS, active_scroll=None,
        x_axis_label=across, y_axis_label=up,
    )  # fmt: skip
    plot.line(x, y, source=rows, line_color=POINT, line_width=1.5, nonselection_line_alpha=1)
    points = plot.scatter(
        x, y, source=rows, size=6, color=POINT, selection_color=PICKED, nonselection_alpha=1
    )
    tips = [(across, f"@{x}{{0,0}}"), (up, f"@{y}{{0,0.[000]}}")]
    plot.add_tools(models.HoverTool(renderers=[points], tooltips=tips, mode="vline"))
    return plot


def network(picture: Picture, nodes: Shown | None, edges: Shown | None) -> Any:
    """The network in the colours of its first scores."""
    globe, is_map = picture.kind == "globe", picture.kind != "drawn"
    axis = "mercator" if globe else "linear"
    plot = figure(
        sizing_mode="stretch_both", match_aspect=True, tools="pan,wheel_zoom,reset,save",
        active_scroll=None, x_axis_type=axis, y_axis_type=axis,
        x_axis_label="longitude (degrees)" if globe else "x",
        y_axis_label="latitude (degrees)" if globe else "y", name="network",
    )  # fmt: skip
    plot.axis.visible = plot.grid.visible = is_map
    if picture.kind == "plane":
        plot.axis.formatter.use_scientific = False
    linked, has_lines = [], len(picture.ends) <= LINES
    if has_lines:
        linked += _lines(plot, picture, edges)
    if nodes is not None:
        hidden = is_map and has_lines and edges is not None
        linked.append(_points(plot, picture, *nodes, hidden=hidden))
    elif not (is_map and has_lines):
        plot.scatter(*picture.nodes.T, size=5, color=GREY, line_color=None)
    plot.add_tools(models.TapTool(renderers=linked))
    return plot


def _lines(plot: Any, picture: Picture, edges: Shown | None) -> list[Any]:
    """Draw the edges, the highest scores on top; those that are listed belong to their rows."""
    xs, ys = (places.tolist() for places in picture.points.T)
    starts = picture.starts.tolist()
    lines = [slice(first, last) for first, last in pairwise(starts)]
    if edges is None:
        data = {"xs": [xs[line] for line in lines], "ys": [ys[line] for line in lines]}
        plot.multi_line(**data, line_color=GREY)
        return []
    ranked, rows = edges
    score, wide = ranked.scores[0], 2 if len(lines) > CROWD else 4
    (mapper, share), renderers = _coloured(plot, score), []
    rest = [(source(ranked, rest=True), ranked.rest)] if ranked.rest.size else []
    for drawn, at in (*rest, (rows, ranked.listed)):
        drawn.data["xs"] = [xs[lines[e]] for e in at]
        drawn.data["ys"] = [ys[lines[e]] for e in at]
        drawn.data["width"] = 0.7 + wide * share[at]
        for band in np.array_split(np.argsort(share[at], kind="stable"), BANDS):
            view = models.CDSView(filter=models.IndexFilter(band.tolist()))
            renderer = plot.multi_line(
                "xs", "ys", source=drawn, view=view, line_width="width",
                line_color={"field": "s0", "transform": mapper}, selection_line_width=5,
                selection_line_color=PICKED, nonselection_line_alpha=0.4,
            )  # fmt: skip
            renderers.append(renderer)
    _hover(plot, renderers, ranked)
    return renderers


def _points(plot: Any, picture: Picture, nodes: Ranked, rows: Any, *, hidden: bool) -> Any:
    """Draw the listed nodes, of area proportional to the score; only picked ones if hidden."""
    is_map, score, at = picture.kind != "drawn", nodes.scores[0], nodes.listed
    area = np.clip(np.where(np.isfinite(score.values), score.values, 0), 0, None)
    rows.data["size"] = 3 + 5 * np.sqrt(area[at] / (area.max(initial=0) or 1))
    rows.data["size"] *= 1 if is_map else 2.5
    rows.data["east"], rows.data["north"] = picture.nodes[at].T.copy()
    mapper, _ = _coloured(plot, score, bar=not hidden)
    points = plot.scatter(
        "east", "north", source=rows, size="size", fill_color={"field": "s0", "transform": mapper},
        fill_alpha=0 if hidden else 1, line_color=None if is_map else "white", line_width=0.5,
        selection_line_color=PICKED, selection_line_width=2.5, selection_fill_alpha=1,
        nonselection_fill_alpha=0 if hidden else 0.4,
    )  # fmt: skip
    _hover(plot, [points], nodes)
    if is_map:
        points.selection_glyph.size = 12
    return points


def _hover(plot: Any, renderers: list[Any], ranked: Ranked) -> None:
    """Add tooltips: HTML, in which @ and $ precede names of columns, so units escape them."""
    tips = [("rank", "@rank{0,0}")]
    for field, column in ranked.columns.items():
        unit = html.escape(column.unit).replace("@", "&#64;").replace("$", "&#36;")
        number = "" if column.is_text else f"{{%.6g}} {unit}".rstrip()
        tips.append((column.title, f"@{field}{number}"))
    formats = {f"@{field}": "printf" for field, of in ranked.columns.items() if not of.is_text}
    hover = models.HoverTool(renderers=renderers, tooltips=tips, formatters=formats, limit=4)
    plot.add_tools(hover)


def _coloured(plot: Any, score: Column, *, bar: bool = True) -> tuple[Any, Floats]:
    """Colours of a score on the kind of scale of its axis, also as shares from 0 to 1.

    They are drawn above the plot, if it has a ``bar``.
    """
    values = score.values
    finite = values[np.isfinite(values)]
    scale: Any = np.asarray
    mapper = models.LinearColorMapper
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    if axis_of(values) == "log":
        scale, mapper = np.log, models.LogColorMapper
        low = max(finite[finite > 0].min(), high / 10**DECADES)
    else:
        high = high if high > low else low + 1
    colours = mapper(LOW_TO_HIGH, low=low, high=high, nan_color=GREY)
    if bar:
        title = models.PlainText(score.label)
        plot.add_layout(models.ColorBar(color_mapper=colours, title=title, width=220), "above")
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (scale(values) - scale(low)) / (scale(high) - scale(low))
    return colours, np.clip(np.nan_to_num(share), 0, 1)
