"""Shortest-path centrality of sparse matrices."""

from importlib import metadata as _metadata

from .centrality import betweenness
from .distances import closeness, eccentricity, harmonic
from .traversal import bfs, connected_components, shortest_paths

__version__ = _metadata.version("sparsebc")

__all__ = [
    "betweenness",
    "bfs",
    "closeness",
    "connected_components",
    "eccentricity",
    "harmonic",
    "shortest_paths",
]
