"""Unweighted Brandes from the ends of chains, one at a time, and the sums along their chains.

First the forward phase of every end, whose levels, counts and tight arcs are kept; then, for each
source, targets get the weights of the inner nodes that it stands for (`weigh`), and a backward
phase follows for each cutoff. ``others`` are far ends of other batches, and have no backward phase.

End a stands, for each target t, for the inner nodes that reach t by way of a (`chains`). With the
sum of their weights and that of a as the weight of t, one sweep from a is that from all of them.
"""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....jit import kernel, stopped, subroutine
from ...common.sums import Chains
from ..brandes.brandes_source import Source, backward, forget, forward, visit_source
from ..common.counts import exponent_of, one, store
from ..common.state import DONE, STOPPED, array
from .chains import (
    NOWHERE,
    Column,
    accumulate_chain,
    assign_targets,
    count_before,
    fill_cells,
    is_reached,
    lay_behind,
    pair_up,
    share_of,
    take_back,
)


class Searches(NamedTuple):
    """Distances and counts of the searches of a batch, a row for each end."""

    # "nowhere" if there is no path, and between batches
    distance: Any = array("distance", "ends", "n", fill="nowhere")
    sigma: Any = array(np.float64, "ends", "n")
    exponent: Any = array(np.int64, "ends", "exponents")  # beyond the range of floats; or None


class Targets(NamedTuple):
    """Weights of the targets of an end."""

    omega: NDArray[np.float64]  # (n,) weights of nodes as targets
    pairs: Any = array(np.float64, "n")  # weight of the sources that the end stands for, by target
    paths: Any = array(np.float64, "nodes of stress")  # likewise for stress, where paths count
    rows: Any = array(np.uint32, "rows")  # nodes that the end reaches, ascending


class Ends(NamedTuple):
    """A batch of ends, and work space for one of its chains."""

    sources: NDArray[np.int32]
    alpha: NDArray[np.float64]  # weight of each source
    others: NDArray[np.int32]  # far ends of other batches
    chains: Chains
    work: Any  # `Work`


@subroutine
def node_of(ends, j):
    """The node of end j, a source or one of the others."""
    return ends.sources[j] if j < ends.sources.size else ends.others[j - ends.sources.size]


@subroutine
def column(searches, j):
    """Distances and counts of the search from an end."""
    return Column(searches.distance[j], searches.sigma[j], row_of(searches.exponent, j))


@subroutine
def row_of(table, j):
    """Row j of a table, or None if that is None."""
    if table is None:
        return None
    return table[j]


@subroutine
def by_number(targets, nodes, near, tau):
    """Fill ``targets.rows`` with the nodes that an end has reached, ascending."""
    first = last = np.int64(nodes[0])
    for v in nodes:
        first, last = min(first, np.int64(v)), max(last, np.int64(v))
    count = 0
    for v in range(first, last + 1):
        targets.rows[count] = v
        count += is_reached(near.distance[v], tau)


@subroutine
def weigh(searches, targets, ends, j, k, reached, limits, c, tau, sums):
    """Fill the weights of the targets of source j within cutoff c, and add the sums of its chains.

    Its chains begin with chain k. ``reached`` are the nodes that it has reached, itself first.
    Returns the largest stress of a node, 0 if not wanted, and the first chain of the next source.
    """
    chains, work, near, a = ends.chains, ends.work, column(searches, j), ends.sources[j]
    omega, limit, most = targets.omega, limits[c], 0.0
    rows = targets.rows[: reached.size]
    node, entry = c * omega.size, c * (sums.arcs.size // limits.size)
    for t in rows:
        targets.pairs[t] = ends.alpha[j]
        if sums.stress.size:
            targets.paths[t] = ends.alpha[j]
    while k < chains.near.size and chains.near[k] == j:
        far, b = column(searches, chains.far[k]), node_of(ends, chains.far[k])
        pair_up(work.within, chains, k, a, near.distance[b], omega, limit, tau)
        fill_cells(work, chains.alpha[chains.start[k] : chains.start[k + 1]])
        lay_behind(work, chains, k, a, far)
        assign_targets(work, chains, k, near, far, targets, rows, limit, tau, sums)
        share = 0.0  # of the path along the chain among all between its ends, 1 / (1 + sigma_a(b))
        if is_reached(near.distance[b], tau):
            m, e = one(near.exponent)
            other_e = exponent_of(near.exponent, b)
            share = share_of(near.exponent, m, e, near.sigma[b], other_e)
        through = accumulate_chain(work, chains, k, a, omega, share, sums, node, entry)
        most = max(most, through)
        take_back(work, chains, k, a, far)
        k += 1
    if sums.ends.size:  # count each pair by way of a at its target, and at a if a is its source
        for t in reached[1:]:
            if near.distance[t] <= limit:
                sums.ends[node + t] += targets.pairs[t] * omega[t]
                sums.ends[node + a] += ends.alpha[j] * omega[t]
    return most, k


@subroutine
def give_weights(state, targets, nodes, sums):
    """Set omega and omega_h of the nodes to the weights of `weigh`."""
    for v in nodes:
        if sums.dependency.size:
            state.omega[v] = targets.omega[v] * targets.pairs[v]
        if sums.stress.size:
            state.omega_h[v] = targets.omega[v] * targets.paths[v]


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
        visit_source(state, node_of(ends, j))
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
