"""Unweighted Brandes from the ends of chains, one at a time, and the sums along their chains.

First the forward phase of every end, whose levels, counts and tight arcs are kept; then, for each
source, targets get the weights of the inner nodes that it stands for (`chain_ends`), and a backward
phase follows for each cutoff. ``others`` are far ends of other batches, and have no backward phase.
"""

from typing import Any, NamedTuple

import numpy as np

from ....jit import kernel, stopped, subroutine
from ...common.brandes import backward, forward
from ..brandes.brandes_source import Source, begin, forget
from ..common.counts import exponent_of, store
from ..common.outcomes import DONE, STOPPED
from ..common.state import array
from .chain_ends import by_number, column, give_weights, node_of, weigh
from .chains import NOWHERE, count_before

OWN = len(Source._fields) - 4  # fields of `Source` before the four that each column has


class Columns(NamedTuple):
    """Results of the forward phases of a batch, a row for each end."""

    found: Any  # `Searches`: levels and counts
    targets: Any  # `Targets`
    queue: Any = array(np.uint32, "ends", "queue")  # of `Source`, as are tails, heads and entries
    tails: Any = array(np.uint32, "ends", "tight")
    heads: Any = array(np.uint32, "ends", "tight")
    entries: Any = array(np.int64, "ends", "entries")  # of length 0 unless arcs are summed
    reached: Any = array(np.int64, "ends")  # number of nodes in the queue
    tight: Any = array(np.int64, "ends")  # number of tight arcs


@kernel
def run(batch, columns, ends, sums):
    """Sweep the ends of a batch; ``batch`` is the `Source` that each column uses in turn.

    Backward phases add to ``batch.sums``, with the weights of `weigh`; chains add to ``sums``.
    """
    count = ends.sources.size
    for j in range(count + ends.others.size):
        state = of_column(batch, columns, j)
        begin(state, node_of(ends, j))
        depth = 0
        while forward(state, depth):
            depth += 1
        if stopped(batch.stop):
            return STOPPED
        keep(state, columns, j, depth)
    batch.alpha[0] = 1
    targets, chain = columns.targets, 0
    for j in range(count):
        if stopped(batch.stop):
            return STOPPED
        state = of_column(batch, columns, j)
        queue, near = state.queue[: columns.reached[j]], column(columns.found, j)
        for i in range(queue.size):
            v = queue[i]
            store(state.sigma, state.exponent, i, near.sigma[v], exponent_of(near.exponent, v))
        depth = find_levels(state, queue, near.distance, columns.tight[j])
        by_number(targets, queue, near, None)
        first = chain
        for c in range(batch.limits.size):
            most, chain = weigh(
                *(columns.found, targets, ends, j, first),
                *(queue, batch.limits, c, None, sums),
            )
            batch.max_sigma[0] = max(batch.max_sigma[0], most)
            give_weights(batch, targets, queue, sums)
            for d in range(depth, -1, -1):
                backward(state, d, c)
    for j in range(count + ends.others.size):
        for v in columns.queue[j, : columns.reached[j]]:
            columns.found.distance[j, v] = NOWHERE
    return DONE


@subroutine
def of_column(batch, columns, j):
    """`Source` whose queue and tight arcs are those of column j."""
    queue, tails, heads, entries = columns.queue, columns.tails, columns.heads, columns.entries
    row = queue[j], tails[j], heads[j], entries[j]
    return Source(*batch[:OWN], *row)  # type: ignore[call-arg]


@subroutine
def keep(state, columns, j, depth):
    """Copy levels and counts to column j, and reset the state."""
    level, sigma, exponent = column(columns.found, j)
    columns.reached[j], columns.tight[j] = state.starts[depth + 1], state.leaving[depth + 1]
    most = state.max_sigma[0]
    for d in range(depth + 1):
        for i in range(state.starts[d], state.starts[d + 1]):
            v = state.queue[i]
            level[v] = d
            store(sigma, exponent, v, state.sigma[i], exponent_of(state.exponent, i))
            most = max(most, state.sigma[i])
    state.max_sigma[0] = most
    forget(state, state.queue[: state.starts[depth + 1]])


@subroutine
def find_levels(state, queue, level, tight):
    """Fill the starts of the levels in the queue and of their tight arcs; return the last level."""
    depth = level[queue[-1]]
    state.starts[0] = state.leaving[0] = 0
    for d in range(depth + 1):
        low, high = state.starts[d], queue.size
        while low < high:
            middle = (low + high) // 2
            if level[queue[middle]] <= d:
                low = middle + 1
            else:
                high = middle
        state.starts[d + 1] = low
        left = state.tails[state.leaving[d] : tight]
        state.leaving[d + 1] = state.leaving[d] + count_before(left, state.starts[d + 1], False)
    return depth
