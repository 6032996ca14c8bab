"""Columns of a page in the browser, and the rows picked from them; scales, scripts, styles."""

import re
from collections.abc import Sequence
from importlib import resources
from typing import Any, NamedTuple

import numpy as np
from bokeh import models
from numpy.typing import NDArray

from .content import Picture, Ranked

# Rows labelled while none is picked; most picked rows that are drawn, and that are labelled.
BEST, DRAWN, LABELLED = 3, 200, 12
# Sides and offsets of successive labels, so that neighbours seldom cover each other.
AROUND = {"side": ("right", "left", "left", "right"), "right": (-8, 8, 8, -8), "up": (8, 8, -8, -8)}


_RUNS = re.compile(r"\d{1,18}|\D+")


class Scale(NamedTuple):
    """Scale of an axis."""

    kind: str  # "log" or "linear"
    zero: float | None  # position of zero on a logarithmic axis, if zero occurs
    low: float
    high: float


class Table(NamedTuple):
    """Ranked rows in the browser.

    `rows` has all listed rows, `hits` filters them by a search, and `picked` has the marked ones.
    Columns are ``rank``, ``t0``, ... of text, ``o0``, ... of its order, ``s0``, ... of scores,
    ``b0``, ... of other numbers, and ``degree``; ``x``, ``y0``, ... and ``e0``, ... are degree,
    scores and expectations as positions on an axis.
    """

    rows: Any
    hits: Any
    picked: Any
    scales: list[Scale]
    across: Scale


def read(name: str) -> str:
    """Text of a file of this package."""
    return (resources.files(__package__) / name).read_text("utf-8")


def script(name: str, /, **arguments: Any) -> Any:
    """Callback for the browser: a script of this package with its arguments."""
    return models.CustomJS(args=arguments, code=read(f"{name}.js"))


def styled(name: str, words: str = "") -> list[Any]:
    """Style sheet of this package, with the selector ``words`` in place of ``.words``."""
    return [models.InlineStyleSheet(css=read(f"{name}.css").replace(".words", words))]


def scale(values: NDArray[np.float64], *, ratio: float = 100.0) -> Scale:
    """Scale of an axis: logarithmic if the maximum exceeds `ratio` times the 10 % quantile.

    The quantile is that of the positive numbers; negative numbers make the scale linear.
    """
    finite = values[np.isfinite(values)]
    positive = finite[finite > 0]
    if not finite.size:
        return Scale("linear", None, 0.0, 1.0)
    tenth = np.quantile(positive, 0.1) if positive.size else 1.0
    if not positive.size or positive.max() / ratio <= tenth or (finite < 0).any():
        low, high, most = min(0.0, float(finite.min())), float(finite.max()), np.finfo(float).max
        room = 0.05 * (high - low or 1.0)
        return Scale("linear", None, max(low - room, -most), min(high + room, most))
    low, high = np.log(positive.min()), np.log(positive.max())
    room = 0.06 * (high - low)
    zero = low - 2 * room if positive.size < finite.size else None
    least = low if zero is None else zero
    return Scale("log", None if zero is None else _exp(zero), _exp(least - room), _exp(high + room))


def _exp(power: float) -> float:
    """Exponential, clipped to the range of floats."""
    return float(np.exp(np.clip(power, -708, 709)))


def drawn(values: NDArray[np.float64], axis: Scale) -> NDArray[np.float64]:
    """Positions of numbers on an axis; NaN if they have none."""
    positions = np.where(np.isfinite(values), values, np.nan)
    if axis.kind == "log":
        positions[positions == 0] = np.nan if axis.zero is None else axis.zero
    return positions


def table(ranked: Ranked, picture: Picture | None) -> Table:
    """The listed rows in the browser, with the best ones picked at first."""
    across = scale(ranked.degree.values, ratio=20)
    expected = {k: model.mean for k, model in ranked.expected.items()}
    scales = [
        scale(np.concatenate((column.values, expected.get(k, ()))))
        for k, column in enumerate(ranked.scores)
    ]
    at, texts = ranked.listed, list(ranked.texts.values())
    data: dict[str, Any] = {
        "rank": np.arange(1, len(at) + 1, dtype=np.int32),
        **{f"t{k}": [text[v] for v in at] for k, text in enumerate(texts)},
        **{f"o{k}": natural([text[v] for v in at]) for k, text in enumerate(texts)},
        **{field: column.values[at] for field, column in ranked.numbers.items()},
        "degree": ranked.degree.values[at],
        "x": drawn(ranked.degree.values, across)[at],
    }
    for k, (column, axis) in enumerate(zip(ranked.scores, scales, strict=True)):
        data[f"y{k}"] = drawn(column.values, axis)[at]
        if k in expected:
            data[f"e{k}"] = drawn(expected[k], axis)[at]
    if picture is not None and ranked.ends == 1:
        data["east"], data["north"] = picture.x[at], picture.y[at]
    elif picture is not None:
        line_of = np.full(len(ranked.degree.values), -1)
        line_of[picture.edges] = np.arange(len(picture.edges))
        line = line_of[at]  # -1 for an edge that is not drawn: an empty range, from p to 0
        data |= {"line": line, "first": picture.starts[line], "last": picture.starts[line + 1]}
    rows = models.ColumnDataSource(data)
    best = {key: values[:BEST] for key, values in data.items()}
    names = [f"t{k}" for k in range(ranked.ends)]
    labels = [" – ".join(row) for row in zip(*(best[name] for name in names), strict=True)]
    around = {key: list(values[: len(labels)]) for key, values in AROUND.items()}
    picked = models.ColumnDataSource({**best, "label": labels, **around})
    hits = models.IndexFilter(indices=None)  # all rows
    pick = script(
        "pick", rows=rows, hits=hits, picked=picked, names=names, around=AROUND, best=BEST,
        drawn=DRAWN, labelled=LABELLED,
    )  # fmt: skip
    rows.selected.js_on_change("indices", pick)
    hits.js_on_change("indices", pick)
    return Table(rows, hits, picked, scales, across)


def natural(texts: Sequence[str]) -> NDArray[np.int32]:
    """Rank of each text in natural order: numbers in it by value, letters without case."""
    keys = [
        [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in _RUNS.findall(text)]
        for text in map(str.casefold, texts)
    ]
    order = sorted(range(len(texts)), key=keys.__getitem__)
    ranks = np.empty(len(texts), dtype=np.int32)
    ranks[order] = np.arange(len(texts))
    return ranks
