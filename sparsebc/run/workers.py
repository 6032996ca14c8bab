"""A pool of workers, and what they return in the order of the blocks."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from ..engines.base import Engine
from ..graph.graph import Graph
from ..jit import compilation
from ..threads import Task, Threads
from .memory import Kind, Need, plan
from .options import Run

State = TypeVar("State")
Block = TypeVar("Block")
Result = TypeVar("Result")

logger = logging.getLogger("sparsebc")


def in_order(
    engine: Kind,
    blocks: Sequence[Block],
    workspace: Callable[[Kind, Any, int, NDArray[np.uint8]], State],
    work: Callable[[State, Block], Result],
    *,
    graph: Any,
    need: Need,
    run: Run,
) -> Generator[Result, None, None]:
    """Results of the blocks in their order, from as many workers as the memory plan allows.

    Each calls ``work(state, block)``, where its state is ``workspace(member, graph, memory, stop)``
    for its engine and its share of the memory. Threads read a `Graph` in the memory of the host,
    and devices where it is. Whoever leaves early closes the generator, which stops the workers.
    """
    team, memory = plan(engine, need, most=len(blocks), run=run)
    logger.info(
        "device %s, %s, %s: %d blocks, %d workers, %d MiB",
        engine.name,
        need.kind,
        need.what,
        len(blocks),
        len(team),
        (len(set(team)) * need.fixed + len(team) * (need.each + need.waiting)) >> 20,
    )
    there = reachable(graph, engine, team)
    with Pool(lambda member, stop: workspace(member, there, memory, stop), team) as pool:
        yield from pool.in_order(work, blocks)


def reachable(graph: Any, engine: Engine, team: Sequence[Engine]) -> Any:
    """The graph where all of a team can read it; a matrix in its place is where it was given."""
    if not engine.devices:
        return graph.on_host() if isinstance(graph, Graph) else graph
    if len(team) > 1:
        with engine.here():
            pass  # at its end, what made the graph is through
    return graph


class Pool:
    """A thread and a workspace for each of a team; leaving it early stops them within one level."""

    def __init__(
        self,
        workspace: Callable[[Any, NDArray[np.uint8]], Any],
        team: Sequence[Engine],
        heed: Callable[[], object] = lambda: None,
    ) -> None:
        self._stop = np.zeros(1, dtype=np.uint8)
        self._make = workspace
        self._heed = heed  # called now and then while a result is waited for; may raise
        self._most = 2 * len(team)
        self._on_device = bool(team and team[0].devices)
        # One for each thread; a workspace is made once there is work for it.
        self._idle: list[tuple[Engine, Any]] = [(member, None) for member in reversed(team)]
        self._threads = Threads(max(len(team), 1))

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self.close(early=kind is not None)

    def close(self, *, early: bool = False, silent: bool = False) -> None:
        """Wait for the threads; early, stop them within one level, in a worker process silently."""
        if early:
            self._stop[0] = 1
            if compilation.running and not silent:
                logger.warning("stopping, once a kernel is compiled: some seconds")
        self._threads.close()

    def in_order(self, work: Callable[[Any, Any], Any], blocks: Sequence[Any]) -> Iterator[Any]:
        """Results in the order of the blocks, at most two blocks a worker ahead of it."""
        if len(blocks) == 1 and self._on_device:  # its launches are short: Ctrl-C is heard between
            yield self._run(work, blocks[0])
            return
        waiting: list[Task] = []
        for block in blocks:
            waiting.append(self._threads.submit(self._run, work, block))
            if len(waiting) >= self._most:
                yield waiting.pop(0).result(self._heed)
        while waiting:
            yield waiting.pop(0).result(self._heed)

    def _run(self, work: Callable[[Any, Any], Any], block: Any) -> Any:
        member, workspace = self._idle.pop()
        try:
            with member.here():
                if workspace is None:
                    workspace = self._make(member, self._stop)
                return work(workspace, block)
        finally:
            self._idle.append((member, workspace))
