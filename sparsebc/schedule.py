"""Sources to groups to blocks to workers: the plan, the ordered sum, progress and stopping.

A group is the unit of work, a block a fixed run of groups. A block's sums are added up in group
order by whoever computes it, and the blocks' sums in block order here; both cuts depend on the
problem alone. So workers, memory and chance change nothing in the bits.
"""

from __future__ import annotations

import logging
import queue
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import locality, prepare
from .engines import Engine, Group, Workspace, select
from .graph import Graph
from .lengths import TooShort
from .options import Progress, Run
from .sweep import count_limit

# Seconds between looks at the keyboard.
PATIENCE = 0.2
# Seconds before a bar is drawn: a short run needs none.
BAR_DELAY = 1.0

logger = logging.getLogger("sparsebc")


@dataclass
class Partial:
    """Sums over some of the sources; partial sums merge in a fixed order."""

    dependency: NDArray[np.float64]  # alpha * delta
    ends: NDArray[np.float64]  # pairs that begin or end at each node; empty unless wanted
    worst: float  # largest path count met

    def merge(self, other: Partial) -> None:
        """Add the sums of the blocks that come next."""
        self.dependency += other.dependency
        self.ends += other.ends
        self.worst = max(self.worst, other.worst)


def accumulate(
    graph: Graph,
    is_source: NDArray[np.bool_],
    is_target: NDArray[np.bool_],
    *,
    endpoints: bool,
    run: Run,
) -> NDArray[np.float64]:
    """Ordered pairs (source, target) through each node, each weighted by its share of paths.

    Shape (n,). With ``endpoints`` a pair counts at its two ends as well.
    """
    engine = select(run.device, weighted=graph.lengths is not None)
    arrange = prepare.as_given if engine.literal else prepare.reduced
    problem = arrange(graph, is_source, is_target)
    count_ends = endpoints and not (graph.symmetric and not engine.literal)
    width = engine.width(problem.graph, problem.deep)
    groups = (
        locality.group(
            problem.graph, problem.sources, problem.alpha, width=width, deep=problem.deep
        )
        if graph.lengths is None and engine.together(problem.deep)
        else locality.cut(problem.sources, problem.alpha, width)
    )
    try:
        total = _sum_blocks(engine, problem, groups, width, count_ends, run)
    except TooShort as edge:
        raise ValueError(
            f"A[{problem.nodes[edge.tail]}, {problem.nodes[edge.head]}] is lost beside the "
            "distances it is added to, by rounding or by tie_rtol (lengths of more than 5 times "
            "tie_rtol of a distance are safe): lower tie_rtol, or merge nodes that are that close"
        ) from edge
    if total.worst > count_limit(run.real):
        raise OverflowError(
            f"a pair of nodes has more than {count_limit(run.real):.1e} shortest paths between "
            f"them, past the range of {run.real}: "
            + ("use dtype=numpy.float64" if run.real == np.float32 else "no score is returned")
        )
    raw = problem.expand(total.dependency)
    if count_ends:
        raw[problem.nodes] += total.ends
    elif endpoints:
        raw += prepare.ends_in_components(graph, is_source, is_target)
    return raw


def partial(workspace: Workspace, block: Sequence[Group]) -> Partial:
    """Sums of one block."""
    workspace.dependency[:] = 0
    workspace.ends[:] = 0
    workspace.run(block)
    return Partial(workspace.dependency.copy(), workspace.ends.copy(), workspace.worst())


def _sum_blocks(
    engine: Engine,
    problem: prepare.Problem,
    groups: list[Group],
    width: int,
    ends: bool,
    run: Run,
) -> Partial:
    n = problem.graph.n
    total = Partial(np.zeros(n), np.zeros(n if ends else 0), 0.0)
    size = engine.block_size(problem.graph, len(groups), width)
    blocks = [groups[i : i + size] for i in range(0, len(groups), size)]
    workers, memory = _plan(engine, problem.graph, len(blocks), width, run)
    sources = sum(group.sources.size for group in groups)
    done = 0
    with (
        _reporting(run.progress, sources) as report,
        _Pool(
            lambda stop: engine.workspace(
                problem.graph,
                problem.omega,
                run.real,
                width=width,
                memory=memory,
                ends=ends,
                stop=stop,
            ),
            workers,
        ) as pool,
    ):
        for block, sums in zip(blocks, pool.in_order(partial, blocks), strict=True):
            total.merge(sums)
            done += sum(group.sources.size for group in block)
            report(done, sources)
    return total


def _plan(engine: Engine, graph: Graph, blocks: int, width: int, run: Run) -> tuple[int, int]:
    """Workers whose state fits the memory budget, and the bytes that each may take.

    MemoryError if not even one fits.
    """
    state = engine.workspace_bytes(graph, run.real, width)
    # Each worker's block may wait, summed, until its turn comes.
    each = state + 2 * 16 * graph.n
    fixed = 2 * graph.nbytes
    budget = run.budget or engine.free_memory() * 4 // 5
    fitting = max(0, budget - fixed) // max(each, 1)
    workers = min(1 if engine.single else run.threads, blocks, fitting)
    if blocks and not workers:
        narrower = ", or dtype=numpy.float32" if run.real == np.float64 else ""
        raise MemoryError(
            f"one group of {width} sources on {graph.n} nodes needs {fixed + each} bytes, "
            f"and memory_budget is {budget}: raise memory_budget{narrower}"
        )
    logger.info(
        "device %s, %s: %d blocks, batches of %d sources, %d workers, %d MiB",
        engine.name,
        run.real,
        blocks,
        width,
        workers,
        (fixed + workers * each) >> 20,
    )
    return workers, (budget - fixed) // max(workers, 1) - 2 * 16 * graph.n


class _Pool:
    """Threads with a workspace each; leaving it early stops them within one level."""

    def __init__(self, workspace: Callable[[NDArray[np.uint8]], Workspace], workers: int) -> None:
        self._stop = np.zeros(1, dtype=np.uint8)
        self._make = workspace
        self._workers = workers
        self._idle: queue.SimpleQueue[Workspace] = queue.SimpleQueue()
        self._threads = ThreadPoolExecutor(max(workers, 1), thread_name_prefix="sparsebc")

    def __enter__(self) -> _Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._stop[0] = 1
        self._threads.shutdown(wait=True, cancel_futures=True)

    def in_order(
        self, work: Callable[[Workspace, Any], Partial], blocks: Sequence[Any]
    ) -> Iterator[Partial]:
        """Results in the order of the blocks, at most two blocks a worker ahead of it."""
        waiting: list[Future[Partial]] = []
        for block in blocks:
            waiting.append(self._threads.submit(self._run, work, block))
            if len(waiting) >= 2 * self._workers:
                yield self._result(waiting.pop(0))
        while waiting:
            yield self._result(waiting.pop(0))

    def _run(self, work: Callable[[Workspace, Any], Partial], block: Any) -> Partial:
        try:
            workspace = self._idle.get_nowait()
        except queue.Empty:
            workspace = self._make(self._stop)
        result = work(workspace, block)
        self._idle.put(workspace)
        return result

    @staticmethod
    def _result(future: Future[Partial]) -> Partial:
        while not wait([future], timeout=PATIENCE, return_when=FIRST_COMPLETED).done:
            pass  # awake now and then, so that Ctrl-C is heard on every system
        return future.result()


@contextmanager
def _reporting(progress: bool | Progress, total: int) -> Iterator[Progress]:
    """What to call with (done, total): the caller's function, a bar, or nothing."""
    if callable(progress):
        yield progress
    elif progress:
        from tqdm import tqdm

        with tqdm(total=total, unit="source", file=sys.stderr, delay=BAR_DELAY) as bar:
            yield lambda done, _: bar.update(done - bar.n)
    else:
        yield lambda *_: None
