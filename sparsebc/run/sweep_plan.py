"""The plan of a sweep: sources in groups, groups in blocks, blocks in launches.

A group is swept at once. A block is a fixed run of groups, and a leaf of the tree
(`engines/pairwise_sum.py`) by which all sums are added up. Groups, leaves and tree depend on the
problem alone. A launch is a run of blocks that a worker takes at once. So workers, devices, memory
and chance change no bits.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..brandes import EXTENDED
from ..engines.contract import (
    SUMS,
    Engine,
    Group,
    Launch,
    NodeGroups,
    Sharing,
    Sweep,
    Workspace,
)
from ..graph.graph import Graph
from ..reduce import batching, reduce
from . import dispatch
from .memory import Need
from .options import Run

# Of the longest launch, the share below which a launch takes as long as its deepest search.
SHORTEST = 8


@dataclass(frozen=True)
class SweepPlan:
    """How groups of sources are swept within one range of path counts."""

    base: Engine  # of all ranges
    engine: Engine  # of this one
    problem: reduce.Problem
    groups: list[Group]
    blocks: list[list[Group]]  # as long as the engine wants them
    sweep: Sweep
    need: Need  # of a worker
    run: Run

    def launches(self, begin: int = 0, end: int | None = None) -> list[Launch]:
        """Launches of the blocks from ``begin`` to ``end``, by default of all.

        They are as few as will do, and as many for each device. On a deep graph sources cost very
        different times, and several devices take ever shorter runs.
        """
        blocks, run = self.blocks[:end], self.run
        left = len(blocks) - begin
        if not left:
            return []
        most = self.engine.launch_size(self.problem.graph, self.sweep.sharing)
        together = max(1, most // len(blocks[0]))
        hands = max(1, len(self.engine.devices))
        if run.executor is None and hands > 1 and self.problem.deep:
            spans = ending_together(begin, len(blocks), together, hands)
            return [Launch(span.start, blocks[span.start : span.stop]) for span in spans]
        rounds = -(-left // (together * hands))
        size = -(-left // (rounds * hands))
        if run.executor is not None:
            most = together if self.engine.devices else len(blocks)
            size = dispatch.launch_blocks(len(blocks), run, most)
        return [Launch(i, blocks[i : i + size]) for i in range(begin, len(blocks), size)]

    @property
    def workspace(self) -> Callable[..., Workspace]:
        """Function that makes the state of a worker, as `workers.in_order` takes it."""
        return functools.partial(_workspace, self.sweep)

    def beyond(self, dtype: np.dtype[Any], left_out: Iterable[int]) -> SweepPlan:
        """How the blocks that were left out are swept in a larger range."""
        groups = [group for number in left_out for group in self.blocks[number]]
        sharing, sums = self.sweep.sharing, self.sweep.sums
        return _in_range(self.base, self.problem, sums, self.run, sharing, groups, dtype)


def planned(engine: Engine, problem: reduce.Problem, sums: frozenset[str], run: Run) -> SweepPlan:
    """How all sources of a problem are swept, in the range of the type asked for."""
    base = sweeper(problem)(engine, problem.graph)
    sharing, groups = arrange(base, problem, sums)
    return _in_range(base, problem, sums, run, sharing, groups, run.real)


def _in_range(
    base: Engine,
    problem: reduce.Problem,
    sums: frozenset[str],
    run: Run,
    sharing: Sharing,
    groups: list[Group],
    dtype: np.dtype[Any],
) -> SweepPlan:
    engine = base.in_range(problem.graph, dtype)
    stays = engine.devices and run.executor is None
    targets = problem.omega if stays else problem.graph.ops.on_host(problem.omega)
    sweep = Sweep(targets, sharing, sums, dtype)
    blocks = cut(engine, problem.graph, groups, sharing, sums)
    need = _need(engine, problem, sweep, run)
    return SweepPlan(base, engine, problem, groups, blocks, sweep, need, run)


def sweeper(problem: reduce.Problem) -> Callable[[Engine, Graph], Engine]:
    """Function from the engine of a device and a graph to the engine that sweeps the problem."""
    if problem.asked is not None:
        return functools.partial(_sweeper_of_groups, problem.deep, problem.asked)
    return dispatch.by_name if problem.groups is None else _sweeper_of_chains


def _sweeper_of_groups(deep: bool, asked: NodeGroups, engine: Engine, graph: Graph) -> Engine:
    return engine.of_groups(graph, deep, asked)[0]


def _sweeper_of_chains(engine: Engine, graph: Graph) -> Engine:
    return engine if engine.chains is None else engine.chains


def arrange(
    engine: Engine, problem: reduce.Problem, sums: frozenset[str]
) -> tuple[Sharing, list[Group]]:
    """How sources are swept for such sums, and in which groups."""
    graph, sources, alpha = problem.graph, problem.sources, problem.alpha
    if problem.groups is not None:
        widest = max(map(count_ends, problem.groups), default=0)
        return Sharing(widest, "alone"), list(problem.groups)
    sharing = engine.sharing(graph, problem.deep)
    width, shifts = sharing.width, engine.shifts_starts(graph, sharing)
    if engine.wants_local_batches:
        passed = None if problem.twins is None else problem.twins.is_led
        return sharing, batching.for_paths(
            graph, sources, alpha, width=width, deep=problem.deep, shifts=shifts, passed=passed
        )
    near = engine.sharing_in_order(graph, problem.deep, sums)
    if near and (groups := batching.in_one_order(graph, sources, alpha, near.width)):
        return near, groups
    if problem.deep and shifts:
        return sharing, batching.by_branch(graph, sources, alpha, width)
    if problem.deep and engine.wants_near(graph):  # nodes are in an order that sources will do in
        return sharing, batching.cut(sources, alpha, width)
    order = batching.alike(graph, sources)
    return sharing, batching.cut(sources[order], alpha[order], width)


def cut(
    engine: Engine, graph: Graph, groups: list[Group], sharing: Sharing, sums: frozenset[str]
) -> list[list[Group]]:
    """The groups in blocks, as long as an engine wants them."""
    size = engine.block_size(graph, len(groups), sharing, sums)
    return [groups[i : i + size] for i in range(0, len(groups), size)]


def ending_together(first: int, end: int, most: int, hands: int) -> Iterator[range]:
    """Runs of blocks that so many hands take in turn: each half of a fair share of what is left."""
    least = max(1, most // SHORTEST)
    while first < end:
        share = max(least, (end - first) // (2 * hands))
        run = range(first, min(first + min(most, share), end))
        yield run
        first = run.stop


def count_ends(group: Group) -> int:
    """Sources of a group, and the ends of its arms that are none."""
    return group.sources.size + (0 if group.others is None else group.others.size)


def count_sources(groups: Iterable[Group]) -> int:
    """Sources of some groups."""
    return sum(group.sources.size for group in groups)


def sum_size(name: str, problem: reduce.Problem) -> int:
    """Numbers in a sum of this name."""
    if problem.asked is not None:
        return problem.asked.size
    graph = problem.graph
    return graph.limits.size * (graph.arcs if SUMS[name].by_arc else graph.n)


def _workspace(
    sweep: Sweep, member: Engine, graph: Graph, memory: int, stop: NDArray[np.uint8]
) -> Workspace:
    """State of a worker, as `workers.in_order` takes it."""
    return member.workspace(graph, sweep, memory, stop)


def _need(engine: Engine, problem: reduce.Problem, sweep: Sweep, run: Run) -> Need:
    """Bytes of a worker that sweeps group after group."""
    graph, dtype = problem.graph, sweep.dtype
    # Its block may wait, summed, until its turn comes.
    waiting = sum(sum_size(name, problem) for name in sweep.sums)
    advice = ", or use dtype=numpy.float32" if dtype == np.float64 and run.takes_dtype else ""
    if problem.groups is not None:
        advice += ", or leave 'chains' out of reduce"
    return Need(
        "extended range" if dtype == EXTENDED else str(dtype),
        f"one group of {sweep.sharing.width} sources on {graph.n} nodes",
        2 * graph.nbytes,
        engine.workspace_bytes(graph, sweep),
        2 * 8 * waiting,
        advice,
    )
