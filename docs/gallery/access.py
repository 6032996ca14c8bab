"""Corners of a city by the jobs within reach, for each who lives there, and the way to school."""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from matplotlib.collections import LineCollection
from scipy.spatial import Delaunay, KDTree

from sparsebc import accessibility, nearest

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
schools = rng.random(1500) < 0.01
run = {"directed": False, "weighted": True, "device": "cpu"}

places = np.column_stack((jobs, homes))
reached, people = accessibility(A, places, decay=("exponential", 1.2), cutoff=4, **run).T
second = nearest(A, schools, 2, **run)

figure, panels = plt.subplots(1, 3, figsize=(14, 4.6), layout="constrained")
for axes, values, title, unit in (
    (panels[0], reached, "jobs within reach", "jobs, by distance"),
    (panels[1], reached / people, "for each inhabitant within reach", "jobs an inhabitant"),
    (panels[2], second, "to the second nearest school", "km"),
):
    axes.add_collection(LineCollection(corners[pairs], colors="#cccccc", linewidths=0.6))
    drawn = axes.scatter(*corners.T, c=values, s=9, cmap="viridis", zorder=2)
    figure.colorbar(drawn, label=unit, shrink=0.7)
    axes.set(xlim=(0, 10), ylim=(0, 10), aspect="equal", title=title, xlabel="km", ylabel="km")
panels[2].scatter(*corners[schools].T, marker="^", color="#d62728", s=40, zorder=3)
