"""Rows of results, one a source: threads fill them in place, executors send them back.

A batch of sources shares a search. Rows do not depend on the batch, so that a task of an executor
takes as many batches as leave work for all workers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..engines import devices
from ..engines.base import Engine, Sweep, Task, kernel_for
from ..engines.distances import Paths, Search
from ..graph.graph import Graph
from ..run.memory import Need, at_once
from ..run.options import Run
from ..run.progress import counting
from ..run.window import LAUNCHES_A_THREAD, in_order

# Most bytes of the rows of a task of several batches, if they are within an eighth of a budget.
TASK_BYTES = 1 << 26


class Searches(NamedTuple):
    """Searches from batches of sources on a graph, or on a matrix of lengths."""

    graph: Graph | scipy.sparse.csr_array
    n: int
    width: int  # sources of a batch
    state: Callable[[Engine, Any, int, NDArray[np.uint8]], Any]
    fill: Callable[..., None]  # (state, sources, *rows)
    dtypes: tuple[type, ...]  # of the rows
    need: Need


def levels(engine: Engine, graph: Graph) -> Searches:
    """Breadth-first searches, a row of levels each."""
    return _by_edges(engine, graph, _levels, (np.int32,))


def paths(engine: Engine, graph: Graph) -> Searches:
    """Breadth-first searches, a row of distances and a row of predecessors each."""
    return _by_edges(engine, graph, _paths, (np.float64, np.int32))


def paths_along(engine: Engine, lengths: Any, directed: bool, sources: int) -> Searches:
    """Searches by length, a row of distances and a row of predecessors each."""
    n, kernel = lengths.shape[0], kernel_for(engine, Task("rows by length", lengths))
    sweep = Sweep(kernel.name, min(kernel.width, sources), directed=directed)
    need = Need(
        "searches by length",
        at_once(sweep.width, n),
        0,
        kernel.least_bytes(lengths, sweep),
    )
    return Searches(lengths, n, kernel.width, sweep.state, _paths, (np.float64, np.int32), need)


def filled(
    engine: Engine,
    searches: Searches,
    sources: NDArray[np.int32],
    home: str | None,
    run: Run,
) -> list[Any]:
    """Arrays of shape (len(sources), n), one for each kind of row, with A if that is quick."""
    shape, width, need = (sources.size, searches.n), searches.width, searches.need
    if run.executor is not None:
        home = None  # executors send rows to the host
    results = [devices.empty(engine, shape, dtype, home) for dtype in searches.dtypes]

    def in_place(state: Any, block: _Block) -> None:
        searches.fill(state, block.sources, *(result[block.rows] for result in results))

    work: Callable[[Any, _Block], Any] = in_place
    row_bytes = searches.n * sum(np.dtype(dtype).itemsize for dtype in searches.dtypes)
    size, result_bytes = width, 0
    if run.executor is not None:
        work = functools.partial(_rows_of, searches.fill, width, searches.n, searches.dtypes)
        size = width * _batches_of_task(sources.size, width, row_bytes, run)
        result_bytes = min(size, sources.size) * row_bytes
        # Two of them wait in the memory of the host, which that of a GPU leaves out.
        need = need._replace(waiting=0 if engine.devices else 2 * result_bytes)
    blocks = [_Block(rows, sources[rows]) for rows in _slices(sources.size, size)]
    done = in_order(
        *(engine, blocks, searches.state, work),
        graph=searches.graph,
        need=need,
        run=run,
        result_bytes=result_bytes,
    )
    with counting(run.progress, sources.size) as advance, closing(done):
        for block, parts in zip(blocks, done, strict=True):
            for result, part in zip(results, parts or [], strict=False):
                result[block.rows] = part
            advance(block.sources.size)
    return results


class _Block(NamedTuple):
    """Sources, and the rows of their results."""

    rows: slice
    sources: NDArray[np.int32]


def _slices(count: int, size: int) -> list[slice]:
    """Slices of ``count`` rows, ``size`` rows each."""
    return [slice(i, min(i + size, count)) for i in range(0, count, size)]


def _batches_of_task(sources: int, width: int, row_bytes: int, run: Run) -> int:
    """Batches of a task: few enough for all threads to have tasks, and for its memory."""
    hands: int = run.executor.workers * run.threads * LAUNCHES_A_THREAD
    room = min(TASK_BYTES, run.budget // 8) if run.budget else TASK_BYTES
    return max(1, min(sources // (width * hands), room // max(width * row_bytes, 1)))


def _rows_of(
    fill: Callable[..., None],
    width: int,
    n: int,
    dtypes: Sequence[type],
    state: Any,
    block: _Block,
) -> list[NDArray[Any]]:
    """Rows of a block, in the process that searches."""
    made: list[NDArray[Any]] = [np.empty((block.sources.size, n), dtype) for dtype in dtypes]
    for rows in _slices(block.sources.size, width):
        fill(state, block.sources[rows], *(part[rows] for part in made))
    return made


def _by_edges(
    engine: Engine, graph: Graph, fill: Callable[..., None], dtypes: tuple[type, ...]
) -> Searches:
    kernel, deep = kernel_for(engine, Task("rows", graph)), graph.traits.deep
    width, sweep = kernel.width, Sweep(kernel.name, kernel.width, deep)
    need = Need(
        "searches by edges",
        at_once(width, graph.n),
        2 * graph.nbytes,
        kernel.least_bytes(graph, sweep),
    )
    return Searches(graph, graph.n, width, sweep.state, fill, dtypes, need)


def _paths(state: Paths, *rest: Any) -> None:
    state.paths(*rest)


def _levels(state: Search, *rest: Any) -> None:
    state.levels(*rest)
