"""The command ``sparsebc approximate``."""

from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

from .. import io
from . import page, stops
from .measures import on_estimate
from .table import Column
from .task import Task


def approximate(task: Task) -> None:
    """Sampling estimate of betweenness, to a given error or within a given time."""
    given, names = task.given, task.network.names
    found, stopped = task.compute(_estimate, given.checkpoint is not None, by_edges=True)
    if stopped is not None:
        task.notes.append("the estimate was stopped early: half-widths are those reached so far")
    task.provenance["samples"] = found.samples
    head = f"all {found.population} sources; every score exact"
    kind = "paths" if found.population is None else "sources"
    if not found.exact:
        drawn = f"{found.samples} {'' if kind == 'paths' else f'of {found.population} '}{kind}"
        task.notes.append(on_estimate(task, drawn))
        head = (
            f"{drawn}; every score within {found.half_widths.max():.2g} with probability "
            f"{1 - given.delta:g}"
        )
    weighs = given.source_weights or given.target_weights
    if (given.sources or given.targets) and not weighs:
        task.notes.append(
            "scores and errors are divided by all pairs of nodes, not by those that "
            "--sources and --targets leave; --source-weights and --target-weights divide by theirs"
        )
    scores, widths = {"betweenness": found.scores}, {"betweenness": found.half_widths}
    draw = partial(page.write, task, scores=scores, half_widths=widths)
    scores = scores | {"half_width": found.half_widths}
    task.write(io.write_table, {"node": names}, scores, page=draw, nodes=scores)
    order = np.argsort(-found.scores, kind="stable")[: given.top or len(names)]
    columns = {
        "rank": Column(range(1, len(order) + 1), ">"),
        "node": Column(names).at(order),
        "betweenness": Column(found.scores, "<.6f").at(order),
        "half-width": Column(found.half_widths, "<.6f").at(order),
    }
    if given.rank:
        certain = set() if found.ranking is None else {*found.ranking[found.certain].tolist()}
        columns["certain"] = Column(["yes" if v in certain else "" for v in order])
    summary, record = task.summary()
    record |= {kind: found.samples, "population": found.population, "exact": found.exact}
    if stopped is not None:
        record["stopped"] = True
    files = {"scores of all nodes": given.output}
    task.tell("ranking", columns, files, summary, head, hidden=["certain"], **record)
    if stopped is not None:
        raise stopped


def _estimate(A: Any, is_kept: bool, **options: Any) -> tuple[Any, BaseException | None]:
    """Estimate, and the exception that stopped it early or None; reraised if there are no samples.

    With a checkpoint, `stops.kept` already handles signals.
    """
    from .. import approximate_betweenness

    with nullcontext() if is_kept else stops.stopped_by_signals():
        try:
            return approximate_betweenness(A, **options), None
        except (KeyboardInterrupt, stops.Stopped) as stop:
            found = getattr(stop, "approximation", None)
            if found is None or not found.samples:
                raise
            return found, stop
