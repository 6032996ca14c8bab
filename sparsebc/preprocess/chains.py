"""Chains: nodes of degree 2 in a row, whose sources need no sweep of their own.

A shortest path from an inner node of a chain to a target t outside leaves it by one of the two ends
a, b. So with p the node's distance from a along the chain, W that of b,

    d(t) = min(p + d_a(t), W - p + d_b(t))

and of a pair's weight alpha omega(t) a share is paths through a: all of it where its term is less,
sigma_a(t) / (sigma_a(t) + sigma_b(t)) where both are. The sweep from a takes it as one more weight
of t: it is a pair of a that begins further back. Within the chain, what goes along each arc adds up
(`engines/cpu/kernels/arms.py`, where targets on the chain are dealt with too).

A chain is two `Arms`, one from each end. Its ends are nodes of another degree; where there are none
between, a chain that closes on itself is cut: once where it starts and ends at one node, twice if
it is a cycle. So the ends of a chain differ.

The idea is that of Vella, Bernaschi and Carbone, "Dynamic merging of frontiers for accelerating the
evaluation of betweenness centrality", ACM Journal of Experimental Algorithmics 23 (2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.contract import Arms, Group
from ..graph.graph import Graph
from ..jit import allocating_kernel, interruptible

# Sources for each that is left, from which it pays: a sweep of many near sources at once, which
# chains leave no more, takes less than half of the time, and the shares are to be looked up.
LEAST_SAVED = 4


def find(graph: Graph, alpha: NDArray[Any]) -> tuple[NDArray[np.bool_], Arms] | None:
    """Which nodes remain sources, and the chains between them; None where that saves too little.

    For an undirected graph with weights of its nodes as sources, whole numbers. Takes O(n + arcs)
    on the host. Chains without a source are none.
    """
    there = graph.on_host()
    degrees = there.outgoing.degrees
    asked = np.count_nonzero(alpha)
    if LEAST_SAVED * np.count_nonzero((alpha > 0) & (degrees != 2)) > asked:
        return None
    lengths = there.lengths.outgoing if there.lengths else np.empty(0)
    weights = alpha.astype(np.int64)
    found = interruptible(there.arcs, _arms, *there.outgoing, lengths, weights)
    is_end, arms = found[0], Arms(*found[1:])
    is_end &= alpha > 0
    is_end[arms.near] = True
    return None if LEAST_SAVED * np.count_nonzero(is_end) > asked else (is_end, arms)


def shared_out(groups: Sequence[Group], arms: Arms) -> list[Group]:
    """The groups, each with the arms whose near ends are its sources."""
    n = int(max(group.sources.max(initial=-1) for group in groups)) + 1 if groups else 0
    begin = np.searchsorted(arms.near, np.arange(n + 1))
    column = np.empty(max(n, int(arms.near.max(initial=-1)) + 1), dtype=np.int32)
    return [_with_arms(group, arms, begin, column) for group in groups]


def _with_arms(
    group: Group, arms: Arms, begin: NDArray[np.int64], column: NDArray[np.int32]
) -> Group:
    """The group with its arms; ``begin`` has the first of each row, ``column`` room for a row."""
    sources = group.sources
    count = begin[sources + 1] - begin[sources]
    mine = _ranges(begin[sources], count)
    others = np.setdiff1d(arms.far[mine], sources)
    column[sources] = np.arange(sources.size)
    column[others] = np.arange(sources.size, sources.size + others.size)
    size = arms.start[mine + 1] - arms.start[mine]
    nodes = _ranges(arms.start[mine], size)
    own = Arms(
        np.repeat(np.arange(sources.size, dtype=np.int32), count),
        column[arms.far[mine]],
        np.concatenate(([0], np.cumsum(size))),
        *(part[nodes] for part in (arms.nodes, arms.arcs, arms.alpha, arms.place)),
        arms.span[mine],
    )
    return group._replace(arms=own, others=others)


def _ranges(first: NDArray[np.int64], size: NDArray[np.int64]) -> NDArray[np.int64]:
    """The numbers first[i] .. first[i] + size[i] - 1 of all i, one after the other."""
    end = np.cumsum(size)
    places: NDArray[np.int64] = np.arange(end[-1] if end.size else 0)
    return places + np.repeat(first - (end - size), size)


@allocating_kernel
def _arms(indptr, indices, lengths, alpha, stop):  # type: ignore[no-untyped-def]
    """Which nodes end chains, and the fields of `Arms`, of chains that hold a source."""
    n = indptr.size - 1
    is_end = np.empty(n, dtype=np.bool_)
    for v in range(n):
        is_end[v] = indptr[v + 1] - indptr[v] != 2
    seen = is_end.copy()
    for a in range(n):  # chains that come back to where they start
        if stop[0]:
            break
        if is_end[a]:
            for p in range(indptr[a], indptr[a + 1]):
                if not seen[indices[p]]:
                    _cut_if_closed(indptr, indices, is_end, seen, a, p)
    for a in range(n):  # cycles
        if not seen[a]:
            is_end[a] = seen[a] = True
            _cut_if_closed(indptr, indices, is_end, seen, a, indptr[a])
    arms = nodes = 0
    for counting in (True, False):
        if not counting:
            near, far = np.empty(arms, dtype=np.int32), np.empty(arms, dtype=np.int32)
            start, span = np.zeros(arms + 1, dtype=np.int64), np.empty(arms)
            rows = np.empty(nodes, dtype=np.int32)
            arcs = np.empty(nodes, dtype=np.int64)
            weights, place = np.empty(nodes, dtype=np.int64), np.empty(nodes)
            arms = nodes = 0
        for a in range(n):
            for p in range(indptr[a], indptr[a + 1] if is_end[a] and not stop[0] else indptr[a]):
                first, total, arc, away = nodes, 0, p, 0.0
                tail, v = a, indices[p]
                while not is_end[v]:
                    away += lengths[arc] if lengths.size else 1.0
                    back = indptr[v] + (indices[indptr[v]] != tail)
                    arc = 2 * indptr[v] + 1 - back
                    total += alpha[v]
                    if not counting:
                        rows[nodes], arcs[nodes] = v, back
                        weights[nodes], place[nodes] = alpha[v], away
                    nodes += 1
                    tail, v = v, indices[arc]
                if total == 0:  # no chain, or none with a source
                    nodes = first
                    continue
                if not counting:
                    near[arms], far[arms], start[arms + 1] = a, v, nodes
                    span[arms] = away + (lengths[arc] if lengths.size else 1.0)
                arms += 1
    return is_end, near, far, start, rows, arcs, weights, place, span


@allocating_kernel
def _cut_if_closed(indptr, indices, is_end, seen, a, p):  # type: ignore[no-untyped-def]
    """Walk along the chain that begins with arc p; its middle node is an end if it closes at a."""
    tail, v, size = a, indices[p], 0
    while not is_end[v]:
        seen[v] = True
        size += 1
        tail, v = v, indices[indptr[v] + (indices[indptr[v]] == tail)]
    if v == a:
        tail, v = a, indices[p]
        for _ in range(size // 2):
            tail, v = v, indices[indptr[v] + (indices[indptr[v]] == tail)]
        is_end[v] = True
