"""Blocks on a GPU, by `biconnected.cu`: what `GraphOps` says of them."""

from typing import Any

import cupy
import numpy as np

from ....matrix.csr import CSR
from ..layout import BLOCKS
from ..runtime.copies import download
from .launch import NULL, by_nodes, by_rows, search, zeros

LOOK = 4  # levels of a search between looks at whether it has ended
DEEPEST = 64  # levels from which a launch for each takes longer than the host does for all
AT_ONCE = 4  # rows of which a warp asks at once whether they are on a level
# Entries of a row that are looked at before all others, which then find most of a block joined.
FIRST, ALL = 3, 2**62


def find(
    outgoing: CSR, incoming: CSR, label: Any, whole: Any, left: Any
) -> tuple[Any, Any, int, int] | None:
    """`GraphOps.blocks`; None if a tree has too many levels (`DEEPEST`)."""
    n, rows, found = label.size, (outgoing.indptr, incoming.indptr), zeros(BLOCKS)
    known = (NULL, NULL) if whole is None else whole
    busiest, (level, parent, joined) = cupy.zeros(n, np.uint64), cupy.empty((3, n), np.int32)
    by_nodes("elect", n, *rows, left, label, busiest)
    by_nodes("plant", n, *rows, left, label, busiest, *known, level, parent, joined, found)
    ways = (outgoing,) if incoming is outgoing else (outgoing, incoming)
    last = search(ways, level, AT_ONCE, look=LOOK, most=DEEPEST)
    if int(download(last)[0]) >= DEEPEST:  # device to host
        return None
    for way in ways:
        by_rows("nearer", way, level, parent)
    once = len(ways) == 1  # is enough, for each edge is there both ways
    for upward, most in ((False, FIRST), (once, ALL)):
        part = np.bool_(upward), np.int64(most)
        by_rows("join_cycles", outgoing, *part, left, level, parent, joined)
        by_nodes("flatten", n, joined)
    size, keys = cupy.zeros(n, np.uint32), cupy.empty(n, np.uint64)
    by_nodes("count_nodes", n, left, parent, joined, size)
    by_nodes("first_edges", n, level, size, keys, found)
    blocks, roots, nodes, largest = map(
        int, download(found).view(BLOCKS.dtype)[0]
    )  # device to host
    (number, block), tops = cupy.empty((2, n), np.int32), cupy.empty(blocks, np.int32)
    keys = keys[:blocks]
    keys.sort()
    by_nodes("number_blocks", blocks, keys, parent, tops, number)
    by_nodes("blocks_of", n, left, parent, joined, number, block)
    return block, tops, roots, nodes - largest
