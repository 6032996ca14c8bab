"""Batches of sources on the device that is asked for, and what they find in their order."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..engines import devices
from ..errors import InputTypeError, OptionError
from ..measures.arguments import check_flags, distinct, is_number
from ..run.memory import Need, at_once
from ..run.options import Run, SearchOptions, parse
from ..run.progress import counting
from ..run.window import in_order
from . import workspace
from .contacts import Contacts
from .reference import Reference
from .timeline import Timeline, timeline

Kind = Literal["shortest", "shortest foremost"]
KINDS = ("shortest", "shortest foremost")


@dataclass(frozen=True)
class Task:
    """Contacts and sources, as validated arguments."""

    contacts: Contacts  # of one direction
    wait: float | None
    sources: NDArray[np.int32]
    foremost: bool
    run: Run


def read(
    contacts: Contacts,
    wait: Any,
    directed: Any,
    sources: ArrayLike | None,
    foremost: bool,
    options: Any,
) -> Task:
    """The arguments that all functions take, checked."""
    if not isinstance(contacts, Contacts):
        raise InputTypeError(
            f"contacts must be sparsebc.temporal.Contacts, got {type(contacts).__name__}: make "
            "them by Contacts(source, target, time)"
        )
    check_flags(directed=directed)
    every = np.arange(contacts.n, dtype=np.int32)
    if sources is not None:
        advice = "leave it out to take every node"
        every = distinct("sources", sources, contacts.n, instead=advice)
    run = parse(options, SearchOptions)
    wait = _limit(wait, contacts)
    return Task(contacts if directed else _both_ways(contacts), wait, every, foremost, run)


def _limit(wait: Any, contacts: Contacts) -> float | None:
    """The limit of waiting in the type of the times; None if there is none."""
    if wait is None:
        return None
    if not is_number(wait):
        raise InputTypeError(f"wait must be a number or None, got {wait!r}")
    if not wait >= 0:
        raise OptionError(f"wait must not be negative or NaN, got {wait}", "wait")
    if len(contacts) == 0:
        return None
    span = (contacts.time + contacts.duration).max() - contacts.time[0]
    if wait >= span:
        return None
    return int(wait) if contacts.time.dtype.kind == "i" else float(wait)


def _both_ways(contacts: Contacts) -> Contacts:
    """Each edge, and the same from its target to its source."""
    ends = (contacts.source, contacts.target)
    tails, heads = np.concatenate(ends), np.concatenate(ends[::-1])
    time, duration = (np.tile(each, 2) for each in (contacts.time, contacts.duration))
    return Contacts(tails, heads, time, duration, contacts.n)


def results(task: Task, what: Literal["betweenness", "optimal"]) -> Iterator[Any]:
    """What a `CPUWorkspace` finds of each batch of sources, in their order."""
    engine = devices.select(task.run.device)
    line = timeline(task.contacts, task.wait)
    if engine.name.startswith("reference"):
        reference = Reference(task.contacts, task.wait, line.times)
        batches = _cut(task.sources, 1)
        with counting(task.run.progress, task.sources.size) as advance:
            for batch in batches:
                yield from getattr(reference, what)([batch], task.foremost)
                advance(1)
        return
    batches = _cut(task.sources, workspace.CPUWorkspace.width)
    blocks = [[batch] for batch in batches]
    found = in_order(
        engine,
        blocks,
        _workspace,
        functools.partial(_work, what=what, foremost=task.foremost),
        graph=line,
        need=Need(
            "walks in time",
            at_once(min(task.sources.size, workspace.CPUWorkspace.width), line.n),
            line.nbytes,
            workspace.least_bytes(line),
            16 * line.n,
        ),
        run=task.run,
    )
    with task.run, closing(found), counting(task.run.progress, task.sources.size) as advance:
        for block, each in zip(blocks, found, strict=True):
            yield from each
            advance(sum(batch.size for batch in block))


def _cut(sources: NDArray[np.int32], width: int) -> list[NDArray[np.int32]]:
    """Batches of so many sources."""
    return [sources[i : i + width] for i in range(0, sources.size, width)]


def _workspace(engine: Any, line: Timeline, memory: int, stop: NDArray[np.uint8]) -> Any:
    """State of a worker."""
    return workspace.CPUWorkspace(line, memory, stop)


def _work(state: Any, block: Sequence[NDArray[np.int32]], what: str, foremost: bool) -> Any:
    """What a worker finds of some batches."""
    return getattr(state, what)(block, foremost)
