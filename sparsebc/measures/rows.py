"""Rows of results, one per source: threads fill them in place, executors send them back.

A batch of sources shares a search. Rows do not depend on the batch, so that the task of an executor
may have several batches.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engines import devices
from ..engines.common.base import Engine, Sweep, Task, kernel_for
from ..matrix import read_matrix
from ..matrix.network import check_flags
from ..matrix.read_matrix import Adjacency, canonical
from ..sweep.options import Run
from ..sweep.plan import LAUNCHES_A_THREAD, Need, at_once, check_graph
from ..sweep.progress import counting
from ..sweep.window import in_order
from .arguments import listed

# Most bytes of the rows of a task of several batches; an eighth of the budget, if that is less.
TASK_BYTES = 1 << 26
# Types of the rows of a search, by the method of its state that fills them.
KINDS: dict[str, tuple[type, ...]] = {"levels": (np.int32,), "paths": (np.float64, np.int32)}


def rows_of(
    kind: str, A: Adjacency, sources: ArrayLike, run: Run, *, directed: Any, weighted: Any = False
) -> list[Any]:
    """Arrays (len(sources), n) in the memory of A, one for each type of ``KINDS[kind]``."""
    check_flags(directed=directed, weighted=weighted)
    origin = devices.home(A)
    engine = devices.select(run.device, origin)
    with engine.here(), run:
        check_graph(A, engine, run)
        graph: Any
        if weighted:
            graph = read_matrix.lengths_of(A, run.threads)
        else:
            how: Any = {"ops_for": engine.ops_for, "workers": run.threads}
            graph = canonical(A, directed=bool(directed), **how)
        n = graph.shape[0] if weighted else graph.n
        high_diameter = not weighted and graph.traits.high_diameter
        nodes = listed("sources", sources, n)
        kernel = kernel_for(engine, Task("rows by length" if weighted else "rows", graph))
        width = min(kernel.width, nodes.size) if weighted else kernel.width
        sweep = Sweep(kernel.name, width, high_diameter, directed=bool(directed))
        need = Need(
            f"searches by {'length' if weighted else 'edges'}",
            at_once(width, n),
            0 if weighted else 2 * graph.nbytes,
            kernel.least_bytes(graph, sweep),
        )
        home = None if run.executor is not None else origin  # executors send rows to the host
        results = [devices.empty(engine, (nodes.size, n), dtype, home) for dtype in KINDS[kind]]
        _fill(results, kind, engine, graph, kernel.width, sweep, need, nodes, run)
        return [devices.deliver(rows, origin) for rows in results]


def _fill(
    results: Sequence[Any],
    kind: str,
    engine: Engine,
    graph: Any,
    width: int,
    sweep: Sweep,
    need: Need,
    sources: NDArray[np.int32],
    run: Run,
) -> None:
    """Fill the rows of the sources, in batches of ``width``."""

    def in_place(state: Any, block: _Block) -> None:
        getattr(state, kind)(block.sources, *(result[block.rows] for result in results))

    work: Callable[[Any, _Block], Any] = in_place
    row_bytes = sum(result.itemsize * result.shape[1] for result in results)
    size, result_bytes = width, 0
    if run.executor is not None:
        work = functools.partial(_made, kind, width, results[0].shape[1])
        size = width * _batches_of_task(sources.size, width, row_bytes, run)
        result_bytes = min(size, sources.size) * row_bytes
        # Two results wait in host memory, which a budget of GPU memory leaves out.
        need = need._replace(waiting=0 if engine.devices else 2 * result_bytes)
    blocks = [_Block(rows, sources[rows]) for rows in _slices(sources.size, size)]
    given: Any = {"graph": graph, "need": need, "run": run, "result_bytes": result_bytes}
    done = in_order(engine, blocks, sweep.state, work, **given)
    with counting(run.progress, sources.size) as advance, closing(done):
        for block, parts in zip(blocks, done, strict=True):
            for result, part in zip(results, parts or [], strict=False):
                result[block.rows] = part
            advance(block.sources.size)


class _Block(NamedTuple):
    """Sources, and the rows of their results."""

    rows: slice
    sources: NDArray[np.int32]


def _slices(count: int, size: int) -> list[slice]:
    """Slices of ``count`` rows, ``size`` rows each."""
    return [slice(i, min(i + size, count)) for i in range(0, count, size)]


def _batches_of_task(sources: int, width: int, row_bytes: int, run: Run) -> int:
    """Batches of a task: so few that all threads have tasks, and that its rows fit into memory."""
    hands: int = run.executor.workers * run.threads * LAUNCHES_A_THREAD
    room = min(TASK_BYTES, run.budget // 8) if run.budget else TASK_BYTES
    return max(1, min(sources // (width * hands), room // max(width * row_bytes, 1)))


def _made(kind: str, width: int, n: int, state: Any, block: _Block) -> list[NDArray[Any]]:
    """Rows of a block, made by a task in the process of an executor's worker."""
    made: list[NDArray[Any]] = [np.empty((block.sources.size, n), dtype) for dtype in KINDS[kind]]
    for rows in _slices(block.sources.size, width):
        getattr(state, kind)(block.sources[rows], *(part[rows] for part in made))
    return made
