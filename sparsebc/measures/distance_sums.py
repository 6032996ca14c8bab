"""Sums of the distances of each node from many sources, and of functions of these distances.

A batch of sources may share a search. Batches form blocks, which are added up in their order, so
that bits do not depend on the number of searches in flight.
"""

from collections.abc import Set
from contextlib import closing
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.common.base import Engine, Task
from ..engines.common.decay import Decay
from ..engines.common.distances import Access, DistanceSums, no_sums
from ..engines.common.sums import Launch
from ..matrix.graph import Graph
from ..reduce import distances, reduce
from ..reduce.distances import Smaller
from ..reduce.reduce import IN_VAIN, Choice, Query, of_distances, pruned
from ..sweep import options
from ..sweep import plan as sweep_plan
from ..sweep.in_order import in_order
from ..sweep.plan import SweepPlan, count_sources
from ..sweep.progress import counting

ALL = frozenset(DistanceSums._fields)


def accumulate(
    engine: Engine,
    query: Query,
    direction: str,
    run: options.Run,
    wanted: Set[str] = ALL,
) -> DistanceSums:
    """Sums over the searches from all sources, shape (n,), or with cutoffs (cutoffs, n).

    They live where the graph does. Sums that are not ``wanted`` are undefined. Harmonic sums of a
    sample are scaled to n - 1 other nodes.
    """
    graph = query.graph if direction == "in" else query.graph.reverse()
    plan, nodes, smaller = planned(engine, graph, query.is_source, wanted, run)
    sums: DistanceSums = _add_up(plan)
    if nodes is not None:  # renumbered
        given = smaller.graph if smaller else graph
        columns, places = given.limits.size, given.ops.asarray(nodes)
        distance = np.int64 if given.lengths is None else np.float64
        whole = DistanceSums.zeros(columns * given.n, distance, given.ops.xp)
        for part, values in zip(sums, whole, strict=True):
            values.reshape(columns, given.n)[:, places] = part.reshape(columns, nodes.size)
        sums = whole
    if smaller:
        sums = smaller.expand(sums)
    if graph.unit != 1:  # sums in edges
        total, farthest = sums.total * graph.unit, sums.farthest * graph.unit
        sums = DistanceSums(sums.reached, total, sums.harmonic / graph.unit, farthest)
    if graph.cutoffs:
        sums = sums.within(len(graph.cutoffs))
    if query.sampled and "harmonic" in wanted:
        with np.errstate(invalid="ignore", divide="ignore"):
            sums.harmonic[:] *= (graph.n - 1) / query.others
    return sums


def accumulate_access(
    engine: Engine,
    query: Query,
    weights: NDArray[np.float64],
    functions: tuple[Decay, ...],
    direction: str,
    run: options.Run,
) -> Any:
    """Sums of W f(d) over the places within each cutoff, shape (cutoffs or 1, n, functions, kinds).

    ``weights``: W, shape (n, kinds). The sums live where the graph does, and do not include the
    node's own places.
    """
    graph = query.graph if direction == "in" else query.graph.reverse()
    plan, nodes = access_plan(engine, graph, weights, functions, run)
    columns, shape = graph.limits.size, (len(functions), weights.shape[1])
    values = _add_up(plan).values.reshape(columns, plan.task.graph.n, *shape)
    if nodes is not None:
        whole = graph.ops.xp.zeros((columns, graph.n, *shape))
        whole[:, graph.ops.asarray(nodes)] = values
        values = whole
    return graph.ops.xp.cumsum(values, axis=0)


def access_plan(
    engine: Engine,
    graph: Graph,
    weights: NDArray[np.float64],
    functions: tuple[Decay, ...],
    run: options.Run,
) -> tuple[SweepPlan, Any]:
    """The plan of searches from all places, the nodes with a nonzero row in ``weights``.

    ``weights`` has the shape (n, kinds). The only reduction is "prune". The second result is the
    original node of each row of the plan's graph if these are renumbered, else None.
    """
    profile, high_diameter, nodes = engine.profile, False, None
    counted = np.asarray(weights.any(axis=1))
    choice = of_distances(run.reduce, graph, engine, frozenset())
    if "prune" in choice.left:
        graph = pruned(graph, int(np.count_nonzero(counted)), choice, profile.relative_throughput)
    if not profile.literal and graph.lengths is not None:
        problem = _in_local_order(graph, counted)
        nodes = graph.ops.on_host(problem.nodes)
        graph, high_diameter = problem.graph, problem.high_diameter
        weights = weights[nodes]
    elif not profile.literal:
        high_diameter = graph.traits.high_diameter
    degrees = graph.ops.on_host(graph.outgoing.degrees)
    sources = np.flatnonzero(weights.any(axis=1) & (degrees > 0)).astype(np.int32)
    access = Access(functions, weights.shape[1])
    task = Task("access", graph, high_diameter, sources, weights[sources], access=access)
    task = replace(task, left_out=choice.left_out)
    return sweep_plan.planned(engine, task, run), nodes


def planned(
    engine: Engine,
    graph: Graph,
    is_source: NDArray[np.bool_],
    wanted: Set[str],
    run: options.Run,
) -> tuple[SweepPlan, Any, Smaller | None]:
    """The plan of searches from all sources on the reduced graph, and how to expand its sums.

    The second result is the original node of each row, where the graph lives, if rows are
    renumbered; the third is the reduction by blocks or trees, if one is used.
    """
    choice = of_distances(run.reduce, graph, engine, wanted)
    profile, nodes = engine.profile, None
    weights: NDArray[Any] = is_source
    if profile.literal:
        task = _task(graph, weights, False)
        task = replace(task, sums=frozenset(wanted), left_out=choice.left_out)
        return sweep_plan.planned(engine, task, run), None, None
    if "prune" in choice.left:
        graph = pruned(graph, int(np.count_nonzero(is_source)), choice, profile.relative_throughput)
    if "blocks" in profile.of_distances:
        smaller = distances.split(graph, is_source, choice, weighed="total" in wanted)
    else:
        smaller = distances.fold(graph, is_source, choice)
    choice.leave_out("trees blocks", smaller is None, IN_VAIN)
    label, beyond, given = None, None, graph
    if smaller:
        graph, weights = smaller.graph, smaller.weights
        label, beyond = smaller.label, smaller.beyond
    # Without its trees a graph has the diameter that it had.
    high_diameter = (graph if label is None else given).traits.high_diameter
    if graph.lengths is not None or profile.orders_levels(graph, high_diameter):
        problem = _in_local_order(graph, weights)
        graph, nodes = problem.graph, problem.nodes
        task = Task("distances", graph, problem.high_diameter, problem.sources, problem.alpha)
    elif label is not None:
        task = replace(_task(graph, weights, high_diameter), components=lambda: label)
    else:  # leave out sources without arcs, which reach no node
        weights = weights * graph.ops.on_host(graph.outgoing.degrees > 0)
        task = _task(graph, weights, high_diameter)
    task = replace(task, sums=frozenset(wanted), left_out=choice.left_out)
    plan = sweep_plan.planned(engine, task, run)
    if beyond is not None and "farthest" in wanted:
        beyond = beyond if nodes is None else beyond[graph.ops.on_host(nodes)]
        blocks = [
            [batch._replace(beyond=beyond[batch.sources]) for batch in block]
            for block in plan.blocks
        ]
        plan = replace(plan, blocks=blocks)
    return plan, nodes, smaller


def _in_local_order(graph: Graph, weights: NDArray[Any]) -> reduce.Problem:
    """Problem on the graph with its nodes in an order of good locality, without isolated nodes."""
    return reduce.reduced(graph, weights, np.ones(graph.n, dtype=bool), Choice(()))


def _task(graph: Graph, weights: NDArray[Any], high_diameter: bool) -> Task:
    """Task of the distances from all nodes of nonzero weight, in their order."""
    sources = np.flatnonzero(weights).astype(np.int32)
    return Task("distances", graph, high_diameter, sources, weights[sources].astype(np.float64))


def _accumulate(state: Any, launch: Launch) -> list[Any]:
    return [state.accumulate(block) for block in launch.blocks]


def _add_up(plan: SweepPlan) -> Any:
    """Sums over all batches of a plan, added up block by block."""
    task, launches, run, sums = plan.task, plan.launches(), plan.run, None
    graph, home = task.graph, task.graph.ops
    given: Any = {"graph": graph, "need": plan.need, "run": run}
    swept = in_order(plan.engine, launches, plan.sweep.state, _accumulate, **given)
    with counting(run.progress, count_sources(plan.blocks)) as advance, closing(swept):
        for launch, parts in zip(launches, swept, strict=True):
            for part in parts:
                block_sums = type(part)(*map(home.asarray, part))
                if sums is None:
                    sums = block_sums
                    continue
                for name, mine, more in zip(part._fields, sums, block_sums, strict=True):
                    (np.maximum if name == "farthest" else np.add)(mine, more, out=mine)
            advance(count_sources(launch.blocks))
    distance = np.int64 if graph.lengths is None else np.float64
    return sums or no_sums(task.access, graph.limits.size * graph.n, distance, home.xp)
