"""HTML pages of the scores of a command, as `sparsebc.report` makes them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .task import Task

# Units of scores; with lengths of edges, "edges" is replaced by "length".
UNITS = {
    "betweenness": "share of all pairs",
    "edge_betweenness": "share of all pairs",
    "stress": "paths",
    "closeness": "1 / edges",
    "harmonic": "1 / edges",
    "eccentricity": "edges",
    "accessibility": "places",
    "nearest": "edges",
    "temporal_betweenness": "share of all pairs",
    "temporal_closeness": "1 / contacts",
    "temporal_reach": "nodes",
}


def write(
    task: Task, path: Any, *, scores: Mapping[str, Any], words: Mapping[str, Any] = {}, **how: Any
) -> None:
    """Write the page of scores to a file, with columns of text (``words``) on the nodes."""
    measures = ", ".join(scores).replace("_", " ")
    things: dict[str, Any] = {}
    things["edges" if measures.startswith("edge") else "nodes"] = {**words, **scores}
    what = f"{measures[:1].upper()}{measures[1:]}"
    show(task, what, path, units=_units(task, scores), **things, **how)


def show(
    task: Task, what: str, path: Any, *, notes: Sequence[str] | None = None, **how: Any
) -> None:
    """Write the page of a result to a file, from arguments of `content.compose`."""
    from ..reports import content, report  # which take longer to import than a small run

    network = task.network
    label = re.sub(r"\.(gz|bz2|xz|zip)$", "", Path(network.label).name)
    shown = content.compose(
        network.counted(),
        network.names,
        directed=network.directed,
        positions=task.positions.coordinates,
        geographic=task.positions.geographic,
        title=f"{what} of {label}",
        notes=task.notes if notes is None else notes,
        **how,
    )
    report.write(path, shown)


def _units(task: Task, scores: Mapping[str, Any]) -> dict[str, str]:
    """Units of scores by title, such as ``betweenness``, or ``betweenness_400`` within a cutoff."""
    units = {
        title: unit for title in scores for name, unit in UNITS.items() if title.startswith(name)
    }
    if task.given.raw:
        units = {title: unit.replace("share of all ", "") for title, unit in units.items()}
    if task.network.use is not None:
        units = {title: unit.replace("edges", "length") for title, unit in units.items()}
    return units
