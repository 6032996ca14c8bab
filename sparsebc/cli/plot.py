"""Plot of degrees against scores, by Matplotlib."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ..io.output_file import writing

LABELS = 10  # most nodes with a label


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
        Number of nodes of highest score to mark; the first ten are labelled.
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
    for axis, values in (("x", x), ("y", y)):
        positive = values[values > 0]
        if not positive.size:
            continue
        # Logarithmic, with room for labels; zeros lie half a decade below the rest.
        least, most = positive.min(), positive.max()
        room, decade = max(most / least, 10.0) ** 0.1, 10 ** np.floor(np.log10(least))
        set_scale = getattr(axes, f"set_{axis}scale")
        set_scale("symlog", linthresh=decade, linscale=0.5, subs=range(2, 10))
        lowest = -decade / 2 if positive.size < values.size else least / np.sqrt(room)
        axes.set(**{f"{axis}lim": (lowest, most * room)})
    axes.xaxis.set_major_formatter("{x:g}")
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(color="0.92", linewidth=0.6)
    axes.set_axisbelow(True)
    thread = {"arrowstyle": "-", "linewidth": 0.4, "color": "0.6", "shrinkA": 1, "shrinkB": 3}
    for k, (point, v) in enumerate(zip(points[:top], order[:LABELS], strict=False)):
        axes.annotate(
            names[v], point, (1.04, 0.97 - 0.05 * k), textcoords="axes fraction", fontsize=8.5,
            va="center", parse_math=False, arrowprops=thread,
        )  # fmt: skip
    with writing(path) as file:
        figure.savefig(file, format=Path(path).suffix[1:].lower())
