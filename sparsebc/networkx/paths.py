"""Functions of NetworkX that count paths: betweenness, groups, partitions by removal of edges."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from random import Random
from typing import Any

import networkx as nx
import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..communities.dismantling import RemainingGraph
from ..errors import InputError
from ..io.network import entries_at
from ..matrix.edge_weights import TIE_RTOL
from ..measures.centralities import pairs_through, rescale
from ..measures.groups import group_betweenness
from ..measures.groups import prominent_group as greedy_group
from ..measures.paths import betweenness, edge_betweenness
from ..measures.weights import checked
from .call import Call
from .functions import SINCE_3_7
from .graph import SparseGraph, handed_back

ENDS = ("sources", "targets")
Edges = dict[tuple[Any, ...], float]  # scores by edge


def betweenness_centrality(
    call: Call, k: int | None, normalized: bool, endpoints: bool, seed: Random | None
) -> dict[Any, float]:
    """``networkx.betweenness_centrality``."""
    G = call.G
    sample = _sample(G, None if k == len(G) else k, seed)
    raw = _sums(call, betweenness, sources=sample, endpoints=bool(endpoints))
    return G.named(_scaled(G, raw, sample, normalized=normalized, endpoints=endpoints))


def betweenness_centrality_subset(
    call: Call, sources: Iterable[Any], targets: Iterable[Any], normalized: bool
) -> dict[Any, float]:
    """``networkx.betweenness_centrality_subset``."""
    raw = _sums(call, betweenness, **_chosen(call, sources, targets))
    return call.G.named(_scaled(call.G, raw, None, normalized=normalized, endpoints=False))


def edge_betweenness_centrality(
    call: Call, k: int | None, normalized: bool, seed: Random | None
) -> Edges:
    """``networkx.edge_betweenness_centrality``."""
    sample = _sample(call.G, k, seed)
    return _by_edge(call, sample, normalized, sources=sample)


def edge_betweenness_centrality_subset(
    call: Call, sources: Iterable[Any], targets: Iterable[Any], normalized: bool
) -> Edges:
    """``networkx.edge_betweenness_centrality_subset``, by its definition.

    The sum over sources s and targets t of the share of shortest paths from s to t that take the
    edge. NetworkX 3.6 splits the dependency of a node that is not a target equally between its
    predecessors, not in proportion to their path counts.
    """
    return _by_edge(call, None, normalized, **_chosen(call, sources, targets))


def percolation_centrality(
    call: Call, attribute: str, states: Mapping[Any, Any] | None
) -> dict[Any, float]:
    """``networkx.percolation_centrality``: pairs are weighted by the state of their source."""
    G = call.G
    if states is None:
        if G.original is None:
            raise InputError(
                f"attribute={attribute!r} is missing: this graph was made without attributes of "
                "nodes; give states"
            )
        states = nx.get_node_attributes(G.original, attribute, default=1)
    if any(node not in states for node in G):
        raise handed_back("sparsebc leaves a node without a state to NetworkX")
    total = sum(states.values(), 0.0)
    try:
        weights = checked("states", [states[node] for node in G], len(G))
    except (TypeError, ValueError) as error:
        raise handed_back(f"sparsebc: {error}") from error
    others = total - weights
    if not others.all():
        raise handed_back("sparsebc leaves a single percolated node to NetworkX")
    raw = call.scores(betweenness, source_weights=weights)
    return G.named(raw / (others * (len(G) - 2)))


def _sample(G: SparseGraph, k: int | None, seed: Any) -> NDArray[np.int64] | None:
    """Numbers of the nodes that NetworkX itself would draw; None for all nodes."""
    if k is None:
        return None
    sample = G.numbers(seed.sample(list(G), k))
    if not sample.size:
        raise ZeroDivisionError("division by zero")
    return sample


def _chosen(call: Call, sources: Iterable[Any], targets: Iterable[Any]) -> dict[str, Any]:
    """Sources, targets and, if a source is listed more than once, source weights."""
    G = call.G
    repeats = np.bincount(G.numbers(sources), minlength=len(G))
    ends = G.numbers(node for node in set(targets) if node in G.index)
    chosen = {"sources": np.flatnonzero(repeats), "targets": ends}
    return chosen | ({"source_weights": repeats} if repeats.max(initial=0) > 1 else {})


def _sums(call: Call, measure: Callable[..., Any], **chosen: Any) -> Any:
    """Sums over ordered pairs by a measure; zeros if the chosen sources or targets are none."""
    if any(chosen.get(ends) is not None and not chosen[ends].size for ends in ENDS):
        n = len(call.G)
        return np.zeros(n) if measure is betweenness else scipy.sparse.csr_array((n, n))
    return call.scores(measure, **chosen)


def _scaled(
    G: SparseGraph,
    raw: NDArray[np.float64],
    sample: NDArray[np.int64] | None,
    *,
    normalized: Any,
    endpoints: Any,
) -> NDArray[np.float64]:
    """Scores as NetworkX scales them, from sums over ordered pairs."""
    pairs = all_pairs = pairs_through(len(G), endpoints=endpoints)
    if sample is not None:
        is_source = np.isin(np.arange(len(G)), sample)
        pairs = pairs_through(len(G), is_source, endpoints=endpoints)
    how = {"directed": G.directed, "normalized": bool(normalized)}
    scores: NDArray[np.float64] = rescale(raw, pairs, all_pairs, **how)
    return scores


def _by_edge(
    call: Call, sample: NDArray[np.int64] | None, normalized: bool, **chosen: Any
) -> Edges:
    """Scores by NetworkX edge; the shortest of parallel edges share their pair's score equally."""
    G = call.G
    tails, heads = G.rows[G.edge_pairs].astype(np.int64), G.indices[G.edge_pairs]
    found, raw = _sums(call, edge_betweenness, directed=G.directed, **chosen), np.zeros(tails.size)
    if found.nnz:  # no path takes a loop
        raw = np.where(tails == heads, 0.0, entries_at(found, tails, heads))
    raw *= 1 if G.directed else 2  # over ordered pairs
    of_pairs = _scaled(G, raw, sample, normalized=normalized, endpoints=True)
    if not G.is_multigraph():
        return dict(zip((edge for edge, _ in G.edges()), of_pairs.tolist(), strict=True))
    scores, pair = np.zeros(G.indices.size), np.repeat(np.arange(G.indices.size), G.parallels)
    scores[G.edge_pairs] = of_pairs
    shortest = np.ones(pair.size, dtype=bool)
    if call.lengths is not None:
        shortest = call.lengths.edges == call.lengths.pairs[pair]
    equal = np.bincount(pair[shortest], minlength=scores.size)
    shares = np.where(shortest, scores[pair] / np.maximum(equal[pair], 1), 0.0).tolist()
    return {edge: shares[index] for edge, index in G.edges()}


def group_betweenness_centrality(
    call: Call, C: Any, normalized: bool, endpoints: bool
) -> float | list[float]:
    """``networkx.group_betweenness_centrality``, by its definition.

    NetworkX has other numbers for some groups of three or more nodes, before 3.7 for more of them.
    """
    is_single = any(node in call.G for node in C)
    groups = [set(group) for group in ([C] if is_single else C)]
    _check(call, set().union(*groups))
    # With endpoints, NetworkX divides by all pairs from 3.7 on.
    scores = _scores(call, groups, normalized, endpoints, all_pairs=endpoints and SINCE_3_7)
    return scores[0] if is_single else scores


def prominent_group(
    call: Call, k: int, C: Iterable[Any] | None, endpoints: bool, normalized: bool, greedy: bool
) -> tuple[float, list[Any]]:
    """``networkx.prominent_group`` with ``greedy=True``; ties go to the greatest node name."""
    G, left_out = call.G, set(C or ())
    _check(call, left_out)
    order = np.arange(len(G))
    with suppress(TypeError):  # names that do not compare
        descending: list[Any] = sorted(G, reverse=True)
        order = G.numbers(descending)
    candidates = [at for at, node in enumerate(order.tolist()) if G.names[node] not in left_out]
    matrix = G.csr(call.lengths)[order][:, order]
    chosen: dict[str, Any] = {"size": k, "directed": G.directed, "candidates": candidates}
    found = call.scores(greedy_group, matrix, **chosen)
    group = [G.names[node] for node in order[found.nodes]]
    (score,) = _scores(call, [set(group)], normalized, endpoints)
    return float(f"{score:.2f}"), group  # as NetworkX rounds it


def _check(call: Call, nodes: set[Any]) -> None:
    """Raise NetworkX's error if a node is not in the graph."""
    missing = {node for node in nodes if node not in call.G}
    if missing:
        raise nx.NodeNotFound(f"The node(s) {missing} are in C but not in G.")


def _scores(
    call: Call,
    groups: list[set[Any]],
    normalized: bool,
    endpoints: bool,
    *,
    all_pairs: bool = False,
) -> list[float]:
    """Score of each group, 0 if empty; normalized by the pairs outside of it, or by all pairs."""
    G = call.G
    raw: NDArray[np.float64] = np.zeros(len(groups))
    nonempty = [i for i, group in enumerate(groups) if group]
    if nonempty:
        chosen: dict[str, Any] = {"directed": G.directed, "endpoints": bool(endpoints)}
        chosen["groups"] = [G.numbers(groups[i]) for i in nonempty]
        raw[nonempty] = call.scores(group_betweenness, **chosen)
    if not normalized:
        return list(map(float, raw))
    ordered_sums: list[float] = (raw * (1 if G.directed else 2)).tolist()
    nodes_counted = [len(G) if all_pairs else len(G) - len(group) for group in groups]
    return [total / (m * (m - 1)) for total, m in zip(ordered_sums, nodes_counted, strict=True)]


def edge_betweenness_partition(call: Call, number_of_sets: int) -> list[set[Any]]:
    """``networkx.community.edge_betweenness_partition``."""
    if not 1 < number_of_sets < len(call.G):
        found: list[set[Any]] = call.by_networkx(number_of_sets=number_of_sets)
        return found
    return next(sets for sets in _partitions(call) if len(sets) >= number_of_sets)


def girvan_newman(call: Call) -> Iterator[tuple[set[Any], ...]]:
    """``networkx.community.girvan_newman`` by edge betweenness."""
    partitions = _partitions(call)
    first = next(partitions)
    return map(tuple, partitions if call.G.indices.size else [first])


def _partitions(call: Call) -> Iterator[list[set[Any]]]:
    """Yield the node sets of the components, first of the whole graph, then after each split.

    Components come in the order of their first nodes. Of tied edges, the first of ``G.edges`` goes.
    """
    G = call.G
    graph = RemainingGraph(
        G.adjacency(call.lengths),
        "edge_betweenness",
        directed=False,
        weighted=call.lengths is not None,
        tie_rtol=TIE_RTOL if call.lengths is None else 0.0,
        run=call.settings,
    )
    ends = np.sort([G.rows[G.edge_pairs], G.indices[G.edge_pairs]], axis=0).astype(np.int64)
    position = {tuple(pair): at for at, pair in enumerate(ends.T.tolist())}
    graph.rank = np.array([position[tuple(pair)] for pair in graph.ends.tolist()], dtype=np.int64)
    for labels in chain([graph.labels], graph.splits(call.settings.progress)):
        sets: dict[int, set[Any]] = {}
        for node, label in zip(G, labels.tolist(), strict=True):
            sets.setdefault(label, set()).add(node)
        yield list(sets.values())
