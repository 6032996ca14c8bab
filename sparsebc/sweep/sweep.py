"""Sums over pairs of nodes: reduce the question, sum up its blocks, expand the sums to scores."""

import functools
import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.common import batching
from ..engines.common.base import Engine, sweeps_chains
from ..engines.common.sums import Sums
from ..errors import RangeError
from ..reduce import reduce
from ..reduce.choice import ORDER, chosen_from
from ..reduce.trees import folds_decayed
from .checkpoint import Checkpoint, opened
from .fingerprint import Question, fingerprint
from .options import Run
from .plan import planned, shortage
from .sum import sum_blocks

logger = logging.getLogger("sparsebc")


def accumulate(engine: Engine, question: Question, run: Run) -> dict[str, NDArray[np.float64]]:
    """Raw scores: sums over ordered pairs (source, target) of fractions of shortest paths.

    ``betweenness``, shape (n,), sums the fractions through a node, with ``endpoints`` also one for
    each end of a pair. ``edge_betweenness``, shape (arcs,), sums those along each arc of
    ``graph.outgoing``, on the device of the graph. ``stress``, shape (n,), counts paths in place of
    fractions. On a graph with cutoffs, each score has a row per cutoff. ``group_betweenness``,
    never with others, sums the fractions that meet each of the ``node_sets``; all weights are one.
    """
    ready = functools.cache(functools.partial(prepared, engine, question, run))
    # Fingerprint the options after `prepared`, which may drop chains.
    with opened(run, lambda: fingerprint(engine, question, ready()[1])) as checkpoint:
        return _scores(engine, question, *ready(), checkpoint)


def _scores(
    engine: Engine,
    question: Question,
    problem: reduce.Problem,
    run: Run,
    checkpoint: Checkpoint,
) -> dict[str, NDArray[np.float64]]:
    """Raw scores, as `accumulate` returns them, from the reduced problem."""
    total = sum_blocks(engine, problem, run, checkpoint)
    checkpoint.finish()
    cutoffs = question.graph.cutoffs
    if not cutoffs:
        return expanded(total, problem, question)
    columns = [values.reshape(len(cutoffs), -1) for values in total.values()]
    rows = [
        expanded(dict(zip(total, row, strict=True)), problem, question)
        for row in zip(*columns, strict=True)
    ]
    return {name: np.stack([row[name] for row in rows]) for name in rows[0]}


def expanded(
    total: Sums, problem: reduce.Problem, question: Question
) -> dict[str, NDArray[np.float64]]:
    """Scores by measure on the original graph, from the sums on the reduced one."""
    graph, alpha, omega, measures, endpoints, node_sets, _ = question
    total, raw = problem.of_all(total), {}
    on_host, trees = problem.graph.ops.on_host, problem.decayed
    outside: Any = None if trees is None else trees.weights_outside(total["ends"], problem.nodes)
    if node_sets is not None:
        raw["group_betweenness"] = on_host(total["dependency"])
    if "betweenness" in measures:
        raw["betweenness"] = problem.expand(total["dependency"])
        if trees is not None:
            raw["betweenness"] += trees.through(outside)
            if endpoints:
                raw["betweenness"] += trees.ends(outside)
        elif "ends" in total:
            raw["betweenness"][on_host(problem.nodes)] += on_host(total["ends"])
        elif endpoints:
            raw["betweenness"] += reduce.ends_in_components(graph, alpha, omega)
    if "edge_betweenness" in measures:
        raw["edge_betweenness"] = problem.expand_arcs(total["arcs"], graph)
        if trees is not None:
            trees.add_pairs(graph.outgoing, raw["edge_betweenness"], outside, graph.ops)
    if "stress" in measures:
        ends = [total[name] for name in ("arrivals", "departures") if name in total]
        raw["stress"] = problem.expand_paths(total["stress"], *ends)
        if not np.isfinite(raw["stress"]).all():
            node = np.flatnonzero(~np.isfinite(raw["stress"]))[0]
            raise RangeError(
                f"more shortest paths pass through node {node} than float64 can represent "
                "(1.8e308): use betweenness, or fewer sources and targets"
            )
    return raw


def prepared(engine: Engine, question: Question, run: Run) -> tuple[reduce.Problem, Run]:
    """The reduced problem and the run options.

    If chains do not fit into memory, the options returned lack "chains", and a warning says so:
    scores then differ by rounding.
    """
    problem = _problem(engine, question, run)
    # Workers of an executor have memory of their own.
    is_here = run.executor is None or run.budget is not None
    if problem.batches is None or not is_here:
        return problem, run
    plan = planned(engine, problem, run)
    short = plan.blocks and shortage(plan.engine, plan.need, run)
    if not short:
        return problem, run
    logger.warning(
        "chains are left out: %s. Scores are those without 'chains' in reduce, to the last bit",
        short,
    )
    run = replace(run, reduce=run.reductions - {"chains"})
    problem = _problem(engine, question, run)
    left_out = {**problem.left_out, "chains": "its searches do not fit into memory"}
    return replace(problem, left_out=left_out), run


def _problem(engine: Engine, question: Question, run: Run) -> reduce.Problem:
    """The problem after reductions, with the sums to compute on it."""
    graph, alpha, omega, measures, endpoints, node_sets, seeds = question
    profile, choice = engine.profile, chosen_from(run.reductions, engine)
    sources = int(np.count_nonzero(alpha))
    brief = profile.shares_rows and batching.is_brief(graph, sources)
    reason = f"on a graph of this size it takes longer than {sources} sweeps"
    choice.leave_out(ORDER, [(brief, reason)])
    for name in ORDER:
        choice.leave_out([name], _rules(name, engine, question))
    if profile.literal or brief:
        problem = reduce.as_given(graph, alpha, omega)
    else:
        problem = reduce.reduced(
            graph,
            alpha,
            omega,
            choice.names,
            seeds=seeds,
            relative_throughput=profile.relative_throughput,
            wants_near=profile.wants_near,
        )
    left_out = {**problem.left_out, **choice.left_out}
    problem = replace(problem, dtype=run.real, left_out=left_out)
    on_host = problem.graph.ops.on_host
    if node_sets is not None:
        member = np.ascontiguousarray(node_sets.member[on_host(problem.nodes)])
        sums, there = frozenset({"dependency"}), node_sets._replace(member=member)
        return replace(problem, kind="node sets", node_sets=there, sums=sums)
    by_pair = seeds is not None or bool(graph.cutoffs)
    # Pruning may make a directed graph symmetric, so that trees are folded: test the reduced graph.
    ends_known = problem.graph.symmetric and not profile.literal and not by_pair
    paths_folded = "stress" in measures and problem.trees is not None
    wanted = {
        "dependency": "betweenness" in measures or "edge_betweenness" in measures,
        "arcs": "edge_betweenness" in measures,
        "stress": "stress" in measures,
        "arrivals": paths_folded,
        "departures": paths_folded,
        "ends": problem.decayed is not None
        or (endpoints and "betweenness" in measures and not ends_known),
    }
    sums = frozenset(name for name, is_wanted in wanted.items() if is_wanted)
    return replace(problem, sums=sums, seeds=seeds and seeds.induced(on_host(problem.nodes)))


def _rules(name: str, engine: Engine, question: Question) -> Iterator[tuple[object, str]]:
    """Rules that leave out a reduction of the question on the engine; see `Choice.leave_out`."""
    graph, alpha, omega, measures, endpoints, node_sets, seeds = question
    if name == "prune":
        return
    yield node_sets is not None, "the nodes of a set stay in one graph"
    if seeds is not None:
        folds = name == "trees" and folds_decayed(graph, alpha, omega, seeds, measures)
        yield not folds, "by demand or decay a node cannot stand for others"
    if name == "chains":
        where = "unweighted high-diameter graphs of few arcs a node, without cutoff or stress"
        yield not sweeps_chains(engine, graph, measures), f"on a GPU chains are for {where}"
    if name in ("trees", "blocks"):
        yield graph.cutoffs, "a node stands for others, which may be beyond the cutoff"
    if name == "trees":
        yield "stress" in measures and graph.lengths, "not implemented for stress by length"
    if name == "blocks":
        yield "stress" in measures, "stress is not additive over biconnected components"
        directed = endpoints and not graph.symmetric
        yield directed, "endpoints of a directed graph are counted in the sweep"
