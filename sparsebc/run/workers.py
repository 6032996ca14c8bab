"""A pool of workers, and what they return in the order of the blocks."""

from __future__ import annotations

import queue
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.contract import Engine, SearchEngine
from ..graph.graph import Graph

# Between checks of the main thread for Ctrl-C.
POLL_SECONDS = 0.2


def within_reach(graph: Graph, team: Sequence[Engine | SearchEngine]) -> Graph:
    """The graph where the whole team can read it: the host, unless the team is one device."""
    is_one_device = len(team) == 1 and bool(team[0].devices)
    return graph if is_one_device else graph.on_host()


class Pool:
    """A thread and a workspace for each of a team; leaving it early stops them within one level."""

    def __init__(
        self,
        workspace: Callable[[Any, NDArray[np.uint8]], Any],
        team: Sequence[Engine | SearchEngine],
    ) -> None:
        self._stop = np.zeros(1, dtype=np.uint8)
        self._make = workspace
        self._most = 2 * len(team)
        self._on_device = bool(team and team[0].devices)
        self._idle: queue.LifoQueue[Any] = queue.LifoQueue()
        for member in reversed(team):
            self._idle.put((member, None))  # a workspace is made once there is work for it
        self._threads = ThreadPoolExecutor(max(len(team), 1), thread_name_prefix="sparsebc")

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._stop[0] = 1
        self._threads.shutdown(wait=True, cancel_futures=True)

    def in_order(self, work: Callable[[Any, Any], Any], blocks: Sequence[Any]) -> Iterator[Any]:
        """Results in the order of the blocks, at most two blocks a worker ahead of it."""
        if len(blocks) == 1 and self._on_device:  # its launches are short: Ctrl-C is heard between
            yield self._run(work, blocks[0])
            return
        waiting: list[Future[Any]] = []
        for block in blocks:
            waiting.append(self._threads.submit(self._run, work, block))
            if len(waiting) >= self._most:
                yield self._result(waiting.pop(0))
        while waiting:
            yield self._result(waiting.pop(0))

    def _run(self, work: Callable[[Any, Any], Any], block: Any) -> Any:
        member, workspace = self._idle.get()
        try:
            with member.here():
                if workspace is None:
                    workspace = self._make(member, self._stop)
                return work(workspace, block)
        finally:
            self._idle.put((member, workspace))

    @staticmethod
    def _result(future: Future[Any]) -> Any:
        while not wait([future], timeout=POLL_SECONDS, return_when=FIRST_COMPLETED).done:
            pass  # awake now and then, so that Ctrl-C is heard on every system
        return future.result()
