"""Components on a GPU: `graph_ops.cu` finds the weak ones, `scc.cu` the strong ones.

Weak components are numbered by their smallest nodes, strong ones by the host: SciPy numbers them
as a depth-first search completes them, which no parallel algorithm is known for.
"""

from __future__ import annotations

import functools
from typing import Any

import cupy
import numpy as np
import scipy.sparse
from scipy.sparse import csgraph

from ...graph.csr import CSR
from ...graph.graph import Graph
from ..cpu.kernels.scc_numbering import number_as_completed
from .graph_ops import CUDAOps
from .layout import MOST_BLOCKS, OPEN, THREADS, WARP
from .runtime import here, kernels

# Steps launched between looks at whether there was anything to do.
LOOK = 16
# Colour of node v is v * MIX, in 32 bits, so that the greatest is in no order of the graph's.
MIX = 0x9E3779B9
UNMIX = pow(MIX, -1, 1 << 32)


def weak(graph: Graph) -> tuple[int, Any]:
    """Number of weak components and their labels, on the current device and stream."""
    if not graph.n:
        return 0, cupy.empty(0, np.int32)
    label = CUDAOps.components(CSR(*map(here, graph.outgoing)), None)
    number = cupy.cumsum(label == cupy.arange(graph.n), dtype=np.int32) - np.int32(1)
    return int(number[-1]) + 1, number[label]  # device to host


def strong(graph: Graph) -> tuple[int, Any]:
    """The same of strong components."""
    if graph.symmetric or not graph.n:
        return weak(graph)
    outgoing, incoming = (CSR(*map(here, pattern)) for pattern in (graph.outgoing, graph.incoming))
    label = _labels(outgoing, incoming)
    if bool((label == label[0]).all()):  # device to host
        return 1, cupy.zeros(graph.n, np.int32)
    pattern = graph.on_host().outgoing
    count, numbers = number_as_completed(*pattern, cupy.asnumpy(label), _last_first())
    return int(count), cupy.asarray(numbers)


@functools.cache
def _last_first() -> bool:
    """Whether SciPy's search takes the last neighbour first: it did so until 1.17."""
    fork = scipy.sparse.csr_array(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]]))
    return bool(csgraph.connected_components(fork, connection="strong")[1][2] == 0)


def _labels(outgoing: CSR, incoming: CSR) -> Any:
    """A node of its component for each node."""
    n = outgoing.indptr.size - 1
    label = cupy.full(n, OPEN, np.int32)
    _peel(outgoing, incoming.degrees, label)
    _peel(incoming, outgoing.degrees, label)
    # Forward and backward from the busiest node.
    is_open = label == OPEN
    pivot = cupy.where(is_open, outgoing.degrees * incoming.degrees, OPEN).argmax()
    if is_open.any():
        same = cupy.zeros(n, np.uint32)
        start = cupy.arange(n) == pivot
        both = _reach(outgoing, start, label, same) & _reach(incoming, start, label, same)
        label[both] = pivot.astype(np.int32)
    # What leads to the node that gave its colour is its component.
    nodes = cupy.arange(n, dtype=np.uint32)
    while (label == OPEN).any():
        colour = nodes * np.uint32(MIX)
        root = colour.copy()
        _steps("spread", outgoing, label, colour, cupy.zeros(n, np.int32), first=1)
        found = _reach(incoming, (root == colour) & (label == OPEN), label, colour)
        label[found] = (colour[found] * np.uint32(UNMIX)).astype(np.int32)
    return label


def _peel(pattern: CSR, degree: Any, label: Any) -> None:
    """Nodes that nothing leads to, and those that only they lead to, and so on."""
    nodes = cupy.flatnonzero((degree == 0) & (label == OPEN)).astype(np.int32)
    while nodes.size:
        after, found = cupy.empty(label.size, np.int32), cupy.zeros(1, np.int32)
        _kernel("peel")(
            (-(-nodes.size // THREADS),),
            (THREADS,),
            (*pattern, np.int32(nodes.size), nodes, label, degree, after, found),
        )
        nodes = after[: int(found[0])]  # device to host


def _reach(pattern: CSR, start: Any, label: Any, colour: Any) -> Any:
    """Open nodes that paths of open nodes of one colour join to some."""
    when = start.astype(np.int32)
    _steps("reach", pattern, label, colour, when, first=2)
    return when > 0


def _steps(name: str, pattern: CSR, label: Any, colour: Any, when: Any, *, first: int) -> None:
    """Launch until a step finds nothing."""
    n, found = label.size, cupy.zeros(1, np.int32)
    blocks = min(-(-n * WARP // THREADS), MOST_BLOCKS)
    last = first - 1
    while int(found[0]) == (last if last >= first else 0):  # device to host
        for i in range(last + 1, last + 1 + LOOK):
            arguments = (*pattern, np.int32(n), np.int32(i), label, colour, when, found)
            _kernel(name)((blocks,), (THREADS,), arguments)
        last += LOOK


def _kernel(name: str) -> Any:
    return kernels("scc.cu", ("peel", "reach", "spread"))[name]
