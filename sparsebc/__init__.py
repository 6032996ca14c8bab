"""Shortest-path centrality of sparse matrices."""

from importlib.metadata import PackageNotFoundError, version

from .centrality import betweenness

try:
    __version__ = version("sparsebc")
except PackageNotFoundError:
    __version__ = "unknown"

__all__ = ["betweenness"]
