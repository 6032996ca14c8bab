"""A graph that falls apart: trees folded, blocks apart, and of twins one swept for all."""

from unittest import mock

import matplotlib.pyplot as plt
import numpy as np
import scipy.sparse as sp

from sparsebc.matrix.read_matrix import canonical
from sparsebc.reduce import reduce
from sparsebc.reduce.reduce import Choice

PLACES = {
    **{0: (2.0, 1.1), 1: (2.0, -1.1), 2: (0.8, 0), 3: (1.6, 0), 4: (2.4, 0), 5: (3.9, 0)},
    **{6: (5.6, 0.75), 7: (5.6, -0.75), 8: (7.2, 0), 9: (8.3, 0.35), 10: (9.3, 0.35)},
    11: (0.9, 1.25),
}
EDGES = [
    *((hub, v) for hub in (0, 1) for v in (2, 3, 4, 5)),
    *[(5, 6), (5, 7), (6, 7), (6, 8), (7, 8), (8, 9), (9, 10), (0, 11)],
]
GONE, SWEPT, LED = "#bbbbbb", "#4477aa", "#99bbdd"

n = len(PLACES)
tails, heads = np.transpose(EDGES)
graph = canonical(
    sp.csr_array((np.ones(tails.size), (tails, heads)), shape=(n, n)),
    directed=False,
)
everyone = np.ones(n, dtype=bool)


def reduced(reductions=("prune", "trees", "blocks", "twins")):
    """The problem that is left; a graph this small stays as it is unless it is made to."""
    with mock.patch.multiple(reduce, LEAST_BLOCKS=0, LEAST_TWINS=0):
        return reduce.reduced(graph, everyone, everyone, Choice(reductions))


def draw(axes, problem, title):
    """Rows of the problem, with their weights, and in grey what is no longer there."""
    rows, label = problem.graph.outgoing, problem.graph.components
    weight = np.zeros(problem.graph.n)
    weight[problem.sources] = problem.alpha
    middle = [np.mean([PLACES[v] for v in problem.nodes[label == one]], 0) for one in label]
    apart = 0.15 if np.unique(label).size > 1 else 0  # a cut node is drawn in each of its blocks
    at = [
        (1 - apart) * np.array(PLACES[v]) + apart * centre
        for v, centre in zip(problem.nodes, middle, strict=True)
    ]
    left = set(zip(problem.nodes[rows.rows], problem.nodes[rows.indices], strict=True))
    for i, j in set(EDGES) - left:
        axes.plot(*np.transpose([PLACES[i], PLACES[j]]), ":", color=GONE, zorder=0)
    for v in set(PLACES) - set(problem.nodes):
        axes.scatter(*PLACES[v], s=120, color="white", edgecolor=GONE, zorder=1)
    for i, j in zip(rows.rows, rows.indices, strict=True):
        axes.plot(*np.transpose([at[i], at[j]]), color="#555555", zorder=2)
    for row in range(problem.graph.n):
        axes.scatter(*at[row], s=430, color=SWEPT if weight[row] else LED, zorder=3)
        said = f"{weight[row]:g}" if weight[row] else ""
        axes.text(*at[row], said, ha="center", va="center", color="white", zorder=4)
    axes.set_title(f"{title}: {problem.sources.size} sources, {problem.graph.arcs} arcs", size=11)
    axes.set(xlim=(0.2, 9.9), ylim=(-1.55, 1.65), aspect="equal")
    axes.set_axis_off()


figure, rows = plt.subplots(4, figsize=(8.4, 10.8), layout="constrained")
draw(rows[0], reduce.as_given(graph, everyone, everyone), "the graph")
draw(rows[1], reduced({"trees"}), "trees folded")
draw(rows[2], reduced({"trees", "blocks"}), "blocks apart")
draw(rows[3], reduced(), "twins swept once")
