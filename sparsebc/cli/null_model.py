"""The command ``sparsebc null-model``: scores compared with those of random networks."""

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from .. import io
from . import page
from .errors import Refusal
from .measures import OF_DISTANCES, by_cutoff, remarks, tell_ranking
from .network import Network
from .table import Column
from .task import Task

LEVEL = 0.05  # of q, below which a score is significant
BY_DEGREE = ("mean", "std", "z", "p", "q", "low", "high")
BY_PROBABILITY = ("mean", "std", "low", "high")
PRINTED = ("mean", "std", "z", "p", "q")


def null_model(task: Task) -> None:
    """Scores of all nodes, and mean, z, p and q of each over random networks."""
    from .. import null_model

    given, network, names = task.given, task.network, task.network.names
    by_degree = given.model == "degree"
    asked = list(dict.fromkeys(given.measures or ("betweenness",)))
    probability = None if by_degree else _probability(network)
    if not by_degree:
        for option in ("swaps", "weights", "tail"):  # at their defaults, or they are refused
            del task.provenance[option]
    task.notes += network.on_cutoffs()
    compared = task.compute(
        partial(null_model, probability=probability),
        asked,
        by_edges=not {*asked} <= {*OF_DISTANCES},
    )
    compared = by_cutoff(compared, given.cutoff or (), _of_cutoff)
    scores = {title: one.score for title, one in compared.items()}
    task.notes += remarks(task, scores)
    first = next(iter(compared.values()))
    if by_degree:
        task.notes += _on_samples(first, given)
    columns = scores | _columns(compared, BY_DEGREE if by_degree else BY_PROBABILITY)
    draw = partial(page.write, task, scores=scores, null_models=compared)
    task.write(io.write_table, {"node": list(names)}, columns, page=draw, nodes=columns)
    found, facts = f"{given.samples} random networks, seed {given.seed}", {}
    if by_degree:
        facts = {"significant": int(np.count_nonzero(first.q < LEVEL))}
        found += f"; {facts['significant']} of {len(names)} nodes with q < {LEVEL}"
    head, record = task.summary()
    record |= {"samples": given.samples, "model": given.model, "seed": given.seed, **facts}
    told = _columns(compared, PRINTED if by_degree else BY_PROBABILITY)
    beside = {title: Column(column, "<.4g") for title, column in told.items()}
    by = first.z if by_degree else first.score
    by = abs(by) if given.tail == "two-sided" else by
    files, named = {"scores of all nodes": given.output}, {"node": names}
    tell_ranking(task, files, named, scores, beside, head, found, by=by, **record)


def _probability(network: Network) -> Any:
    """Checked probabilities of the edges: the column of --probability, else the weights."""
    P = (network.matrix if network.probability is None else network.probability).tocoo()
    bad = np.flatnonzero(~((P.data > 0) & (P.data <= 1)) & (P.row != P.col))
    if bad.size:
        at = bad[0]
        way = "--scale divides the weights, STRING's by 1000"
        if network.probability is not None:
            way = f"--probability names column {network.given.probability!r}"
        raise Refusal(
            f"{network.label}: the edge {network.names[P.row[at]]!r} - "
            f"{network.names[P.col[at]]!r} has probability {P.data[at]:g}: expected above 0 and up "
            f"to 1; {way}"
        )
    return P.tocsr()


def _of_cutoff(compared: Any, index: int) -> Any:
    """Null model within the cutoff of an index."""
    fields = ("score", *BY_DEGREE)
    return replace(compared, **{field: getattr(compared, field)[:, index] for field in fields})


def _columns(compared: Mapping[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """Columns of statistics of each score; with several scores, titled ``score_statistic``."""
    return {
        f"{title}_{field}" if len(compared) > 1 else field: getattr(one, field)
        for title, one in compared.items()
        for field in fields
    }


def _on_samples(first: Any, given: argparse.Namespace) -> list[str]:
    """Note if no q can be below `LEVEL` because p is bounded below by the number of samples."""
    least = (2 if given.tail == "two-sided" else 1) / (1 + given.samples)
    beyond = int(np.count_nonzero(first.p <= least))
    if not beyond or first.q.min() < LEVEL:
        return []
    return [
        f"no sample is as extreme as the score at {beyond} of {len(first.p)} nodes: their q is "
        f"{first.q.min():.2g} as p is never below {least:.2g}; more --samples lower both"
    ]
