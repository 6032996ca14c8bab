"""How many sources reach each node and from how far, by length.

With d(v) the distance from a source that reaches v:

    reached(v) += 1,  total(v) += d(v),  harmonic(v) += 1 / d(v),  farthest(v) = max d(v)

in the column of the first limit that is not below d(v).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ....jit import kernel
from .simd import LANES, collect
from .sssp_batch import WIDTH, complete, relax
from .sssp_heap import sssp
from .sums import first_within


@kernel
def accumulate(search: Any, limits: Any, sources: Any, sums: Any) -> None:
    """Search from one source after the other."""
    n = search.distance.size
    for source in sources:
        count, _, _ = sssp(search, source, None, None)
        if search.stop[0]:
            return
        search.distance[source] = np.inf
        for i in range(1, count):
            v = np.uint32(search.order[i])
            d = search.distance[v]
            search.distance[v] = np.inf
            place = np.uint64(first_within(limits, d) * n) + v
            sums.reached[place] += 1
            sums.total[place] += d
            sums.harmonic[place] += 1 / d
            sums.farthest[place] = max(sums.farthest[place], d)


@kernel
def accumulate_batch(search: Any, batch: Any, total: Any, sources: Any, sums: Any) -> bool:
    """Search from sources that lie close together; False, and nothing done, if they do not.

    ``total``, shape (24,), is what `collect` adds up in.
    """
    complete(search, sssp(search, sources[0], None, None)[0])
    if not relax(search, sources, batch):
        return False
    for v in range(search.order.size):
        total[:] = 0
        count = 0
        for lane in range(v * WIDTH, (v + 1) * WIDTH, LANES):
            count += collect(batch.distance, lane, total)
        distance = inverse = farthest = 0.0
        for lane in range(LANES):
            distance += total[lane]
            inverse += total[LANES + lane]
            farthest = max(farthest, total[2 * LANES + lane])
        sums.reached[v] += count
        sums.total[v] += distance
        sums.harmonic[v] += inverse
        sums.farthest[v] = max(sums.farthest[v], farthest)
    return True
