"""Unweighted Brandes from the ends of chains, one at a time, and the sums along their chains.

First the forward phase of every end, whose levels, counts and tight arcs are kept; then, for each
source, targets get the weights of the inner nodes that it stands for (`weigh`), and a backward
phase follows for each cutoff. ``others`` are far ends of other batches, and have no backward phase.

End a stands, for each target t, for the inner nodes that reach t by way of a (`chains`). With the
sum of their weights and that of a as the weight of t, one sweep from a is that from all of them.
"""

import numpy as np

from ....jit import kernel, stopped, subroutine
from ..brandes.brandes_source import Source, backward, forget, forward, visit_source
from ..common.counts import exponent_of, one, store
from ..common.state import DONE, STOPPED
from .chains import (
    NOWHERE,
    accumulate_chain,
    assign_targets,
    column,
    count_before,
    fill_cells,
    is_reached,
    lay_behind,
    pair_up,
    share_of,
    take_back,
)


@subroutine
def node_of(ends, j):
    """The node of end j, a source or one of the others."""
    return ends.sources[j] if j < ends.sources.size else ends.others[j - ends.sources.size]


@subroutine
def by_number(columns, j, nodes, tau):
    """Fill ``columns.rows`` with the nodes that end j has reached, ascending."""
    first = last = np.int64(nodes[0])
    for v in nodes:
        first, last = min(first, np.int64(v)), max(last, np.int64(v))
    count = 0
    for v in range(first, last + 1):
        columns.rows[count] = v
        count += is_reached(columns.distance[j, v], tau)


@subroutine
def weigh(columns, ends, j, k, reached, limits, c, tau, sums):
    """Fill the weights of the targets of source j within cutoff c, and add the sums of its chains.

    Its chains begin with chain k. ``reached`` are the nodes that it has reached, itself first.
    Returns the largest stress of a node, 0 if not wanted, and the first chain of the next source.
    """
    chains, near, a = ends.chains, column(columns, j), ends.sources[j]
    distance, sigma, exponent = near
    omega, limit, most = columns.omega, limits[c], 0.0
    rows = columns.rows[: reached.size]
    node, entry = c * omega.size, c * (sums.arcs.size // limits.size)
    for t in rows:
        columns.pairs[t] = ends.alpha[j]
        if sums.stress.size:
            columns.paths[t] = ends.alpha[j]
    while k < chains.near.size and chains.near[k] == j:
        far, b = column(columns, chains.far[k]), node_of(ends, chains.far[k])
        pair_up(ends, k, a, distance[b], omega, limit, tau)
        fill_cells(ends, chains.alpha[chains.start[k] : chains.start[k + 1]])
        lay_behind(ends, k, a, far)
        assign_targets(ends, k, near, far, columns, rows, limit, tau, sums)
        share = 0.0  # of the path along the chain among all between its ends, 1 / (1 + sigma_a(b))
        if is_reached(distance[b], tau):
            m, e = one(exponent)
            share = share_of(exponent, m, e, sigma[b], exponent_of(exponent, b))
        through = accumulate_chain(ends, k, a, omega, share, sums, node, entry)
        most = max(most, through)
        take_back(ends, k, a, far)
        k += 1
    if sums.ends.size:  # count each pair by way of a at its target, and at a if a is its source
        for t in reached[1:]:
            if distance[t] <= limit:
                sums.ends[node + t] += columns.pairs[t] * omega[t]
                sums.ends[node + a] += ends.alpha[j] * omega[t]
    return most, k


@subroutine
def give_weights(state, columns, nodes, sums):
    """Set omega and omega_h of the nodes to the weights of `weigh`."""
    for v in nodes:
        if sums.dependency.size:
            state.omega[v] = columns.omega[v] * columns.pairs[v]
        if sums.stress.size:
            state.omega_h[v] = columns.omega[v] * columns.paths[v]


OWN = len(Source._fields) - 4  # fields of `Source` before the four that each column has


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
    chain = 0
    for j in range(count):
        if stopped(batch.stop):
            return STOPPED
        state = of_column(batch, columns, j)
        queue, (level, sigma, exponent) = state.queue[: columns.reached[j]], column(columns, j)
        for i in range(queue.size):
            v = queue[i]
            store(state.sigma, state.exponent, i, sigma[v], exponent_of(exponent, v))
        depth = find_levels(state, queue, level, columns.tight[j])
        by_number(columns, j, queue, None)
        first = chain
        for c in range(batch.limits.size):
            most, chain = weigh(columns, ends, j, first, queue, batch.limits, c, None, sums)
            batch.max_sigma[0] = max(batch.max_sigma[0], most)
            give_weights(batch, columns, queue, sums)
            for d in range(depth, -1, -1):
                backward(state, d, c)
    for j in range(count + ends.others.size):
        for v in columns.order[j, : columns.reached[j]]:
            columns.distance[j, v] = NOWHERE
    return DONE


@subroutine
def of_column(batch, columns, j):
    """`Source` whose queue and tight arcs are those of column j."""
    order, tails, heads, entries = columns.order, columns.tails, columns.heads, columns.entries
    row = order[j], tails[j], heads[j], entries[j]
    return Source(*batch[:OWN], *row)  # type: ignore[call-arg]


@subroutine
def keep(state, columns, j, depth):
    """Copy levels and counts to column j, and reset the state."""
    level, sigma, exponent = column(columns, j)
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
