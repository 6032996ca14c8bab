"""Shortest-path centrality of sparse matrices."""

from importlib import metadata as _metadata

from .centrality import betweenness, edge_betweenness, stress
from .measures import centralities

__version__ = _metadata.version("sparsebc")

__all__ = ["betweenness", "centralities", "edge_betweenness", "stress"]
