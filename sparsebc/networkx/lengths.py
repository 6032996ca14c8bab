"""Edge lengths of a NetworkX graph: read by name or from a callable, and judged.

NetworkX takes any numbers. Here a length is positive, finite and exact as a float, and so are sums
of lengths; calls with others are handed back to NetworkX before anything is drawn or consumed.
"""

from collections.abc import Callable, Hashable, Iterable
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..matrix.edge_weights import MIN_LENGTH, WHOLE
from ..measures.ties import LEAST

Weight = Hashable | Callable[..., Any]

INTEGERS = {int, bool, np.int64}
FLOATS = {float, np.float64}
# Paths are counted where the shortest length is at least this share of any distance, of which the
# scale E is at most twice the largest.
LEAST_SHARE = 2 * LEAST * np.finfo(np.float64).eps


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
    integer: bool = True  # NetworkX's distances are Python ints
    whole: bool = True  # all are integers, if floats, so that sums up to 2**53 are exact
    refusal: str = ""  # why the arrays, which hold the unconverted values, are no lengths
    uncounted: str = ""  # why shortest paths are not counted by them


def read(
    rows: Iterable[tuple[Any, Any]], weight: Weight, parallels: NDArray[np.int64] | None, nodes: int
) -> Lengths:
    """Lengths of the edges in the rows of a NetworkX graph, each a node and its neighbours.

    ``parallels``: number of edges of each neighbour pair, in a multigraph. A callable gives the
    length of a pair there, from all its edges, and that of each edge alone.
    """
    if callable(weight):
        arcs = [(u, v, data) for u, neighbours in rows for v, data in neighbours.items()]
        try:
            found = judged([weight(*arc) for arc in arcs], nodes)
            if found.refusal or parallels is None:
                return found
            alone = [weight(u, v, {key: data[key]}) for u, v, data in arcs for key in data]
        except Exception as error:  # NetworkX may not meet that edge
            return _refused([], f"a function that raises {type(error).__name__}")
        judgement = judged(alone, nodes)
        return found._replace(edges=judgement.edges, refusal=judgement.refusal)
    data: Any = chain.from_iterable(neighbours.values() for _, neighbours in rows)
    if parallels is not None:
        data = chain.from_iterable(keyed.values() for keyed in data)
    return judged([attributes.get(weight, 1) for attributes in data], nodes, parallels)


def _refused(values: list[Any], why: str) -> Lengths:
    """Lengths that are none, for a reason; values stay objects, as NetworkX may take them."""
    kept = np.fromiter(values, dtype=object, count=len(values))
    why = f"sparsebc does not compute with {why}"
    return Lengths(kept, kept, integer=False, whole=False, refusal=why)


def judged(values: list[Any], nodes: int, parallels: NDArray[np.int64] | None = None) -> Lengths:
    """Lengths from the values of all edges, and why they are none.

    No distance exceeds the sum of the n - 1 longest lengths, which decides whether sums are exact.
    """
    kinds = set(map(type, values))
    if odd := kinds - INTEGERS - FLOATS:
        return _refused(values, f"lengths of type {min(kind.__name__ for kind in odd)}")
    try:
        edges = np.array(values, dtype=np.float64)
    except OverflowError:
        return _refused(values, "lengths beyond floats")
    if not edges.size:
        return Lengths(edges, edges)
    shortest, longest = edges.min(), edges.max()
    if not 0 < shortest <= longest < np.inf:
        return _refused(values, "lengths that are zero, negative or not finite")
    if shortest < MIN_LENGTH or longest > np.finfo(np.float64).max / nodes:
        return _refused(values, "lengths whose sums or quotients may leave the range of floats")
    pairs = edges
    if parallels is not None and edges.size > parallels.size:
        pairs = np.minimum.reduceat(edges, np.cumsum(parallels) - parallels)
    most = min(nodes - 1, pairs.size)
    farthest = np.partition(pairs, -most)[-most:].sum() if most else 0.0
    whole = bool(longest < WHOLE and (pairs == np.rint(pairs)).all())
    if farthest >= WHOLE and (whole or kinds & INTEGERS):
        return _refused(values, "whole lengths whose sums may pass 2**53")
    is_lost = not whole and shortest < LEAST_SHARE * farthest
    why = "sparsebc counts no paths by lengths of which rounding may lose some beside others"
    return Lengths(pairs, edges, kinds <= INTEGERS, whole, uncounted=why if is_lost else "")
