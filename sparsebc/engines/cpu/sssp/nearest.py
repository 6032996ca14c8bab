"""Distances to the k nearest points of interest, by one search from all of them at once.

Dijkstra's algorithm with k labels a node: the distances of the k nearest points found so far,
ascending, each of a different point.

    label (d, p) of u, and an edge u -> v:  (d + w(u, v), p) is a label of v if it is among its k
    nearest, and p has no nearer one there

Labels are in a priority queue; those that nearer labels have replaced are skipped. Each node
relaxes its row for at most k labels. Unweighted edges have length 1.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import inlined, kernel, stopped
from ....matrix.csr import row_of
from ....matrix.graph import Graph
from ...common.base import Sweep
from ..common.state import allocated, array, nbytes_of
from .sssp import sift_down, sift_up

NODES_PER_POLL = 4096


class Labels(NamedTuple):
    """Labels of the nodes, and a heap of pending labels."""

    distance: Any = array(np.float64, "labels", fill=np.inf)  # k to a node, ascending
    place: Any = array(np.int32, "labels")
    keys: Any = array(np.float64, "entries")
    waiting: Any = array(np.int64, "entries")  # of the label of place p at node v, p n + v


def sizes(n: int, arcs: int, k: int) -> dict[str, Any]:
    """Sizes of `Labels`: up to k labels enter the heap per edge, and one per source."""
    return {"labels": k * n, "entries": k * arcs + n + 1}


class NearestSearch:
    """State of a search from the points of a kind, reused for the next kind."""

    @staticmethod
    def least_bytes(graph: Graph, sweep: Sweep) -> int:
        """Bytes of the labels, and of unit lengths if the graph has none."""
        made = sizes(graph.n, graph.arcs, sweep.width)
        return nbytes_of(made, Labels) + (0 if graph.lengths else 8 * graph.arcs)

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        there = graph.with_unit_lengths()
        assert there.lengths is not None
        self._graph = (*there.outgoing, there.lengths.outgoing)
        self._k, self._stop = sweep.width, stop
        self._labels = allocated(Labels, sizes(graph.n, graph.arcs, sweep.width))

    def nearest(self, places: NDArray[np.int32]) -> NDArray[np.float64]:
        """Distance of each node to its k-th nearest point; infinite if there are fewer."""
        search(*self._graph, self._labels, self._k, places, self._stop)
        found: NDArray[np.float64] = self._labels.distance[self._k - 1 :: self._k].copy()
        return found


@kernel
def search(indptr, indices, lengths, labels, k, places, stop):
    """Fill the labels of all nodes."""
    n, size, looks = indptr.size - 1, 0, 0
    labels.distance[:] = np.inf
    for p in places:
        size = enter(labels, k, p, 0.0, p, size, n)
    while size and (looks % NODES_PER_POLL or not stopped(stop)):
        here, waiting = labels.keys[0], labels.waiting[0]
        p, u = waiting // n, waiting % n
        size -= 1
        sift_down(labels.keys, labels.waiting, size)
        looks += 1
        for i in range(k * u, k * u + k):
            if labels.distance[i] == here and labels.place[i] == p:  # (here, p) is still a label
                for q in row_of(indptr, np.uint32(u)):
                    size = enter(labels, k, indices[q], here + lengths[q], p, size, n)
                break


@inlined
def enter(labels, k, v, reach, p, size, n):
    """Insert label (reach, p) of node v if it is near enough; returns the size of the heap."""
    distance, place = labels.distance, labels.place
    first = k * np.int64(v)
    hole = first
    while hole < first + k - 1 and distance[hole] < np.inf and place[hole] != p:
        hole += 1  # of the same place, or none, or the farthest
    if distance[hole] <= reach:
        return size
    while hole > first and distance[hole - 1] > reach:
        distance[hole], place[hole] = distance[hole - 1], place[hole - 1]
        hole -= 1
    distance[hole], place[hole] = reach, p
    sift_up(labels.keys, labels.waiting, size, reach, np.int64(p) * n + v)
    return size + 1
