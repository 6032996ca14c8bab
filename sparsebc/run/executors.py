"""Who runs the blocks: threads of this process, or an executor of the caller's.

With an executor, the driver prepares the problem and leaves it in a run directory. A task is a few
consecutive blocks; `schedule` has the rules by which tasks are handed in and results taken.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..engines import devices
from ..engines.contract import Engine
from ..engines.host_memory import free_memory
from . import directory, remote, workers
from .memory import Need
from .options import Run
from .schedule import Limits, Schedule

# Launches for each thread of an executor, if there are blocks enough: the last ones end together.
LAUNCHES_A_THREAD = 16

logger = logging.getLogger("sparsebc")

Kind = TypeVar("Kind", bound=Engine)
State = TypeVar("State")
Block = TypeVar("Block")
Result = TypeVar("Result")


def by_name(engine: Engine, graph: Any) -> Engine:
    """The engine that bears the name, itself."""
    return engine


def in_order(
    engine: Kind,
    blocks: Sequence[Block],
    workspace: Callable[[Kind, Any, int, NDArray[np.uint8]], State],
    work: Callable[[State, Block], Result],
    *,
    graph: Any,
    need: Need,
    run: Run,
    found_by: Callable[[Engine, Any], Engine] = by_name,
) -> Generator[Result, None, None]:
    """Results of the blocks in their order, as `workers.in_order` has them, from the executor.

    It pickles ``workspace``, ``work``, blocks and results, and of the engine its name: workers take
    ``found_by(engine, graph)`` of the engine that bears it.
    """
    if run.executor is not None:
        size = need.waiting // 2
        done = from_executor(
            *(engine, blocks, workspace, work, graph, need, run),
            result_bytes=size,
            ordered=True,
            found_by=found_by,
        )
        with closing(done):
            for _, result in done:
                yield result
    elif blocks:
        yield from workers.in_order(
            engine, blocks, workspace, work, graph=graph, need=need, run=run
        )


def from_executor(
    engine: Kind,
    blocks: Sequence[Block],
    workspace: Callable[[Kind, Any, int, NDArray[np.uint8]], State],
    work: Callable[[State, Block], Result],
    graph: Any,
    need: Need,
    run: Run,
    *,
    result_bytes: int,
    ordered: bool,
    found_by: Callable[[Engine, Any], Engine] = by_name,
) -> Generator[tuple[Block, Result], None, None]:
    """Blocks and their results from the executor, in their order or as they end.

    As they end none waits for another. A result takes so many bytes.
    """
    if len(engine.devices) > 1:
        raise ValueError(
            f"device lists {engine.name}, and a worker of an executor takes one GPU: use "
            "device='cuda', and start each worker with one in CUDA_VISIBLE_DEVICES"
        )
    if not blocks:
        return
    crew, threads = run.executor, run.threads
    place = directory.of(graph)
    job = remote.Job(
        engine.name,
        devices.model(engine.name),
        found_by,
        need,
        threads,
        run.memory_budget,
        workspace,
        work,
    )
    file = directory.add_job(place, job)
    tasks = [
        remote.Task(place, file, tuple(blocks[i : i + threads]))
        for i in range(0, len(blocks), threads)
    ]
    goods = functools.partial(_goods, job, graph)
    limits = Limits(_results_in_memory(result_bytes, run), run.retries)
    schedule = Schedule(crew, tasks, limits, goods, ordered=ordered)
    logger.info(
        "an executor of %d workers, %d tasks of %d blocks in all, a window of %d, the graph in %s",
        crew.workers,
        len(tasks),
        len(blocks),
        schedule.window,
        place,
    )
    complete = False
    try:
        for task, results in schedule.results():
            yield from zip(task.blocks, results, strict=True)
        complete = True
    finally:
        directory.remove_job(file)
        remote.forget(file)
        if not complete:
            crew.close()


def launch_blocks(count: int, run: Run, most: int) -> int:
    """Blocks of a launch: a power of two, so that it comes to one node of the tree."""
    hands: int = run.executor.workers * run.threads
    fair = min(most, count // (LAUNCHES_A_THREAD * hands))
    return 1 << max(0, fair.bit_length() - 1)


def _goods(job: remote.Job, graph: Any) -> remote.Goods:
    """What a process needs that sees no files."""
    return remote.Goods(job, directory.on_host(graph))


def _results_in_memory(size: int, run: Run) -> int:
    """Results of tasks, so many bytes a block, that the driver has room for."""
    budget = run.budget or free_memory() * 4 // 5
    return int(budget // max(run.threads * size, 1))
