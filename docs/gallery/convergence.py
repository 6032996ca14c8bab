"""Approximate scores closing in on the exact ones, with the band that is guaranteed."""

import matplotlib.pyplot as plt
import numpy as np

from sparsebc import approximate_betweenness, betweenness, datasets

matrix, names = datasets.load("human-proteins")
run = {"directed": False, "device": "cpu"}
exact = betweenness(matrix, **run)
shown = np.argsort(-exact)[[0, 40, 150]]
nears = [
    approximate_betweenness(matrix, epsilon=e, rng=1, **run) for e in np.geomspace(0.3, 0.01, 9)
]
samples = [near.samples for near in nears]

figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
for v, colour in zip(shown, ["#4c78a8", "#e4863b", "#54a24b"], strict=True):
    score = np.array([near.scores[v] for near in nears])
    half = np.array([near.half_widths[v] for near in nears])
    low, high = np.maximum(score - half, 0), np.minimum(score + half, 1)  # no score is outside
    axes.fill_between(samples, low, high, color=colour, alpha=0.25, linewidth=0)
    axes.plot(samples, score, ".-", color=colour, label=names[v])
    axes.axhline(exact[v], color=colour, linestyle=":")
axes.set(xscale="log", ylim=(0, None), xlabel="sources sampled", ylabel="betweenness")
axes.minorticks_off()
axes.set_xticks(samples[::2], samples[::2])
axes.legend(title="dotted: exact", frameon=False)
