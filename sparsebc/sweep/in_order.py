"""Results of blocks in their order, from workers of this process or from an executor."""

import logging
from collections.abc import Callable, Generator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..engines import devices
from ..errors import InputError
from .executor import CallExecutor
from .executor_worker import Job
from .lost_tasks import from_executor
from .options import Run
from .plan import Kind, Need
from .workers import Pool

logger = logging.getLogger("sparsebc")

State = TypeVar("State")
Block = TypeVar("Block")
Result = TypeVar("Result")


def in_order(
    engine: Kind,
    blocks: Sequence[Block],
    workspace: Callable[[Kind, Any, int, NDArray[np.uint8]], State],
    work: Callable[[State, Block], Result],
    *,
    graph: Any,
    need: Need,
    run: Run,
    result_bytes: int | None = None,
) -> Generator[Result, None, None]:
    """Results ``work(state, block)`` in the order of the blocks, from a `Pool` or the executor.

    An executor pickles ``workspace``, ``work``, blocks, results, and the name of the engine.
    ``result_bytes`` is the size of a result on the host, by default half of ``need.waiting``.
    Closing the generator stops the workers.
    """
    executor: CallExecutor | None = run.executor
    if executor is not None and len(engine.devices) > 1:
        raise InputError(
            f"device lists {engine.name}, and a worker of an executor takes one GPU: use "
            "device='cuda', and start each worker with one in CUDA_VISIBLE_DEVICES",
            "device",
        )
    if not blocks:
        return
    if executor is not None:
        limits = Run(workers=run.threads, memory_budget=run.memory_budget)
        job = Job(engine.name, devices.model(engine.name), need, limits, workspace, work)
        each = need.waiting // 2 if result_bytes is None else result_bytes
        yield from from_executor(executor, blocks, job, graph, each, run)
        return
    pool, complete = Pool(engine, graph, workspace, need=need, most=len(blocks), run=run), False
    try:
        team, each = pool.team, need.each + need.waiting
        logger.info(
            "device %s, %s, %s: %d blocks, %d workers, %d MiB",
            *(engine.name, need.kind, need.what, len(blocks), len(team)),
            (len(set(team)) * need.fixed + len(team) * each) >> 20,
        )
        yield from pool.in_order(work, blocks)
        complete = True
    finally:
        pool.close(early=not complete)


def by_name(method: str, state: Any, block: Any, **how: Any) -> Any:
    """Result of a method of a worker's state for a block: ``work`` of `in_order`, by `partial`."""
    return getattr(state, method)(block, **how)
