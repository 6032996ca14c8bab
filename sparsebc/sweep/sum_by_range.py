"""Sums over pairs of nodes: reduce the query, add up its blocks in order, expand to scores.

A block whose path counts pass a range, such as that of float64, is swept again in the next range.
"""

from __future__ import annotations

import functools
import logging
import operator
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.common.base import RANGES, Engine, count_limit
from ..engines.common.sums import Launch, PairwiseSum, Sums, add_sums, spans
from ..errors import InputError, MemoryBudgetError
from ..matrix.ops import GraphOps
from ..reduce import reduce
from ..reduce.reduce import Query
from .checkpoint import Checkpoint, State, fingerprint, opened
from .in_order import in_order
from .options import Run
from .plan import SweepPlan, count_sources, planned, team_of
from .progress import counting

logger = logging.getLogger("sparsebc")


def accumulate(engine: Engine, query: Query, run: Run) -> dict[str, NDArray[np.float64]]:
    """Raw scores: sums over ordered pairs (source, target) of fractions of shortest paths.

    ``betweenness``, shape (n,), sums the fractions through a node, with ``endpoints`` also one for
    each end of a pair. ``edge_betweenness``, shape (arcs,), sums those along each arc of
    ``graph.outgoing``, on the device of the graph. ``stress``, shape (n,), counts paths in place of
    fractions. On a graph with cutoffs, each score has a row per cutoff. ``group_betweenness``,
    never with others, sums the fractions that meet each of the ``node_sets``; all weights are one.
    """
    problem, run = prepared(engine, query, run)
    if run.checkpoint is None:
        total = sum_blocks(engine, problem, run)
    else:
        with opened(run, lambda: fingerprint(engine, query, run)) as checkpoint:
            total = sum_blocks(engine, problem, run, checkpoint)
            checkpoint.save(finished=True)
    cutoffs = query.graph.cutoffs
    if not cutoffs:
        return problem.scores(total, query)
    columns = [values.reshape(len(cutoffs), -1) for values in total.values()]
    rows = [
        problem.scores(dict(zip(total, row, strict=True)), query)
        for row in zip(*columns, strict=True)
    ]
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def prepared(engine: Engine, query: Query, run: Run) -> tuple[reduce.Problem, Run]:
    """The reduced problem and the run options.

    If chains do not fit into memory, the options returned lack "chains", and a warning says so:
    scores then differ by rounding.
    """
    problem = reduce.problem_of(engine, query, run.reduce, run.dtype)
    # Workers of an executor have memory of their own.
    is_here = run.executor is None or run.memory_budget is not None
    if problem.batches is None or not is_here:
        return problem, run
    plan = planned(engine, problem, run)
    try:
        if plan.blocks:
            team_of(plan.engine, plan.need, most=1, run=run)
        return problem, run
    except MemoryBudgetError as error:
        logger.warning(
            "chains are left out: %s. Scores are those of a run without chains, to the last bit",
            error,
        )
    run = replace(run, reduce=run.reduce - {"chains"})
    problem = reduce.problem_of(engine, query, run.reduce, run.dtype)
    left_out = {**problem.left_out, "chains": "its searches do not fit into memory"}
    return replace(problem, left_out=left_out), run


def sum_blocks(
    engine: Engine, problem: reduce.Problem, run: Run, checkpoint: Checkpoint | None = None
) -> Sums:
    """Sums over all batches, on the device of the graph.

    There is a stage for each range of path counts. Blocks with counts beyond it are left out of its
    sum, and swept again in the next stage, with the next larger range. A ``checkpoint`` may have a
    part of the sums, which is not swept again.
    """
    plan = planned(engine, problem, run)
    so_far = SumsSoFar(problem.graph.ops, plan.sizes, count_sources(plan.blocks))
    if checkpoint is not None:
        checkpoint.resume("sum", so_far)
    with counting(run.progress, so_far.of, so_far.sources) as advance:
        for stage, dtype in enumerate(RANGES[RANGES.index(plan.task.dtype) :]):
            if stage:
                plan = plan.next_range(dtype, so_far.out_of_range[stage - 1])
            if stage == len(so_far.out_of_range) - 1:
                limit = count_limit(dtype, problem.seeds is not None)
                with closing(_sum_stage(plan, so_far, limit)) as gains:
                    for sources in gains:
                        advance(sources)
                        if checkpoint is not None:
                            checkpoint.save_if_due()
            again = len(so_far.out_of_range[stage])
            if not again:
                break
            logger.info("path counts beyond %s: %d blocks again", dtype, again)
    xp = problem.graph.ops.xp
    return so_far.total or {name: xp.zeros(size) for name, size in plan.sizes.items()}


def _sum_stage(plan: SweepPlan, so_far: SumsSoFar, limit: float) -> Generator[int, None, None]:
    """Sweep the blocks of a stage that are not summed yet; yields the sources of each launch."""
    launches = plan.launches(so_far.next)
    work = functools.partial(operator.call, limit=limit)
    how: Any = {"graph": plan.task.graph, "need": plan.need, "run": plan.run}
    with closing(in_order(plan.engine, launches, plan.sweep.state, work, **how)) as swept:
        for launch, (nodes, out_of_range) in zip(launches, swept, strict=True):
            left = set(out_of_range)
            gained = count_sources(block for i, block in enumerate(launch.blocks) if i not in left)
            so_far.take(launch, nodes, out_of_range, gained)
            yield gained
    so_far.end_stage()


@dataclass(eq=False)
class SumsSoFar:
    """Sums over the blocks so far, by stages: a stage for each range of path counts.

    Blocks out of range are left to the next stage, which numbers them anew. The sums of the current
    stage are nodes of a tree, at most one of each level, those of earlier stages one total.
    ``sizes`` of the sums are by name.
    """

    ops: GraphOps
    sizes: Mapping[str, int]
    of: int  # sources that are swept in all
    sources: int = 0  # that are in the sums
    total: Sums | None = None  # of the finished stages
    # Numbers of the blocks left out, by stage.
    out_of_range: list[list[int]] = field(default_factory=lambda: [[]])
    next: int = 0  # number of the next block of the current stage
    _whole: bool = True  # False during an update
    _tree: PairwiseSum[Sums | None] = field(default_factory=lambda: PairwiseSum(add_sums))

    def take(
        self,
        launch: Launch,
        nodes: Sequence[tuple[range, Sums | None]],
        out_of_range: Sequence[int],
        sources: int,
    ) -> None:
        """Add the result of the next launch, over ``sources`` sources."""
        self._whole, is_host = False, self.ops.xp is np
        for span, node_sums in nodes:
            moved = node_sums and {  # from other devices
                name: values
                if is_host and isinstance(values, np.ndarray)
                else self.ops.asarray(values)
                for name, values in node_sums.items()
            }
            self._tree.take(span, moved)
        self.out_of_range[-1] += [launch.first + index for index in out_of_range]
        self.next = launch.first + len(launch.blocks)
        self.sources += sources
        self._whole = True

    def end_stage(self) -> None:
        """Add the sums of the current stage to the total, and begin the next one."""
        self._whole = False
        stage_total = self._tree.total()
        if stage_total is not None:
            self.total = add_sums(self.total, stage_total)
        self._tree = PairwiseSum(add_sums)
        self.next = 0
        self.out_of_range.append([])
        self._whole = True

    def state(self) -> State | None:
        """State for `restore`, or None during an update.

        Arrays are named by "total" or the index of their node, and their sum.
        """
        if not self._whole:
            return None
        nodes = [node_sums for _, node_sums in self._tree.nodes]
        numbers = {
            "out_of_range": [[*left] for left in self.out_of_range],
            **{"next": self.next, "sources": self.sources, "of": self.of},
        }
        return numbers, {
            f"{node} {name}": self.ops.on_host(values)
            for node, node_sums in (("total", self.total), *enumerate(nodes))
            for name, values in (node_sums or {}).items()
        }

    def restore(self, numbers: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
        """Resume from a state of the same plan."""
        if numbers["of"] != self.of:
            raise InputError(f"{numbers['of']} sources, of {self.of}")
        for node, span in enumerate(spans(0, numbers["next"])):
            self._tree.take(span, self._named(str(node), arrays))
        self.total = self._named("total", arrays)
        self.out_of_range, self.next = numbers["out_of_range"], numbers["next"]
        self.sources = numbers["sources"]

    def _named(self, node: str, arrays: Mapping[str, NDArray[Any]]) -> Sums | None:
        """Sums of a node, or of "total", by name; None if all its blocks are out of range."""
        found = {name: arrays.get(f"{node} {name}") for name in self.sizes}
        if all(array is None for array in found.values()):
            return None
        for name, array in found.items():
            if array is None or array.dtype != np.float64 or array.shape != (self.sizes[name],):
                raise InputError(f"no sum {name!r} of {self.sizes[name]} numbers")
            found[name] = self.ops.asarray(array)
        return found
