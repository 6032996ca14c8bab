"""The network itself: drawn by distances where it is small, or on a map."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .content import Column, Picture, Ranked
from .figures import PICKED, label, tooltips
from .sources import Table, scale

CLASSES = 8  # of edges, by their scores: each is one line to draw
DECADES = 2  # of scores that are told apart by colour; a picture is to show where the highest are
CROWD = 2000  # edges from which on lines are thinner


def network(
    picture: Picture,
    nodes: Ranked | None,
    edges: Ranked | None,
    rows: Table | None,
    edge_rows: Table | None,
) -> Any:
    """Nodes and edges, each coloured by its first score."""
    from bokeh.models import ColorBar, PlainText
    from bokeh.palettes import Magma256
    from bokeh.plotting import figure

    globe = picture.kind == "globe"
    axis = "mercator" if globe else "linear"
    plot = figure(
        sizing_mode="stretch_both", match_aspect=True,
        tools="pan,wheel_zoom,tap,reset,save", active_scroll=None,
        x_axis_type=axis, y_axis_type=axis,
        x_axis_label="longitude (degrees)" if globe else "x",
        y_axis_label="latitude (degrees)" if globe else "y", name="network",
    )  # fmt: skip
    palette = Magma256[225:30:-1]  # light is low, and still seen on white
    if picture.lines:
        _edges(plot, picture, edges, palette)
    if nodes is not None and rows is not None:
        _nodes(plot, nodes, rows, palette)
    else:
        plot.scatter(picture.x, picture.y, size=3, color="#4b5563", line_color=None)
    if edge_rows is not None:
        plot.segment(
            "east0", "north0", "east1", "north1", source=edge_rows.picked,
            line_color=PICKED, line_width=3,
        )  # fmt: skip
    coloured = nodes or edges
    if coloured is not None:
        column = coloured.scores[0]
        mapper = _mapper(column, palette)
        plot.add_layout(ColorBar(color_mapper=mapper, title=PlainText(column.label)), "above")
    if picture.kind == "drawn":
        plot.axis.visible = False
        plot.grid.visible = False
    return plot


def _nodes(plot: Any, nodes: Ranked, table: Table, palette: tuple[str, ...]) -> None:
    """Points whose area grows with the score, those picked in a ring, with their names."""
    from bokeh.models import HoverTool

    many = len(nodes.listed) > 500
    scores = nodes.scores[0].values[nodes.listed]
    share = np.clip(np.where(np.isfinite(scores), scores, 0), 0, None)
    share /= share.max(initial=0) or 1
    size = (3 if many else 7) + (8 if many else 13) * np.sqrt(share)
    table.rows.data["size"] = size
    table.picked.data["size"] = size[: len(table.picked.data["rank"])]
    points = plot.scatter(
        "east0", "north0", source=table.rows, size="size",
        line_color=None if many else "white", line_width=0.5, nonselection_fill_alpha=0.5,
        fill_color={"field": "s0", "transform": _mapper(nodes.scores[0], palette)},
    )  # fmt: skip
    plot.scatter(
        "east0", "north0", source=table.picked, size="size", fill_color=None,
        line_color=PICKED, line_width=2,
    )  # fmt: skip
    label(plot, table, "east0", "north0", x_offset=11, y_offset=11, text_align="left")
    told, formats = tooltips(nodes)
    plot.add_tools(HoverTool(renderers=[points], tooltips=told, formatters=formats, limit=4))


def _mapper(column: Column, palette: tuple[str, ...]) -> Any:
    """Colours of scores, logarithmic as their axis is."""
    from bokeh.models import LinearColorMapper, LogColorMapper

    axis = scale(column.values)
    finite = column.values[np.isfinite(column.values)]
    if axis.kind == "log":
        low, high = _shown(finite)
        return LogColorMapper(palette, low=low, high=high, low_color=palette[0])
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    return LinearColorMapper(palette, low=low, high=high if high > low else low + 1)


def _edges(plot: Any, picture: Picture, edges: Ranked | None, palette: tuple[str, ...]) -> None:
    """Edges as a few lines with gaps; those of high scores wider, darker, and on top."""
    loops = picture.tails == picture.heads
    shades = [("#b6bdc7", 0.7, ~loops)]
    if edges is not None:
        grades = classes(edges.scores[0], CLASSES)
        thick = 0.25 if len(grades) > CROWD else 0.5
        steps = np.linspace(0, len(palette) - 1, CLASSES).astype(int)
        shades = [
            (palette[step], 0.7 + thick * grade, (grades == grade) & ~loops)
            for grade, step in enumerate(steps)
        ]
    for colour, width, which in shades:
        x, y = (
            _gapped(place[picture.tails[which]], place[picture.heads[which]])
            for place in (picture.x, picture.y)
        )
        plot.line(x, y, line_color=colour, line_width=width)
    if picture.directed and len(picture.tails) <= 5000:
        _arrows(plot, picture, ~loops)


def classes(column: Column, count: int) -> NDArray[np.int64]:
    """A class below `count` for each score, of equal widths on its axis."""
    values, axis = column.values, scale(column.values)
    finite = np.where(np.isfinite(values), values, 0)
    if axis.kind == "log":
        low, high = map(np.log, _shown(finite))
        finite = np.maximum(np.log(np.where(finite > 0, finite, np.exp(low))), low)
    else:
        low, high = finite.min(initial=0), finite.max(initial=0)
    share: NDArray[np.float64] = (finite - low) / (high - low or 1.0)
    found: NDArray[np.int64] = np.minimum((share * count).astype(np.int64), count - 1)
    return found


def _shown(finite: NDArray[np.float64]) -> tuple[float, float]:
    """The positive scores that colours tell apart."""
    low, high = finite[finite > 0].min(), finite.max()
    return max(float(low), float(high) / 10**DECADES), float(high)


def _gapped(tails: NDArray[np.float64], heads: NDArray[np.float64]) -> NDArray[np.float64]:
    """From tail to head, then a gap."""
    return np.column_stack((tails, heads, np.full(len(tails), np.nan))).ravel()


def _arrows(plot: Any, picture: Picture, which: NDArray[np.bool_]) -> None:
    """The direction of each edge, a little past its middle."""
    tails, heads = picture.tails[which], picture.heads[which]
    dx, dy = picture.x[heads] - picture.x[tails], picture.y[heads] - picture.y[tails]
    plot.scatter(
        picture.x[tails] + 0.6 * dx, picture.y[tails] + 0.6 * dy, marker="triangle", size=6,
        angle=np.arctan2(dy, dx) - np.pi / 2, color="#8b94a1", line_color=None,
    )  # fmt: skip
