"""Betweenness of nodes and edges, of all pairs, of sampled sources, and of chosen pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..measures.betweenness import betweenness
from ..measures.edge_betweenness import edge_betweenness
from ..measures.normalize import rescale, rescale_arcs
from ..measures.pair_weights import checked
from ..run.options import RunOptions
from .graph import SparseGraph
from .handback import handed_back
from .lengths import Lengths, Weight, raw_scores


def betweenness_centrality(
    G: SparseGraph,
    k: int | None,
    normalized: bool,
    weight: Weight | None,
    endpoints: bool,
    seed: Random | None,
    *,
    run: RunOptions,
) -> dict[Any, float]:
    """``networkx.betweenness_centrality``."""
    sample = None if k is None or k == len(G) else _sample(G, k, seed)
    _check_sample(sample, len(G) if endpoints else len(G) - 1)
    raw = _of_nodes(G, weight, run, sources=sample, endpoints=bool(endpoints))
    scores = rescale(
        raw,
        _mask(G, sample),
        directed=G.directed,
        normalized=bool(normalized),
        endpoints=bool(endpoints),
    )
    return G.named(scores)


def betweenness_centrality_subset(
    G: SparseGraph,
    sources: Iterable[Any],
    targets: Iterable[Any],
    normalized: bool,
    weight: Weight | None,
    *,
    run: RunOptions,
) -> dict[Any, float]:
    """``networkx.betweenness_centrality_subset``."""
    raw = np.zeros(len(G))
    G.lengths(weight)
    for some, others in _chosen(G, sources, targets):
        raw += _of_nodes(G, weight, run, sources=some, targets=others)
    scores = rescale(raw, None, directed=G.directed, normalized=bool(normalized), endpoints=False)
    return G.named(scores)


def edge_betweenness_centrality(
    G: SparseGraph,
    k: int | None,
    normalized: bool,
    weight: Weight | None,
    seed: Random | None,
    *,
    run: RunOptions,
) -> dict[tuple[Any, ...], float]:
    """``networkx.edge_betweenness_centrality``."""
    sample = None if k is None else _sample(G, k, seed)
    _check_sample(sample, len(G))
    raw = _of_edges(G, weight, run, sources=sample)
    return _by_edge(G, weight, raw, _mask(G, sample), bool(normalized))


def edge_betweenness_centrality_subset(
    G: SparseGraph,
    sources: Iterable[Any],
    targets: Iterable[Any],
    normalized: bool,
    weight: Weight | None,
    *,
    run: RunOptions,
) -> dict[tuple[Any, ...], float]:
    """``networkx.edge_betweenness_centrality_subset``, by its definition.

    The sum over sources s and targets t of the share of shortest paths from s to t that take the
    edge. NetworkX 3.6 hands what a node that is no target passes on to its predecessors in equal
    parts, not by their numbers of paths.
    """
    raw = np.zeros(G.edge_pairs.size)
    G.lengths(weight)
    for some, others in _chosen(G, sources, targets):
        raw += _of_edges(G, weight, run, sources=some, targets=others)
    return _by_edge(G, weight, raw, None, bool(normalized))


def percolation_centrality(
    G: SparseGraph,
    attribute: str,
    states: Mapping[Any, Any] | None,
    weight: Weight | None,
    *,
    run: RunOptions,
) -> dict[Any, float]:
    """``networkx.percolation_centrality``: sums of pairs that weigh the state of their source."""
    if states is None:
        states = G.node_values(attribute, default=1)
    if any(node not in states for node in G):
        raise handed_back("sparsebc leaves a node without a state to NetworkX")
    x = [states[node] for node in G]
    total = sum(states.values(), 0.0)
    if len(G) == 2:
        raise ZeroDivisionError("division by zero")
    if len(G) < 2:
        return dict.fromkeys(G, 0.0)
    lengths = G.lengths(weight)
    try:
        weights = checked("states", x, len(G))
    except (TypeError, ValueError) as error:
        raise handed_back(f"sparsebc: {error}") from error
    others = total - weights
    if not others.all():
        raise handed_back("sparsebc leaves a node that alone is percolated to NetworkX")
    A = G.adjacency(lengths)
    raw = raw_scores(betweenness, A, lengths, source_weights=weights, **run)
    return G.named(raw / (others * (len(G) - 2)))


def _sample(G: SparseGraph, k: int, seed: Any) -> NDArray[np.int64]:
    """Numbers of the nodes that NetworkX itself would draw."""
    return G.numbers(seed.sample(list(G), k))


def _check_sample(sample: NDArray[np.int64] | None, counted: int) -> None:
    """A sample of none is a division by zero, where there are pairs to extrapolate to."""
    if sample is not None and not sample.size and counted >= 2:
        raise ZeroDivisionError("division by zero")


def _mask(G: SparseGraph, sample: NDArray[np.int64] | None) -> NDArray[np.bool_] | None:
    if sample is None:
        return None
    marked = np.zeros(len(G), dtype=bool)
    marked[sample] = True
    return marked


def _chosen(
    G: SparseGraph, sources: Iterable[Any], targets: Iterable[Any]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Sets of sources and of targets, both not empty, whose scores add up to what is asked.

    A source counts as often as it is listed: those listed at least once, at least twice, and so on.
    """
    if isinstance(targets, Iterator):  # NetworkX would use it up at the first of the sources
        raise handed_back("sparsebc takes targets in a list or set, not an iterator")
    times = Counter(G.numbers(sources).tolist())
    ends = G.numbers(node for node in set(targets) if node in G.index)
    for least in range(1, max(times.values(), default=0) + 1 if ends.size else 0):
        yield np.array([node for node, count in times.items() if count >= least]), ends


def _raw(
    measure: Callable[..., Any],
    G: SparseGraph,
    weight: Weight | None,
    run: RunOptions,
    **chosen: Any,
) -> Any:
    """Sums over ordered pairs of a measure; None where a sample has no sources."""
    lengths, sources = G.lengths(weight), chosen["sources"]
    if sources is not None and not sources.size:
        return None
    return raw_scores(measure, G.adjacency(lengths), lengths, **chosen, **run)


def _of_nodes(
    G: SparseGraph, weight: Weight | None, run: RunOptions, **chosen: Any
) -> NDArray[np.float64]:
    """Sums over ordered pairs, of each node."""
    scores: NDArray[np.float64] | None = _raw(betweenness, G, weight, run, **chosen)
    return np.zeros(len(G)) if scores is None else scores


def _of_edges(
    G: SparseGraph, weight: Weight | None, run: RunOptions, **chosen: Any
) -> NDArray[np.float64]:
    """Sums over ordered pairs, of each edge in the order of `SparseGraph.edge_pairs`."""
    n, raw = len(G), np.zeros(G.edge_pairs.size)
    scores = _raw(edge_betweenness, G, weight, run, directed=G.directed, **chosen)
    if scores is None:
        return raw
    tails, heads = G.rows[G.edge_pairs].astype(np.int64), G.indices[G.edge_pairs]
    proper = tails != heads  # no path takes a loop
    stored = np.repeat(np.arange(n), np.diff(scores.indptr)) * n + scores.indices
    raw[proper] = scores.data[np.searchsorted(stored, (tails * n + heads)[proper])]
    return raw if G.directed else 2 * raw


def _by_edge(
    G: SparseGraph,
    weight: Weight | None,
    raw: NDArray[np.float64],
    sampled: NDArray[np.bool_] | None,
    normalized: bool,
) -> dict[tuple[Any, ...], float]:
    """Scores by the edges of NetworkX; parallel edges of least length share theirs equally."""
    scores = rescale_arcs(raw, len(G), sampled, directed=G.directed, normalized=normalized)
    name, pairs = G.names.__getitem__, G.edge_pairs
    ends = zip(map(name, G.rows[pairs].tolist()), map(name, G.indices[pairs].tolist()), strict=True)
    if G.keys is None or G.first_edge is None:
        return dict(zip(ends, scores.tolist(), strict=True))
    shared_by = _shared_by(G, G.lengths(weight))
    shared = {}
    for (u, v), pair, score in zip(ends, pairs.tolist(), scores.tolist(), strict=True):
        for at, key in enumerate(G.keys[pair], int(G.first_edge[pair])):
            shared[u, v, key] = score / shared_by[at]
    return shared


def _shared_by(G: SparseGraph, lengths: Lengths | None) -> list[float]:
    """How many parallel edges share the score with each edge of a multigraph; inf: it has none."""
    pair = np.repeat(np.arange(G.indices.size), G.parallels)
    shortest = np.ones(pair.size, dtype=bool)
    if lengths is not None:
        shortest = lengths.edges == lengths.pairs[pair]
    count = np.bincount(pair[shortest], minlength=G.indices.size)
    shared: list[float] = np.where(shortest, count[pair], np.inf).tolist()
    return shared
