"""The commands of temporal networks, such as ``sparsebc temporal-betweenness``."""

from typing import Any

import numpy as np

from .. import io, temporal
from .measures import tell_scores
from .read_contacts import instant
from .table import Column
from .task import Task


def betweenness(task: Task) -> None:
    """Temporal betweenness: the share of optimal walks that pass each node."""
    _rank(task, "betweenness", task.compute(temporal.betweenness))


def closeness(task: Task) -> None:
    """Temporal closeness: one over the mean number of contacts of the shortest walks to a node."""
    _rank(task, "closeness", task.compute(temporal.closeness))


def reach(task: Task) -> None:
    """Number of nodes that each node reaches."""
    _rank(task, "reach", task.compute(temporal.reach, _start(task)))


def arrival(task: Task) -> None:
    """Earliest arrival at each node from each source."""
    names, start = task.network.names, _start(task)
    sources = task.keywords.pop("sources")
    found = task.compute(temporal.arrival, sources, start)
    named = [names[v] for v in sources]
    task.write(io.write_pairs, {"arrival": found}, named, names)
    reached = np.isfinite(found)
    last = np.where(reached, found, start).max(axis=1)
    columns = {
        "source": Column(named),
        "reached": Column(reached.sum(axis=1) - 1, ">"),
        "last arrival": Column(last, ">.10g"),
    }
    head, record = task.summary(contacts=len(task.network.contacts))
    files = {"arrivals": task.given.output}
    task.tell("searches", columns, files, head, **record)


def _start(task: Task) -> float:
    """Time at which walks begin: --start, else that of the first contact."""
    given, contacts = task.given, task.network.contacts
    if given.start is not None:
        start = instant(given.start)
        if len(contacts) and start > (last := contacts.time[-1].item()):
            task.notes.append(f"--start {given.start} is after the last contact, at {last}")
        return start
    first: float = contacts.time[0].item() if len(contacts) else 0
    return first


def _rank(task: Task, measure: str, scores: Any) -> None:
    """Write the scores of the nodes, and print a ranking."""
    named, contacts = {"node": task.network.names}, len(task.network.contacts)
    tell_scores(task, {f"temporal_{measure}": scores}, named=named, contacts=contacts)
