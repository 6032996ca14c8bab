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
    from .communities.dismantling import Dismantling, dismantle
    from .estimates.adaptive import Adaptive, adaptive_betweenness
    from .estimates.approximate import Approximation, approximate_betweenness
    from .explaining import Plan, Step, explain
    from .matrix.read_matrix import Adjacency, SparseMatrix
    from .matrix.strengths import part_of, strength_to_distance
    from .measures.access import accessibility, nearest
    from .measures.centralities import Measure, centralities
    from .measures.distances import closeness, eccentricity, harmonic
    from .measures.groups import ProminentGroup, group_betweenness, prominent_group
    from .measures.paths import betweenness, edge_betweenness, percolation, stress
    from .measures.searches import bfs, connected_components, shortest_paths
    from .measures.summary import DistanceSummary, distance_summary
    from .null_models.null_model import NullModel, null_model
    from .reports.report import report
    from .sweep.options import (
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
    "communities.dismantling": ("Dismantling", "dismantle"),
    "estimates.adaptive": ("Adaptive", "adaptive_betweenness"),
    "estimates.approximate": ("Approximation", "approximate_betweenness"),
    "explaining": ("Plan", "Step", "explain"),
    "matrix.read_matrix": ("Adjacency", "SparseMatrix"),
    "matrix.strengths": ("part_of", "strength_to_distance"),
    "measures.access": ("accessibility", "nearest"),
    "measures.centralities": ("Measure", "centralities"),
    "measures.distances": ("closeness", "eccentricity", "harmonic"),
    "measures.groups": ("ProminentGroup", "group_betweenness", "prominent_group"),
    "measures.paths": ("betweenness", "edge_betweenness", "percolation", "stress"),
    "measures.searches": ("bfs", "connected_components", "shortest_paths"),
    "measures.summary": ("DistanceSummary", "distance_summary"),
    "null_models.null_model": ("NullModel", "null_model"),
    "reports.report": ("report",),
    "sweep.options": (
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
    "DistanceSummary",
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
    "distance_summary",
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
