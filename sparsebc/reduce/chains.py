"""Chains: paths of nodes of degree 2, whose sources need no sweep of their own.

A shortest path from an inner node of a chain to a target t outside leaves it by one of the two ends
a, b. So with p the node's distance from a along the chain, and W that of b from a,

    d(t) = min(p + d_a(t), W - p + d_b(t))

and a share of the pair's weight alpha omega(t) runs through a: all of it if the term of a is less,
sigma_a(t) / (sigma_a(t) + sigma_b(t)) if the terms are equal. The sweep from a adds that share to
the weight of t. Within the chain, the weights along each arc are summed
(`engines/cpu/chains/chains.py`, with the targets on the chain).

`Chains` lists a chain twice, from each end. The ends are nodes whose degree is not 2. A chain that
closes on itself is cut by one more end, a cycle of nodes of degree 2 by two, so that the ends of a
chain differ.

The idea is that of Vella, Bernaschi and Carbone, "Dynamic merging of frontiers for accelerating the
evaluation of betweenness centrality", ACM Journal of Experimental Algorithmics 23 (2018).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.common.balls import in_balls
from ..engines.common.sums import Batch, Chains
from ..jit import interruptible, kernel, stopped, subroutine
from ..matrix.csr import ranges
from ..matrix.graph import Graph

# Sources of a batch: the more, the fewer far ends are in other batches.
ENDS = 64
# Costs in units of a sweep from one source without chains: of an end, of the search from a far end
# in another batch, and of a chain.
END, OTHER, CHAIN = 2.0, 1.0, 0.25
# Largest cost that pays, as a share of the sweeps without chains, where clustered sources are swept
# together.
MOST = 0.6


def find(
    graph: Graph, sources: NDArray[np.int32], weights: NDArray[np.float64]
) -> tuple[list[Batch] | None, NDArray[np.int32], NDArray[np.float64]]:
    """Batches with chains, None if they save too little; sources to sweep, and their weights.

    The graph is undirected. Chains without a source are left out. Takes O(n + arcs) on the host.
    """
    alpha = np.zeros(graph.n)
    alpha[sources] = weights
    most = MOST * np.count_nonzero(alpha)
    is_end = graph.outgoing.degrees != 2
    if END * np.count_nonzero((alpha > 0) & is_end) > most:
        return None, sources, weights
    interruptible(graph.arcs, _cut, *graph.outgoing, is_end, is_end.copy())
    lengths = graph.lengths.outgoing if graph.lengths else np.empty(0)
    given = graph.arcs, _fill, *graph.outgoing, lengths, alpha, is_end
    types = [array.dtype for array in Chains.none()]
    count, nodes, room = interruptible(*given, *(np.empty(0, dtype) for dtype in types))
    made = list(map(np.zeros, (count, count, count + 1, room, room, room, room, count), types))
    interruptible(*given, *made)
    made[3:7] = (array[:nodes] for array in made[3:7])
    chains = Chains._make(made)
    is_end &= alpha > 0
    is_end[chains.near] = True
    ends = np.flatnonzero(is_end).astype(np.int32)
    cost = END * ends.size + CHAIN * chains.near.size
    if cost > most:
        return None, sources, weights
    shape: Any = {"width": ENDS, "high_diameter": True, "scattered": ENDS}
    batches = with_chains(in_balls(graph, ends, alpha[ends], **shape), chains)
    cost += OTHER * sum(batch.others.size for batch in batches if batch.others is not None)
    return (None, sources, weights) if cost > most else (batches, ends, alpha[ends])


def with_chains(batches: Sequence[Batch], chains: Chains) -> list[Batch]:
    """The batches, each with the chains whose near ends are its sources."""
    n = 1 + max((int(batch.sources.max()) for batch in batches), default=-1)
    begin = np.searchsorted(chains.near, np.arange(n + 1))  # first chain of each node
    column, made = np.empty(n, dtype=np.int32), []
    for batch in batches:
        sources = batch.sources
        count = begin[sources + 1] - begin[sources]
        mine = ranges(begin[sources], count)
        others = np.setdiff1d(chains.far[mine], sources)
        column[sources] = np.arange(sources.size)
        column[others] = np.arange(sources.size, sources.size + others.size)
        size = chains.start[mine + 1] - chains.start[mine]
        nodes = ranges(chains.start[mine], size)
        own = Chains(
            np.repeat(np.arange(sources.size, dtype=np.int32), count),
            column[chains.far[mine]],
            np.concatenate(([0], np.cumsum(size))),
            chains.nodes[nodes],
            chains.arcs[nodes],
            chains.alpha[nodes],
            chains.place[nodes],
            chains.span[mine],
        )
        made.append(batch._replace(chains=own, others=others))
    return made


@kernel
def _cut(indptr, indices, is_end, seen, stop):  # type: ignore[no-untyped-def]
    """Mark an end in each cycle, and in each chain that starts and ends at one node."""
    for a in range(is_end.size):
        if stopped(stop):
            return
        if is_end[a]:
            for p in range(indptr[a], indptr[a + 1]):
                if not seen[indices[p]]:
                    _cut_if_closed(indptr, indices, is_end, seen, a, p)
    for a in range(is_end.size):  # cycles
        if stopped(stop):
            return
        if not seen[a]:
            is_end[a] = seen[a] = True
            _cut_if_closed(indptr, indices, is_end, seen, a, indptr[a])


@kernel
def _fill(  # type: ignore[no-untyped-def]
    indptr, indices, lengths, alpha, is_end,
    near, far, start, rows, arcs, weights, place, span, stop,
):  # fmt: skip
    """Fill the fields of `Chains`, or count, without room for them.

    Returns the numbers of chains and of their nodes, and that of nodes to have room for.
    """
    chains = nodes = room = 0
    for a in range(is_end.size):
        if stopped(stop):
            break
        for p in range(indptr[a], indptr[a + 1] if is_end[a] else indptr[a]):
            first, total, arc, away = nodes, 0.0, p, 0.0
            tail, v = a, indices[p]
            while not is_end[v]:
                away += lengths[arc] if lengths.size else 1.0
                back = indptr[v] + (indices[indptr[v]] != tail)
                arc = 2 * indptr[v] + 1 - back
                total += alpha[v]
                if start.size:
                    rows[nodes], arcs[nodes] = v, back
                    weights[nodes], place[nodes] = alpha[v], away
                nodes += 1
                tail, v = v, indices[arc]
            room = max(room, nodes)
            if total == 0:  # no chain, or one without a source: the next one overwrites it
                nodes = first
                continue
            if start.size:
                near[chains], far[chains], start[chains + 1] = a, v, nodes
                span[chains] = away + (lengths[arc] if lengths.size else 1.0)
            chains += 1
    return chains, nodes, room


@subroutine
def _cut_if_closed(indptr, indices, is_end, seen, a, p):  # type: ignore[no-untyped-def]
    """Mark the middle node of the chain along arc p of node a as an end, if the chain closes."""
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
