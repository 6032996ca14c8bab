"""Searches from many sources, and the sums of what they say about each node.

A group of sources may share a search. Groups form blocks, which are added up in their order: the
sums have the same bits however many searches are in flight.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from ..engines.contract import Accumulator, DistanceSums, Group, SearchEngine
from ..graph.graph import Graph
from ..preprocess import batching, reduce
from ..run import options
from ..run.blocks import count_sources
from ..run.executors import in_order
from ..run.memory import Need
from ..run.progress import counting
from .query import Query


def accumulate(
    searcher: SearchEngine, query: Query, direction: str, run: options.Run
) -> DistanceSums:
    """Search from all sources; the sums of a sample stand for those over all nodes.

    They live where the graph does. With cutoffs, of shape (cutoffs, n) for distances within each.
    """
    graph = query.graph if direction == "in" else query.graph.reverse()
    search = _by_edges if graph.lengths is None else _by_length
    sums = search(searcher, graph, query.is_source, run).in_units(graph.unit)
    if graph.cutoffs:
        sums = sums.within(len(graph.cutoffs))
    if query.sampled:
        with np.errstate(invalid="ignore", divide="ignore"):
            sums.harmonic[:] *= (graph.n - 1) / query.others
    return sums


def _by_edges(
    searcher: SearchEngine, graph: Graph, is_source: NDArray[np.bool_], run: options.Run
) -> DistanceSums:
    """Search from all sources that have an edge, in groups."""
    deep = graph.traits.deep
    has_edge = graph.ops.on_host(graph.outgoing.degrees > 0)
    starts = np.flatnonzero(is_source & has_edge).astype(np.int32)
    alpha = np.ones(starts.size)
    width = searcher.sum_width if starts.size > searcher.search_width else searcher.search_width
    if searcher.batches_searches(deep) and (
        starts.size > width or (deep and searcher.wants_local_batches)
    ):
        # Whoever is in a group may share masks; few sources find more workers in small groups.
        few = searcher.wants_local_batches and starts.size < searcher.sum_width
        scattered = batching.SCATTERED if few else width
        groups = batching.group(
            graph, starts, alpha, width=width, deep=deep, scattered=scattered, compact=width
        )
    else:
        groups = batching.cut(batching.by_component(graph, starts), alpha, width)
    return _add_up(
        searcher,
        graph,
        groups,
        width,
        functools.partial(_search, deep),
        run,
    )


def _by_length(
    searcher: SearchEngine, graph: Graph, is_source: NDArray[np.bool_], run: options.Run
) -> DistanceSums:
    """Search the edges that shortest paths may use, nodes in an order of good locality."""
    everyone = np.ones(graph.n, dtype=bool)
    problem = reduce.reduced(
        graph,
        is_source,
        everyone,
        fold=False,
        prune="prune" in run.reductions,
        split=False,
        relative_throughput=searcher.relative_throughput,
    )
    left = problem.graph
    sources, alpha, width = problem.sources, problem.alpha, searcher.search_width
    groups = (
        batching.group(left, sources, alpha, width=width, deep=problem.deep)
        if searcher.wants_local_batches
        else batching.cut(sources, alpha, width)
    )
    sums = _add_up(searcher, left, groups, width, _accumulator, run)
    ops = graph.ops
    columns = graph.limits.size
    whole = DistanceSums.zeros(columns * graph.n, np.float64, ops.xp)
    nodes = ops.asarray(problem.nodes)
    for part, values in zip(sums, whole, strict=True):
        values.reshape(columns, graph.n)[:, nodes] = part.reshape(columns, nodes.size)
    return whole


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
