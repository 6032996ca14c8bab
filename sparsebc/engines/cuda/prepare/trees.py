"""What is folded away of a graph on a GPU, by `trees.cu`: what `GraphOps` says of it."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ....graph.csr import CSR
from ..runtime.copies import download
from .launch import by_nodes, by_rows, copy, in_steps, sums_by_label


def fold(pattern: CSR, label: Any, ends: Any) -> tuple[Any, Any, Any, Any]:
    """`GraphOps.fold`: many trees at once, each from its leaves."""
    n, below = label.size, copy(ends)
    degree, surplus, children = cupy.empty((3, n), dtype=np.int64)
    links, parents = cupy.zeros((2, n), dtype=np.int32)
    by_rows("unfolded", pattern, degree, surplus, children, links, parents)
    surplus = sums_by_label(label, surplus[None], n)
    rest = degree, links, *below, children, parents
    by_nodes("fold", n, pattern.indptr, label, surplus, *rest)
    return degree, children, parents, below


def down(parents: Any, values: Any) -> Any:
    """`GraphOps.down_trees`: ways up of many nodes at once, again and again where they are long."""
    n, last = parents.size, cupy.zeros(1, np.int32)
    above, sums = [parents, *cupy.empty((2, n), np.int32)], [values, *cupy.empty((2, n), np.int64)]

    def climb(step: int) -> None:
        # The first reads what is given, which stays as it is; then two take turns.
        here, then = (0 if step == 1 else 1 + step % 2), 1 + (step + 1) % 2
        rest = np.int32(step), above[then], sums[then], last
        by_nodes("climb", n, above[here], sums[here], *rest)
        sums[0] = sums[then]

    in_steps(climb, lambda: int(download(last)[0]), look=1)
    return sums[0]
