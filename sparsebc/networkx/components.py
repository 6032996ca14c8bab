"""Connected, weakly connected and strongly connected components, and what is asked of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from ..measures import search
from . import settings
from .graph import SparseGraph

Connection = Literal["weak", "strong"]


def connected_components(G: SparseGraph, **run: Any) -> Iterator[set[Any]]:
    """``networkx.connected_components``."""
    return _sets(G, "weak", run)


def weakly_connected_components(G: SparseGraph, **run: Any) -> Iterator[set[Any]]:
    """``networkx.weakly_connected_components``."""
    return _sets(G, "weak", run)


def strongly_connected_components(G: SparseGraph, **run: Any) -> Iterator[set[Any]]:
    """``networkx.strongly_connected_components``, in an order of SciPy's: sinks before sources."""
    return _sets(G, "strong", run)


def number_connected_components(G: SparseGraph, **run: Any) -> int:
    """``networkx.number_connected_components``."""
    return _labels(G, "weak", run)[0]


def number_weakly_connected_components(G: SparseGraph, **run: Any) -> int:
    """``networkx.number_weakly_connected_components``."""
    return _labels(G, "weak", run)[0]


def number_strongly_connected_components(G: SparseGraph, **run: Any) -> int:
    """``networkx.number_strongly_connected_components``."""
    return _labels(G, "strong", run)[0]


def is_connected(G: SparseGraph, **run: Any) -> bool:
    """``networkx.is_connected``."""
    return _is_one(G, "weak", run)


def is_weakly_connected(G: SparseGraph, **run: Any) -> bool:
    """``networkx.is_weakly_connected``."""
    return _is_one(G, "weak", run)


def is_strongly_connected(G: SparseGraph, **run: Any) -> bool:
    """``networkx.is_strongly_connected``."""
    return _is_one(G, "strong", run)


def node_connected_component(G: SparseGraph, n: Any, **run: Any) -> set[Any]:
    """``networkx.node_connected_component``."""
    at = G.index[n]
    _, labels = _labels(G, "weak", run)
    return {G.names[i] for i in np.flatnonzero(labels == labels[at]).tolist()}


def _labels(G: SparseGraph, connection: Connection, run: Any) -> tuple[int, NDArray[np.int32]]:
    return search.connected_components(
        G.adjacency(None),
        directed=G.directed,
        connection=connection,
        device=settings.for_components(run),
    )


def _sets(G: SparseGraph, connection: Connection, run: Any) -> Iterator[set[Any]]:
    """The nodes of each component, in the order of the labels."""
    count, labels = _labels(G, connection, run)
    together = np.split(
        labels.argsort(kind="stable"), np.bincount(labels, minlength=count).cumsum()[:-1]
    )
    for nodes in together[:count]:
        yield {G.names[i] for i in nodes.tolist()}


def _is_one(G: SparseGraph, connection: Connection, run: Any) -> bool:
    if not len(G):
        raise nx.NetworkXPointlessConcept("Connectivity is undefined for the null graph.")
    return _labels(G, connection, run)[0] == 1
