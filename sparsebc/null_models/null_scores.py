"""Scores of random graphs in their order: several graphs at a time, or threads on one at a time."""

from __future__ import annotations

import functools
from collections.abc import Generator, Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines import devices
from ..engines.common.base import Engine
from ..errors import MemoryBudgetError
from ..limits import free_memory
from ..measures.centralities import centralities
from ..sweep.memory_plan import Need, plan
from ..sweep.options import Run
from ..sweep.window import in_order
from ..threads import Task, Threads
from .null_graphs import NullGraphs

# Nodes times edges from which all threads share a graph. Below, a sample takes seconds, and each
# thread has one of its own: it does not wait for others while a graph is prepared.
LARGE = 1 << 36
# Graphs that threads have rewired, or are about to, for each device that sweeps them.
MOST_AHEAD = 16


def stacked(matrix: Any, names: Sequence[str], options: dict[str, Any]) -> NDArray[np.float64]:
    """Scores (measures, n) of one graph, on the host."""
    scores = centralities(matrix, names, **options)  # type: ignore[arg-type]
    return np.stack([devices.fetched(scores[name]) for name in names])


def scores_in_order(
    engine: Engine,
    graphs: NullGraphs,
    numbers: range,
    names: Sequence[str],
    options: dict[str, Any],
    run: Run,
) -> Generator[NDArray[np.float64], None, None]:
    """Scores of the samples ``numbers``, in their order.

    Host threads make the graphs for a GPU, some ahead of it.
    """
    if _one_at_a_time(engine, graphs, run):
        how = options | {"device": run.device or engine.name, "workers": run.workers}
        with _Ahead(engine, graphs, numbers, run) as tasks:
            for task in tasks:
                yield stacked(task.result(), names, how | {"memory_budget": run.budget})
        return
    need = _need(engine, graphs)
    start = functools.partial(_Worker, names=tuple(names), options=options)
    has_host = run.executor is None and bool(engine.devices)
    while numbers:
        try:
            ahead = _Ahead(engine, graphs, numbers, run) if has_host else nullcontext(numbers)
            with ahead as blocks:
                work = _Worker.scores
                found = in_order(engine, blocks, start, work, graph=graphs, need=need, run=run)
                with closing(found):
                    for scores in found:
                        yield scores
                        numbers = numbers[1:]
        except MemoryBudgetError as error:  # a share of the budget is too small for a sample
            if run.threads == 1 or run.executor is not None or engine.devices:
                plan(engine, need._replace(each=error.needed), most=1, run=run)
                raise
            run = replace(run, workers=run.threads // 2)


def _one_at_a_time(engine: Engine, graphs: NullGraphs, run: Run) -> bool:
    """Whether all threads, or the one GPU, share a sample."""
    large = graphs.n * len(graphs.ends) > LARGE
    return run.executor is None and (len(engine.devices) == 1 or large)


def _need(engine: Engine, graphs: NullGraphs) -> Need:
    """Bytes of a sample, without those of its scores."""
    return Need("null model", "a sample", 0, 0 if engine.devices else graphs.nbytes)


class _Worker:
    """State of a thread, or of a process of an executor, that has a graph to itself."""

    def __init__(
        self,
        engine: Engine,
        graphs: NullGraphs,
        memory: int,
        stop: NDArray[np.uint8],
        *,
        names: tuple[str, ...],
        options: dict[str, Any],
    ) -> None:
        left = memory if engine.devices else max(memory - graphs.nbytes, 1)
        self._graphs, self._stop, self._names = graphs, stop, names
        self._options = options | {"device": engine.name, "workers": 1, "memory_budget": left}
        self._options["progress"] = self._heed

    def scores(self, sample: Any) -> NDArray[np.float64]:
        """Scores of a sample: its number, or the task of the thread that makes its graph."""
        if isinstance(sample, Task):
            matrix = sample.result()
        else:
            matrix = self._graphs.matrix(sample, self._stop)
        try:
            return stacked(matrix, self._names, self._options)
        except Stopped:
            pass
        except MemoryBudgetError as error:
            error.needed += self._graphs.nbytes
            raise
        return np.empty(0)  # discarded: the call is over

    def _heed(self, done: int, total: int) -> None:
        """End with the block in hand once the pool stops."""
        if self._stop[0] == 1:
            raise Stopped


class Stopped(Exception):
    """The call that wanted the score is over."""


class _Ahead(Sequence[Task]):
    """Graphs of some numbers, each a task of threads; taken once and in order, within a context."""

    def __init__(self, engine: Engine, graphs: NullGraphs, numbers: range, run: Run) -> None:
        fitting = free_memory() // 4 // max(graphs.nbytes, 1)
        most = MOST_AHEAD * max(1, len(engine.devices))
        self._most = max(1, min(run.threads, most, fitting))
        self._graphs, self._numbers, self._submitted = graphs, numbers, 0
        self._threads, self._stop = Threads(self._most), np.zeros(1, dtype=np.uint8)
        self._tasks: list[Task] = []

    def __enter__(self) -> _Ahead:
        return self

    def __exit__(self, *_: object) -> None:
        self._stop[0] = 1
        self._threads.close()

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, place: Any) -> Any:
        _ = self._numbers[place]  # IndexError ends an iteration
        for number in self._numbers[self._submitted : place + self._most + 1]:
            self._tasks.append(self._threads.submit(self._graphs.matrix, number, self._stop))
            self._submitted += 1
        return self._tasks.pop(0)
