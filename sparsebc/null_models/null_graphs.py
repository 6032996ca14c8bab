"""Random graphs, of equal degrees or of uncertain edges, and their scores in order.

Several graphs are swept at a time, or threads share one at a time.
"""

from __future__ import annotations

import functools
import itertools
import logging
import operator
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import CancelledError
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines import devices
from ..engines.common.base import Engine
from ..errors import EdgeError, InputError, MemoryBudgetError
from ..matrix import read_matrix
from ..matrix.csr import CSR
from ..matrix.matrix_arrays import Network, csr_of, matrix_of, names_of
from ..matrix.read_matrix import canonical
from ..measures.centralities import centralities
from ..process import Call, Threads, free_memory
from ..sweep.in_order import in_order
from ..sweep.options import Run
from ..sweep.plan import Need, team_of
from .double_edge_swaps import rewired

logger = logging.getLogger("sparsebc")

# Nodes times edges from which all threads share a graph. Below, a sample takes seconds, and each
# thread has one of its own: it does not wait for others while a graph is prepared.
SHARED_WORK = 1 << 36
# Graphs that threads have rewired, or are about to, for each device that sweeps them.
MOST_AHEAD = 16


@dataclass(frozen=True, eq=False)
class NullGraphs:
    """Random graphs on the nodes of a graph, by number: one depends on its number and the seed."""

    n: int
    ends: NDArray[np.int32]  # (m, 2) endpoints of the edges; sorted by row if directed
    lengths: NDArray[np.float64] | None  # (m,), where distances are by length
    probability: NDArray[np.float64] | None  # (m,) that an edge is kept; None: edges are swapped
    directed: bool
    tries: int  # of swaps
    shuffled: bool  # lengths are permuted among the edges
    names: tuple[str, ...] | None  # of the nodes
    seed: int

    @property
    def nbytes(self) -> int:
        """Bytes of one sample, its working memory and its engine's graph."""
        return 200 * len(self.ends) + 64 * self.n

    def matrix(self, number: int, stop: NDArray[np.uint8]) -> Any:
        """Sample ``number``, with the names of the nodes if there are any."""
        ends, lengths = self.ends, self.lengths
        chain, shuffle = np.random.SeedSequence(self.seed, spawn_key=(number,)).spawn(2)
        if self.probability is not None:
            keep = np.random.default_rng(chain).random(len(ends)) < self.probability
            ends, lengths = ends[keep], None if lengths is None else lengths[keep]
        else:
            rows = np.bincount(ends[:, 0], minlength=self.n) if self.directed else ()
            indptr = np.concatenate(([0], np.cumsum(rows)))[len(rows) == 0 :].astype(np.int64)
            stream = np.asarray(chain.generate_state(1, np.uint64), dtype=np.uint64)
            ends = rewired(ends, indptr, self.tries, stream, stop)
            if self.shuffled and lengths is not None:
                lengths = np.random.default_rng(shuffle).permutation(lengths)
        tails, heads = ends.astype(np.int64).T
        keys = tails << 32 | heads  # of rows and columns, both directions unless directed
        if not self.directed:
            keys = np.concatenate((keys, heads << 32 | tails))
        values = None
        if lengths is None:
            keys.sort()
        else:
            order = np.argsort(keys)
            keys, values = keys[order], lengths[order % len(ends)]
        indptr = np.zeros(self.n + 1, dtype=np.int64)
        np.cumsum(np.bincount(keys >> 32, minlength=self.n), out=indptr[1:])
        matrix = CSR(indptr, keys.astype(np.uint32).view(np.int32)).matrix(values)
        return matrix if self.names is None else Network(matrix, self.names)


def null_graphs(
    A: Any,
    *,
    directed: bool,
    weighted: bool,
    workers: int,
    swaps: int | None,
    shuffled: bool,
    probability: Any,
    seed: int,
) -> NullGraphs:
    """Random graphs like A, by ``swaps`` tries an edge, or if None by probabilities."""
    how: Any = {"directed": directed, "workers": workers}
    graph = read_matrix.weighted(A, **how) if weighted else canonical(A, **how)
    pattern, lengths, kept = graph.outgoing, None, None
    ends = np.stack((pattern.rows, pattern.indices), axis=1)
    once = slice(None) if directed else ends[:, 0] < ends[:, 1]
    if weighted:
        lengths = graph.lengths.outgoing if graph.lengths else np.full(graph.arcs, graph.unit)
        lengths = lengths[once]
    ends = np.ascontiguousarray(ends[once])
    if swaps is None:
        kept = _read_probability(probability, A, ends, graph.n, directed=directed)
    elif directed and graph.symmetric and graph.arcs:
        logger.warning(
            "samples of a symmetric network are digraphs, in which few edges have a reverse, with "
            "directed=True; directed=False keeps them undirected"
        )
    tries = (swaps or 0) * len(ends)
    return NullGraphs(graph.n, ends, lengths, kept, directed, tries, shuffled, names_of(A), seed)


def _read_probability(
    probability: Any, A: Any, ends: NDArray[np.int32], n: int, *, directed: bool
) -> NDArray[np.float64]:
    """Probability of each edge: the values of A, or of a matrix with the pattern of A."""
    name = "A" if probability is None else "probability"
    P = csr_of(matrix_of(A if probability is None else probability), name).astype(np.float64)
    if P.shape != (n, n):
        raise InputError(f"probability must have the shape of A, {(n, n)}, got {P.shape}", name)
    if not directed:
        P = P.maximum(P.T)
    tails, heads = ends.T
    values = np.asarray(P[tails, heads] if tails.size else np.empty(0)).reshape(-1)
    bad = ~((values > 0) & (values <= 1))
    if bad.any():
        at = int(bad.argmax())
        edge = int(tails[at]), int(heads[at])
        raise EdgeError(
            f"{name}[{edge[0]}, {edge[1]}] is {values[at]}, and each edge of A is kept with a "
            "probability above 0 and up to 1: divide scores by their largest, as STRING's by 1000, "
            "and leave edges of probability 0 out of A",
            edge,
        )
    rows, columns = P.nonzero()
    if np.count_nonzero(rows != columns) != len(ends) * (1 if directed else 2):
        raise InputError(
            "probability has entries where A has no edge: give it the pattern of A", "probability"
        )
    return values


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
    is_large = graphs.n * len(graphs.ends) > SHARED_WORK
    if run.executor is None and (len(engine.devices) == 1 or is_large):
        # All threads, or the one GPU, share a sample.
        how = options | {"device": run.device or engine.name, "workers": run.workers}
        with (tasks := _Ahead(engine, graphs, numbers, run)):
            for task in tasks:
                yield stacked(task.result(), names, how | {"memory_budget": run.memory_budget})
        return
    # Bytes of a sample, without those of its scores.
    need = Need("null model", "a sample", 0, 0 if engine.devices else graphs.nbytes)
    start = functools.partial(_worker, names=tuple(names), options=options)
    has_host = run.executor is None and bool(engine.devices)
    while numbers:
        try:
            ahead: Any = _Ahead(engine, graphs, numbers, run) if has_host else nullcontext(numbers)
            with ahead as blocks:
                found = in_order(
                    engine, blocks, start, operator.call, graph=graphs, need=need, run=run
                )
                with closing(found):
                    for scores in found:
                        yield scores
                        numbers = numbers[1:]
        except MemoryBudgetError as error:  # a share of the budget is too small for a sample
            if run.threads == 1 or run.executor is not None or engine.devices:
                team_of(engine, need._replace(each=error.needed), most=1, run=run)
                raise
            run = replace(run, workers=run.threads // 2)


def _worker(
    engine: Engine,
    graphs: NullGraphs,
    memory: int,
    stop: NDArray[np.uint8],
    *,
    names: tuple[str, ...],
    options: dict[str, Any],
) -> Callable[[Any], NDArray[np.float64]]:
    """Scores as a function of the sample: its number, or the task that makes its graph.

    It is the state of a thread, or of a process of an executor, that has a graph to itself.
    """
    left = memory if engine.devices else max(memory - graphs.nbytes, 1)

    def heed(done: int, total: int) -> None:
        if stop[0] == 1:  # the call is over: nobody takes what is raised
            raise CancelledError

    alone = {"device": engine.name, "workers": 1, "memory_budget": left, "progress": heed}

    def scores(sample: Any) -> NDArray[np.float64]:
        matrix = sample.result() if isinstance(sample, Call) else graphs.matrix(sample, stop)
        try:
            return stacked(matrix, names, options | alone)
        except MemoryBudgetError as error:
            error.needed += graphs.nbytes
            raise

    return scores


class _Ahead(Threads):
    """Graphs of some numbers, each a task of threads; a context, whose iteration starts them."""

    def __init__(self, engine: Engine, graphs: NullGraphs, numbers: range, run: Run) -> None:
        fitting = free_memory() // 4 // max(graphs.nbytes, 1)
        most = MOST_AHEAD * max(1, len(engine.devices))
        super().__init__(max(1, min(run.threads, most, fitting)))
        self._graphs, self._numbers, self._stop = graphs, numbers, np.zeros(1, dtype=np.uint8)

    def __exit__(self, *_: object) -> None:
        self._stop[0] = 1
        self.close()

    def __len__(self) -> int:
        return len(self._numbers)

    def __iter__(self) -> Iterator[Call]:
        """The tasks in their order; some are submitted ahead of the one that is taken."""
        left, tasks = iter(self._numbers), deque[Call]()
        for _ in self._numbers:
            for number in itertools.islice(left, self.most + 1 - len(tasks)):
                tasks.append(self.submit(self._graphs.matrix, number, self._stop))
            yield tasks.popleft()
