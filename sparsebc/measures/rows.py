"""Rows of results, one a source: threads fill them in place, executors send them back.

A group of sources shares a search. Rows do not depend on the group, so that a task of an executor
takes as many groups as leave work for all workers.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..engines.contract import Paths, Search, SearchEngine
from ..graph.graph import Graph
from ..run import dispatch, workers
from ..run.memory import Need
from ..run.options import Run
from ..run.progress import counting

# Bytes that the rows of a task of several groups may take, if that is within an eighth of a budget.
TASK_BYTES = 1 << 26


class Searches(NamedTuple):
    """Searches from groups of sources on a graph, or on a matrix of lengths."""

    graph: Graph | scipy.sparse.csr_array
    n: int
    width: int  # sources of a group
    state: Callable[[SearchEngine, Any, int, NDArray[np.uint8]], Any]
    fill: Callable[..., None]  # (state, sources, *rows)
    dtypes: tuple[type, ...]  # of the rows
    need: Need


def levels(searcher: SearchEngine, graph: Graph) -> Searches:
    """Breadth-first searches, a row of levels each."""
    return _by_edges(searcher, graph, _levels, (np.int32,))


def paths(searcher: SearchEngine, graph: Graph) -> Searches:
    """The same with distances and predecessors."""
    return _by_edges(searcher, graph, _paths, (np.float64, np.int32))


def paths_along(searcher: SearchEngine, lengths: Any, directed: bool, sources: int) -> Searches:
    """Distances and predecessors by length, on a matrix of them, from so many sources."""
    n, width = lengths.shape[0], searcher.sssp_width
    at_once = min(width, sources)
    need = Need(
        "searches by length",
        f"one group of {at_once} sources on {n} nodes",
        0,
        searcher.sssp_bytes(n, lengths.nnz, at_once),
    )
    state = functools.partial(_length_paths, directed)
    return Searches(lengths, n, width, state, _paths, (np.float64, np.int32), need)


def filled(
    searcher: SearchEngine,
    searches: Searches,
    sources: NDArray[np.int32],
    home: str | None,
    run: Run,
) -> list[Any]:
    """An array of shape (len(sources), n) for each kind of row; where A is, if that is quick."""
    if run.executor is not None:
        home = None  # what comes back is on the host
    shape = sources.size, searches.n
    results = [searcher.results(shape, dtype, home) for dtype in searches.dtypes]
    fill = _by_threads if run.executor is None else _by_executor
    with (
        counting(run.progress, sources.size) as advance,
        closing(fill(searcher, searches, sources, results, run)) as done,
    ):
        for count in done:
            advance(count)
    return results


def _by_threads(
    searcher: SearchEngine,
    searches: Searches,
    sources: NDArray[np.int32],
    results: Sequence[Any],
    run: Run,
) -> Generator[int, None, None]:
    """Fill the rows where they are, group by group; how many each time."""
    groups = _slices(sources.size, searches.width)
    filled = workers.in_order(
        searcher,
        groups,
        searches.state,
        lambda state, rows: searches.fill(
            state, sources[rows], *(result[rows] for result in results)
        ),
        graph=searches.graph,
        need=searches.need,
        run=run,
    )
    with closing(filled):
        for rows, _ in zip(groups, filled, strict=True):
            yield rows.stop - rows.start


def _by_executor(
    searcher: SearchEngine,
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
    waiting = 0 if searcher.devices else 2 * result_bytes
    blocks = [_Block(rows, sources[rows]) for rows in _slices(sources.size, size)]
    found = dispatch.in_order(
        searcher,
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
    """As many groups as leave tasks for all threads, in as much memory as a task may take."""
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
    searcher: SearchEngine, graph: Graph, fill: Callable[..., None], dtypes: tuple[type, ...]
) -> Searches:
    width = searcher.search_width
    need = Need(
        "searches by edges",
        f"one group of {width} sources on {graph.n} nodes",
        2 * graph.nbytes,
        searcher.search_bytes(graph, width),
    )
    state = functools.partial(_search, graph.traits.deep)
    return Searches(graph, graph.n, width, state, fill, dtypes, need)


def _search(
    deep: bool, member: SearchEngine, graph: Graph, memory: int, stop: NDArray[np.uint8]
) -> Search:
    return member.search(graph, deep, memory, stop)


def _length_paths(
    directed: bool, member: SearchEngine, lengths: Any, memory: int, stop: NDArray[np.uint8]
) -> Paths:
    return member.shortest_paths(lengths, directed, memory, stop)


def _paths(state: Paths, *rest: Any) -> None:
    state.paths(*rest)


def _levels(state: Search, *rest: Any) -> None:
    state.levels(*rest)
