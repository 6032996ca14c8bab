"""The problem an engine is given: trees folded away, isolated nodes dropped, nodes renumbered.

In an undirected graph every shortest path into or out of a tree that hangs on the graph runs
through the node it hangs on. So trees are folded into that node, which from then on stands for
all their sources (alpha) and all their targets (omega); the pairs that they send through each node
are counted in closed form. With S(v), T(v) the sources and targets in the tree below v (v too),
S, T those of its component, [s], [t] whether v is one itself:

    through(v) = (S - [s]) (T - [t]) - (S - S(v)) (T - T(v)) - sum over children c of S(c) T(c)

The idea is that of Sariyuce et al., "Shattering and compressing networks for betweenness
centrality", SDM 2013.
"""

# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray
from scipy.sparse import csgraph

from .backbone import backbone
from .graph import CSR, Graph, compressed
from .locality import is_deep


@dataclass(frozen=True)
class Problem:
    """Sum of ``alpha(s) * delta_s`` over the sources of ``graph``, and what is known without it."""

    graph: Graph
    deep: bool  # a search takes many levels
    sources: NDArray[np.int32]  # nodes of `graph`
    alpha: NDArray[np.float64]  # (len(sources),) weight of each source
    omega: NDArray[np.float64]  # (graph.n,) weight of each node as a target
    nodes: NDArray[np.int64]  # (graph.n,) number of each node in the graph that was given
    through: NDArray[np.float64]  # (n,) pairs that pass each node given, counted in closed form

    def expand(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sums on the nodes of ``graph``, added to ``through`` on the nodes given."""
        result = self.through.copy()
        result[self.nodes] += values
        return result


def as_given(graph: Graph, is_source: NDArray[np.bool_], is_target: NDArray[np.bool_]) -> Problem:
    """Problem on the graph itself."""
    sources = np.flatnonzero(is_source)
    return Problem(
        graph,
        False,
        sources.astype(np.int32),
        np.ones(sources.size),
        is_target.astype(np.float64),
        np.arange(graph.n),
        np.zeros(graph.n),
    )


def reduced(graph: Graph, is_source: NDArray[np.bool_], is_target: NDArray[np.bool_]) -> Problem:
    """Problem of the same sums on a smaller graph, its nodes in an order of good locality."""
    graph = backbone(graph, int(np.count_nonzero(is_source)))
    alpha, omega = is_source.astype(np.int64), is_target.astype(np.int64)
    degree = graph.outgoing.degrees
    if graph.symmetric and (graph.lengths is None or graph.lengths.foldable):
        through = _fold(graph, degree, alpha, omega)
        keep = np.flatnonzero(degree > 0)
    else:
        through = np.zeros(graph.n, dtype=np.int64)
        keep = np.flatnonzero(degree + graph.incoming.degrees > 0)
    core = _induced(graph, keep)
    deep = is_deep(core)
    # Neighbours close together where frontiers are narrow, busy rows close together where not.
    order = (
        csgraph.reverse_cuthill_mckee(core.outgoing.matrix(), core.symmetric)
        if deep
        else np.argsort(-(core.outgoing.degrees + core.incoming.degrees), kind="stable")
    )
    core, keep = _induced(core, order), keep[order]
    starts = (alpha[keep] > 0) & (core.outgoing.degrees > 0)
    sources = np.flatnonzero(starts)
    return Problem(
        core,
        deep,
        sources.astype(np.int32),
        alpha[keep][sources].astype(np.float64),
        omega[keep].astype(np.float64),
        keep,
        through.astype(np.float64),
    )


def ends_in_components(
    graph: Graph, is_source: NDArray[np.bool_], is_target: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Pairs of an undirected graph that begin or end at each node, shape (n,).

    A source reaches every other target of its component.
    """
    totals_s, totals_t = _component_totals(graph, is_source, is_target)
    begin = np.where(is_source, totals_t - is_target, 0)
    end = np.where(is_target, totals_s - is_source, 0)
    return (begin + end).astype(np.float64)


def _fold(
    graph: Graph, degree: NDArray[np.int64], alpha: NDArray[np.int64], omega: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Fold trees: alpha, omega and degree change in place; returns ``through``."""
    if not (degree == 1).any():
        return np.zeros(graph.n, dtype=np.int64)
    is_source, is_target = alpha.copy(), omega.copy()
    totals_s, totals_t = _component_totals(graph, is_source, is_target)
    children = np.zeros(graph.n, dtype=np.int64)
    _peel(*graph.outgoing, degree, alpha, omega, children)
    everything = (totals_s - is_source) * (totals_t - is_target)
    return everything - (totals_s - alpha) * (totals_t - omega) - children


def _component_totals(
    graph: Graph, alpha: NDArray[Any], omega: NDArray[Any]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sources and targets in the component of each node."""
    count, label = csgraph.connected_components(graph.outgoing.matrix(), directed=False)
    sums = (np.bincount(label, weights=w, minlength=count)[label] for w in (alpha, omega))
    sources, targets = (np.rint(s).astype(np.int64) for s in sums)
    return sources, targets


@njit(cache=True, nogil=True)
def _peel(indptr, indices, degree, alpha, omega, children):  # type: ignore[no-untyped-def]
    """Remove nodes of degree one until none is left; each hands its weights to its neighbour.

    ``degree`` becomes the degree in what is left. The last node of a tree is left with degree 0.
    """
    n = degree.size
    removed = np.zeros(n, dtype=np.bool_)
    stack = np.empty(n, dtype=np.int32)
    top = 0
    for v in range(n):
        if degree[v] == 1:
            stack[top] = v
            top += 1
    while top:
        top -= 1
        v = stack[top]
        if degree[v] != 1:
            continue
        p = indptr[v]
        while removed[indices[p]]:
            p += 1
        parent = indices[p]
        removed[v] = True
        degree[v] = 0
        degree[parent] -= 1
        alpha[parent] += alpha[v]
        omega[parent] += omega[v]
        children[parent] += alpha[v] * omega[v]
        if degree[parent] == 1:
            stack[top] = parent
            top += 1


def _induced(graph: Graph, nodes: NDArray[Any]) -> Graph:
    """Graph on the given nodes, numbered in that order."""
    if nodes.size == graph.n and (nodes == np.arange(graph.n)).all():
        return graph
    lengths = graph.lengths
    outgoing, there = _sub_pattern(graph.outgoing, nodes, lengths.outgoing if lengths else None)
    incoming, back = (
        (outgoing, there)
        if graph.symmetric
        else _sub_pattern(graph.incoming, nodes, lengths.incoming if lengths else None)
    )
    if lengths is not None:
        lengths = replace(lengths, outgoing=there, incoming=back)
    return Graph(nodes.size, outgoing, incoming, lengths)


def _sub_pattern(
    pattern: CSR, nodes: NDArray[Any], lengths: NDArray[np.float64] | None
) -> tuple[CSR, NDArray[Any]]:
    """Pattern on the given nodes, and the lengths that go with it (ones where there are none)."""
    kept = pattern.matrix(lengths)[nodes][:, nodes]
    kept.sort_indices()
    return compressed(kept), kept.data
