"""The commands of networks in time, such as ``sparsebc temporal-betweenness``."""

from __future__ import annotations

from functools import partial
from typing import Any

from .. import io, temporal
from . import page
from .measures import tell_ranking
from .table import Column
from .task import Task


def betweenness(task: Task) -> None:
    """The share of optimal walks that pass each node."""
    _rank(task, "betweenness", task.compute(temporal.betweenness))


def _rank(task: Task, measure: str, scores: Any, **beside: Column) -> None:
    """Write the scores of the nodes, and tell the highest."""
    names, stops = task.network.names, task.network.stops
    named = {"node": list(names)} | ({} if stops is None else {"stop": list(stops)})
    found = {f"temporal_{measure}": scores}
    draw = partial(page.write, task, scores=found)
    task.write(io.write_table, named, found, page=draw, nodes=found)
    head, record = task.summary(contacts=len(task.network.contacts))
    files = {"scores of all nodes": task.given.output}
    tell_ranking(task, files, named, found, beside, head, **record)
