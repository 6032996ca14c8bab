"""Sources to groups to blocks to workers: the plan, the ordered sum, progress and stopping.

A group is the unit of work, a block a fixed run of groups. A block's sums are added up in group
order by whoever computes it, and the blocks' sums in block order here; both cuts depend on the
problem alone. So workers, devices, memory and chance change nothing in the bits.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..brandes import EXTENDED, RANGES, count_limit
from ..engines.contract import SUMS, Engine, Group, Workspace
from ..graph.edge_weights import TooShort
from ..graph.graph import Graph
from ..preprocess import batching, reduce
from .memory import Need
from .options import Run
from .progress import counting
from .workers import in_order

# Sums over arcs are long to clear, copy and add up: a block has so many groups where that leaves
# blocks enough for many workers.
ARC_GROUPS, ARC_BLOCKS = 4, 32

Sums = dict[str, NDArray[np.float64]]  # by name: those of an `engines.Workspace` that are wanted

logger = logging.getLogger("sparsebc")


class Partial(NamedTuple):
    """Sums over some of the sources."""

    sums: Sums
    max_sigma: float  # largest number of paths met


def accumulate(
    engine: Engine,
    graph: Graph,
    is_source: NDArray[np.bool_],
    is_target: NDArray[np.bool_],
    *,
    measures: Collection[str] = ("betweenness",),
    endpoints: bool = False,
    run: Run,
) -> dict[str, NDArray[np.float64]]:
    """Raw scores: sums over ordered pairs (source, target), each by its share of paths.

    ``betweenness``, shape (n,), counts pairs through a node, with ``endpoints`` at their two ends
    as well; ``edge_betweenness``, shape (arcs,), pairs along an arc of ``graph.outgoing``.
    ``stress``, shape (n,), counts the paths themselves.
    """
    problem = (
        reduce.as_given(graph, is_source, is_target)
        if engine.literal
        else reduce.reduced(
            graph,
            is_source,
            is_target,
            fold="trees" in run.reductions and ("stress" not in measures or not graph.lengths),
            prune="prune" in run.reductions,
            split="blocks" in run.reductions
            and "stress" not in measures
            and (graph.symmetric or not endpoints),
            relative_throughput=engine.relative_throughput,
        )
    )
    ends_known = graph.symmetric and not engine.literal
    paths_folded = "stress" in measures and problem.trees is not None
    wanted = {
        "dependency": "betweenness" in measures or "edge_betweenness" in measures,
        "arcs": "edge_betweenness" in measures,
        "stress": "stress" in measures,
        "arrivals": paths_folded,
        "departures": paths_folded,
        "ends": endpoints and not ends_known,
    }
    sums = frozenset(name for name, is_wanted in wanted.items() if is_wanted)
    total = sum_blocks(engine, problem, sums, run)
    raw = {}
    if "betweenness" in measures:
        raw["betweenness"] = problem.expand(total["dependency"])
        if "ends" in sums:
            raw["betweenness"][problem.nodes] += total["ends"]
        elif endpoints:
            raw["betweenness"] += reduce.ends_in_components(graph, is_source, is_target)
    if "edge_betweenness" in measures:
        raw["edge_betweenness"] = problem.expand_arcs(total["arcs"], graph)
    if "stress" in measures:
        ends = [total[name] for name in ("arrivals", "departures") if name in sums]
        raw["stress"] = problem.expand_paths(total["stress"], *ends)
        if not np.isfinite(raw["stress"]).all():
            node = np.flatnonzero(~np.isfinite(raw["stress"]))[0]
            raise OverflowError(
                f"more shortest paths run through node {node} than float64 can tell (1.8e308): its "
                "stress has no value; use betweenness, or fewer sources and targets"
            )
    return raw


def _arrange(engine: Engine, problem: reduce.Problem) -> tuple[int, list[Group]]:
    """Width of the groups, and the groups."""
    graph, sources, alpha = problem.graph, problem.sources, problem.alpha
    width = engine.width(graph, problem.deep)
    if engine.wants_local_batches:
        return width, batching.group(graph, sources, alpha, width=width, deep=problem.deep)
    order = batching.alike(graph, sources)
    return width, batching.cut(sources[order], alpha[order], width)


def count_sources(groups: Sequence[Group]) -> int:
    """Sources of some groups."""
    return sum(group.sources.size for group in groups)


def partial(workspace: Workspace, block: Sequence[Group], sums: frozenset[str]) -> Partial:
    """Sums of one block."""
    wanted: Sums = {name: getattr(workspace, name) for name in sums}
    for values in wanted.values():
        values[:] = 0
    workspace.run(block)
    return Partial({name: values.copy() for name, values in wanted.items()}, workspace.max_sigma())


def sum_blocks(engine: Engine, problem: reduce.Problem, sums: frozenset[str], run: Run) -> Sums:
    """Sums over all groups.

    Blocks whose path counts leave the range of the type asked for are left out, and swept again in
    the next larger one.
    """
    graph = problem.graph
    width, groups = _arrange(engine, problem)
    total = {name: np.zeros(graph.n) for name in sums - {"arcs"}}
    if "arcs" in sums:
        total["arcs"] = graph.ops.xp.zeros(graph.arcs)
    with counting(run.progress, count_sources(groups)) as advance, _too_short_as_given(problem):
        for dtype in RANGES[RANGES.index(run.real) :]:
            member = engine.in_range(graph, dtype)
            blocks = _cut(member, graph, groups, width, sums)
            out_of_range = []
            parts = in_order(
                member,
                blocks,
                functools.partial(_workspace, problem, width, sums, dtype),
                functools.partial(partial, sums=sums),
                graph=graph,
                need=_need(member, graph, width, sums, dtype),
                run=run,
            )
            with closing(parts):
                for block, part in zip(blocks, parts, strict=True):
                    if part.max_sigma > count_limit(dtype):
                        out_of_range.append(block)
                        continue
                    for name, values in part.sums.items():
                        total[name] += graph.ops.asarray(values) if name == "arcs" else values
                    advance(count_sources(block))
            groups = [group for block in out_of_range for group in block]
            if not groups:
                break
            logger.info("path counts beyond %s: %d blocks again", dtype, len(out_of_range))
    return total


def _cut(
    engine: Engine, graph: Graph, groups: list[Group], width: int, sums: frozenset[str]
) -> list[list[Group]]:
    """The groups in blocks, as long as an engine wants them."""
    size = engine.block_size(graph, len(groups), width)
    if "arcs" in sums:
        size = max(size, min(ARC_GROUPS, len(groups) // ARC_BLOCKS))
    return [groups[i : i + size] for i in range(0, len(groups), size)]


@contextmanager
def _too_short_as_given(problem: reduce.Problem) -> Iterator[None]:
    """Name an edge that is too short by its nodes in the graph that was given."""
    try:
        yield
    except TooShort as edge:
        raise ValueError(
            f"A[{problem.nodes[edge.tail]}, {problem.nodes[edge.head]}] is lost beside the "
            "distances it is added to, by rounding or by tie_rtol (lengths of more than 5 times "
            "tie_rtol of a distance are safe): lower tie_rtol, or merge nodes that are that close"
        ) from edge


def _workspace(
    problem: reduce.Problem,
    width: int,
    sums: frozenset[str],
    dtype: np.dtype[Any],
    member: Engine,
    graph: Graph,
    memory: int,
    stop: NDArray[np.uint8],
) -> Workspace:
    return member.workspace(
        graph, problem.omega, dtype, width=width, memory=memory, sums=sums, stop=stop
    )


def _need(
    engine: Engine, graph: Graph, width: int, sums: frozenset[str], dtype: np.dtype[Any]
) -> Need:
    """Bytes of a worker that sweeps group after group."""
    # Its block may wait, summed, until its turn comes.
    waiting = sum(graph.arcs if SUMS[name].by_arc else graph.n for name in sums)
    return Need(
        "extended range" if dtype == EXTENDED else str(dtype),
        f"one group of {width} sources on {graph.n} nodes",
        2 * graph.nbytes,
        engine.workspace_bytes(graph, dtype, width, sums),
        2 * 8 * waiting,
        ", or use dtype=numpy.float32" if dtype == np.float64 else "",
    )
