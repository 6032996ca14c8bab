"""Validated arguments of temporal measures, and their sweep over the batches of sources."""

import functools
import math
from collections.abc import Iterator
from contextlib import closing, nullcontext
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..arguments import check_flags, is_number, listed
from ..engines import devices
from ..engines.common.base import Task
from ..engines.common.sums import Batch
from ..errors import InputError, InputTypeError
from ..sweep.in_order import by_name, in_order
from ..sweep.options import Run, SearchOptions, parse
from ..sweep.plan import Need, at_once, planned
from ..sweep.progress import counting
from . import kernels as kernels  # entered in the engines' tables
from .contacts import Contacts
from .timeline import timeline

BEYOND = 2**1023  # exact as a float, and later than all times


def validated(
    contacts: Contacts,
    wait: Any,
    directed: Any,
    sources: ArrayLike | None,
    options: Any,
    *,
    start: Any = None,
    backward: bool = False,
) -> tuple[Task, Run]:
    """Validate arguments; drop edges before ``start``, and reverse time if ``backward``."""
    if not isinstance(contacts, Contacts):
        raise InputTypeError(
            f"contacts must be sparsebc.temporal.Contacts, got {type(contacts).__name__}: make "
            "them by Contacts(source, target, time)"
        )
    check_flags(directed=directed)
    chosen = np.arange(contacts.n, dtype=np.int32)
    if sources is not None:
        advice = "leave it out to take every node"
        chosen = listed("sources", sources, contacts.n, instead=advice, repeats=False)
    run, limit = parse(options, SearchOptions), _limit(wait, contacts)
    edges = contacts
    if not directed:
        ends = contacts.source, contacts.target
        tails, heads = np.concatenate(ends), np.concatenate(ends[::-1])
        time, duration = (np.tile(each, 2) for each in (contacts.time, contacts.duration))
        edges = Contacts(tails, heads, time, duration, contacts.n)
    columns = [edges.source, edges.target, edges.time, edges.time + edges.duration]
    if start is not None:
        kept = edges.time >= _start(start, edges)
        columns = [column[kept] for column in columns]
    if backward:
        tail, head, departure, arrival = columns
        # Of integers, the complement reverses the order like the negative, without overflow.
        reverse = np.invert if edges.time.dtype.kind == "i" else np.negative
        departure, arrival = reverse(arrival), reverse(departure)
        order = np.argsort(departure, kind="stable")
        columns = [column[order] for column in (head, tail, departure, arrival)]
    tail, head, departure, arrival = columns
    line = timeline(edges.n, tail, head, departure, arrival, limit)
    return Task("temporal walks", line, sources=chosen, alpha=np.ones(chosen.size)), run


def _start(start: Any, contacts: Contacts) -> float:
    """``start`` in the type of the contacts' times, rounded up."""
    if not is_number(start):
        raise InputTypeError(f"start must be a number, got {start!r}")
    if start != start:
        raise InputError("start must not be NaN", "start")
    is_real = isinstance(start, (float, np.floating))
    exact = float(start) if is_real else min(max(int(start), -BEYOND), BEYOND)
    if contacts.time.dtype.kind == "i":
        return math.ceil(exact) if math.isfinite(exact) else exact
    nearest = float(exact)
    return math.nextafter(nearest, math.inf) if nearest < exact else nearest


def _limit(wait: Any, contacts: Contacts) -> float | None:
    """``wait`` in the type of the contacts' times; None if no walk can wait longer."""
    if wait is None:
        return None
    if not is_number(wait):
        raise InputTypeError(f"wait must be a number or None, got {wait!r}")
    if not wait >= 0:
        raise InputError(f"wait must not be negative or NaN, got {wait}", "wait")
    if not len(contacts) or wait >= (contacts.time[-1] - contacts.time[0]).item():
        return None
    return int(wait) if contacts.time.dtype.kind == "i" else float(wait)


def batch_results(
    task: Task, run: Run, *, scores: bool, foremost: bool
) -> Iterator[tuple[Batch, Any]]:
    """Yield each batch of sources with its result from the selected device, in order.

    That is the scores of all nodes, or numbers of edges and steps of arrival, (n, sources).
    """
    line, plan = task.graph, planned(devices.select(run.device), task, run)
    blocks, sweep = plan.blocks, plan.sweep
    results = in_order(
        plan.engine,
        blocks,
        sweep.state,
        functools.partial(by_name, "results", scores=scores, foremost=foremost),
        graph=line,
        need=Need(
            "temporal walks",
            at_once(sweep.width, line.n),
            line.nbytes,
            plan.kernel.least_bytes(line, sweep),
            16 * line.n * max(map(len, blocks), default=1),
        ),
        run=run,
    )
    with (
        run.executor or nullcontext(),
        closing(results),
        counting(run.progress, task.sources.size) as advance,
    ):
        for block, of_block in zip(blocks, results, strict=True):
            yield from zip(block, of_block, strict=True)
            advance(sum(batch.sources.size for batch in block))
