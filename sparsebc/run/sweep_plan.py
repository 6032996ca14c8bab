"""The plan of a sweep: its kernel, sources in batches, batches in blocks, blocks in launches.

A batch is swept at once. A block is a fixed run of batches, and a leaf of the tree
(`engines/common/pairwise_sum.py`) by which all sums are added up. Kernel, batches, leaves and tree
depend on the problem alone. A launch is a run of blocks that a worker takes at once. So workers,
devices, memory and chance change no bits.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..brandes import EXTENDED
from ..engines import devices
from ..engines.common.base import Engine, Kernel, Kind, Sweep, Task, arranged, blocks_of, kernel_for
from ..engines.common.batch import Batch, PairSamples, widest
from ..engines.common.sums import SUMS, Launch
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
    engine: Engine  # on whose device the kernel runs
    kernel: Kernel
    task: Task
    problem: Problem
    blocks: list[list[Batch]]  # as long as the kernel wants them
    sweep: Sweep
    need: Need  # of a worker
    run: Run

    @property
    def batches(self) -> list[Batch]:
        """The batches of all blocks."""
        return list(itertools.chain.from_iterable(self.blocks))

    def launches(self, begin: int = 0, end: int | None = None) -> list[Launch]:
        """Launches of the blocks from ``begin`` to ``end``, by default of all.

        They are as few as will do, and as many for each device. On a deep graph sources cost very
        different times, and several devices take ever shorter runs.
        """
        blocks, run = self.blocks[:end], self.run
        left = len(blocks) - begin
        if not left:
            return []
        most = self.kernel.launch_size(self.problem.graph)
        together = max(1, most // len(blocks[0]))
        hands = max(1, len(self.engine.devices))
        if run.executor is None and hands > 1 and self.problem.deep:
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
        return _with(self.base, kernel, task, self.problem, blocks, self.run)


def planned(engine: Engine, problem: Problem, sums: frozenset[str], run: Run) -> SweepPlan:
    """The plan of all sources of a problem, in the range of the type asked for."""
    task = task_of(problem, sums, run.real)
    kernel, batches = arranged(engine, task)
    return _with(engine, kernel, task, problem, blocks_of(kernel, task, batches), run)


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
        problem.deep,
        problem.sources,
        problem.alpha,
        sums,
        dtype,
        passed=None if problem.twins is None else problem.twins.is_led,
        batches=problem.batches,
        seeds=problem.seeds,
    )


def _with(
    base: Engine,
    kernel: Kernel,
    task: Task,
    problem: Problem,
    blocks: list[list[Batch]],
    run: Run,
) -> SweepPlan:
    """The plan of some blocks, swept by a kernel."""
    engine, graph = devices.engine_of(base, kernel), problem.graph
    omega, pairs = problem.omega, problem.pairs
    if not engine.devices or run.executor is not None:
        omega = graph.ops.on_host(omega)
        pairs = pairs and PairSamples(pairs.seed, *map(graph.ops.on_host, pairs[1:]))
    width = max(map(widest, blocks), default=0)
    sweep = Sweep(
        *(kernel.name, width, task.deep, omega, task.sums, task.dtype, problem.node_sets),
        pairs=pairs,
        seeds=problem.seeds,
    )
    need = _need(kernel, problem, sweep, run)
    return SweepPlan(base, engine, kernel, task, problem, blocks, sweep, need, run)


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


def _need(kernel: Kernel, problem: Problem, sweep: Sweep, run: Run) -> Need:
    """Bytes of a worker that sweeps batch after batch."""
    graph, dtype = problem.graph, sweep.dtype
    # Its block may wait, summed, until its turn comes.
    waiting = sum(sum_size(name, problem) for name in sweep.sums)
    has_smaller = dtype == np.float64 and run.takes_dtype and problem.seeds is None
    advice = ", or use dtype=numpy.float32" if has_smaller else ""
    if problem.batches is not None:
        advice += ", or leave 'chains' out of reduce"
    return Need(
        "extended range" if dtype == EXTENDED else str(dtype),
        at_once(sweep.width, graph.n),
        2 * (graph.nbytes + (problem.seeds.nbytes if problem.seeds else 0)),
        kernel.least_bytes(graph, sweep),
        2 * 8 * waiting,
        advice,
    )
