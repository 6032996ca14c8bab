"""The commands ``sparsebc group`` and ``sparsebc dismantle``: sets of nodes, and what they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse

from ..reports.content import Listing
from . import page
from .table import Column
from .task import Task


def group(task: Task) -> None:
    """Betweenness of groups of nodes, or a prominent group."""
    from .. import group_betweenness, io, prominent_group

    names, size, facts = task.network.names, task.given.prominent, {}
    if size:
        found = task.compute(prominent_group)
        groups: Any = found.nodes[:, np.newaxis]
        number, title, listed = "step", "node", [names[v] for v in found.nodes]
        scores, facts = found.scores, {"bound": found.bound}
        share = float(scores[-1] / found.bound) if found.bound else 1.0
        task.notes.append(
            f"no group of {size} scores above {found.bound:.6g}; this one has {share:.1%} of that"
        )
    else:
        scores, number, title = task.compute(group_betweenness), "number", "group"
        groups = task.keywords["groups"]
        listed = [" ".join(names[v] for v in nodes) for nodes in groups]
    marks = _marks(len(names), groups, scores, "step" if size else "group")
    columns = {
        number: Column(range(1, len(listed) + 1), ">"),
        title: Column(listed),
        "score": Column(scores, "<.6g"),
    }
    listings = [Listing("Steps" if size else "Groups", _values(columns))]
    draw = partial(page.show, task, "Group betweenness", listings=listings, nodes=marks)
    task.write(io.write_table, {title: listed}, {"score": scores}, page=draw, nodes=marks)
    head, record = task.summary()
    files = {"scores": task.given.output}
    task.tell("groups", columns, files, head, hidden=[number], **record, **facts)


def dismantle(task: Task) -> None:
    """What falls apart if the node or edge of highest betweenness goes first."""
    from .. import dismantle, io

    names, of_edges = task.network.names, task.given.edges
    found = task.compute(dismantle, "edge_betweenness" if of_edges else "betweenness")
    ends = found.order.reshape(len(found.order), -1).T
    titles = ("source", "target") if of_edges else ("node",)
    removed = {title: [names[v] for v in nodes] for title, nodes in zip(titles, ends, strict=True)}
    values = {"score": found.scores, "largest component": found.largest}
    if of_edges:
        size = (len(names), len(names))
        marks: Any = {"score": scipy.sparse.csr_array((found.scores, ends), shape=size)}
    else:
        marks = _marks(len(names), found.order[:, np.newaxis], found.scores, "step")
    columns = {
        "step": Column(range(1, len(found.order) + 1), ">"),
        **{title: Column(nodes) for title, nodes in removed.items()},
        "score": Column(found.scores, "<.6g"),
        "largest component": Column(found.largest, ">"),
    }
    listings = [Listing("Steps", _values(columns), ("step", "largest component"))]
    things = {"edges" if of_edges else "nodes": marks}
    draw = partial(page.show, task, "Dismantling", listings=listings, **things)
    task.write(io.write_table, removed, values, page=draw, **things)
    head, record = task.summary()
    task.tell("steps", columns, {"steps": task.given.output}, head, hidden=["step"], **record)


def _marks(n: int, groups: Sequence[Any], scores: Any, title: str) -> dict[str, Any]:
    """Of each node the highest score of a group with it, NaN where there is none, and which."""
    highest, numbers = np.full(n, np.nan), [""] * n
    for number, (nodes, score) in enumerate(zip(groups, scores, strict=True), 1):
        highest[nodes] = np.fmax(highest[nodes], score)
        for v in nodes:
            numbers[v] = f"{numbers[v]} {number}".lstrip()
    return {"score": highest, title: numbers}


def _values(columns: Mapping[str, Column]) -> dict[str, Any]:
    """Columns without the way they are printed."""
    return {title: column.values for title, column in columns.items()}
