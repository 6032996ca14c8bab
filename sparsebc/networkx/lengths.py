"""Lengths of the edges of a NetworkX graph: read by name or from a callable, and judged.

NetworkX takes any numbers. Here a length is a positive finite one that a float holds exactly; for
others the backend steps back, and NetworkX computes.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator
from contextlib import contextmanager
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graph.edge_weights import WHOLE
from ..graph.read_matrix import Adjacency
from .handback import handed_back

Weight = Hashable | Callable[..., Any]

INTEGERS = {int, bool, np.int64}
FLOATS = {float, np.float64}


class Lengths(NamedTuple):
    """Lengths of all neighbour pairs (u, v), in the order of the adjacency."""

    pairs: NDArray[Any]  # float64, the least of parallel edges
    edges: NDArray[Any]  # each of the parallel edges; the same object where there are none
    integer: bool  # NetworkX's distances are Python ints
    refusal: str  # why these are none, which are objects as they came then; or empty

    @property
    def whole(self) -> bool:
        """Whether sums are exact, in whatever order."""
        return self.integer or bool((self.pairs == np.rint(self.pairs)).all())


def read(G: Any, weight: Weight, starts: NDArray[np.int64] | None) -> Lengths:
    """Lengths of the edges of a NetworkX graph.

    ``starts`` says where the edges of each neighbour pair of a multigraph begin.
    """
    if callable(weight):
        return _called(G, weight, starts)
    data: Any = chain.from_iterable(neighbours.values() for _, neighbours in G.adjacency())
    if starts is not None:
        data = chain.from_iterable(keyed.values() for keyed in data)
    edges, integer, refusal = judged([attributes.get(weight, 1) for attributes in data])
    pairs = edges if refusal else least(edges, starts)
    return Lengths(pairs, edges, integer, refusal)


def least(edges: NDArray[np.float64], starts: NDArray[np.int64] | None) -> NDArray[np.float64]:
    """The least of the parallel edges of each neighbour pair."""
    return edges if starts is None or not edges.size else np.minimum.reduceat(edges, starts)


def _called(G: Any, weight: Callable[..., Any], starts: NDArray[np.int64] | None) -> Lengths:
    """What a callable makes of each neighbour pair, and of each of its edges alone."""
    arcs = [(u, v, data) for u, neighbours in G.adjacency() for v, data in neighbours.items()]
    pairs, integer, refusal = judged([weight(u, v, data) for u, v, data in arcs])
    edges = pairs
    if starts is not None and not refusal:
        alone = [weight(u, v, {key: data[key]}) for u, v, data in arcs for key in data]
        edges, _, refusal = judged(alone)
    return Lengths(pairs, edges, integer, refusal)


def judged(values: list[Any]) -> tuple[NDArray[Any], bool, str]:
    """Numbers as floats, whether all are ints, and why they cannot serve as lengths, or nothing.

    Those that cannot are objects as they came: NetworkX may compute with them.
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


@contextmanager
def stepping_back(lengths: Lengths | None) -> Iterator[None]:
    """Leave to NetworkX what turns out to be no length while it is used: lost beside a distance."""
    try:
        yield
    except (ValueError, OverflowError) as error:
        if lengths is None:
            raise
        raise handed_back(f"sparsebc: {error}") from error


def raw_scores(
    function: Callable[..., Any], A: Adjacency, lengths: Lengths | None, **asked: Any
) -> Any:
    """Scores by a function of sparsebc, not normalized.

    Paths by length tie as in NetworkX, where sums compare as they come out.
    """
    ties = {} if lengths is None else {"tie_rtol": 0.0}
    with stepping_back(lengths):
        return function(A, weighted=lengths is not None, normalized=False, **ties, **asked)
