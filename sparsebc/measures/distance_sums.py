"""Searches from many sources, and the sums of what they say about each node.

A group of sources may share a search. Groups form blocks, which are added up in their order: the
sums have the same bits however many searches are in flight.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from ..engines.contract import Group, Searcher, Tallier, Tally
from ..graph.graph import Graph
from ..preprocess import batching, reduce
from ..run import options
from ..run.blocks import in_groups
from ..run.memory import plan
from ..run.workers import within_reach
from .query import Question


def tally(searcher: Searcher, question: Question, direction: str, run: options.Run) -> Tally:
    """Search from all sources; the sums of a sample stand for those over all nodes.

    They live where the graph does.
    """
    graph = question.graph if direction == "in" else question.graph.reverse()
    search = _by_edges if graph.lengths is None else _by_length
    sums = search(searcher, graph, question.is_source, run).in_units(graph.unit)
    if question.sampled:
        with np.errstate(invalid="ignore", divide="ignore"):
            sums.harmonic[:] *= (graph.n - 1) / question.others
    return sums


def _by_edges(
    searcher: Searcher, graph: Graph, is_source: NDArray[np.bool_], run: options.Run
) -> Tally:
    """Search from all sources that have an edge, in groups."""
    deep = graph.survey.deep
    has_edge = graph.patterns.on_host(graph.outgoing.degrees > 0)
    starts = np.flatnonzero(is_source & has_edge).astype(np.int32)
    alpha = np.ones(starts.size)
    width = searcher.tally_width if starts.size > searcher.width else searcher.width
    if searcher.compact(deep) and (starts.size > width or (deep and searcher.near)):
        # Whoever is in a group may share masks; few sources find more workers in small groups.
        few = searcher.near and starts.size < searcher.tally_width
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
        lambda member, there, *rest: member.search(there, deep, *rest),
        run,
    )


def _by_length(
    searcher: Searcher, graph: Graph, is_source: NDArray[np.bool_], run: options.Run
) -> Tally:
    """Search the edges that shortest paths may use, nodes in an order of good locality."""
    everyone = np.ones(graph.n, dtype=bool)
    problem = reduce.reduced(graph, is_source, everyone, fold=False, pace=searcher.pace)
    left = problem.graph
    sources, alpha, width = problem.sources, problem.alpha, searcher.width
    groups = (
        batching.group(left, sources, alpha, width=width, deep=problem.deep)
        if searcher.near
        else batching.cut(sources, alpha, width)
    )
    sums = _add_up(
        searcher, left, groups, width, lambda member, *rest: member.by_length(*rest), run
    )
    patterns = graph.patterns
    whole, nodes = Tally.zeros(graph.n, np.float64, patterns.xp), patterns.asarray(problem.nodes)
    for part, values in zip(sums, whole, strict=True):
        values[nodes] = part
    return whole


def _add_up(
    searcher: Searcher,
    graph: Graph,
    groups: list[Group],
    width: int,
    search: Callable[[Searcher, Graph, int, NDArray[np.uint8]], Tallier],
    run: options.Run,
) -> Tally:
    """What the searches of all groups say, added up in blocks."""
    alone = graph.lengths is not None and not searcher.near
    at_once = "one source" if alone else f"one group of {width} sources"
    home = graph.patterns
    sums = Tally.zeros(graph.n, np.int64 if graph.lengths is None else np.float64, home.xp)
    size = searcher.block_size(graph, len(groups))
    blocks = [groups[i : i + size] for i in range(0, len(groups), size)]
    waiting = 2 * sum(values.nbytes for values in sums)  # as in `schedule`
    team, memory = plan(
        searcher,
        f"{at_once} on {graph.n} nodes",
        2 * graph.nbytes,
        searcher.search_bytes(graph, width) + waiting,
        most=len(blocks),
        run=run,
    )
    there = within_reach(graph, team)
    for part in in_groups(
        lambda state, block: state.tally(block),
        lambda member, stop: search(member, there, memory - waiting, stop),
        blocks,
        [sum(group.sources.size for group in block) for block in blocks],
        team=team,
        progress=run.progress,
    ):
        sums.merge(Tally(*map(home.asarray, part)))
    return sums
