"""Rules that choose the batches of a task: which sources search together, which alone."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ...matrix import csr
from ...matrix.graph import Graph
from . import balls, shifted
from .balls import found_balls, in_balls
from .base import Task
from .sums import Batch, alone, cut, widest

# Few sources of a large graph: on a CPU neither reduction nor renumbering pays. Either takes longer
# than it saves: the time of ten sweeps of all rows by all threads (`brandes_rows.py`), or of five
# to ten by a queue on a high-diameter graph, which it makes two to three times as fast. On a small
# graph neither takes long.
BRIEF_SOURCES, BRIEF_SOURCES_HIGH_DIAMETER, BRIEF_ARCS = 16, 4, 1 << 22


def is_brief(graph: Graph, sources: int) -> bool:
    """Whether sources are so few that on a CPU neither reduction nor renumbering pays."""
    if graph.arcs < BRIEF_ARCS or sources > BRIEF_SOURCES:
        return False
    return sources <= BRIEF_SOURCES_HIGH_DIAMETER or not graph.traits.high_diameter


def by_first_neighbour(
    graph: Graph, sources: NDArray[np.int32], alpha: NDArray[np.float64], width: int
) -> list[Batch]:
    """Batches of the sources sorted by their first neighbour.

    On low-diameter graphs nodes are numbered by descending degree. So it is their neighbour of
    highest degree, and sources that share it have much of their second level in common.
    """
    order: Any = np.arange(sources.size)
    if graph.arcs:
        ops, (indptr, indices) = graph.ops, graph.outgoing
        # Of an empty row the next entry counts, or the last.
        first = indices[ops.xp.minimum(indptr[ops.asarray(sources)], indices.size - 1)]
        order = ops.on_host(ops.sorted_by(first, graph.n))
    return cut(sources[order], alpha[order], width)


# Fewest balls whose sources share an order of the nodes on a GPU, faster than single ones: by
# length, of weighted distances alone, by edges, and by edges on a graph that is large from so many
# nodes on.
ORDER_BY_LENGTH, ORDER_OF_DISTANCES, ORDER_BY_EDGES = 32, 64, 1 << 10
ORDER_BY_EDGES_OF_LARGE, ORDER_LARGE = 1 << 7, 1 << 19
ORDER_FILLED = 1 / 2  # least share of the columns in use
# Within a cutoff, runs of sources serve as balls if one node in so many is a source.
ORDER_ONE_IN = 4


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
        many = ORDER_ONE_IN * sources.size >= graph.n
        return cut(sources[order], alpha[order], width) if many else []
    is_large = graph.n >= ORDER_LARGE
    by_edges = ORDER_BY_EDGES_OF_LARGE if is_large else ORDER_BY_EDGES
    by_length = ORDER_BY_LENGTH if paths else ORDER_OF_DISTANCES
    least = by_length if graph.lengths else by_edges
    if sources.size <= least * width * ORDER_FILLED:
        return []
    none_passed = np.zeros(graph.n, dtype=bool)
    order, sizes, _ = found_balls(graph, sources, none_passed, width, balls.VISITS * width)
    label = graph.ops.on_host(graph.components)
    is_small = np.bincount(label) <= balls.VISITS * width
    ends = np.cumsum(sizes)
    ordered, weights, small = sources[order], alpha[order], is_small[label[sources[order]]]
    batches = [
        Batch(ordered[i:j], weights[i:j], clustered=True)
        for i, j in zip((ends - sizes).tolist(), ends.tolist(), strict=True)
        if j - i == width or not small[i]
    ]
    loose = np.repeat(sizes < width, sizes) & small
    batches += cut(ordered[loose], weights[loose], width)
    return batches if sources.size >= ORDER_FILLED * width * len(batches) else []


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


# Most sources that are swept one at a time, since batches save nothing: on any graph, and on a
# large unweighted graph of low diameter, where they take the time of batches of 16 and keep all
# workers busy.
SINGLE_SOURCES, SINGLE_SOURCES_OF_LARGE = 16, 64
# Arcs per node up to which those of a high-diameter graph are: frontiers are so small that masks of
# a few columns cost more than the searches that they save.
SINGLE_ARCS_PER_NODE = 6
# Batches wanted of more: with fewer than `SINGLE_SOURCES` to a batch these gain little.
SHARED_BATCHES = 4


def for_paths(task: Task, *, width: int, shifts: bool = False) -> list[Batch]:
    """Batches to count paths from, of `in_balls`; enough for workers to share.

    If the kernel ``shifts`` starts, those of `shifted` where their overlap is larger.
    """
    graph, sources, alpha, high_diameter = task.graph, task.sources, task.alpha, task.high_diameter
    count, branches = sources.size, []
    least = shifted.LEAST_HIGH_DIAMETER if high_diameter else shifted.LEAST
    if shifts and count >= least * width:
        branches = shifted.by_branch(graph, sources, alpha, width)
        few = min(shifted.COUNTED_HIGH_DIAMETER, len(branches) // shifted.ONE_IN)
        if high_diameter and shifted.columns_together(graph, branches, few) >= shifted.COLUMNS:
            return branches
    is_wide = graph.arcs >= BRIEF_ARCS and not (high_diameter or graph.lengths)
    if count <= (SINGLE_SOURCES_OF_LARGE if is_wide else SINGLE_SOURCES) or (
        high_diameter and not graph.lengths and graph.arcs <= SINGLE_ARCS_PER_NODE * graph.n
    ):
        return one_by_one(task)
    several = max(-(-count // width), min(SHARED_BATCHES, -(-count // SINGLE_SOURCES)))
    width = -(-count // several)
    shape: Any = {"width": width, "high_diameter": high_diameter}
    batches = in_balls(graph, sources, alpha, passed=task.passed, **shape)
    if branches and not high_diameter:
        of_balls, of_branches = (
            shifted.columns_together(graph, each, shifted.COUNTED) for each in (batches, branches)
        )
        return branches if of_branches >= shifted.RATIO * of_balls else batches
    if high_diameter and graph.lengths and not graph.cutoffs:
        return by_eight(graph, batches)
    return batches


def one_by_one(task: Task) -> list[Batch]:
    """Batches of consecutive sources that are swept one at a time."""
    size = alone(task.sources.size)
    return cut(task.sources, task.alpha, size, clustered=False)


# A search that ends before this share of the nodes in reach is faster alone: in a batch it takes a
# quarter of its time. Estimated from so many sources.
EARLY_SHARE, EARLY_LOOKS = 1 / 4, 8


def ends_early(task: Task) -> bool:
    """Whether a search that ends at its last destination visits few of the nodes in reach.

    Estimated by the breadth-first order from a few sources, with the origin-destination matrix.
    """
    if task.seeds is None or task.seeds.demand is None or not task.sources.size:
        return False
    if task.graph.arcs > csr.CSGRAPH_ENTRIES:  # too many for SciPy
        return False
    outgoing, rows = task.graph.outgoing.for_csgraph(), task.seeds.demand.pattern
    visited = reached = 0
    for s in task.sources[:: -(-task.sources.size // EARLY_LOOKS)].tolist():
        order = csgraph.breadth_first_order(outgoing, s, return_predecessors=False)
        ends = np.flatnonzero(np.isin(order, rows.indices[rows.indptr[s] : rows.indptr[s + 1]]))
        visited, reached = visited + int(ends.max(initial=0)), reached + order.size
    return visited < EARLY_SHARE * reached


# Within a cutoff, sources search together, as without one, if it holds this share of all nodes; or
# on a high-diameter graph, if this share of the nodes in it holds the sources of a batch.
WITHIN_SHARE, WITHIN_OF_BATCH = 2 / 3, 1 / 4
# Least sources for that estimate, and those that it is made from.
WITHIN_SOURCES, WITHIN_LOOKS = 512, 8


def within_cutoff(task: Task, batches: list[Batch]) -> list[Batch]:
    """Weighted batches, swept one source at a time if the cutoff holds too few nodes.

    A single source then visits no node beyond the cutoff. On a high-diameter graph, sources search
    together if those of a batch have most nodes within the cutoff in common.
    """
    graph, count, mean = task.graph, task.sources.size, -1.0
    if not graph.cutoffs:
        return batches
    if count >= max(WITHIN_SOURCES, 1) and graph.arcs <= csr.CSGRAPH_ENTRIES:
        host, limit = graph.on_host(), graph.limits[-1]
        lengths = host.outgoing.for_csgraph(host.lengths.outgoing)
        sample = task.sources[:: -(-count // WITHIN_LOOKS)].tolist()
        searches = (csgraph.dijkstra(lengths, indices=s, limit=limit) for s in sample)
        mean = float(sum(np.isfinite(found).sum() for found in searches)) / len(sample)
    share, least = mean / max(graph.n, 1), WITHIN_SHARE
    if task.high_diameter:
        share, least = share * WITHIN_OF_BATCH * count, widest(batches)
    return [batch._replace(clustered=False) for batch in batches] if share < least else batches


# Weighted scattered sources of a high-diameter graph share an order of the nodes if a ball of this
# share of all nodes holds so many of them, least and most: eight sources then relax each node of
# road-usa-ny 2 to 5 times, and take half the time of eight alone. In a ball of a fifth of all nodes
# they relax it 17 times and more.
EIGHT_SHARE, EIGHT_LEAST, EIGHT_MOST = 1 / 24, 4, 8
# If at most this share of all sources remains, it costs less to relax their nodes more often than
# to compile the kernel of single sources.
EIGHT_FEW = 1 / 32


def by_eight(graph: Graph, batches: list[Batch]) -> list[Batch]:
    """Weighted batches, with scattered sources in batches of up to eight where balls hold them."""
    clustered = [batch for batch in batches if batch.clustered]
    scattered = [batch for batch in batches if not batch.clustered]
    if not scattered:
        return clustered
    sources, alpha = (np.concatenate([batch[field] for batch in scattered]) for field in (0, 1))
    visits = int(EIGHT_SHARE * graph.n)
    order, sizes, _ = found_balls(graph, sources, np.zeros(graph.n, bool), EIGHT_MOST, visits)
    together = np.repeat(sizes >= EIGHT_LEAST, sizes)
    start = 0
    for size in sizes:
        if size >= EIGHT_LEAST:
            ball = order[start : start + size]
            clustered.append(Batch(sources[ball], alpha[ball], clustered=True))
        start += size
    rest, count = order[~together], sum(batch.sources.size for batch in batches)
    is_few = rest.size <= EIGHT_FEW * count
    size = EIGHT_MOST if is_few else alone(sources.size)
    return clustered + cut(sources[rest], alpha[rest], size, clustered=is_few)
