"""MS-BFS: breadth-first searches from many sources at once, by bit masks [Then et al. 2014].

    F_{d+1} = (A' R_d)<not V>,  R_{d+1} = R_{d-1} + F_{d+1},  V = R_{d+1} + R_d

Bit j of row v of R_d says whether source j reaches v on level d, d - 2, d - 4 and so on, and of V
whether it has reached v. An older bit of R_d adds nothing: all neighbours have it. So R_{d+1}
overwrites R_{d-1}: nothing is copied or cleared between levels. Small frontiers are pushed along
outgoing edges, large ones pulled along incoming edges (direction-optimizing [Beamer 2012]). With
c = popcount(F_d[v]) the number of sources that first reach v on level d, the sums are

    reached(v) += c,  total(v) += d c,  harmonic(v) += c / d,  farthest(v) = max d

in the column of the first cutoff that is at least d; levels beyond the last are not searched.

Sources may have weights, integers from 1 on, and a ``beyond``, a distance past the source. Then c
is the sum of the weights, with a mask of columns for each binary digit of weight - 1; and
farthest(v) = max d + beyond, with a mask of columns for each value of beyond.

With a ``table`` of functions, a source has weights c_k by kind of points of interest, of any value,
and the sums over the sources of F_d[v] are

    access_fk(v) += c_k table[d, f]

by bytes of F_d[v]: the weights of all subsets of eight sources are tabulated.

One thread owns the batch: no element has two writers.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import inlined, kernel, stopped, subroutine
from ....matrix.csr import row_of
from ....matrix.graph import Graph
from ..common.short_rows import ROOM, SHORT, Rows, with_records
from ..common.simd import lowest
from .bitset import column, count, load, rows_of, some, store

BYTE = np.uint64(255)


@subroutine
def add(sums, v, depth, count, beyond):
    """Add sources of weight ``count`` that reach node v on a level; ``beyond`` is their maximum."""
    sums.reached[v] += count
    sums.total[v] += depth * count
    sums.harmonic[v] += count / depth
    sums.farthest[v] = max(sums.farthest[v], depth + beyond)


@inlined
def add_places(table, depth, weights, v, sums):
    """Add the weights of one source, by kind, to the sums of node v on a level."""
    for function in range(table.shape[1]):
        value = table[depth, function]
        for kind in range(weights.size):
            sums.values[v, function * weights.size + kind] += value * weights[kind]


@inlined
def add_hit(table, subsets, depth, hit, v, sums):
    """Add the weights of the sources of a mask to the sums of node v on a level."""
    kinds = subsets.shape[2]
    for kind in range(kinds):
        weight = 0.0
        for byte in range(subsets.shape[0]):
            weight += subsets[byte, hit >> np.uint64(8 * byte) & BYTE, kind]
        for function in range(table.shape[1]):
            sums.values[v, function * kinds + kind] += table[depth, function] * weight


@subroutine
def add_subsets(weights, subsets):
    """Fill the weight of each subset of eight sources, from that without its lowest source."""
    for byte in range(subsets.shape[0]):
        for bits in range(1, subsets.shape[1]):
            j = 8 * byte + lowest(np.uint64(bits))
            for kind in range(subsets.shape[2]):
                own = weights[j, kind] if j < weights.shape[0] else 0.0
                subsets[byte, bits, kind] = subsets[byte, bits & (bits - 1), kind] + own


# A frontier of more than one row in PULL_SHARE is pulled by every unfinished row, not pushed.
PULL_SHARE = 8
NO_PREDECESSOR = -9999  # as in scipy.sparse.csgraph
UNREACHED = -1  # level of a node without a path

ONE = np.uint64(1)
DIGITS = 31  # of a weight, which is a number of nodes


class Masks(NamedTuple):
    """State of a batch of up to `NARROW` or `WIDE` sources, the columns of its rows."""

    out: Rows
    in_indptr: NDArray[np.int64]
    in_indices: NDArray[np.int32]
    columns: NDArray[np.uint64]  # (1,) rows: mask of the columns in use
    reached: NDArray[np.uint64]  # (2, n) rows: R_d in reached[d % 2]
    new_count: NDArray[np.int32]  # (n,) weight of the columns in each row of F_d
    new_beyond: NDArray[np.int32]  # (n,) greatest beyond of those, where one is not 0
    digits: NDArray[np.uint64]  # (31,) rows: columns with this digit in their weight less one
    values: NDArray[np.uint64]  # (width,) rows: columns of each value of beyond
    value: NDArray[np.int32]  # (width,) values of beyond, descending
    sizes: NDArray[np.int64]  # (2,) numbers of digits and of values
    rows: NDArray[np.int32]  # (2, n + room) rows of F_d in rows[d % 2]
    # (n,) columns whose level is already counted; used by `levels` and with a table only
    reported: NDArray[np.uint64]
    limits: NDArray[np.int64]  # last level of each column of the sums, ascending
    stop: NDArray[np.uint8]  # (1,) as `jit.stopped` reads it


def row_bytes(width: int) -> int:
    """Bytes of `Masks` per node, its record included."""
    return 2 * width // 8 + 4 * 4 + 8 + 4 * int(SHORT)


def masks(graph: Graph, stop: NDArray[np.uint8], width: int) -> Masks:
    """State for searches in a graph."""
    n = graph.n
    return Masks(
        with_records(graph.outgoing),
        *graph.incoming,
        columns=rows_of(width, 1),
        reached=rows_of(width, 2, n),
        new_count=np.zeros(n, dtype=np.int32),
        new_beyond=np.zeros(n, dtype=np.int32),
        digits=rows_of(width, DIGITS),
        values=rows_of(width, width),
        value=np.zeros(width, dtype=np.int32),
        sizes=np.zeros(2, dtype=np.int64),
        rows=np.zeros((2, n + ROOM), dtype=np.int32),
        reported=np.zeros(n, dtype=np.uint64),
        limits=graph.limits,
        stop=stop,
    )


@kernel
def levels(state, sources, out):
    """``out[j, v]``: edges on a shortest path from ``sources[j]`` to v, or `UNREACHED`."""
    out[:] = UNREACHED
    state.reported[:] = 0
    size, depth = visit_sources(state, sources), 0
    while size and not stopped(state.stop):
        for v in state.rows[depth & 1, :size]:
            mask = state.reached[depth & 1, v] & ~state.reported[v]
            state.reported[v] |= mask
            while mask:
                out[lowest(mask), v] = depth
                mask &= mask - ONE
        size = advance(state, depth, size)
        depth += 1


@kernel
def predecessors(state, levels, out):
    """``out[j, v]``: the first u with an edge to v and level(u) = level(v) - 1, if there is one."""
    for j in range(levels.shape[0]):
        if stopped(state.stop):
            return
        level = levels[j]
        for v in range(level.size):
            out[j, v] = NO_PREDECESSOR
            if level[v] > 0:
                p = state.in_indptr[v]
                while level[state.in_indices[p]] != level[v] - 1:
                    p += 1
                out[j, v] = state.in_indices[p]


@kernel
def accumulate(state, table, subsets, sources, weights, beyond, sums):
    """Search from the sources of a batch at once; with a ``table``, (levels, functions), up to 64.

    ``subsets`` is room for the weight of each subset of eight sources, (8, 256, kinds). Without
    functions both are None.
    """
    size, depth = visit_sources(state, sources), 0
    if beyond is not None:
        weigh(state, weights, beyond)
    if table is not None:
        add_subsets(weights, subsets)
        state.reported[:] = 0
        for v in state.rows[0, :size]:
            state.reported[v] = state.reached[0, v]
    n, column = state.new_count.size, 0
    while size and depth < state.limits[-1] and not stopped(state.stop):
        size = advance(state, depth, size)
        depth += 1
        column += state.limits[column] < depth
        for v in state.rows[depth & 1, :size]:
            if beyond is not None:
                add(sums, column * n + v, depth, state.new_count[v], state.new_beyond[v])
            if table is not None:
                hit = state.reached[depth & 1, v] & ~state.reported[v]
                state.reported[v] |= hit
                add_hit(table, subsets, depth, hit, column * n + v, sums)


@subroutine
def visit_sources(state, sources):
    """Level 0, the sources, each of weight 1; returns its number of rows."""
    state.columns[:] = 0
    state.reached[:] = 0
    state.new_count[:] = 0
    state.new_beyond[:] = 0
    state.sizes[:] = 0
    here, size = state.reached[0], 0
    for j in range(sources.size):
        s, bit = sources[j], column(here, j)
        if not state.new_count[s]:
            state.rows[0, size] = s
            size += 1
        state.new_count[s] += 1
        store(here, s, load(here, s) | bit)
        store(state.columns, 0, load(state.columns, 0) | bit)
    return size


@subroutine
def weigh(state, weights, beyond):
    """Fill the masks of columns by digits of their weights and by values of ``beyond``."""
    digits = values = 0
    for j in range(weights.size):
        bit, rest, digit = column(state.digits, j), weights[j] - 1, 0
        while rest:
            if digit == digits:
                store(state.digits, digit, bit & ~bit)
                digits += 1
            if rest & 1:
                store(state.digits, digit, load(state.digits, digit) | bit)
            rest >>= 1
            digit += 1
        if not beyond[j]:
            continue
        place = values
        while place and state.value[place - 1] <= beyond[j]:
            place -= 1
        if place == values or state.value[place] != beyond[j]:
            for later in range(values, place, -1):
                state.value[later] = state.value[later - 1]
                store(state.values, later, load(state.values, later - 1))
            state.value[place] = beyond[j]
            store(state.values, place, bit & ~bit)
            values += 1
        store(state.values, place, load(state.values, place) | bit)
    state.sizes[0], state.sizes[1] = digits, values


@subroutine
def find(state, v, hit):
    """Add the columns ``hit``, which reach row v, to its weight and its maximum of beyond."""
    weight = count(hit)
    for digit in range(state.sizes[0]):
        weight += count(hit & load(state.digits, digit)) << digit
    if state.sizes[1]:
        if not state.new_count[v]:
            state.new_beyond[v] = 0
        for place in range(state.sizes[1]):
            if some(hit & load(state.values, place)):
                state.new_beyond[v] = max(state.new_beyond[v], state.value[place])
                break
    state.new_count[v] += weight


@subroutine
def advance(state, depth, size):
    """Search the next level, by push or pull; returns its number of rows."""
    rows = state.rows[depth & 1, :size]
    for u in rows:
        state.new_count[u] = 0
    if size * PULL_SHARE > state.new_count.size:
        return pull(state, depth)
    return push(state, depth, rows)


@subroutine
def push(state, depth, rows):
    """Next level: each frontier row adds its columns to successors that lack them."""
    here, there = state.reached[depth & 1], state.reached[1 - (depth & 1)]
    found = 0
    for row in rows:
        u = np.uint32(row)
        own = load(here, u)
        for p in row_of(state.out.indptr, u):
            v = np.uint32(state.out.indices[p])
            before = load(there, v)
            hit = own & ~(before | load(here, v))
            if some(hit):
                if not state.new_count[v]:
                    state.rows[1 - (depth & 1), found] = v
                    found += 1
                find(state, v, hit)
                store(there, v, before | hit)
    return found


@subroutine
def pull(state, depth):
    """Next level: each unfinished row collects columns of its predecessors, until it has all."""
    here, there = state.reached[depth & 1], state.reached[1 - (depth & 1)]
    columns = load(state.columns, 0)
    found = 0
    for v in range(np.uint32(state.new_count.size)):
        before = load(there, v)
        want = columns & ~(before | load(here, v))
        if some(want):
            left = want
            for p in row_of(state.in_indptr, np.uint32(v)):
                left = left & ~load(here, state.in_indices[p])
                if not some(left):
                    break
            hit = want & ~left
            if some(hit):
                store(there, v, before | hit)
                find(state, v, hit)
                state.rows[1 - (depth & 1), found] = v
                found += 1
    return found
