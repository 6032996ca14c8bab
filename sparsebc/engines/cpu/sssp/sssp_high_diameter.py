"""Shortest distances by length from eight near sources at once, on a deep graph.

Near sources have nearly the same order of nodes. So nodes are numbered in that of a search from all
sources of a batch at once, each with its arcs, and row v of eight reals holds the distances of v.
Nodes that none of them reaches, or not within the limit, have no number. Where a distance could
fall, v waits, and of all that wait the lowest numbers come first:

    d(v) = min over u of d(u) + w(u, v)

Sinks, nodes that no arc leaves, have the highest numbers: they are looked at once, in the end.

It is Dijkstra's algorithm with an order known beforehand for its queue. That order is wrong only
where two ways around are about as long: few nodes are looked at twice, and what they end with is
one and the same in any order, to the bit. On a graph that is not deep the orders of two sources
have little in common, and `sssp_batch` has 64 of them share each look at an arc.

Arcs of a row come four at a time, filled up with ones that lead nowhere, and nothing about them is
decided by a branch: which of them falls, and how many there are, would be guessed wrong at every
second node of a road network.
"""

from typing import Any, NamedTuple

import numpy as np

from ....graph.graph import Graph
from ....graph.indices import NEXT, row_of, span
from ....jit import inlined, subroutine
from ..common.simd import LANES, bits_of, load, prefetch, select, store
from ..common.state import allocated, array, nbytes_of
from .sssp import order_from
from .waiting import WORD, seek, take, wait

CHUNK = 4  # arcs of a row that are looked at together
# Looks at a node, for each node, after which a search from each source alone is faster.
MAX_WORK = 16
ONE, FULL = np.uint64(1), np.uint64(CHUNK)
NOWHERE = -1  # number of a node without one
AHEAD = 16  # rows between asking for one and copying it
FURTHER = 32  # words between numbers and those that their arcs lead on to, about


class Arcs(NamedTuple):
    """Rows of a pattern as nodes are numbered for a batch, each one chunk of CHUNK arcs or more.

    Arcs to sinks have chunks of their own. The last chunk of either kind is filled up with arcs to
    the node itself, of infinite length.
    """

    indptr: Any = array(np.int64, "ends of rows")  # first chunk of each row
    to_sinks: Any = array(np.int64, "ends of rows")  # first chunk of its arcs to sinks
    indices: Any = array(np.uint32, "slots")
    lengths: Any = array(np.float64, "slots")


class SharedOrder(NamedTuple):
    """A graph in the order of a search, and distances from eight sources."""

    arcs: Any  # `Arcs`
    safe_distance: float  # as in `Lengths`; infinite where no node is farther
    count: Any = array(np.int64, 2)  # nodes with a number, and those of them that are no sinks
    place: Any = array(np.int32, "n", fill=NOWHERE)  # number of each node
    waiting: Any = array(np.uint64, "words")  # a bit for each number
    starts: Any = array(np.uint8, "n")  # columns whose source it is
    distance: Any = array(np.float64, "entries")  # eight to a row


def sizes(n: int, arcs: int) -> dict[str, Any]:
    """Sizes of `Arcs` and `SharedOrder`."""
    slots = arcs + 2 * CHUNK * n
    return {
        "n": n,
        "ends of rows": n + 1,
        "slots": slots,
        "words": n // WORD + 1,
        "entries": LANES * n,
    }


def nbytes(graph: Graph) -> int:
    """Memory of an order, and of the rows of A' where A is not symmetric."""
    made = sizes(graph.n, graph.arcs)
    return int(nbytes_of(SharedOrder, made) + (1 if graph.symmetric else 2) * nbytes_of(Arcs, made))


def shared_order(graph: Graph) -> tuple[Any, Any]:
    """State of no batch yet, and room for the rows of A'."""
    assert graph.lengths is not None
    made, longest = sizes(graph.n, graph.arcs), float(graph.lengths.outgoing.max())
    arcs = allocated(Arcs, made)
    incoming = arcs if graph.symmetric else allocated(Arcs, made)
    safe = min(graph.lengths.limit, graph.lengths.safe_distance)
    safe = np.inf if graph.n * longest <= safe else safe
    return allocated(SharedOrder, made, arcs=arcs, safe_distance=safe), incoming


@subroutine
def number(shared, search, sources, places, entries):
    """Number the nodes that sources reach, as `order_from`, and their arcs with them: `arrange`."""
    count, inner = order_from(search, sources, None), 0
    order = search.order[:count]
    for i in range(count):
        v = order[i]
        if search.indptr[v] < search.indptr[v + 1]:
            order[i], order[inner] = order[inner], v
            inner += 1
    shared.count[0], shared.count[1] = count, inner
    for i in range(count):
        shared.place[order[i]] = i
    graph = search.indptr, search.indices, search.lengths
    arrange(shared, order, *graph, shared.arcs, places, entries)
    return count


@subroutine
def forget(shared, search):
    """No node has a number."""
    for i in range(shared.count[0]):
        shared.place[search.order[i]] = NOWHERE


@subroutine
def arrange(shared, order, indptr, indices, lengths, arcs, places, entries):
    """Copy the rows of a pattern in an order, but for arcs that lead nowhere.

    Rows lie apart, and are asked for beforehand. ``places`` of arcs, of which there may be none,
    are copied to ``entries``.
    """
    last, slot, inner = order.size - 1, np.uint64(0), shared.count[1]
    for i in range(order.size):
        prefetch(indptr, np.int64(order[min(i + 2 * AHEAD, last)]))
        begin = indptr[np.uint32(order[min(i + AHEAD, last)])]
        prefetch(indices, begin)
        prefetch(lengths, begin)
        arcs.indptr[i] = slot // FULL
        row = np.uint32(order[i])
        graph = indptr, indices, lengths, places
        slot = copy(graph, row, shared.place, (0, inner), i, slot, arcs, entries)
        arcs.to_sinks[i] = slot // FULL
        if inner < order.size and i < inner:
            slot = copy(graph, row, shared.place, (inner, order.size), i, slot, arcs, entries)
    arcs.indptr[order.size] = slot // FULL


@inlined
def copy(graph, v, place, heads, i, slot, arcs, entries):
    """Copy the arcs of a row to numbers in a range, and fill up a chunk, at least one."""
    indptr, indices, lengths, places = graph
    start = slot
    for p in row_of(indptr, v):
        head = place[np.uint32(indices[p])]
        arcs.indices[slot], arcs.lengths[slot] = head, lengths[p]
        if places.size:
            entries[slot] = places[p]
        slot += np.uint64(heads[0] <= head < heads[1])
    end = start + FULL * max((slot - start + FULL - ONE) // FULL, ONE)
    for k in span(slot, end):
        arcs.indices[k], arcs.lengths[k] = i, np.inf
    return end


@subroutine
def relax(shared, incoming, sources, limit):
    """Distances from up to eight sources, which `leave` has to follow; infinite beyond a limit.

    False, and they are of no use, if that takes too long.
    """
    count = shared.count[0]
    arcs, waiting = shared.arcs, shared.waiting[: count // WORD + 1]
    distance, beyond = shared.distance[: LANES * count], np.nextafter(limit, np.inf)
    distance[:] = beyond  # what is not below it is not entered
    word = behind = np.int64(waiting.size)
    for j in range(sources.size):
        start = np.int64(shared.place[sources[j]])
        distance[LANES * start + j] = 0
        shared.starts[start] |= np.uint8(1 << j)
        behind = wait(waiting, start, 1, word, behind)
    word, behind = seek(waiting, word, behind)
    work = 0
    while word < waiting.size and work <= MAX_WORK * count:
        marks = waiting[word]
        look_ahead(distance, arcs, word)
        while marks:
            number, marks = take(waiting, word, marks)
            v = np.uint32(number)
            work += 1
            pull(distance, v, incoming)
            behind = wake(distance, v, arcs, waiting, word, behind)
        word, behind = seek(waiting, word, behind)
    if word < waiting.size:
        waiting[:] = 0
        return False
    for sink in range(shared.count[1], count):
        pull(distance, np.uint32(sink), incoming)
    if limit < np.inf:
        within(shared, limit)
    return True


@inlined
def look_ahead(distance, arcs, word):
    """Ask for the rows that arcs from the numbers of a word lead on to, and for the next arcs."""
    row, slot = LANES * WORD * (word + FURTHER), CHUNK * WORD * (word + 2)
    for k in range(0, LANES * WORD, LANES):
        prefetch(distance, row + k)
    for k in range(0, CHUNK * WORD, LANES):
        prefetch(arcs.lengths, slot + k)
    for k in range(0, CHUNK * WORD, 2 * LANES):
        prefetch(arcs.indices, slot + k)


@inlined
def pull(distance, v, arcs):
    """``distance[v] = min over u of distance[u] + w(u, v)``."""
    chunk, row = np.uint64(arcs.indptr[v]), LANES * np.int64(v)
    least = load(distance, row)
    while True:
        for k in range(CHUNK):
            p = FULL * chunk + np.uint64(k)
            reach = load(distance, LANES * np.int64(arcs.indices[p])) + arcs.lengths[p]
            least = select(reach < least, reach, least)
        chunk += ONE
        if chunk >= np.uint64(arcs.indptr[v + NEXT]):
            break
    store(distance, row, least)


@inlined
def wake(distance, u, arcs, waiting, word, behind):
    """Have those wait that are nearer by way of u, but sinks; the first word marked behind one."""
    here, chunk = load(distance, LANES * np.int64(u)), np.uint64(arcs.indptr[u])
    while True:
        for k in range(CHUNK):
            p = FULL * chunk + np.uint64(k)
            head = np.int64(arcs.indices[p])
            is_nearer = bits_of(here + arcs.lengths[p] < load(distance, LANES * head)) != 0
            behind = wait(waiting, head, is_nearer, word, behind)
        chunk += ONE
        if chunk >= np.uint64(arcs.to_sinks[u]):
            return behind


@subroutine
def within(shared, limit):
    """Nodes beyond a limit are as if they were not reached."""
    distance = shared.distance
    for i in range(LANES * shared.count[0]):
        if distance[i] > limit:
            distance[i] = np.inf


@subroutine
def all_within(shared, limit):
    """Whether no node that is reached is beyond a limit."""
    for d in shared.distance[: LANES * shared.count[0]]:
        if limit < d < np.inf:
            return False
    return True


@subroutine
def leave(shared, sources):
    """Forget where the sources are."""
    for s in sources:
        shared.starts[shared.place[s]] = 0
