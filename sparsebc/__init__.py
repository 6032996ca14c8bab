"""Shortest-path centrality of sparse matrices."""

from importlib import metadata as _metadata

from .centrality import betweenness
from .strength import strength_to_distance

__version__ = _metadata.version("sparsebc")

__all__ = ["betweenness", "strength_to_distance"]
