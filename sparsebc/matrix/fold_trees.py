"""Folding of trees: nodes of degree one are merged into their neighbours, until none is left."""

# mypy: disable-error-code="no-untyped-def"

import numpy as np

from ..jit import inlined, kernel, stopped
from .indices import NEXT


@inlined
def _push_leaves(degree, stack):
    """Put all leaves on the stack; return their number."""
    top = 0
    for v in range(degree.size):
        if degree[v] == 1:
            stack[top] = v
            top += 1
    return top


@inlined
def _remaining_arc(indptr, indices, parents, leaf):
    """Place of the one remaining arc of a leaf; the others lead to folded nodes."""
    p = np.uint64(indptr[leaf])
    while parents[np.uint32(indices[p])] >= 0:
        p += NEXT
    return p


@kernel
def fold(indptr, indices, degree, alpha, omega, children, parents, stack, stop):
    """Fold nodes of degree one until none is left: `GraphOps.fold`, in place.

    ``parents`` are -1 before; ``stack`` has room for all nodes.
    """
    top = _push_leaves(degree, stack)
    while top and not stopped(stop):
        top -= 1
        leaf = np.uint32(stack[top])
        if degree[leaf] != 1:
            continue
        p = _remaining_arc(indptr, indices, parents, leaf)
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
    """Fold nodes of degree one into the fields of `DecayedTrees`; ``shares`` are e of each arc.

    ``order`` has n + 1 places; the last gets the number of folded nodes.
    """
    top, count = _push_leaves(degree, stack), 0
    while top and not stopped(stop):
        top -= 1
        leaf = np.uint32(stack[top])
        if degree[leaf] != 1:
            continue
        p = _remaining_arc(indptr, indices, parents, leaf)
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
    """Write U of each folded node to ``around``, from the roots down; ``after`` is zero before."""
    for i in range(order.size - 1, -1, -1):
        child = np.uint32(order[i])
        parent = np.uint32(parents[child])
        beside = own[parent] + around[parent] + before[child] + after[parent]
        around[child] = share[child] * beside
        after[parent] += share[child] * (own[child] + inner[child])
        if stopped(stop):
            break
