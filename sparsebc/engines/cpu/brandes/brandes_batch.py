"""Unweighted Brandes from 64 sources at once: a row is a 64-bit mask and 64 floats.

Row v of ``sigma`` holds the path counts from the 64 sources of the batch, and bit j of
``visited[v]`` and ``frontier[v]`` says whether source j has reached v, and whether v is on its
current level. One index read and one mask test serve 64 sources, and only the lanes (eight columns)
with a bit set are touched. A level is a list of entries (row, mask), so that its cost is that of
its rows, never O(n). Forward is direction-optimizing [Beamer 2012]: the frontier pushes, or the
unfinished rows pull. Most counts are small where frontiers are large, and rows that pull add up
bytes, 64 columns at once, where these hold them. One thread owns the whole batch: no element has
two writers.

Starts may be staggered, so that several searches reach a node in the same step, and have a common
frontier from there on (`shifted.by_branch`). Then a step replaces a level, and its list ends with
an entry for each source that starts on it: a row may have a second entry, of the columns that reach
it.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import kernel, stopped, subroutine
from ....matrix.csr import CSR, row_of
from ...common.brandes import sweep
from ..common.simd import (
    LANES,
    WIDTH,
    cast,
    lanes_of,
    larger,
    load,
    lowest,
    put,
    select,
    store,
    take_lanes,
    total,
)
from ..common.state import DONE, LEFT, STOPPED, array, by_reference
from ..common.targets import decayed
from .row_sums import add_row, add_rows, gather_sigma, put_bytes

# Entries that the level lists have room for, in multiples of n. In a batch that needs more, few
# bits are set in each mask: its sources are swept one at a time instead.
SPREAD = 24
# A frontier of more than one row in PULL_SHARE is pulled by every unfinished row, not pushed.
PULL_SHARE = 4

ZERO = np.uint64(0)
ONE = np.uint64(1)


class BatchState(NamedTuple):
    """State of a batch of up to 64 sources."""

    outgoing: CSR
    incoming: CSR
    omega: NDArray[np.float64]  # (n,) weight of each node as a target
    by_level: NDArray[np.float64]  # (levels,) factor of omega by the target's level; or empty
    limits: NDArray[np.int64]  # last level of each column of the sums, ascending
    sums: Any  # `Sums`
    stop: NDArray[np.uint8]  # (1,) as `jit.stopped` reads it
    alpha: Any = array(np.float64, WIDTH)  # weight of each source
    sources: Any = array(np.int32, WIDTH)
    start: Any = array(np.int64, WIDTH)  # step on which each starts
    last_start: Any = array(np.int64, 1)  # step on which the last of them starts
    sigma: Any = array(np.float64, "cells")  # path counts, 64 to a row; zero between batches
    sigma_bytes: Any = array(np.uint8, "cells")  # sigma where at most BYTE, else 0
    sigma_large: Any = array(np.uint64, "n")  # columns of sigma above BYTE
    sum_sigma: Any = array(np.float64, WIDTH)  # sums of sigma over predecessors, zero between rows
    g: Any = array(np.float64, "cells of g")  # sigma itself if there is one cutoff
    columns: Any = array(np.uint64, 1)  # mask of the columns in use
    visited: Any = array(np.uint64, "n")  # V; zero between batches, as are frontier and fresh
    frontier: Any = array(np.uint64, "n")  # masks of one level
    fresh: Any = array(np.uint64, "n")  # masks of the next level, while it is made
    rows: Any = array(np.int32, "listed")  # level d is starts[d]:starts[d + 1] of rows and masks
    masks: Any = array(np.uint64, "listed")
    starts: Any = array(np.int64, "steps")
    begun: Any = array(np.int64, "steps")  # entries of sources that start on step d: from begun[d]
    neighbors: Any = array(np.uint32, "neighbors")  # neighbours of a row with a hit
    hits: Any = array(np.uint64, "neighbors")  # masks of the columns to be added
    sum_g: Any = array(np.float64, WIDTH)  # sums of g over successors, zero between rows
    max_sigma: Any = array(np.float64, LANES)  # largest path count
    h: Any = array(np.float64, "cells of h")  # for stress; g itself without "dependency"
    sum_h: Any = array(np.float64, WIDTH)  # sums of h over successors, zero between rows
    full: Any = array(np.uint8, 1)  # whether the level lists ran out of room


@kernel
def run(batch, sources):
    """Sweep one batch; if its level lists run out of room, add nothing and return LEFT."""
    batch = by_reference(batch)
    batch.full[0] = 0
    batch.columns[0] = ZERO
    batch.last_start[0] = 0
    for j in range(sources.size):
        batch.columns[0] |= ONE << np.uint64(j)
        batch.sources[j] = sources[j]
        batch.last_start[0] = max(batch.last_start[0], batch.start[j])
    batch.starts[0] = 0
    start(batch, 0, 0)
    sweep(batch, forward, backward)
    if stopped(batch.stop):
        return STOPPED
    if batch.sums.ends.size and not batch.full[0]:
        count_ends(batch)
    clear(batch)
    return LEFT if batch.full[0] else DONE


@subroutine
def start(batch, step, end):
    """End the list of a step with the sources that start on it, each visited by one path."""
    batch.begun[step] = end
    if step <= batch.last_start[0]:
        left = batch.columns[0]
        while left:
            j = lowest(left)
            left &= left - ONE
            if batch.start[j] != step:
                continue
            s, bit = np.uint64(batch.sources[j]), ONE << np.uint64(j)
            place = np.int64(s) * WIDTH + j
            batch.sigma[place] = batch.sigma_bytes[place] = 1
            batch.sigma_large[s] &= ~bit
            batch.visited[s] |= bit
            batch.frontier[s] |= bit
            batch.rows[end] = s
            batch.masks[end] = bit
            end += 1
    batch.starts[step + 1] = end


@subroutine
def forward(batch, depth):
    """F_{d+1} = (A' F_d)<not V>;  sigma<F_{d+1}> = A' (sigma<F_d>)."""
    low, high = batch.starts[depth], batch.starts[depth + 1]
    n, end = batch.visited.size, high
    batch.starts[depth + 2] = high
    if depth < batch.limits[-1] + batch.last_start[0]:
        if high + n + WIDTH > batch.rows.size:
            batch.full[0] = 1
        if batch.full[0] or stopped(batch.stop):
            return False
        end = pull(batch, high) if (high - low) * PULL_SHARE > n else push(batch, low, high)
    advance_frontier(batch, low, high, end)
    start(batch, depth + 1, end)
    return batch.starts[depth + 2] > high


@subroutine
def backward(batch, depth, column):
    """delta<F_d> = sigma .* (A g<F_{d+1}>);  g<F_d> = (omega + delta) ./ sigma.

    lambda<F_d> = A h<F_{d+1}>;  h<F_d> = omega + lambda

    The frontier is empty between the sweeps of two columns.
    """
    limit = batch.limits[column] + batch.last_start[0]
    if batch.full[0] or depth > limit or stopped(batch.stop):
        return
    low, sources, high = batch.starts[depth], batch.begun[depth], batch.starts[depth + 1]
    is_last = depth == limit or batch.starts[depth + 2] == high
    if not batch.sums.arcs.size:
        high = sources
    place = np.uint64(column * batch.visited.size)
    for e in range(low, high):
        u = np.uint64(batch.rows[e])
        mask = batch.masks[e]
        found = 0
        if batch.sums.arcs.size and not is_last:
            found = gather_with_arcs(batch, u, mask, column)
        elif not is_last:
            found = on_frontier(batch, batch.outgoing, u, mask, None)
            if batch.sums.dependency.size:
                add_rows(batch, found, batch.g, batch.sum_g)
        if e >= sources:
            batch.sum_g[:] = 0
            continue
        if batch.sums.stress.size:
            add_rows(batch, found, batch.h, batch.sum_h)
        commit(batch, u, decayed(batch.by_level, depth, batch.omega[u]), mask, place + u)
    show(batch, depth + 1, False)
    show(batch, depth, depth > 0)


@subroutine
def push(batch, low, high):
    """Make the next level: add sigma of each frontier row to its unvisited successors."""
    end = high
    for e in range(low, high):
        u = np.uint64(batch.rows[e])
        mask = batch.masks[e]
        start = np.int64(u) * WIDTH
        found = 0
        for p in row_of(batch.outgoing.indptr, u):
            v = np.uint64(batch.outgoing.indices[p])
            hit = mask & ~batch.visited[v]
            batch.neighbors[found] = v
            batch.hits[found] = hit
            found += hit != ZERO
        for i in range(found):
            v = np.uint64(batch.neighbors[i])
            if batch.fresh[v] == ZERO:
                batch.rows[end] = v
                end += 1
            batch.fresh[v] |= batch.hits[i]
            add_row(batch.sigma, np.int64(v) * WIDTH, batch.sigma, start, batch.hits[i])
    for e in range(high, end):
        v = np.uint64(batch.rows[e])
        settled(batch, v, batch.sigma, np.int64(v) * WIDTH)
    return end


@subroutine
def pull(batch, high):
    """Make the next level: each unfinished row sums sigma over its predecessors on the frontier."""
    end = high
    for row in range(batch.visited.size):
        v = np.uint64(row)
        want = batch.columns[0] & ~batch.visited[v]
        if want == ZERO:
            continue
        found = on_frontier(batch, batch.incoming, v, want, None)
        if found == 0:
            continue
        batch.fresh[v] = gather_sigma(batch, found)
        settled(batch, v, batch.sum_sigma, 0)
        batch.sum_sigma[:] = 0
        batch.rows[end] = row
        end += 1
    return end


@subroutine
def settled(batch, v, source, start):
    """Store the path counts of the fresh columns of row v, ``source[start:start+64]``.

    Only these columns are written: rows pulled later still read those of the level before.
    """
    own, large, left = np.int64(v) * WIDTH, ZERO, batch.fresh[v]
    while left:
        lane, lanes, left = take_lanes(left)
        counts = load(source, start + lane)
        put(batch.sigma, own + lane, lanes, counts)
        large |= put_bytes(batch.sigma_bytes, own + lane, lanes, counts) << np.uint64(lane)
    batch.sigma_large[v] = batch.sigma_large[v] & ~batch.fresh[v] | large


@subroutine
def gather_with_arcs(batch, u, mask, column):
    """sum_g<mask> = sum of g over the successors of row u; returns their number.

    Adds the sum of alpha sigma(u) g(v) over the columns to each arc u -> v.
    """
    own, first = np.int64(u) * WIDTH, batch.outgoing.indptr[u]
    place = column * batch.outgoing.indices.size
    found = on_frontier(batch, batch.outgoing, u, mask, first)
    for i in range(found):
        p = first + batch.neighbors[i]
        v = batch.outgoing.indices[p]
        share, left = cast(lanes_of(ZERO), np.float64), batch.hits[i]
        while left:
            lane, lanes, left = take_lanes(left)
            g = select(lanes, load(batch.g, np.int64(v) * WIDTH + lane), 0)
            store(batch.sum_g, lane, load(batch.sum_g, lane) + g)
            share = share + load(batch.alpha, lane) * (load(batch.sigma, own + lane) * g)
        batch.sums.arcs[place + p] += total(share)
        batch.neighbors[i] = v
    return found


@subroutine
def advance_frontier(batch, low, high, end):
    """Replace level low:high by level high:end as the frontier."""
    for e in range(low, high):
        batch.frontier[np.uint64(batch.rows[e])] = ZERO
    for e in range(high, end):
        v = np.uint64(batch.rows[e])
        mask = batch.fresh[v]
        batch.fresh[v] = ZERO
        batch.masks[e] = mask
        batch.visited[v] |= mask
        batch.frontier[v] = mask


@subroutine
def on_frontier(batch, pattern, row, mask, first):
    """Number of neighbours of a row that are on the frontier in columns of the mask.

    Fills ``neighbors`` and ``hits``. With ``first``, the row's first entry, ``neighbors`` are
    positions in the row instead of nodes.
    """
    found = ZERO
    for p in row_of(pattern.indptr, row):
        v = np.uint64(pattern.indices[p])
        hit = mask & batch.frontier[v]
        batch.neighbors[found] = v if first is None else p - np.uint64(first)
        batch.hits[found] = hit
        found += np.uint64(hit != ZERO)
    return np.int64(found)


@subroutine
def commit(batch, u, omega, left, place):
    """Add the columns ``left`` of row u to its sums at ``place``, eight at a time; fill g and h.

    delta = sigma .* sum_g;  g = (omega + delta) ./ sigma;  h = omega + sum_h

    g may overwrite sigma, and h g.
    """
    sums, start = batch.sums, np.int64(u) * WIDTH
    nothing = cast(lanes_of(ZERO), np.float64)
    depending = squared = passing = nothing
    most = load(batch.max_sigma, 0)
    while left:
        lane, lanes, left = take_lanes(left)
        counts, alpha = load(batch.sigma, start + lane), load(batch.alpha, lane)
        here = select(lanes, counts, 0)
        most = larger(here, most)
        if sums.dependency.size:
            delta = counts * load(batch.sum_g, lane)
            put(batch.g, start + lane, lanes, (delta + omega) / counts)
            store(batch.sum_g, lane, 0)
            delta = select(lanes, delta, 0)
            depending = depending + alpha * delta
            if sums.squares.size:
                squared = squared + alpha * delta * delta
        if sums.stress.size:
            sum_h = load(batch.sum_h, lane)
            put(batch.h, start + lane, lanes, sum_h + omega)
            store(batch.sum_h, lane, 0)
            passed = alpha * here * select(lanes, sum_h, 0)
            most, passing = larger(passed, most), passing + passed
    store(batch.max_sigma, 0, most)
    if sums.dependency.size:
        sums.dependency[place] += total(depending)
    if sums.squares.size:
        sums.squares[place] += total(squared)
    if sums.stress.size:
        sums.stress[place] += total(passing)


@subroutine
def show(batch, depth, visible):
    """Add the masks of a level to the frontier, or clear its rows."""
    for e in range(batch.starts[depth], batch.starts[depth + 1]):
        v = np.uint64(batch.rows[e])
        batch.frontier[v] = batch.frontier[v] | batch.masks[e] if visible else ZERO


@subroutine
def count_ends(batch):
    """Add alpha(s) omega(t) at s and t, for each pair (s, t) with t reached from s."""
    n = batch.visited.size
    for column in range(batch.limits.size):
        ends, depth = batch.sums.ends[column * n : column * n + n], 0
        limit = batch.limits[column] + batch.last_start[0]
        while depth <= limit and batch.starts[depth + 1] > batch.starts[depth]:
            for e in range(batch.starts[depth], batch.begun[depth]):
                t = batch.rows[e]
                mask = batch.masks[e]
                while mask:
                    j = lowest(mask)
                    omega = decayed(batch.by_level, depth, batch.omega[t])
                    pairs = batch.alpha[j] * omega
                    ends[t] += pairs
                    ends[batch.sources[j]] += pairs
                    mask &= mask - ONE
            depth += 1


@subroutine
def clear(batch):
    """Zero the rows that the batch has reached, never all n."""
    depth = 0
    while batch.starts[depth + 1] > batch.starts[depth]:
        for e in range(batch.starts[depth], batch.starts[depth + 1]):
            v = np.uint64(batch.rows[e])
            if batch.visited[v] != ZERO:
                start = np.int64(v) * WIDTH
                batch.sigma[start : start + WIDTH] = 0
                batch.visited[v] = ZERO
                batch.frontier[v] = ZERO
        depth += 1
