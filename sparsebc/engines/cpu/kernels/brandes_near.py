"""The two products by length from eight near sources at once, on a deep graph.

As `brandes_weighted`, a row of eight reals for each node. Near sources have nearly the same order
of nodes, so nodes are numbered in that of a search from one of them, each with its arcs, and every
product takes the lowest number that waits:

    distance   d(v) = min over u of d(u) + w(u, v); where d falls, v waits
    forward    sigma(v) = sum of sigma(u) over tight u -> v, with as many columns as are known
    backward   sum_g(u) = sum of g(v) over tight u -> v, likewise, the highest number first

A row that is looked at before all that it needs is known waits again once more of that is. A tight
edge turns against the order only where two ways around are about as long, so few rows are looked
at twice, and what is known of them in the end is one and the same in any order, to the bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba.extending import register_jitable
from numpy.typing import NDArray

from ....jit import inlined, kernel
from .brandes_weighted import DONE, STOPPED
from .brandes_weighted import run as run_alone
from .simd import LANES, aligned, lower, lowest
from .simd_rows import along, depend, from_heads, from_tails, keep, pass_on
from .sssp_batch import complete
from .sssp_heap import sssp

# Rows handed on, for each row, after which a search from each source alone is faster.
MAX_WORK = 6
MARK, NEXT = np.uint64(1), np.uint32(1)
BITS, WORD = 6, 64  # marks in a word
ALL = np.uint8(255)


class Arcs(NamedTuple):
    """Rows of a pattern as nodes are numbered for a group."""

    indptr: NDArray[np.int64]  # (n + 1,)
    indices: NDArray[np.int32]  # (arcs,)
    lengths: NDArray[np.float64]  # (arcs,)


class Near(NamedTuple):
    """A graph in the order of a search, and a row of eight columns for each of its nodes."""

    symmetric: bool
    place: NDArray[np.int32]  # (n,) number of each node
    outgoing: Arcs
    incoming: Arcs  # the same arrays, if the graph is symmetric
    entries: NDArray[np.int64]  # (arcs,) entry in A' of each outgoing arc, with sums over arcs
    waiting: NDArray[np.uint64]  # a bit for each number
    unknown: NDArray[np.uint8]  # (n,) columns whose value is not yet that of the end
    again: NDArray[np.uint8]  # (n,) whether a row was looked at with too little known
    starts: NDArray[np.uint8]  # (n,) columns whose source it is
    distance: NDArray[np.float64]  # (8 * n,)
    sigma: NDArray[np.floating[Any]]  # (8 * n,) path counts
    g: NDArray[np.floating[Any]]  # (8 * n,)
    h: NDArray[np.float64]  # (8 * n,) with stress
    alpha: NDArray[np.float64]  # (8,) weights of the sources
    others: NDArray[np.float64]  # (8,) those at a node that is a source itself, without its own
    total: NDArray[np.float64]  # (8,) what is added up
    most: NDArray[np.float64]  # (8,) largest path count met


def near_bytes(n: int, arcs: int, symmetric: bool, names: frozenset[str], itemsize: int) -> int:
    """Memory of the state of a graph's groups."""
    rows = LANES * (8 + 2 * itemsize + 8 * ("stress" in names)) + 4 + 3 + 1
    patterns = (1 if symmetric else 2) * (8 * n + 12 * arcs)
    return n * rows + patterns + 8 * arcs * ("arcs" in names)


def empty_near(
    n: int, arcs: int, symmetric: bool, names: frozenset[str], real: np.dtype[Any]
) -> Near:
    """State of no group yet."""

    def pattern() -> Arcs:
        return Arcs(np.empty(n + 1, np.int64), np.empty(arcs, np.int32), np.empty(arcs))

    outgoing = pattern()
    return Near(
        symmetric,
        np.empty(n, dtype=np.int32),
        outgoing,
        outgoing if symmetric else pattern(),
        np.empty(arcs if "arcs" in names else 0, dtype=np.int64),
        np.zeros(n // WORD + 1, dtype=np.uint64),
        *np.zeros((3, n), dtype=np.uint8),
        aligned(LANES * n, np.float64),
        aligned(LANES * n, real),
        aligned(LANES * n, real),
        aligned(LANES * n if "stress" in names else 0, np.float64),
        *(aligned(LANES, np.float64) for _ in range(4)),
    )


@kernel
def run(near, paths, places, sources, alpha):
    """Sweep a group of sources that lie close together: DONE, or why not.

    ``places``: the entry in A' of each of A, with sums over arcs.
    """
    search = paths.search
    complete(search, sssp(search, sources[0], paths.tight, None)[0])
    number(near, search, paths, places)
    for j in range(0, sources.size, LANES):
        if search.stop[0]:
            return STOPPED
        if not sweep(near, paths, sources[j : j + LANES], alpha[j : j + LANES]):
            return run_alone(paths, sources[j:], alpha[j:])
    return DONE


@register_jitable
def number(near, search, paths, places):
    """Number the nodes in the order of a search, and their arcs with them."""
    order = search.order
    for i in range(order.size):
        near.place[order[i]] = i
    _arrange(order, near.place, search.indptr, search.indices, search.lengths, near.outgoing)
    if not near.symmetric:
        indptr, indices, lengths = paths.in_indptr, paths.in_indices, paths.in_lengths
        _arrange(order, near.place, indptr, indices, lengths, near.incoming)
    if near.entries.size:
        count = 0
        for v in order:
            for p in range(search.indptr[v], search.indptr[v + 1]):
                near.entries[count] = places[p]
                count += 1


@register_jitable
def _arrange(order, place, indptr, indices, lengths, arcs):
    """Copy the rows of a pattern in an order."""
    count = 0
    for i in range(order.size):
        arcs.indptr[i] = count
        v = np.uint32(order[i])
        for p in range(indptr[v], indptr[v + NEXT]):
            arcs.indices[count] = place[np.uint32(indices[p])]
            arcs.lengths[count] = lengths[p]
            count += 1
    arcs.indptr[order.size] = count


@register_jitable
def sweep(near, paths, sources, alpha):
    """Both products from up to eight sources; False, and nothing done, if that takes too long."""
    near.alpha[:] = 0
    for j in range(sources.size):
        near.alpha[j] = alpha[j]
    done = relax(near, sources)
    if done:
        forward(near, paths.tight.rtol)
        if paths.sums.ends.size:
            count_ends(near, paths)
        backward(near, paths)
    for j in range(sources.size):
        near.starts[near.place[sources[j]]] = 0
    return done


@register_jitable
def relax(near, sources):
    """Distances from the sources; False, and none, if that takes too long."""
    arcs, distance, waiting = near.outgoing, near.distance, near.waiting
    distance[:] = np.inf
    for j in range(sources.size):
        v = np.int64(near.place[sources[j]])
        distance[LANES * v + j] = 0
        near.starts[v] |= np.uint8(1 << j)
        wait(waiting, v)
    word = work = 0
    while word < waiting.size and work <= MAX_WORK * near.place.size:
        if not waiting[word]:
            word += 1
            continue
        u = take(waiting, word)
        work += 1
        for p in range(arcs.indptr[u], arcs.indptr[u + NEXT]):
            v = np.uint32(arcs.indices[p])
            if lower(distance, np.int64(v) * LANES, np.int64(u) * LANES, arcs.lengths[p]):
                wait(waiting, v)
                word = min(word, np.int64(v) >> BITS)
    if word < waiting.size:
        waiting[:] = 0
    return word == waiting.size


@register_jitable
def forward(near, rtol):
    """Count the paths to each node along its tight arcs."""
    arcs, waiting = near.incoming, near.waiting
    all_wait(near)
    word = 0
    while word < waiting.size:
        if not waiting[word]:
            word += 1
            continue
        v = take(waiting, word)
        missing = from_tails(
            *(near.total, near.sigma, near.unknown, near.distance),
            *(v, arcs.indices, arcs.lengths, arcs.indptr[v], arcs.indptr[v + NEXT], rtol),
        )
        if near.starts[v]:
            for j in range(LANES):
                if near.starts[v] >> j & 1:
                    near.total[j] = 1
        keep(near.sigma, v, near.total)
        word = min(word, learn(near, near.outgoing, v, missing, False))


@register_jitable
def backward(near, paths):
    """Hand g and h down the tight arcs, and add up what the sources give to each node."""
    arcs, waiting, sums, order = near.outgoing, near.waiting, paths.sums, paths.search.order
    rtol, last = paths.tight.rtol, order.size - 1
    all_wait(near)
    near.most[:] = 0
    word = 0
    missing = np.uint8(0)
    while word < waiting.size:
        if not waiting[word]:
            word += 1
            continue
        v = np.uint32(last - take(waiting, word))
        first, end = arcs.indptr[v], arcs.indptr[v + NEXT]
        alpha = near.alpha
        if near.starts[v]:
            alpha = near.others
            for j in range(LANES):
                alpha[j] = 0 if near.starts[v] >> j & 1 else near.alpha[j]
        node = np.uint32(order[v])
        omega = np.float64(paths.omega[node])
        depending = squared = passed = 0.0
        if sums.dependency.size:
            missing = from_heads(
                *(near.total, near.g, near.unknown, near.distance),
                *(v, arcs.indices, arcs.lengths, first, end, rtol),
            )
            depending, squared = depend(
                near.sigma, near.g, v, near.total, omega, alpha, near.most
            )
        if sums.stress.size:
            missing = from_heads(
                *(near.total, near.h, near.unknown, near.distance),
                *(v, arcs.indices, arcs.lengths, first, end, rtol),
            )
            passed = pass_on(near.sigma, near.h, v, near.total, omega, alpha, near.most)
        if not missing:
            if sums.dependency.size:
                sums.dependency[node] += depending
            if sums.squares.size:
                sums.squares[node] += squared
            if sums.stress.size:
                sums.stress[node] += passed
            if sums.arcs.size:
                for p in range(first, end):
                    sums.arcs[near.entries[p]] += along(
                        *(near.sigma, near.g, near.distance),
                        *(v, arcs.indices[p], arcs.lengths[p], rtol, near.alpha),
                    )
        word = min(word, learn(near, near.incoming, v, missing, True))
    for j in range(LANES):
        paths.max_sigma[0] = max(paths.max_sigma[0], near.most[j])


@register_jitable
def count_ends(near, paths):
    """Each pair (s, t), t reached from s, counts alpha(s) omega(t) at s and t."""
    order, ends = paths.search.order, paths.sums.ends
    near.total[:] = 0
    for v in range(order.size):
        omega = paths.omega[order[v]]
        for j in range(LANES):
            if near.distance[LANES * v + j] < np.inf and not near.starts[v] >> j & 1:
                ends[order[v]] += near.alpha[j] * omega
                near.total[j] += near.alpha[j] * omega
    for v in range(order.size):
        for j in range(LANES):
            if near.starts[v] >> j & 1:
                ends[order[v]] += near.total[j]


@inlined
def learn(near, others, v, missing, falling):
    """Note which columns of row v are known; returns the first word in which a row waits.

    Those that lacked one of them wait again, by ``falling`` number or by rising.
    """
    word = near.waiting.size
    near.again[v] = missing != 0
    if missing == near.unknown[v]:
        return word
    near.unknown[v] = missing
    for p in range(others.indptr[v], others.indptr[v + NEXT]):
        u = np.uint32(others.indices[p])
        if near.again[u]:
            turn = near.place.size - 1 - np.int64(u) if falling else np.int64(u)
            wait(near.waiting, turn)
            word = min(word, turn >> BITS)
    return word


@register_jitable
def all_wait(near):
    """Every row is to be looked at, and no column is known."""
    n = near.place.size
    near.unknown[:] = ALL
    near.again[:] = 0
    near.waiting[:] = ~np.uint64(0)
    near.waiting[n >> BITS] = (MARK << np.uint64(n & (WORD - 1))) - MARK


@inlined
def wait(waiting, turn):
    """Mark a number."""
    waiting[turn >> BITS] |= MARK << np.uint64(turn & (WORD - 1))


@inlined
def take(waiting, word):
    """The lowest number that is marked in a word, its mark taken off."""
    left = waiting[word]
    waiting[word] = left & (left - MARK)
    return np.uint32(word * WORD + lowest(left))
