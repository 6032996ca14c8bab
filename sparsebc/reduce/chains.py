"""Chains: nodes of degree 2 in a row, whose sources need no sweep of their own.

A shortest path from an inner node of a chain to a target t outside leaves it by one of the two ends
a, b. So with p the node's distance from a along the chain, W that of b,

    d(t) = min(p + d_a(t), W - p + d_b(t))

and of a pair's weight alpha omega(t) a share is paths through a: all of it where its term is less,
sigma_a(t) / (sigma_a(t) + sigma_b(t)) where both are. The sweep from a takes it as one more weight
of t: it is a pair of a that begins further back. Within the chain, what goes along each arc adds up
(`engines/cpu/chains/chains.py`, where targets on the chain are dealt with too).

A chain is listed twice in `Chains`, from each end. Its ends are nodes of another degree; where
there are none between, a chain that closes on itself is cut: once where it starts and ends at one
node, twice if it is a cycle. So the ends of a chain differ.

The idea is that of Vella, Bernaschi and Carbone, "Dynamic merging of frontiers for accelerating the
evaluation of betweenness centrality", ACM Journal of Experimental Algorithmics 23 (2018).
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.common.batch import Batch, Chains
from ..engines.common.batching import in_balls
from ..graph.csr import ranges
from ..graph.graph import Graph
from ..jit import allocating_kernel, interruptible, stopped

# Sources, for an engine of relative throughput 1, from which it pays to look for chains: that takes
# about as long as so many sweeps.
ENOUGH_SOURCES = 128


class Costs(NamedTuple):
    """Costs of chains to an engine, in sweeps of a source as there would be without them."""

    ends: int  # sources of a batch: the more, the fewer are searched from again for another batch
    end: float
    other: float  # an end of another batch
    chain: float
    most: float  # share of the sweeps that may be left


CPU = Costs(64, 2.0, 1.0, 0.25, 0.6)  # elsewhere near sources are swept together
GPU = Costs(4096, 1.5, 0.6, 0.03, 0.6)  # elsewhere each is swept alone as well
# Nodes of all searches that a batch of a GPU keeps, and ends that keep it busy.
KEPT, BUSY = 1 << 28, 256


def enough(relative_throughput: int) -> int:
    """Sources from which chains are worth looking for."""
    return ENOUGH_SOURCES * relative_throughput


def costs(relative_throughput: int, n: int) -> Costs | None:
    """Costs to an engine on so many nodes; None where it could keep too few searches."""
    if relative_throughput == 1:
        return CPU
    ends = min(GPU.ends, KEPT // max(n, 1))
    return GPU._replace(ends=ends) if ends >= min(BUSY, GPU.ends) else None


def find(
    graph: Graph, alpha: NDArray[Any], costs: Costs = CPU
) -> tuple[NDArray[np.bool_], list[Batch]] | None:
    """Mask of the sources that remain, and batches with chains; None where that saves too little.

    For an undirected graph with weights of its nodes as sources. Takes O(n + arcs) on the host.
    Chains without a source are none.
    """
    most, xp = costs.most * np.count_nonzero(alpha), graph.ops.xp
    is_source = graph.ops.asarray(alpha > 0)
    if costs.end * int(xp.count_nonzero(is_source & (graph.outgoing.degrees != 2))) > most:
        return None
    there = graph.on_host()
    lengths = there.lengths.outgoing if there.lengths else np.empty(0)
    weights = alpha.astype(np.float64)
    found = interruptible(there.arcs, _chains, *there.outgoing, lengths, weights)
    is_end, chains = found[0], Chains._make(found[1:])
    is_end &= alpha > 0
    is_end[chains.near] = True
    ends = np.flatnonzero(is_end).astype(np.int32)
    if costs.end * ends.size + costs.chain * chains.near.size > most:
        return None
    real = alpha[ends].astype(np.float64)
    balls = in_balls(there, ends, real, width=costs.ends, high_diameter=True, scattered=costs.ends)
    batches = shared_out(balls, chains)
    others = sum(one.others.size for one in batches if one.others is not None)
    return None if cost(costs, ends.size, others, chains.near.size) > most else (is_end, batches)


def cost(costs: Costs, ends: int, others: int, chains: int) -> float:
    """Work that is left, in sweeps of a source."""
    return costs.end * ends + costs.other * others + costs.chain * chains


def shared_out(batches: Sequence[Batch], chains: Chains) -> list[Batch]:
    """The batches, each with the chains whose near ends are its sources."""
    n = 1 + max((int(one.sources.max()) for one in batches), default=-1)
    begin = np.searchsorted(chains.near, np.arange(n + 1))
    column = np.empty(n, dtype=np.int32)
    return [_with_chains(one, chains, begin, column) for one in batches]


def _with_chains(
    one: Batch, chains: Chains, begin: NDArray[np.int64], column: NDArray[np.int32]
) -> Batch:
    """The batch with its chains; ``begin`` is the first of each row, ``column`` room for rows."""
    sources = one.sources
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
    return one._replace(chains=own, others=others)


@allocating_kernel
def _chains(indptr, indices, lengths, alpha, stop):  # type: ignore[no-untyped-def]
    """Mask of the ends of chains, and the fields of `Chains`, of chains that hold a source."""
    n = indptr.size - 1
    is_end = np.empty(n, dtype=np.bool_)
    for v in range(n):
        is_end[v] = indptr[v + 1] - indptr[v] != 2
    seen = is_end.copy()
    for a in range(n):  # chains that come back to where they start
        if stopped(stop):
            break
        if is_end[a]:
            for p in range(indptr[a], indptr[a + 1]):
                if not seen[indices[p]]:
                    _cut_if_closed(indptr, indices, is_end, seen, a, p)
    for a in range(n):  # cycles
        if stopped(stop):
            break
        if not seen[a]:
            is_end[a] = seen[a] = True
            _cut_if_closed(indptr, indices, is_end, seen, a, indptr[a])
    chains = nodes = written = 0
    for counting in (True, False):
        if not counting:
            near, far = np.empty(chains, dtype=np.int32), np.empty(chains, dtype=np.int32)
            start, span = np.zeros(chains + 1, dtype=np.int64), np.empty(chains)
            rows = np.empty(written, dtype=np.int32)
            arcs = np.empty(written, dtype=np.int64)
            weights, place = np.empty(written), np.empty(written)
            chains = nodes = 0
        for a in range(n):
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
                    if not counting:
                        rows[nodes], arcs[nodes] = v, back
                        weights[nodes], place[nodes] = alpha[v], away
                    nodes += 1
                    tail, v = v, indices[arc]
                written = max(written, nodes)
                if total == 0:  # no chain, or one without a source, that the next one replaces
                    nodes = first
                    continue
                if not counting:
                    near[chains], far[chains], start[chains + 1] = a, v, nodes
                    span[chains] = away + (lengths[arc] if lengths.size else 1.0)
                chains += 1
    return (
        is_end,
        near,
        far,
        start,
        rows[:nodes],
        arcs[:nodes],
        weights[:nodes],
        place[:nodes],
        span,
    )


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
