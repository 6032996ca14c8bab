"""A protein network's measures against each other."""

import matplotlib.pyplot as plt
import numpy as np

from sparsebc import centralities, closeness, datasets, harmonic

matrix, names = datasets.load("human-protein-hein2015")
run = {"directed": False, "device": "cpu"}
scores = {
    "degree": matrix.count_nonzero(axis=0),
    **centralities(matrix, ["betweenness", "stress"], **run),
    "closeness": closeness(matrix, **run),
    "harmonic": harmonic(matrix, **run),
}
inner = scores["betweenness"] > 0  # on logarithmic axes
scores = {measure: values[inner] for measure, values in scores.items()}
measures = list(scores)
figure, panels = plt.subplots(5, 5, figsize=(8, 8), layout="constrained")
for (i, j), panel in np.ndenumerate(panels):
    x, y = scores[measures[j]], scores[measures[i]]
    if i == j:
        panel.hist(np.log10(x), bins=30, color="#4c78a8")
        panel.set_xlabel(f"log10 {measures[i]}", fontsize=7)
    elif i > j:
        panel.scatter(x, y, s=2, alpha=0.3, c=scores["degree"], norm="log")
        panel.loglog()
    else:
        ranks = np.argsort(np.argsort([x, y], axis=1), axis=1)
        panel.text(0.5, 0.5, f"{np.corrcoef(ranks)[0, 1]:.2f}", ha="center", va="center")
        panel.set_axis_off()
    panel.tick_params(which="both", labelsize=5)
for i, measure in enumerate(measures):
    panels[i, 0].set_ylabel(measure, fontsize=8)
