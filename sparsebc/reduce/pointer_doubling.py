"""Sums along the links of a forest by pointer doubling, in log2(depth) rounds.

``links[i]`` is the parent of node i; a root has the index after the last node.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..matrix.ops import GraphOps


def links(above: Any, is_linked: Any, xp: Any) -> Any:
    """Links of two copies of a forest, one after the other, with the parents ``above``.

    ``is_linked`` masks the links, of both copies alike or row by row; other nodes are roots.
    """
    count = above.size
    result = xp.full(2 * count + 1, 2 * count, dtype=np.int32)
    both = xp.stack((above, above + count))
    result[:-1] = xp.where(is_linked, both, 2 * count).reshape(-1)
    return result


def _doubled(links: Any) -> Iterator[Any]:
    """The links to ancestors 1, 2, 4, ... levels up, until all are past the roots."""
    while bool((links < links.size - 1).any()):  # device to host
        yield links
        links = links[links]


def from_below(links: Any, values: Any, ops: GraphOps) -> Any:
    """Sum of the values of each node and its descendants."""
    sums = _padded(values, ops.xp)
    for ancestors in _doubled(links):
        sums = sums + ops.add_up(ancestors, sums[None], sums.size)[0]
    return sums[:-1].reshape(values.shape)


def from_above(links: Any, values: Any, xp: Any) -> Any:
    """Sum of the values of each node and its ancestors."""
    sums = _padded(values, xp)
    for ancestors in _doubled(links):
        sums = sums + sums[ancestors]
    return sums[:-1].reshape(values.shape)


def _padded(values: Any, xp: Any) -> Any:
    """The values, flat, and a zero for the index of no parent."""
    flat = xp.zeros(values.size + 1, dtype=values.dtype)
    flat[:-1] = values.reshape(-1)
    return flat
