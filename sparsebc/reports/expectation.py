"""The plot of a score against its expectation over random networks."""

from __future__ import annotations

from typing import Any

from .content import LEVEL, Ranked
from .figures import CROWD, FAINT, PICKED, POINT, label, mark_zero, tooltips
from .sources import Table

ABOVE = "#e0861a"


def told(ranked: Ranked) -> str:
    """What the plots are to be read by."""
    if not ranked.expected:
        return ""
    colour = f"Orange: q < {LEVEL:g}. " * any(
        one.above is not None for one in ranked.expected.values()
    )
    return f"{colour}Expectations are means over random networks; the dashed line is as expected."


def against_expectation(ranked: Ranked, table: Table, k: int, height: int) -> Any:
    """Score k of the listed rows against its mean, both on one scale."""
    from bokeh.models import CDSView, HoverTool, IndexFilter, PlainText
    from bokeh.plotting import figure

    column, axis, above = ranked.scores[k], table.scales[k], ranked.expected[k].above
    ends = [axis.low, axis.high]
    plot = figure(
        height=height, sizing_mode="stretch_width",
        tools="pan,wheel_zoom,box_zoom,box_select,tap,reset,save",
        active_drag="pan", active_scroll=None,
        x_axis_type=axis.kind, y_axis_type=axis.kind, x_range=ends, y_range=ends,
        x_axis_label=PlainText(f"expectation of {column.label}"),
        y_axis_label=PlainText(column.label), name=f"expectation-{k}",
    )  # fmt: skip
    size, alpha = (5, 0.35) if len(ranked.listed) > CROWD else (8, 0.6)
    is_above = [False] * len(ranked.listed) if above is None else above[ranked.listed].tolist()
    shown = []
    for colour, wanted in ((POINT, False), (ABOVE, True)):  # those above on top
        rows = [row for row, one in enumerate(is_above) if one is wanted]
        shown.append(
            plot.scatter(
                f"e{k}", f"y{k}", source=table.rows, view=CDSView(filter=IndexFilter(rows)),
                size=size, line_color=None, fill_color=colour,
                fill_alpha=max(alpha, 0.8 * wanted), nonselection_fill_alpha=alpha / 3,
            )
        )  # fmt: skip
    plot.scatter(
        f"e{k}", f"y{k}", source=table.picked, size=12, fill_color=None, line_color=PICKED,
        line_width=2,
    )  # fmt: skip
    plot.line(ends, ends, line_color=FAINT, line_dash="dashed", level="underlay")
    mark_zero(plot, axis)
    mark_zero(plot, axis, across=True)
    label(plot, table, f"e{k}", f"y{k}")
    tips, formats = tooltips(ranked)
    plot.add_tools(HoverTool(renderers=shown, tooltips=tips, formatters=formats, limit=4))
    return plot
