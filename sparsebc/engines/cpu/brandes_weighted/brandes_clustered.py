"""The two products by length from eight near sources at once, on a deep graph.

As `brandes_weighted`, a row of eight reals for each node, in the order in which `sssp_clustered`
found the distances:

    forward    sigma(v) = sum of sigma(u) over tight u -> v, the lowest number first
    backward   sum_g(u) = sum of g(v) over tight u -> v, the highest number first; sum_h likewise

A row that is looked at before all that it needs is known waits again once more of that is. What it
ends with is one and the same in any order, to the bit.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....graph.indices import NEXT, span
from ....jit import inlined, kernel, stopped, subroutine
from ..common.simd import LANES, aligned
from ..common.simd_eight import CHUNK, along, depend, from_heads, from_tails, keep, pass_on
from ..sssp import sssp_clustered
from ..sssp.sssp_clustered import Arcs, Near, arrange, leave, number, relax
from ..sssp.sssp_heap import order_from
from ..sssp.waiting import all_wait, seek, take, wait
from .brandes_weighted import ALONE, DONE, STOPPED

ALL = np.uint8(255)


class Columns(NamedTuple):
    """What eight sources have found, a row for each node by its number."""

    near: Near
    incoming: Arcs  # those of `near`, if the graph is symmetric
    symmetric: bool
    entries: NDArray[np.int64]  # entry in A' of each outgoing arc, with sums over arcs
    unknown: NDArray[np.uint8]  # (n,) columns whose value is not yet that of the end
    again: NDArray[np.uint8]  # (n,) whether a row was looked at with too little known
    sigma: NDArray[np.floating[Any]]  # (8 * n,) path counts
    g: NDArray[np.floating[Any]]  # (8 * n,)
    h: NDArray[np.float64]  # (8 * n,) with stress
    alpha: NDArray[np.float64]  # (8,) weights of the sources
    others: NDArray[np.float64]  # (8,) those at a node that is a source itself, without its own
    total: NDArray[np.float64]  # (8,) what is added up
    most: NDArray[np.float64]  # (8,) largest path count met


def nbytes(n: int, arcs: int, symmetric: bool, names: frozenset[str], real: np.dtype[Any]) -> int:
    """Memory of that."""
    rows = n * (2 + LANES * (2 * real.itemsize + 8 * ("stress" in names)))
    incoming = 0 if symmetric else sssp_clustered.pattern_bytes(n, arcs)
    return (
        sssp_clustered.nbytes(n, arcs)
        + rows
        + incoming
        + 8 * sssp_clustered.room(n, arcs) * ("arcs" in names)
    )


def columns(
    near: Near, arcs: int, symmetric: bool, names: frozenset[str], real: np.dtype[Any]
) -> Columns:
    """State of no group yet."""
    n, room = near.place.size, near.arcs.indices.size
    return Columns(
        near,
        near.arcs if symmetric else sssp_clustered.pattern(n, arcs),
        symmetric,
        np.zeros(room if "arcs" in names else 0, dtype=np.int64),
        np.zeros(n, dtype=np.uint8),
        np.zeros(n, dtype=np.uint8),
        aligned(LANES * n, real),
        aligned(LANES * n, real),
        aligned(LANES * n if "stress" in names else 0, np.float64),
        alpha=aligned(LANES, np.float64),
        others=aligned(LANES, np.float64),
        total=aligned(LANES, np.float64),
        most=aligned(LANES, np.float64),
    )


@kernel
def run(columns, paths, places, sources, alpha):
    """Sweep a batch of sources that lie close together, eight at once: DONE, or why not.

    ALONE, and how many were swept, once there are no distances for eight. ``places``: the entry in
    A' of each of A, with sums over arcs.
    """
    search = paths.search
    if not order_from(search, sources[0], None):
        return STOPPED
    number(columns.near, search)
    if not columns.symmetric:
        arcs = paths.in_indptr, paths.in_indices, paths.in_lengths
        arrange(search.order, columns.near.place, *arcs, columns.incoming)
    if columns.entries.size:
        for i in range(search.order.size):
            v = search.order[i]
            slot = CHUNK * columns.near.arcs.indptr[i]
            for p in range(search.indptr[v], search.indptr[v + 1]):
                columns.entries[slot] = places[p]
                slot += 1
    for j in range(0, sources.size, LANES):
        if stopped(search.stop):
            return STOPPED
        if not sweep(columns, paths, sources[j : j + LANES], alpha[j : j + LANES]):
            return ALONE + j
    return DONE


@subroutine
def sweep(columns, paths, sources, alpha):
    """Both products from up to eight sources; False, and nothing done, without distances."""
    columns.alpha[:] = 0
    for j in range(sources.size):
        columns.alpha[j] = alpha[j]
    found = relax(columns.near, columns.incoming, sources)
    if found:
        forward(columns, paths.tight.rtol)
        if paths.sums.ends.size:
            count_ends(columns, paths)
        backward(columns, paths)
    leave(columns.near, sources)
    return found


@subroutine
def forward(columns, rtol):
    """Count the paths to each node along its tight arcs."""
    waiting = columns.near.waiting
    none_known(columns)
    word, behind = seek(waiting, np.int64(0), np.int64(waiting.size))
    while word < waiting.size:
        marks = waiting[word]
        while marks:
            number, marks = take(waiting, word, marks)
            v = np.uint32(number)
            missing = count(columns, v, rtol)
            behind = learn(columns, columns.near.arcs, v, missing, False, word, behind)
        word, behind = seek(waiting, word, behind)


@inlined
def count(columns, v, rtol):
    """Row v of sigma, as far as it is known; returns the columns in which it is not."""
    near, arcs = columns.near, columns.incoming
    missing = from_tails(
        *(columns.total, columns.sigma, columns.unknown, near.distance),
        *(v, arcs.indices, arcs.lengths, arcs.indptr[v], arcs.indptr[v + NEXT], rtol),
    )
    if near.starts[v]:
        for j in range(LANES):
            if near.starts[v] >> j & 1:
                columns.total[j] = 1
    keep(columns.sigma, v, columns.total)
    return missing


@subroutine
def backward(columns, paths):
    """Hand g and h down the tight arcs, and add up what the sources give to each node."""
    waiting, last = columns.near.waiting, columns.near.place.size - 1
    none_known(columns)
    columns.most[:] = 0
    word, behind = seek(waiting, np.int64(0), np.int64(waiting.size))
    while word < waiting.size:
        marks = waiting[word]
        while marks:
            turn, marks = take(waiting, word, marks)
            v = np.uint32(last - turn)
            missing = hand_down(columns, paths, v)
            behind = learn(columns, columns.incoming, v, missing, True, word, behind)
        word, behind = seek(waiting, word, behind)
    for j in range(LANES):
        paths.max_sigma[0] = max(paths.max_sigma[0], columns.most[j])


@inlined
def hand_down(columns, paths, v):
    """Row v of g and h, as far as they are known, and sums once they are; returns as `count`."""
    near, arcs, sums, rtol = columns.near, columns.near.arcs, paths.sums, paths.tight.rtol
    first, end = arcs.indptr[v], arcs.indptr[v + NEXT]
    alpha = columns.alpha
    if near.starts[v]:
        alpha = columns.others
        for j in range(LANES):
            alpha[j] = 0 if near.starts[v] >> j & 1 else columns.alpha[j]
    node = np.uint32(paths.search.order[v])
    omega = np.float64(paths.omega[node])
    missing = np.uint8(0)
    depending = squared = passed = 0.0
    if sums.dependency.size:
        missing = from_heads(
            *(columns.total, columns.g, columns.unknown, near.distance),
            *(v, arcs.indices, arcs.lengths, first, end, rtol),
        )
        depending, squared = depend(
            columns.sigma, columns.g, v, columns.total, omega, alpha, columns.most
        )
    if sums.stress.size:
        missing = from_heads(
            *(columns.total, columns.h, columns.unknown, near.distance),
            *(v, arcs.indices, arcs.lengths, first, end, rtol),
        )
        passed = pass_on(columns.sigma, columns.h, v, columns.total, omega, alpha, columns.most)
    if not missing:
        if sums.dependency.size:
            sums.dependency[node] += depending
        if sums.squares.size:
            sums.squares[node] += squared
        if sums.stress.size:
            sums.stress[node] += passed
        if sums.arcs.size:
            for p in span(CHUNK * first, CHUNK * end):
                sums.arcs[columns.entries[p]] += along(
                    *(columns.sigma, columns.g, near.distance),
                    *(v, arcs.indices[p], arcs.lengths[p], rtol, columns.alpha),
                )
    return missing


@subroutine
def count_ends(columns, paths):
    """Each pair (s, t), t reached from s, counts alpha(s) omega(t) at s and t."""
    near, order, ends = columns.near, paths.search.order, paths.sums.ends
    columns.total[:] = 0
    for v in range(order.size):
        omega = paths.omega[order[v]]
        for j in range(LANES):
            if near.distance[LANES * v + j] < np.inf and not near.starts[v] >> j & 1:
                ends[order[v]] += columns.alpha[j] * omega
                columns.total[j] += columns.alpha[j] * omega
    for v in range(order.size):
        for j in range(LANES):
            if near.starts[v] >> j & 1:
                ends[order[v]] += columns.total[j]


@inlined
def learn(columns, others, v, missing, falling, word, behind):
    """Note which columns of row v are known; returns the first word ``behind`` with a mark.

    Those that lacked one of them wait again, by ``falling`` number or by rising.
    """
    near = columns.near
    columns.again[v] = 0  # what fills up its row does not have it wait
    if missing != columns.unknown[v]:
        for p in span(CHUNK * others.indptr[v], CHUNK * others.indptr[v + NEXT]):
            u = others.indices[p]
            if columns.again[u]:
                turn = near.place.size - 1 - np.int64(u) if falling else np.int64(u)
                behind = wait(near.waiting, turn, 1, word, behind)
    columns.unknown[v] = missing
    columns.again[v] = missing != 0
    return behind


@subroutine
def none_known(columns):
    """Every row is to be looked at, and no column is known."""
    columns.unknown[:] = ALL
    columns.again[:] = 0
    all_wait(columns.near.waiting, columns.near.place.size)
