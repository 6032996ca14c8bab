"""Searches from many sources, whose rows are the result, and components.

A batch of sources shares a search. Rows do not depend on the batch: threads fill them in place, and
the task of an executor, which sends them back, may have several batches.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any, Literal, NamedTuple, Unpack

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from ..arguments import check_choice, check_flags, is_int, listed
from ..engines import devices
from ..engines.common.base import Engine, Sweep, Task, kernel_for
from ..errors import InputTypeError, OptionError
from ..matrix import read_matrix
from ..matrix.read_matrix import Adjacency, canonical
from ..sweep.options import Run, SearchOptions, parse
from ..sweep.plan import LAUNCHES_A_THREAD, Need, at_once, check_graph
from ..sweep.progress import counting
from ..sweep.window import in_order
from .tolerance import cutoffs_of


def bfs(
    A: Adjacency,
    sources: ArrayLike | None = None,
    *,
    directed: bool = True,
    targets: ArrayLike | None = None,
    cutoff: float | None = None,
    min_only: bool = False,
    **run: Unpack[SearchOptions],
) -> NDArray[np.int32]:
    """Number of edges on a shortest path from each source to every node, by breadth-first search.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`: every stored entry off the diagonal is an edge.
    sources : int, array_like of int, shape (k,), or of bool, shape (n,), optional
        Sources: nodes, or a mask; a node may occur more than once. By default all nodes.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions.
    targets : array_like as `sources`, shape (m,), optional
        Nodes whose columns are returned, in this order. By default all nodes.
    cutoff : number, optional
        Largest distance, compared exactly, as SciPy's ``limit``; nodes beyond it are not reached.
    min_only : bool, default False
        Return one row, the distance of each node from its nearest source. One search on a CPU
        finds it.
    **run
        Run options: device, workers, memory, progress, executor; see `sparsebc.SearchOptions`.
        ``memory_budget`` does not include the result.

    Returns
    -------
    ndarray, shape (k, n), dtype int32
        Entry [i, v] is the number of edges on a shortest path from ``sources[i]`` to v, -1 if v is
        not reached. `targets` make the shape (k, m); a single int as `sources` returns its row
        alone. A CuPy array on the device of A if A is a CuPy matrix, else on the host.

    Raises
    ------
    TypeError
        If A is not a matrix of real numbers, `sources` or `targets` is a mask of another size, or
        another argument has the wrong type.
    ValueError
        As `betweenness` for A and run options; if `sources` or `targets` is empty, not
        one-dimensional or names a node outside 0..n - 1; if `cutoff` is negative; if ``device``
        lists several GPUs beside an ``executor``.
    RuntimeError
        If ``device`` names a GPU that is not there.
    MemoryError
        If the device, or ``memory_budget``, has no room for the graph and a batch of sources.
    concurrent.futures.BrokenExecutor
        If an ``executor`` breaks; if a function makes it, only after it lost the same sources more
        than ``retries`` times.

    See Also
    --------
    shortest_paths : Distances and predecessors, also by length.
    scipy.sparse.csgraph.breadth_first_order : One source.

    Notes
    -----
    64 sources (1024 on a GPU) share a search [1]_, at a cost near O(edges); on a high-diameter
    graph each source costs that. Memory is 4 k n bytes for the result, and 56 bytes a node and
    worker, or 290 on a GPU. Processes of an ``executor`` send rows back, which takes longer than
    the search: on one machine threads are faster.

    References
    ----------
    .. [1] M. Then et al., "The more the merrier: efficient multi-source graph traversal",
       Proceedings of the VLDB Endowment 8, 449-460 (2014), doi:10.14778/2735496.2735507

    Examples
    --------
    The path 0 -> 1 -> 2 -> 3:

    >>> import numpy as np
    >>> import scipy.sparse
    >>> from sparsebc import bfs
    >>> A = scipy.sparse.csr_array(np.eye(4, k=1))
    >>> bfs(A, [0, 2])
    array([[ 0,  1,  2,  3],
           [-1, -1,  0,  1]], dtype=int32)
    >>> bfs(A, [2], directed=False)
    array([[2, 1, 0, 1]], dtype=int32)
    """
    levels: NDArray[Any]
    wanted: Any = {"targets": targets, "cutoff": cutoff, "directed": directed}
    settings = parse(run, SearchOptions)
    check_flags(min_only=min_only)
    if min_only:
        levels = _from_nearest(A, sources, settings, **wanted)[0]
        levels[levels == np.inf] = -1
        levels = levels.astype(np.int32)
    else:
        (levels,) = rows_of("levels", A, sources, settings, **wanted)
    return levels


def shortest_paths(
    A: Adjacency,
    sources: ArrayLike | None = None,
    *,
    directed: bool = True,
    weighted: bool = False,
    targets: ArrayLike | None = None,
    cutoff: float | None = None,
    min_only: bool = False,
    **run: Unpack[SearchOptions],
) -> tuple[NDArray[Any], ...]:
    """Shortest paths from each source to every node: distances and predecessors.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`; a tuple only without `weighted`.
    sources : int, array_like of int, shape (k,), or of bool, shape (n,), optional
        Where the paths start: nodes, or a mask; a node may occur more than once. By default all
        nodes.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions, the shorter if both
        are stored.
    weighted : bool, default False
        True takes the stored values for lengths, which must not be negative; repeated entries are
        summed. By default every edge has length 1.
    targets : array_like as `sources`, shape (m,), optional
        Nodes whose columns are returned, in this order. By default all nodes.
    cutoff : number, optional
        Largest distance, as in `bfs`.
    min_only : bool, default False
        Return one row each: distance and predecessor from the nearest source, and that source. One
        search on a CPU finds them.
    **run
        Run options, as in `bfs`.

    Returns
    -------
    distances : ndarray, shape (k, n), dtype float64
        Entry [i, v] is the length of a shortest path from ``sources[i]`` to v, inf without a path.
    predecessors : ndarray, shape (k, n), dtype int32
        Entry [i, v] is the node before v on a shortest path, -9999 for the source itself and
        without a path. Of several nodes, it is the lowest without `weighted` and on a GPU.

        Both have the shapes and the device of the result of `bfs`.
    nearest : ndarray, shape (n,), dtype int32
        Only with `min_only`: the nearest source of each node, -9999 without a path.

    Raises
    ------
    TypeError
        As `bfs`; if `weighted` is not a bool, or A is a tuple and ``weighted=True``.
    ValueError
        As `bfs`; with `weighted`, if a length is negative, between 0 and 1e-300, or so long that
        sums may leave the range of floats; on a GPU also if a length is 0.
    RuntimeError, MemoryError, concurrent.futures.BrokenExecutor
        As `bfs`.

    See Also
    --------
    bfs : Distances in edges, as integers.
    scipy.sparse.csgraph.shortest_path : The same conventions.

    Notes
    -----
    Without `weighted`, it searches as `bfs`; with it, a CPU runs Dijkstra's algorithm, at worst
    O(k * edges * log(edges)), and a GPU relaxes the edges of 1024 sources at a time [1]_, in
    practice O(k * edges). Distances have the same bits on every device. Memory is 12 k n bytes for
    the results; a worker takes 56 bytes a node, with `weighted` 153 and 64 an arc, a GPU up to
    24 bytes more a node and each of 1024 sources.

    References
    ----------
    .. [1] A. Davidson et al., "Work-efficient parallel GPU methods for single-source shortest
       paths", IPDPS 2014, 349-359, doi:10.1109/IPDPS.2014.45

    Examples
    --------
    The edge 0 -> 2 is longer than the way through node 1:

    >>> import scipy.sparse
    >>> from sparsebc import shortest_paths
    >>> A = scipy.sparse.csr_array([[0, 1, 5], [0, 0, 1], [0, 0, 0]])
    >>> shortest_paths(A, [0])
    (array([[0., 1., 1.]]), array([[-9999,     0,     0]], dtype=int32))
    >>> shortest_paths(A, [0], weighted=True)
    (array([[0., 1., 2.]]), array([[-9999,     0,     1]], dtype=int32))
    """
    wanted: Any = {"targets": targets, "cutoff": cutoff, "directed": directed, "weighted": weighted}
    settings = parse(run, SearchOptions)
    check_flags(min_only=min_only)
    if min_only:
        return tuple(_from_nearest(A, sources, settings, **wanted))
    return tuple(rows_of("paths", A, sources, settings, **wanted))


def connected_components(
    A: Adjacency,
    *,
    directed: bool = True,
    connection: Literal["weak", "strong"] = "weak",
    device: str | None = None,
) -> tuple[int, NDArray[np.int32]]:
    """Number of weak or strong components, and the component of every node.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        Adjacency as in `betweenness`.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions; weak and strong
        components are the same then.
    connection : {"weak", "strong"}
        Nodes of a strong component reach each other along the edges; in a weak one, directions do
        not count.
    device : {None, "cpu", "cuda", "cuda:1", ...}
        Device of the search. None takes the device of a CuPy matrix, else the first GPU that CuPy
        sees, else the CPU.

    Returns
    -------
    count : int
        Number of components.
    labels : ndarray, shape (n,), dtype int32
        Component of each node, 0..count - 1, numbered as by the installed `scipy.sparse.csgraph` on
        sorted rows. A CuPy array on the device of A if A is a CuPy matrix, else on the host.

    Raises
    ------
    TypeError
        If A is neither a matrix nor a tuple (see `betweenness`), or does not hold real numbers; if
        `directed` is not a bool, or `device` not a string.
    ValueError
        If A is not square or is malformed (see `betweenness`), `connection` is neither of the two,
        or `device` is no device.
    RuntimeError
        If `device` names a GPU that is not there.
    MemoryError
        If the graph does not fit on the device.

    See Also
    --------
    scipy.sparse.csgraph.connected_components : The same conventions.

    Notes
    -----
    Time and memory are O(n + edges) on the CPU, by breadth-first search for weak and SciPy for
    strong components. A GPU finds weak ones by union-find of the ends of every edge. For strong
    ones it peels off nodes on no cycle, intersects the descendants and the ancestors of the busiest
    node, and colors the rest [1]_: O(edges) for each step of the longest search. Unless there is
    one component, the host then numbers them as SciPy does, by a depth-first search, which takes
    longer.

    References
    ----------
    .. [1] G. M. Slota, S. Rajamanickam and K. Madduri, "BFS and coloring-based parallel algorithms
       for strongly connected components and related problems", IPDPS 2014, 550-559,
       doi:10.1109/IPDPS.2014.64

    Examples
    --------
    >>> import scipy.sparse
    >>> from sparsebc import connected_components
    >>> A = scipy.sparse.csr_array([[0, 1, 0, 0], [1, 0, 1, 0], [0, 0, 0, 0], [0, 0, 0, 0]])
    >>> connected_components(A)
    (2, array([0, 0, 0, 1], dtype=int32))
    >>> connected_components(A, connection="strong")
    (3, array([1, 1, 0, 2], dtype=int32))
    """
    check_choice("connection", connection, ("weak", "strong"))
    check_flags(directed=directed)
    if isinstance(device, (list, tuple)):
        raise InputTypeError(
            f"device must be a string or None, got {device!r}: such a search runs on one device, "
            "name it by a string"
        )
    origin = devices.home(A)
    engine = devices.select(device, origin)
    with engine.here():
        graph = canonical(A, directed=bool(directed), ops_for=engine.ops_for)
        count, labels = engine.components(graph, bool(directed) and connection == "strong")
        return count, devices.deliver(labels, origin)


# Most bytes of the rows of a task of several batches; an eighth of the budget, if that is less.
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
    limit = cutoffs_of(cutoff)
    if limit is not None and limit.ndim:
        raise OptionError(
            f"cutoff must be one number, got {cutoff!r:.60}: a call for each", "cutoff"
        )
    origin = devices.home(A)
    engine = devices.select(run.device, origin)
    with engine.here(), run:
        chosen = functools.partial(_sources, sources)
        asked = begun(A, engine, run, chosen, directed=directed, weighted=weighted)
        n, need, columns = asked.n, asked.need, None
        if targets is not None:
            columns = listed("targets", targets, n)
        rows = Rows(kind, asked.width, n, columns, None if limit is None else float(limit))
        # Executors send rows to the host, where columns are taken, too.
        home = origin if run.executor is None and columns is None else None
        shape = asked.sources.size, rows.size
        results = [devices.empty(engine, shape, dtype, home) for dtype in KINDS[kind]]
        if columns is not None and not engine.devices:
            need = need._replace(each=need.each + rows.bytes_of(asked.sweep.width * n))
        _fill(results, rows, engine, asked._replace(need=need), run)
        made = [devices.deliver(result, origin) for result in results]
        return [result[0] for result in made] if is_int(sources) else made


def _sources(sources: Any, n: int) -> NDArray[np.int32]:
    """Nodes of the argument: one, several, those of a mask, or all."""
    if sources is None:
        return np.arange(n, dtype=np.int32)
    return listed("sources", [sources] if is_int(sources) else sources, n)


def _from_nearest(
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


class Begun(NamedTuple):
    """A graph, and the searches from its sources."""

    graph: Any  # or a matrix of lengths
    n: int
    sources: NDArray[np.int32]
    width: int  # most sources of a batch
    sweep: Sweep
    need: Need


def begun(
    A: Adjacency,
    engine: Engine,
    run: Run,
    chosen: Callable[[int], NDArray[np.int32]],
    *,
    directed: Any,
    weighted: Any,
) -> Begun:
    """The graph as it is read, and the searches from the nodes ``chosen(n)``."""
    check_graph(A, engine, run)
    graph: Any
    if weighted:
        zeros = read_matrix.zeros_on(engine.devices)
        graph = read_matrix.lengths_of(A, run.threads, zeros)
    else:
        how: Any = {"ops_for": engine.ops_for, "workers": run.threads}
        graph = canonical(A, directed=bool(directed), **how)
    n = graph.shape[0] if weighted else graph.n
    high_diameter, sources = not weighted and graph.traits.high_diameter, chosen(n)
    kernel = kernel_for(engine, Task("rows by length" if weighted else "rows", graph))
    width = min(kernel.width, sources.size) if weighted else kernel.width
    sweep = Sweep(kernel.name, width, high_diameter, directed=bool(directed))
    need = Need(
        f"searches by {'length' if weighted else 'edges'}",
        at_once(width, n),
        0 if weighted else 2 * graph.nbytes,
        kernel.least_bytes(graph, sweep),
    )
    return Begun(graph, n, sources, kernel.width, sweep, need)


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
    engine: Engine,
    asked: Begun,
    run: Run,
) -> None:
    """Fill the rows of the sources, in batches."""
    sources, need = asked.sources, asked.need

    def in_place(state: Any, block: Block) -> None:
        rows.fill(state, block.sources, [result[block.rows] for result in results])

    work: Callable[[Any, Block], Any] = in_place
    size, result_bytes = rows.width, 0
    if run.executor is not None:
        work = functools.partial(_made, rows)
        row_bytes = rows.bytes_of(rows.size)
        size = rows.width * _batches_of_task(sources.size, rows.width, row_bytes, run)
        result_bytes = min(size, sources.size) * row_bytes
        # Two results wait in host memory, which a budget of GPU memory leaves out.
        need = need._replace(waiting=0 if engine.devices else 2 * result_bytes)
    blocks = [Block(part, sources[part]) for part in slices(sources.size, size)]
    given: Any = {"graph": asked.graph, "need": need, "run": run, "result_bytes": result_bytes}
    done = in_order(engine, blocks, asked.sweep.state, work, **given)
    with counting(run.progress, sources.size) as advance, closing(done):
        for block, parts in zip(blocks, done, strict=True):
            for result, part in zip(results, parts or [], strict=False):
                result[block.rows] = part
            advance(block.sources.size)


class Block(NamedTuple):
    """Sources, and the rows of their results."""

    rows: slice
    sources: NDArray[np.int32]


def slices(count: int, size: int) -> list[slice]:
    """Slices of ``count`` rows, ``size`` rows each."""
    return [slice(i, min(i + size, count)) for i in range(0, count, size)]


def _batches_of_task(sources: int, width: int, row_bytes: int, run: Run) -> int:
    """Batches of a task: so few that all threads have tasks, and that its rows fit into memory."""
    hands: int = run.executor.workers * run.threads * LAUNCHES_A_THREAD
    room = min(TASK_BYTES, run.budget // 8) if run.budget else TASK_BYTES
    return max(1, min(sources // (width * hands), room // max(width * row_bytes, 1)))


def _made(rows: Rows, state: Any, block: Block) -> list[NDArray[Any]]:
    """Rows of a block, made by a task in the process of an executor's worker."""
    made = rows.empty((block.sources.size, rows.size))
    for batch in slices(block.sources.size, rows.width):
        rows.fill(state, block.sources[batch], [part[batch] for part in made])
    return made
