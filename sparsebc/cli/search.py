"""The commands ``sparsebc bfs`` and ``sparsebc paths``: searches from given sources."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from .table import Column
from .task import Task


def bfs(task: Task) -> None:
    """BFS level of each node from each source."""
    from .. import bfs

    levels = task.call(bfs)
    _tell(task, {"level": levels}, levels >= 0, "levels")


def paths(task: Task) -> None:
    """Distance and predecessor of each node from each source."""
    from .. import shortest_paths

    distances, predecessors = task.call(shortest_paths)
    named = np.array([*task.network.names, ""], dtype=object)
    found = {"distance": distances, "predecessor": named[np.maximum(predecessors, -1)]}
    _tell(task, found, np.isfinite(distances), "farthest")


def _tell(task: Task, found: Mapping[str, Any], reached: Any, title: str) -> None:
    """Write the values found; print how many nodes each source reaches, and the largest value."""
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
