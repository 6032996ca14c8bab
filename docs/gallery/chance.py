"""Scores of a club's members beside those that their numbers of friends explain."""

import matplotlib.pyplot as plt
import numpy as np

from sparsebc import datasets, null_model

A, names = datasets.load("karate")
found = null_model(A, samples=999, rng=1, directed=False, device="cpu")
prominent = np.flatnonzero(found.p < 0.01)

figure, axes = plt.subplots(figsize=(7, 5), layout="constrained")
limits = np.abs([found.low, found.high] - found.mean)
axes.errorbar(found.mean, found.score, xerr=limits, fmt="none", ecolor="#cccccc", zorder=0)
drawn = axes.scatter(found.mean, found.score, c=found.z, s=26, cmap="coolwarm", vmin=-5, vmax=5)
figure.colorbar(drawn, label="standard score z")
most = found.score.max() * 1.05
axes.plot([0, most], [0, most], color="#888888", linewidth=0.8)
for v in prominent:
    axes.annotate(names[v], (found.mean[v], found.score[v]), (6, 4), textcoords="offset points")
axes.set(xlabel="betweenness expected by degree, and 95% of the samples", ylabel="betweenness")
