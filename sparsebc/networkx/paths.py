"""Betweenness of nodes and edges, over all pairs, sampled sources, or chosen pairs."""

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..io.network import entries_at
from ..measures.centralities import pairs_through, rescale
from ..measures.paths import betweenness, edge_betweenness
from ..measures.weights import checked
from .call import Call
from .graph import SparseGraph
from .lengths import handed_back

ENDS = ("sources", "targets")
Edges = dict[tuple[Any, ...], float]  # scores by edge


def betweenness_centrality(
    call: Call, k: int | None, normalized: bool, endpoints: bool, seed: Random | None
) -> dict[Any, float]:
    """``networkx.betweenness_centrality``."""
    G = call.G
    sample = _sample(G, None if k == len(G) else k, seed, len(G) - (not endpoints))
    raw = _of_nodes(call, sources=sample, endpoints=bool(endpoints))
    how = {"normalized": normalized, "endpoints": endpoints}
    return G.named(_scaled(G, raw, _mask(G, sample), **how))


def betweenness_centrality_subset(
    call: Call, sources: Iterable[Any], targets: Iterable[Any], normalized: bool
) -> dict[Any, float]:
    """``networkx.betweenness_centrality_subset``."""
    raw = _of_nodes(call, **_chosen(call, sources, targets))
    return call.G.named(_scaled(call.G, raw, None, normalized=normalized, endpoints=False))


def edge_betweenness_centrality(
    call: Call, k: int | None, normalized: bool, seed: Random | None
) -> Edges:
    """``networkx.edge_betweenness_centrality``."""
    sample = _sample(call.G, k, seed, len(call.G))
    return _by_edge(call, _of_edges(call, sources=sample), _mask(call.G, sample), normalized)


def edge_betweenness_centrality_subset(
    call: Call, sources: Iterable[Any], targets: Iterable[Any], normalized: bool
) -> Edges:
    """``networkx.edge_betweenness_centrality_subset``, by its definition.

    The sum over sources s and targets t of the share of shortest paths from s to t that take the
    edge. NetworkX 3.6 splits the dependency of a node that is no target equally between its
    predecessors, not in proportion to their path counts.
    """
    raw = _of_edges(call, **_chosen(call, sources, targets))
    return _by_edge(call, raw, None, normalized)


def percolation_centrality(
    call: Call, attribute: str, states: Mapping[Any, Any] | None
) -> dict[Any, float]:
    """``networkx.percolation_centrality``: pairs are weighted by the state of their source."""
    G = call.G
    if states is None:
        states = G.node_values(attribute, default=1)
    if any(node not in states for node in G):
        raise handed_back("sparsebc leaves a node without a state to NetworkX")
    total = sum(states.values(), 0.0)
    if len(G) == 2:
        raise ZeroDivisionError("division by zero")
    if len(G) < 2:
        return dict.fromkeys(G, 0.0)
    try:
        weights = checked("states", [states[node] for node in G], len(G))
    except (TypeError, ValueError) as error:
        raise handed_back(f"sparsebc: {error}") from error
    others = total - weights
    if not others.all():
        raise handed_back("sparsebc leaves a single percolated node to NetworkX")
    raw = call.scores(betweenness, source_weights=weights)
    return G.named(raw / (others * (len(G) - 2)))


def _sample(G: SparseGraph, k: int | None, seed: Any, counted: int) -> NDArray[np.int64] | None:
    """Numbers of the nodes that NetworkX itself would draw; None for all nodes.

    An empty sample is a division by zero, as in NetworkX, if ``counted`` nodes form a pair.
    """
    if k is None:
        return None
    sample = G.numbers(seed.sample(list(G), k))
    if not sample.size and counted >= 2:
        raise ZeroDivisionError("division by zero")
    return sample


def _mask(G: SparseGraph, sample: NDArray[np.int64] | None) -> NDArray[np.bool_] | None:
    """Mask of the sampled nodes, shape (n,); None for all nodes."""
    return None if sample is None else np.isin(np.arange(len(G)), sample)


def _chosen(call: Call, sources: Iterable[Any], targets: Iterable[Any]) -> dict[str, Any]:
    """Sources, targets and, if a source is listed more than once, source weights."""
    G = call.G
    repeats = np.bincount(G.numbers(sources), minlength=len(G))
    ends = G.numbers(node for node in set(targets) if node in G.index)
    chosen = {"sources": np.flatnonzero(repeats), "targets": ends}
    return chosen | ({"source_weights": repeats} if repeats.max(initial=0) > 1 else {})


def _sums(call: Call, measure: Callable[..., Any], **chosen: Any) -> Any:
    """Sums over ordered pairs by a measure; None if the chosen sources or targets are empty."""
    if any(chosen.get(ends) is not None and not chosen[ends].size for ends in ENDS):
        return None
    return call.scores(measure, **chosen)


def _of_nodes(call: Call, **chosen: Any) -> NDArray[np.float64]:
    """Sum over ordered pairs for each node."""
    scores: NDArray[np.float64] | None = _sums(call, betweenness, **chosen)
    return np.zeros(len(call.G)) if scores is None else scores


def _of_edges(call: Call, **chosen: Any) -> NDArray[np.float64]:
    """Sum over ordered pairs for each edge, in the order of `SparseGraph.edge_pairs`."""
    G = call.G
    tails, heads = G.rows[G.edge_pairs].astype(np.int64), G.indices[G.edge_pairs]
    scores = _sums(call, edge_betweenness, directed=G.directed, **chosen)
    if scores is None:
        return np.zeros(tails.size)
    raw = np.where(tails == heads, 0.0, entries_at(scores, tails, heads))  # no path takes a loop
    return raw if G.directed else 2 * raw


def _scaled(
    G: SparseGraph,
    raw: NDArray[np.float64],
    sampled: NDArray[np.bool_] | None,
    *,
    normalized: Any,
    endpoints: Any,
) -> NDArray[np.float64]:
    """Scores as NetworkX scales them, from sums over ordered pairs."""
    all_pairs = pairs_through(len(G), endpoints=endpoints)
    pairs = all_pairs if sampled is None else pairs_through(len(G), sampled, endpoints=endpoints)
    how = {"directed": G.directed, "normalized": bool(normalized)}
    scores: NDArray[np.float64] = rescale(raw, pairs, all_pairs, **how)
    return scores


def _by_edge(
    call: Call, raw: NDArray[np.float64], sampled: NDArray[np.bool_] | None, normalized: bool
) -> Edges:
    """Scores by NetworkX edge; the shortest of parallel edges share their pair's score equally."""
    G = call.G
    of_pairs = _scaled(G, raw, sampled, normalized=normalized, endpoints=True)
    if not G.is_multigraph():
        return dict(zip((edge for edge, _ in G.edges()), of_pairs.tolist(), strict=True))
    scores, pair = np.zeros(G.indices.size), G.pair
    scores[G.edge_pairs] = of_pairs
    shortest = np.ones(pair.size, dtype=bool)
    if call.lengths is not None:
        shortest = call.lengths.edges == call.lengths.pairs[pair]
    equal = np.bincount(pair[shortest], minlength=scores.size)
    shares = np.where(shortest, scores[pair] / np.maximum(equal[pair], 1), 0.0).tolist()
    return {edge: shares[index] for edge, index in G.edges()}
