"""Sums over pairs of nodes: reduce the query, add up its blocks in order, expand to scores."""

import logging
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..engines.common.base import Engine
from ..errors import MemoryBudgetError
from ..reduce import reduce
from ..reduce.reduce import Query
from .checkpoint import fingerprint, opened
from .count_ranges import sum_blocks
from .options import Run
from .plan import planned, team_of

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
