"""Folding of trees: nodes of degree one go into their neighbours, until none is left."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from ..jit import inlined, kernel, stopped
from .indices import NEXT


@inlined
def _leaves(degree, stack):
    """Number of leaves, which are put on the stack."""
    top = 0
    for v in range(degree.size):
        if degree[v] == 1:
            stack[top] = v
            top += 1
    return top


@inlined
def _way_out(indptr, indices, parents, leaf):
    """Place of the one arc of a leaf that is left; the others lead to nodes that were removed."""
    p = np.uint64(indptr[leaf])
    while parents[np.uint32(indices[p])] >= 0:
        p += NEXT
    return p


@kernel
def fold(indptr, indices, degree, alpha, omega, children, parents, stack, stop):
    """Remove nodes of degree one until none is left: `GraphOps.fold`, into what is given.

    ``parents`` are -1 and ``stack`` has room for all nodes.
    """
    top = _leaves(degree, stack)
    while top and not stopped(stop):
        top -= 1
        leaf = np.uint32(stack[top])
        if degree[leaf] != 1:
            continue
        p = _way_out(indptr, indices, parents, leaf)
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


@kernel
def fold_decayed(
    indptr, indices, shares, degree, parents, order, share, own, inner, before, pairs, stack, stop
):
    """Remove nodes of degree one, with a share for each arc: `decayed_trees`, into what is given.

    How many nodes were folded comes last in ``order``.
    """
    top, count = _leaves(degree, stack), 0
    while top and not stopped(stop):
        top -= 1
        leaf = np.uint32(stack[top])
        if degree[leaf] != 1:
            continue
        p = _way_out(indptr, indices, parents, leaf)
        parent = np.uint32(indices[p])
        parents[leaf], share[leaf], order[count] = parent, shares[p], leaf
        count += 1
        degree[leaf] = 0
        degree[parent] -= 1
        arriving = shares[p] * (own[leaf] + inner[leaf])
        before[leaf] = inner[parent]
        pairs[parent] += inner[parent] * arriving
        inner[parent] += arriving
        if degree[parent] == 1:
            stack[top] = parent
            top += 1
    order[degree.size] = count


@kernel
def hand_down(order, parents, share, own, inner, before, around, after, stop):
    """Fill in what lies around each folded node, from the roots on; ``after`` is zero."""
    for i in range(order.size - 1, -1, -1):
        child = np.uint32(order[i])
        parent = np.uint32(parents[child])
        beside = own[parent] + around[parent] + before[child] + after[parent]
        around[child] = share[child] * beside
        after[parent] += share[child] * (own[child] + inner[child])
        if stopped(stop):
            break
