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
    from .measures.accessibility import accessibility
    from .measures.betweenness import betweenness
    from .measures.bfs import bfs
    from .measures.centralities import Measure, centralities
    from .measures.closeness import closeness
    from .measures.connected_components import connected_components
    from .measures.eccentricity import eccentricity
    from .measures.edge_betweenness import edge_betweenness
    from .measures.group_betweenness import group_betweenness
    from .measures.harmonic import harmonic
    from .measures.nearest import nearest
    from .measures.percolation import percolation
    from .measures.prominent_group import ProminentGroup, prominent_group
    from .measures.shortest_paths import shortest_paths
    from .measures.stress import stress
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
    "measures.accessibility": ("accessibility",),
    "estimates.adaptive": ("Adaptive", "adaptive_betweenness"),
    "estimates.approximate": ("Approximation", "approximate_betweenness"),
    "measures.betweenness": ("betweenness",),
    "measures.bfs": ("bfs",),
    "measures.closeness": ("closeness",),
    "measures.connected_components": ("connected_components",),
    "communities.dismantling": ("Dismantling", "dismantle"),
    "measures.eccentricity": ("eccentricity",),
    "measures.edge_betweenness": ("edge_betweenness",),
    "explaining": ("Plan", "Step", "explain"),
    "measures.group_betweenness": ("group_betweenness",),
    "measures.harmonic": ("harmonic",),
    "measures.nearest": ("nearest",),
    "null_models.null_model": ("NullModel", "null_model"),
    "measures.percolation": ("percolation",),
    "measures.prominent_group": ("ProminentGroup", "prominent_group"),
    "measures.shortest_paths": ("shortest_paths",),
    "measures.centralities": ("Measure", "centralities"),
    "measures.stress": ("stress",),
    "matrix.read_matrix": ("Adjacency", "SparseMatrix"),
    "matrix.strengths": ("part_of", "strength_to_distance"),
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
