"""Strong components on a GPU, as `scc.cu` finds them: a label each, in no order."""

from typing import Any

import cupy
import numpy as np

from ....matrix.csr import CSR
from ..layout import ROWS_OF
from ..runtime.copies import download
from ..runtime.kernels import for_each
from .launch import by_rows, kernel, steps

UNASSIGNED = ROWS_OF.UNASSIGNED
# Colour of node v is v * MIX, in 32 bits, so that the greatest is in no order of the graph's.
MIX = 0x9E3779B9
UNMIX = pow(MIX, -1, 1 << 32)


def labels(outgoing: CSR, incoming: CSR, known: Any = None) -> Any:
    """One node of its strong component for each node.

    ``known`` has it for whole components, and -1 elsewhere.
    """
    n = outgoing.indptr.size - 1
    label = cupy.full(n, UNASSIGNED, np.int32) if known is None else known.copy()
    _peel(outgoing, incoming.degrees, label)
    _peel(incoming, outgoing.degrees, label)
    # Forward and backward from the busiest node.
    is_open = label == UNASSIGNED
    if is_open.any():  # device to host
        pivot = cupy.where(is_open, outgoing.degrees * incoming.degrees, UNASSIGNED).argmax()
        same = cupy.zeros(n, np.uint32)
        start = cupy.arange(n) == pivot
        both = _reach(outgoing, start, label, same) & _reach(incoming, start, label, same)
        label[both] = pivot.astype(np.int32)
    # The component of the node that gave a colour: the nodes of the colour that reach it.
    nodes = cupy.arange(n, dtype=np.uint32)
    while (label == UNASSIGNED).any():  # device to host
        colour = nodes * np.uint32(MIX)
        root = colour.copy()
        _in_steps("spread", outgoing, label, colour, cupy.zeros(n, np.int32), first=1)
        found = _reach(incoming, (root == colour) & (label == UNASSIGNED), label, colour)
        label[found] = (colour[found] * np.uint32(UNMIX)).astype(np.int32)
    return label


def _peel(pattern: CSR, degree: Any, label: Any) -> None:
    """Nodes that nothing leads to, and those that only they lead to, and so on."""
    nodes = cupy.flatnonzero((degree == 0) & (label == UNASSIGNED)).astype(np.int32)
    while nodes.size:
        after, found = cupy.empty(label.size, np.int32), cupy.zeros(1, np.int32)
        given = *pattern, np.int32(nodes.size), nodes, label, degree, after, found
        for_each(kernel("peel"), nodes.size, ROWS_OF.THREADS, *given)
        nodes = after[: int(download(found)[0])]  # device to host


def _reach(pattern: CSR, start: Any, label: Any, colour: Any) -> Any:
    """Open nodes that paths of open nodes of one colour join to some."""
    when = start.astype(np.int32)
    _in_steps("reach", pattern, label, colour, when, first=2)
    return when > 0


def _in_steps(name: str, pattern: CSR, label: Any, colour: Any, when: Any, *, first: int) -> None:
    """Launch until a step finds nothing."""
    found = cupy.full(1, first - 1, np.int32)
    for step in steps(found, first=first):
        by_rows(name, pattern, np.int32(step), label, colour, when, found, lanes=1)
