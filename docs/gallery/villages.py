"""Villages are found by taking away the busiest paths, and modularity tells when to stop."""

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp
from scipy.spatial import Delaunay

from sparsebc.communities import partition

rng = np.random.default_rng(2)
angles = 2 * np.pi * np.arange(6) / 6
centres = np.vstack([[0, 0], np.column_stack([np.cos(angles), np.sin(angles)])])
village = np.repeat(np.arange(7), 18)
places = centres[village] + rng.normal(scale=0.12, size=(len(village), 2))
triangles = Delaunay(places).simplices
pairs = np.vstack([triangles[:, [0, 1]], triangles[:, [1, 2]], triangles[:, [0, 2]]])
pairs = np.unique(np.sort(pairs), axis=0)
apart = np.linalg.norm(places[pairs[:, 0]] - places[pairs[:, 1]], axis=1)
within = village[pairs[:, 0]] == village[pairs[:, 1]]
pairs = pairs[within & (apart < 0.3) | ~within & (rng.random(len(pairs)) < 0.4)]
A = sp.csr_array((np.ones(len(pairs)), pairs.T), shape=(len(village),) * 2)
found = partition(A, device="cpu")

figure, (curve, land) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
best = found.modularity.argmax()
curve.plot(found.parts, found.modularity, color="#4c78a8")
curve.plot(found.parts[best], found.modularity[best], "o", color="#e4863b")
curve.set(xlabel="communities", ylabel="modularity")
land.plot(*places[pairs].transpose(2, 1, 0), color="lightgrey", linewidth=0.8, zorder=0)
land.scatter(*places.T, s=18, c=found.labels, cmap="tab10")
land.set(aspect="equal", xticks=[], yticks=[])
land.set_title(f"{found.parts[best]} communities", fontsize=10)
