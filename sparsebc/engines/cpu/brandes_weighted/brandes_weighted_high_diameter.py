"""Weighted Brandes from eight clustered sources at once, on a high-diameter graph.

As `brandes_weighted`, with a row of eight floats for each node, numbered in the order shared by
the sources (`sssp_high_diameter`):

    forward    sigma(v) = sum of sigma(u) over tight u -> v, lowest number first
    backward   sum_g(u) = sum of g(v) over tight u -> v, highest number first; sum_h likewise

A row that is computed before all of its terms are known is computed again once more of them are.
Its final value is the same in any order, to the bit. Rows that none of the eight reaches are
skipped, and with an origin-destination matrix those on no path to a destination. Each cutoff has a
backward phase of its own, the largest first.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import inlined, kernel, stopped, subroutine
from ....matrix.csr import NEXT, span
from ....matrix.graph import Graph
from ...common.base import Sweep
from ..common.simd import LANES, bits_of, cast, lanes_of, larger, load, select, store, total
from ..common.state import DONE, LEFT, STOPPED, array
from ..common.targets import seed_columns
from ..sssp import sssp_high_diameter
from ..sssp.sssp_high_diameter import (
    CHUNK,
    FULL,
    ONE,
    WORD,
    forget,
    number,
    relax,
    seek,
    take,
    wait,
    within,
)

ALL = np.uint8(255)  # columns


class Columns(NamedTuple):
    """State of eight sources, a row for each node by its number."""

    shared: Any  # `SharedOrder`
    incoming: Any  # `Arcs`: those of `shared`, if the graph is symmetric
    symmetric: bool
    places: NDArray[np.int64]  # with sums over arcs, entry in A' of each entry of A
    # As in `Paths`; `order` is that of the search.
    tau: float
    limits: NDArray[np.float64]
    farthest: float
    targets: Any
    omega: NDArray[np.float64]
    sums: Any
    max_sigma: NDArray[np.float64]
    order: NDArray[np.int32]
    entries: Any = array(np.int64, "arcs")  # entry in A' of each outgoing arc, with sums over arcs
    unknown: Any = array(np.uint8, "n")  # columns whose value is not yet final
    again: Any = array(np.uint8, "n")  # whether a row was computed with terms unknown
    needed: Any = array(np.uint8, "pairs")  # columns with a path to a target; None as targets are
    sigma: Any = array(np.float64, "entries")  # path counts, eight to a row
    g: Any = array(np.float64, "entries")
    h: Any = array(np.float64, "entries of h")  # for stress
    omega_s: Any = array(np.float64, "seeds")  # a column a source; unless omega is that of all
    alpha: Any = array(np.float64, LANES)  # weights of the sources
    ends: Any = array(np.float64, LANES)  # sum of alpha omega over the targets of each source
    most: Any = array(np.float64, LANES)  # largest path count


def sizes(graph: Graph, sweep: Sweep) -> dict[str, Any]:
    """Sizes of `Columns`."""
    made = sssp_high_diameter.sizes(graph.n, graph.arcs)
    by_arc, stress = "arcs" in sweep.sums, "stress" in sweep.sums
    return made | {
        "arcs": made["slots"] * by_arc,
        "entries of h": made["entries"] * stress,
        "seeds": made["entries"] * (sweep.seeds is not None),
        "pairs": None if sweep.seeds is None else graph.n,
    }


@kernel
def run(columns, search, reverse, sources, alpha):
    """Sweep a batch of clustered sources, eight at once, after `sssp.run`; returns an outcome.

    LEFT + j if the search fails after the first j sources. ``reverse`` is as in `number`.
    """
    both = columns.incoming, reverse, columns.symmetric
    number(columns.shared, search, *both, columns.places, columns.entries)
    outcome = DONE
    for j in range(0, sources.size, LANES):
        if stopped(search.stop):
            outcome = STOPPED
        elif not sweep(columns, sources[j : j + LANES], alpha[j : j + LANES]):
            outcome = LEFT + j
        if outcome != DONE:
            break
    forget(columns.shared, search)
    return outcome


@subroutine
def sweep(columns, sources, alpha):
    """Both phases from up to eight sources; False, nothing done, if the search takes too long.

    Also if a distance is refused: the sweep of single sources then raises the error.
    """
    store(columns.alpha, 0, 0.0)
    for j in range(sources.size):
        columns.alpha[j] = alpha[j]
    shared, limits = columns.shared, columns.limits
    order, last = columns.order[: shared.count[0]], limits.size - 1
    found = relax(shared, columns.incoming, sources, limits[last])
    if found and columns.farthest < np.inf:
        for d in shared.distance[: LANES * order.size]:
            found = found and not columns.farthest < d < np.inf
    if found:
        seed_columns(columns.targets, sources, order, shared, columns.omega_s)
        mark_paths(columns.targets, columns)
        settle(columns, 0, False)
        store(columns.most, 0, 0.0)
        for column in range(last, -1, -1):
            if column < last:
                within(shared, limits[column])
            if columns.sums.ends.size:
                count_ends(columns, order, column)
            settle(columns, column, True)
        for j in range(LANES):
            columns.max_sigma[0] = max(columns.max_sigma[0], columns.most[j])
    return found


@subroutine
def mark_paths(targets, columns):
    """Fill ``needed``: columns in which a row is a target, or has a tight arc to a needed row.

    By descending number. In ``omega`` only targets that are reached have a weight. All columns
    without an origin-destination matrix.
    """
    if targets is None:
        return
    shared, incoming = columns.shared, columns.incoming
    omega, needed, tau = columns.omega_s, columns.needed, columns.tau
    distance, last = shared.distance, shared.count[0] - 1
    if targets.indptr.size == 1:
        needed[: last + 1] = ALL
        return
    waiting = shared.waiting[: last // WORD + 1]
    word = behind = np.int64(waiting.size)
    for i in range(last + 1):
        needed[i] = bits_of(load(omega, LANES * i) > 0)
        behind = wait(waiting, last - i, needed[i] != 0, word, behind)
    word, behind = seek(waiting, word, behind)
    while word < waiting.size:
        marks = waiting[word]
        while marks:
            turn, marks = take(waiting, word, marks)
            v = np.uint32(last - turn)
            head = load(distance, LANES * np.int64(v))
            for p in span(CHUNK * incoming.indptr[v], CHUNK * incoming.indptr[v + NEXT]):
                u, length = np.int64(incoming.indices[p]), incoming.lengths[p]
                tight = is_tight(load(distance, LANES * u), length, head, tau)
                added = bits_of(tight) & np.uint64(needed[v]) & ~np.uint64(needed[u])
                if added:
                    needed[u] |= np.uint8(added)
                    behind = wait(waiting, last - u, True, word, behind)
        word, behind = seek(waiting, word, behind)


@inlined
def where_needed(tight, needed, v):
    """The columns of ``tight`` in which row v is needed."""
    if needed is None:
        return tight
    return tight & lanes_of(np.uint64(needed[v]))


@subroutine
def settle(columns, column, falling):
    """Compute rows until all are final: of sigma, or if ``falling`` of g, h and a column's sums.

    Forward by ascending number, sinks last; backward sinks first, then by descending number.
    """
    shared, (count, inner) = columns.shared, columns.shared.count
    if falling:
        for sink in range(inner, count):
            hand_down(columns, np.uint32(sink), column)
    waiting = shared.waiting[: inner // WORD + 1]
    none_known(columns, waiting, falling)
    others = columns.incoming if falling else shared.arcs
    word, behind = seek(waiting, np.int64(0), np.int64(waiting.size))
    while word < waiting.size:
        marks = waiting[word]
        while marks:
            turn, marks = take(waiting, word, marks)
            v = np.uint32(inner - 1 - turn if falling else turn)
            if falling:
                missing = hand_down(columns, v, column)
            else:
                missing = look(columns, v)
            behind = learn(columns, waiting, others, v, missing, falling, word, behind)
        word, behind = seek(waiting, word, behind)
    if not falling:
        for sink in range(inner, count):
            look(columns, np.uint32(sink))


@inlined
def look(columns, v):
    """Compute row v of sigma; returns the columns that are not yet final."""
    shared = columns.shared
    sigma, missing = gather(columns, columns.sigma, columns.incoming, v, False)
    sigma = select(lanes_of(np.uint64(shared.starts[v])), 1, sigma)
    store(columns.sigma, LANES * np.int64(v), sigma)
    return missing


@inlined
def gather(columns, rows, arcs, v, to_heads):
    """Sum of the rows of u over tight arcs v -> u if ``to_heads``, else over tight arcs u -> v.

    Also returns the columns in which a term is not yet final.
    """
    distance, tau = columns.shared.distance, columns.tau
    here = load(distance, LANES * np.int64(v))
    added, missing = cast(lanes_of(np.uint64(0)), np.float64), np.uint64(0)
    chunk = np.uint64(arcs.indptr[v])
    while True:
        for k in range(CHUNK):
            p = FULL * chunk + np.uint64(k)
            u = np.int64(arcs.indices[p])
            there = load(distance, LANES * u)
            tail, head = (here, there) if to_heads else (there, here)
            tight = where_needed(is_tight(tail, arcs.lengths[p], head, tau), columns.needed, u)
            added = added + select(tight, load(rows, LANES * u), 0)
            missing |= bits_of(tight) & np.uint64(columns.unknown[u])
        chunk += ONE
        if chunk >= np.uint64(arcs.indptr[v + NEXT]):
            return added, np.uint8(missing)


@inlined
def is_tight(tail, length, head, tau):
    """Columns in which an arc is tight: d(u) + w <= d(v) + tau, finite."""
    return (tail + length <= head + tau) & (head < np.inf)


@inlined
def hand_down(columns, v, column):
    """Compute row v of g and h; once final, add it to a column's sums. Returns as `look`.

    delta = sigma .* sum_g;  g = (omega + delta) ./ sigma;  passing = alpha .* sigma .* sum_h;
    h = omega + sum_h;  alpha = 0 in the column of a source v itself
    """
    shared, arcs, sums = columns.shared, columns.shared.arcs, columns.sums
    row = LANES * np.int64(v)
    alpha = select(lanes_of(np.uint64(shared.starts[v])), 0, load(columns.alpha, 0))
    node = np.uint32(columns.order[v])
    omega = cast(lanes_of(np.uint64(0)), np.float64) + columns.omega[node]
    if columns.omega_s.size:
        omega = load(columns.omega_s, row)
    place = np.uint64(column * columns.omega.size) + np.uint64(node)
    missing = np.uint8(0)
    if sums.dependency.size:
        sum_g, missing = gather(columns, columns.g, arcs, v, True)
        counts = see(columns, row)
        delta = counts * sum_g
        store(columns.g, row, (delta + omega) / counts)
        if not missing:
            sums.dependency[place] += total(alpha * delta)
            if sums.squares.size:
                sums.squares[place] += total(alpha * delta * delta)
    if sums.stress.size:
        sum_h, missing = gather(columns, columns.h, arcs, v, True)
        passing = alpha * (see(columns, row) * sum_h)
        store(columns.most, 0, larger(passing, load(columns.most, 0)))
        store(columns.h, row, sum_h + omega)
        if not missing:
            sums.stress[place] += total(passing)
    if sums.arcs.size and not missing:
        first = column * (sums.arcs.size // columns.limits.size)
        for p in span(CHUNK * arcs.indptr[v], CHUNK * arcs.indptr[v + NEXT]):
            sums.arcs[first + columns.entries[p]] += along(columns, v, arcs, p)
    return missing


@inlined
def see(columns, row):
    """Path counts of a row; updates the largest."""
    counts = load(columns.sigma, row)
    store(columns.most, 0, larger(counts, load(columns.most, 0)))
    return counts


@inlined
def along(columns, u, arcs, p):
    """Sum of alpha .* sigma(u) .* g(v) over the columns in which arc p, u -> v, is tight."""
    v, row = np.int64(arcs.indices[p]), LANES * np.int64(u)
    distance = columns.shared.distance
    tight = is_tight(load(distance, row), arcs.lengths[p], load(distance, LANES * v), columns.tau)
    tight = where_needed(tight, columns.needed, v)
    counts = load(columns.sigma, row)
    share = load(columns.alpha, 0) * (counts * load(columns.g, LANES * v))
    return total(select(tight, share, 0))


@subroutine
def count_ends(columns, order, column):
    """Add alpha(s) omega(t) at s and t, for each pair (s, t) with t reached from s."""
    shared, n = columns.shared, columns.omega.size
    added, of_source = columns.sums.ends, columns.ends
    store(of_source, 0, 0.0)
    for v in range(order.size):
        for j in range(LANES):
            if shared.distance[LANES * v + j] < np.inf and not shared.starts[v] >> j & 1:
                share = columns.alpha[j] * columns.omega[order[v]]
                if columns.omega_s.size:
                    share = columns.alpha[j] * columns.omega_s[LANES * v + j]
                added[column * n + order[v]] += share
                of_source[j] += share
    for v in range(order.size):
        for j in range(LANES):
            if shared.starts[v] >> j & 1:
                added[column * n + order[v]] += of_source[j]


@inlined
def learn(columns, waiting, others, v, missing, falling, word, behind):
    """Store which columns of row v are final; returns the first word ``behind`` with a mark.

    Rows computed without them wait again, by descending number if ``falling``, else ascending.
    """
    columns.again[v] = 0  # padding arcs lead to v itself, which must not wait
    if missing != columns.unknown[v]:
        for p in span(CHUNK * others.indptr[v], CHUNK * others.to_sinks[v]):
            u = others.indices[p]
            if columns.again[u]:
                turn = columns.shared.count[1] - 1 - np.int64(u) if falling else np.int64(u)
                behind = wait(waiting, turn, True, word, behind)
    columns.unknown[v] = missing
    columns.again[v] = missing != 0
    return behind


@subroutine
def none_known(columns, waiting, falling):
    """Mark all rows but sinks that a source reaches as waiting, and their columns as unknown.

    By descending number if ``falling``, else ascending; only columns that are ``needed``.
    """
    shared, count = columns.shared, columns.shared.count[1]
    columns.unknown[count : shared.count[0]] = 0
    for word in range(waiting.size):
        marks = np.uint64(0)
        for turn in range(WORD * word, min(WORD * word + WORD, count)):
            v = count - 1 - turn if falling else turn
            is_reached = load(shared.distance, LANES * v) < np.inf
            found = bits_of(where_needed(is_reached, columns.needed, v))
            columns.unknown[v], columns.again[v] = np.uint8(found), 0
            marks |= np.uint64(found != 0) << np.uint64(turn - WORD * word)
        waiting[word] = marks
