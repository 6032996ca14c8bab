"""A road network on two banks of a river, each road coloured by its betweenness."""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from matplotlib.collections import LineCollection
from matplotlib.colors import PowerNorm
from scipy.spatial import Delaunay, KDTree

from sparsebc import edge_betweenness

rng = np.random.default_rng(4)
places = rng.random((2500, 2))
# Two places are neighbours if the circle between them is empty: a Gabriel graph.
triangles = Delaunay(places).simplices
sides = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [0, 2]]])
pairs = np.unique(np.sort(sides), axis=0)
middle = places[pairs].mean(axis=1)
apart = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
pairs = pairs[KDTree(places).query(middle)[0] > apart / 2 - 1e-12]
# The river takes away all roads that cross it, but for three bridges.
bank = places[:, 1] > 0.5 + 0.12 * np.sin(6 * places[:, 0])
crossing = np.flatnonzero(bank[pairs[:, 0]] != bank[pairs[:, 1]])
middle = places[pairs[crossing]].mean(axis=1)
bridges = [crossing[abs(middle[:, 0] - x).argmin()] for x in (0.2, 0.55, 0.9)]
pairs = np.delete(pairs, np.setdiff1d(crossing, bridges), axis=0)

matrix = sp.csr_array((np.ones(len(pairs)), pairs.T), shape=(2500, 2500))
scores = edge_betweenness(matrix, directed=False, device="cpu").tocoo()
order = np.argsort(scores.data)
roads = places[np.column_stack([scores.row, scores.col])[order]]
traffic = scores.data[order] / scores.data.max()

figure, axes = plt.subplots(figsize=(8, 7), layout="constrained")
drawn = LineCollection(
    roads,
    array=scores.data[order],
    norm=PowerNorm(0.5),
    cmap="magma_r",
    linewidths=0.6 + 5 * traffic,
)
axes.add_collection(drawn)
figure.colorbar(drawn, label="edge betweenness: share of all pairs", shrink=0.7)
axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=[], yticks=[])
