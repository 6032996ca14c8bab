"""Shortest-path centrality of sparse matrices."""

from importlib import metadata as _metadata

from .centrality import betweenness
from .traversal import bfs, connected_components, shortest_paths

__version__ = _metadata.version("sparsebc")

__all__ = ["betweenness", "bfs", "connected_components", "shortest_paths"]
