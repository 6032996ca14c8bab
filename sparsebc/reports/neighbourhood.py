"""The subgraph of a large network that a page draws: nodes of highest score, with neighbours."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..io.annotated import Annotated
from .content import Ranked

TOP, NODES, EDGES = 50, 500, 2_000

Integers = NDArray[np.int64]


class Part(NamedTuple):
    """An induced subgraph, and its description."""

    nodes: Integers
    edges: Integers
    told: str


def neighbourhood(network: Annotated, ranked: Ranked) -> Part:
    """Subgraph of the `TOP` listed nodes of highest score and their listed neighbours.

    Nodes are ordered by rank, or by the rank of their first edge. The part is the longest prefix of
    at most `NODES` nodes that induces at most `EDGES` edges: none between drawn nodes is left out.
    """
    scores, listed = ranked.scores[0], ranked.listed
    best = listed[~np.isnan(scores.values[listed])]
    if ranked.ends == 2:
        listed, best = (_ends(network, edges) for edges in (listed, best))
    n, tails, heads = len(network.names), network.tails, network.heads
    top = best[:TOP]
    near = np.zeros(n, dtype=bool)
    is_top = np.zeros(n, dtype=bool)
    is_top[top] = True
    near[heads[is_top[tails]]] = near[tails[is_top[heads]]] = True
    near[top] = False
    order = np.concatenate((top, listed[near[listed]]))[:NODES]
    position = np.full(n, n)
    position[order] = np.arange(len(order))
    last = np.maximum(position[tails], position[heads])  # of the later end of each edge
    induced = np.bincount(last[last < n], minlength=len(order)).cumsum()
    count = int(np.searchsorted(induced, EDGES, side="right"))
    edges, drawn = np.flatnonzero(last < count), min(count, len(top))
    if ranked.ends == 2:
        whose = f"the {drawn:,} ends of the edges of highest {scores.title}"
    else:
        whose = f"the {drawn:,} nodes of highest {scores.title}"
    told = (
        f"Of {n:,} nodes and {len(tails):,} edges this draws {whose}, {count - drawn:,} of their "
        f"{np.count_nonzero(near):,} neighbours, the highest first, and all {len(edges):,} edges "
        f"between these: no more than {NODES:,} nodes and {EDGES:,} edges. Scores and degrees are "
        "those of the whole network."
    )
    return Part(np.sort(order[:count]), edges, told)


def _ends(network: Annotated, edges: Integers) -> Integers:
    """Ends of the edges, each once, in order of first occurrence."""
    ends = np.column_stack((network.tails[edges], network.heads[edges])).ravel()
    nodes, first = np.unique(ends, return_index=True)
    return nodes[np.argsort(first)]
