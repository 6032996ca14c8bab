"""Strong components of a union of blocks, and the arcs between them.

Nodes of a strong component reach the same. So what reaches what is found with one bit for each
component that matters, 64 together, which runs along the arcs between components.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..graph import kernels
from ..graph.csr import CSR
from ..jit import interruptible


class Condensed(NamedTuple):
    """Components, numbered block after block; all arcs between them lead to smaller numbers."""

    number: NDArray[np.int32]  # (rows,) component of each row
    first: NDArray[np.int64]  # (blocks + 1,) first component of each block
    between: CSR

    def steps(self, marked: NDArray[np.bool_]) -> int:
        """Arcs and bits to look at for the reach of the components that are marked."""
        blocks = self.first.size - 1
        block = np.repeat(np.arange(blocks), np.diff(self.first))
        bits = np.bincount(block[marked], minlength=blocks)
        arcs = np.bincount(block[self.between.rows], minlength=blocks)
        return int((bits * np.diff(self.first) + -(-bits // 64) * arcs).sum())


def condensed(arcs: CSR, block: NDArray[np.int64], blocks: int) -> Condensed:
    """Strong components of rows that lie block after block, each in its own ``block``."""
    work = arcs.indices.size
    strong, number = interruptible(work, kernels.strong_components, *arcs)
    block_of = np.empty(strong, dtype=np.int64)
    block_of[number] = block
    first = np.searchsorted(block_of, np.arange(blocks + 1))
    between = CSR(*interruptible(work, kernels.arcs_between, *arcs, number, strong))
    return Condensed(number, first, between)
