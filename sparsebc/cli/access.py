"""The commands ``sparsebc accessibility`` and ``sparsebc nearest``."""

from pathlib import Path
from typing import Any

import numpy as np

from . import files, node_tables
from .errors import Refusal
from .measures import by_cutoff, tell_scores
from .task import Task


def accessibility(task: Task) -> None:
    """Accessibility of each node, for every kind of places and every cutoff."""
    from .. import accessibility

    task.notes += task.network.on_cutoffs()
    _tell(task, accessibility, "accessibility")


def nearest(task: Task) -> None:
    """Distance of each node to the nearest place of every kind."""
    from .. import nearest

    _tell(task, nearest, "nearest")


def _tell(task: Task, function: Any, title: str) -> None:
    """Compute and write a column for each kind of places, and print a ranking by the first."""
    titles, places = _places(task, title)
    found = task.compute(function, places)
    found = found if places is not None else found[:, np.newaxis]
    kinds = {kind: found[:, column] for column, kind in enumerate(titles)}
    tell_scores(task, by_cutoff(kinds, task.given.cutoff or ()), title)


def _places(task: Task, title: str) -> tuple[list[str], Any]:
    """Titles of the q kinds of places, and the amount of each at the nodes: (n, q), or None."""
    given = task.given.places
    if given is None:
        return [title], None
    numbers = [node_tables.values("--places", one, task.network) for one in given]
    named = map(files.file_of, given)
    kinds = [column or Path(path).name.partition(".")[0] for path, column in named]
    if len(set(kinds)) < len(kinds):
        twice = next(kind for kind in kinds if kinds.count(kind) > 1)
        raise Refusal(f"--places has two kinds called {twice!r}: name columns, as FILE:COLUMN")
    titles = [title] if len(kinds) == 1 else [f"{title}_{kind}" for kind in kinds]
    return titles, np.stack(numbers, axis=1)
