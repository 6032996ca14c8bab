"""Rows of results, one a source: threads fill them in place, executors send them back.

A batch of sources shares a search. Rows do not depend on the batch, so that a task of an executor
takes as many batches as leave work for all workers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..engines import devices
from ..engines.base import Engine, Sweep, Task, kernel_for
from ..engines.distances import Paths, Search
from ..graph.graph import Graph
from ..run import dispatch, workers
from ..run.memory import Need, at_once
from ..run.options import Run
from ..run.progress import counting

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
    """The same with distances and predecessors."""
    return _by_edges(engine, graph, _paths, (np.float64, np.int32))


def paths_along(engine: Engine, lengths: Any, directed: bool, sources: int) -> Searches:
    """Distances and predecessors by length, on a matrix of them, from so many sources."""
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
    """An array of shape (len(sources), n) for each kind of row; where A is, if that is quick."""
    if run.executor is not None:
        home = None  # what comes back is on the host
    shape = sources.size, searches.n
    results = [devices.empty(engine, shape, dtype, home) for dtype in searches.dtypes]
    fill = _by_threads if run.executor is None else _by_executor
    with (
        counting(run.progress, sources.size) as advance,
        closing(fill(engine, searches, sources, results, run)) as done,
    ):
        for count in done:
            advance(count)
    return results


def _by_threads(
    engine: Engine,
    searches: Searches,
    sources: NDArray[np.int32],
    results: Sequence[Any],
    run: Run,
) -> Generator[int, None, None]:
    """Fill the rows where they are, batch by batch; how many each time."""
    batches = _slices(sources.size, searches.width)
    filled = workers.in_order(
        engine,
        batches,
        searches.state,
        lambda state, rows: searches.fill(
            state, sources[rows], *(result[rows] for result in results)
        ),
        graph=searches.graph,
        need=searches.need,
        run=run,
    )
    with closing(filled):
        for rows, _ in zip(batches, filled, strict=True):
            yield rows.stop - rows.start


def _by_executor(
    engine: Engine,
    searches: Searches,
    sources: NDArray[np.int32],
    results: Sequence[Any],
    run: Run,
) -> Generator[int, None, None]:
    """Copy the rows that are sent back to their places, task by task; how many each time."""
    row_bytes = searches.n * sum(np.dtype(dtype).itemsize for dtype in searches.dtypes)
    size = searches.width * _groups_of_task(sources.size, searches.width, row_bytes, run)
    result_bytes = min(size, sources.size) * row_bytes
    # Two of them wait in the memory of the host, which that of a GPU leaves out.
    waiting = 0 if engine.devices else 2 * result_bytes
    blocks = [_Block(rows, sources[rows]) for rows in _slices(sources.size, size)]
    found = dispatch.in_order(
        engine,
        blocks,
        searches.state,
        functools.partial(_rows_of, searches.fill, searches.width, searches.n, searches.dtypes),
        graph=searches.graph,
        need=searches.need._replace(waiting=waiting),
        run=run,
        result_bytes=result_bytes,
    )
    with closing(found):
        for block, parts in zip(blocks, found, strict=True):
            for result, part in zip(results, parts, strict=True):
                result[block.rows] = part
            yield block.sources.size


class _Block(NamedTuple):
    """Sources, and the rows that are theirs."""

    rows: slice
    sources: NDArray[np.int32]


def _slices(count: int, size: int) -> list[slice]:
    """So many rows, cut into runs of a size."""
    return [slice(i, min(i + size, count)) for i in range(0, count, size)]


def _groups_of_task(sources: int, width: int, row_bytes: int, run: Run) -> int:
    """As many batches as leave tasks for all threads, in as much memory as a task may take."""
    hands: int = run.executor.workers * run.threads * dispatch.LAUNCHES_A_THREAD
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
    """The rows of a block, in the process that searches."""
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
