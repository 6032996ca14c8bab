"""Sums over pairs of nodes: reduce the query, sum up its blocks, expand the sums to scores."""

import functools
import logging
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..engines.common.base import Engine
from ..reduce import reduce
from ..reduce.query import Query
from .checkpoint import Checkpoint, opened
from .fingerprint import fingerprint
from .options import Run
from .plan import planned, shortage
from .sum import sum_blocks

logger = logging.getLogger("sparsebc")


def accumulate(engine: Engine, query: Query, run: Run) -> dict[str, NDArray[np.float64]]:
    """Raw scores: sums over ordered pairs (source, target) of fractions of shortest paths.

    ``betweenness``, shape (n,), sums the fractions through a node, with ``endpoints`` also one for
    each end of a pair. ``edge_betweenness``, shape (arcs,), sums those along each arc of
    ``graph.outgoing``, on the device of the graph. ``stress``, shape (n,), counts paths in place of
    fractions. On a graph with cutoffs, each score has a row per cutoff. ``group_betweenness``,
    never with others, sums the fractions that meet each of the ``node_sets``; all weights are one.
    """
    ready = functools.cache(functools.partial(prepared, engine, query, run))
    # Fingerprint the options after `prepared`, which may drop chains.
    with opened(run, lambda: fingerprint(engine, query, ready()[1])) as checkpoint:
        return _scores(engine, query, *ready(), checkpoint)


def _scores(
    engine: Engine,
    query: Query,
    problem: reduce.Problem,
    run: Run,
    checkpoint: Checkpoint,
) -> dict[str, NDArray[np.float64]]:
    """Raw scores, as `accumulate` returns them, from the reduced problem."""
    total = sum_blocks(engine, problem, run, checkpoint)
    checkpoint.finish()
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
    problem = reduce.problem_of(engine, query, run.reductions, run.real)
    # Workers of an executor have memory of their own.
    is_here = run.executor is None or run.budget is not None
    if problem.batches is None or not is_here:
        return problem, run
    plan = planned(engine, problem, run)
    short = plan.blocks and shortage(plan.engine, plan.need, run)
    if not short:
        return problem, run
    logger.warning(
        "chains are left out: %s. Scores are those of a run without chains, to the last bit", short
    )
    run = replace(run, reduce=run.reductions - {"chains"})
    problem = reduce.problem_of(engine, query, run.reductions, run.real)
    left_out = {**problem.left_out, "chains": "its searches do not fit into memory"}
    return replace(problem, left_out=left_out), run
