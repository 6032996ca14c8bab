"""Searches from many sources, and the sums of what they say about each node.

A group of sources may share a search. Groups form blocks, which are added up in their order: the
sums have the same bits however many searches are in flight.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence, Set
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.contract import Accumulator, DistanceSums, Group, SearchEngine, Sharing
from ..graph.graph import Graph
from ..reduce import batching, distance_blocks, distance_trees, reduce
from ..reduce.distance_blocks import Apart
from ..reduce.distance_trees import Folded
from ..reduce.prune import backbone
from ..run import options
from ..run.dispatch import in_order
from ..run.memory import Need
from ..run.progress import counting
from ..run.sweep_plan import count_sources
from .query import Query

# Sums beside the number of sources, which is always there.
ALL = frozenset({"total", "harmonic", "farthest"})
# Groups for workers to share, of few sources that lie apart; more of them would share no search.
SEARCH_GROUPS = 8


class Work(NamedTuple):
    """Searches to make, and how their sums become those on the graph that was given."""

    graph: Graph
    groups: list[Group]
    sharing: Sharing  # how the sources of a group are searched from
    search: Callable[[SearchEngine, Graph, int, NDArray[np.uint8]], Accumulator]
    nodes: NDArray[np.int64] | None  # of each node of the graph, if it was renumbered
    apart: Apart | Folded | None  # if the graph was taken apart


def accumulate(
    searcher: SearchEngine,
    query: Query,
    direction: str,
    run: options.Run,
    wanted: Set[str] = ALL,
) -> DistanceSums:
    """Search from all sources; the sums of a sample stand for those over all nodes.

    They live where the graph does. Of those that are not ``wanted``, nothing is to be expected.
    With cutoffs, they are of shape (cutoffs, n), for distances within each.
    """
    graph = query.graph if direction == "in" else query.graph.reverse()
    work = arranged(searcher, graph, query.is_source, wanted, run.reductions)
    sums = _add_up(searcher, work, run)
    if work.nodes is not None:
        sums = _by_given_numbers(sums, work.nodes, work.apart.graph if work.apart else graph)
    if work.apart:
        sums = work.apart.expand(sums)
    sums = sums.in_units(graph.unit)
    if graph.cutoffs:
        sums = sums.within(len(graph.cutoffs))
    if query.sampled and "harmonic" in wanted:
        with np.errstate(invalid="ignore", divide="ignore"):
            sums.harmonic[:] *= (graph.n - 1) / query.others
    return sums


def _by_given_numbers(sums: DistanceSums, nodes: NDArray[np.int64], given: Graph) -> DistanceSums:
    """Sums of renumbered nodes as those of the graph's own; nodes that were left out get zeros."""
    columns, there = given.limits.size, given.ops.asarray(nodes)
    whole = DistanceSums.zeros(columns * given.n, np.float64, given.ops.xp)
    for part, values in zip(sums, whole, strict=True):
        values.reshape(columns, given.n)[:, there] = part.reshape(columns, nodes.size)
    return whole


def arranged(
    searcher: SearchEngine,
    graph: Graph,
    is_source: NDArray[np.bool_],
    wanted: Set[str],
    reductions: Set[str],
) -> Work:
    """The searches from all sources, on what the reductions leave of the graph."""
    if searcher.literal:
        return _as_given(searcher, graph, is_source)
    if "prune" in reductions:
        sources = int(np.count_nonzero(is_source))
        graph, _ = backbone(graph, sources, searcher.relative_throughput)
    apart = _apart(searcher, graph, is_source, wanted, reductions)
    weights: NDArray[Any] = is_source
    if apart:
        graph, weights = apart.graph, apart.weights
    if graph.lengths is not None:
        work = _by_length(searcher, graph, weights)
    elif isinstance(apart, Folded):  # which tells what searches would
        work = _by_edges(searcher, graph, weights, apart.deep, lambda: apart.label)
    else:
        weights = weights * graph.ops.on_host(graph.outgoing.degrees > 0)  # others reach no one
        work = _by_edges(searcher, graph, weights, graph.traits.deep, lambda: graph.components)
    if isinstance(apart, Apart) and "farthest" in wanted:
        there = apart.beyond if work.nodes is None else apart.beyond[work.nodes]
        groups = [group._replace(beyond=there[group.sources]) for group in work.groups]
        work = work._replace(groups=groups)
    return work._replace(apart=apart)


def _as_given(searcher: SearchEngine, graph: Graph, is_source: NDArray[np.bool_]) -> Work:
    """Search from all sources in their order, on the graph as it is."""
    sources, sharing = np.flatnonzero(is_source).astype(np.int32), Sharing(searcher.search_width)
    groups = batching.cut(sources, np.ones(sources.size), sharing.width)
    search = functools.partial(_accumulator, sharing)
    return Work(graph, groups, sharing, search, None, None)


def _apart(
    searcher: SearchEngine,
    graph: Graph,
    is_source: NDArray[np.bool_],
    wanted: Set[str],
    reductions: Set[str],
) -> Apart | Folded | None:
    """What blocks or trees leave to search: not within cutoffs, and no harmonic sums."""
    names = reductions & set(searcher.distance_reductions)
    if graph.cutoffs or "harmonic" in wanted:
        return None
    if "blocks" in searcher.distance_reductions:
        return distance_blocks.split(graph, is_source, names, weighed="total" in wanted)
    return None if "farthest" in wanted else distance_trees.fold(graph, is_source, names)


def _by_edges(
    searcher: SearchEngine,
    graph: Graph,
    weights: NDArray[Any],
    deep: bool,
    components: Callable[[], Any],
) -> Work:
    """Search from all nodes that count as sources, in groups."""
    starts = np.flatnonzero(weights).astype(np.int32)
    width = searcher.sum_width if starts.size > searcher.search_width else searcher.search_width
    if searcher.batches_searches(graph, deep) and (
        starts.size > width or (deep and searcher.wants_local_batches)
    ):
        # Whoever is in a group may share masks; few sources find more workers in small groups.
        few = deep and searcher.searches_alone(graph, starts.size, width)
        scattered = batching.alone(starts.size, SEARCH_GROUPS) if few else width
        # Masks of weights cost, which few groups need to bear where near sources gain little.
        alpha = weights[starts].astype(np.float64)
        plain = np.ones(starts.size, dtype=bool) if deep else alpha == 1
        groups = []
        for part in filter(np.any, (plain, ~plain)):
            some = starts[part], alpha[part]
            groups += batching.group(
                graph, *some, width=width, deep=deep, scattered=scattered, compact=width
            )
    else:
        starts = batching.by_component(graph.ops.on_host(components()), starts)
        groups = batching.cut(starts, weights[starts].astype(np.float64), width)
    return Work(graph, groups, Sharing(width), functools.partial(_search, deep), None, None)


def _by_length(searcher: SearchEngine, graph: Graph, weights: NDArray[Any]) -> Work:
    """Search from all sources along lengths, nodes in an order of good locality."""
    everyone = np.ones(graph.n, dtype=np.int64)
    problem = reduce.reduced(graph, weights, everyone, frozenset())
    left = problem.graph
    sources, alpha, width = problem.sources, problem.alpha, searcher.search_width
    near = searcher.sharing_in_order(left, problem.deep, frozenset())
    groups = batching.in_one_order(left, sources, alpha, near.width, paths=False) if near else []
    if near and groups:
        sharing = near
    elif searcher.wants_local_batches:
        sharing = Sharing(width, "in one order" if problem.deep else "in step")
        groups = batching.for_paths(left, sources, alpha, width=width, deep=problem.deep)
    else:
        sharing = Sharing(width, "alone")
        groups = batching.cut(sources, alpha, width)
    nodes = left.ops.on_host(problem.nodes)
    return Work(left, groups, sharing, functools.partial(_accumulator, sharing), nodes, None)


def _search(
    deep: bool, member: SearchEngine, graph: Graph, memory: int, stop: NDArray[np.uint8]
) -> Accumulator:
    return member.search(graph, deep, memory, stop)


def _accumulator(
    sharing: Sharing, member: SearchEngine, graph: Graph, memory: int, stop: NDArray[np.uint8]
) -> Accumulator:
    return member.accumulator(graph, sharing, memory, stop)


def _accumulate(state: Accumulator, block: Sequence[Group]) -> DistanceSums:
    return state.accumulate(block)


def _add_up(searcher: SearchEngine, work: Work, run: options.Run) -> DistanceSums:
    """What the searches of all groups say, added up in blocks."""
    graph, home = work.graph, work.graph.ops
    distance = np.int64 if graph.lengths is None else np.float64
    sums: DistanceSums | None = None
    blocks = cut(searcher, work)
    parts = in_order(
        searcher,
        blocks,
        work.search,
        _accumulate,
        graph=graph,
        need=need_of(searcher, work),
        run=run,
    )
    with counting(run.progress, count_sources(work.groups)) as advance, closing(parts):
        for block, part in zip(blocks, parts, strict=True):
            there = DistanceSums(*map(home.asarray, part))
            if sums is None:
                sums = there
            else:
                sums.merge(there)
            advance(count_sources(block))
    return sums or DistanceSums.zeros(graph.limits.size * graph.n, distance, home.xp)


def cut(searcher: SearchEngine, work: Work) -> list[list[Group]]:
    """The groups in blocks, as long as the engine wants them."""
    graph, count, sharing = work.graph, len(work.groups), work.sharing
    if sharing.how == "in one order":
        size = searcher.block_size(graph, count, sharing, frozenset())
    else:
        size = searcher.search_block_size(graph, count)
    return [work.groups[i : i + size] for i in range(0, len(work.groups), size)]


def need_of(searcher: SearchEngine, work: Work) -> Need:
    """Bytes of a worker that searches from group after group."""
    graph, sharing = work.graph, work.sharing
    by_edges = graph.lengths is None
    at_once = "one source" if sharing.how == "alone" else f"one group of {sharing.width} sources"
    return Need(
        "distances by edges" if by_edges else "distances by length",
        f"{at_once} on {graph.n} nodes",
        2 * graph.nbytes,
        searcher.search_bytes(graph, sharing.width)
        if by_edges
        else searcher.accumulator_bytes(graph, sharing),
        2 * 4 * 8 * graph.limits.size * graph.n,  # a block may wait for its turn
    )
