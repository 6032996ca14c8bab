"""Weighted shortest paths drawn at random, by bidirectional Dijkstra.

Let S and T be the complete nodes of the search from s along the edges, and of that from t against
them, D the least d_s(v) + w(v, x) + d_t(x) so far, and r_s and r_t the least pending distances.
Both searches end once r_s + r_t > D + tau (I. Pohl, "Bi-directional search", 1971): D is the
distance, and a shortest path leaves S, if ever, by an arc (u, w) into T,

    P(u, w) = sigma_s(u) sigma_t(w) / sigma_st

since d_s(w) >= r_s, so that d_t(w) <= D + tau - r_s < r_t: paths tie that are up to tau longer than
D, and halves of them that are up to tau longer than the distance. The rest is as in `path_samples`.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...jit import kernel, stopped, subroutine
from ...matrix.csr import CSR, row_of
from ...matrix.graph import Graph
from ..common.base import EXTENDED, Sweep
from ..common.sums import Batch, PairSamples, sizes_of
from . import path_samples
from .common.counts import added, exponent_of, lowered, normalize, one, store
from .common.random import uniform
from .common.state import (
    DONE,
    STOPPED,
    TOO_FAR,
    KernelWorkspace,
    Sizes,
    allocated,
    array,
    nbytes_of,
)
from .path_samples import SAMPLES_PER_POLL, drawn_pair
from .sssp.sssp import sift_down, sift_up


class Side(NamedTuple):
    """A search from one end."""

    ahead: CSR  # along the edges from s, against them from t
    lengths: NDArray[np.float64]
    back: CSR  # in the opposite direction
    back_lengths: NDArray[np.float64]
    distance: Any = array(np.float64, "n", fill=np.inf)
    complete: Any = array(np.bool_, "n")
    sigma: Any = array(np.float64, "n")  # path counts, or their mantissas
    exponent: Any = array(np.int64, "exponents")  # of sigma, beyond the range of floats; or None
    keys: Any = array(np.float64, "entries")  # of pending nodes, a heap
    waiting: Any = array(np.int32, "entries")
    met: Any = array(np.int32, "n")  # nodes with a distance
    order: Any = array(np.int32, "n")  # complete nodes


class WeightedPathState(NamedTuple):
    """State of both searches."""

    source: Side
    target: Side
    pairs: PairSamples
    tau: float  # largest difference of two paths that tie
    farthest: float  # `Lengths.limit`: larger distances are refused
    dependency: NDArray[np.float64]  # (n,) paths through each node
    stop: NDArray[np.uint8]  # (1,) as `jit.stopped` reads it
    stream: Any = array(np.uint64, 1)  # of random numbers
    max_sigma: Any = array(np.float64, 1)  # largest path count, or its mantissa


@kernel
def run(state, samples):
    """Draw the samples of these numbers."""
    for number in samples:
        if number % SAMPLES_PER_POLL == 0 and stopped(state.stop):
            return STOPPED
        s, t = drawn_pair(state.pairs, state.stream, number)
        if s != t and draw_path(state, s, t) > state.farthest:
            return TOO_FAR
    return DONE


@subroutine
def draw_path(state, s, t):
    """Draw a path from s to t, if there is one, and count its inner nodes; returns its length."""
    side, other, tau = state.source, state.target, state.tau
    size, met, count = begin(side, s)
    size_t, met_t, count_t = begin(other, t)
    best = np.inf
    while size and size_t and side.keys[0] + other.keys[0] <= best + tau:
        if size <= size_t:
            size, met, count, best = settle(side, other, size, met, count, best, tau)
        else:
            size_t, met_t, count_t, best = settle(other, side, size_t, met_t, count_t, best, tau)
    if best < np.inf:
        u, w = np.int64(t), np.int64(-1)
        if not side.complete[t]:
            u, w = between(state, count, best + tau)
        if u != s:
            walk(state, side, u, s, u != t)
        if w >= 0:
            walk(state, other, w, t, True)
    forget(side, met, count)
    forget(other, met_t, count_t)
    return best if best < np.inf else 0.0


@subroutine
def begin(side, source):
    """Begin a search; returns the numbers of pending, reached and complete nodes."""
    m, e = one(side.exponent)
    store(side.sigma, side.exponent, source, m, e)
    side.distance[source] = 0.0
    side.keys[0], side.waiting[0], side.met[0] = 0.0, source, source
    return 1, 1, 0


@subroutine
def forget(side, met, count):
    """Reset distances to infinity, and complete to False."""
    for v in side.met[:met]:
        side.distance[v] = np.inf
    for v in side.order[:count]:
        side.complete[v] = False


@subroutine
def settle(side, other, size, met, count, best, tau):
    """Complete the nearest pending node, and relax its row; updates ``best``, D so far."""
    distance, sigma, exponent = side.distance, side.sigma, side.exponent
    here, u = side.keys[0], np.uint32(side.waiting[0])
    size -= 1
    sift_down(side.keys, side.waiting, size)
    if side.complete[u] or here != distance[u]:
        return size, met, count, best
    side.complete[u] = True
    side.order[count] = u
    normalize(sigma, exponent, side.order[count : count + 1])
    for p in row_of(side.ahead.indptr, u):
        v = np.uint32(side.ahead.indices[p])
        if side.complete[v]:
            continue
        before, reach = distance[v], here + side.lengths[p]
        best = min(best, reach + other.distance[v])
        if reach > before + tau:
            continue
        m, e = sigma[u], exponent_of(exponent, u)
        if before == np.inf:
            side.met[met] = v
            met += 1
        elif before <= reach + tau:
            m, e = added(exponent, sigma[v], exponent_of(exponent, v), m, e)
        store(sigma, exponent, v, m, e)
        if reach < before:
            distance[v] = reach
            sift_up(side.keys, side.waiting, size, reach, v)
            size += 1
    return size, met, count + 1, best


@subroutine
def between(state, count, longest):
    """Arc from S to T of a path drawn among those of length at most ``longest``."""
    side, other, exponent = state.source, state.target, state.source.exponent
    total, top = 0.0, 0
    u = w = np.int64(-1)
    for v in side.order[:count]:
        for p in row_of(side.ahead.indptr, np.uint32(v)):
            x = np.uint32(side.ahead.indices[p])
            if side.complete[x] or not other.complete[x]:
                continue
            if side.distance[v] + side.lengths[p] + other.distance[x] <= longest:
                m = side.sigma[v] * other.sigma[x]
                e = exponent_of(exponent, v) + exponent_of(other.exponent, x)
                total, top = added(exponent, total, top, m, e)
                if uniform(state.stream) * total <= lowered(exponent, m, top - e):
                    u, w = np.int64(v), np.int64(x)
    state.max_sigma[0] = max(state.max_sigma[0], total)
    return u, w


@subroutine
def walk(state, side, v, end, counts):
    """Draw a path from v to ``end`` by sigma; count its nodes but the end, v only if ``counts``."""
    distance, exponent = side.distance, side.exponent
    state.max_sigma[0] = max(state.max_sigma[0], side.sigma[v])
    while v != end:
        if counts:
            state.dependency[v] += 1.0
        counts = True
        total, top, chosen = 0.0, 0, end
        for p in row_of(side.back.indptr, np.uint32(v)):
            x = np.uint32(side.back.indices[p])
            is_tight = distance[x] + side.back_lengths[p] <= distance[v] + state.tau
            if side.complete[x] and is_tight:
                m, e = side.sigma[x], exponent_of(exponent, x)
                total, top = added(exponent, total, top, m, e)
                if uniform(state.stream) * total <= lowered(exponent, m, top - e):
                    chosen = np.int64(x)
        v = chosen


def sizes(graph: Graph, sweep: Sweep) -> Sizes:
    """Sizes of `Side`: each edge enters the heap at most once; and of `PathState`."""
    exponents = graph.n if sweep.dtype == EXTENDED else None
    return {"n": graph.n, "entries": graph.arcs + 1, "exponents": exponents}


class PathSamplesWorkspace(KernelWorkspace):
    """State of a search, by edges or by length, and the number of paths drawn through each node."""

    @staticmethod
    def least_bytes(graph: Graph, sweep: Sweep) -> int:
        """Bytes of the state of a search, and of the sum."""
        kinds = (Side, Side) if graph.lengths else (path_samples.PathState,)
        sums = 8 * sum(sizes_of(sweep.sums, graph).values())
        return nbytes_of(sizes(graph, sweep), *kinds) + sums

    def __init__(self, graph: Graph, sweep: Sweep, stop: NDArray[np.uint8]) -> None:
        super().__init__(graph, sweep.sums)
        lengths, its = graph.lengths, sizes(graph, sweep)
        given = {"pairs": sweep.pairs, "dependency": self.added.dependency, "stop": stop}
        if lengths is None:
            out, back = graph.outgoing, graph.incoming
            growth = float(max(int(each.degrees.max(initial=1)) for each in (out, back)))
            given |= {"outgoing": out, "incoming": back, "growth": growth}
            self._draw = path_samples.run, allocated(path_samples.PathState, its, **given)
            self.largest = [np.zeros(1)]  # counts are scaled, and never out of range
            return
        ways = (graph.outgoing, lengths.outgoing), (graph.incoming, lengths.incoming)
        for name, (a, to), (b, fro) in (("source", *ways), ("target", *ways[::-1])):
            given[name] = allocated(Side, its, ahead=a, lengths=to, back=b, back_lengths=fro)
        given |= {"tau": lengths.tau, "farthest": lengths.limit}
        self._draw = run, allocated(WeightedPathState, its, **given)
        self.largest = [self._draw[1].max_sigma]

    def calls(self, batch: Batch) -> Iterator[tuple[Any, ...]]:
        """The kernel that draws the samples of a batch."""
        yield *self._draw, batch.sources
