"""Connected, weakly and strongly connected components: node sets, counts and predicates."""

from collections.abc import Iterator
from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..measures.connected_components import connected_components as label_components
from .call import Call

Connection = Literal["weak", "strong"]


def node_connected_component(call: Call, n: Any) -> set[Any]:
    """``networkx.node_connected_component``."""
    at = call.G.index[n]
    _, labels = _labels(call, "weak")
    return {call.G.names[i] for i in np.flatnonzero(labels == labels[at]).tolist()}


def _labels(call: Call, connection: Connection) -> tuple[int, NDArray[np.int32]]:
    """Number of components, and the component of each node, shape (n,); on one device."""
    device = call.settings.device
    return label_components(
        call.adjacency(),
        directed=call.G.directed,
        connection=connection,
        device=device if device is None or isinstance(device, str) else device[0],
    )


def _sets(call: Call, connection: Connection) -> Iterator[set[Any]]:
    """Yield the nodes of each component, in the order of the labels."""
    count, labels = _labels(call, connection)
    members = np.split(
        labels.argsort(kind="stable"), np.bincount(labels, minlength=count).cumsum()[:-1]
    )
    for nodes in members[:count]:
        yield {call.G.names[i] for i in nodes.tolist()}


def _count(call: Call, connection: Connection) -> int:
    """Number of components."""
    return _labels(call, connection)[0]


def _is_one(call: Call, connection: Connection) -> bool:
    """Whether the graph is connected in that sense."""
    call.require_nodes()
    return _count(call, connection) == 1


connected_components = weakly_connected_components = partial(_sets, connection="weak")
strongly_connected_components = partial(_sets, connection="strong")  # sinks before sources
number_connected_components = partial(_count, connection="weak")
number_weakly_connected_components = number_connected_components
number_strongly_connected_components = partial(_count, connection="strong")
is_connected = is_weakly_connected = partial(_is_one, connection="weak")
is_strongly_connected = partial(_is_one, connection="strong")
