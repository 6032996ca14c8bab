"""Airports of the United States by betweenness; run as a script, it draws ``airports.png`` anew."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.collections import LineCollection
from matplotlib.patheffects import withStroke
from PIL import Image

from sparsebc import betweenness, datasets

HERE = Path(__file__).parent
NAMED = 5  # airports with a label


def draw():
    """A map of the contiguous states: an area and a colour by score, a line for each route."""
    matrix = datasets.load("us-flights")[0]
    nodes = datasets.nodes("us-flights")
    scores = betweenness(matrix)
    places = np.column_stack([nodes["longitude"], nodes["latitude"]]).astype(float)
    shown = (places[:, 0] > -128) & (places[:, 0] < -65) & (places[:, 1] > 23)

    routes = matrix.tocoo()
    both = shown[routes.row] & shown[routes.col] & (routes.row < routes.col)
    lines = places[np.column_stack([routes.row, routes.col])[both]]

    figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
    axes.add_collection(LineCollection(lines, colors="#4477aa", linewidths=0.3, alpha=0.18))
    order = np.flatnonzero(shown)[np.argsort(scores[shown])]
    axes.scatter(
        *places[order].T, s=3 + 1200 * scores[order], c=np.sqrt(scores[order]),
        cmap="viridis_r", edgecolors="white", linewidths=0.5, zorder=2,
    )  # fmt: skip
    for node in order[-NAMED:]:
        axes.annotate(
            f"{nodes['city'][node].split('-')[0]} {scores[node]:.3f}", places[node], (0, 10),
            textcoords="offset points", ha="center", size=10, weight="bold",
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )  # fmt: skip
    axes.set_aspect(1.25)
    axes.set_axis_off()
    axes.autoscale_view()
    return figure


if __name__ == "__main__":
    file = HERE.parent / "_static" / "airports.png"
    draw().savefig(file, dpi=165)
    Image.open(file).convert("RGB").quantize(200, method=Image.Quantize.FASTOCTREE).save(
        file, optimize=True
    )
