"""Connected, weakly connected and strongly connected components, and what is asked of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..measures.connected_components import connected_components as label_components
from ..run.options import SearchOptions
from .graph import SparseGraph
from .sums import require_nodes

Connection = Literal["weak", "strong"]


def node_connected_component(G: SparseGraph, n: Any, *, run: SearchOptions) -> set[Any]:
    """``networkx.node_connected_component``."""
    at = G.index[n]
    _, labels = _labels(G, "weak", run)
    return {G.names[i] for i in np.flatnonzero(labels == labels[at]).tolist()}


def _labels(
    G: SparseGraph, connection: Connection, run: SearchOptions
) -> tuple[int, NDArray[np.int32]]:
    """The number of components, and the component of each node, by one device."""
    device = run.get("device")
    return label_components(
        G.adjacency(None),
        directed=G.directed,
        connection=connection,
        device=device if device is None or isinstance(device, str) else device[0],
    )


def _sets(G: SparseGraph, connection: Connection, run: SearchOptions) -> Iterator[set[Any]]:
    """The nodes of each component, in the order of the labels."""
    count, labels = _labels(G, connection, run)
    together = np.split(
        labels.argsort(kind="stable"), np.bincount(labels, minlength=count).cumsum()[:-1]
    )
    for nodes in together[:count]:
        yield {G.names[i] for i in nodes.tolist()}


def _count(G: SparseGraph, connection: Connection, run: SearchOptions) -> int:
    """The number of components."""
    return _labels(G, connection, run)[0]


def _is_one(G: SparseGraph, connection: Connection, run: SearchOptions) -> bool:
    """Whether there is one component."""
    require_nodes(G)
    return _count(G, connection, run) == 1


def _served(answer: Callable[..., Any], connection: Connection) -> Callable[..., Any]:
    """NetworkX's function that gives one answer about one kind of component."""

    def function(G: SparseGraph, *, run: SearchOptions) -> Any:
        return answer(G, connection, run)

    return function


connected_components = weakly_connected_components = _served(_sets, "weak")
strongly_connected_components = _served(_sets, "strong")  # sinks before sources, as in SciPy
number_connected_components = number_weakly_connected_components = _served(_count, "weak")
number_strongly_connected_components = _served(_count, "strong")
is_connected = is_weakly_connected = _served(_is_one, "weak")
is_strongly_connected = _served(_is_one, "strong")
