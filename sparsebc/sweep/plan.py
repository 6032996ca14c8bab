"""The plan of a sweep: kernel, batches of sources, blocks of batches, launches, memory, workers.

A batch is swept at once. A block is a fixed sequence of batches, and a leaf of the pairwise sum
(`engines/common/sums.py`). Kernel, batches and blocks depend on the problem alone. A launch
is a sequence of blocks that a worker takes at once. So workers, devices, memory and timing change
no bits.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeVar, cast

import numpy as np

from ..engines import devices
from ..engines.common.base import (
    EXTENDED,
    OF_DISTANCES,
    Engine,
    Kernel,
    Sweep,
    Task,
    kernel_for,
    kernels_of,
)
from ..engines.common.sums import Batch, Launch, PairSamples, sizes_of, widest
from ..errors import MemoryBudgetError
from ..matrix.matrix_arrays import least_bytes, matrix_of
from .options import Run

Kind = TypeVar("Kind", bound=Engine)

# A launch of less than 1/8 of the largest takes no less time: its deepest search dominates.
SHORTEST = 8
# Bytes of a graph above which its memory is checked before it is read.
LEAST_CHECKED = 1 << 24
# Launches per thread of an executor, if there are enough blocks, to balance the load.
LAUNCHES_A_THREAD = 16


class Need(NamedTuple):
    """Bytes that a run needs, with the words for its log and error messages."""

    kind: str  # data type of the state, or its purpose
    what: str  # unit of work of a worker, such as a batch
    fixed: int  # bytes needed once: the graph, as given and as prepared
    each: int  # least bytes of a worker
    waiting: int = 0  # further bytes of a worker, for results until they are taken in order
    remedy: str = ""  # a further remedy for the error message


@dataclass(frozen=True)
class SweepPlan:
    """How the sources of a task are swept, within one range of path counts."""

    base: Engine  # of the option ``device``
    kernel: Kernel
    task: Task
    blocks: list[list[Batch]]  # of the kernel's block size
    run: Run
    sizes: dict[str, int]  # numbers of each of the sums
    engine: Engine  # on whose device the kernel runs

    @functools.cached_property
    def sweep(self) -> Sweep:
        """Specification of the state of a worker."""
        task, omega, pairs = self.task, self.task.omega, self.task.pairs
        if omega is not None and (not self.engine.devices or self.run.executor is not None):
            on_host = task.graph.ops.on_host
            omega = on_host(omega)
            pairs = pairs and PairSamples(pairs.seed, *map(on_host, pairs[1:]))
        width = widest([batch for block in self.blocks for batch in block])
        of_task = self.kernel.name, width, task.high_diameter, omega, task.sums, task.dtype
        return Sweep(*of_task, task.node_sets, pairs, seeds=task.seeds, access=task.access)

    @property
    def need(self) -> Need:
        """Bytes that the workers need."""
        task, graph, advice = self.task, self.task.graph, ""
        if task.kind in OF_DISTANCES:
            kind = f"distances by {'edges' if graph.lengths is None else 'length'}"
            size = (task.access.width if task.access else 4) * graph.limits.size * graph.n
        else:
            kind = "extended range" if task.dtype == EXTENDED else str(task.dtype)
            size = sum(self.sizes.values())
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

    def launches(self, begin: int = 0, end: int | None = None) -> list[Launch]:
        """Launches of the blocks from ``begin`` to ``end``, by default of all.

        Launches are as few as possible, and equally many for each device. Threads of a host,
        several devices on a high-diameter graph, whose sources cost very different times, and all
        workers of sums of distances take ever smaller launches. On a host a launch is one block
        with an executor or a checkpoint, where each block is returned or saved once it is swept,
        and with a memory budget: several blocks hold some megabytes that no plan counts.
        """
        blocks, run, devices = self.blocks[:end], self.run, len(self.engine.devices)
        left = len(blocks) - begin
        if not left:
            return []
        of_distances = self.task.kind in OF_DISTANCES
        workers = run.threads if of_distances or not devices else devices
        is_strict = not (run.executor is None and run.checkpoint is None and not run.memory_budget)
        largest = 1  # block, if it is strict on a host
        if devices or not is_strict:
            largest = max(1, self.kernel.launch_size(self.task.graph) // len(blocks[0]))
        uneven = not devices or (workers > 1 and self.task.high_diameter)
        if of_distances or (run.executor is None and uneven):
            launches, least = [], max(1, largest // SHORTEST)
            while begin < len(blocks):  # workers finish together: half a fair share of the rest
                share = max(least, (len(blocks) - begin) // (2 * workers))
                end = begin + min(largest, share)
                launches.append(Launch(begin, blocks[begin:end]))
                begin = end
            return launches
        rounds = -(-left // (largest * workers))
        size = -(-left // (rounds * workers))
        if run.executor is not None:
            threads: int = run.executor.workers * run.threads
            most = largest if devices else len(blocks)
            fair = min(most, len(blocks) // (LAUNCHES_A_THREAD * threads))
            size = 1 << max(0, fair.bit_length() - 1)  # so that its sum is one node of the tree
        return [Launch(i, blocks[i : i + size]) for i in range(begin, len(blocks), size)]

    def next_range(self, dtype: np.dtype[Any], left_out: Iterable[int]) -> SweepPlan:
        """The plan of the blocks that were left out, with a larger range of path counts.

        If the kernel has no such range, another one sweeps their batches, in its own block size.
        """
        task, kernel, engine = replace(self.task, dtype=dtype), self.kernel, self.engine
        blocks = [self.blocks[number] for number in left_out]
        if not kernel.applies(task):
            kernel = kernel_for(self.base, task)
            engine = devices.engine_of(self.base, kernel)
            batches = list(itertools.chain.from_iterable(blocks))
            size = kernel.block_size(task, batches, kernel.width)
            blocks = [batches[i : i + size] for i in range(0, len(batches), size)]
        return replace(self, kernel=kernel, task=task, blocks=blocks, engine=engine)


def planned(engine: Engine, task: Task, run: Run) -> SweepPlan:
    """The plan of all sources of a task."""
    fitting = (kernel for kernel in kernels_of(engine) if kernel.applies(task))
    made = ((kernel, kernel.batches(task, kernel.width)) for kernel in fitting)
    kernel, batches = next((kernel, batches) for kernel, batches in made if batches is not None)
    if task.dtype == np.float32 and not kernel.float32:
        task = replace(task, dtype=np.dtype(np.float64))
    size = kernel.block_size(task, batches, kernel.width)
    blocks = [batches[i : i + size] for i in range(0, len(batches), size)]
    sizes = sizes_of(task.sums, task.graph)
    if task.node_sets is not None:
        sizes = dict.fromkeys(task.sums, task.node_sets.size)
    return SweepPlan(engine, kernel, task, blocks, run, sizes, devices.engine_of(engine, kernel))


def count_sources(blocks: Iterable[Iterable[Batch]]) -> int:
    """Number of sources of some blocks."""
    return sum(batch.sources.size for block in blocks for batch in block)


def check_graph(matrix: Any, engine: Engine, run: Run) -> None:
    """Refuse a large matrix that does not fit the memory budget, before anything is made of it.

    Of a smaller one the plan tells afterwards what the whole run needs.
    """
    if (least := least_bytes(matrix_of(matrix))) > LEAST_CHECKED:
        team_of(engine, Need("graph", "the graph of A alone", 0, least), most=1, run=run)


def at_once(sources: int, n: int) -> str:
    """Text for a batch of sources, the unit of work of a worker."""
    return f"one batch of {sources} source{'s' * (sources != 1)} on {n} nodes"


def team_of(engine: Kind, need: Need, *, most: int, run: Run) -> tuple[Sequence[Kind], int]:
    """Engine of each worker that fits the memory budget, and the bytes that each may take.

    Each device has its own budget; threads share one. Free memory does not include the graph, which
    is already allocated, unless there are several devices: these take copies. MemoryBudgetError if
    not even one worker fits.
    """
    devices = engine.devices
    budget = run.memory_budget or min(one.free_memory() for one in devices or [engine]) * 4 // 5
    fixed = need.fixed if run.memory_budget or len(devices) > 1 else 0
    needed = fixed + need.each + need.waiting
    if most and needed > budget:
        limit, way_out = "80% of the free memory is", "free some memory"
        if run.memory_budget:
            limit, way_out = "memory_budget is", "raise memory_budget"
        mebibytes = [f" ({size / 2**20:.0f} MiB)" * (size >= 2**20) for size in (needed, budget)]
        refused = MemoryBudgetError(
            f"{need.what} needs {needed} bytes{mebibytes[0]}, and {limit} {budget}{mebibytes[1]}: "
            f"{way_out}{need.remedy}",
            "memory_budget",
        )
        refused.needed = needed
        raise refused
    fitting = max(1, (budget - fixed) // max(need.each + need.waiting, 1))
    team = (devices or [engine] * min(run.threads, fitting))[:most]
    shares = 1 if devices else max(len(team), 1)
    return cast(Sequence[Kind], team), (budget - fixed) // shares - need.waiting
