"""Nodes with the same neighbours on a GPU, by `twins.cu`."""

from collections.abc import Sequence
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

from ....matrix.csr import CSR
from ..runtime.copies import clear, download, split_bytes, upload
from .launch import by_nodes, by_rows

KINDS = 2  # of twins: open and closed


def leaders(ways: Sequence[CSR], nodes: NDArray[np.int32], omega: Any) -> NDArray[np.int64]:
    """`GraphOps.twins`: a warp a row, a thread a node."""
    n, size = omega.size, 1 << (2 * nodes.size).bit_length()
    mask, targets = np.uint32(size - 1), (omega, ways[-1].indptr)
    sizes = {"hashes": 8 * KINDS * size, "sums": 8 * n, "differs": KINDS * n}
    zero = cupy.empty(sum(sizes.values()), np.uint8)
    hashes, sums, differs = split_bytes(zero, sizes).values()
    nowhere = cupy.empty(KINDS * (size + n), np.uint32)
    clear(zero)
    nowhere.data.memset_async(255, nowhere.nbytes)
    found = mask, nowhere[: KINDS * size], nowhere[KINDS * size :]
    for back, way in enumerate(ways):
        by_rows("hash_rows", way, np.bool_(back), sums)
    asked = upload(nodes), np.int32(n), sums, *targets, np.bool_(len(ways) > 1)
    by_nodes("propose", nodes.size, *asked, found[0], hashes, *found[1:])
    for way in ways:
        by_rows("compare", way, *found, differs)
    leader = cupy.empty(n, np.int32)
    by_nodes("settle", n, *found, differs, *targets, leader)
    return download(leader).astype(np.int64)
