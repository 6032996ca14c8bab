"""Rules that leave a reduction out of a plan, each with its reason in words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..engines.base import sweeps_chains
from ..reduce import biconnected, chains, distance_blocks, distance_trees, twins
from .distances import MEASURES
from .query import Query

Rules = Iterator[tuple[object, str]]  # whether a rule holds, and the reason that it gives


def why_not(name: str, job: Any, query: Query) -> str | None:
    """Reason that rules a reduction out before it is tried; None if no rule does.

    ``job`` has the engine, the name of the measure, run options, and whether endpoints count.
    """
    return next((reason for holds, reason in _rules(name, job, query) if holds), None)


def _rules(name: str, job: Any, query: Query) -> Rules:
    """Rules of a reduction, cheap ones first; a later rule may presume the earlier ones."""
    graph, engine, of_distances = query.graph, job.engine, job.name in MEASURES
    throughput = engine.profile.relative_throughput
    yield engine.profile.literal, f"device {engine.name!r} reduces nothing"
    yield name not in job.run.reductions, "left out by reduce"
    if name == "prune":
        yield not graph.lengths, "every edge has the same length"
        return
    if name == "twins":
        yield of_distances, "distances are searched from many sources at once"
        yield graph.lengths, "lengths of edges differ"
        yield _too_few(query, twins.enough(throughput, graph))
        return
    if graph.lengths:
        yield not (graph.symmetric or of_distances), "by length, and with directions"
        yield not graph.lengths.foldable, "by length, ties could change"
    if name == "chains":
        yield of_distances, "searches share more than chains would save"
        yield not graph.symmetric, "edges have directions"
        reason = "a GPU takes chains of deep graphs of few arcs a node, by edges, not for stress"
        yield not sweeps_chains(engine, graph, [job.name]), reason
        yield _too_few(query, chains.enough(throughput))
        return
    yield graph.cutoffs, "what lies behind a node may be too far away"
    if of_distances:
        yield from _rules_of_distances(name, job, query)
        return
    floats = "f" in (query.alpha.counted.dtype.kind, query.omega.counted.dtype.kind)
    yield floats, "weights are not whole numbers"
    if name == "trees":
        yield job.name == "stress" and graph.lengths, "stress by length counts no trees"
        yield not graph.symmetric, "edges have directions"
        return
    yield job.name == "stress", "paths through cut nodes multiply"
    directed_ends = job.endpoints and not graph.symmetric
    yield directed_ends, "endpoints of a directed graph are counted as it is swept"
    yield _too_few(query, biconnected.enough(throughput, graph))


def _too_few(query: Query, enough: int) -> tuple[bool, str]:
    """Rule that a reduction pays from so many sources on."""
    sources = int(np.count_nonzero(query.alpha.counted))
    return sources < enough, f"fewer than {enough} sources"


def _rules_of_distances(name: str, job: Any, query: Query) -> Rules:
    """Rules of trees and blocks for measures of distances."""
    graph, known = query.graph, job.engine.profile.of_distances
    yield job.name == "harmonic", "harmonic sums do not come apart"
    yield name not in known, "searches on a GPU are of graphs in one piece"
    graph = graph if MEASURES[job.name].direction == "in" else graph.reverse()
    pay = distance_blocks.pay
    if "blocks" not in known:
        reason = "on a GPU trees are folded for closeness by edges without directions"
        yield job.name != "closeness" or not distance_trees.is_fit(graph), reason
        pay = distance_trees.pay
    sources = int(np.count_nonzero(query.is_source))
    yield not pay(graph, sources), "too few leaves or sources for it to pay"
