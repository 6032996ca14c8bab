"""Workers of this process: a thread and a workspace for each, and their results in order."""

import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.common.base import Engine
from ..foreign import on_host
from ..kernel_cache import compilation
from ..process import Call, Threads
from .options import Run
from .plan import Need, team_of

logger = logging.getLogger("sparsebc")


class Pool:
    """A thread and a workspace for each worker; an early exit stops them within one level.

    The memory plan sets the number of workers, ``most`` at most. A worker's workspace is
    ``workspace(member, graph, memory, stop)``: its engine, the graph, its share of the memory and
    the stop flag. CPU workers read a copy of the graph on the host.
    """

    def __init__(
        self,
        engine: Engine,
        graph: Any,
        workspace: Callable[[Any, Any, int, NDArray[np.uint8]], Any],
        *,
        need: Need,
        most: int,
        run: Run,
        heed: Callable[[], object] = lambda: None,
    ) -> None:
        self.team, memory = team_of(engine, need, most=most, run=run)
        if len(engine.devices) > 1:
            with engine.here():
                pass  # leaving the context waits for the kernels that made the graph
        self._graph, self._memory = graph if engine.devices else on_host(graph), memory
        self._workspace, self._stop = workspace, np.zeros(1, dtype=np.uint8)
        self._heed = heed  # called now and then during waits for a result; may raise
        self._on_device = bool(engine.devices)
        # One entry for each thread; its workspace is made with its first block.
        self._idle: list[tuple[Engine, Any]] = [(member, None) for member in reversed(self.team)]
        self._threads = Threads(max(len(self.team), 1))

    def close(self, *, early: bool = False, silent: bool = False) -> None:
        """Join the threads; ``early`` stops them within one level, ``silent`` does not log that."""
        if early:
            self._stop[0] = 1
            if compilation.depth and not silent:
                logger.warning("stopping once the kernel being compiled is ready: some seconds")
        self._threads.close()

    def in_order(self, work: Callable[[Any, Any], Any], blocks: Sequence[Any]) -> Iterator[Any]:
        """``work(state, block)`` of each block in order, at most two per worker in advance."""
        if len(blocks) == 1 and self._on_device:  # its launches are short: Ctrl-C acts in between
            yield self._run(work, next(iter(blocks)))
            return
        waiting: list[Call] = []
        for block in blocks:
            waiting.append(self._threads.submit(self._run, work, block))
            if len(waiting) >= 2 * len(self.team):
                yield waiting.pop(0).result(self._heed)
        while waiting:
            yield waiting.pop(0).result(self._heed)

    def _run(self, work: Callable[[Any, Any], Any], block: Any) -> Any:
        member, state = self._idle.pop()
        try:
            with member.here():
                if state is None:
                    state = self._workspace(member, self._graph, self._memory, self._stop)
                return work(state, block)
        finally:
            self._idle.append((member, state))
