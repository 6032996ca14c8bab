"""A protein network's measures against each other."""

import matplotlib.pyplot as plt
import numpy as np

from sparsebc import betweenness, closeness, datasets

matrix, names = datasets.load("human-proteins")
run = {"directed": False, "device": "cpu"}
scores = {
    "degree": matrix.count_nonzero(axis=0),
    "betweenness": betweenness(matrix, **run),
    "closeness": closeness(matrix, **run),
}
inner = scores["betweenness"] > 0  # on logarithmic axes
scores = {measure: values[inner] for measure, values in scores.items()}
measures = list(scores)
scale = {"degree": "log", "betweenness": "log", "closeness": "linear"}
figure, panels = plt.subplots(3, 3, figsize=(6, 6), layout="constrained")
for (i, j), panel in np.ndenumerate(panels):
    x, y = scores[measures[j]], scores[measures[i]]
    if i == j:
        bins = np.geomspace if scale[measures[i]] == "log" else np.linspace
        panel.hist(x, bins=bins(x.min(), x.max(), 31), color="#4c78a8")
        panel.set_xscale(scale[measures[j]])
    elif i > j:
        panel.scatter(x, y, s=2, alpha=0.3, c=scores["degree"], norm="log")
        panel.set(xscale=scale[measures[j]], yscale=scale[measures[i]])
    else:
        ranks = np.argsort(np.argsort([x, y], axis=1), axis=1)
        text = f"rank correlation\n{np.corrcoef(ranks)[0, 1]:.2f}"
        panel.text(0.5, 0.5, text, ha="center", va="center")
        panel.set_axis_off()
    panel.tick_params(which="both", labelsize=7)
for i, measure in enumerate(measures):
    panels[i, 0].set_ylabel("proteins" if i == 0 else measure)
    panels[-1, i].set_xlabel(measure)
    panels[i, i].set_title(measure)
