"""Weighted distances from eight clustered sources at once, on a high-diameter graph.

Clustered sources have nearly the same order of nodes. So nodes, with their arcs, are renumbered in
the order of one search from all sources of a batch, and row v of eight floats holds the distances
of v. Nodes that no source reaches within the cutoff have no number. If a distance of v may
decrease, v is pending, and of the pending nodes nearly the lowest comes first:

    d(v) = min over u of d(u) + w(u, v)

Sinks, nodes that no arc leaves, have the highest numbers: they are computed once, in the end.

This is label-correcting in an order known beforehand in place of Dijkstra's queue. The order is
wrong only where two detours are about as long: few nodes are computed twice, and their final
distances are the same in any order, to the bit. On a low-diameter graph the orders of two sources
have little in common; there `distance_sums` has 64 sources share each read of an arc, if only their
distances are wanted.

Arcs of a row come four at a time, padded with arcs of infinite length, without branches: which
distances decrease, and how many arcs there are, would be mispredicted at every second node of a
road network.

Pending nodes are numbers in a bit set. A scan takes the numbers of a word, then those of the next
word with a bit set. It returns to numbers entered behind it once it is one in SHARE of all words
further: by then more have gathered, and a row in between is computed once for all of them. All
numbers of a word are known when the first is taken, so that a processor has several loads in
flight.
"""

from typing import Any, NamedTuple

import numpy as np

from ....jit import inlined, subroutine
from ....matrix.csr import NEXT, row_of, span
from ....matrix.graph import Graph
from ..common.simd import LANES, bits_of, load, lowest, prefetch, select, store
from ..common.state import allocated, array, nbytes_of
from .sssp import take_order

BITS, WORD = 6, 64  # numbers in a word
MARK = np.uint64(1)
SHARE = 64


@inlined
def wait(waiting, number, mark, word, behind):
    """Enter a number if ``mark``; returns the first marked word behind a scan at ``word``."""
    own = number >> BITS
    waiting[np.uint64(own)] |= np.uint64(mark) << np.uint64(number & (WORD - 1))
    return min(behind, own if mark and own < word else np.int64(waiting.size))


@inlined
def seek(waiting, word, behind):
    """The next marked word, and the first one behind it; past the end if none is left."""
    while word < waiting.size or behind < waiting.size:
        if word == waiting.size or (word - behind) * SHARE > waiting.size:
            word, behind = behind, np.int64(waiting.size)
        elif waiting[word]:
            break
        else:
            word += 1
    return word, behind


@inlined
def take(waiting, word, marks):
    """Remove the lowest number of ``marks`` from a word; returns it and the other marks."""
    left = marks & (marks - MARK)
    waiting[word] &= ~(marks ^ left)
    return word * WORD + lowest(marks), left


CHUNK = 4  # arcs of a row that are read together
# Computed rows, per node, after which single searches are faster.
MAX_WORK = 16
ONE, FULL = np.uint64(1), np.uint64(CHUNK)
NOWHERE = -1  # number of a node without one
AHEAD = 16  # prefetch distance in rows, when rows are copied
FURTHER = 32  # words from a number to those that its arcs lead to, about


class Arcs(NamedTuple):
    """Rows of a pattern in a batch's numbers, each one chunk of CHUNK arcs or more.

    Arcs to sinks have chunks of their own. The last chunk of either kind is padded with arcs to the
    node itself, of infinite length.
    """

    indptr: Any = array(np.int64, "ends of rows")  # first chunk of each row
    to_sinks: Any = array(np.int64, "ends of rows")  # first chunk of its arcs to sinks
    indices: Any = array(np.uint32, "slots")
    lengths: Any = array(np.float64, "slots")


class SharedOrder(NamedTuple):
    """A graph renumbered in the order of a search, and distances from eight sources."""

    arcs: Any  # `Arcs`
    count: Any = array(np.int64, 2)  # numbered nodes, and those of them that are no sinks
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
    """Bytes of `SharedOrder`, and of the rows of A' if A is not symmetric."""
    made = sizes(graph.n, graph.arcs)
    return nbytes_of(made, SharedOrder, *[Arcs] * (1 if graph.symmetric else 2))


def shared_order(graph: Graph) -> tuple[Any, Any]:
    """Initial state, and `Arcs` for the rows of A'."""
    assert graph.lengths is not None
    made = sizes(graph.n, graph.arcs)
    arcs = allocated(Arcs, made)
    incoming = arcs if graph.symmetric else allocated(Arcs, made)
    return allocated(SharedOrder, made, arcs=arcs), incoming


@subroutine
def number(shared, search, incoming, reverse, symmetric, places, entries):
    """Number the nodes in the order of `sssp.run`, sinks last, and `arrange` their arcs.

    Returns their number. ``reverse`` is A' with its lengths, whose rows go into ``incoming``; but
    where A is ``symmetric`` these are the rows of ``shared``.
    """
    count, inner = take_order(search), 0
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
    arrange(shared, order, graph, shared.arcs, places, entries)
    if not symmetric:
        arrange(shared, order, reverse, incoming, places[:0], entries)
    return count


@subroutine
def forget(shared, search):
    """Reset the numbers of all nodes."""
    for i in range(shared.count[0]):
        shared.place[search.order[i]] = NOWHERE


@subroutine
def arrange(shared, order, graph, arcs, places, entries):
    """Copy the rows of a pattern in order, without arcs to nodes that have no number.

    Rows are scattered in memory, and prefetched. ``places`` of arcs, if any, are copied to
    ``entries``.
    """
    indptr, indices, lengths = graph
    last, slot, inner = order.size - 1, np.uint64(0), shared.count[1]
    for i in range(order.size):
        prefetch(indptr, np.int64(order[min(i + 2 * AHEAD, last)]))
        begin = indptr[np.uint32(order[min(i + AHEAD, last)])]
        prefetch(indices, begin)
        prefetch(lengths, begin)
        arcs.indptr[i] = slot // FULL
        row = np.uint32(order[i])
        slot = copy(graph, places, row, shared.place, (0, inner), i, slot, arcs, entries)
        arcs.to_sinks[i] = slot // FULL
        if inner < order.size and i < inner:
            heads = inner, order.size
            slot = copy(graph, places, row, shared.place, heads, i, slot, arcs, entries)
    arcs.indptr[order.size] = slot // FULL


@inlined
def copy(graph, places, v, place, heads, i, slot, arcs, entries):
    """Copy the arcs of a row whose heads are in the range ``heads``; pad to whole chunks, >= 1."""
    indptr, indices, lengths = graph
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
    """Fill the distances from up to eight sources; infinite beyond a cutoff.

    False, with distances undefined, if that takes too long.
    """
    count = shared.count[0]
    arcs, waiting = shared.arcs, shared.waiting[: count // WORD + 1]
    distance, beyond = shared.distance[: LANES * count], np.nextafter(limit, np.inf)
    distance[:] = beyond  # only smaller distances are entered
    shared.starts[:count] = 0
    word = behind = np.int64(waiting.size)
    for j in range(sources.size):
        start = np.int64(shared.place[sources[j]])
        distance[LANES * start + j] = 0
        shared.starts[start] |= np.uint8(1 << j)
        behind = wait(waiting, start, True, word, behind)
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
    """Prefetch the rows that arcs from the numbers of a word lead to, and the next arcs."""
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
    """Mark the heads of u, but sinks, that are nearer by way of u; the first word ``behind``."""
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
    """Set distances beyond a cutoff to infinity."""
    distance = shared.distance
    for i in range(LANES * shared.count[0]):
        if distance[i] > limit:
            distance[i] = np.inf
