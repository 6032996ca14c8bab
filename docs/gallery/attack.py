"""How soon streets fall apart when crossings are closed, in three orders."""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components
from scipy.spatial import Delaunay, KDTree

from sparsebc import dismantle

n, steps = 600, 120
rng = np.random.default_rng(5)
places = rng.random((n, 2))
triangles = Delaunay(places).simplices
sides = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [0, 2]]])
pairs = np.unique(np.sort(sides), axis=0)
apart = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
pairs = pairs[KDTree(places).query(places[pairs].mean(axis=1))[0] > apart / 2 - 1e-12]
A = sp.csr_array((np.ones(len(pairs)), pairs.T), shape=(n, n))


def by_chance(seed):
    """Largest component as nodes go in a random order."""
    order, left = np.random.default_rng(seed).permutation(n), []
    for count in range(1, steps + 1):
        kept = np.sort(order[count:])
        left.append(np.bincount(connected_components(A[kept][:, kept])[1]).max())
    return left


run = {"steps": steps, "directed": False, "device": "cpu"}
anew = dismantle(A, **run)
once = dismantle(A, recompute=False, **run)
curves = {
    "at random": np.mean([by_chance(seed) for seed in range(5)], axis=0),
    "highest betweenness at first": once.largest,
    "highest betweenness of what is left": anew.largest,
}

figure, (curve, city) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
removed = np.arange(1, steps + 1) / n
for (name, left), colour in zip(curves.items(), ["#54a24b", "#4c78a8", "#e4863b"], strict=True):
    curve.plot(removed, left / n, color=colour, label=name)
curve.set(xlabel="share of the crossings closed", ylabel="largest component, share of all")
curve.set(ylim=(0, 1))
curve.legend(frameon=False)
closed = anew.order[: int(np.argmax(anew.largest < n / 2)) + 1]
city.plot(*places[pairs].transpose(2, 1, 0), color="lightgrey", linewidth=0.8)
city.scatter(*places[closed].T, s=14, color="#e4863b", zorder=2)
city.set(aspect="equal", xticks=[], yticks=[])
city.set_title(f"with these {len(closed)} closed, no part has half of all", fontsize=10)
