"""Weighted distances from one source, and nodes in a topological order of the shortest paths.

Dijkstra's algorithm with a ring of buckets [Dial 1969]. If lengths are of one magnitude, a bucket
is narrower than all but a few of them. A node whose caliber, the length of the shortest arc into
it, is at least the width is complete when its bucket comes [Goldberg 2001], and nothing is sorted;
the other nodes of the bucket follow, by a priority queue. If lengths are of several magnitudes,
that would take too many buckets: they are wider, and all entries of the current bucket go through
the priority queue. A node may be queued several times; stale entries are skipped.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import inlined, stopped, subroutine
from ....matrix.csr import row_of
from ..common.simd import lowest, prefetch
from ..common.state import Sizes, allocated, array, nbytes_of
from ..common.targets import all_met, meet, sought

ARITY = 4


@subroutine
def sift_down(keys, nodes, size):
    """Replace the root by the entry at ``size``, and restore the heap."""
    key, node = keys[size], nodes[size]
    hole = 0
    while ARITY * hole + 1 < size:
        child = ARITY * hole + 1
        for other in range(child + 1, min(ARITY * hole + ARITY + 1, size)):
            if keys[other] < keys[child]:
                child = other
        if keys[child] >= key:
            break
        keys[hole], nodes[hole] = keys[child], nodes[child]
        hole = child
    keys[hole], nodes[hole] = key, node


@subroutine
def sift_up(keys, nodes, hole, key, node):
    """Insert a key and its node at ``hole``, the end of the heap."""
    while hole and keys[(hole - 1) // ARITY] > key:
        parent = (hole - 1) // ARITY
        keys[hole], nodes[hole] = keys[parent], nodes[parent]
        hole = parent
    keys[hole], nodes[hole] = key, node


MARK = np.uint64(1)
WORD = 64  # marks in one
SHIFT, LOW = np.uint64(6), np.uint64(WORD - 1)  # a mark is bit (slot & LOW) of word slot >> SHIFT
EMPTY = np.int32(-1)
# Entries that 32-bit indices can number.
SMALL = 2**31 - 1
# Width of a bucket over the shortest length. With less than the four fifths of its length that a
# tight edge gains, tau taken off, it ends in a later bucket than it starts in, and nodes within a
# bucket may come in any order.
WIDTH = 0.75
# Share of the arcs that may be shorter than a bucket, whose heads are sorted: fewer buckets to scan
# and to cache. The larger share is taken if it leaves the others of one magnitude.
SHORT, MORE_SHORT = 1 / 250, 1 / 50
# Lengths are of one magnitude if the longest is at most max(MAGNITUDE, n / 2) times the shortest:
# scanning empty buckets then costs less than sorting.
MAGNITUDE = 1024
# Of sorted buckets: number per mean length, and largest number per node in a ring.
BUCKETS_PER_MEAN, BUCKETS_PER_NODE = 64, 16
# Predecessor of a node that may have several.
TIED = np.int32(-1)
# Nodes that are completed between two tests of the stop flag.
NODES_PER_POLL = 4096
STARTS = 64  # sources that one search may have


class Queue(NamedTuple):
    """Pending entries, in linked lists by bucket, and the heap of the current bucket."""

    per_width: float  # 1 / width of a bucket
    heads: Any = array("entry", "buckets", fill=EMPTY)  # first entry of each bucket, 2**k of them
    marks: Any = array(np.uint64, "words")  # a bit for each bucket that is not empty
    following: Any = array("entry", "entries")  # next entry in the same bucket
    nodes: Any = array(np.int32, "entries")
    heap_keys: Any = array(np.float64, "heap")
    heap_nodes: Any = array(np.int32, "heap")
    # Whether a node is sorted: an arc into it is too short for a bucket; empty if none is.
    late: Any = array(np.bool_, "late")


class Dijkstra(NamedTuple):
    """A graph with its lengths, and the state of a search."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    lengths: NDArray[np.float64]
    queue: Any  # `Queue`
    stop: NDArray[np.uint8]  # (1,) as `jit.stopped` reads it
    limit: float  # cutoff; infinite for none
    sought: Any  # `Sought`: targets, of which the last ends the search
    distance: Any = array(np.float64, "n", fill=np.inf)
    order: Any = array(np.int32, "n")  # nodes in the order of completion


class TightEdges(NamedTuple):
    """Tight edges, and the path counts along them."""

    as_found: bool  # whether the search counts paths as it completes nodes
    tau: float  # largest difference of two paths that tie
    last: Any = array(np.int32, "n")  # predecessor of each node, or TIED; unless as_found
    sigma: Any = array(np.float64, "n")  # path counts, or their mantissas
    tails: Any = array(np.int32, "tight")  # by head in the order of the search
    entries: Any = array(np.int64, "entries")  # entries of the edges in A', for sums over arcs
    starts: Any = array(np.int64, "starts")  # tails of order[i] lie at starts[i]:starts[i + 1]


class Done(NamedTuple):
    """What a search has done."""

    completed: int  # nodes
    found: int  # tight edges
    used: int  # entries of the queue
    farthest: float  # largest distance
    most: float  # largest path count


def search(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    lengths: NDArray[np.float64],
    stop: NDArray[np.uint8],
    limit: float = np.inf,
    until: Any = None,
    starts: int = STARTS,
) -> Any:
    """Initial state for up to ``starts`` sources; ``until`` is a `Sought`, None for all nodes."""
    graph = {"indptr": indptr, "indices": indices, "lengths": lengths}
    n = indptr.size - 1
    how = {"queue": queue(indices, lengths, n, starts), "stop": stop, "limit": limit}
    return allocated(Dijkstra, {"n": n}, **graph, **how, sought=until or sought())


def search_bytes(nodes: int, arcs: int) -> int:
    """Upper bound of the bytes of a search, whatever the lengths, without the graph."""
    buckets = 2 * (max(BUCKETS_PER_NODE * nodes, int(MAGNITUDE / WIDTH)) + 4)
    entries = arcs + STARTS
    all_sorted = queue_sizes(buckets, entries, entries, nodes)
    return nbytes_of({"n": nodes}, Dijkstra) + nbytes_of(all_sorted, Queue)


def queue_sizes(buckets: int, entries: int, in_heap: int, late: int) -> Sizes:
    """Sizes of a `Queue`; ``in_heap`` bounds the entries of the heap."""
    return {
        "entry": np.int32 if entries <= SMALL else np.int64,
        "buckets": buckets,
        "words": buckets // WORD,
        "entries": entries,
        "heap": in_heap,
        "late": late,
    }


def queue(indices: NDArray[np.int32], lengths: NDArray[np.float64], nodes: int, starts: int) -> Any:
    """Empty queue for the arcs of a graph, with bucket widths from their lengths."""
    longest, entries = float(lengths.max()), lengths.size + starts
    for share in (SHORT, MORE_SHORT):
        few = int(share * lengths.size)
        least = float(np.partition(lengths, few)[few])
        is_sorted = longest > max(MAGNITUDE, nodes / 2) * least or least == 0
        if not is_sorted:
            break
    width, late = WIDTH * least, np.full(nodes, is_sorted)
    if is_sorted:
        width = max(float(lengths.mean()) / BUCKETS_PER_MEAN, longest / (BUCKETS_PER_NODE * nodes))
        width = width or 1.0  # all lengths are 0
    late[indices[lengths < least]] = True
    in_heap = int(np.count_nonzero(late[indices])) + starts  # each arc once, and the sources
    buckets = max(WORD, 1 << int(longest / width + 3).bit_length())
    sizes = queue_sizes(buckets, entries, in_heap, nodes)
    made = allocated(Queue, sizes, per_width=1 / width, late=late if late.any() else late[:0])
    return made


@subroutine
def order_from(search, sources):
    """Order the nodes that the sources reach by one search; their number, or 0 if stopped.

    Resets the distances to infinity.
    """
    count, _, _ = sssp(search, sources, None, None)
    for v in search.order[:count]:
        search.distance[v] = np.inf
    return 0 if stopped(search.stop) else count


@subroutine
def sssp(search, sources, tight, predecessors):
    """Distances of all nodes from the nearest of the sources, mostly one, and the order of nodes.

    Bucket b holds distances from b to b + 1 widths. Its nodes of caliber at least the width come
    first, for no arc into one of them starts in the bucket; then the others, sorted by distance.

    Nodes pending when the last target is complete are skipped, and their distances reset.

    With `TightEdges` of a symmetric graph, paths to a node are counted when it is completed, in the
    pass over its neighbours: tight edges come from earlier buckets, whose distances are final. With
    those of any other graph, or with ``predecessors``, each node gets a predecessor. None for
    either if it is not wanted.

    Returns the number of completed nodes, the largest distance, and the largest path count.
    """
    queue, distance, stop = search.queue, search.distance, search.stop
    per_width, heads, marks, following, nodes, _, sorted_nodes, late = queue
    ring = np.uint64(heads.size - 1)
    for j in range(sources.size):
        distance[sources[j]] = 0
        nodes[j], following[j] = sources[j], j - 1
    waiting, bucket, entry, size = sources.size, 0, sources.size - 1, 0
    done = Done(0, 0, sources.size, 0.0, 1.0)
    while (waiting or size) and (done.completed % NODES_PER_POLL or not stopped(stop)):
        if entry < 0:
            slot = np.uint64(bucket) & ring
            if size and not marks[slot >> SHIFT] >> (slot & LOW) & MARK:
                done, waiting = in_order(search, tight, predecessors, bucket, size, done, waiting)
                size = 0
                continue
            bucket = next_marked(marks, bucket, ring)
            slot = np.uint64(bucket) & ring
            marks[slot >> SHIFT] ^= MARK << (slot & LOW)
            entry, heads[slot] = heads[slot], EMPTY
        waiting -= 1
        u = np.uint32(nodes[np.uint64(entry)])
        entry = following[np.uint64(entry)]
        fetch_row(search, entry, np.uint64(bucket) & ring)
        here = distance[u]
        if np.int64(here * per_width) != bucket:
            continue
        if done.completed and all_met(search.sought):
            distance[u] = np.inf
            continue
        if late.size and late[u]:
            sorted_nodes[size] = u
            size += 1
            continue
        done, waiting, _ = settle(search, tight, predecessors, u, here, bucket, None, done, waiting)
    note_start(tight, done.completed, done.found)
    return done.completed, done.farthest, done.most


@subroutine
def in_order(search, tight, predecessors, bucket, size, done, waiting):
    """Complete the late nodes of a bucket, and those that they lead to within it, by distance."""
    distance, keys, nodes = search.distance, search.queue.heap_keys, search.queue.heap_nodes
    for i in range(size):
        sift_up(keys, nodes, i, distance[nodes[i]], nodes[i])
    while size:
        here, u = keys[0], np.uint32(nodes[0])
        size -= 1
        sift_down(keys, nodes, size)
        if here == distance[u]:
            if done.completed and all_met(search.sought):
                distance[u] = np.inf
                continue
            done, waiting, size = settle(
                search, tight, predecessors, u, here, bucket, size, done, waiting
            )
    return done, waiting


@inlined
def settle(search, tight, predecessors, u, here, bucket, heap, done, waiting):
    """Complete node u and relax its row; nodes of the current bucket go into a ``heap``, if any."""
    indptr, indices, lengths, queue, _, limit, sought, distance, order = search
    per_width, heads, marks, following, nodes, keys, sorted_nodes, late = queue
    ring = np.uint64(heads.size - 1)
    count, found, used, farthest, most = done
    size = 0 if heap is None else heap
    farthest = max(farthest, here)
    paths, bound = 0.0 if count else 1.0, here  # bound: greatest length that ties with here
    if tight is not None:
        bound += tight.tau
    order[np.uint64(count)] = u
    note_start(tight, count, found)
    meet(sought, u)
    count += 1
    for p in row_of(indptr, u):
        v = np.uint32(indices[p])
        before, reach = distance[v], here + lengths[p]
        now = reach if reach <= limit else np.inf
        paths, found = look_back(tight, p, v, before + lengths[p], bound, paths, found)
        note_last(tight, predecessors, u, v, before, reach, now < before)
        # Written unconditionally, without a branch, but kept only if v moves to an earlier bucket.
        distance[v] = min(before, now)
        slot = np.uint64(np.int64(reach * per_width)) & ring
        is_nearer = np.floor(now * per_width) < np.floor(before * per_width)
        if heap is not None:
            if now < before and late[v] and np.int64(now * per_width) == bucket:
                sift_up(keys, sorted_nodes, size, now, v)
                size += 1
                is_nearer = False
        head = heads[slot]
        nodes[np.uint64(used)], following[np.uint64(used)] = v, head
        heads[slot] = used if is_nearer else head
        marks[slot >> SHIFT] |= np.uint64(is_nearer) << (slot & LOW)
        used += is_nearer
        waiting += is_nearer
    most = note_paths(tight, u, paths, most)
    return Done(count, found, used, farthest, most), waiting, size


@inlined
def look_back(tight, p, v, around, bound, paths, found):
    """Add the paths along edge v -> u, entry p of A', if ``around`` = d(v) + w <= ``bound``."""
    if tight is None:
        return paths, found
    if not tight.as_found:
        return paths, found
    is_tight = around <= bound
    through = tight.sigma[v]  # read unconditionally: a branch would cost more
    tight.tails[np.uint64(found)] = v
    if tight.entries.size:
        tight.entries[np.uint64(found)] = p
    return paths + (through if is_tight else 0.0), found + is_tight


@inlined
def note_last(tight, predecessors, u, v, before, reach, is_shorter):
    """Make u the predecessor of v if ``reach`` is shorter than ``before``; TIED if both may tie.

    Whatever their order, each tight edge of v after the first is within tau of the shortest
    distance so far, or as the sum d(v) + tau rounds within twice as much.
    """
    if tight is not None:
        if not tight.as_found:
            last = u if is_shorter else tight.last[v]
            tight.last[v] = TIED if abs(reach - before) <= 2 * tight.tau else last
    elif predecessors is not None:
        predecessors[v] = u if is_shorter else predecessors[v]


@inlined
def note_start(tight, count, found):
    """Store the start of the tight edges of the next node."""
    if tight is not None:
        tight.starts[np.uint64(count)] = found


@inlined
def note_paths(tight, u, paths, most):
    """Store the path count of node u; returns the largest."""
    if tight is None:
        return most
    if not tight.as_found:
        return most
    tight.sigma[u] = paths
    return max(most, paths)


@inlined
def next_marked(marks, bucket, ring):
    """Next bucket, from ``bucket`` on, that is not empty."""
    left = marks[(np.uint64(bucket) & ring) >> SHIFT] >> (np.uint64(bucket) & LOW)
    while not left:
        bucket = (bucket | (WORD - 1)) + 1
        left = marks[(np.uint64(bucket) & ring) >> SHIFT]
    return bucket + lowest(left)


@inlined
def fetch_row(search, entry, slot):
    """Prefetch the next row: of ``entry``, or else of the next bucket in the same word of marks."""
    queue = search.queue
    left = queue.marks[slot >> SHIFT] >> (slot & LOW)
    if entry < 0 and left:
        entry = queue.heads[slot + np.uint64(lowest(left))]
    if entry >= 0:
        begin = search.indptr[np.uint32(queue.nodes[np.uint64(entry)])]
        prefetch(search.indices, begin)
        prefetch(search.lengths, begin)
