"""Shortest-path centrality of sparse matrices."""

from importlib import metadata as _metadata

from .approximation import adaptive_betweenness, approximate_betweenness
from .centrality import betweenness, edge_betweenness, stress
from .distances import closeness, eccentricity, harmonic
from .measures import centralities
from .strength import strength_to_distance
from .traversal import bfs, connected_components, shortest_paths

__version__ = _metadata.version("sparsebc")

__all__ = [
    "adaptive_betweenness",
    "approximate_betweenness",
    "betweenness",
    "bfs",
    "centralities",
    "closeness",
    "connected_components",
    "eccentricity",
    "edge_betweenness",
    "harmonic",
    "shortest_paths",
    "strength_to_distance",
    "stress",
]
