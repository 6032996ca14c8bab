"""Dismantling: the node or edge of highest betweenness is removed, step after step."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from contextlib import nullcontext
from dataclasses import replace
from itertools import islice
from typing import Any, Literal, NamedTuple, Unpack, get_args

import numpy as np
from numpy.typing import NDArray

from ..arguments import check_choice, check_flags, check_int
from ..engines import devices
from ..matrix.csr import CSR, Matrix
from ..matrix.edge_weights import TIE_RTOL
from ..matrix.graph import Graph
from ..matrix.read_matrix import Adjacency
from ..measures.reading import validate
from ..reduce.reduce import Query
from ..sweep import options
from ..sweep.options import PathOptions, Run
from ..sweep.progress import counting
from ..sweep.sum_by_range import accumulate

By = Literal["betweenness", "edge_betweenness"]
# Relative tolerance of ties with the highest score.
TIED = 1e-9


class Dismantling(NamedTuple):
    """Nodes or edges that `dismantle` removed, their scores, and the largest remaining component.

    Attributes
    ----------
    order : ndarray, shape (steps,) or (steps, 2), dtype int64
        Nodes in the order of removal; or edges as (tail, head), the smaller node first if
        undirected.
    scores : ndarray, shape (steps,), dtype float64
        Score of each at its removal.
    largest : ndarray, shape (steps,), dtype int64
        Number of nodes of the largest weakly connected component after each step.
    """

    order: NDArray[np.int64]
    scores: NDArray[np.float64]
    largest: NDArray[np.int64]


def dismantle(
    A: Adjacency,
    by: By = "betweenness",
    *,
    steps: int | None = None,
    recompute: bool = True,
    directed: bool = True,
    weighted: bool = False,
    normalized: bool = True,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[PathOptions],
) -> Dismantling:
    r"""Nodes or edges removed step by step, always the one of highest betweenness.

    The size of the largest component under such an attack measures the robustness of a network
    [1]_; removal of edges is the method of Girvan and Newman [2]_ (`communities.girvan_newman`).

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`; never modified.
    by : {"betweenness", "edge_betweenness"}
        Remove nodes, each with its edges, or edges.
    steps : int, optional
        Number of removals, at least 1; by default, and at most, all nodes or edges.
    recompute : bool, default True
        Recompute scores after each step; False removes all in the order of their first scores.
    directed : bool, default True
        False takes a stored [i, j] or [j, i] for an edge in both directions, removed in one step.
    weighted : bool, default False
        True takes the stored values for lengths, as in `betweenness`.
    normalized : bool, default True
        Scale as `betweenness` of the remaining graph (with `recompute`), or as `edge_betweenness`.
    tie_rtol : float, default 1e-11
        As in `betweenness`; only with `weighted`.
    **run
        Run options of `sparsebc.PathOptions`; ``progress`` counts steps.

    Returns
    -------
    Dismantling
        With fields ``order``, ``scores`` and ``largest``, in the memory of the host.

    Raises
    ------
    TypeError
        If `steps` is not an int or `recompute` not a bool.
    ValueError
        If `by` is neither of the two, or `steps` is less than 1.
    TypeError, ValueError, RuntimeError, MemoryError, OverflowError
        As `betweenness` does.

    See Also
    --------
    betweenness, edge_betweenness : The scores.
    communities.girvan_newman : Components as edges are removed.

    Notes
    -----
    Of several highest scores the first is removed: the node of the least number, or the edge that
    is first in the order of rows and columns. Scores tie up to a relative difference of 1e-9,
    because the last digits of a sum of floats depend on the order.

    A step costs a run of the measure on the component that loses a node or an edge; scores of other
    components do not change. Memory is that of the measure. On a GPU the graph stays there, and
    edges are removed there.

    References
    ----------
    .. [1] P. Holme, B. J. Kim, C. N. Yoon and S. K. Han, "Attack vulnerability of complex
       networks", Physical Review E 65, 056109 (2002), doi:10.1103/PhysRevE.65.056109
    .. [2] M. Girvan and M. E. J. Newman, "Community structure in social and biological networks",
       PNAS 99, 7821-7826 (2002), doi:10.1073/pnas.122653799

    Examples
    --------
    Two triangles joined by an edge: its ends, 2 and 3, tie, and after the removal of 2 all scores
    are 0.

    >>> import scipy.sparse
    >>> from sparsebc import dismantle
    >>> ends = [0, 0, 1, 2, 3, 3, 4], [1, 2, 2, 3, 4, 5, 5]
    >>> A = scipy.sparse.csr_array(([1] * 7, ends), shape=(6, 6))
    >>> found = dismantle(A, steps=2, directed=False)
    >>> found.order, found.scores, found.largest
    (array([2, 0]), array([0.6, 0. ]), array([3, 3]))
    >>> dismantle(A, "edge_betweenness", steps=1, directed=False, normalized=False)
    Dismantling(order=array([[2, 3]]), scores=array([9.]), largest=array([3]))
    """
    if steps is not None:
        steps = check_int("steps", steps, advice=": leave it out to remove all")
    check_flags(recompute=recompute, normalized=normalized)
    settings = options.parse(run, PathOptions)
    with settings.executor or nullcontext():
        graph = RemainingGraph(
            A, by, directed=directed, weighted=weighted, tie_rtol=tie_rtol, run=settings
        )
        total = len(graph) if steps is None else min(steps, len(graph))
        order, largest = np.empty(total, np.int64), np.empty(total, np.int64)
        raw = np.empty(total)
        with counting(settings.progress, total, unit="step") as advance:
            for step, removal in enumerate(islice(graph.removals(recompute=recompute), total)):
                order[step], raw[step], largest[step] = removal
                advance(1)
    halves = 1 if directed else 2
    if by == "edge_betweenness":
        scores = raw / (graph.n * (graph.n - 1.0) if normalized else halves)
        return Dismantling(graph.ends[order].astype(np.int64), scores, largest)
    left = graph.n - np.arange(order.size, dtype=float) * recompute
    pairs = np.where(left > 2, (left - 1) * (left - 2), 1)
    return Dismantling(order, raw / (pairs if normalized else halves), largest)


class RemainingGraph:
    """The remaining graph, and scores of its nodes or edges, sums over ordered pairs.

    Shortest paths change only in the component that loses a node or an edge: its sources alone are
    swept again.
    """

    def __init__(
        self, A: Adjacency, by: Any, *, directed: Any, weighted: Any, tie_rtol: float, run: Run
    ) -> None:
        check_choice("by", by, get_args(By))
        engine = devices.select(run.device, devices.home(A))
        self._by, self._engine, self._run = by, engine, replace(run, progress=False)
        asked: Any = {"weighted": weighted, "tie_rtol": tie_rtol}
        with engine.here():
            graph = validate(A, engine, run, flags={"directed": directed}, **asked).graph
            self._graph, self.n = graph, graph.n
            self.ends = np.empty((0, 2), dtype=np.int32)  # (edges, 2) tail and head, by edges
            # Edge number of each arc of A, and of each arc of A'.
            self._edges: list[Any] = []
            if by == "edge_betweenness":
                paired = graph.symmetric and not directed  # an edge is two arcs
                self.ends, self._edges = _numbered_edges(graph, paired=paired)
                if graph.symmetric and not paired:  # arcs are removed one at a time: A' is its own
                    ((pattern, values),) = graph.ways
                    self._graph = graph.of((graph.ways[0], Matrix(CSR(*pattern), values)))
            self._left = np.ones(self.n if by == "betweenness" else len(self.ends), dtype=bool)
            self._nodes_left = np.ones(self.n, dtype=bool)
            self._raw = np.zeros(self._left.size)
            self.rank = np.arange(self._left.size)  # the least rank of a tie is removed first
            self._label_components()

    def __len__(self) -> int:
        return self._left.size

    def splits(self, progress: Any) -> Generator[NDArray[np.int32], None, None]:
        """Labels of the components after each removal that splits one; ``progress`` counts all."""
        parts = self.parts
        with self._run.executor or nullcontext(), counting(progress, len(self), unit="step") as add:
            for _ in self.removals(recompute=True):
                add(1)
                if self.parts > parts:
                    parts = self.parts
                    yield self.labels

    def removals(self, *, recompute: bool) -> Iterator[tuple[int, float, int]]:
        """Remove the highest again and again, by scores of the remaining or of the whole graph.

        Yields the node, or the index of the edge in `ends`; its score over ordered pairs; and the
        number of nodes of the largest remaining component.
        """
        with self._engine.here():
            self._score(self._nodes_left)
            run, engine = self._run, self._engine
            if not (run.memory_budget or run.executor is not None or engine.devices):
                # Of later steps 80% of what is free now: to read the free memory of a host takes
                # milliseconds, more than a small component takes.
                self._run = replace(run, memory_budget=engine.free_memory() * 4 // 5)
        while self._left.any():
            with self._engine.here():
                highest = np.flatnonzero(self._raw >= (1 - TIED) * self._raw.max())
                highest = highest[self._left[highest]]
                item = int(highest[self.rank[highest].argmin()])
                raw, node = float(self._raw[item]), item
                if self._by == "betweenness":
                    keeps = []  # entries outside the row and the column of the node
                    for pattern in self._graph.patterns:
                        first, last = map(int, pattern.indptr[node : node + 2])
                        keeps.append(pattern.indices != node)
                        keeps[-1][first:last] = False
                    self._nodes_left[node] = False
                else:
                    node = self.ends[item, 0]
                    keeps = [edges != item for edges in self._edges]
                    pairs = zip(self._edges, keeps, strict=True)
                    self._edges = [edges[keep] for edges, keep in pairs]
                self._graph = self._graph.filtered(keeps)
                self._left[item], self._raw[item] = False, 0
                if recompute:
                    self._score(self._nodes_left & (self.labels == self.labels[node]))
                largest = self._label_components()
            yield item, raw, largest

    def _score(self, sources: NDArray[np.bool_]) -> None:
        """Update the scores of a component, whose nodes are the sources, or of the whole graph."""
        if not sources.any():
            return
        graph, inside = self._graph, sources
        targets = np.ones(self.n, dtype=bool)
        query = Query(graph, sources, targets, [self._by])
        (sums,) = accumulate(self._engine, query, self._run).values()
        if self._by == "edge_betweenness":
            numbers, sums = map(graph.ops.on_host, (self._edges[0], sums))
            sums = np.bincount(numbers, sums, self._left.size).astype(np.float64)
            inside = sources[self.ends[:, 0]] & self._left
        np.copyto(self._raw, sums, where=inside)

    def _label_components(self) -> int:
        """Label the weak components, a removed node as one; number of nodes of the largest."""
        first = self._graph.ops.on_host(self._graph.components)
        is_first = first == np.arange(first.size)
        self.labels = (np.cumsum(is_first, dtype=np.int32) - np.int32(1))[first]
        self.parts = int(np.count_nonzero(is_first))
        return int(np.bincount(self.labels[self._nodes_left]).max(initial=0))


def _numbered_edges(graph: Graph, *, paired: bool) -> tuple[NDArray[np.int32], list[Any]]:
    """Tail and head of each edge in the order of rows; the edge number of each arc of A, and of A'.

    If ``paired``, two opposite arcs are one edge, whose smaller end is first.
    """
    ops, xp = graph.ops, graph.ops.xp
    arcs = []
    for pattern in (graph.outgoing,) if paired else (graph.outgoing, graph.incoming):
        ends = ops.rows(pattern).astype(np.int64), pattern.indices.astype(np.int64)
        arcs.append((xp.minimum(*ends), xp.maximum(*ends)) if paired else ends)
    if not paired:
        arcs[1] = arcs[1][::-1]
    keys = [tails * graph.n + heads for tails, heads in arcs]
    edges = xp.unique(keys[0])
    ends = np.divmod(ops.on_host(edges), max(graph.n, 1))
    return np.column_stack(ends).astype(np.int32), [xp.searchsorted(edges, key) for key in keys]
