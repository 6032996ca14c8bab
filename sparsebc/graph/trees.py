"""Folding of trees: nodes of degree one go into their neighbours, until none is left."""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

import numpy as np

from ..jit import kernel, stopped
from .indices import NEXT


@kernel
def fold(indptr, indices, degree, alpha, omega, children, parents, stack, stop):
    """Remove nodes of degree one until none is left: `GraphOps.fold`, into what is given.

    ``parents`` are -1 and ``stack`` has room for all nodes.
    """
    top = 0
    for v in range(degree.size):
        if degree[v] == 1:
            stack[top] = v
            top += 1
    while top and not stopped(stop):
        top -= 1
        leaf = np.uint32(stack[top])
        if degree[leaf] != 1:
            continue
        p = np.uint64(indptr[leaf])
        while parents[np.uint32(indices[p])] >= 0:  # removed before
            p += NEXT
        parent = np.uint32(indices[p])
        parents[leaf] = parent
        degree[leaf] = 0
        degree[parent] -= 1
        alpha[parent] += alpha[leaf]
        omega[parent] += omega[leaf]
        children[parent] += alpha[leaf] * omega[leaf]
        if degree[parent] == 1:
            stack[top] = parent
            top += 1
