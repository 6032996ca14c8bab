"""Shortest-path centrality of sparse matrices.

Public names are those in ``__all__`` of this module and of `sparsebc.communities`, `sparsebc.io`,
`sparsebc.frames`, `sparsebc.networkx`, `sparsebc.streets`, `sparsebc.temporal`,
`sparsebc.datasets` and `sparsebc.testing`, and on the API page of the documentation. All other
names are private, with or without an underscore, and may change in any version.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import communities, datasets, frames, io, networkx, streets, temporal
    from . import testing as testing
    from .graph.read_matrix import Adjacency, SparseMatrix
    from .graph.similarity import strength_to_distance
    from .graph.subgraph import part_of
    from .measures.accessibility import accessibility
    from .measures.adaptive import Adaptive, adaptive_betweenness
    from .measures.approximate import Approximation, approximate_betweenness
    from .measures.betweenness import betweenness
    from .measures.bfs import bfs
    from .measures.centralities import Measure, centralities
    from .measures.closeness import closeness
    from .measures.connected_components import connected_components
    from .measures.dismantle import Dismantling, dismantle
    from .measures.eccentricity import eccentricity
    from .measures.edge_betweenness import edge_betweenness
    from .measures.explain import explain
    from .measures.group_betweenness import group_betweenness
    from .measures.harmonic import harmonic
    from .measures.nearest import nearest
    from .measures.null_model import NullModel, null_model
    from .measures.percolation import percolation
    from .measures.plan import Plan, Step
    from .measures.prominent_group import ProminentGroup, prominent_group
    from .measures.shortest_paths import shortest_paths
    from .measures.stress import stress
    from .reports.report import report
    from .run.options import (
        DistanceOptions,
        GroupOptions,
        PathOptions,
        PlanOptions,
        RunOptions,
        SearchOptions,
    )

    __version__: str

# Public names by their module, which is imported when a name is first used (PEP 562).
_HOMES = {
    "measures.accessibility": ("accessibility",),
    "measures.adaptive": ("Adaptive", "adaptive_betweenness"),
    "measures.approximate": ("Approximation", "approximate_betweenness"),
    "measures.betweenness": ("betweenness",),
    "measures.bfs": ("bfs",),
    "measures.closeness": ("closeness",),
    "measures.connected_components": ("connected_components",),
    "measures.dismantle": ("Dismantling", "dismantle"),
    "measures.eccentricity": ("eccentricity",),
    "measures.edge_betweenness": ("edge_betweenness",),
    "measures.explain": ("explain",),
    "measures.group_betweenness": ("group_betweenness",),
    "measures.harmonic": ("harmonic",),
    "measures.nearest": ("nearest",),
    "measures.null_model": ("NullModel", "null_model"),
    "measures.percolation": ("percolation",),
    "measures.plan": ("Plan", "Step"),
    "measures.prominent_group": ("ProminentGroup", "prominent_group"),
    "measures.shortest_paths": ("shortest_paths",),
    "measures.centralities": ("Measure", "centralities"),
    "measures.stress": ("stress",),
    "graph.subgraph": ("part_of",),
    "graph.read_matrix": ("Adjacency", "SparseMatrix"),
    "graph.similarity": ("strength_to_distance",),
    "reports.report": ("report",),
    "run.options": (
        *("DistanceOptions", "GroupOptions", "PathOptions"),
        *("PlanOptions", "RunOptions", "SearchOptions"),
    ),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}
_MODULES = ("communities", "datasets", "frames", "io", "networkx", "streets", "temporal", "testing")

__all__ = [
    "Adaptive",
    "Adjacency",
    "Approximation",
    "Dismantling",
    "DistanceOptions",
    "GroupOptions",
    "Measure",
    "NullModel",
    "PathOptions",
    "Plan",
    "PlanOptions",
    "ProminentGroup",
    "RunOptions",
    "SearchOptions",
    "SparseMatrix",
    "Step",
    "accessibility",
    "adaptive_betweenness",
    "approximate_betweenness",
    "betweenness",
    "bfs",
    "centralities",
    "closeness",
    "communities",
    "connected_components",
    "datasets",
    "dismantle",
    "eccentricity",
    "edge_betweenness",
    "explain",
    "frames",
    "group_betweenness",
    "harmonic",
    "io",
    "nearest",
    "networkx",
    "null_model",
    "part_of",
    "percolation",
    "prominent_group",
    "report",
    "shortest_paths",
    "streets",
    "strength_to_distance",
    "stress",
    "temporal",
]  # without `testing`, which needs Hypothesis: a star import must work without it


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib import metadata

        value: Any = metadata.version("sparsebc")
    elif name in _MODULES:
        value = importlib.import_module(f"{__name__}.{name}")
    elif name in _HOME:
        value = getattr(importlib.import_module(f"{__name__}.{_HOME[name]}"), name)
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*__all__, "testing", "__version__"]
