"""Plan of a call: reductions, kernels, work, memory and its rough time, without the call."""

from __future__ import annotations

import copy
import dataclasses
import functools
import math
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Unpack

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from .engines import devices
from .engines.common.base import Engine
from .kernel_cache import working_time
from .matrix.edge_weights import TIE_RTOL
from .matrix.graph import HIGH_DIAMETER
from .matrix.read_matrix import Adjacency
from .measures import centralities, distance_sums, distances
from .measures.centralities import Measure
from .measures.reading import WEIGHTS, reading
from .reduce.reduce import ORDER, Query
from .sweep import options
from .sweep import plan as sweep_plan
from .sweep.options import PlanOptions, Run
from .sweep.plan import SweepPlan
from .sweep.sum_by_range import prepared

# Least seconds of a call that gives a rate, and the sources of the smallest, a thread.
SECONDS, COUNT = 0.2, 64


@dataclass(frozen=True)
class Step:
    """A reduction, and the size of the problem after it.

    Attributes
    ----------
    name : str
        "given" for the graph as given, "prune", "trees", "blocks", "chains" or "twins".
    nodes, arcs, sources : int
        Size of the problem; a cut node counts in each of its blocks.
    work : int
        Sources times arcs; after a reduction, of each source the arcs of its component or block.
    left_out : str or None
        Reason why the reduction is not used; None if it is.
    """

    name: str
    nodes: int
    arcs: int
    sources: int
    work: int
    left_out: str | None = None


@dataclass(frozen=True)
class Plan:
    """Plan of a call; its text is a table.

    Attributes
    ----------
    measure, device : str
        Name of the measure, and of the device.
    nodes, arcs, components, levels : int
        Nodes, arcs (an undirected edge is two), weakly connected components, and the eccentricity
        in edges of the node of the largest out-degree.
    directed, by_length : bool
        Whether the matrix is not symmetric; whether lengths of edges differ.
    steps : tuple of Step
        The graph as given, and the reductions in their order.
    kernels : tuple of str
        Kernel files below ``engines/``; which of several sweeps a batch is decided at run time.
    sources, groups, blocks, width : int
        Sources that are swept, their batches, blocks of batches, and columns of the widest batch:
        its sources, and the far ends of its chains.
    workers, memory : int
        Threads or GPUs, and bytes that they take, the graph included.
    cutoff : bool
        Whether searches end at a cutoff.
    seconds : float
        About how long the call takes, from the matrix on, with kernels loaded; without a cutoff,
        which makes it shorter.
    """

    measure: str
    device: str
    nodes: int
    arcs: int
    components: int
    levels: int
    directed: bool
    by_length: bool
    steps: tuple[Step, ...]
    kernels: tuple[str, ...]
    sources: int
    groups: int
    blocks: int
    width: int
    workers: int
    memory: int
    cutoff: bool
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """The plan as a dict of dicts, tuples, strings and numbers, for JSON."""
        return dataclasses.asdict(self)

    def _repr_html_(self) -> str:
        """The text, preformatted, for a notebook."""
        return f"<pre>{escape(str(self))}</pre>"

    def __str__(self) -> str:
        """Text of the plan: graph, reductions, kernels, batches, workers and time."""
        kind = ("directed" if self.directed else "undirected") + (
            ", by length" if self.by_length else ""
        )
        lines = [
            f"{self.measure} on {self.device}",
            f"graph         {self.nodes} nodes, {self.arcs} arcs, {kind}; {self.components} "
            f"component{'s' * (self.components > 1)}, {self.levels} levels",
            f"{'reduction':<14}{'nodes':>10}{'arcs':>12}{'sources':>10}{'sources x arcs':>18}",
        ]
        for step in self.steps:
            numbers = f"{step.nodes:>10}{step.arcs:>12}{step.sources:>10}{step.work:>18.3g}"
            lines.append(f"{step.name:<14}{numbers if step.left_out is None else step.left_out}")
        most = "at most " if self.cutoff else ""
        lines += [
            f"kernels       {', '.join(self.kernels)}",
            f"batches       {self.groups} of at most {self.width} of {self.sources} sources, in "
            f"{self.blocks} blocks",
            f"workers       {self.workers}, {self.memory / 2**20:.0f} MiB",
            f"time          {most}about {float(f'{self.seconds:.1g}'):g} s",
        ]
        return "\n".join(lines)


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
    k: ArrayLike | None = None,
    rng: Any = None,
    tie_rtol: float = TIE_RTOL,
    **run: Unpack[PlanOptions],
) -> Plan:
    """Plan of a call of a measure, and its rough time, without the call.

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
    k : int or array_like of int, optional
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
        and about how many seconds the call takes.

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
    call uses; nothing is swept. The seconds are those of reading and reducing, which are measured,
    and the work of the last step divided by a rate: sources times arcs that the same measure sweeps
    a second on a small graph made for it, of many levels or few, by edges or by length. A rate is
    measured once in a process, in a second or two. Real graphs differ from it: expect a factor of
    3 either way, and more with a decay or demand. Compiling is not included. Memory is that of the
    call.

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
    >>> bool(plan.seconds < 60)
    True
    """
    given = locals()
    (name,) = centralities.checked([measure], "measure")
    settings = options.parse(run, PlanOptions)
    centralities.check_options([name], given, endpoints=endpoints)
    weights = {each: given[each] for each in WEIGHTS if given[each] is not None}
    begun, flags = working_time(), {"directed": directed, "endpoints": endpoints}
    asked: Any = {"sources": sources, "k": k, "rng": copy.deepcopy(rng), **weights, "flags": flags}
    asked |= {"weighted": weighted, "tie_rtol": tie_rtol, "cutoff": cutoff, "measures": [name]}
    asked["counts_paths"] = name not in distances.MEASURES
    with reading(A, settings, **asked) as (engine, query):
        graph, plan = query.graph, _planned(engine, name, query, settings)
        seconds = working_time() - begun
        last, need, blocks = _step(plan, ""), plan.need, len(plan.blocks)
        team, _ = sweep_plan.team_of(plan.engine, need, most=blocks, run=plan.run)
        if last.work:
            lengths, device = plan.task.graph.lengths, settings.device or query.origin
            seconds += last.work / _rate(
                "betweenness" if name == "stress" else name,  # a grid has too many paths to count
                device if device is None or isinstance(device, str) else tuple(device),
                len(team),
                settings.dtype.name,
                whole=None if lengths is None else lengths.whole,
                high_diameter=graph.depth > HIGH_DIAMETER,
                apart=1 << min(max(graph.n // last.sources, 1).bit_length() - 1, 9),
            )
        return Plan(
            measure=name,
            device=engine.name,
            nodes=graph.n,
            arcs=graph.arcs,
            components=int(np.unique(graph.ops.on_host(graph.components)).size),
            levels=graph.depth,
            directed=not graph.symmetric,
            by_length=graph.lengths is not None,
            steps=tuple(_steps(engine, name, query, plan, settings)),
            kernels=plan.kernel.files,
            sources=last.sources,
            groups=sum(map(len, plan.blocks)),
            blocks=blocks,
            width=plan.sweep.width,
            workers=len(team),
            memory=len(set(team)) * need.fixed + len(team) * (need.each + need.waiting),
            cutoff=bool(graph.cutoffs),
            seconds=seconds,
        )


def _planned(engine: Engine, name: str, query: Query, run: Run) -> SweepPlan:
    """The plan of the reduced problem, made as by the function of the measure."""
    if name not in distances.MEASURES:
        problem, run = prepared(engine, query, run)
        return sweep_plan.planned(engine, problem, run)
    measure = distances.MEASURES[name]
    graph = query.graph if measure.direction == "in" else query.graph.reverse()
    if query.target_weights is not None:
        places, functions = distances.weighed(query, [measure])
        asked = (places, tuple(functions.values()), run)
        return distance_sums.access_plan(engine, graph, *asked)[0]
    return distance_sums.planned(engine, graph, query.is_source, measure.reads, run)[0]


def _step(plan: SweepPlan, name: str) -> Step:
    """Size of the problem after a reduction; each source counts the arcs of its component."""
    graph = plan.task.graph
    label, degrees = map(graph.ops.on_host, (graph.components, graph.outgoing.degrees))
    arcs = np.bincount(label, degrees, max(graph.n, 1))
    work = int(sum(arcs[label[batch.sources]].sum() for block in plan.blocks for batch in block))
    return Step(name, graph.n, graph.arcs, sweep_plan.count_sources(plan.blocks), work)


def _steps(
    engine: Engine, measure: str, query: Query, plan: SweepPlan, settings: Run
) -> list[Step]:
    """Steps of the reductions: each is the problem of a call that allows no later reduction."""
    graph, used, left_out = query.graph, frozenset[str](), plan.task.left_out
    sources = int(np.count_nonzero(query.alpha))
    steps = [Step("given", graph.n, graph.arcs, sources, sources * graph.arcs)]
    for name in ORDER:
        reason = left_out.get(name)
        if reason is None:
            is_last = left_out.keys() >= {*ORDER[ORDER.index(name) + 1 :]}
            run = replace(settings, reduce=used | {name})
            part = plan if is_last else _planned(engine, measure, query, run)
            reason = part.task.left_out.get(name)
        if reason is None:
            used |= {name}
            steps.append(_step(part, name))
        else:
            steps.append(replace(steps[-1], name=name, left_out=reason))
    return steps


@functools.cache
def _rate(
    name: Measure,
    device: str | tuple[str, ...] | None,
    workers: int,
    dtype: str,
    *,
    whole: bool | None,
    high_diameter: bool,
    apart: int,
) -> float:
    """Sources times arcs that a measure sweeps a second, on a graph made for that.

    ``whole`` is whether lengths are integers; None without lengths. One node in ``apart`` is a
    source: in a graph of high diameter, near sources share searches.
    """
    engine = devices.select(device)
    A = _made(high_diameter, whole, scale=16 if engine.devices else 1)
    ways: dict[str, Any] = {"weighted": whole is not None, "reduce": "none", "dtype": dtype}
    sources = np.arange(0, A.shape[0], apart if high_diameter else 1)
    count, rate = 4, 0.0
    while True:
        some, begun = sources[:count], working_time()
        centralities.centralities(A, [name], sources=some, device=device, workers=workers, **ways)
        seconds = working_time() - begun
        rate = max(rate, float(some.size * A.nnz / seconds))
        is_first = count == 4  # it warms up
        if engine.profile.literal or count >= sources.size or (seconds >= SECONDS and not is_first):
            return rate
        count = COUNT * workers if is_first else 4 * count


def _made(high_diameter: bool, whole: bool | None, scale: int) -> Any:
    """A symmetric matrix with drawn lengths: a grid, or edges between any nodes and few hubs.

    For a GPU its ``scale`` is larger, lest launches take most of the time.
    """
    rng = np.random.default_rng(0)
    if high_diameter:
        place = np.arange(scale << 15).reshape(-1, 128 * math.isqrt(scale))
        tails = np.concatenate([place[:, 1:].ravel(), place[1:].ravel()])
        heads = np.concatenate([place[:, :-1].ravel(), place[:-1].ravel()])
    else:
        n = scale << 13
        tails = rng.integers(0, n, 6 * n)
        heads = (rng.random(tails.size) ** 2 * n).astype(np.int64)
    lengths = 1 + rng.random(tails.size) if whole is False else rng.integers(1, 11, tails.size)
    half = sp.csr_array((lengths, (tails, heads)))
    half.resize(2 * (max(half.shape),))
    return sp.csr_array(half + half.T)
