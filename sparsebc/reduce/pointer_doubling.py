"""Sums along the links of a forest: in as many rounds as its depth has binary digits.

``links[i]`` is the place that place i has a link to; the one after the last where it has none.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..graph.ops import GraphOps


def links(above: Any, is_linked: Any, xp: Any) -> Any:
    """Links of two rows of places, one after the other, to the places ``above``.

    ``is_linked`` says which there are: of both rows alike, or row by row.
    """
    count = above.size
    found = xp.full(2 * count + 1, 2 * count, dtype=np.int32)
    both = xp.stack((above, above + count))
    found[:-1] = xp.where(is_linked, both, 2 * count).reshape(-1)
    return found


def _doubled(links: Any) -> Iterator[Any]:
    """The links, the links of links, and so on until none leads on."""
    while bool((links < links.size - 1).any()):  # device to host
        yield links
        links = links[links]


def from_below(links: Any, values: Any, ops: GraphOps) -> Any:
    """Sum of the values of each place and of all from which links lead to it."""
    sums = _padded(values, ops.xp)
    for further in _doubled(links):
        sums = sums + ops.add_up(further, sums[None], sums.size)[0]
    return sums[:-1].reshape(values.shape)


def from_above(links: Any, values: Any, xp: Any) -> Any:
    """Sum of the values of each place and of all to which links lead from it."""
    sums = _padded(values, xp)
    for further in _doubled(links):
        sums = sums + sums[further]
    return sums[:-1].reshape(values.shape)


def _padded(values: Any, xp: Any) -> Any:
    """Row after row, and a zero."""
    flat = xp.zeros(values.size + 1, dtype=values.dtype)
    flat[:-1] = values.reshape(-1)
    return flat
