"""Shortest paths drawn at random, by bidirectional breadth-first search.

    (s, t) with P(s, t) = alpha(s) omega(t) / their sum;  a uniform shortest path s -> t
    dependency(v) += 1 for each inner node v of the path

Both searches advance by levels, along the edges from s and against them from t; always the one
whose frontier F has fewer edges. Once the next level would meet the other frontier, each shortest
path has one arc (u, w) from frontier to frontier, and

    P(u, w) = sigma_s(u) sigma_t(w) / sigma_st

If F has many edges and both frontiers few nodes, the nodes of the other frontier are looked up in
the sorted rows of F by binary search. Else, if edges are many, (u, w) is drawn by rejection: a
uniform edge of F, accepted if it leads across with probability sigma_s(u) sigma_t(w) over an upper
bound of this product; if all tries fail, all edges are read. The path is continued node by node
towards both ends, by P(x) = sigma(x) / sigma(v) for x before v. The method is KADABRA's: M. Borassi
and E. Natale, arXiv:1604.08553. Only ratios of counts within a level matter, so that a level may be
scaled to keep them in the range of floats.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import inlined, kernel, stopped, subroutine
from ...matrix.csr import CSR, row_of
from ..common.sums import PairSamples
from .common.random import begin_stream, below, bits, uniform
from .common.state import DONE, STOPPED, array

# Upper bound of path counts, kept by scaling: a product of two is in the range of floats.
LARGEST = 2.0**480
# Samples of a batch, and those that are drawn between two tests of the stop flag.
SAMPLES, SAMPLES_PER_POLL = 512, 16
# Arcs of a row that are read in the time of a binary search.
SEARCH = 64
# Rejection is tried on at least MANY edges of a frontier, at least EACH per node of both frontiers;
# one try per PER_TRY edges.
MANY, EACH, PER_TRY = 4096, 8, 16
# Upper bound of marks, which distinguish levels from those of earlier samples.
MARKS = 2**31 - 1


class PathState(NamedTuple):
    """State of one search, from both ends."""

    outgoing: CSR
    incoming: CSR
    pairs: PairSamples
    growth: float  # upper bound of the ratio of the largest path counts of two levels
    dependency: NDArray[np.float64]  # (n,) paths through each node
    stop: NDArray[np.uint8]  # (1,) as `jit.stopped` reads it
    stream: Any = array(np.uint64, 1)  # of random numbers
    base: Any = array(np.int32, 1)  # mark of level 0, larger than all earlier marks; 0 at first
    # (n,) base + level if reached from s, -(base + level) if reached from t
    mark: Any = array(np.int32, "n")
    sigma: Any = array(np.float64, "n")
    queue: Any = array(np.int32, "n")  # nodes reached from s from the front, from t from the back
    ends: Any = array(np.int64, "n")  # inclusive prefix sums of the degrees of a frontier


@kernel
def run(state, samples):
    """Draw the samples of these numbers."""
    for number in samples:
        if number % SAMPLES_PER_POLL == 0 and stopped(state.stop):
            return STOPPED
        s, t = drawn_pair(state.pairs, state.stream, number)
        if s != t:
            draw_path(state, s, t)
    return DONE


@subroutine
def drawn_pair(pairs, stream, number):
    """Rows of the source and the target of a sample, in one component."""
    begin_stream(stream, pairs.seed, number)
    c, components = 0, pairs.weight.size
    if components > 1:
        r = uniform(stream) * pairs.weight[components - 1]
        c = np.searchsorted(pairs.weight, r, side="right")
    s = drawn_end(stream, pairs.sources, pairs.source_ends, pairs.source_start[c : c + 2])
    t = drawn_end(stream, pairs.targets, pairs.target_ends, pairs.target_start[c : c + 2])
    return s, t


@subroutine
def drawn_end(stream, rows, ends, component):
    """A row of a component, drawn by its weight."""
    first, last = component
    if ends.size == 0:
        return np.int64(rows[first + np.int64(below(stream, last - first))])
    before = ends[first - 1] if first > 0 else 0.0
    r = before + uniform(stream) * (ends[last - 1] - before)
    i = first + np.searchsorted(ends[first:last], r, side="right")
    return np.int64(rows[min(i, last - 1)])


@subroutine
def draw_path(state, s, t):
    """Draw a path from s to t, if there is one, and count its inner nodes."""
    n = np.int32(state.mark.size)
    if state.base[0] == 0 or state.base[0] >= MARKS - n - 2:
        state.mark[:] = 0
        state.base[0] = 1
    base, queue = state.base[0], state.queue
    state.mark[s], state.mark[t] = base, -base
    state.sigma[s] = state.sigma[t] = 1.0
    queue[0], queue[n - 1] = s, t
    out, back = state.outgoing, state.incoming
    # Each frontier: its slice of the queue, level, number of edges, bound of the path counts.
    low, high, level, edges, most = 0, 1, np.int32(0), degree(out, s), 1.0
    low_t, high_t, level_t, edges_t, most_t = 0, 1, np.int32(0), degree(back, t), 1.0
    u = w = np.int64(-1)
    while high > low and high_t > low_t:
        if edges <= edges_t:
            here, across = base + level, -(base + level_t)
            most = scaled(state, low, high, 1, most)
            found, u, w = meet(state, out, low, high, 1, low_t, high_t, edges, across)
            if not found:
                last, edges, u, w = advance(state, out, low, high, 1, here, across)
                low, high = high, last
                level += np.int32(1)
        else:
            here, across = -(base + level_t), base + level
            most_t = scaled(state, low_t, high_t, -1, most_t)
            found, w, u = meet(state, back, low_t, high_t, -1, low, high, edges_t, across)
            if not found:
                last, edges_t, w, u = advance(state, back, low_t, high_t, -1, here, across)
                low_t, high_t = high_t, last
                level_t += np.int32(1)
        if u >= 0:
            walk(state, out, back, u, s, -1)
            walk(state, back, out, w, t, 1)
            break
    state.base[0] += max(level, level_t) + 2


@inlined
def degree(pattern, v):
    """Number of edges of a row."""
    return pattern.indptr[v + 1] - pattern.indptr[v]


@inlined
def position(state, i, side):
    """Index in the queue of the i-th node reached from s (side 1) or from t (side -1)."""
    return i if side > 0 else state.queue.size - 1 - i


@subroutine
def scaled(state, low, high, side, most):
    """Scale a frontier's counts if those of the next level may overflow; returns their bound."""
    if most * state.growth > LARGEST:
        factor = 2.0 ** -math.floor(math.log2(largest(state, low, high, side)))
        for i in range(low, high):
            state.sigma[state.queue[position(state, i, side)]] *= factor
        most = 2.0
    return most * state.growth


@subroutine
def meet(state, pattern, low, high, side, low_t, high_t, edges, across):
    """An arc (x, v) between the frontiers, by binary search or rejection; whether one was drawn."""
    nodes, others = high - low, high_t - low_t
    if nodes * others * SEARCH < edges:
        x, v = searched(state, pattern, low, high, side, low_t, high_t)
    elif edges >= max(MANY, EACH * (nodes + others)):
        x, v = guessed(state, pattern, low, high, side, low_t, high_t, edges, across)
    else:
        x = v = np.int64(-1)
    return x >= 0, x, v


@subroutine
def searched(state, pattern, low, high, side, low_t, high_t):
    """An arc (x, v) between the frontiers, by binary search in rows; -1 if there is none."""
    sigma, total = state.sigma, 0.0
    x = v = np.int64(-1)
    for i in range(low, high):
        u = state.queue[position(state, i, side)]
        for j in range(low_t, high_t):
            w = state.queue[position(state, j, -side)]
            if has(pattern, u, w):
                weight = sigma[u] * sigma[w]
                total += weight
                if uniform(state.stream) * total <= weight:
                    x, v = np.int64(u), np.int64(w)
    return x, v


@subroutine
def has(pattern, u, w):
    """Whether w is in row u, which is sorted, by binary search."""
    low, high = pattern.indptr[u], pattern.indptr[u + 1]
    while low < high:
        middle = low + (high - low) // 2
        there = pattern.indices[middle]
        if there == w:
            return True
        if there < w:
            low = middle + 1
        else:
            high = middle
    return False


@subroutine
def largest(state, low, high, side):
    """Largest path count of a frontier."""
    most = 0.0
    for i in range(low, high):
        most = max(most, state.sigma[state.queue[position(state, i, side)]])
    return most


@subroutine
def guessed(state, pattern, low, high, side, low_t, high_t, edges, across):
    """An arc (x, v) between the frontiers, by rejection; -1 if all tries fail."""
    sigma, ends, end = state.sigma, state.ends[: high - low], 0
    for i in range(high - low):
        u = state.queue[position(state, low + i, side)]
        end += degree(pattern, u)
        ends[i] = end
    top = largest(state, low, high, side) * largest(state, low_t, high_t, -side)
    for _ in range(edges // PER_TRY):
        at = min(np.int64(uniform(state.stream) * edges), edges - 1)
        share = uniform(state.stream) * top
        i = np.searchsorted(ends, at, side="right")
        u = state.queue[position(state, low + i, side)]
        w = pattern.indices[pattern.indptr[u + 1] - (ends[i] - at)]
        if state.mark[w] == across and share < sigma[u] * sigma[w]:
            return np.int64(u), np.int64(w)
    return np.int64(-1), np.int64(-1)


@subroutine
def advance(state, pattern, low, high, side, here, across):
    """F' = (A' F)<not V> and sigma<F'> = A' (sigma<F>), or an arc (x, v) to the other frontier.

    Returns the end of F' in the queue, its number of edges, x and v; -1 if the frontiers do not
    meet.
    """
    mark, sigma, queue = state.mark, state.sigma, state.queue
    base, next_mark = state.base[0], here + np.int32(side)
    end, edges, total = high, 0, 0.0
    x = v = np.int64(-1)
    for i in range(low, high):
        u = np.uint32(queue[position(state, i, side)])
        paths = sigma[u]
        for p in row_of(pattern.indptr, u):
            w = np.uint32(pattern.indices[p])
            there = mark[w]
            if there == across:
                weight = paths * sigma[w]
                total += weight
                if uniform(state.stream) * total <= weight:
                    x, v = np.int64(u), np.int64(w)
            elif x < 0:
                if there == next_mark:
                    sigma[w] += paths
                elif abs(there) < base:
                    mark[w], sigma[w] = next_mark, paths
                    queue[position(state, end, side)] = w
                    end += 1
                    edges += pattern.indptr[w + np.uint32(1)] - pattern.indptr[w]
    return end, edges, x, v


@subroutine
def walk(state, ahead, back, v, end, side):
    """Draw a path from v to ``end`` by sigma, and count its nodes but the end."""
    while v != end:
        state.dependency[v] += 1.0
        wanted, first = state.mark[v] + np.int32(side), state.mark[end]
        if wanted == first:  # the end is alone on its level
            bits(state.stream)
            return
        total, chosen = 0.0, v
        # Level 1 is the row of the end: if short, look its nodes up in the longer row of v.
        searches = wanted == first - side and degree(ahead, end) * SEARCH < degree(back, v)
        pattern, u = (ahead, end) if searches else (back, v)
        for p in row_of(pattern.indptr, np.uint32(u)):
            w = np.uint32(pattern.indices[p])
            if state.mark[w] == wanted and (not searches or has(back, v, w)):
                weight = state.sigma[w]
                total += weight
                if uniform(state.stream) * total <= weight:
                    chosen = np.int64(w)
        v = chosen
