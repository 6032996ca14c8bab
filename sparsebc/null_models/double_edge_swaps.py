"""Markov chain of double edge swaps, uniform over the simple graphs of given degrees.

A try draws two edges and exchanges two of their ends, unless that makes a loop or a multiple edge:
then the graph stays, and the try counts. Transitions are symmetric, so that the stationary
distribution is uniform [1]_. On digraphs, swaps of heads reach all graphs only together with
reversals of directed 3-cycles [2]_.

.. [1] B. K. Fosdick, D. B. Larremore, J. Nishimura and J. Ugander, "Configuring random graph models
   with fixed degree sequences", SIAM Review 60, 315-355 (2018), doi:10.1137/16M1087175
.. [2] A. R. Rao, R. Jana and S. Bandyopadhyay, "A Markov chain Monte Carlo method for generating
   random (0,1)-matrices with given marginals", Sankhya A 58, 225-242 (1996)
"""

# mypy: disable-error-code="no-untyped-def"

import numpy as np
from numpy.typing import NDArray

from ..engines.cpu.common.random import below
from ..engines.cpu.common.simd import prefetch
from ..jit import inlined, kernel, stopped, subroutine
from ..matrix.csr import NEXT, row_of

# Tries whose edges and hash table slots are prefetched at a time.
TOGETHER = 16
# On a digraph, a try is the reversal of a 3-cycle with probability 1 / REVERSALS.
REVERSALS = np.uint64(8)
# Slots of the hash table per edge: the load factor is between 1 / (2 ROOM) and 1 / ROOM.
ROOM = 4
EMPTY = np.uint64(2**64 - 1)
GOLDEN = np.uint64(0x9E3779B97F4A7C15)  # 2**64 / golden ratio, of Fibonacci hashing
ONE, HALF = np.uint64(1), np.uint64(32)


def rewired(
    ends: NDArray[np.int32],
    indptr: NDArray[np.int64],
    tries: int,
    stream: NDArray[np.uint64],
    stop: NDArray[np.uint8],
) -> NDArray[np.int32]:
    """Ends (m, 2) of the edges after ``tries``, in the order of the edges given.

    Of a digraph, edges are sorted by tail, with rows ``indptr``, and keep their tails; of an
    undirected graph ``indptr`` is empty. ``stream`` is that of the random numbers (`random`).
    """
    table = np.full(1 << (ROOM * len(ends)).bit_length(), EMPTY)
    ends, stream = ends.copy(), stream.copy()
    if len(ends):
        drawn = np.empty((TOGETHER, 3), dtype=np.uint64)
        _rewire(ends, indptr, tries, stream, table, drawn, stop)
    return ends


@kernel
def _rewire(ends, indptr, tries, stream, table, drawn, stop):
    """Swap ends in place; ``table`` is a hash table of the edges with linear probing."""
    m, directed = np.uint64(ends.shape[0]), indptr.size > 0
    for place in range(m):
        key = _key(ends[place, 0], ends[place, 1], directed)
        table[_slot(table, key)] = key
    for first in range(0, tries, TOGETHER):
        if stopped(stop):
            break
        count = min(TOGETHER, tries - first)
        for i in range(count):
            drawn[i, 0], drawn[i, 1] = below(stream, m), below(stream, m)
            drawn[i, 2] = below(stream, REVERSALS)
            prefetch(ends, np.int64(drawn[i, 0]) << 1)
            prefetch(ends, np.int64(drawn[i, 1]) << 1)
        for i in range(count):  # the slots of the edges that a try would remove and insert
            a, b, c, d = _chosen(ends, drawn[i], directed)
            for tail, head in ((a, b), (c, d), (a, d), (c, b)):
                prefetch(table, np.int64(_home(table, _key(tail, head, directed))))
        for i in range(count):
            _try(ends, indptr, stream, table, drawn[i], directed)


@inlined
def _chosen(ends, drawn, directed):
    """Ends a, b and c, d of the two edges of a try."""
    a, b = ends[drawn[0], 0], ends[drawn[0], 1]
    c, d = ends[drawn[1], 0], ends[drawn[1], 1]
    if not directed and drawn[2] & ONE:  # a random orientation of the second edge
        c, d = d, c
    return a, b, c, d


@subroutine
def _try(ends, indptr, stream, table, drawn, directed):
    """Swap the heads of two edges, or reverse a 3-cycle, if that leaves the graph simple."""
    e, f = drawn[0], drawn[1]
    if directed and drawn[2] == 0:
        _reverse(ends, indptr, stream, table, e)
        return
    a, b, c, d = _chosen(ends, drawn, directed)
    there, back = _key(a, d, directed), _key(c, b, directed)
    if a == d or c == b or _is_in(table, there) or _is_in(table, back):
        return
    _remove(table, _key(a, b, directed))
    _remove(table, _key(c, d, directed))
    table[_slot(table, there)] = there
    table[_slot(table, back)] = back
    ends[e, 1] = d
    ends[f, 0], ends[f, 1] = c, b


@subroutine
def _reverse(ends, indptr, stream, table, e):
    """Reverse the 3-cycle u -> v -> w -> u of edge e = (u, v) and a drawn edge of v, if any.

    Its probability, 1/m times the sum of 1/out-degree over its nodes, is that of the way back.
    """
    u, v = ends[e, 0], ends[e, 1]
    row = np.uint32(v)
    degree = np.uint64(indptr[row + NEXT] - indptr[row])
    if degree == 0:
        return
    f = np.uint64(indptr[row]) + below(stream, degree)
    w = ends[f, 1]
    if w == u or not _is_in(table, _key(w, u, True)):
        return
    if (
        _is_in(table, _key(v, u, True))
        or _is_in(table, _key(w, v, True))
        or _is_in(table, _key(u, w, True))
    ):
        return
    for g in row_of(indptr, np.uint32(w)):
        if ends[g, 1] == u:
            for tail, head in ((u, v), (v, w), (w, u)):
                _remove(table, _key(tail, head, True))
                back = _key(head, tail, True)
                table[_slot(table, back)] = back
            ends[e, 1], ends[f, 1], ends[g, 1] = w, u, v
            return


@inlined
def _key(tail, head, directed):
    """Hash key of an edge, the same for both directions unless ``directed``."""
    if not directed and tail > head:
        tail, head = head, tail
    return np.uint64(tail) << HALF | np.uint64(head)


@inlined
def _home(table, key):
    """First slot that is probed for a key."""
    return ((key * GOLDEN) >> HALF) & np.uint64(table.size - 1)


@inlined
def _slot(table, key):
    """Slot of a key, or the empty one where it may be inserted."""
    at, mask = _home(table, key), np.uint64(table.size - 1)
    while table[at] != EMPTY and table[at] != key:
        at = (at + ONE) & mask
    return at


@inlined
def _is_in(table, key):
    return table[_slot(table, key)] == key


@subroutine
def _remove(table, key):
    """Remove a key that is in the table, and shift later keys of its probe sequence back."""
    at = gap = _slot(table, key)
    mask = np.uint64(table.size - 1)
    while True:
        at = (at + ONE) & mask
        if table[at] == EMPTY:
            break
        if ((at - _home(table, table[at])) & mask) >= ((at - gap) & mask):
            table[gap] = table[at]
            gap = at
    table[gap] = EMPTY
