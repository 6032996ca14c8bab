"""Batches of sources: breadth-first balls, whose sources reach a row together."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ...graph import csr
from ...graph.csr import CSR
from ...graph.graph import Graph
from ...graph.indices import row_of
from ...jit import allocating_kernel, interruptible, kernel, stopped
from .base import Task
from .batch import Batch, widest
from .batch_overlap import columns_together

# In an undirected graph a ball of radius r spreads its columns over at most 2 r + 1 levels of a
# row. Past this radius they have so little in common that one column at a time is faster.
CLUSTER_RADIUS = 20
# Arcs a node up to which sources of a deep graph are swept one at a time wherever they lie: with
# levels that narrow, what a mask of a few columns costs is more than the searches that it saves.
SPARSE = 6
# So many sources or fewer are faster one at a time, on any graph; by edges on a large one of wide
# levels so many, which take the time of batches of 16 and keep all workers busy.
ALONE, ALONE_WIDE = 16, 64
# Columns of 64 that go on together, from which a batch with shifted starts on a deep graph beats
# its sources alone, which take as long as 8 to 11 do; how many more than those of balls elsewhere.
TOGETHER, MORE = 10, 1.1
# Up to so many sources of a graph of so many arcs, putting its nodes in order takes longer than it
# saves: the time of ten sweeps of all rows by all threads (`brandes_rows.py`), or of five to ten
# by a queue on a deep graph, which it makes two to three times as fast.
BRIEF_SOURCES, BRIEF_HIGH_DIAMETER, BRIEF_ARCS = 16, 4, 1 << 22
# They are counted in so many batches, of a deep graph in one of 4 at most, and where there are so
# many at least: a search of bits alone takes a fifteenth of a sweep, and batches differ much.
COUNTED_HIGH_DIAMETER, COUNTED, ONE_IN = 24, 3, 4
ENOUGH_HIGH_DIAMETER, ENOUGH = 32, 256
# Sources of a batch that are swept one at a time, at most, and batches for workers to share.
SCATTERED, SCATTERED_BATCHES = 16, 64
# The same of sources swept together: with fewer than `ALONE` to a batch these gain little.
SHARED_BATCHES = 4
# Nodes that a ball may visit for each source it is to hold.
VISITS = 64
# By length, sources of a deep graph share an order of nodes: so many, up to eight, in a ball of
# this share of all nodes. On road-usa-ny each node then hands on 2 to 5 times for eight; a source
# takes half the time that it takes alone. In a ball of a fifth of all nodes, 17 times and more.
FEW, EIGHT, SHARE = 4, 8, 1 / 24
# Balls whose sources share an order of nodes on a GPU: so many of them, by length, by edges, and by
# edges on a graph that is large, whose places are filled to this share, are faster than each source
# alone; for distances by length so many.
ORDERS, ORDERS_BY_EDGES, ORDERS_OF_LARGE, FILLED = 32, 1 << 10, 1 << 7, 1 / 2
ORDERS_OF_DISTANCES = 64
LARGE = 1 << 19
# Within a cutoff runs of the order of the nodes will do, where one in so many is a source.
RUNS = 4
# A search that meets this share of what it would reach is faster from a source alone than from many
# at once, which take a quarter of its time; looked at from so many sources.
EARLY, LOOKS = 1 / 4, 8
# Within a cutoff that holds the share MOST of all nodes sources search together, as without one. On
# a deep graph, where the share WITHIN of the nodes in the cutoff has sources enough for a batch.
# Looked at where sources are so many.
MOST, WITHIN, MANY_LOOKS = 2 / 3, 1 / 4, 512
# Nodes, per node of the graph, that balls may visit in vain before the search for more is given up.
VAIN = 4


def is_brief(graph: Graph, sources: int) -> bool:
    """Whether a host sweeps from so few sources that no reduction and no order of the nodes pays.

    On a smaller graph neither takes long.
    """
    if graph.arcs < BRIEF_ARCS or sources > BRIEF_SOURCES:
        return False
    return sources <= BRIEF_HIGH_DIAMETER or not graph.traits.high_diameter


def cut(
    sources: NDArray[np.int32], alpha: NDArray[np.float64], width: int, *, clustered: bool = True
) -> list[Batch]:
    """Batches of consecutive sources."""
    return [
        Batch(sources[i : i + width], alpha[i : i + width], clustered)
        for i in range(0, sources.size, width)
    ]


def by_first_neighbour(
    graph: Graph, sources: NDArray[np.int32], alpha: NDArray[np.float64], width: int
) -> list[Batch]:
    """Batches of sources in an order in which those of one first neighbour follow each other.

    Nodes are numbered by falling degree where levels are wide. So it is their busiest neighbour,
    and they have much of their second level in common.
    """
    order: Any = np.arange(sources.size)
    if graph.arcs:
        ops = graph.ops
        order = ops.on_host(ops.by_first_neighbour(graph.outgoing, ops.asarray(sources)))
    return cut(sources[order], alpha[order], width)


def by_branch(
    graph: Graph, sources: NDArray[np.int32], alpha: NDArray[np.float64], width: int
) -> list[Batch]:
    """Batches of sources that have most of the way to the busiest node b of a component in common.

    Each branch of a tree of shortest paths to b comes in one piece, a depth-first search. In a
    batch each search waits until all reach b in the same step: from then on they go together, to
    the nodes that all reach by way of b. On web-cnr-2000, a row then has the new columns of a batch
    in 2.4 steps in place of 8.8.
    """
    parent, level = graph.ops.tree_to_busiest(graph.outgoing, graph.incoming, graph.components)
    place = interruptible(sources.size, _preorder, parent, sources)
    begins, there = np.arange(0, sources.size, width), level[sources[place]]
    latest = np.repeat(np.maximum.reduceat(there, begins), width)[: there.size]
    starts = np.where(there < 0, 0, latest - there)
    batches = cut(sources[place], alpha[place], width)
    return [
        batch._replace(starts=starts[begin : begin + width])
        for batch, begin in zip(batches, begins.tolist(), strict=True)
    ]


@allocating_kernel
def _preorder(parent, sources, stop):  # type: ignore[no-untyped-def]
    """Positions of the sources by a depth-first search of the forest of their ancestors."""
    top = parent.size  # parent of all roots
    place = np.full(top, -1, dtype=np.int64)
    child = np.full(top + 1, -1, dtype=np.int32)
    sibling = np.full(top, -2, dtype=np.int32)  # -2: not seen
    for i in range(sources.size):
        v = sources[i]
        place[v] = i
        while v != top and sibling[v] == -2:
            up = parent[v]
            sibling[v] = child[up]
            child[up] = v
            v = up
    order = np.empty(sources.size, dtype=np.int64)
    count, v = 0, child[top]
    while v >= 0 and not stopped(stop):
        if place[v] >= 0:
            order[count] = place[v]
            count += 1
        down = child[v]
        while down < 0 and v != top:
            down = sibling[v]
            v = parent[v]
        v = down
    return order


def in_one_order(
    graph: Graph,
    sources: NDArray[np.int32],
    alpha: NDArray[np.float64],
    width: int,
    *,
    paths: bool = True,
) -> list[Batch]:
    """Batches of sources so near that nodes have nearly one order for all; none if too few are.

    For ``paths``, or for distances alone, which take each source less time by itself.
    Sources whose ball is smaller than a batch go by themselves, lest some lie far apart; those of
    components that a ball can hold go together, since they meet no node of each other. Within a
    cutoff looking for balls would take as long as searches do: neighbours are close together in the
    order of the nodes, where a run of 32 reaches 1.08 times what a ball does on road-usa-ny.
    """
    if graph.cutoffs:
        order = np.argsort(sources, kind="stable")
        many = RUNS * sources.size >= graph.n
        return cut(sources[order], alpha[order], width) if many else []
    by_edges = ORDERS_BY_EDGES if graph.n < LARGE else ORDERS_OF_LARGE
    by_length = ORDERS if paths else ORDERS_OF_DISTANCES
    least = by_length if graph.lengths else by_edges
    if sources.size <= least * width * FILLED:
        return []
    nobody = np.zeros(graph.n, dtype=bool)
    place, sizes, _ = _found(graph, sources, nobody, width, VISITS * width)
    label = graph.ops.on_host(graph.components)
    is_small = np.bincount(label) <= VISITS * width
    ends = np.cumsum(sizes)
    near, weights, small = sources[place], alpha[place], is_small[label[sources[place]]]
    batches = [
        Batch(near[i:j], weights[i:j], clustered=True)
        for i, j in zip((ends - sizes).tolist(), ends.tolist(), strict=True)
        if j - i == width or not small[i]
    ]
    loose = np.repeat(sizes < width, sizes) & small
    batches += cut(near[loose], weights[loose], width)
    return batches if sources.size >= FILLED * width * len(batches) else []


def by_components(task: Task, width: int) -> list[Batch]:
    """Batches of sources of a weak component each, as far as they go: they reach all its rows."""
    graph, sources, alpha = task.graph, task.sources, task.alpha
    label = graph.components if task.components is None else task.components()
    label = graph.ops.on_host(label)[sources]
    if not (label == label[:1]).all():
        order = label.argsort(kind="stable")
        sources, alpha = sources[order], alpha[order]
    return cut(sources, alpha, width)


def for_distances(task: Task, width: int, scattered: int) -> list[Batch]:
    """Batches to search from, those that lie apart ``scattered`` to a batch.

    Masks of weights cost, which few batches need to bear where near sources gain little: on a
    shallow graph sources of weight 1 are apart from others. Places have weights in any case.
    """
    alpha, batches = task.alpha, []
    plain = np.ones(task.sources.size, dtype=bool)
    if not task.high_diameter and task.kind == "distances":
        plain = alpha == 1
    for part in filter(np.any, (plain, ~plain)):
        batches += in_balls(
            *(task.graph, task.sources[part], alpha[part]),
            width=width,
            high_diameter=task.high_diameter,
            scattered=scattered,
            clustered=width,
        )
    return batches


def for_paths(task: Task, *, width: int, shifts: bool = False) -> list[Batch]:
    """Batches to count paths from, as `in_balls` has them; workers find several, from two on.

    Those of `by_branch` where searches may start one after the other, ``shifts``, and then more of
    them go on together.
    """
    graph, sources, alpha, high_diameter = task.graph, task.sources, task.alpha, task.high_diameter
    count = sources.size
    enough = (ENOUGH_HIGH_DIAMETER if high_diameter else ENOUGH) * width
    branches = by_branch(graph, sources, alpha, width) if shifts and count >= enough else []
    if branches and high_diameter:
        some = min(COUNTED_HIGH_DIAMETER, len(branches) // ONE_IN)
        if columns_together(graph, branches, some) >= TOGETHER:
            return branches
    is_wide = graph.arcs >= BRIEF_ARCS and not (high_diameter or graph.lengths)
    if count <= (ALONE_WIDE if is_wide else ALONE) or (
        high_diameter and not graph.lengths and graph.arcs <= SPARSE * graph.n
    ):
        return cut(sources, alpha, alone(count), clustered=False)
    several = max(-(-count // width), min(SHARED_BATCHES, -(-count // ALONE)))
    width = -(-count // several)
    shape: Any = {"width": width, "high_diameter": high_diameter}
    batches = in_balls(graph, sources, alpha, passed=task.passed, **shape)
    if branches and not high_diameter:
        least = MORE * columns_together(graph, batches, COUNTED)
        return branches if columns_together(graph, branches, COUNTED) >= least else batches
    if high_diameter and graph.lengths and not graph.cutoffs:
        return by_eight(graph, batches)
    return batches


def one_by_one(task: Task) -> list[Batch]:
    """Batches of sources that are swept one at a time, in their order."""
    few = alone(task.sources.size)
    return cut(task.sources, task.alpha, few, clustered=False)


def ends_early(task: Task) -> bool:
    """Whether a search that ends with the last target of a demand passes over most nodes.

    By the order of breadth-first searches from a few of the sources.
    """
    if task.seeds is None or task.seeds.demand is None or not task.sources.size:
        return False
    if task.graph.arcs > csr.CSGRAPH_ENTRIES:  # of which SciPy makes no such order
        return False
    there, rows = task.graph.outgoing.for_csgraph(), task.seeds.demand.pattern
    met = reached = 0
    for s in task.sources[:: -(-task.sources.size // LOOKS)].tolist():
        order = csgraph.breadth_first_order(there, s, return_predecessors=False)
        found = np.flatnonzero(np.isin(order, rows.indices[rows.indptr[s] : rows.indptr[s + 1]]))
        met, reached = met + int(found.max(initial=0)), reached + order.size
    return met < EARLY * reached


def within_cutoff(task: Task, batches: list[Batch]) -> list[Batch]:
    """Batches by length as they search: together where most nodes are within the cutoff.

    On a deep graph, where near sources have most of what is within it in common. Elsewhere a source
    alone meets no nodes but those within.
    """
    graph = task.graph
    if graph.cutoffs:
        share, least = _reached_within(task) / max(graph.n, 1), MOST
        if task.high_diameter:
            share, least = share * WITHIN * task.sources.size, widest(batches)
        if share < least:
            return [batch._replace(clustered=False) for batch in batches]
    return batches


def _reached_within(task: Task) -> float:
    """Nodes within the farthest cutoff of a source, by a few of them; -1 where sources are few."""
    graph, count = task.graph, task.sources.size
    if count < max(MANY_LOOKS, 1) or graph.arcs > csr.CSGRAPH_ENTRIES:
        return -1.0
    there = graph.on_host()
    lengths = there.outgoing.for_csgraph(there.lengths.outgoing)
    some = task.sources[:: -(-count // LOOKS)]
    reached = (
        np.isfinite(csgraph.dijkstra(lengths, indices=s, limit=graph.limits[-1])).sum()
        for s in some.tolist()
    )
    return float(sum(reached)) / some.size


def by_eight(graph: Graph, batches: list[Batch]) -> list[Batch]:
    """Batches by length: of sources that lie apart, eight where so many are near enough."""
    near = [one for one in batches if one.clustered]
    apart = [one for one in batches if not one.clustered]
    if not apart:
        return near
    sources, alpha = (np.concatenate([one[field] for one in apart]) for field in (0, 1))
    visits = int(SHARE * graph.n)
    place, sizes, _ = _found(graph, sources, np.zeros(graph.n, dtype=bool), EIGHT, visits)
    together = np.repeat(sizes >= FEW, sizes)
    start = 0
    for size in sizes:
        if size >= FEW:
            some = place[start : start + size]
            near.append(Batch(sources[some], alpha[some], clustered=True))
        start += size
    rest = place[~together]
    return near + cut(sources[rest], alpha[rest], alone(sources.size), clustered=False)


def alone(count: int, batches: int = SCATTERED_BATCHES) -> int:
    """Sources of a batch, of so many that lie apart: few, so that workers find so many batches."""
    return max(1, min(SCATTERED, count // batches))


def in_balls(
    graph: Graph,
    sources: NDArray[np.int32],
    alpha: NDArray[np.float64],
    *,
    width: int,
    high_diameter: bool,
    scattered: int | None = None,
    clustered: int = CLUSTER_RADIUS,
    passed: NDArray[np.bool_] | None = None,
) -> list[Batch]:
    """Batches of neighbouring sources: whole balls first, then what the balls left over.

    On a deep graph, those left over are ``scattered`` to a batch, by default as few as `alone`, and
    balls are compact up to the radius ``compact``. Nodes that are ``passed``, a mask of shape (n,),
    take no room in a ball: those with the neighbours of another node, which a ball meets as soon.
    A pure function of the graph, the sources and the width, so that the sums it fixes are too.
    """
    passed = np.zeros(graph.n, dtype=bool) if passed is None else passed
    place, sizes, radii = _found(graph, sources, passed, width, VISITS * width)
    whole = np.repeat(sizes == width, sizes)
    batches = cut(sources[place[whole]], alpha[place[whole]], width)
    if high_diameter:
        batches = [
            g._replace(clustered=bool(radius <= clustered))
            for g, radius in zip(batches, radii[sizes == width], strict=True)
        ]
    rest = place[~whole]
    few = (scattered or alone(sources.size)) if high_diameter else width
    return batches + cut(sources[rest], alpha[rest], few, clustered=not high_diameter)


def _found(
    graph: Graph,
    sources: NDArray[np.int32],
    passed: NDArray[np.bool_],
    width: int,
    visits: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Balls of sources, as `_balls` finds them, each visiting so many nodes at most."""
    there = graph.on_host()
    backward = CSR(np.zeros_like(there.outgoing.indptr), there.outgoing.indices[:0])
    ways = there.outgoing, backward if graph.symmetric else there.incoming
    work = visits * (sources.size // width) + (1 + VAIN) * graph.n
    waiting = np.full(graph.n, -1, dtype=np.int32)
    waiting[sources] = np.arange(sources.size)
    ball = np.where(passed, np.int32(sources.size), np.int32(-1))
    place, sizes, radii = (np.empty(sources.size, dtype=np.int64) for _ in range(3))
    arguments = sources, width, visits, waiting, ball, np.empty(graph.n, dtype=np.int32)
    count = interruptible(work, _balls, ways, *arguments, place, sizes, radii)
    return place, sizes[:count], radii[:count]


@kernel
def _balls(  # type: ignore[no-untyped-def]
    ways, sources, width, visits, waiting, ball, queue, place, sizes, radii, stop
):
    """Positions in ``sources`` ball by ball, the size of each ball and its radius; how many balls.

    ``waiting`` is the position of each node, -1 if it is no source. ``ball`` is the last ball that
    met a node, -1 if none did; no ball meets the nodes in which it is the number of sources.
    """
    n = ball.size
    placed = count = vain = 0
    for seed in sources:
        if stopped(stop):
            break
        if waiting[seed] < 0:
            continue
        queue[0] = seed
        ball[seed] = max(ball[seed], count)
        place[placed] = waiting[seed]
        waiting[seed] = -1
        size, low, high, radius, reached = 1, 0, 1, 0, 0
        while high > low and size < width and high < visits and vain < VAIN * n:
            end = high
            radius += 1
            for i in range(low, high):
                for indptr, indices in ways:
                    for p in row_of(indptr, np.uint32(queue[i])):
                        v = np.uint64(indices[p])
                        if ball[v] >= count:
                            continue
                        ball[v] = count
                        queue[end] = v
                        end += 1
                        if waiting[v] >= 0 and size < width:
                            place[placed + size] = waiting[v]
                            waiting[v] = -1
                            size += 1
                            reached = radius
                if size == width:
                    break
            low, high = high, end
        if size < width:
            vain += high
        sizes[count] = size
        radii[count] = reached
        placed += size
        count += 1
    return count
