"""Why a reduction is not used on a problem, in words."""

from __future__ import annotations

from collections.abc import Set
from typing import Any

import numpy as np

from ..preprocess import blocks, chains, distance_blocks, distance_trees, twins
from .distances import MEASURES
from .query import Query


def why_not(name: str, job: Any, query: Query, chosen: Set[str]) -> str | None:
    """What rules a reduction out before it is tried; None if nothing does.

    ``job`` has the engine, the name of the measure and whether endpoints count.
    """
    graph, engine = query.graph, job.engine
    if engine.literal:
        return f"device {engine.name!r} reduces nothing"
    if name not in chosen:
        return "left out by reduce"
    if name == "prune":
        return None if graph.lengths else "every edge has the same length"
    if name == "twins":
        return _of_twins(job, query)
    if graph.lengths and not (graph.symmetric or job.name in MEASURES):
        return "by length, and with directions"
    if graph.lengths and not graph.lengths.foldable:
        return "by length, ties could change"
    if name == "chains":
        return _of_chains(job, query)
    if graph.cutoffs:
        return "what lies behind a node may be too far away"
    if job.name in MEASURES:
        return _of_distances(name, job, query)
    weights = (query.alpha.counted, query.omega.counted)
    if any(weight.dtype.kind == "f" for weight in weights):
        return "weights are not whole numbers"
    if name == "trees":
        if job.name == "stress" and graph.lengths:
            return "stress by length counts no trees"
        return None if graph.symmetric else "edges have directions"
    if job.name == "stress":
        return "paths through cut nodes multiply"
    if job.endpoints and not graph.symmetric:
        return "endpoints of a directed graph are counted as it is swept"
    return _of_few(query, blocks.enough(engine.relative_throughput, graph))


def _of_few(query: Query, enough: int) -> str | None:
    few = np.count_nonzero(query.alpha.counted) < enough
    return f"fewer than {enough} sources" if few else None


def _of_twins(job: Any, query: Query) -> str | None:
    if job.name in MEASURES:
        return "distances are searched from many sources at once"
    if query.graph.lengths:
        return "lengths of edges differ"
    return _of_few(query, twins.enough(job.engine.relative_throughput, query.graph))


def _of_chains(job: Any, query: Query) -> str | None:
    if job.name in MEASURES:
        return "searches share more than chains would save"
    if not query.graph.symmetric:
        return "edges have directions"
    if not job.engine.takes_arms(query.graph, [job.name]):
        return "a GPU takes chains of deep graphs of few arcs a node, by edges, not for stress"
    return _of_few(query, chains.enough(job.engine.relative_throughput))


def _of_distances(name: str, job: Any, query: Query) -> str | None:
    graph = query.graph
    if job.name == "harmonic":
        return "harmonic sums do not come apart"
    if name not in job.engine.distance_reductions:
        return "searches on a GPU are of graphs in one piece"
    graph = graph if MEASURES[job.name][0] == "in" else graph.reverse()
    pay = distance_blocks.pay
    if "blocks" not in job.engine.distance_reductions:
        if job.name != "closeness" or not distance_trees.is_fit(graph):
            return "on a GPU trees are folded for closeness by edges without directions"
        pay = distance_trees.pay
    if not pay(graph, int(np.count_nonzero(query.is_source))):
        return "too few leaves or sources for it to pay"
    return None
