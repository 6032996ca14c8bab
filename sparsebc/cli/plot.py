"""Plot of degrees against scores, by Matplotlib."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError, imported
from ..io import destination


def check(path: str | os.PathLike[str]) -> None:
    """Raise, before the computation, what `degree_against_score` would raise for this path."""
    missing = "a plot needs Matplotlib, which is not installed: python -m pip install matplotlib"
    canvas = imported("matplotlib.backend_bases", missing).FigureCanvasBase
    formats = canvas.get_supported_filetypes()
    if Path(path).suffix[1:].lower() not in formats:
        raise InputError(f"{path}: the suffix of a plot must be one of {', '.join(formats)}")


def degree_against_score(
    path: str | os.PathLike[str],
    degrees: ArrayLike,
    scores: ArrayLike,
    names: Sequence[str],
    top: int = 10,
    label: str = "betweenness",
) -> None:
    """Plot the score of each node against its degree, on logarithmic axes that show zero too.

    Parameters
    ----------
    path : str or path-like
        Where to write; the suffix decides the format: png, pdf, svg or another of Matplotlib's.
    degrees, scores : array, shape (n,)
        Not negative; a node whose score is not finite is left out.
    names : sequence of str, length n
        Names of the nodes.
    top : int
        Number of nodes of highest score to label; a node without room for a label has none.
    label : str
        Name of the scores.

    Raises
    ------
    ImportError
        If Matplotlib is not installed.
    ValueError
        If Matplotlib has no format of this suffix.
    OSError
        If the file cannot be written.
    """
    check(path)
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    points = np.column_stack([np.asarray(degrees, float), np.asarray(scores, float)])
    order = np.argsort(-points[:, 1], kind="stable")
    order = order[np.isfinite(points[order, 1])]
    points = points[order]
    x, y = points.T
    size, alpha = (24, 0.6) if len(points) < 1000 else (8, 0.2)

    figure = Figure(figsize=(7, 5), dpi=200, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.add_subplot(xlabel="degree", ylabel=label)
    axes.scatter(x[top:], y[top:], s=size, c="#4c78a8", alpha=alpha, linewidths=0, rasterized=True)
    axes.scatter(x[:top], y[:top], s=26, c="#d1495b", edgecolors="white", linewidths=0.6, zorder=3)
    _scale(axes, "x", x)
    _scale(axes, "y", y)
    axes.xaxis.set_major_formatter("{x:g}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    figure.draw_without_rendering()  # fixes the layout, and so the coordinates of the points
    _annotate(axes, points[:top], [names[v] for v in order[:top]])
    with destination.writing(path) as file:
        figure.savefig(file, format=Path(path).suffix[1:].lower())


def _scale(axes: Any, axis: str, values: NDArray[np.float64]) -> None:
    """Set a logarithmic axis with room for labels; zeros lie half a decade below the rest."""
    positive = values[values > 0]
    if not positive.size:
        return
    least, most = positive.min(), positive.max()
    room, decade = max(most / least, 10.0) ** 0.1, 10 ** np.floor(np.log10(least))
    set_scale = getattr(axes, f"set_{axis}scale")
    set_scale("symlog", linthresh=decade, linscale=0.5, subs=range(2, 10))
    lowest = -decade / 2 if positive.size < values.size else least / np.sqrt(room)
    axes.set(**{f"{axis}lim": (lowest, most * room)})


def _annotate(axes: Any, points: NDArray[np.float64], names: Sequence[str]) -> None:
    """Label points without overlaps, at small offsets, nearer to their point than to others.

    Coordinates are those of the page, in typographic points.
    """
    from matplotlib.font_manager import FontProperties
    from matplotlib.patheffects import withStroke

    font, unit = FontProperties(size=8.5), axes.figure.dpi / 72
    halo = [withStroke(linewidth=2.5, foreground="white")]
    line = {"arrowstyle": "-", "linewidth": 0.6, "shrinkA": 0, "shrinkB": 3}
    places = axes.transData.transform(points) / unit
    low, high = places - 4, places + 4  # corners of the boxes drawn: points, then labels and lines
    steps = (1, 0.5, 0, -0.5, -1)
    compass = [(x, y) for x in steps for y in sorted(steps, key=abs) if 1 in (abs(x), abs(y))]
    directions, distances = np.tile(compass, (4, 1)), np.repeat([6, 14, 26, 42], len(compass))
    for k, name in enumerate(names):
        extent = axes.figure.canvas.get_renderer().get_text_width_height_descent(name, font, False)
        half = np.array(extent[:2]) / (2 * unit) + 1
        offsets = directions * (distances[:, None] + half)
        centres = places[k] + offsets
        lower, upper = centres - half, centres + half
        lines = places[k] + np.linspace(0.2, 0.9, 9)[:, None] * offsets[:, None]
        spots = lines[:, :, None]
        outside = (lower < axes.bbox.min / unit) | (upper > axes.bbox.max / unit)
        touching = ((lower[:, None] < high) & (upper[:, None] > low)).all(axis=2)
        crossing = ((spots > low) & (spots < high)).all(axis=3)
        crossing[:, :, ((places[k] > low) & (places[k] < high)).all(axis=1)] = False
        away = np.linalg.norm(centres[:, None] - places, axis=2)
        cost = distances + 20.0 * np.count_nonzero(away < away[:, [k]], axis=1)
        cost[outside.any(axis=1) | touching.any(axis=1) | crossing.any(axis=(1, 2))] = np.inf
        best = int(np.argmin(cost))
        if np.isinf(cost[best]):
            continue
        way = lines[best] if distances[best] > distances[0] else lines[best, :0]
        low, high = np.vstack([low, lower[best], way - 3]), np.vstack([high, upper[best], way + 3])
        axes.annotate(
            name, points[k], offsets[best], textcoords="offset points", font=font, parse_math=False,
            ha="center", va="center", zorder=4, in_layout=False, path_effects=halo,
            arrowprops=line if len(way) else None,
        )  # fmt: skip
