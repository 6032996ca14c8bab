"""Edge lengths of a NetworkX graph: read by name or from a callable, and validated.

NetworkX takes any numbers. Here a length is positive, finite and exact as a float; calls with other
lengths are handed back to NetworkX.
"""

from collections.abc import Callable, Hashable
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graph.edge_weights import WHOLE

Weight = Hashable | Callable[..., Any]

INTEGERS = {int, bool, np.int64}
FLOATS = {float, np.float64}


def handed_back(reason: str) -> NotImplementedError:
    """Error that hands a call back to NetworkX, with the reason.

    If NetworkX chose this backend, NetworkX then computes itself. A caller who named the backend
    gets this error as the cause of one of NetworkX's: hence the remedy in the message.
    """
    return NotImplementedError(
        f"{reason}; for NetworkX's own function, leave backend='sparsebc' out"
    )


class Lengths(NamedTuple):
    """Lengths of all neighbour pairs (u, v), in the order of the adjacency."""

    pairs: NDArray[Any]  # float64, the least of parallel edges
    edges: NDArray[Any]  # each of the parallel edges; ``pairs`` itself if there are none
    integer: bool  # NetworkX's distances are Python ints
    refusal: str  # why the arrays, which hold the unconverted values, are no lengths; else empty

    @property
    def integer_valued(self) -> bool:
        """Whether lengths are integer-valued, so that sums are exact in any order."""
        return self.integer or bool((self.pairs == np.rint(self.pairs)).all())


def read(G: Any, weight: Weight, starts: NDArray[np.int64]) -> Lengths:
    """Lengths of the edges of a NetworkX graph.

    ``starts`` is the index of the first edge of each neighbour pair. In a multigraph a callable
    gives the length of a pair, from all its edges, and that of each edge alone.
    """
    if callable(weight):
        arcs = [(u, v, data) for u, neighbours in G.adjacency() for v, data in neighbours.items()]
        pairs, integer, refusal = judged([weight(u, v, data) for u, v, data in arcs])
        if refusal or not G.is_multigraph():
            return Lengths(pairs, pairs, integer, refusal)
        alone = [weight(u, v, {key: data[key]}) for u, v, data in arcs for key in data]
        edges, _, refusal = judged(alone)
        return Lengths(pairs, edges, integer, refusal)
    data: Any = chain.from_iterable(neighbours.values() for _, neighbours in G.adjacency())
    if G.is_multigraph():
        data = chain.from_iterable(keyed.values() for keyed in data)
    edges, integer, refusal = judged([attributes.get(weight, 1) for attributes in data])
    parallel = edges.size > starts.size and not refusal
    return Lengths(
        np.minimum.reduceat(edges, starts) if parallel else edges, edges, integer, refusal
    )


def judged(values: list[Any]) -> tuple[NDArray[Any], bool, str]:
    """Values as float64, whether all are integers, and why they cannot be lengths (else empty).

    Values that cannot be lengths stay unconverted objects: NetworkX may compute with them.
    """

    def refused(why: str) -> tuple[NDArray[Any], bool, str]:
        return np.fromiter(values, dtype=object, count=len(values)), False, why

    kinds = set(map(type, values))
    if odd := kinds - INTEGERS - FLOATS:
        return refused(f"lengths of type {min(kind.__name__ for kind in odd)}")
    try:
        array = np.array(values, dtype=np.float64)
    except OverflowError:
        return refused("lengths beyond floats")
    if array.size and not 0 < array.min() <= array.max() < np.inf:
        return refused("lengths that are zero, negative or not finite")
    if kinds & INTEGERS and array.max() > WHOLE:
        return refused("whole lengths beyond 2**53")
    return array, kinds <= INTEGERS, ""
