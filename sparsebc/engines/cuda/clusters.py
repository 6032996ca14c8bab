"""An order in which neighbours are close together, on a GPU: nested clusters.

As in Boruvka's algorithm each cluster joins the smallest that it has an edge to, again and again;
those that have become one lie one after the other. So a cluster of any size is a run of the order,
whatever the size of a line of memory is.
"""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ...graph.csr import CSR
from .layout import THREADS, WARP
from .runtime import fetch, kernels

KERNELS = ("prefer", "join_preferred", "flatten", "climb")
MOST_BLOCKS = 1 << 16


def nested(pattern: CSR, nodes: Any) -> Any:
    """Some nodes, as they come by clusters; of a cluster's parts, those of its first node first."""
    n, count = pattern.indptr.size - 1, nodes.size
    run = kernels("clusters.cu", KERNELS)
    by_rows = max(1, min(-(-n * WARP // THREADS), MOST_BLOCKS))
    cluster, place = cupy.full(n, -1, np.int32), cupy.zeros(n, np.int64)
    cluster[nodes] = cupy.arange(count, dtype=np.int32)
    size = cupy.ones(count, np.int64)
    while True:
        m = size.size
        preferred = cupy.full(m, 2**64 - 1, np.uint64)
        arguments = *pattern, np.int32(n), cluster, size, preferred
        run["prefer"]((by_rows,), (THREADS,), arguments)
        label = cupy.arange(m, dtype=np.int32)
        threads = (-(-m // THREADS),), (THREADS,)
        run["join_preferred"](*threads, (np.int32(m), preferred, label))
        run["flatten"](*threads, (np.int32(m), label))
        is_root = label == cupy.arange(m, dtype=np.int32)
        before = cupy.cumsum(is_root)
        left = int(fetch(before[-1:])[0])  # device to host
        number = (before[label] - 1).astype(np.int32)
        order = cupy.argsort(number.astype(np.int64) << 32 | cupy.arange(m))
        ends = cupy.cumsum(size[order])
        start = cupy.empty(m, np.int64)
        start[order] = ends - size[order]
        is_last = left == m  # nothing was joined, and clusters lie one after the other
        offset = start if is_last else start - start[label]
        run["climb"]((-(-n // THREADS),), (THREADS,), (np.int32(n), offset, number, cluster, place))
        if is_last:
            break
        size = cupy.diff(cupy.concatenate((start[is_root], ends[-1:])))
    ordered = cupy.empty_like(nodes)
    ordered[place[nodes]] = nodes
    return ordered
