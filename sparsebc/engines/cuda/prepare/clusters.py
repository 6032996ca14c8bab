"""An order in which neighbours are close together, on a GPU: nested clusters.

Each cluster joins the smallest that it has an edge to, again and again. Each cluster of every
round is a run of the order, whatever the size of a cache line.
"""

from typing import Any

import cupy
import numpy as np

from ....matrix.csr import CSR
from ..layout import ROWS_OF
from ..runtime.copies import download
from .launch import by_nodes, by_rows, in_steps

LOOK = 8  # rounds between looks at whether any joined some


def nested(pattern: CSR, nodes: Any, symmetric: bool) -> Any:
    """Some nodes by clusters: of each its first node, then what joined it, round after round."""
    n, one_way = pattern.indptr.size - 1, np.bool_(not symmetric)
    label, last = cupy.full(n, -1, np.int32), cupy.zeros(1, np.int32)
    label[nodes] = nodes
    size, when = cupy.ones(n, np.int64), cupy.full(n, -1, np.int64)
    preferred = cupy.full(n, 2**64 - 1, np.uint64)

    def join(step: int) -> None:
        now = np.int32(step), last
        by_rows("prefer", pattern, one_way, *now, label, size, preferred)
        by_nodes("link", n, *now, preferred, label)
        by_nodes("merge", n, *now, preferred, label, when, size)

    in_steps(join, lambda: int(download(last)[0]), look=LOOK)
    # Of one cluster in the order of the rounds, and those that joined none after all others.
    joined = when[nodes]
    order = nodes[cupy.argsort(cupy.where(joined < 0, n * ROWS_OF.ROUNDS, joined))]
    before = cupy.cumsum(size[order]) - size[order]
    into = when[order] // ROWS_OF.ROUNDS
    is_first = cupy.concatenate((cupy.ones(1, bool), into[1:] != into[:-1]))
    first = before[is_first][cupy.cumsum(is_first) - 1]
    offset = cupy.empty(n, np.int64)
    offset[order] = before - first + (into >= 0)
    ordered = cupy.empty_like(nodes)
    by_nodes("arrange", nodes.size, nodes, offset, when, ordered)
    return ordered
