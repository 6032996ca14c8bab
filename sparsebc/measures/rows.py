"""Rows of searches from many sources: distances, and predecessors, of every node.

A batch of sources shares a search. Rows do not depend on the batch: threads fill them in place, and
the task of an executor, which sends them back, may have several batches.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from contextlib import closing, nullcontext
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from ..arguments import check_flags, is_int, listed
from ..engines import devices
from ..engines.common.base import Engine, Sweep, Task, kernel_for
from ..errors import InputError
from ..matrix import read_matrix
from ..matrix.read_matrix import Adjacency, canonical
from ..sweep.in_order import in_order
from ..sweep.options import Run
from ..sweep.plan import LAUNCHES_A_THREAD, Need, at_once, check_graph
from ..sweep.progress import counting
from .tolerance import cutoffs_of

# Most bytes of rows that a task of several batches returns; an eighth of the budget if less.
TASK_BYTES = 1 << 26
NONE = -9999  # no predecessor, as in scipy.sparse.csgraph
# Types of the rows of a search, and the entries of nodes without a path, by the method of its state
# that fills them.
KINDS: dict[str, dict[type, float]] = {
    "levels": {np.int32: -1},
    "paths": {np.float64: np.inf, np.int32: NONE},
}


def rows_of(
    kind: str,
    A: Adjacency,
    sources: ArrayLike | None,
    run: Run,
    *,
    directed: Any,
    weighted: Any = False,
    targets: ArrayLike | None = None,
    cutoff: Any = None,
) -> list[Any]:
    """Rows of the sources, in the memory of A, an array for each type of ``KINDS[kind]``."""
    check_flags(directed=directed, weighted=weighted)
    limit = None if cutoff is None else cutoffs_of(cutoff)
    if limit is not None and limit.ndim:
        raise InputError(
            f"cutoff must be one number, got {cutoff!r:.60}: a call for each", "cutoff"
        )
    origin = devices.home(A)
    engine = devices.select(run.device, origin)
    with engine.here(), run.executor or nullcontext():
        graph, n = searched_graph(A, engine, run, directed=directed, weighted=weighted)
        starts = _sources(sources, n)
        sweep, need = search_plan(engine, graph, starts.size, directed=directed, weighted=weighted)
        columns = None if targets is None else listed("targets", targets, n)
        rows = Rows(kind, sweep.width, n, columns, None if limit is None else float(limit))
        # Executors send rows to the host, where columns are taken and a cutoff is applied, too: the
        # array would lie on one of several GPUs, whose workers may not write to that of another.
        home = origin if run.executor is None and columns is None and limit is None else None
        shape = starts.size, rows.size
        results = [devices.empty(engine, shape, dtype, home) for dtype in KINDS[kind]]
        if columns is not None and not engine.devices:
            need = need._replace(each=need.each + rows.bytes_of(sweep.width * n))
        _fill(results, rows, starts, engine, sweep, graph=graph, need=need, run=run)
        made = [devices.deliver(result, origin) for result in results]
        return [result[0] for result in made] if is_int(sources) else made


def _sources(sources: Any, n: int) -> NDArray[np.int32]:
    """Nodes of the argument: one, several, those of a mask, or all."""
    if sources is None:
        return np.arange(n, dtype=np.int32)
    return listed("sources", [sources] if is_int(sources) else sources, n)


def from_nearest(
    A: Adjacency,
    sources: ArrayLike | None,
    run: Run,
    *,
    directed: Any,
    weighted: Any = False,
    targets: ArrayLike | None,
    cutoff: Any,
) -> list[Any]:
    """Distances from the nearest source, predecessors and that source, in the memory of A.

    It searches from one more node, which has edges of length 0 to all sources.
    """
    check_flags(directed=directed, weighted=weighted)
    if devices.select(run.device, devices.home(A)).devices:
        run = replace(run, device="cpu")
    if weighted:
        matrix = read_matrix.lengths_of(A, run.threads, zeros="")
    else:
        pattern = canonical(A, directed=bool(directed), workers=run.threads).outgoing
        matrix = pattern.matrix(np.ones(pattern.indices.size))
    n = matrix.shape[0]
    starts = np.unique(_sources(sources, n))
    columns = slice(None) if targets is None else listed("targets", targets, n)
    joined = scipy.sparse.csr_array(
        (
            np.append(matrix.data, np.zeros(starts.size)),
            np.append(matrix.indices, starts),
            np.append(matrix.indptr, matrix.nnz + starts.size),
        ),
        shape=(n + 1, n + 1),
    )
    asked: Any = {"directed": directed, "weighted": True, "cutoff": cutoff}
    distances, before = (row[:n] for row in rows_of("paths", joined, n, run, **asked))
    before[starts] = NONE
    nearest = np.where(before == NONE, np.arange(n), before)
    for _ in range(n.bit_length()):  # twice as far each time
        nearest = nearest[nearest]
    nearest = np.where(distances < np.inf, nearest, NONE).astype(np.int32)
    home = devices.home(A)
    return [devices.deliver(row[columns], home) for row in (distances, before, nearest)]


def searched_graph(
    A: Adjacency, engine: Engine, run: Run, *, directed: Any, weighted: Any
) -> tuple[Any, int]:
    """The graph as it is read, or if ``weighted`` a matrix of lengths, and the number of nodes."""
    if run.memory_budget:
        check_graph(A, engine, run)
    if weighted:
        matrix = read_matrix.lengths_of(A, run.threads, read_matrix.zeros_on(engine.devices))
        return matrix, matrix.shape[0]
    graph = canonical(A, directed=bool(directed), ops=engine.ops, workers=run.threads)
    return graph, graph.n


def search_plan(
    engine: Engine, graph: Any, sources: int, *, directed: Any, weighted: Any
) -> tuple[Sweep, Need]:
    """State and memory of a worker for searches from so many sources of a `searched_graph`."""
    kernel = kernel_for(engine, Task("rows by length" if weighted else "rows", graph))
    width = max(1, min(kernel.width, sources)) if weighted else kernel.width
    high_diameter = not weighted and graph.traits.high_diameter
    sweep = Sweep(kernel.name, width, high_diameter, directed=bool(directed))
    need = Need(
        f"searches by {'length' if weighted else 'edges'}",
        at_once(width, graph.shape[0] if weighted else graph.n),
        0 if weighted else 2 * graph.nbytes,
        kernel.least_bytes(graph, sweep),
    )
    return sweep, need


class Rows(NamedTuple):
    """What is kept of the rows of a search."""

    kind: str  # method of the state that fills them
    width: int  # sources of a batch
    n: int
    columns: NDArray[np.int32] | None  # nodes whose entries are kept; None for all
    cutoff: float | None  # largest distance of an entry

    @property
    def size(self) -> int:
        """Entries that are kept of a row."""
        return self.n if self.columns is None else self.columns.size

    def bytes_of(self, entries: int) -> int:
        """Bytes of so many entries of each type."""
        return sum(np.dtype(dtype).itemsize for dtype in KINDS[self.kind]) * entries

    def empty(self, shape: tuple[int, int]) -> list[NDArray[Any]]:
        """Uninitialized arrays on the host, one for each type."""
        return [np.empty(shape, dtype) for dtype in KINDS[self.kind]]

    def fill(self, state: Any, sources: NDArray[np.int32], results: Sequence[Any]) -> None:
        """Fill the rows of a batch."""
        parts = results if self.columns is None else self.empty((sources.size, self.n))
        getattr(state, self.kind)(sources, *parts)
        if self.cutoff is not None:
            far = parts[0] > self.cutoff
            for part, none in zip(parts, KINDS[self.kind].values(), strict=True):
                part[far] = none
        if self.columns is not None:
            for result, part in zip(results, parts, strict=True):
                np.take(part, self.columns, axis=1, out=result)


def _fill(
    results: Sequence[Any],
    rows: Rows,
    sources: NDArray[np.int32],
    engine: Engine,
    sweep: Sweep,
    *,
    graph: Any,
    need: Need,
    run: Run,
) -> None:
    """Fill the rows of the sources, in batches."""
    size, result_bytes = rows.width, 0
    if run.executor is not None:
        # A task has so few batches that all threads have tasks, and that its rows fit into memory.
        row_bytes, hands = rows.bytes_of(rows.size), run.executor.workers * run.threads
        room = min(TASK_BYTES, run.memory_budget // 8) if run.memory_budget else TASK_BYTES
        fair = sources.size // (size * hands * LAUNCHES_A_THREAD)
        size *= max(1, min(fair, room // max(size * row_bytes, 1)))
        result_bytes = min(size, sources.size) * row_bytes
        # Two results wait in host memory, which a budget of GPU memory leaves out.
        need = need._replace(waiting=0 if engine.devices else 2 * result_bytes)
    blocks = slices(sources.size, size)
    given: Any = {"graph": graph, "need": need, "run": run, "result_bytes": result_bytes}
    work = functools.partial(_filled, rows, sources, None if run.executor else results)
    done = in_order(engine, blocks, sweep.state, work, **given)
    with counting(run.progress, sources.size) as advance, closing(done):
        for block, parts in zip(blocks, done, strict=True):
            for result, part in zip(results, parts, strict=False):
                result[block] = part
            advance(sources[block].size)


def slices(count: int, size: int) -> list[slice]:
    """Slices of ``count`` rows, ``size`` rows each."""
    return [slice(i, min(i + size, count)) for i in range(0, count, size)]


def _filled(
    rows: Rows,
    sources: NDArray[np.int32],
    results: Sequence[Any] | None,
    state: Any,
    block: slice,
) -> list[Any]:
    """Rows of a block, made by a worker of an executor; none if they are in the ``results``."""
    chosen = sources[block]
    if results is not None:
        rows.fill(state, chosen, [result[block] for result in results])
        return []
    made = rows.empty((chosen.size, rows.size))
    for batch in slices(chosen.size, rows.width):
        rows.fill(state, chosen[batch], [part[batch] for part in made])
    return made
