"""The page of a command: its scores as `sparsebc.report` shows them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .. import report
from .node_tables import Positions
from .task import Task

# Units of scores; those of distances are of lengths where the lengths of edges are given.
UNITS = {
    "betweenness": "share of all pairs",
    "edge_betweenness": "share of all pairs",
    "stress": "paths",
    "closeness": "1 / edges",
    "harmonic": "1 / edges",
    "eccentricity": "edges",
    "accessibility": "places",
    "nearest": "edges",
}


def write(
    task: Task, path: Any, *, positions: Positions, scores: Mapping[str, Any], **how: Any
) -> None:
    """Write the page to a file."""
    network, measures = task.network, ", ".join(scores).replace("_", " ")
    of_edges = measures.startswith("edge")
    label = re.sub(r"\.(gz|bz2|xz|zip)$", "", Path(network.label).name)
    report(
        path,
        network.counted(),
        network.names,
        nodes=None if of_edges else scores,
        edges=scores if of_edges else None,
        directed=network.directed,
        positions=positions.places,
        geographic=positions.geographic,
        units=_units(task, scores),
        title=f"{measures[:1].upper()}{measures[1:]} of {label}",
        notes=task.notes,
        **how,
    )


def _units(task: Task, scores: Mapping[str, Any]) -> dict[str, str]:
    """Units of scores by title, a measure or one within a cutoff, as ``betweenness_400``."""
    units = {
        title: unit for title in scores for name, unit in UNITS.items() if title.startswith(name)
    }
    if task.given.raw:
        units = {title: unit.replace("share of all ", "") for title, unit in units.items()}
    if task.network.use is not None:
        units = {title: unit.replace("edges", "length") for title, unit in units.items()}
    return units
