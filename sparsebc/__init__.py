"""Shortest-path centrality of sparse matrices."""

from importlib import metadata as _metadata

from .centrality import betweenness

__version__ = _metadata.version("sparsebc")

__all__ = ["betweenness"]
