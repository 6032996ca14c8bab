"""Sums over the distances of each node from many sources, and over functions of them.

A batch of sources may share a search. Batches form blocks, which are added up in their order: the
sums have the same bits however many searches are in flight.
"""

from collections.abc import Sequence, Set
from contextlib import closing
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines import devices
from ..engines.common.access import Access
from ..engines.common.base import Engine, Kernel, Sweep, Task, arranged, blocks_of
from ..engines.common.batch import Batch, widest
from ..engines.common.decay import Decay
from ..engines.common.distances import DistanceSums, Search, no_sums
from ..graph.graph import Graph
from ..reduce import distance_blocks, distance_trees, reduce
from ..reduce.distance_blocks import Apart
from ..reduce.distance_trees import Folded
from ..reduce.prune import backbone
from ..run import options
from ..run.memory_plan import Need, at_once
from ..run.progress import counting
from ..run.sweep_plan import blocks_at_once, count_sources, ending_together
from ..run.window import in_order
from .query import Query

ALL = frozenset(DistanceSums._fields)


class DistancePlan(NamedTuple):
    """How sources are searched from, and how the sums become those on the graph that was given."""

    task: Task
    engine: Engine  # on whose device the kernel runs
    kernel: Kernel
    batches: list[Batch]
    sweep: Sweep
    nodes: Any  # of each node of the graph, where it lives, if it was renumbered; else None
    apart: Apart | Folded | None  # if the graph was taken apart

    @property
    def blocks(self) -> list[list[Batch]]:
        """The batches in blocks, as long as the kernel wants them."""
        return blocks_of(self.kernel, self.task, self.batches)

    def launches(self, run: options.Run) -> list[list[list[Batch]]]:
        """The blocks in runs, of which a worker takes one at a time."""
        blocks = self.blocks
        most = blocks_at_once(self.engine, self.kernel, self.task.graph, blocks, run)
        spans = ending_together(0, len(blocks), most, run.threads)
        return [blocks[span.start : span.stop] for span in spans]

    @property
    def need(self) -> Need:
        """Bytes of a worker that searches from batch after batch."""
        graph, access = self.task.graph, self.task.access
        return Need(
            "distances by edges" if graph.lengths is None else "distances by length",
            at_once(self.sweep.width, graph.n),
            2 * graph.nbytes,
            self.kernel.least_bytes(graph, self.sweep),
            # A block may wait for its turn.
            2 * 8 * (access.width if access else 4) * graph.limits.size * graph.n,
        )


def accumulate(
    engine: Engine,
    query: Query,
    direction: str,
    run: options.Run,
    wanted: Set[str] = ALL,
) -> DistanceSums:
    """Search from all sources; the sums of a sample stand for those over all nodes.

    They live where the graph does. Sums that are not ``wanted`` have no meaning.
    With cutoffs, they are of shape (cutoffs, n), for distances within each.
    """
    graph = query.graph if direction == "in" else query.graph.reverse()
    plan = planned(engine, graph, query.is_source, wanted, run.reductions)
    sums: DistanceSums = _add_up(plan, run)
    if plan.nodes is not None:
        sums = _by_given_numbers(sums, plan.nodes, plan.apart.graph if plan.apart else graph)
    if plan.apart:
        sums = plan.apart.expand(sums)
    sums = sums.in_units(graph.unit)
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
    """Sums of W f(d) over the places within each cutoff, by node, function and kind.

    ``weights``: W, shape (n, kinds). Shape (cutoffs or 1, n, functions, kinds), where the graph
    lives; a node's own places are left out.
    """
    graph = query.graph if direction == "in" else query.graph.reverse()
    plan = access_plan(engine, graph, weights, functions, run.reductions)
    columns, shape = graph.limits.size, (len(functions), weights.shape[1])
    values = _add_up(plan, run).values.reshape(columns, plan.task.graph.n, *shape)
    if plan.nodes is not None:
        whole = graph.ops.xp.zeros((columns, graph.n, *shape))
        whole[:, graph.ops.asarray(plan.nodes)] = values
        values = whole
    return graph.ops.xp.cumsum(values, axis=0)


def access_plan(
    engine: Engine,
    graph: Graph,
    weights: NDArray[np.float64],
    functions: tuple[Decay, ...],
    reductions: Set[str],
) -> DistancePlan:
    """The plan of searches from all places: nodes of which some weight, shape (n, kinds), is not 0.

    Only edges that no shortest path needs are left out.
    """
    profile, high_diameter, nodes = engine.profile, False, None
    counted = np.asarray(weights.any(axis=1))
    if "prune" in reductions and not profile.literal:
        graph, _ = backbone(graph, int(np.count_nonzero(counted)), profile.relative_throughput)
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
    return _plan(engine, task, nodes)


def _by_given_numbers(sums: DistanceSums, nodes: Any, given: Graph) -> DistanceSums:
    """Sums of renumbered nodes as those of the graph's own; nodes that were left out get zeros."""
    columns, places = given.limits.size, given.ops.asarray(nodes)
    distance = np.int64 if given.lengths is None else np.float64
    whole = DistanceSums.zeros(columns * given.n, distance, given.ops.xp)
    for part, values in zip(sums, whole, strict=True):
        values.reshape(columns, given.n)[:, places] = part.reshape(columns, nodes.size)
    return whole


def planned(
    engine: Engine,
    graph: Graph,
    is_source: NDArray[np.bool_],
    wanted: Set[str],
    reductions: Set[str],
) -> DistancePlan:
    """The plan of searches from all sources, on the graph that the reductions leave."""
    profile = engine.profile
    weights: NDArray[Any] = is_source
    if profile.literal:
        return _plan(engine, _task(graph, weights, False), None, None, wanted)
    if "prune" in reductions:
        sources = int(np.count_nonzero(is_source))
        graph, _ = backbone(graph, sources, profile.relative_throughput)
    apart = _apart(engine, graph, is_source, wanted, reductions)
    nodes = None
    if apart:
        graph, weights = apart.graph, apart.weights
    high_diameter = apart.high_diameter if isinstance(apart, Folded) else graph.traits.high_diameter
    if graph.lengths is not None or profile.orders_levels(graph, high_diameter):
        problem = _in_local_order(graph, weights)
        graph, nodes = problem.graph, problem.nodes
        task = Task("distances", graph, problem.high_diameter, problem.sources, problem.alpha)
    elif isinstance(apart, Folded):  # its depth and components are known
        label = apart.label
        task = _task(graph, weights, high_diameter)._replace(components=lambda: label)
    else:  # a source without arcs reaches no node
        weights = weights * graph.ops.on_host(graph.outgoing.degrees > 0)
        task = _task(graph, weights, high_diameter)
    plan = _plan(engine, task, nodes, apart, wanted)
    if isinstance(apart, Apart) and "farthest" in wanted:
        beyond = apart.beyond if nodes is None else apart.beyond[graph.ops.on_host(nodes)]
        batches = [batch._replace(beyond=beyond[batch.sources]) for batch in plan.batches]
        plan = plan._replace(batches=batches)
    return plan


def _in_local_order(graph: Graph, weights: NDArray[Any]) -> reduce.Problem:
    """The graph with its nodes in an order of good locality; those without edges are left out."""
    return reduce.reduced(graph, weights, np.ones(graph.n, dtype=bool), frozenset())


def _task(graph: Graph, weights: NDArray[Any], high_diameter: bool) -> Task:
    """Distances from all nodes that count as sources, in their order."""
    sources = np.flatnonzero(weights).astype(np.int32)
    return Task("distances", graph, high_diameter, sources, weights[sources].astype(np.float64))


def _plan(
    engine: Engine,
    task: Task,
    nodes: Any,
    apart: Apart | Folded | None = None,
    wanted: Set[str] = frozenset(),
) -> DistancePlan:
    """The plan of a task, its sources in batches."""
    kernel, batches = arranged(engine, task)
    width, sums = widest(batches), frozenset(wanted)
    sweep = Sweep(kernel.name, width, task.high_diameter, sums=sums, access=task.access)
    return DistancePlan(
        task, devices.engine_of(engine, kernel), kernel, batches, sweep, nodes, apart
    )


def _apart(
    engine: Engine,
    graph: Graph,
    is_source: NDArray[np.bool_],
    wanted: Set[str],
    reductions: Set[str],
) -> Apart | Folded | None:
    """The graph reduced by blocks or trees; None within cutoffs, or for harmonic sums."""
    names = reductions & engine.profile.of_distances
    if graph.cutoffs or "harmonic" in wanted:
        return None
    if "blocks" in engine.profile.of_distances:
        return distance_blocks.split(graph, is_source, names, weighed="total" in wanted)
    return None if "farthest" in wanted else distance_trees.fold(graph, is_source, names)


def _accumulate(state: Search, blocks: Sequence[Sequence[Batch]]) -> list[Any]:
    return [state.accumulate(block) for block in blocks]


def _add_up(plan: DistancePlan, run: options.Run) -> Any:
    """Sums of the searches of all batches, added up block by block."""
    graph, access, launches = plan.task.graph, plan.task.access, plan.launches(run)
    home, sums = graph.ops, None
    given: Any = {"graph": graph, "need": plan.need, "run": run}
    swept = in_order(plan.engine, launches, plan.sweep.state, _accumulate, **given)
    with counting(run.progress, count_sources(plan.batches)) as advance, closing(swept):
        for blocks, parts in zip(launches, swept, strict=True):
            for part in parts:
                block_sums = type(part)(*map(home.asarray, part))
                if sums is None:
                    sums = block_sums
                else:
                    sums.merge(block_sums)
            advance(sum(map(count_sources, blocks)))
    distance = np.int64 if graph.lengths is None else np.float64
    return sums or no_sums(access, graph.limits.size * graph.n, distance, home.xp)
