"""The two products on a weighted graph, one source at a time: distances, counts, dependencies.

    distance   d(v) = min over u of d(u) + w(u, v)
    tight      d(u) + w(u, v) <= d(v) + rtol d(v)
    forward    sigma(v) = sum of sigma(u) over tight u -> v
    backward   delta(u) = sigma(u) * sum of g(v) over tight u -> v,   g = (omega + delta) / sigma
    arcs       eb(u -> v) += alpha sigma(u) g(v)  over tight u -> v
    stress     lambda(u) = sum of h(v) over tight u -> v,   h = omega + lambda
               stress += alpha sigma lambda

Nodes are settled in an order in which tight edges run forward, or sorted into one where the
distances from several sources were found at once; each product is a walk over that order. Forward
keeps the tight edges that it finds, and backward walks those alone; the sums of g take the place of
d.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from ....graph.edge_weights import MIN_GAIN
from ....jit import kernel
from . import brandes_weighted_extended
from .radix_sort import arrange, take_columns
from .simd import LANES
from .sssp_batch import complete, relax
from .sssp_buckets import Queue, by_buckets, by_sorted_buckets

ONE = np.uint32(1)
DONE, STOPPED, TOO_FAR, TOO_SHORT = 0, 1, 2, 3


class Rule(NamedTuple):
    """When paths tie, and what is refused: `lengths.Lengths` has the meaning of each."""

    rtol: float
    limit: float
    clear: float


class Paths(NamedTuple):
    """State of a single source."""

    out_indptr: NDArray[np.int64]
    out_indices: NDArray[np.int32]
    out_lengths: NDArray[np.float64]
    in_indptr: NDArray[np.int64]
    in_indices: NDArray[np.int32]
    in_lengths: NDArray[np.float64]
    rule: Rule
    queue: Queue
    counts: bool  # paths are counted as nodes are settled
    omega: NDArray[np.floating[Any]]  # (n,) weight of each node as a target
    sigma: NDArray[np.floating[Any]]  # (n,) path counts, or their mantissas
    exponent: NDArray[np.int64]  # (n,) their exponents beyond the range of floats, else empty
    distance: NDArray[np.float64]  # (n,) infinite in between; in backward, the sums of g
    order: NDArray[np.int32]  # (n,) nodes as they were settled
    tails: NDArray[np.int32]  # (arcs + 1,) tails of the tight edges, by head in that order
    entries: NDArray[np.int64]  # (arcs + 1,) the tight edges' entries in A', with arcs
    starts: NDArray[np.int64]  # (n + 1,) tails of order[i] lie at starts[i]:starts[i + 1]
    beyond: NDArray[np.float64]  # (n,) sums of h, with stress
    max_sigma: NDArray[np.float64]  # (1,) largest path count met
    fault: NDArray[np.int64]  # (2,) tail and head of an edge that is too short
    dependency: NDArray[np.float64]  # (n,) sums of alpha * delta over all sources so far, if wanted
    squares: NDArray[np.float64]  # (n,) sums of alpha * delta**2, if wanted
    arcs: NDArray[np.float64]  # (arcs,) sums of alpha sigma(u) g(v) by entry of A', if wanted
    stress: NDArray[np.float64]  # (n,) sums of alpha sigma lambda, if wanted
    stop: NDArray[np.uint8]  # (1,) set from outside to end early


@kernel
def run(paths, sources, alpha, ends):
    """Sweep the sources one after the other; DONE, or why not.

    ``ends`` gets the pairs that end or begin at each node, unless it is empty.
    """
    for j in range(sources.size):
        count, farthest, most = settle(paths, sources[j])
        outcome = sweep(paths, count, farthest, most, paths.counts, alpha[j], ends)
        if outcome != DONE:
            return outcome
    return DONE


@kernel
def run_together(paths, rows, memory, sources, alpha, ends):
    """Sweep sources that lie close together, whose distances are found at once; as `run`."""
    complete(paths.order, settle(paths, sources[0])[0], paths.distance)
    if not relax(
        paths.out_indptr,
        paths.out_indices,
        paths.out_lengths,
        sources,
        rows,
        paths.order,
        paths.stop,
    ):
        return run(paths, sources, alpha, ends)
    for j in range(sources.size):
        if j % LANES == 0:
            take_columns(rows.distance, j, memory.columns)
        count, farthest = arrange(memory, j % LANES, paths.distance, paths.order)
        outcome = sweep(paths, count, farthest, 1.0, False, alpha[j], ends)
        if outcome != DONE:
            return outcome
    return DONE


@register_jitable
def sweep(paths, count, farthest, most, is_counted, alpha, ends):
    """Count the paths to the nodes in order, unless they are counted, and accumulate."""
    order = paths.order[:count]
    if paths.stop[0]:
        return STOPPED
    if farthest > paths.rule.limit:
        return TOO_FAR
    if farthest > paths.rule.clear and has_fault(paths, order):
        return TOO_SHORT
    if paths.exponent.size:
        brandes_weighted_extended.forward(paths, order)
        brandes_weighted_extended.backward(paths, order, alpha)
    else:
        if not is_counted:
            most = forward(
                paths.in_indptr,
                paths.in_indices,
                paths.in_lengths,
                order,
                paths.distance,
                paths.rule.rtol,
                paths.sigma,
                paths.tails,
                paths.entries,
                paths.starts,
            )
        most = max(most, backward(paths, order, alpha))
        paths.max_sigma[0] = max(paths.max_sigma[0], most)
    if ends.size:
        for v in order[1:]:
            ends[v] += paths.omega[v]
            ends[order[0]] += paths.omega[v]
    return DONE


@register_jitable
def settle(paths, source):
    """Find all distances and the order; returns what the two ways do."""
    queue = paths.queue
    if queue.distances.size:
        return by_sorted_buckets(
            paths.out_indptr,
            paths.out_indices,
            paths.out_lengths,
            source,
            paths.distance,
            paths.order,
            queue.heads,
            queue.following,
            queue.nodes,
            queue.distances,
            queue.heap_keys,
            queue.heap_nodes,
            queue.per_width,
            paths.stop,
        )
    return by_buckets(
        paths.out_indptr,
        paths.out_indices,
        paths.out_lengths,
        source,
        paths.distance,
        paths.order,
        queue.heads,
        queue.marks,
        queue.following,
        queue.nodes,
        queue.per_width,
        paths.stop,
        paths.counts,
        paths.rule.rtol,
        paths.sigma,
        paths.tails,
        paths.entries,
        paths.starts,
    )


@register_jitable
def has_fault(paths, order):
    """Find a tight edge u -> v with d(v) - d(u) below `MIN_GAIN` of its length."""
    distance = paths.distance
    for u in order:
        for p in range(paths.out_indptr[u], paths.out_indptr[u + 1]):
            v, length = paths.out_indices[p], paths.out_lengths[p]
            if (
                distance[u] + length <= distance[v] + paths.rule.rtol * distance[v]
                and distance[v] - distance[u] < MIN_GAIN * length
            ):
                paths.fault[0], paths.fault[1] = u, v
                return True
    return False


@register_jitable
def forward(indptr, indices, lengths, order, distance, rtol, sigma, tails, entries, starts):
    """Count the paths to each node along its tight edges, and keep those; returns the most."""
    tight = 0
    max_sigma = 1.0
    for i in range(order.size):
        v = np.uint32(order[i])
        bound = distance[v] + rtol * distance[v]
        starts[i] = tight
        paths = 0.0 if i else 1.0
        for p in range(indptr[v], indptr[v + ONE]):
            u = np.uint32(indices[p])
            is_tight = distance[u] + lengths[p] <= bound
            through = np.float64(sigma[u])  # read in any case: a branch would cost more
            tails[tight] = u
            if entries.size:
                entries[tight] = p
            tight += is_tight
            paths += through if is_tight else 0.0
        sigma[v] = paths
        max_sigma = max(max_sigma, paths)
    starts[order.size] = tight
    return max_sigma


@register_jitable
def backward(paths, order, alpha):
    """Hand g and h down the tight edges, from the farthest head to the nearest.

    ``below`` holds distances at first and is infinite in the end. The source is first in the
    order: what it depends on itself for is not part of its score. Returns the most paths that run
    through a node, if they are counted.
    """
    starts, tails, entries = paths.starts, paths.tails, paths.entries
    sigma, omega = paths.sigma, paths.omega
    below, beyond = paths.distance, paths.beyond
    dependency, squares, arcs, stress = paths.dependency, paths.squares, paths.arcs, paths.stress
    g = h = most = 0.0
    for v in order:
        below[v] = 0
        if stress.size:
            beyond[v] = 0
    for i in range(order.size - 1, 0, -1):
        v = np.uint32(order[i])
        if dependency.size:
            delta = sigma[v] * below[v]
            dependency[v] += alpha * delta
            if squares.size:
                squares[v] += alpha * delta * delta
            g = (omega[v] + delta) / sigma[v]
        if stress.size:
            passing = alpha * (sigma[v] * beyond[v])
            stress[v] += passing
            most = max(most, passing)
            h = omega[v] + beyond[v]
        for p in range(starts[i], starts[i + 1]):
            u = np.uint32(tails[p])
            if dependency.size:
                below[u] += g
            if arcs.size:
                arcs[entries[p]] += alpha * (sigma[u] * g)
            if stress.size:
                beyond[u] += h
        below[v] = np.inf
    below[order[0]] = np.inf
    return most
