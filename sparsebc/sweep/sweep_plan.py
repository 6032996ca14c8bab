"""The plan of a sweep: kernel, batches of sources, blocks of batches, and launches of blocks.

A batch is swept at once. A block is a fixed sequence of batches, and a leaf of the pairwise sum
(`engines/common/pairwise_sum.py`). Kernel, batches and blocks depend on the problem alone. A launch
is a sequence of blocks that a worker takes at once. So workers, devices, memory and timing change
no bits.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..engines import devices
from ..engines.common.base import Engine, Kernel, Sweep, Task, arranged, blocks_of, kernel_for
from ..engines.common.batch import Batch, PairSamples, widest
from ..engines.common.sums import Launch
from ..matrix.graph import Graph
from .memory_plan import Need, at_once
from .options import Run
from .window import launch_blocks

# A launch of less than 1/8 of the largest takes no less time: its deepest search dominates.
SHORTEST = 8


@dataclass(frozen=True)
class SweepPlan:
    """How the sources of a task are swept, within one range of path counts."""

    base: Engine  # of the option ``device``
    kernel: Kernel
    task: Task
    blocks: list[list[Batch]]  # of the kernel's block size
    run: Run

    @property
    def engine(self) -> Engine:
        """The engine on whose device the kernel runs."""
        return devices.engine_of(self.base, self.kernel)

    @functools.cached_property
    def sweep(self) -> Sweep:
        """Specification of the state of a worker."""
        task, omega, pairs = self.task, self.task.omega, self.task.pairs
        if omega is not None and (not self.engine.devices or self.run.executor is not None):
            on_host = task.graph.ops.on_host
            omega = on_host(omega)
            pairs = pairs and PairSamples(pairs.seed, *map(on_host, pairs[1:]))
        width = max(map(widest, self.blocks), default=0)
        of_task = self.kernel.name, width, task.high_diameter, omega, task.sums, task.dtype
        return Sweep(*of_task, task.node_sets, pairs, seeds=task.seeds, access=task.access)

    @property
    def need(self) -> Need:
        """Bytes that the workers need."""
        task, graph, advice = self.task, self.task.graph, ""
        if task.of_distances:
            kind = f"distances by {'edges' if graph.lengths is None else 'length'}"
            size = (task.access.width if task.access else 4) * graph.limits.size * graph.n
        else:
            kind = "extended range" if task.extended else str(task.dtype)
            size = sum(map(task.sum_size, task.sums))
            narrows = self.kernel.float32 and self.run.takes_dtype and not task.seeds
            if narrows and task.dtype == np.float64:
                advice = ", or use dtype=numpy.float32"
            if task.batches is not None:
                advice += ", or leave 'chains' out of reduce"
        return Need(
            kind,
            at_once(self.sweep.width, graph.n),
            2 * (graph.nbytes + (task.seeds.nbytes if task.seeds else 0)),
            self.kernel.least_bytes(graph, self.sweep),
            2 * 8 * size,  # sums of two blocks may be pending (`Pool.in_order`)
            advice,
        )

    @property
    def batches(self) -> list[Batch]:
        """The batches of all blocks."""
        return list(itertools.chain.from_iterable(self.blocks))

    def launches(self, begin: int = 0, end: int | None = None) -> list[Launch]:
        """Launches of the blocks from ``begin`` to ``end``, by default of all.

        Launches are as few as possible, and equally many for each device. Threads of a host,
        several devices on a high-diameter graph, whose sources cost very different times, and all
        workers of sums of distances take ever smaller launches.
        """
        blocks, run, devices = self.blocks[:end], self.run, len(self.engine.devices)
        left = len(blocks) - begin
        if not left:
            return []
        workers = run.threads if self.task.of_distances or not devices else devices
        largest = blocks_at_once(self.engine, self.kernel, self.task.graph, blocks, run)
        uneven = not devices or (workers > 1 and self.task.high_diameter)
        if self.task.of_distances or (run.executor is None and uneven):
            spans = ending_together(begin, len(blocks), largest, workers)
            return [Launch(span.start, blocks[span.start : span.stop]) for span in spans]
        rounds = -(-left // (largest * workers))
        size = -(-left // (rounds * workers))
        if run.executor is not None:
            size = launch_blocks(len(blocks), run, largest if devices else len(blocks))
        return [Launch(i, blocks[i : i + size]) for i in range(begin, len(blocks), size)]

    def next_range(self, dtype: np.dtype[Any], left_out: Iterable[int]) -> SweepPlan:
        """The plan of the blocks that were left out, with a larger range of path counts.

        If the kernel has no such range, another one sweeps their batches, in its own block size.
        """
        task, kernel = replace(self.task, dtype=dtype), self.kernel
        blocks = [self.blocks[number] for number in left_out]
        if not kernel.applies(task):
            kernel = kernel_for(self.base, task)
            blocks = blocks_of(kernel, task, list(itertools.chain.from_iterable(blocks)))
        return replace(self, kernel=kernel, task=task, blocks=blocks)


def planned(engine: Engine, task: Task, run: Run) -> SweepPlan:
    """The plan of all sources of a task."""
    kernel, batches = arranged(engine, task)
    if task.dtype == np.float32 and not kernel.float32:
        task = replace(task, dtype=np.dtype(np.float64))
    return SweepPlan(engine, kernel, task, blocks_of(kernel, task, batches), run)


def blocks_at_once(
    engine: Engine, kernel: Kernel, graph: Graph, blocks: Sequence[Sequence[Batch]], run: Run
) -> int:
    """Most blocks of a launch.

    It is one on a host with an executor or a checkpoint, where each block is returned or saved once
    it is swept, and with a memory budget: several blocks hold some megabytes that no plan counts.
    """
    is_strict = not (run.executor is None and run.checkpoint is None and run.budget is None)
    if not blocks or (is_strict and not engine.devices):
        return 1
    return max(1, kernel.launch_size(graph) // len(blocks[0]))


def ending_together(first: int, end: int, most: int, workers: int) -> Iterator[range]:
    """Ranges of blocks for workers that finish together: each half a fair share of the rest."""
    least = max(1, most // SHORTEST)
    while first < end:
        share = max(least, (end - first) // (2 * workers))
        run = range(first, min(first + min(most, share), end))
        yield run
        first = run.stop


def count_sources(batches: Iterable[Batch]) -> int:
    """Number of sources of some batches."""
    return sum(batch.sources.size for batch in batches)
