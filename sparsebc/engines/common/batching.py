"""Batches of sources that reach most rows in the same steps, such as breadth-first balls."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ...jit import interruptible, kernel, stopped
from ...matrix import csr
from ...matrix.csr import CSR, row_of
from ...matrix.graph import Graph
from .base import Task
from .batch import Batch, columns_together, widest

# In an undirected graph a ball of radius r reaches a row in at most 2 r + 1 levels. Past this
# radius its columns have so few levels in common that one source at a time is faster.
CLUSTER_RADIUS = 20
# Arcs per node up to which sources of a high-diameter graph are swept one at a time: frontiers are
# so small that masks of a few columns cost more than the searches that they save.
SPARSE = 6
# Most sources that are swept one at a time, on any graph; and on a large unweighted one of low
# diameter, where they take the time of batches of 16 and keep all workers busy.
ALONE, ALONE_WIDE = 16, 64
# Overlap (of 64 columns) from which a batch with shifted starts beats single sources, which take as
# long as 8 to 11 columns, on a high-diameter graph; elsewhere, its least ratio to that of balls.
TOGETHER, MORE = 10, 1.1
# Up to BRIEF_* sources on at least BRIEF_ARCS, renumbering takes longer than it saves: the time
# of ten sweeps of all rows by all threads (`brandes_rows.py`), or of five to ten by a queue on a
# high-diameter graph, which it makes two to three times as fast.
BRIEF_SOURCES, BRIEF_HIGH_DIAMETER, BRIEF_ARCS = 16, 4, 1 << 22
# Batches in which overlap is counted (of a high-diameter graph, at most one in ONE_IN), if there
# are ENOUGH: a search of bits alone takes a fifteenth of a sweep, and batches differ much.
COUNTED_HIGH_DIAMETER, COUNTED, ONE_IN = 24, 3, 4
ENOUGH_HIGH_DIAMETER, ENOUGH = 32, 256
# Most sources of a batch swept one at a time, and batches wanted for the workers to share.
SCATTERED, SCATTERED_BATCHES = 16, 64
# Batches wanted of sources swept together: with fewer than `ALONE` to a batch these gain little.
SHARED_BATCHES = 4
# Nodes that a ball may visit for each source that it is to hold.
VISITS = 64
# Weighted sources of a high-diameter graph share an order of the nodes if a ball of the share SHARE
# of all nodes holds FEW to EIGHT of them. On road-usa-ny each node is then relaxed 2 to 5 times
# for eight sources, and a source takes half the time that it takes alone. In a ball of a fifth of
# all nodes, 17 times and more.
FEW, EIGHT, SHARE = 4, 8, 1 / 24
# Fewest balls whose sources share an order of the nodes on a GPU, faster than single sources:
# weighted, unweighted, and unweighted with at least LARGE nodes. FILLED is the least share of the
# columns in use. ORDERS_OF_DISTANCES is that of weighted distances alone.
ORDERS, ORDERS_BY_EDGES, ORDERS_OF_LARGE, FILLED = 32, 1 << 10, 1 << 7, 1 / 2
ORDERS_OF_DISTANCES = 64
LARGE = 1 << 19
# Within a cutoff, runs of consecutive sources serve as balls if one node in RUNS is a source.
RUNS = 4
# A search that ends before this share of the nodes that it could reach is faster alone than in a
# batch, which takes a quarter of its time; estimated from LOOKS sources.
EARLY, LOOKS = 1 / 4, 8
# Within a cutoff sources search together, as without one, if it holds the share MOST of all nodes;
# on a high-diameter graph, if the share WITHIN of the nodes in it holds the sources of a batch.
# Estimated from LOOKS sources, if there are at least MANY_LOOKS.
MOST, WITHIN, MANY_LOOKS = 2 / 3, 1 / 4, 512
# Nodes, per node of the graph, visited by balls that do not fill up before no more are grown.
VAIN = 4


def is_brief(graph: Graph, sources: int) -> bool:
    """Whether sources are so few that on a CPU neither reduction nor renumbering pays.

    On a small graph neither takes long.
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
    """Batches of the sources sorted by their first neighbour.

    On low-diameter graphs nodes are numbered by descending degree. So it is their neighbour of
    highest degree, and sources that share it have much of their second level in common.
    """
    order: Any = np.arange(sources.size)
    if graph.arcs:
        ops = graph.ops
        order = ops.on_host(ops.by_first_neighbour(graph.outgoing, ops.asarray(sources)))
    return cut(sources[order], alpha[order], width)


def by_branch(
    graph: Graph, sources: NDArray[np.int32], alpha: NDArray[np.float64], width: int
) -> list[Batch]:
    """Batches of sources whose shortest paths to the node b of highest degree have most in common.

    Sources are in preorder of a shortest-path tree to b, of each component. The searches of a batch
    start staggered, so that all reach b in the same step: from then on they have the same frontier
    among the nodes that they reach by way of b. On web-cnr-2000, a row then has the new columns of
    a batch in 2.4 steps in place of 8.8.
    """
    parent, level = graph.ops.tree_to_busiest(graph.outgoing, graph.incoming, graph.components)
    order = np.empty(sources.size, dtype=np.int64)
    place, sibling = np.full(parent.size, -1), np.full(parent.size, -2, dtype=np.int32)
    child = np.full(parent.size + 1, -1, dtype=np.int32)
    interruptible(sources.size, _preorder, parent, sources, place, child, sibling, order)
    begins, levels = np.arange(0, sources.size, width), level[sources[order]]
    latest = np.repeat(np.maximum.reduceat(levels, begins), width)[: levels.size]
    starts = np.where(levels < 0, 0, latest - levels)
    batches = cut(sources[order], alpha[order], width)
    return [
        batch._replace(starts=starts[begin : begin + width])
        for batch, begin in zip(batches, begins.tolist(), strict=True)
    ]


@kernel
def _preorder(parent, sources, place, child, sibling, order, stop):  # type: ignore[no-untyped-def]
    """Fill in the indices of the sources in preorder of the forest of their ancestors.

    Places of sources and first children are -1 for now, next siblings -2, for nodes not seen.
    """
    top = parent.size  # parent of all roots
    for i in range(sources.size):
        v = sources[i]
        place[v] = i
        while v != top and sibling[v] == -2:
            up = parent[v]
            sibling[v] = child[up]
            child[up] = v
            v = up
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


def in_one_order(
    graph: Graph,
    sources: NDArray[np.int32],
    alpha: NDArray[np.float64],
    width: int,
    *,
    paths: bool = True,
) -> list[Batch]:
    """Batches of clustered sources, whose nodes nearly have a common order; [] if too few are.

    ``paths`` is False for distances alone, where a single source is faster than for paths.
    A ball of fewer sources than ``width`` is a batch of its own, so that no batch has scattered
    sources; but components that fit into a ball share batches, since their searches meet no common
    node. Within a cutoff growing balls would take as long as the searches: there runs of
    consecutive sources are batches, and a run of 32 reaches 1.08 times what a ball does on
    road-usa-ny.
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
    none_passed = np.zeros(graph.n, dtype=bool)
    order, sizes, _ = _found(graph, sources, none_passed, width, VISITS * width)
    label = graph.ops.on_host(graph.components)
    is_small = np.bincount(label) <= VISITS * width
    ends = np.cumsum(sizes)
    ordered, weights, small = sources[order], alpha[order], is_small[label[sources[order]]]
    batches = [
        Batch(ordered[i:j], weights[i:j], clustered=True)
        for i, j in zip((ends - sizes).tolist(), ends.tolist(), strict=True)
        if j - i == width or not small[i]
    ]
    loose = np.repeat(sizes < width, sizes) & small
    batches += cut(ordered[loose], weights[loose], width)
    return batches if sources.size >= FILLED * width * len(batches) else []


def by_components(task: Task, width: int) -> list[Batch]:
    """Batches of the sources sorted by weak component: a search reaches no row of another one."""
    graph, sources, alpha = task.graph, task.sources, task.alpha
    label = graph.components if task.components is None else task.components()
    label = graph.ops.on_host(label)[sources]
    if not (label == label[:1]).all():
        order = label.argsort(kind="stable")
        sources, alpha = sources[order], alpha[order]
    return cut(sources, alpha, width)


def for_distances(task: Task, width: int, scattered: int) -> list[Batch]:
    """Batches to search from, with ``scattered`` sources to a batch of scattered ones.

    Weights cost a mask. On a low-diameter graph, where clustered sources gain little, sources of
    weight 1 have batches of their own, which need none. Points of interest always have weights.
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
    """Batches to count paths from, of `in_balls`; enough for workers to share.

    If the kernel ``shifts`` starts, those of `by_branch` where their overlap is larger.
    """
    graph, sources, alpha, high_diameter = task.graph, task.sources, task.alpha, task.high_diameter
    count = sources.size
    enough = (ENOUGH_HIGH_DIAMETER if high_diameter else ENOUGH) * width
    branches = by_branch(graph, sources, alpha, width) if shifts and count >= enough else []
    if branches and high_diameter:
        sampled = min(COUNTED_HIGH_DIAMETER, len(branches) // ONE_IN)
        if columns_together(graph, branches, sampled) >= TOGETHER:
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
    """Batches of consecutive sources that are swept one at a time."""
    size = alone(task.sources.size)
    return cut(task.sources, task.alpha, size, clustered=False)


def ends_early(task: Task) -> bool:
    """Whether a search that ends at its last destination visits few of the nodes in reach.

    Estimated by the breadth-first order from `LOOKS` sources, with the origin-destination matrix.
    """
    if task.seeds is None or task.seeds.demand is None or not task.sources.size:
        return False
    if task.graph.arcs > csr.CSGRAPH_ENTRIES:  # too many for SciPy
        return False
    outgoing, rows = task.graph.outgoing.for_csgraph(), task.seeds.demand.pattern
    visited = reached = 0
    for s in task.sources[:: -(-task.sources.size // LOOKS)].tolist():
        order = csgraph.breadth_first_order(outgoing, s, return_predecessors=False)
        ends = np.flatnonzero(np.isin(order, rows.indices[rows.indptr[s] : rows.indptr[s + 1]]))
        visited, reached = visited + int(ends.max(initial=0)), reached + order.size
    return visited < EARLY * reached


def within_cutoff(task: Task, batches: list[Batch]) -> list[Batch]:
    """Weighted batches, swept one source at a time if the cutoff holds too few nodes.

    A single source then visits no node beyond the cutoff. On a high-diameter graph, sources search
    together if those of a batch have most nodes within the cutoff in common.
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
    """Mean number of nodes within the largest cutoff of `LOOKS` sources; -1 if sources are few."""
    graph, count = task.graph, task.sources.size
    if count < max(MANY_LOOKS, 1) or graph.arcs > csr.CSGRAPH_ENTRIES:
        return -1.0
    host = graph.on_host()
    lengths = host.outgoing.for_csgraph(host.lengths.outgoing)
    sample = task.sources[:: -(-count // LOOKS)]
    reached = (
        np.isfinite(csgraph.dijkstra(lengths, indices=s, limit=graph.limits[-1])).sum()
        for s in sample.tolist()
    )
    return float(sum(reached)) / sample.size


def by_eight(graph: Graph, batches: list[Batch]) -> list[Batch]:
    """Weighted batches, with scattered sources in batches of up to eight where balls hold them."""
    clustered = [batch for batch in batches if batch.clustered]
    scattered = [batch for batch in batches if not batch.clustered]
    if not scattered:
        return clustered
    sources, alpha = (np.concatenate([batch[field] for batch in scattered]) for field in (0, 1))
    visits = int(SHARE * graph.n)
    order, sizes, _ = _found(graph, sources, np.zeros(graph.n, dtype=bool), EIGHT, visits)
    together = np.repeat(sizes >= FEW, sizes)
    start = 0
    for size in sizes:
        if size >= FEW:
            ball = order[start : start + size]
            clustered.append(Batch(sources[ball], alpha[ball], clustered=True))
        start += size
    rest = order[~together]
    return clustered + cut(sources[rest], alpha[rest], alone(sources.size), clustered=False)


def alone(count: int, batches: int = SCATTERED_BATCHES) -> int:
    """Size of batches swept one source at a time: small enough that there are ``batches``."""
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
    """Batches of neighbouring sources: balls of ``width`` sources, then the remaining sources.

    On a high-diameter graph the remaining ones are ``scattered`` to a batch, by default as few as
    `alone` has it, and balls are marked clustered up to radius ``clustered``. Nodes of the mask
    ``passed``, (n,), are not counted in a ball: twins, which it meets with the node whose
    neighbours they have. A pure function of the graph, the sources and the width, as are the bits
    of the sums that it fixes.
    """
    passed = np.zeros(graph.n, dtype=bool) if passed is None else passed
    order, sizes, radii = _found(graph, sources, passed, width, VISITS * width)
    is_full = np.repeat(sizes == width, sizes)
    batches = cut(sources[order[is_full]], alpha[order[is_full]], width)
    if high_diameter:
        batches = [
            batch._replace(clustered=bool(radius <= clustered))
            for batch, radius in zip(batches, radii[sizes == width], strict=True)
        ]
    rest = order[~is_full]
    size = (scattered or alone(sources.size)) if high_diameter else width
    return batches + cut(sources[rest], alpha[rest], size, clustered=not high_diameter)


def _found(
    graph: Graph,
    sources: NDArray[np.int32],
    passed: NDArray[np.bool_],
    width: int,
    visits: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Indices of the sources ball by ball, and sizes and radii of the balls (`_balls`)."""
    host = graph.on_host()
    backward = CSR(np.zeros_like(host.outgoing.indptr), host.outgoing.indices[:0])
    ways = host.outgoing, backward if graph.symmetric else host.incoming
    work = visits * (sources.size // width) + (1 + VAIN) * graph.n
    waiting = np.full(graph.n, -1, dtype=np.int32)
    waiting[sources] = np.arange(sources.size)
    ball = np.where(passed, np.int32(sources.size), np.int32(-1))
    order, sizes, radii = (np.empty(sources.size, dtype=np.int64) for _ in range(3))
    arguments = sources, width, visits, waiting, ball, np.empty(graph.n, dtype=np.int32)
    count = interruptible(work, _balls, ways, *arguments, order, sizes, radii)
    return order, sizes[:count], radii[:count]


@kernel
def _balls(  # type: ignore[no-untyped-def]
    ways, sources, width, visits, waiting, ball, queue, order, sizes, radii, stop
):
    """Fill order, sizes and radii of balls of up to ``width`` sources; return their number.

    A ball grows from the first source in no ball, by breadth-first search along both ``ways``, and
    ends at ``visits`` nodes. ``waiting`` is the index in ``sources`` of each node, -1 if it is no
    source or in a ball. ``ball`` is the last ball that met a node, -1 if none did; nodes with the
    number of sources there are met by none.
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
        order[placed] = waiting[seed]
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
                            order[placed + size] = waiting[v]
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
