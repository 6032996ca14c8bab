"""Batches of neighbouring sources: breadth-first balls, whose searches meet most rows together."""

import numpy as np
from numpy.typing import NDArray

from ...jit import interruptible, kernel, stopped
from ...matrix.csr import CSR, row_of
from ...matrix.graph import Graph
from .sums import Batch, alone, cut

# In an undirected graph a ball of radius r reaches a row in at most 2 r + 1 levels. Past this
# radius its columns have so few levels in common that one source at a time is faster.
RADIUS = 20
VISITS = 64  # nodes that a ball may visit for each source that it is to hold
# Nodes, per node of the graph, visited by balls that do not fill up before no more are grown.
VAIN = 4


def in_balls(
    graph: Graph,
    sources: NDArray[np.int32],
    alpha: NDArray[np.float64],
    *,
    width: int,
    high_diameter: bool,
    scattered: int | None = None,
    clustered: int = RADIUS,
    passed: NDArray[np.bool_] | None = None,
) -> list[Batch]:
    """Batches of neighbouring sources: balls of ``width`` sources, then the remaining sources.

    On a high-diameter graph the remaining ones are ``scattered`` to a batch, by default as few as
    `alone` has it, and balls are marked clustered up to radius ``clustered``. Nodes of the mask
    ``passed``, (n,), are not counted in a ball: twins, which it meets with the node whose
    neighbours they have. A pure function of the graph, the sources and the width, as are the bits
    of the sums that it fixes.
    """
    passed = np.zeros(graph.n, dtype=bool) if passed is None else passed
    order, sizes, radii = found_balls(graph, sources, passed, width, VISITS * width)
    is_full = np.repeat(sizes == width, sizes)
    batches = cut(sources[order[is_full]], alpha[order[is_full]], width)
    if high_diameter:
        batches = [
            batch._replace(clustered=bool(radius <= clustered))
            for batch, radius in zip(batches, radii[sizes == width], strict=True)
        ]
    rest = order[~is_full]
    size = (scattered or alone(sources.size)) if high_diameter else width
    return batches + cut(sources[rest], alpha[rest], size, clustered=not high_diameter)


def found_balls(
    graph: Graph,
    sources: NDArray[np.int32],
    passed: NDArray[np.bool_],
    width: int,
    visits: int,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Indices of the sources ball by ball, and sizes and radii of the balls (`_grow`)."""
    host = graph.on_host()
    backward = CSR(np.zeros_like(host.outgoing.indptr), host.outgoing.indices[:0])
    ways = host.outgoing, backward if graph.symmetric else host.incoming
    most_vain = VAIN * graph.n
    work = visits * (sources.size // width) + most_vain + graph.n
    waiting = np.full(graph.n, -1, dtype=np.int32)
    waiting[sources] = np.arange(sources.size)
    ball = np.where(passed, np.int32(sources.size), np.int32(-1))
    order, sizes, radii = (np.empty(sources.size, dtype=np.int64) for _ in range(3))
    arguments = sources, width, visits, most_vain, waiting, ball, np.empty(graph.n, dtype=np.int32)
    count = interruptible(work, _grow, ways, *arguments, order, sizes, radii)
    return order, sizes[:count], radii[:count]


@kernel
def _grow(  # type: ignore[no-untyped-def]
    ways, sources, width, visits, most_vain, waiting, ball, queue, order, sizes, radii, stop
):
    """Fill order, sizes and radii of balls of up to ``width`` sources; return their number.

    A ball grows from the first source in no ball, by breadth-first search along both ``ways``, and
    ends at ``visits`` nodes. ``waiting`` is the index in ``sources`` of each node, -1 if it is no
    source or in a ball. ``ball`` is the last ball that met a node, -1 if none did; nodes with the
    number of sources there are met by none.
    """
    placed = count = vain = 0
    for seed in sources:
        if stopped(stop):
            break
        if waiting[seed] < 0:
            continue
        queue[0] = seed
        ball[seed] = max(ball[seed], count)
        order[placed] = waiting[seed]
        waiting[seed] = -1
        size, low, high, radius, reached = 1, 0, 1, 0, 0
        while high > low and size < width and high < visits and vain < most_vain:
            end = high
            radius += 1
            for i in range(low, high):
                for indptr, indices in ways:
                    for p in row_of(indptr, np.uint32(queue[i])):
                        v = np.uint64(indices[p])
                        if ball[v] >= count:
                            continue
                        ball[v] = count
                        queue[end] = v
                        end += 1
                        if waiting[v] >= 0 and size < width:
                            order[placed + size] = waiting[v]
                            waiting[v] = -1
                            size += 1
                            reached = radius
                if size == width:
                    break
            low, high = high, end
        if size < width:
            vain += high
        sizes[count] = size
        radii[count] = reached
        placed += size
        count += 1
    return count
