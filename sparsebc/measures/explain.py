"""Plan of a call and estimate of its time, without making it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ..engines import devices
from ..engines.common import batching
from ..engines.common.base import Engine, sweeps_chains
from ..engines.common.batch import Batch
from ..engines.common.sums import Launch
from ..errors import OptionError
from ..graph.edge_weights import TIE_RTOL
from ..graph.read_matrix import Adjacency
from ..jit import compilation, working_time
from ..reduce import (
    biconnected,
    chains,
    decayed_trees,
    distance_blocks,
    distance_trees,
    twins,
)
from ..run import memory_plan, options, sweep, sweep_plan
from ..run.options import REDUCTIONS, Run, RunOptions
from ..run.sweep_plan import SweepPlan
from . import centralities, distance_measures, distance_sums
from .centralities import Measure
from .plan import Estimate, Plan, Step, spelt
from .query import WEIGHTS, Query, validate
from .runtime_estimate import Seconds, arcs_of_components, predicted
from .sampling.choice import sampler
from .sampling.stopping import Goal

# k, epsilon and delta of the sampling estimates whose run time is predicted beside the exact one.
SAMPLE, EPSILON, DELTA = 1000, 0.01, 0.1
# Sources of the pilot sample for the variance, and uncertainty factor of the prediction.
PILOT, UNSURE = 128, 1.5
# Seconds below which a call is timed again: the first call in a process takes milliseconds more.
BRIEF = 0.1
# Seconds from which a run gets advice.
LONG = 60.0

Result = TypeVar("Result")


def explain(
    A: Adjacency,
    measure: Measure = "betweenness",
    *,
    directed: bool = True,
    weighted: bool = False,
    endpoints: bool = False,
    cutoff: ArrayLike | None = None,
    sources: ArrayLike | None = None,
    targets: ArrayLike | None = None,
    source_weights: ArrayLike | None = None,
    target_weights: ArrayLike | None = None,
    demand: Any = None,
    decay: Any = None,
    k: int | None = None,
    rng: Any = None,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[RunOptions],
) -> Plan:
    """Plan of a call of a measure, and an estimate of its time, without making it.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`.
    measure : str, default "betweenness"
        One of the names that `centralities` takes.
    directed, weighted, endpoints : bool
        As that measure takes them.
    cutoff, sources, targets, source_weights, target_weights : array_like, optional
        As that measure takes them.
    demand, decay, k, rng, tie_rtol
        As that measure takes them.
    **run
        Run options, as in `betweenness`, but for ``executor`` and ``checkpoint``.

    Returns
    -------
    Plan
        The graph, the reductions and what each leaves, kernels, groups, memory, and the time to
        expect: of the call, and of estimates from 1000 sources (``k=1000``) and, of betweenness, to
        within 0.01 (``epsilon=0.01``).

    Raises
    ------
    ValueError
        If `measure` is not one of the names, or an option has no effect on it; if ``executor`` or
        ``checkpoint`` is given.
    TypeError, ValueError, RuntimeError, MemoryError
        As the measure does.

    See Also
    --------
    centralities : The measures.

    Notes
    -----
    The graph is read and made smaller as the call would, once for each reduction. Then blocks of
    the run itself are timed, spread over all of them, for a second or two in all, with as many
    workers as the run has: nothing is known of this machine beforehand, and nothing kept. The range
    comes from how much the timed blocks differ. The time is that of an idle machine if it is idle
    now. An estimate to within epsilon takes as many samples as the variances say, which are
    themselves estimated, from 128 sources; it may take half as long again, or less. Memory is that
    of the run.

    Kernels are compiled, or loaded from disk, before anything is timed. That is told apart, as
    `Plan.compiling`: a first call in a new process takes as much more, and less once they are on
    disk.

    Examples
    --------
    >>> from sparsebc import datasets, explain
    >>> A, names = datasets.load("karate")
    >>> plan = explain(A, directed=False, device="cpu")
    >>> for step in plan.steps:
    ...     print(step.name, step.nodes, step.arcs, step.left_out)
    given 34 156 None
    prune 34 156 every edge has the same length
    trees 33 154 None
    blocks 33 154 fewer than 128 sources
    chains 33 154 fewer than 128 sources
    twins 33 154 fewer than 800 sources
    >>> plan.kernels
    ('cpu/brandes/brandes_batch.py', 'cpu/brandes/brandes_source.py')
    >>> [estimate.what for estimate in plan.estimates]
    ['as asked', 'epsilon=0.01']
    >>> bool(plan.estimates[0].seconds.likely < 60)
    True
    """
    given = locals()
    (name,) = centralities.checked([measure], "measure")
    settings = options.parse(run)
    settings.without_checkpoint("a plan")
    if settings.executor is not None:
        raise OptionError(
            "executor has no effect on a plan, which looks at this machine: leave it out",
            "executor",
        )
    centralities.check_options([name], given, endpoints=endpoints)
    weights = {each: given[each] for each in WEIGHTS if given[each] is not None}
    engine = devices.select(settings.device, devices.home(A))
    flags = {"directed": directed, "endpoints": endpoints}
    lengths = {"weighted": weighted, "tie_rtol": tie_rtol}
    compiled = compilation.seconds
    with engine.here(), settings:

        def read(**asked: Any) -> Query:
            asked |= {**lengths, "cutoff": cutoff}
            return validate(A, engine, settings, flags=flags, **asked)

        call = _Call(engine, name, settings, endpoints)
        chosen = {"sources": sources, "k": k, **weights}
        query, reading = _timed(lambda: read(rng=copy.deepcopy(rng), **chosen))
        graph = query.graph
        steps, plan, preparing = _steps(call, query)
        estimates = [_estimate(plan, "as asked", reading + preparing)]
        by_ends = not ({"demand", "decay"} & weights.keys()) and cutoff is None and k is None
        whole = by_ends and not weights and sources is None
        if whole and graph.n > SAMPLE:
            few, preparing = call.prepare(read(k=SAMPLE, rng=0), settings.reductions)
            estimates.append(_estimate(few, f"k={SAMPLE}", reading + preparing))
        if by_ends and name == "betweenness" and not endpoints and not engine.profile.literal:
            asked = {"directed": directed, "sources": sources, **lengths, **weights}
            estimates.append(_to_within(A, asked, run, estimates))
        return Plan(
            measure=name,
            device=engine.name,
            nodes=graph.n,
            arcs=graph.arcs,
            components=int(np.unique(graph.ops.on_host(graph.components)).size),
            levels=graph.depth,
            directed=not graph.symmetric,
            by_length=graph.lengths is not None,
            steps=tuple(steps),
            **_facts(plan),
            compiling=compilation.seconds - compiled,
            estimates=tuple(estimates),
            advice=tuple(_advice(estimates, settings, engine.name)),
        )


def _timed(call: Callable[[], Result]) -> tuple[Result, float]:
    """The result of a call, and its seconds; of the second call, if the first was brief."""
    for _ in range(2):
        begun = working_time()
        result = call()
        seconds = working_time() - begun
        if seconds >= BRIEF:
            break
    return result, seconds


class _Call(NamedTuple):
    """A measure on an engine."""

    engine: Engine
    name: str
    run: Run
    endpoints: bool

    def prepare(self, query: Query, reductions: frozenset[str]) -> tuple[SweepPlan, float]:
        """The plan of the reduced problem, and the seconds that reducing took."""
        return _timed(lambda: self._planned(query, replace(self.run, reduce=reductions)))

    def _planned(self, query: Query, run: Run) -> SweepPlan:
        if self.name not in distance_measures.MEASURES:
            question = query.question([self.name], self.endpoints)
            problem, run = sweep.prepared(self.engine, question, run)
            return sweep_plan.planned(self.engine, problem, run)
        measure = distance_measures.MEASURES[self.name]
        graph = query.graph if measure.direction == "in" else query.graph.reverse()
        if query.weighs_pairs:
            places, functions = distance_measures.weighed(query, [measure])
            asked = (places, tuple(functions.values()), run)
            return distance_sums.access_plan(self.engine, graph, *asked)[0]
        return distance_sums.planned(self.engine, graph, query.is_source, measure.reads, run)[0]


def _step(plan: SweepPlan, name: str) -> Step:
    """Size of the problem after a reduction; work is sources times arcs of their components."""
    graph, batches = plan.task.graph, plan.batches
    label, arcs = graph.ops.on_host(graph.components), arcs_of_components(graph)
    work = int(sum(arcs[label[batch.sources]].sum() for batch in batches))
    return Step(name, graph.n, graph.arcs, sweep_plan.count_sources(batches), work)


def _estimate(plan: SweepPlan, what: str, before: float) -> Estimate:
    """Time of the call: seconds that passed before the sweeps, and those of the sweeps."""
    task: Any = plan.task

    def work(state: Any, blocks: Sequence[Sequence[Batch]]) -> None:
        if task.of_distances:
            for block in blocks:
                state.accumulate(block)
        else:
            with sweep.naming_original_edge(task):
                state.sweep(Launch(0, blocks), np.inf)

    launches = [] if task.of_distances else plan.launches()
    together = max((len(launch.blocks) for launch in launches), default=1)
    for _ in range(2):
        seconds = predicted(plan, work, together)
        if seconds is None or seconds.likely >= BRIEF:
            break
    later = seconds and Seconds(*(part + before for part in seconds))
    return Estimate(what, sweep_plan.count_sources(plan.batches), later)


def _facts(plan: SweepPlan) -> dict[str, Any]:
    """Kernels, groups, blocks, workers and memory."""
    need, blocks, batches = plan.need, len(plan.blocks), plan.batches
    team, _ = memory_plan.plan(plan.engine, need, most=max(blocks, 1), run=plan.run)
    return {
        "kernels": plan.kernel.files,
        "sources": sweep_plan.count_sources(batches),
        "groups": len(batches),
        "blocks": blocks,
        "width": plan.sweep.width,
        "workers": len(team),
        "memory": len(set(team)) * need.fixed + len(team) * (need.each + need.waiting),
    }


def _steps(call: _Call, query: Query) -> tuple[list[Step], SweepPlan, float]:
    """Steps of the reductions, the plan of the reduced problem, and seconds of reducing."""
    graph, used = query.graph, frozenset[str]()
    prepared: tuple[SweepPlan, float] | None = None
    sources = int(np.count_nonzero(query.alpha.counted))
    steps = [Step("given", graph.n, graph.arcs, sources, sources * graph.arcs)]
    for name in ("prune", "trees", "blocks", "chains", "twins"):
        last = steps[-1]
        reason = next((why for holds, why in _rules(name, call, query, sources) if holds), None)
        if reason is None and name == "twins" and last.left_out is None:
            reason = "chain reduction is used instead"
        if reason is None:
            prepared = plan, _ = call.prepare(query, used | {name})
            step = _step(plan, name)
            if name not in plan.run.reductions:
                reason = "its searches do not fit into memory"
            else:
                used |= {name}
                if (step.arcs, step.sources) == (last.arcs, last.sources):
                    reason = "finds nothing, or would take longer than it saves"
        steps.append(step if reason is None else replace(last, name=name, left_out=reason))
    return steps, *(prepared or call.prepare(query, used))


def _rules(name: str, call: _Call, query: Query, sources: int) -> Iterator[tuple[object, str]]:
    """Rules that leave out a reduction: whether each holds, and why it does.

    Cheap ones come first; a later rule may presume the earlier ones.
    """
    graph, engine, by_distance = query.graph, call.engine, call.name in distance_measures.MEASURES
    throughput, known = engine.profile.relative_throughput, engine.profile.of_distances

    def few(enough: int) -> tuple[bool, str]:
        return sources < enough, f"fewer than {enough} sources"

    yield engine.profile.literal, f"device {engine.name!r} reduces nothing"
    yield name not in call.run.reductions, "left out by reduce"
    shares_rows = engine.profile.shares_rows and not by_distance
    brief = shares_rows and batching.is_brief(graph, sources)
    yield brief, f"so large a graph is swept as it is from {sources} sources"
    if name == "prune":
        yield not graph.lengths, "every edge has the same length"
        return
    weights = query.alpha.counted, query.omega.counted
    folds = query.seeds and decayed_trees.fits(graph, *weights, query.seeds, [call.name])
    reason = "with demand or decay a node cannot stand for others"
    yield query.seeds and not (folds and name == "trees"), reason
    if name == "twins":
        yield by_distance, "distances are searched from many sources at once"
        yield graph.lengths, "lengths of edges differ"
        yield few(twins.enough(throughput, graph))
        return
    if graph.lengths:
        yield not (graph.symmetric or by_distance), "by length, and with directions"
        yield not graph.lengths.foldable, "rounded sums of lengths could create or break ties"
    if name == "chains":
        yield by_distance, "searches share more than chains would save"
        yield not graph.symmetric, "edges have directions"
        reason = "a GPU takes chains of deep graphs of few arcs a node, by edges, not for stress"
        yield not sweeps_chains(engine, graph, [call.name]), reason
        yield few(chains.enough(throughput))
        return
    yield graph.cutoffs, "what lies behind a node may be too far away"
    if by_distance:
        yield call.name == "harmonic", "harmonic sums cannot be decomposed"
        yield query.weighs_pairs, "sums with weights of targets cannot be decomposed"
        yield name not in known, "not implemented on GPUs"
        graph = (
            graph if distance_measures.MEASURES[call.name].direction == "in" else graph.reverse()
        )
        if "blocks" not in known:
            reason = "on a GPU trees are folded for closeness by edges without directions"
            yield call.name != "closeness" or not distance_trees.is_fit(graph), reason
        pay = distance_blocks.pay if "blocks" in known else distance_trees.pay
        yield not pay(graph, sources), "too few leaves or sources for it to pay"
        return
    floats = "f" in (weights[0].dtype.kind, weights[1].dtype.kind)
    yield floats and not folds, "weights are not whole numbers"
    if name == "trees":
        yield call.name == "stress" and graph.lengths, "stress by length counts no trees"
        yield not graph.symmetric, "edges have directions"
        return
    yield call.name == "stress", "stress is not additive over biconnected components"
    directed_ends = call.endpoints and not graph.symmetric
    yield directed_ends, "endpoints of a directed graph are counted as it is swept"
    yield few(biconnected.enough(throughput, graph))


def _to_within(
    A: Adjacency, asked: dict[str, Any], run: RunOptions, others: list[Estimate]
) -> Estimate:
    """Predicted time to reach EPSILON: samples by the pilot variance, time interpolated in others.

    Samples of paths take the time of the pilot's draws.
    """
    goal = Goal(EPSILON, DELTA, None)
    drawn_from = sampler(A, 0, run=run, samples=None, goal=goal, **asked)
    with drawn_from as sample, sample.reporting():
        intervals = sample.intervals(EPSILON, DELTA)
        needed = count = int(min(max(PILOT, sample.least), sample.population))
        if count < sample.population:
            intervals.plan()
            begun = working_time()
            drawn = sample.draw(count, count, "", squares=True)
            each = (working_time() - begun) / count
            intervals.add(count, *drawn)
            intervals.plan()
            needed = intervals.expected
    known = sorted((other.sources, other.seconds.likely) for other in others if other.seconds)
    if sample.unit == "path":
        seconds = each * needed
    elif known:
        swept, likely = zip(*known, strict=True)
        seconds = float(np.interp(needed, swept, likely)) * min(1.0, needed / max(swept[0], 1))
    else:
        return Estimate(f"epsilon={EPSILON}", needed, None)
    between = Seconds(seconds / UNSURE, seconds, seconds * UNSURE)
    return Estimate(f"epsilon={EPSILON}", needed, between, f"{sample.unit}s")


def _advice(estimates: list[Estimate], run: Run, device: str) -> Iterator[str]:
    """Ways to a shorter run, where it is long."""
    asked, *others = estimates
    likely = np.inf if asked.seconds is None else asked.seconds.likely
    if likely < LONG:
        return
    for other in others:
        if other.seconds and other.seconds.likely < likely / 2:
            name = "approximate_betweenness with " if other.what.startswith("eps") else ""
            yield f"{name}{other.what} estimates the scores in {spelt(other.seconds)}"
    if device == "cpu":
        yield "device='cuda' runs on a GPU, executor= on several machines"
    if run.dtype != np.float32 and device != "cpu":
        yield "dtype=numpy.float32 takes half the memory, and less time on a GPU"
    if run.reductions != frozenset(REDUCTIONS):
        yield "reduce='all' may leave less to do"
