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

from ....jit import inlined, kernel, stopped, subroutine
from ....matrix.csr import row_of
from ..common.simd import lowest, prefetch
from ..common.state import DONE, STOPPED, Sizes, allocated, array, nbytes_of
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


class Dijkstra(NamedTuple):
    """A graph with its lengths, and the state of a search."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    lengths: NDArray[np.float64]
    stop: NDArray[np.uint8]  # (1,) as `jit.stopped` reads it
    limit: float  # cutoff; infinite for none
    sought: Any  # `Sought`: targets, of which the last ends the search
    per_width: float  # 1 / width of a bucket
    # Whether a node is sorted: an arc into it is too short for a bucket; empty if none is.
    late: Any = array(np.bool_, "n")
    distance: Any = array(np.float64, "n", fill=np.inf)
    order: Any = array(np.int32, "n")  # nodes in the order of completion
    completed: Any = array(np.int64, 1)  # number of nodes in the order, after `run`
    # Pending entries, in linked lists by bucket, and the heap of the current bucket.
    heads: Any = array("entry", "buckets", fill=EMPTY)  # first entry of each bucket, 2**k of them
    marks: Any = array(np.uint64, "words")  # a bit for each bucket that is not empty
    following: Any = array("entry", "entries")  # next entry in the same bucket
    nodes: Any = array(np.int32, "entries")
    heap_keys: Any = array(np.float64, "heap")
    heap_nodes: Any = array(np.int32, "heap")


class TightEdges(NamedTuple):
    """Tight edges, and the path counts along them; or with ``tau`` below 0 a tree of paths."""

    as_found: bool  # whether the search counts paths as it completes nodes
    tau: float  # largest difference of two paths that tie
    last: Any = array(np.int32, "n")  # predecessor of each node, or TIED; unless as_found
    sigma: Any = array(np.float64, "n")  # path counts, or their mantissas
    tails: Any = array(np.int32, "tight")  # by head in the order of the search
    entries: Any = array(np.int64, "entries")  # entries of the edges in A', for sums over arcs
    starts: Any = array(np.int64, "starts")  # tails of order[i] lie at starts[i]:starts[i + 1]


def search(
    indptr: NDArray[np.int64],
    indices: NDArray[np.int32],
    lengths: NDArray[np.float64],
    stop: NDArray[np.uint8],
    limit: float = np.inf,
    until: Any = None,
    starts: int = STARTS,
) -> Any:
    """Initial state for up to ``starts`` sources, with bucket widths from the lengths.

    ``until`` is a `Sought`, None for all nodes.
    """
    n, longest, entries = indptr.size - 1, float(lengths.max()), lengths.size + starts
    for share in (SHORT, MORE_SHORT):
        few = int(share * lengths.size)
        least = float(np.partition(lengths, few)[few])
        is_sorted = longest > max(MAGNITUDE, n / 2) * least or least == 0
        if not is_sorted:
            break
    width, late = WIDTH * least, np.full(n, is_sorted)
    if is_sorted:
        width = max(float(lengths.mean()) / BUCKETS_PER_MEAN, longest / (BUCKETS_PER_NODE * n))
        width = width or 1.0  # all lengths are 0
    late[indices[lengths < least]] = True
    in_heap = int(np.count_nonzero(late[indices])) + starts  # each arc once, and the sources
    buckets = max(WORD, 1 << int(longest / width + 3).bit_length())
    return allocated(
        Dijkstra,
        sizes(n, buckets, entries, in_heap),
        indptr=indptr,
        indices=indices,
        lengths=lengths,
        stop=stop,
        limit=limit,
        sought=until or sought(),
        per_width=1 / width,
        late=late if late.any() else late[:0],
    )


def search_bytes(nodes: int, arcs: int) -> int:
    """Upper bound of the bytes of a search, whatever the lengths, without the graph."""
    buckets = 2 * (max(BUCKETS_PER_NODE * nodes, int(MAGNITUDE / WIDTH)) + 4)
    entries = arcs + STARTS
    return nbytes_of(sizes(nodes, buckets, entries, entries), Dijkstra)


def sizes(nodes: int, buckets: int, entries: int, in_heap: int) -> Sizes:
    """Sizes of `Dijkstra`; ``in_heap`` bounds the entries of the heap."""
    return {
        "n": nodes,
        "entry": np.int32 if entries <= SMALL else np.int64,
        "buckets": buckets,
        "words": buckets // WORD,
        "entries": entries,
        "heap": in_heap,
    }


@kernel
def run(search, sources):
    """One search from all the sources; returns an outcome. `take_order` must follow."""
    search.completed[0], _, _ = sssp(search, sources, None)
    return STOPPED if stopped(search.stop) else DONE


@subroutine
def take_order(search):
    """Reset the distances that `run` has left; returns the number of nodes in the order."""
    count = search.completed[0]
    for v in search.order[:count]:
        search.distance[v] = np.inf
    return count


@subroutine
def sssp(search, sources, tight):
    """Distances of all nodes from the nearest of the sources, mostly one, and the order of nodes.

    Bucket b holds distances from b to b + 1 widths. Its nodes of caliber at least the width come
    first, for no arc into one of them starts in the bucket; then the others, and those that they
    lead to within it, by distance.

    Nodes pending when the last target is complete are skipped, and their distances reset.

    With `TightEdges` of a symmetric graph, paths to a node are counted when it is completed, in the
    pass over its neighbours: tight edges come from earlier buckets, whose distances are final. With
    those of any other graph each node gets a predecessor. None if neither is wanted.

    Returns the number of completed nodes, the largest distance, and the largest path count.
    """
    stop, sought, distance, order = search.stop, search.sought, search.distance, search.order
    heads, marks, following, nodes = search.heads, search.marks, search.following, search.nodes
    keys, sorted_nodes, late = search.heap_keys, search.heap_nodes, search.late
    ring, per_width = np.uint64(heads.size - 1), search.per_width
    for j in range(sources.size):
        distance[sources[j]] = 0
        nodes[j], following[j] = sources[j], j - 1
    waiting, bucket, entry, slot = sources.size, 0, sources.size - 1, np.uint64(0)
    size, by_distance = 0, False  # late nodes of the bucket, and whether they are a heap yet
    count, found, used, farthest, most = 0, 0, sources.size, 0.0, 1.0
    while (waiting or size) and (count % NODES_PER_POLL or not stopped(stop)):
        by_distance = by_distance and size > 0
        if by_distance:
            here, u = keys[0], np.uint32(sorted_nodes[0])
            size -= 1
            sift_down(keys, sorted_nodes, size)
        else:
            if entry < 0:
                if size and not marks[slot >> SHIFT] >> (slot & LOW) & MARK:
                    for i in range(size):
                        v = np.uint32(sorted_nodes[i])
                        sift_up(keys, sorted_nodes, i, distance[v], v)
                    by_distance = True
                    continue
                bucket = next_marked(marks, bucket, ring)
                slot = np.uint64(bucket) & ring
                marks[slot >> SHIFT] ^= MARK << (slot & LOW)
                entry, heads[slot] = heads[slot], EMPTY
            waiting -= 1
            u = np.uint32(nodes[np.uint64(entry)])
            entry = following[np.uint64(entry)]
            fetch_row(search, entry, slot)
            here = distance[u]
        if here != distance[u] or np.int64(here * per_width) != bucket:
            continue
        if count and all_met(sought):
            distance[u] = np.inf
            continue
        if late.size and late[u] and not by_distance:
            sorted_nodes[size] = u
            size += 1
            continue
        farthest = max(farthest, here)
        order[np.uint64(count)] = u
        meet(sought, u)
        at = u, here, bucket, count
        if by_distance:  # specialized by constants, so that no arc tests it
            done = settle(search, tight, at, size, found, used, True)
        else:
            done = settle(search, tight, at, size, found, used, False)
        size, found, behind, paths = done
        waiting += behind - used
        used = behind
        most = max(most, paths)
        count += 1
    if tight is not None:
        if tight.as_found:
            tight.starts[np.uint64(count)] = found
    return count, farthest, most


@inlined
def settle(search, tight, at, size, found, used, by_distance):
    """Relax the row of a node; if ``by_distance``, late nodes of the bucket go into the heap.

    Returns the entries of the heap, the tight edges, the entries of the queue, and the path count.
    """
    lengths, distance, limit, late = search.lengths, search.distance, search.limit, search.late
    heads, marks, following, nodes = search.heads, search.marks, search.following, search.nodes
    ring, per_width = np.uint64(heads.size - 1), search.per_width
    u, here, bucket, count = at
    paths, bound = 0.0 if count else 1.0, here  # bound: greatest length that ties with here
    if tight is not None:
        bound += tight.tau
        if tight.as_found:
            tight.starts[np.uint64(count)] = found
    for p in row_of(search.indptr, u):
        v = np.uint32(search.indices[p])
        before, reach = distance[v], here + lengths[p]
        now = reach if reach <= limit else np.inf
        if tight is not None:
            if tight.as_found:
                paths, found = look_back(tight, p, v, before + lengths[p], bound, paths, found)
            else:
                # Whatever their order, each tight edge of v after the first is within tau of the
                # shortest distance so far, or as d(v) + tau rounds within twice as much.
                last = u if now < before else tight.last[v]
                tight.last[v] = TIED if abs(reach - before) <= 2 * tight.tau else last
        # Written unconditionally, without a branch, but kept only if v moves to an earlier bucket.
        distance[v] = min(before, now)
        slot = np.uint64(np.int64(reach * per_width)) & ring
        is_nearer = np.floor(now * per_width) < np.floor(before * per_width)
        if by_distance and now < before and late[v] and np.int64(now * per_width) == bucket:
            sift_up(search.heap_keys, search.heap_nodes, size, now, v)
            size += 1
            is_nearer = False
        head = heads[slot]
        nodes[np.uint64(used)], following[np.uint64(used)] = v, head
        heads[slot] = used if is_nearer else head
        marks[slot >> SHIFT] |= np.uint64(is_nearer) << (slot & LOW)
        used += is_nearer
    if tight is not None:
        if tight.as_found:
            tight.sigma[u] = paths
    return size, found, used, paths


@inlined
def look_back(tight, p, v, around, bound, paths, found):
    """Add the paths along edge v -> u, entry p of A', if ``around`` = d(v) + w <= ``bound``."""
    is_tight = around <= bound
    through = tight.sigma[v]  # read unconditionally: a branch would cost more
    tight.tails[np.uint64(found)] = v
    if tight.entries.size:
        tight.entries[np.uint64(found)] = p
    return paths + (through if is_tight else 0.0), found + is_tight


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
    left = search.marks[slot >> SHIFT] >> (slot & LOW)
    if entry < 0 and left:
        entry = search.heads[slot + np.uint64(lowest(left))]
    if entry >= 0:
        begin = search.indptr[np.uint32(search.nodes[np.uint64(entry)])]
        prefetch(search.indices, begin)
        prefetch(search.lengths, begin)
