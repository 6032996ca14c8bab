"""Picture of the network: laid out by distances if it is small, or on a map."""

from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from bokeh import models, palettes
from bokeh.plotting import figure

from ..errors import InputError
from .content import Column, Picture, Ranked
from .figures import PICKED, add_hover, label, tooltips
from .sources import Table, natural, scale, script, styled

DECADES = 2  # range of a logarithmic colour scale, which is to show the highest scores
CROWD = 2000  # lines are thinner if they are more
GREY = "#a3abb6"  # colour without a score, visible on white and on black
LIGHT, DARK = slice(225, 30, -1), slice(60, None)  # of Magma: low scores are faint, but visible

Shown = dict[str, tuple[Ranked, Table]]  # by `Ranked.things`: "nodes", "edges"


class Choice(NamedTuple):
    """A score, or a text column, that can colour the picture."""

    label: str
    things: str  # "nodes" or "edges"
    key: str  # of its column in the rows
    values: Any  # of all nodes or edges
    mapper: Any  # from values to colours


def network(picture: Picture, shown: Shown, colour: str) -> tuple[Any, Any, Any]:
    """Menu of the colouring columns, plot of the picture, and the script that draws it."""
    globe, is_map = picture.kind == "globe", picture.kind != "drawn"
    axis = "mercator" if globe else "linear"
    plot = figure(
        sizing_mode="stretch_both", match_aspect=True,
        tools="pan,wheel_zoom,tap,reset,save", active_scroll=None,
        x_axis_type=axis, y_axis_type=axis,
        x_axis_label="longitude (degrees)" if globe else "x",
        y_axis_label="latitude (degrees)" if globe else "y", name="network",
    )  # fmt: skip
    plot.axis.visible = plot.grid.visible = is_map
    if picture.kind == "plane":
        plot.axis.formatter.use_scientific = False
    choices = _choices(shown)
    first = next((k for k, choice in enumerate(choices) if choice.label == colour), 0)
    bars = [
        models.ColorBar(
            color_mapper=choice.mapper, title=models.PlainText(choice.label),
            visible=k == first, **_width(choice.mapper),
        )
        for k, choice in enumerate(choices)
    ]  # fmt: skip
    for bar in bars:
        plot.add_layout(bar, "above")
    select = models.Select(
        options=[(str(k), choice.label) for k, choice in enumerate(choices)],
        title="Coloured by", value=str(first), margin=0, name="colours",
        sizing_mode="stretch_width", stylesheets=styled("search"),
    )  # fmt: skip
    parts: dict[str, Any] = {"lines": None, "dots": []}
    if picture.lines:
        parts |= _lines(plot, picture, shown.get("edges"), choices)
    if "nodes" in shown:
        parts["dots"] = _nodes(plot, *shown["nodes"], is_map=is_map)
    elif not (is_map and picture.lines):
        plot.scatter(picture.x, picture.y, size=3, color=GREY, line_color=None)
    fields = [choice.key if choice.things == "nodes" else "" for choice in choices]
    sizes = [key.replace("s", "size") if key.startswith("s") else "size0" for key in fields]
    draw = script(
        "colours", select=select, bars=bars, fields=fields, sizes=sizes, is_map=is_map, grey=GREY,
        **parts,
    )  # fmt: skip
    select.js_on_change("value", draw)
    return select, plot, draw


def _lines(
    plot: Any, picture: Picture, edges: tuple[Ranked, Table] | None, choices: Sequence[Choice]
) -> dict[str, Any]:
    """Edges as lines, which the script draws in ascending order of scores.

    A score of nodes colours a line on a map by the mean of its ends; text of nodes, if both agree.
    """
    every: dict[str, Any] = {"first": picture.starts[:-1], "last": picture.starts[1:]}
    every |= {f"t{k}": list(words) for k, words in enumerate(picture.texts.values())}
    keys = [f"{'m' * (choice.things == 'nodes')}{choice.key}" for choice in choices]
    for key, choice in zip(keys, choices, strict=True):
        values = np.asarray(choice.values)
        if choice.things == "edges":
            of_lines = values[picture.edges]
        elif values.dtype.kind == "U":
            tails, heads = values[picture.tails], values[picture.heads]
            of_lines = np.where(tails == heads, tails, "")
        elif picture.kind == "drawn":
            of_lines = np.full(len(picture.tails), np.nan)
        else:
            with np.errstate(invalid="ignore"):  # inf - inf
                of_lines = values[picture.tails] / 2 + values[picture.heads] / 2
        every[key] = of_lines.tolist() if values.dtype.kind == "U" else of_lines
    if (abs(picture.points) > np.finfo(np.float32).max).any():
        raise InputError("positions must be numbers that float32 can represent: scale them down")
    points = models.ColumnDataSource(
        dict(zip("xy", picture.points.T.astype(np.float32), strict=True))
    )
    drawn, marked = (models.ColumnDataSource({"xs": [], "ys": [], "width": []}) for _ in range(2))
    lines = plot.multi_line("xs", "ys", source=drawn, line_width="width", line_color=GREY)
    lines.selection_glyph = lines.nonselection_glyph = None
    if picture.arrows:
        _arrows(plot, picture)
    told = [(title, f"@t{k}") for k, title in enumerate(picture.texts)]
    formats: dict[str, str] = {}
    if edges is not None:
        ranked, table = edges
        every |= {f"b{k}": column.values[picture.edges] for k, column in enumerate(ranked.beside)}
        told, formats = tooltips(ranked, of_rows=False)
        plot.multi_line("xs", "ys", source=marked, line_color=PICKED, line_width=5)
        args = {"rows": table.rows, "hits": table.hits, "points": points, "marked": marked}
        table.picked.js_on_change("data", script("mark", **args))
        drawn.selected.js_on_change("indices", script("tap", rows=table.rows, drawn=drawn))
    if told:
        add_hover(plot, [lines], told, formats, limit=4)
    return {
        **{"lines": lines, "every": models.ColumnDataSource(every), "points": points, "keys": keys},
        "wide": 2 if len(picture.tails) > CROWD else 4,
    }


def _nodes(plot: Any, nodes: Ranked, table: Table, *, is_map: bool) -> list[Any]:
    """Points of area proportional to the score; picked ones have a ring and a label."""
    for k, column in enumerate(nodes.scores):
        scores = column.values[nodes.listed]
        share = np.clip(np.where(np.isfinite(scores), scores, 0), 0, None)
        share /= share.max(initial=0) or 1
        size = (3 if is_map else 7) + (5 if is_map else 13) * np.sqrt(share)
        table.rows.data[f"size{k}"] = size
        table.picked.data[f"size{k}"] = size[: len(table.picked.data["rank"])]
    points, ring = (
        plot.scatter("east", "north", source=source, size="size0", fill_color=fill, line_color=line,
                     line_width=width)
        for source, fill, line, width in (
            (table.rows, GREY, None if is_map else "white", 0.5), (table.picked, None, PICKED, 2)
        )
    )  # fmt: skip
    points.selection_glyph = points.nonselection_glyph = None
    names = label(plot, table, "east", "north", x_offset=11, y_offset=11, text_align="left")
    if is_map:  # no marks at first, but for picked rows and hits of a search
        ring.visible = names.visible = False
        args = {"rows": table.rows, "hits": table.hits, "ring": ring, "names": names}
        table.picked.js_on_change("data", script("ring", **args))
    add_hover(plot, [points], *tooltips(nodes), limit=4)
    return [points, ring]


def _choices(shown: Shown) -> list[Choice]:
    """Each score, then each text column with colours, without names."""
    scores, words = [], []
    for things, (ranked, _) in shown.items():
        for k, column in enumerate(ranked.scores):
            scores.append(Choice(column.label, things, f"s{k}", column.values, _mapper(column)))
        for k, (title, texts) in enumerate(ranked.texts.items()):
            mapper = _kinds(texts) if k >= ranked.ends else None
            if mapper is not None:
                words.append(Choice(title, things, f"t{k}", texts, mapper))
    return scores + words


def _kinds(texts: Sequence[str]) -> Any:
    """Colours of the most frequent texts, others grey; None if texts occur less than twice each."""
    every = palettes.Category20_20[::2] + palettes.Category20_20[1::2]
    palette = [
        colour for colour in every if not colour[1:3] == colour[3:5] == colour[5:]
    ]  # no grey
    counts = Counter(filter(None, texts))
    if not counts or 2 * len(counts) > counts.total():
        return None
    factors = [text for text, _ in counts.most_common(len(palette))]
    order = np.argsort(natural(factors))
    factors = [factors[k] for k in order]
    return models.CategoricalColorMapper(
        factors=factors, palette=palette[: len(factors)], nan_color=GREY
    )


def _width(mapper: Any) -> dict[str, int]:
    """Width option of the colour bar, enough for its texts side by side."""
    if not hasattr(mapper, "factors"):
        return {}
    return {"width": min(max(220, sum(8 * len(text) + 16 for text in mapper.factors)), 700)}


def _mapper(column: Column) -> Any:
    """Colours of scores, on the kind of scale of their axis."""
    axis, palette = scale(column.values), palettes.Magma256[LIGHT]
    finite = column.values[np.isfinite(column.values)]
    told = {"palette": palette, "nan_color": GREY}
    if axis.kind == "log":
        low, high = finite[finite > 0].min(), finite.max()
        return models.LogColorMapper(low=max(low, high / 10**DECADES), high=high, **told)
    low, high = (finite.min(), finite.max()) if finite.size else (0.0, 1.0)
    return models.LinearColorMapper(low=low, high=high if high > low else low + 1, **told)


def _arrows(plot: Any, picture: Picture) -> None:
    """Draw a triangle for the direction of each edge, a little past its middle."""
    is_link = picture.tails != picture.heads
    tails, heads = picture.tails[is_link], picture.heads[is_link]
    dx, dy = picture.x[heads] - picture.x[tails], picture.y[heads] - picture.y[tails]
    plot.scatter(
        picture.x[tails] + 0.6 * dx, picture.y[tails] + 0.6 * dy, marker="triangle", size=6,
        angle=np.arctan2(dy, dx) - np.pi / 2, color=GREY, line_color=None,
    )  # fmt: skip
