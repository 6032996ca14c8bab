"""The plan of a sweep: its kernel, sources in batches, batches in blocks, blocks in launches.

A batch is swept at once. A block is a fixed run of batches, and a leaf of the tree
(`engines/common/pairwise_sum.py`) by which all sums are added up. Kernel, batches, leaves and tree
depend on the problem alone. A launch is a run of blocks that a worker takes at once. So workers,
devices, memory and chance change no bits.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..brandes import EXTENDED
from ..engines import devices
from ..engines.common.base import Engine, Kernel, Kind, Sweep, Task, arranged, blocks_of, kernel_for
from ..engines.common.batch import Batch, PairSamples, widest
from ..engines.common.sums import SUMS, Launch
from ..graph.graph import Graph
from ..reduce.reduce import Problem
from .memory_plan import Need, at_once
from .options import Run
from .window import launch_blocks

# Of the longest launch, the share below which a launch takes as long as its deepest search.
SHORTEST = 8


@dataclass(frozen=True)
class SweepPlan:
    """How the sources of a problem are swept within one range of path counts."""

    base: Engine  # that was asked for
    kernel: Kernel
    task: Task
    problem: Problem
    blocks: list[list[Batch]]  # as long as the kernel wants them
    run: Run

    @property
    def engine(self) -> Engine:
        """The engine on whose device the kernel runs."""
        return devices.engine_of(self.base, self.kernel)

    @functools.cached_property
    def sweep(self) -> Sweep:
        """Specification of the state of a worker."""
        task, problem, on_host = self.task, self.problem, self.problem.graph.ops.on_host
        omega, pairs = problem.omega, problem.pairs
        if not self.engine.devices or self.run.executor is not None:
            omega = on_host(omega)
            pairs = pairs and PairSamples(pairs.seed, *map(on_host, pairs[1:]))
        width = max(map(widest, self.blocks), default=0)
        of_task = self.kernel.name, width, task.high_diameter, omega, task.sums, task.dtype
        return Sweep(*of_task, problem.node_sets, pairs, seeds=problem.seeds)

    @property
    def need(self) -> Need:
        """Bytes of a worker that sweeps batch after batch."""
        problem, sweep = self.problem, self.sweep
        # Its block may wait, summed, until its turn comes.
        waiting = sum(sum_size(name, problem) for name in sweep.sums)
        has_smaller = sweep.dtype == np.float64 and self.run.takes_dtype and not problem.seeds
        advice = ", or use dtype=numpy.float32" if has_smaller else ""
        if problem.batches is not None:
            advice += ", or leave 'chains' out of reduce"
        return Need(
            "extended range" if sweep.dtype == EXTENDED else str(sweep.dtype),
            at_once(sweep.width, problem.graph.n),
            2 * (problem.graph.nbytes + (problem.seeds.nbytes if problem.seeds else 0)),
            self.kernel.least_bytes(problem.graph, sweep),
            2 * 8 * waiting,
            advice,
        )

    @property
    def batches(self) -> list[Batch]:
        """The batches of all blocks."""
        return list(itertools.chain.from_iterable(self.blocks))

    def launches(self, begin: int = 0, end: int | None = None) -> list[Launch]:
        """Launches of the blocks from ``begin`` to ``end``, by default of all.

        They are as few as will do, and as many for each device. On a deep graph sources cost very
        different times, and several devices take ever shorter runs, as the threads of a host do.
        """
        blocks, run = self.blocks[:end], self.run
        left = len(blocks) - begin
        if not left:
            return []
        on_host, hands = not self.engine.devices, len(self.engine.devices) or run.threads
        together = blocks_at_once(self.engine, self.kernel, self.problem.graph, blocks, run)
        if run.executor is None and (on_host or (hands > 1 and self.problem.high_diameter)):
            spans = ending_together(begin, len(blocks), together, hands)
            return [Launch(span.start, blocks[span.start : span.stop]) for span in spans]
        rounds = -(-left // (together * hands))
        size = -(-left // (rounds * hands))
        if run.executor is not None:
            most = together if self.engine.devices else len(blocks)
            size = launch_blocks(len(blocks), run, most)
        return [Launch(i, blocks[i : i + size]) for i in range(begin, len(blocks), size)]

    def beyond(self, dtype: np.dtype[Any], left_out: Iterable[int]) -> SweepPlan:
        """The plan of the blocks that were left out, in a larger range.

        A kernel that has it sweeps them as they are, another one in blocks of its own.
        """
        task, kernel = self.task._replace(dtype=dtype), self.kernel
        blocks = [self.blocks[number] for number in left_out]
        if not kernel.applies(task):
            kernel = kernel_for(self.base, task)
            blocks = blocks_of(kernel, task, list(itertools.chain.from_iterable(blocks)))
        return SweepPlan(self.base, kernel, task, self.problem, blocks, self.run)


def planned(engine: Engine, problem: Problem, sums: frozenset[str], run: Run) -> SweepPlan:
    """The plan of all sources of a problem, in the range of the type asked for."""
    task = task_of(problem, sums, run.real)
    kernel, batches = arranged(engine, task)
    return SweepPlan(engine, kernel, task, problem, blocks_of(kernel, task, batches), run)


def task_of(problem: Problem, sums: frozenset[str], dtype: np.dtype[Any]) -> Task:
    """The sums over the sources of a problem."""
    kind: Kind = "paths" if problem.batches is None else "chains"
    if problem.node_sets is not None:
        kind = "node sets"
    elif problem.pairs is not None:
        kind = "path samples"
    return Task(
        kind,
        problem.graph,
        problem.high_diameter,
        problem.sources,
        problem.alpha,
        sums,
        dtype,
        passed=None if problem.twins is None else problem.twins.is_led,
        batches=problem.batches,
        seeds=problem.seeds,
    )


def blocks_at_once(
    engine: Engine, kernel: Kernel, graph: Graph, blocks: Sequence[Sequence[Batch]], run: Run
) -> int:
    """Blocks that may share a launch.

    On a host one, where each is kept or handed back as soon as it is swept, or where memory is
    counted to the byte: several, of a small graph, hold some megabytes that no plan counts.
    """
    is_strict = not (run.executor is None and run.checkpoint is None and run.budget is None)
    if not blocks or (is_strict and not engine.devices):
        return 1
    return max(1, kernel.launch_size(graph) // len(blocks[0]))


def ending_together(first: int, end: int, most: int, hands: int) -> Iterator[range]:
    """Runs of blocks that so many hands take in turn: each half of a fair share of what is left."""
    least = max(1, most // SHORTEST)
    while first < end:
        share = max(least, (end - first) // (2 * hands))
        run = range(first, min(first + min(most, share), end))
        yield run
        first = run.stop


def count_sources(batches: Iterable[Batch]) -> int:
    """Sources of some batches."""
    return sum(batch.sources.size for batch in batches)


def sum_size(name: str, problem: Problem) -> int:
    """Numbers in a sum of this name."""
    if problem.node_sets is not None:
        return problem.node_sets.size
    graph = problem.graph
    return graph.limits.size * (graph.arcs if SUMS[name].by_arc else graph.n)
