"""Searches from many sources, and the sums of what they say about each node.

A group of sources may share a search. Groups form blocks, which are added up in their order: the
sums have the same bits however many searches are in flight.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence, Set
from contextlib import closing
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.contract import Accumulator, DistanceSums, Group, SearchEngine
from ..graph.graph import Graph
from ..preprocess import batching, distance_blocks, reduce
from ..preprocess.prune import backbone
from ..run import options
from ..run.blocks import count_sources
from ..run.executors import in_order
from ..run.memory import Need
from ..run.progress import counting
from .query import Query

# Sums beside the number of sources, which is always there.
ALL = frozenset({"total", "harmonic", "farthest"})


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
    unit = graph.unit
    search = _by_edges if graph.lengths is None else _by_length
    if "prune" in run.reductions:
        sources = int(np.count_nonzero(query.is_source))
        graph, _ = backbone(graph, sources, searcher.relative_throughput)
    apart = None
    # Of the measures, blocks mix the harmonic one alone; within a cutoff all.
    if searcher.weighs_sources and "harmonic" not in wanted and not graph.cutoffs:
        apart = distance_blocks.split(graph, query.is_source, run.reductions & {"trees", "blocks"})
    if apart:
        weights = apart.weights if "total" in wanted else (apart.weights > 0).astype(np.int64)
        beyond = apart.beyond if "farthest" in wanted else None
        sums = apart.expand(search(searcher, apart.graph, weights, beyond, run))
    else:
        sums = search(searcher, graph, query.is_source.astype(np.int64), None, run)
    sums = sums.in_units(unit)
    if graph.cutoffs:
        sums = sums.within(len(graph.cutoffs))
    if query.sampled:
        with np.errstate(invalid="ignore", divide="ignore"):
            sums.harmonic[:] *= (graph.n - 1) / query.others
    return sums


def _by_edges(
    searcher: SearchEngine,
    graph: Graph,
    weights: NDArray[np.int64],
    beyond: NDArray[Any] | None,
    run: options.Run,
) -> DistanceSums:
    """Search from all sources that have an edge, in groups."""
    deep = graph.traits.deep
    has_edge = graph.ops.on_host(graph.outgoing.degrees > 0)
    starts = np.flatnonzero((weights > 0) & has_edge).astype(np.int32)
    alpha = weights[starts].astype(np.float64)
    width = searcher.sum_width if starts.size > searcher.search_width else searcher.search_width
    if searcher.batches_searches(deep) and (
        starts.size > width or (deep and searcher.wants_local_batches)
    ):
        # Whoever is in a group may share masks; few sources find more workers in small groups.
        few = searcher.wants_local_batches and starts.size < searcher.sum_width
        scattered = batching.SCATTERED if few else width
        # Masks of weights cost, which few groups need to bear where near sources gain little.
        plain = np.ones(starts.size, dtype=bool) if deep else alpha == 1
        groups = []
        for part in (plain, ~plain):
            some = starts[part], alpha[part]
            groups += batching.group(
                graph, *some, width=width, deep=deep, scattered=scattered, compact=width
            )
    else:
        starts = batching.by_component(graph, starts)
        groups = batching.cut(starts, weights[starts].astype(np.float64), width)
    return _add_up(
        searcher,
        graph,
        _with_beyond(groups, beyond),
        width,
        functools.partial(_search, deep),
        run,
    )


def _by_length(
    searcher: SearchEngine,
    graph: Graph,
    weights: NDArray[np.int64],
    beyond: NDArray[Any] | None,
    run: options.Run,
) -> DistanceSums:
    """Search from all sources along lengths, nodes in an order of good locality."""
    everyone = np.ones(graph.n, dtype=np.int64)
    problem = reduce.reduced(graph, weights, everyone, fold=False, prune=False, split=False)
    left = problem.graph
    sources, alpha, width = problem.sources, problem.alpha, searcher.search_width
    groups = (
        batching.group(left, sources, alpha, width=width, deep=problem.deep)
        if searcher.wants_local_batches
        else batching.cut(sources, alpha, width)
    )
    beyond = None if beyond is None else beyond[problem.nodes]
    groups = _with_beyond(groups, beyond)
    sums = _add_up(searcher, left, groups, width, _accumulator, run)
    ops = graph.ops
    columns = graph.limits.size
    whole = DistanceSums.zeros(columns * graph.n, np.float64, ops.xp)
    nodes = ops.asarray(problem.nodes)
    for part, values in zip(sums, whole, strict=True):
        values.reshape(columns, graph.n)[:, nodes] = part.reshape(columns, nodes.size)
    return whole


def _with_beyond(groups: list[Group], beyond: NDArray[Any] | None) -> list[Group]:
    """The groups, each source with what lies beyond it."""
    if beyond is None:
        return groups
    return [group._replace(beyond=beyond[group.sources]) for group in groups]


def _search(
    deep: bool, member: SearchEngine, graph: Graph, memory: int, stop: NDArray[np.uint8]
) -> Accumulator:
    return member.search(graph, deep, memory, stop)


def _accumulator(
    member: SearchEngine, graph: Graph, memory: int, stop: NDArray[np.uint8]
) -> Accumulator:
    return member.accumulator(graph, memory, stop)


def _accumulate(state: Accumulator, block: Sequence[Group]) -> DistanceSums:
    return state.accumulate(block)


def _add_up(
    searcher: SearchEngine,
    graph: Graph,
    groups: list[Group],
    width: int,
    search: Callable[[SearchEngine, Graph, int, NDArray[np.uint8]], Accumulator],
    run: options.Run,
) -> DistanceSums:
    """What the searches of all groups say, added up in blocks."""
    alone = graph.lengths is not None and not searcher.wants_local_batches
    at_once = "one source" if alone else f"one group of {width} sources"
    home = graph.ops
    distance = np.int64 if graph.lengths is None else np.float64
    sums = DistanceSums.zeros(graph.limits.size * graph.n, distance, home.xp)
    size = searcher.search_block_size(graph, len(groups))
    blocks = [groups[i : i + size] for i in range(0, len(groups), size)]
    parts = in_order(
        searcher,
        blocks,
        search,
        _accumulate,
        graph=graph,
        need=Need(
            "distances by edges" if graph.lengths is None else "distances by length",
            f"{at_once} on {graph.n} nodes",
            2 * graph.nbytes,
            searcher.search_bytes(graph, width),
            2 * sum(values.nbytes for values in sums),  # a block may wait for its turn
        ),
        run=run,
    )
    with counting(run.progress, count_sources(groups)) as advance, closing(parts):
        for block, part in zip(blocks, parts, strict=True):
            sums.merge(DistanceSums(*map(home.asarray, part)))
            advance(count_sources(block))
    return sums
