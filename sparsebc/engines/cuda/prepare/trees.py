"""What is folded away of a graph on a GPU, by `trees.cu`: what `GraphOps` says of it."""

from __future__ import annotations

from typing import Any

import cupy
import numpy as np

from ....graph.csr import CSR
from .launch import by_nodes, by_rows, copy, sums_by_label


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
