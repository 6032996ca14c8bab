"""Hypothesis strategies for graphs, and two oracles of betweenness, for tests of graph code.

The strategies draw matrices with every irregularity that SciPy allows, graphs on which paths are
hard to count, lengths whose sums are exact, and options of a call. A failing example shrinks to a
simple graph, and is printed as a call of `adjacency` that makes it. The oracles are Brandes'
algorithm and the definition of betweenness in plain Python; they share no formula.

Needs Hypothesis: ``python -m pip install hypothesis``.
"""

from .oracles import all_shortest_paths, brandes, by_definition
from .strategies import CLASSES, adjacency, graphs, lengths, matrices, options, patterns

__all__ = [
    "CLASSES",
    "adjacency",
    "all_shortest_paths",
    "brandes",
    "by_definition",
    "graphs",
    "lengths",
    "matrices",
    "options",
    "patterns",
]
