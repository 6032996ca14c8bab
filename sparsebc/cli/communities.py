"""The command ``sparsebc communities``."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..reports.content import Listing
from .network import STRENGTHS
from .search import parts
from .table import Column, records
from .task import Task


def communities(task: Task) -> None:
    """Communities by the edges of highest betweenness."""
    from ..communities import partition

    network = task.network
    strengths = network.matrix if network.use in STRENGTHS else None
    found = task.compute(partial(partition, strengths=strengths))
    at = int(np.flatnonzero(found.parts == found.labels.max(initial=-1) + 1)[0])
    count, modularity = int(found.parts[at]), float(found.modularity[at])
    best = f"; the largest of {len(found.parts)} levels" if task.given.parts is None else ""
    told = f"{count} communities, modularity {modularity:.6g}{best}"
    levels = {"communities": found.parts, "modularity": found.modularity}
    listing = Listing("Modularity", levels, ("communities", "modularity"))
    columns = parts(task, found.labels, "community", "Communities", [listing], [told])
    head, record = task.summary()
    record |= {"communities": count, "modularity": modularity}
    record["levels"] = records({title: Column(values) for title, values in levels.items()})
    task.tell("largest", columns, {"communities": task.given.output}, head, told, **record)
