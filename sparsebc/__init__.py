"""Shortest-path centrality of sparse matrices.

What is public is listed in ``__all__`` here and of `sparsebc.io`, `sparsebc.frames`,
`sparsebc.networkx`, `sparsebc.datasets` and `sparsebc.testing`, and on the API page of the
documentation. All else is private, whether or not its name begins with an underscore, and may
change from one version to the next.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import datasets, frames, io, networkx, testing
    from .graph.read_matrix import Adjacency, SparseMatrix
    from .graph.similarity import strength_to_distance
    from .measures.approximate import (
        Adaptive,
        Approximation,
        adaptive_betweenness,
        approximate_betweenness,
    )
    from .measures.betweenness import betweenness, edge_betweenness, stress
    from .measures.distances import closeness, eccentricity, harmonic
    from .measures.explain import explain
    from .measures.percolation import percolation
    from .measures.plan import Estimate, Plan, Step
    from .measures.search import bfs, connected_components, shortest_paths
    from .measures.several import Measure, centralities
    from .run.options import DistanceOptions, RunOptions, SearchOptions

    __version__: str

# Where each public name lives: importing the package imports none of it (PEP 562).
_HOMES = {
    "measures.approximate": (
        *("Adaptive", "Approximation", "adaptive_betweenness", "approximate_betweenness"),
    ),
    "measures.betweenness": ("betweenness", "edge_betweenness", "stress"),
    "measures.distances": ("closeness", "eccentricity", "harmonic"),
    "measures.explain": ("explain",),
    "measures.percolation": ("percolation",),
    "measures.plan": ("Estimate", "Plan", "Step"),
    "measures.search": ("bfs", "connected_components", "shortest_paths"),
    "measures.several": ("Measure", "centralities"),
    "graph.read_matrix": ("Adjacency", "SparseMatrix"),
    "graph.similarity": ("strength_to_distance",),
    "run.options": ("DistanceOptions", "RunOptions", "SearchOptions"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = {name: name for name in ("datasets", "frames", "io", "networkx", "testing")}

__all__ = [
    "Adaptive",
    "Adjacency",
    "Approximation",
    "DistanceOptions",
    "Estimate",
    "Measure",
    "Plan",
    "RunOptions",
    "SearchOptions",
    "SparseMatrix",
    "Step",
    "adaptive_betweenness",
    "approximate_betweenness",
    "betweenness",
    "bfs",
    "centralities",
    "closeness",
    "connected_components",
    "datasets",
    "eccentricity",
    "edge_betweenness",
    "explain",
    "frames",
    "harmonic",
    "io",
    "networkx",
    "percolation",
    "shortest_paths",
    "strength_to_distance",
    "stress",
    "testing",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib import metadata

        value: Any = metadata.version("sparsebc")
    elif name in _MODULES:
        value = importlib.import_module(f"{__name__}.{_MODULES[name]}")
    elif name in _HOME:
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
