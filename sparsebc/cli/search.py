"""The commands ``sparsebc bfs``, ``sparsebc paths`` and ``sparsebc components``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..reports.content import Listing
from . import page
from .table import Column
from .task import Task


def bfs(task: Task) -> None:
    """The level of each node from each source."""
    from .. import bfs

    levels = task.call(bfs)
    _tell(task, {"level": levels}, levels >= 0, "levels")


def paths(task: Task) -> None:
    """The distance of each node from each source, and its predecessor."""
    from .. import shortest_paths

    distances, predecessors = task.call(shortest_paths)
    named = np.array([*task.network.names, ""], dtype=object)
    found = {"distance": distances, "predecessor": named[np.maximum(predecessors, -1)]}
    _tell(task, found, np.isfinite(distances), "farthest")


def _tell(task: Task, found: Mapping[str, Any], reached: Any, title: str) -> None:
    """Write what was found, and tell how many nodes each source reaches and how far they are."""
    from .. import io

    names = task.network.names
    sources = [names[v] for v in task.keywords["sources"]]
    task.write(io.write_pairs, found, sources, names)
    farthest = np.where(reached, next(iter(found.values())), 0).max(axis=1)
    columns = {
        "source": Column(sources),
        "reached": Column(reached.sum(axis=1) - 1, ">"),
        title: Column(farthest, ">.6g"),
    }
    head, files = f"{task.network.label}: {len(names)} nodes", {", ".join(found): task.given.output}
    task.tell("searches", columns, files, head, nodes=len(names))


def components(task: Task) -> None:
    """Connected components, the largest first."""
    from .. import connected_components

    names, is_strong = task.network.names, task.given.strong
    if is_strong and not task.network.directed:
        task.given.refuse("--strong has an effect only with --directed")
    count, labels = task.call(connected_components, connection="strong" if is_strong else "weak")
    columns = parts(task, labels, "component", "Components")
    head = f"{task.network.label}: {len(names)} nodes, {count} component{'s' * (count != 1)}"
    files = {"components": task.given.output}
    task.tell("largest", columns, files, head, nodes=len(names), components=count)


def parts(
    task: Task,
    labels: NDArray[np.int32],
    what: str,
    title: str,
    listings: Sequence[Listing] = (),
    facts: Sequence[str] = (),
) -> dict[str, Column]:
    """Write the label of each node, and give the largest parts, as many as are printed."""
    from .. import io

    names, sizes = np.array(task.network.names, dtype=object), np.bincount(labels)
    order = np.argsort(-sizes, kind="stable")
    first = names[np.unique(labels, return_index=True)[1]]
    rows = {what: order, "nodes": sizes[order], "first": first[order]}
    size = {f"{what}_size": sizes[labels]}

    def draw(path: Any, **how: Any) -> None:
        page.show(
            task, title, path, nodes={**size, what: labels.astype(str)}, colour=what,
            units=dict.fromkeys(size, "nodes"), listings=[Listing(title, rows), *listings],
            notes=[*facts, *task.notes], **how,
        )  # fmt: skip

    found = {what: labels, **size}
    task.write(io.write_table, {"node": names}, found, page=draw, nodes=found)
    shown = slice(task.given.top or None)
    return {
        title: Column(values[shown], "<" if title == "first" else ">")
        for title, values in rows.items()
    }
