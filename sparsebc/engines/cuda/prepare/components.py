"""Components on a GPU: `graph_ops.cu` finds the weak ones, `scc.cu` the strong ones.

Weak components are numbered by their smallest nodes, strong ones by the host: SciPy numbers them
as a depth-first search completes them, which no parallel algorithm is known for. A device tells
whether there is one alone.
"""

import functools
from typing import Any

import cupy
import numpy as np
import scipy.sparse
from scipy.sparse import csgraph

from ....matrix import components
from ....matrix.csr import CSR
from ....matrix.graph import Graph
from ..runtime.copies import upload
from .graph_ops import CUDAOps
from .scc import labels


def weak(graph: Graph) -> tuple[int, Any]:
    """Number of weak components and their labels, on the current device and stream."""
    if not graph.n:
        return 0, cupy.empty(0, np.int32)
    pattern = CSR(*map(upload, graph.outgoing))
    label = CUDAOps().components(pattern, pattern, None)
    number = cupy.cumsum(label == cupy.arange(graph.n), dtype=np.int32) - np.int32(1)
    return int(number[-1]) + 1, number[label]  # device to host


def strong(graph: Graph) -> tuple[int, Any]:
    """The same of strong components."""
    if graph.symmetric or not graph.n:
        return weak(graph)
    outgoing, incoming = (
        CSR(*map(upload, pattern)) for pattern in (graph.outgoing, graph.incoming)
    )
    label = labels(outgoing, incoming)
    if bool((label == label[0]).all()):  # device to host
        return 1, cupy.zeros(graph.n, np.int32)
    count, number = components.strong_components(graph.on_host().outgoing, _last_first())
    return count, cupy.asarray(number)


@functools.cache
def _last_first() -> bool:
    """Whether SciPy's search takes the last neighbour first: it did so until 1.17."""
    fork = scipy.sparse.csr_array(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]]))
    return bool(csgraph.connected_components(fork, connection="strong")[1][2] == 0)
