"""Who runs the blocks: threads of this process, or an executor of the caller's.

With an executor, the driver prepares the problem and leaves it in a run directory. A task is a few
consecutive blocks; a window of tasks is in flight, and results are taken in the order of the
blocks. Tasks that were lost with a worker are handed in again: they are pure functions, so that
the bits are the same whoever computes them, and how often.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import BrokenExecutor, Future, wait
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..engines import devices
from ..engines.contract import Engine
from ..engines.host_memory import free_memory
from ..graph.graph import Graph
from . import directory, remote, workers
from .crew import Crew
from .memory import Need
from .options import Run
from .workers import POLL_SECONDS

# Launches for each thread of an executor, if there are blocks enough: the last ones end together.
LAUNCHES_A_THREAD = 16

Kind = TypeVar("Kind", bound=Engine)
State = TypeVar("State")
Block = TypeVar("Block")
Result = TypeVar("Result")


def in_order(
    engine: Kind,
    blocks: Sequence[Block],
    workspace: Callable[[Kind, Any, int, NDArray[np.uint8]], State],
    work: Callable[[State, Block], Result],
    *,
    graph: Graph,
    need: Need,
    run: Run,
) -> Generator[Result, None, None]:
    """Results of the blocks in their order, as `workers.in_order` has them, from the executor.

    It pickles ``workspace``, ``work``, blocks and results.
    """
    if run.executor is None:
        if not blocks:
            return
        yield from workers.in_order(
            engine, blocks, workspace, work, graph=graph, need=need, run=run
        )
        return
    if len(engine.devices) > 1:
        raise ValueError(
            f"device lists {engine.name}, and a worker of an executor takes one GPU: use "
            "device='cuda', and start each worker with one in CUDA_VISIBLE_DEVICES"
        )
    if not blocks:
        return
    crew, threads = run.executor, run.threads
    place = directory.of_graph(graph)
    job = directory.add_job(
        place,
        remote.Job(
            engine.name,
            devices.model(engine.name),
            need,
            threads,
            run.memory_budget,
            workspace,
            work,
        ),
    )
    tasks = [
        remote.Task(place, job, tuple(blocks[i : i + threads]))
        for i in range(0, len(blocks), threads)
    ]
    complete = False
    try:
        for results in _in_window(crew, tasks, _window(crew, need, run), run.retries):
            yield from results
        complete = True
    finally:
        os.remove(job)
        remote.forget(job)
        if not complete:
            crew.close()


def launch_blocks(count: int, run: Run, most: int) -> int:
    """Blocks of a launch: a power of two, so that it comes to one node of the tree."""
    hands: int = run.executor.workers * run.threads
    fair = min(most, count // (LAUNCHES_A_THREAD * hands))
    return 1 << max(0, fair.bit_length() - 1)


def _window(crew: Crew, need: Need, run: Run) -> int:
    """Tasks in flight, those whose results wait for their turn among them."""
    budget = run.budget or free_memory() * 4 // 5
    result = run.threads * need.waiting // 2  # `waiting` is what two blocks take
    return max(1, min(2 * crew.workers, budget // max(result, 1)))


def _in_window(
    crew: Crew, tasks: Sequence[remote.Task], window: int, retries: int
) -> Iterator[list[Any]]:
    """Results of the tasks in their order."""
    left = iter(tasks)
    flight: deque[tuple[remote.Task, Future[Any]]] = deque()
    failures = 0  # of the task at the head
    try:
        while True:
            while len(flight) < window and (task := next(left, None)) is not None:
                flight.append((task, crew.submit(remote.perform, task)))
            if not flight:
                return
            task, future = flight[0]
            while not wait([future], timeout=POLL_SECONDS).done:
                pass  # awake now and then, so that Ctrl-C is heard on every system
            try:
                results = future.result()
            except BaseException as error:
                if not _is_loss(error):
                    raise
                failures += 1
                _resubmit(crew, flight, error, failures, retries)
                continue
            failures = 0
            flight.popleft()
            yield results
    finally:
        for _, future in flight:
            future.cancel()


def _is_loss(error: BaseException) -> bool:
    """Whether a task failed because its worker did."""
    return isinstance(error, BrokenExecutor) or type(error).__name__ == "KilledWorker"


def _resubmit(
    crew: Crew,
    flight: deque[tuple[remote.Task, Future[Any]]],
    error: BaseException,
    failures: int,
    retries: int,
) -> None:
    """Hand in again what was lost: the head, and all that were in a pool that broke."""
    broke = isinstance(error, BrokenExecutor)
    if broke and not crew.is_factory:
        error.add_note(
            "The executor broke, and is not sparsebc's to build again: give a function that makes "
            "it, as executor=lambda: ProcessPoolExecutor(4), and lost blocks are computed again."
        )
        raise error
    if failures > retries:
        error.add_note(f"The same blocks were lost {failures} times, and retries is {retries}.")
        raise error
    if broke:
        crew.close()
    for place, (task, future) in enumerate(flight):
        if place == 0 or (broke and not _succeeded(future)):
            flight[place] = (task, crew.submit(remote.perform, task))


def _succeeded(future: Future[Any]) -> bool:
    return future.done() and not future.cancelled() and future.exception() is None
