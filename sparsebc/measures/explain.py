"""What a call will do, and how long it will take, without making it."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, Unpack

import numpy as np
from numpy.typing import ArrayLike

from ..engines import devices
from ..engines.base import Kernel, blocks_of
from ..engines.sums import Launch
from ..errors import OptionError
from ..graph.edge_weights import TIE_RTOL
from ..graph.graph import Graph
from ..graph.read_matrix import Adjacency
from ..jit import compilation, working_time
from ..run import memory, options, sweep, sweep_plan
from ..run.fingerprint import Question
from ..run.options import REDUCTIONS, Run, RunOptions
from . import centralities, distance_sums, distances
from .centralities import Measure
from .confidence import Intervals
from .plan import Estimate, Plan, Step, spelt
from .query import Query, validate
from .reduction_rules import why_not
from .runtime_estimate import Seconds, predicted
from .sampling import sampler

# What is asked of the estimates that are compared with the exact scores.
SAMPLE, EPSILON, DELTA = 1000, 0.01, 0.1
# Sources from which the spread of the scores is estimated, and what that leaves open: a factor.
PILOT, UNSURE = 128, 1.5
# Seconds of what is timed twice: the first time in a process takes some milliseconds more.
BRIEF = 0.1
# Seconds of a run from which there is something to be said about it.
LONG = 60.0


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
    k: int | None = None,
    rng: Any = None,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[RunOptions],
) -> Plan:
    """What a call of a measure will do, and how long it will take, without making it.

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
    k, rng, tie_rtol
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
    (name,) = centralities.checked([measure])
    settings, origin = options.parse(run), devices.home(A)
    settings.without_checkpoint("a plan")
    if settings.executor is not None:
        raise OptionError(
            "executor has no effect on a plan, which looks at this machine: leave it out",
            "executor",
        )
    by_distance = name in distances.MEASURES
    given: dict[str, Any] = {
        "targets": targets,
        "source_weights": source_weights,
        "target_weights": target_weights,
    }
    centralities.refuse_pairs([name] if by_distance else [], given)
    if endpoints and name != "betweenness":
        raise OptionError(
            "endpoints=True has an effect only on 'betweenness': leave it out", "endpoints=True"
        )
    engine = devices.select(settings.device, origin)
    asked = {"directed": directed, "weighted": weighted, "tie_rtol": tie_rtol}
    begun, compiled = working_time(), compilation.seconds
    with engine.here(), settings:
        read = functools.partial(
            validate,
            A,
            ops_for=engine.ops_for,
            workers=settings.threads,
            flags={"directed": directed, "endpoints": endpoints},
            weighted=weighted,
            tie_rtol=tie_rtol,
            cutoff=cutoff,
        )
        query = read(sources=sources, k=k, rng=rng, **given)
        reading = working_time() - begun
        if reading < BRIEF:
            begun = working_time()
            read(sources=sources, k=k, rng=None if k is None else 0, **given)
            reading = working_time() - begun
        job = _Job(engine, name, settings, endpoints)
        steps, prepared = _steps(job, query)
        preparing = reading + prepared.seconds
        estimates = [Estimate("as asked", prepared.sources, _later(prepared.time(), preparing))]
        n = query.graph.n
        whole = not any(value is not None for value in (cutoff, sources, k, *given.values()))
        if whole and n > SAMPLE:
            few = job.prepare(read(sources=None, k=SAMPLE, rng=0, **given), settings.reductions)
            estimates.append(
                Estimate(f"k={SAMPLE}", few.sources, _later(few.time(), reading + few.seconds))
            )
        if whole and name == "betweenness" and not endpoints and not engine.profile.literal:
            estimates.append(_to_within(A, asked, run, estimates))
        graph = query.graph
        labels = graph.ops.on_host(graph.components)
        return Plan(
            measure=name,
            device=engine.name,
            nodes=n,
            arcs=graph.arcs,
            components=int(np.unique(labels).size),
            levels=graph.depth,
            directed=not graph.symmetric,
            by_length=graph.lengths is not None,
            steps=tuple(steps),
            **prepared.facts(),
            compiling=compilation.seconds - compiled,
            estimates=tuple(estimates),
            advice=tuple(_advice(estimates, settings, engine.name)),
        )


@dataclass(frozen=True)
class _Prepared:
    """A problem ready to be swept: its groups, and how they would be."""

    engine: Any
    kernel: Kernel
    graph: Graph
    groups: Any
    blocks: Any  # the groups, as workers take them
    together: int  # blocks that are a launch
    width: int
    need: Any
    workspace: Callable[..., Any]  # these two as `workers.in_order` takes them
    sweep: Callable[..., object]
    run: Run
    seconds: float = 0.0  # to make it ready

    @property
    def sources(self) -> int:
        """Sources that are swept."""
        return sweep_plan.count_sources(self.groups)

    @property
    def work(self) -> int:
        """Sources times arcs, each in its own component."""
        label = self.graph.ops.on_host(self.graph.components)
        inside = np.bincount(label, self.graph.ops.on_host(self.graph.outgoing.degrees))
        return int(sum(inside[label[group.sources]].sum() for group in self.groups))

    def time(self) -> Seconds | None:
        """What the sweeps will take."""
        found = self._timed()
        return self._timed() if found and found.likely < BRIEF else found

    def _timed(self) -> Seconds | None:
        return predicted(
            *(self.engine, self.graph, self.blocks, self.workspace, self.sweep),
            together=self.together,
            need=self.need,
            run=self.run,
        )

    def facts(self) -> dict[str, Any]:
        """Kernels, groups, blocks, workers and memory."""
        team, _ = memory.plan(self.engine, self.need, most=max(len(self.blocks), 1), run=self.run)
        need = self.need
        return {
            "kernels": self.kernel.files,
            "sources": self.sources,
            "groups": len(self.groups),
            "blocks": len(self.blocks),
            "width": self.width,
            "workers": len(team),
            "memory": len(set(team)) * need.fixed + len(team) * (need.each + need.waiting),
        }


class _Job(NamedTuple):
    """A measure on an engine."""

    engine: Any
    name: str
    run: Run
    endpoints: bool

    def prepare(self, query: Query, reductions: frozenset[str]) -> _Prepared:
        """The problem that is left to sweep by these reductions."""
        by_distance = self.name in distances.MEASURES
        begun = working_time()
        prepared = (self._of_distances if by_distance else self._of_paths)(query, reductions)
        return replace(prepared, seconds=working_time() - begun)

    def _of_paths(self, query: Query, reductions: frozenset[str]) -> _Prepared:
        """The problem of a measure that counts paths."""
        engine, run = self.engine, self.run
        alpha, omega = query.alpha.counted, query.omega.counted
        question = Question(query.graph, alpha, omega, [self.name], self.endpoints)
        problem, sums, run = sweep.prepared(engine, question, replace(run, reduce=reductions))
        plan = sweep_plan.planned(engine, problem, sums, run)
        return _Prepared(
            engine=plan.engine,
            kernel=plan.kernel,
            graph=problem.graph,
            groups=plan.batches,
            blocks=plan.blocks,
            together=max((len(launch.blocks) for launch in plan.launches()), default=1),
            width=plan.sweep.width,
            need=plan.need,
            workspace=plan.sweep.state,
            sweep=lambda state, several: state.sweep(Launch(0, several), np.inf),
            run=run,
        )

    def _of_distances(self, query: Query, reductions: frozenset[str]) -> _Prepared:
        """The problem of a measure that adds up distances."""
        engine, graph = self.engine, query.graph
        graph = graph if distances.MEASURES[self.name][0] == "in" else graph.reverse()
        reads = distances.READS.get(self.name, distance_sums.ALL)
        work = distance_sums.planned(engine, graph, query.is_source, reads, reductions)
        return _Prepared(
            engine=work.engine,
            kernel=work.kernel,
            graph=work.task.graph,
            groups=work.batches,
            blocks=blocks_of(work.kernel, work.task, work.batches),
            together=1,
            width=work.sweep.width,
            need=distance_sums.need_of(work),
            workspace=work.sweep.state,
            sweep=lambda state, several: [state.accumulate(block) for block in several],
            run=self.run,
        )


def _steps(job: _Job, query: Query) -> tuple[list[Step], _Prepared]:
    """The reductions one after the other, and the problem that all of them leave."""
    graph, chosen = query.graph, job.run.reductions
    sources = int(np.count_nonzero(query.alpha.counted))
    steps = [Step("given", graph.n, graph.arcs, sources, sources * graph.arcs)]
    prepared, used = None, frozenset[str]()
    for name in ("prune", "trees", "blocks", "chains", "twins"):
        reason = why_not(name, job, query, chosen)
        if reason is None and name == "twins" and steps[-1].left_out is None:
            reason = "chains are left to their ends instead"
        if reason is None:
            used |= {name}
            prepared = job.prepare(query, used)
            left = prepared.graph
            step = Step(name, left.n, left.arcs, prepared.sources, prepared.work)
            if name not in prepared.run.reductions:
                used -= {name}
                reason = "its searches do not fit into memory"
            elif (step.arcs, step.sources) == (steps[-1].arcs, steps[-1].sources):
                reason = "finds nothing, or would take longer than it saves"
        if reason is not None:
            last = steps[-1]
            step = replace(last, name=name, left_out=reason)
        steps.append(step)
    if prepared is None or prepared.seconds < BRIEF:
        prepared = job.prepare(query, used)
    return steps, prepared


def _to_within(
    A: Adjacency, asked: dict[str, Any], run: RunOptions, others: list[Estimate]
) -> Estimate:
    """What `approximate_betweenness` takes: samples by variance, at the rate of the others."""
    with sampler(A, 0, run=run, **asked) as sample, sample.reporting():
        intervals = Intervals(sample.population, EPSILON / sample.scale, DELTA)
        needed = count = min(PILOT, sample.population)
        if count < sample.population:
            intervals.plan()
            drawn = sample.draw(count, count, "", squares=True)
            intervals.add(count, drawn["dependency"], drawn["squares"])
            intervals.plan()
            needed = intervals.expected
    what = f"epsilon={EPSILON}"
    known = sorted((one.sources, one.seconds.likely) for one in others if one.seconds)
    if not known:
        return Estimate(what, needed, None)
    swept, likely = zip(*known, strict=True)
    seconds = float(np.interp(needed, swept, likely)) * min(1.0, needed / max(swept[0], 1))
    return Estimate(what, needed, Seconds(seconds / UNSURE, seconds, seconds * UNSURE))


def _later(seconds: Seconds | None, begun: float) -> Seconds | None:
    """The same and what came before."""
    return seconds and Seconds(*(part + begun for part in seconds))


def _advice(estimates: list[Estimate], run: Run, device: str) -> Iterator[str]:
    """What to do if it is too long."""
    asked, *others = estimates
    if asked.seconds is not None and asked.seconds.likely < LONG:
        return
    for other in others:
        if other.seconds and (
            asked.seconds is None or other.seconds.likely < asked.seconds.likely / 2
        ):
            name = "approximate_betweenness with " if other.what.startswith("eps") else ""
            yield f"{name}{other.what} estimates the scores in {spelt(other.seconds)}"
    if device == "cpu":
        yield "device='cuda' runs on a GPU, executor= on several machines"
    if run.dtype != np.float32 and device != "cpu":
        yield "dtype=numpy.float32 takes half the memory, and less time on a GPU"
    if run.reductions != frozenset(REDUCTIONS):
        yield "reduce='all' may leave less to do"
