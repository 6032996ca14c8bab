"""Streets of a city by the trips that take them: all, short ones, and from homes to jobs."""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from matplotlib.collections import LineCollection
from matplotlib.colors import PowerNorm
from scipy.spatial import Delaunay, KDTree

from sparsebc import edge_betweenness

rng = np.random.default_rng(11)
corners = rng.random((1500, 2)) * 10  # km
# Two corners are joined if the circle between them is empty: a Gabriel graph.
triangles = Delaunay(corners).simplices
sides = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [0, 2]]])
pairs = np.unique(np.sort(sides), axis=0)
middle = corners[pairs].mean(axis=1)
length = np.linalg.norm(corners[pairs[:, 0]] - corners[pairs[:, 1]], axis=1)
streets = KDTree(corners).query(middle)[0] > length / 2 - 1e-12
pairs, length = pairs[streets], length[streets]
A = sp.csr_array((length, pairs.T), shape=(1500, 1500))

# People live around the middle of the city, and work there or by the harbour.
from_middle = np.linalg.norm(corners - [5, 5], axis=1)
homes = 200 * np.exp(-(((from_middle - 3) / 1.2) ** 2))
harbour = np.linalg.norm(corners - [9, 1.5], axis=1)
jobs = 300 * np.exp(-((from_middle / 0.8) ** 2)) + 150 * np.exp(-((harbour / 0.7) ** 2))
weights = {"source_weights": homes.round(), "target_weights": jobs.round()}
run = {"directed": False, "weighted": True, "device": "cpu"}

figure, panels = plt.subplots(1, 3, figsize=(14, 4.6), layout="constrained")
for axes, asked, title in (
    (panels[0], {}, "between all corners"),
    (panels[1], {"cutoff": 1.5}, "of at most 1.5 km"),
    (panels[2], weights, "from homes (blue) to jobs (green)"),
):
    scores = edge_betweenness(A, **asked, **run).tocoo()
    order = np.argsort(scores.data)
    ends = corners[np.column_stack([scores.row, scores.col])[order]]
    share = scores.data[order]
    drawn = LineCollection(
        ends,
        array=share,
        norm=PowerNorm(0.5),
        cmap="magma_r",
        linewidths=0.5 + 4 * share / share[-1],
    )
    axes.add_collection(drawn)
    if asked is weights:
        axes.scatter(*corners.T, s=homes / 10, color="#4c78a8", linewidths=0, zorder=3)
        axes.scatter(*corners.T, s=jobs / 6, color="#54a24b", linewidths=0, zorder=3)
    figure.colorbar(drawn, label="share of all trips", shrink=0.7)
    axes.set(xlim=(0, 10), ylim=(0, 10), aspect="equal", title=title, xlabel="km", ylabel="km")
