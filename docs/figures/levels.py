"""Levels of a search from one source, and the two products between two of them."""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

from sparsebc.engines.common.base import Sweep
from sparsebc.engines.common.sums import Batch
from sparsebc.engines.reference.columns import Columns
from sparsebc.engines.reference.engine import ReferenceWorkspace
from sparsebc.engines.reference.updates import HOST
from sparsebc.matrix.read_matrix import canonical

EDGES = [(0, 1), (0, 2), (1, 3), (1, 4), (2, 4), (2, 5), (3, 6), (4, 6), (4, 7), (5, 7)]
SIDEWAYS = [(1, 2), (7, 3)]  # on no shortest path from node 0
DEPTH = 1  # the products between this level and the next
COLOURS = ["#bbbbbb", "#4477aa", "#cc6677", "#bbbbbb"]
STEP = "#ddaa33"

n = 8
tails, heads = np.transpose(EDGES + SIDEWAYS)
A = sp.csr_array((np.ones(tails.size), (tails, heads)), shape=(n, n))

# The algebra itself, one source in one column.
sums = {"omega": np.ones(n), "sums": frozenset({"dependency"})}
sweep = Sweep("algebra of paths", 1, **sums)
workspace = ReferenceWorkspace(HOST, canonical(A), sweep, np.zeros(1, dtype=np.uint8))
batch = Columns(workspace, Batch(np.zeros(1, dtype=np.int32), np.ones(1), clustered=True))
depth = 0
while batch.forward(depth):
    depth += 1
level, sigma = batch.level[:, 0], batch.sigma[:, 0].copy()
for d in range(depth, -1, -1):
    batch.backward(d, 0)
g, delta = batch.sigma[:, 0], batch.sums["dependency"][0]
here, following = level == DEPTH, level == DEPTH + 1

figure = plt.figure(figsize=(9.6, 7.8), layout="constrained")
above, forward, backward = figure.subplot_mosaic(
    [["levels", "levels"], ["forward", "backward"]], height_ratios=[6, 6]
).values()

places = {
    v: (2.2 * d, 1.1 * (i - (row.size - 1) / 2))
    for d in range(4)
    for row in [np.flatnonzero(level == d)[::-1]]
    for i, v in enumerate(row)
}
for u, v in EDGES + SIDEWAYS:
    step = level[u] == DEPTH and level[v] == DEPTH + 1
    away = (u, v) in SIDEWAYS
    above.annotate(
        "",
        places[v],
        places[u],
        arrowprops={
            "arrowstyle": "-|>",
            "color": STEP if step else "#999999",
            "linewidth": 2.5 if step else 1.2,
            "linestyle": ":" if away else "-",
            "shrinkA": 13,
            "shrinkB": 13,
        },
    )
for v, (x, y) in places.items():
    above.scatter(x, y, s=560, color=COLOURS[level[v]], zorder=2)
    above.text(x, y, str(v), ha="center", va="center", color="white", weight="bold")
    text = rf"$\sigma={sigma[v]:g}$" + (rf",  $\delta={delta[v]:.3g}$" if v else "")
    box = {"facecolor": "white", "edgecolor": "none", "pad": 0.5}
    above.text(x, y + 0.36, text, ha="center", size=9, bbox=box)
for d in range(4):
    above.text(2.2 * d, 1.95, f"$F_{d}$", ha="center", size=13, color="#555555")
above.set(xlim=(-0.8, 7.4), ylim=(-1.5, 2.2))
above.set_title("levels of the search from node 0; dotted edges are on no shortest path", size=11)


def draw(axes, matrix, x, result, rows, columns, title, left, right):
    """Draw matrix @ x<columns> = result<rows>, entry by entry."""
    axes.add_patch(plt.Rectangle((0, 0), n, n, fill=False, edgecolor="#555555"))
    for i, j in zip(*matrix.nonzero(), strict=True):
        used = rows[i] and columns[j]
        axes.add_patch(
            plt.Rectangle((j, i), 1, 1, facecolor=STEP if used else "#dddddd", edgecolor="white")
        )
    for at, values, mask in ((n + 1, x, columns), (n + 4.4, result, rows)):
        axes.add_patch(plt.Rectangle((at, 0), 1.7, n, fill=False, edgecolor="#555555"))
        for i in np.flatnonzero(mask):
            colour = COLOURS[level[i]]
            axes.add_patch(plt.Rectangle((at, i), 1.7, 1, facecolor=colour, edgecolor="white"))
            axes.text(
                at + 0.85,
                i + 0.5,
                f"{values[i]:.3g}",
                ha="center",
                va="center",
                color="white",
                size=9,
            )
    for i in range(n):
        axes.text(-0.3, i + 0.5, str(i), ha="right", va="center", size=8, color="#555555")
        axes.text(i + 0.5, -0.2, str(i), ha="center", va="bottom", size=8, color="#555555")
    axes.text(n + 3.55, n / 2, "=", ha="center", va="center", size=15)
    for at, label in ((n / 2, title), (n + 1.85, left), (n + 5.25, right)):
        axes.text(at, n + 0.9, label, ha="center", va="center", size=12)
    axes.set(xlim=(-1, n + 6.4), ylim=(n + 1.6, -1.2), aspect="equal")


draw(
    forward,
    A.T,
    sigma,
    sigma,
    following,
    here,
    "$A'$",
    rf"$\sigma\langle F_{DEPTH}\rangle$",
    rf"$\sigma\langle F_{DEPTH + 1}\rangle$",
)
draw(
    backward,
    A,
    g,
    A @ np.where(following, g, 0),
    here,
    following,
    "$A$",
    rf"$g\langle F_{DEPTH + 1}\rangle$",
    rf"$\delta/\sigma\ \langle F_{DEPTH}\rangle$",
)
forward.set_title("forward: a row gathers along the edges into it", size=11)
backward.set_title("backward: a row gathers along the edges out of it", size=11)
for axes in (above, forward, backward):
    axes.set_axis_off()
