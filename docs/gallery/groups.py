"""Groups of proteins that meet most shortest paths, chosen in three ways."""

import matplotlib.pyplot as plt
import numpy as np

from sparsebc import betweenness, datasets, group_betweenness, part_of, prominent_group

matrix, names = datasets.load("human-proteins")
busy = np.argsort(-np.diff(matrix.tocsr().indptr), kind="stable")[:700]
matrix, inside = part_of(matrix.tocsr()[busy][:, busy], largest_component=True)
degree, size = np.diff(matrix.indptr), 12
run = {"directed": False, "device": "cpu"}

found = prominent_group(matrix, size, **run)
orders = {
    "highest degree": np.argsort(-degree, kind="stable"),
    "highest betweenness": np.argsort(-betweenness(matrix, **run), kind="stable"),
}
nested = [order[:count] for order in orders.values() for count in range(1, size + 1)]
curves = group_betweenness(matrix, nested, endpoints=True, **run).reshape(len(orders), size)

figure, axes = plt.subplots(figsize=(7, 4.5), layout="constrained")
sizes = np.arange(1, size + 1)
axes.plot(sizes, found.scores, "o-", color="#e4863b", label="prominent group")
for (name, _), curve, colour in zip(orders.items(), curves, ["#54a24b", "#4c78a8"], strict=True):
    axes.plot(sizes, curve, ".-", color=colour, label=name)
axes.axhline(found.bound, color="grey", linestyle=":")
axes.text(1, found.bound, f"no group of {size} is above", va="bottom", color="grey", fontsize=9)
axes.set(xlabel="proteins in the group", ylabel="share of the pairs whose paths meet it")
axes.set(xticks=sizes, ylim=(0, None))
axes.legend(frameon=False)
