"""Plan of a call, and estimate of its time, without the call."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ..engines import devices
from ..engines.common.base import Engine
from ..engines.common.batch import Batch
from ..engines.common.sums import Launch
from ..errors import MemoryBudgetError
from ..graph.edge_weights import TIE_RTOL
from ..graph.read_matrix import Adjacency
from ..jit import compilation, working_time
from ..reduce.choice import ORDER
from ..run import memory_plan, options, sweep, sweep_plan
from ..run.options import REDUCTIONS, PlanOptions, Run
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
# Sources of the pilot sample for the variance, and uncertainty factor of the predicted time.
PILOT, UNSURE = 128, 1.5
# Seconds below which a call is timed again: the first one in a process takes milliseconds more.
BRIEF = 0.1
# Least seconds of a call that gets advice.
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
    **run: Unpack[PlanOptions],
) -> Plan:
    """Plan of a call of a measure, and an estimate of its time, without the call.

    Parameters
    ----------
    A : sparse array or sparse matrix, shape (n, n), or tuple (indptr, indices, n)
        As in `betweenness`; on the host or a GPU.
    measure : str, default "betweenness"
        A name that `centralities` takes.
    directed : bool, default True
        As in the function of the measure.
    weighted, endpoints : bool, default False
        As in the function of the measure.
    cutoff : number or array_like of numbers, shape (c,), optional
        As in the function of the measure.
    sources, targets : array_like of int, shape (m,), optional
        As in the function of the measure.
    source_weights, target_weights : array_like of numbers, shape (n,), optional
        As in the function of the measure.
    demand : sparse array or sparse matrix, shape (n, n), optional
        As in the function of the measure.
    decay : tuple (str, number) or tuple (distances, weights), optional
        As in the function of the measure.
    k : int, optional
        As in the function of the measure.
    rng : None, int, numpy.random.Generator or other seed, optional
        As in the function of the measure; a generator is copied, and keeps its state.
    tie_rtol : float, default 1e-11
        As in the function of the measure.
    **run
        Run options of `sparsebc.PlanOptions`, as in `betweenness`.

    Returns
    -------
    Plan
        The graph, the reductions and the size of the problem after each, kernels, batches, memory,
        and times: of the call, of an estimate from 1000 sources (``k=1000``), and for betweenness
        of an estimate with errors of at most 0.01 (``epsilon=0.01``); estimates that the memory
        budget has no room for are left out.

    Raises
    ------
    TypeError
        If `measure` is not a str.
    ValueError
        If `measure` is not one of the names, or an option has no effect on it.
    TypeError, ValueError, RuntimeError, MemoryError, OverflowError
        As the measure does.

    See Also
    --------
    centralities : The measures.

    Notes
    -----
    The graph is read and reduced as the call does it, and once more up to each reduction that the
    call uses. Then blocks of the call are timed for a second or two, spread evenly over all of
    them, by as many workers as the call has. The estimate assumes no speed of the machine, and
    stores none; it holds for the present load. Its range is a quarter either way, and wider the
    more the timed blocks differ. The sample size for epsilon is predicted from variances, which are
    estimated from 128 sources: the time may be 1.5 times as long, or as short. Cost is that of
    reading and reducing, and some seconds. Memory is that of the call.

    Kernels are compiled, or loaded from disk, before a block is timed. `Plan.compiling` has the
    time of that: the first call in a new process takes as much longer, or less if the kernels are
    on disk.

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
    settings = options.parse(run, PlanOptions)
    centralities.check_options([name], given, endpoints=endpoints)
    weights = {each: given[each] for each in WEIGHTS if given[each] is not None}
    engine = devices.select(settings.device, devices.home(A))
    flags = {"directed": directed, "endpoints": endpoints}
    lengths = {"weighted": weighted, "tie_rtol": tie_rtol}
    counts_paths = name not in distance_measures.MEASURES
    compiled = compilation.seconds
    with engine.here(), settings:

        def read(**asked: Any) -> Query:
            asked |= {**lengths, "cutoff": cutoff, "counts_paths": counts_paths}
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
            with suppress(MemoryBudgetError):
                few, preparing = call.prepare(read(k=SAMPLE, rng=0))
                estimates.append(_estimate(few, f"k={SAMPLE}", reading + preparing))
        if by_ends and name == "betweenness" and not endpoints and not engine.profile.literal:
            asked = {"directed": directed, "sources": sources, **lengths, **weights}
            with suppress(MemoryBudgetError):
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
    """Result of a call, and its seconds; those of a second call, if the first was brief."""
    for _ in range(2):
        begun = working_time()
        result = call()
        seconds = working_time() - begun
        if seconds >= BRIEF:
            break
    return result, seconds


class _Call(NamedTuple):
    """A measure with its engine and its options."""

    engine: Engine
    name: str
    run: Run
    endpoints: bool

    def prepare(self, query: Query) -> tuple[SweepPlan, float]:
        """The plan of the call, and the seconds that reducing the problem took."""
        return _timed(lambda: self.planned(query, self.run))

    def planned(self, query: Query, run: Run) -> SweepPlan:
        """The plan of the reduced problem, made as by the function of the measure."""
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
    """Size of the problem after a reduction; each source counts the arcs of its component."""
    graph, batches = plan.task.graph, plan.batches
    label, arcs = graph.ops.on_host(graph.components), arcs_of_components(graph)
    work = int(sum(arcs[label[batch.sources]].sum() for batch in batches))
    return Step(name, graph.n, graph.arcs, sweep_plan.count_sources(batches), work)


def _estimate(plan: SweepPlan, what: str, before: float) -> Estimate:
    """Time of a call: ``before``, the seconds of reading and reducing, and those of the sweeps."""
    task: Any = plan.task

    def work(state: Any, blocks: Sequence[Sequence[Batch]]) -> None:
        if task.of_distances:
            for block in blocks:
                state.accumulate(block)
        else:
            state.sweep(Launch(0, blocks), np.inf)

    launches = [] if task.of_distances else plan.launches()
    launch_blocks = max((len(launch.blocks) for launch in launches), default=1)
    for _ in range(2):
        seconds = predicted(plan, work, launch_blocks)
        if seconds is None or seconds.likely >= BRIEF:
            break
    total = seconds and Seconds(*(sweeps + before for sweeps in seconds))
    return Estimate(what, sweep_plan.count_sources(plan.batches), total)


def _facts(plan: SweepPlan) -> dict[str, Any]:
    """Fields of `Plan` about the sweeps: kernels, batches, blocks, workers and memory."""
    need, blocks, batches = plan.need, len(plan.blocks), plan.batches
    team, _ = memory_plan.plan(plan.engine, need, most=blocks, run=plan.run)
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
    """Steps of the reductions, the plan of the call, and the seconds that reducing took.

    A step is the problem of a call that allows no later reduction.
    """
    graph, used = query.graph, frozenset[str]()
    plan, seconds = call.prepare(query)
    left_out = plan.task.left_out
    sources = int(np.count_nonzero(query.alpha.counted))
    steps = [Step("given", graph.n, graph.arcs, sources, sources * graph.arcs)]
    for name in ORDER:
        reason = left_out.get(name)
        if reason is None:
            is_last = left_out.keys() >= {*ORDER[ORDER.index(name) + 1 :]}
            run = replace(call.run, reduce=used | {name})
            part = plan if is_last else call.planned(query, run)
            reason = part.task.left_out.get(name)
        if reason is None:
            used |= {name}
            steps.append(_step(part, name))
        else:
            steps.append(replace(steps[-1], name=name, left_out=reason))
    return steps, plan, seconds


def _to_within(
    A: Adjacency, asked: dict[str, Any], run: PlanOptions, others: list[Estimate]
) -> Estimate:
    """Predicted samples and time of an estimate with errors of at most `EPSILON`.

    The pilot sample's variances give the number of samples. The time of sources is interpolated in
    the ``others``; that of paths is measured in the pilot sample.
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
    """Ways to a shorter call, if it takes `LONG` seconds or more."""
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
        yield "reduce='all' may leave a smaller graph"
