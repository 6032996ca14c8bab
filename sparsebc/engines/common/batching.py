"""Rules that choose the batches of a task: which sources search together, which alone."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csgraph

from ...matrix import csr
from ...matrix.graph import Graph
from . import shifted
from .balls import Balls, found_balls, in_balls
from .base import Task
from .shifted import Shifted
from .sums import Batch, alone, cut, widest


class Brief:
    """Few sources of a large graph: on a CPU neither reduction nor renumbering pays.

    Either takes longer than it saves: the time of ten sweeps of all rows by all threads
    (`brandes_rows.py`), or of five to ten by a queue on a high-diameter graph, which it makes two
    to three times as fast. On a small graph neither takes long.
    """

    sources, sources_high_diameter, arcs = 16, 4, 1 << 22


class Single:
    """Sources swept one at a time, since batches save nothing."""

    sources = 16  # most, on any graph
    # Most on a large unweighted graph of low diameter, where they take the time of batches of 16
    # and keep all workers busy.
    sources_of_large = 64
    # Arcs per node up to which those of a high-diameter graph are: frontiers are so small that
    # masks of a few columns cost more than the searches that they save.
    arcs_per_node = 6
    shared = 4  # batches wanted of more: with fewer than ``sources`` to a batch these gain little


class Eight:
    """Weighted scattered sources of a high-diameter graph that share an order of the nodes.

    They do if a ball of the ``share`` of all nodes holds ``least`` to ``most`` of them: eight
    sources then relax each node of road-usa-ny 2 to 5 times, and take half the time of eight alone.
    In a ball of a fifth of all nodes they relax it 17 times and more. If at most the share ``few``
    of all sources remains, it costs less to relax their nodes more often than to compile the kernel
    of single sources.
    """

    least, most, share, few = 4, 8, 1 / 24, 1 / 32


class OneOrder:
    """Fewest balls whose sources share an order of the nodes on a GPU, faster than single ones."""

    by_length, by_edges = 32, 1 << 10
    large, by_edges_of_large = 1 << 19, 1 << 7  # nodes from which a graph is large
    of_distances = 64  # weighted distances alone
    filled = 1 / 2  # least share of the columns in use
    one_in = 4  # within a cutoff, runs of sources serve as balls if one node in so many is a source


class Early:
    """A search that ends before this share of the nodes in reach is faster alone.

    In a batch it takes a quarter of its time. Estimated from ``looks`` sources.
    """

    share, looks = 1 / 4, 8


class Within:
    """Within a cutoff, sources search together, as without one, if it holds enough nodes.

    It holds the ``share`` of all nodes; or on a high-diameter graph, the share ``of_batch`` of the
    nodes in it holds the sources of a batch. Estimated from ``looks`` of at least ``sources``.
    """

    share, of_batch, sources, looks = 2 / 3, 1 / 4, 512, 8


def is_brief(graph: Graph, sources: int) -> bool:
    """Whether sources are so few that on a CPU neither reduction nor renumbering pays."""
    if graph.arcs < Brief.arcs or sources > Brief.sources:
        return False
    return sources <= Brief.sources_high_diameter or not graph.traits.high_diameter


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
        many = OneOrder.one_in * sources.size >= graph.n
        return cut(sources[order], alpha[order], width) if many else []
    is_large = graph.n >= OneOrder.large
    by_edges = OneOrder.by_edges_of_large if is_large else OneOrder.by_edges
    by_length = OneOrder.by_length if paths else OneOrder.of_distances
    least = by_length if graph.lengths else by_edges
    if sources.size <= least * width * OneOrder.filled:
        return []
    none_passed = np.zeros(graph.n, dtype=bool)
    order, sizes, _ = found_balls(graph, sources, none_passed, width, Balls.visits * width)
    label = graph.ops.on_host(graph.components)
    is_small = np.bincount(label) <= Balls.visits * width
    ends = np.cumsum(sizes)
    ordered, weights, small = sources[order], alpha[order], is_small[label[sources[order]]]
    batches = [
        Batch(ordered[i:j], weights[i:j], clustered=True)
        for i, j in zip((ends - sizes).tolist(), ends.tolist(), strict=True)
        if j - i == width or not small[i]
    ]
    loose = np.repeat(sizes < width, sizes) & small
    batches += cut(ordered[loose], weights[loose], width)
    return batches if sources.size >= OneOrder.filled * width * len(batches) else []


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

    If the kernel ``shifts`` starts, those of `shifted` where their overlap is larger.
    """
    graph, sources, alpha, high_diameter = task.graph, task.sources, task.alpha, task.high_diameter
    count, branches = sources.size, []
    least = Shifted.least_high_diameter if high_diameter else Shifted.least
    if shifts and count >= least * width:
        branches = shifted.by_branch(graph, sources, alpha, width)
        if high_diameter and shifted.beats_single_sources(graph, branches):
            return branches
    is_wide = graph.arcs >= Brief.arcs and not (high_diameter or graph.lengths)
    if count <= (Single.sources_of_large if is_wide else Single.sources) or (
        high_diameter and not graph.lengths and graph.arcs <= Single.arcs_per_node * graph.n
    ):
        return one_by_one(task)
    several = max(-(-count // width), min(Single.shared, -(-count // Single.sources)))
    width = -(-count // several)
    shape: Any = {"width": width, "high_diameter": high_diameter}
    batches = in_balls(graph, sources, alpha, passed=task.passed, **shape)
    if branches and not high_diameter:
        return branches if shifted.beats_balls(graph, branches, batches) else batches
    if high_diameter and graph.lengths and not graph.cutoffs:
        return by_eight(graph, batches)
    return batches


def one_by_one(task: Task) -> list[Batch]:
    """Batches of consecutive sources that are swept one at a time."""
    size = alone(task.sources.size)
    return cut(task.sources, task.alpha, size, clustered=False)


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
    for s in task.sources[:: -(-task.sources.size // Early.looks)].tolist():
        order = csgraph.breadth_first_order(outgoing, s, return_predecessors=False)
        ends = np.flatnonzero(np.isin(order, rows.indices[rows.indptr[s] : rows.indptr[s + 1]]))
        visited, reached = visited + int(ends.max(initial=0)), reached + order.size
    return visited < Early.share * reached


def within_cutoff(task: Task, batches: list[Batch]) -> list[Batch]:
    """Weighted batches, swept one source at a time if the cutoff holds too few nodes.

    A single source then visits no node beyond the cutoff. On a high-diameter graph, sources search
    together if those of a batch have most nodes within the cutoff in common.
    """
    graph = task.graph
    if graph.cutoffs:
        share, least = _reached_within(task) / max(graph.n, 1), Within.share
        if task.high_diameter:
            share, least = share * Within.of_batch * task.sources.size, widest(batches)
        if share < least:
            return [batch._replace(clustered=False) for batch in batches]
    return batches


def _reached_within(task: Task) -> float:
    """Mean number of nodes within the largest cutoff of a few sources; -1 if sources are few."""
    graph, count = task.graph, task.sources.size
    if count < max(Within.sources, 1) or graph.arcs > csr.CSGRAPH_ENTRIES:
        return -1.0
    host = graph.on_host()
    lengths = host.outgoing.for_csgraph(host.lengths.outgoing)
    sample = task.sources[:: -(-count // Within.looks)]
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
    visits = int(Eight.share * graph.n)
    order, sizes, _ = found_balls(graph, sources, np.zeros(graph.n, bool), Eight.most, visits)
    together = np.repeat(sizes >= Eight.least, sizes)
    start = 0
    for size in sizes:
        if size >= Eight.least:
            ball = order[start : start + size]
            clustered.append(Batch(sources[ball], alpha[ball], clustered=True))
        start += size
    rest, count = order[~together], sum(batch.sources.size for batch in batches)
    is_few = rest.size <= Eight.few * count
    size = Eight.most if is_few else alone(sources.size)
    return clustered + cut(sources[rest], alpha[rest], size, clustered=is_few)
