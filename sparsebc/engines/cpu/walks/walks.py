"""Walks in time from 64 sources at once: the list of edges forward, and back.

The sum over the edges that arrive at a node within the wait, or leave it, is that of a sliding
window: (k, x) + (k', x') has the smaller key, and what belongs to it is added up. Forward keys are
numbers of edges and x counts walks; backward keys are -h(e) of the edges before, and x is g.
"""

# mypy: disable-error-code="no-untyped-def"

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ....jit import inlined, kernel, stopped, subroutine
from ..common.simd import (
    LANES,
    WIDTH,
    bits_of,
    larger,
    load,
    prefetch,
    put,
    select,
    store,
    total,
)
from ..common.state import array

NEVER = np.float32(np.inf)  # key of no walk
NONE = -1
AHEAD = 4  # edges between a look at a node and its row


class Queue(NamedTuple):
    """Windows of all nodes, each two stacks: sums from an edge up to the middle, and beyond."""

    end: Any = array(np.int32, "n")
    middle: Any = array(np.int32, "n")
    turned: Any = array(np.int32, "n")  # the edge whose front sum is the first kept
    front_keys: Any = array(np.float32, "rows of room")
    front: Any = array(np.float64, "rows of room")
    back_keys: Any = array(np.float32, "rows of n")
    back: Any = array(np.float64, "rows of n")


class Walks(NamedTuple):
    """State of a batch."""

    lane: Any = array(np.int32, "n", fill=NONE)  # of the source that a node is
    keys: Any = array(np.float32, "rows of m")  # h(e)
    sums: Any = array(np.float64, "rows of m")  # c(e), and on the way back g(e)
    live: Any = array(np.uint8, "m")  # of the way back, a bit for each eight lanes with any g
    best: Any = array(np.float32, "rows of n")  # h of the optimal walks to a node
    counts: Any = array(np.float64, "rows of n")  # their number, then one over it
    first: Any = array(np.int32, "rows of n")  # step in which it is reached
    step_keys: Any = array(np.float32, "rows of nodes of a step")  # sums of the step by node
    step_sums: Any = array(np.float64, "rows of nodes of a step")
    onward: Any = array(np.float64, "rows of edges of a step")  # g(e) of the step, but for its end
    through: Any = array(np.float64, "lanes")  # b(v), in the lanes of eight
    largest: Any = array(np.float64, LANES)  # count of walks


@inlined
def fetch(keys, sums, v):
    """Ask for the row of a node."""
    row = np.int64(v) * WIDTH
    for at in range(row, row + WIDTH, LANES):
        prefetch(sums, at)
    for at in range(row, row + WIDTH, 2 * LANES):
        prefetch(keys, at)


@inlined
def plus(keys, sums, at, key, x):
    """``(keys, sums)[at:at+8]``, and eight pairs beside them."""
    before, summed = load(keys, at), load(sums, at)
    least = select(key < before, key, before)
    return least, select(before == least, summed, 0) + select(key == least, x, 0)


@inlined
def add(keys, sums, at, key, x):
    """``(keys, sums)[at:at+8] += (key, x)``."""
    key, x = plus(keys, sums, at, key, x)
    store(keys, at, key)
    store(sums, at, x)


@inlined
def empty(keys, sums, v):
    """Set the sum of a node to that of nothing."""
    for at in range(v * WIDTH, (v + 1) * WIDTH):
        keys[at], sums[at] = NEVER, 0


@subroutine
def empty_back(queue, walks, v, sign):
    """The same of the back stack of a node, but for the walk of no edge from a source."""
    row = np.int64(v) * WIDTH
    for at in range(row, row + WIDTH):
        queue.back_keys[at], queue.back[at] = NEVER, 0
    if sign > 0 and walks.lane[v] >= 0:
        at = row + walks.lane[v]
        queue.back_keys[at], queue.back[at] = 0, 1


@subroutine
def open_windows(window, queue, walks, sign):
    """No edge has come yet."""
    for v in range(window.begin.size - 1):
        queue.end[v] = queue.middle[v] = queue.turned[v] = window.begin[v]
        empty_back(queue, walks, v, sign)


@subroutine
def turn(window, queue, walks, v, begin, sign):
    """Move the edges of the back stack from ``begin`` on to the front, the last one first."""
    at = np.int64(window.room[v] + queue.end[v] - 1 - begin) * WIDTH
    for i in range(queue.end[v] - 1, begin - 1, -1):
        e = np.int64(window.order[i]) * WIDTH
        last = i == queue.end[v] - 1
        for j in range(0, WIDTH, LANES):
            key, x = load(walks.keys, e + j), load(walks.sums, e + j)
            if sign < 0:
                live = np.int64(walks.live[window.order[i]]) >> j // LANES & 1
                key, x = (key * -1 + 1, x) if live else (select(key < key, key, NEVER), x * 0)
            if not last:
                key, x = plus(queue.front_keys, queue.front, at + WIDTH + j, key, x)
            store(queue.front_keys, at + j, key)
            store(queue.front, at + j, x)
        at -= WIDTH
    queue.turned[v], queue.middle[v] = begin, queue.end[v]
    empty_back(queue, walks, v, sign)


@inlined
def front_of(window, queue, walks, v, e, sign):
    """Where the front sum of the window of an edge is, or NONE; the rest is in the back."""
    if window.order.size == 0:
        return NONE
    begin = window.first[e]
    if begin > queue.middle[v]:
        turn(window, queue, walks, v, begin, sign)
    if begin == queue.middle[v]:
        return NONE
    return np.int64(window.room[v] + begin - queue.turned[v]) * WIDTH


@inlined
def window_sum(queue, v, front, j):
    """Eight lanes of the sum of a window."""
    at = np.int64(v) * WIDTH + j
    key, x = load(queue.back_keys, at), load(queue.back, at)
    if front >= 0:
        key, x = plus(queue.front_keys, queue.front, front + j, key, x)
    return key, x


@subroutine
def depart(line, window, queue, walks, e, in_step):
    """(h(e), c(e)) of an edge; whether they changed, in the rounds of a step after the first."""
    u, row = np.int64(line.tail[e]), np.int64(e) * WIDTH
    front = front_of(window, queue, walks, u, e, 1)
    largest, changed = load(walks.largest, 0), np.uint64(0)
    for j in range(0, WIDTH, LANES):
        key, x = window_sum(queue, u, front, j)
        if in_step:
            key, x = plus(walks.step_keys, walks.step_sums, u * WIDTH + j, key, x)
        key = key + 1
        if in_step:
            same = (load(walks.keys, row + j) == key) & (load(walks.sums, row + j) == x)
            changed |= bits_of(~same)
        store(walks.keys, row + j, key)
        store(walks.sums, row + j, x)
        largest = larger(largest, x)
    store(walks.largest, 0, largest)
    return changed != 0


@subroutine
def depart_together(line, window, queue, walks, begin, end, rounds):
    """The same of edges of one step that take no time, each of which may follow others."""
    for turn_number in range(rounds):
        changed = turn_number == 0
        for e in range(begin, end):
            changed |= depart(line, window, queue, walks, e, turn_number > 0)
        if turn_number > 0:
            for e in range(begin, end):
                empty(walks.step_keys, walks.step_sums, np.int64(line.head[e]))
        if turn_number == rounds - 1 or not changed:
            return
        for e in range(begin, end):
            v, row = np.int64(line.head[e]) * WIDTH, np.int64(e) * WIDTH
            for j in range(0, WIDTH, LANES):
                key, x = load(walks.keys, row + j), load(walks.sums, row + j)
                add(walks.step_keys, walks.step_sums, v + j, key, x)


@subroutine
def arrive(line, queue, walks, e, step, foremost, sliding):
    """Add an edge to the sums of the node that it enters."""
    v, row = np.int64(line.head[e]), np.int64(e) * WIDTH
    queue.end[v] += 1
    for j in range(0, WIDTH, LANES):
        at, key = v * WIDTH + j, load(walks.keys, row + j)
        if bits_of(key <= load(queue.back_keys, at)) == 0 and not (foremost or sliding):
            continue
        x = load(walks.sums, row + j)
        add(queue.back_keys, queue.back, at, key, x)
        if foremost:
            first = load(walks.first, at)
            now = ((first == NONE) & (key < NEVER)) | (first == step)
            key, x = plus(walks.best, walks.counts, at, key, x)
            put(walks.best, at, now, key)
            put(walks.counts, at, now, x)
            put(walks.first, at, now, first * 0 + step)
        elif sliding:
            add(walks.best, walks.counts, at, key, x)


@subroutine
def begin_walks(walks, sources):
    """A batch: no walk has arrived."""
    for v in range(walks.lane.size):
        walks.lane[v] = NONE
        empty(walks.best, walks.counts, np.int64(v))
        for at in range(v * WIDTH, (v + 1) * WIDTH):
            walks.first[at] = NONE
    for v in range(walks.step_keys.size // WIDTH):
        empty(walks.step_keys, walks.step_sums, np.int64(v))
    for k in range(sources.size):
        walks.lane[sources[k]] = k
    for j in range(LANES):
        walks.largest[j] = 0


@kernel
def forward(line, window, queue, walks, sources, foremost, stop):
    """(h(e), c(e)) of all edges, and the optimal walks to all nodes; whether it came to the end."""
    sliding = window.order.size > 0
    last = line.tail.size - 1
    begin_walks(walks, sources)
    open_windows(window, queue, walks, 1)
    for step in range(line.rounds.size):
        if stopped(stop):
            return False
        begin, end = line.departs[step], line.departs[step + 1]
        if line.instant:
            depart_together(line, window, queue, walks, begin, end, line.rounds[step])
        for i in range(line.arrives[step], line.arrives[step + 1]):
            ahead = line.arriving[min(i + AHEAD, last)]
            fetch(queue.back_keys, queue.back, line.head[ahead])
            arrive(line, queue, walks, line.arriving[i], step, foremost, sliding)
        if not line.instant:
            for e in range(begin, end):
                fetch(queue.back_keys, queue.back, line.tail[min(e + AHEAD, last)])
                depart(line, window, queue, walks, e, False)
    largest = load(walks.largest, 0)
    for at in range(0, walks.lane.size * WIDTH, LANES):
        if not (sliding or foremost):
            store(walks.best, at, load(queue.back_keys, at))
            store(walks.counts, at, load(queue.back, at))
        largest = larger(largest, load(walks.counts, at))
    store(walks.largest, 0, largest)
    return True


@subroutine
def end_shares(walks):
    """One over the number of optimal walks to each node, where it is no source."""
    for v in range(walks.lane.size):
        for k in range(WIDTH):
            at = v * WIDTH + k
            ends = walks.counts[at] > 0 and walks.lane[v] != k
            walks.counts[at] = 1 / walks.counts[at] if ends else 0


@subroutine
def go_on(line, window, queue, walks, e, i, in_step):
    """Sum of g of the edges that go on from an edge, in row i of ``onward``; whether it changed."""
    v, row, changed = np.int64(line.head[e]), np.int64(e) * WIDTH, np.uint64(0)
    front = front_of(window, queue, walks, v, e, -1)
    for j in range(0, WIDTH, LANES):
        before, own = load(walks.onward, i * WIDTH + j), load(walks.keys, row + j) * -1
        if front < 0 and not in_step and bits_of(load(queue.back_keys, v * WIDTH + j) == own) == 0:
            store(walks.onward, i * WIDTH + j, before * 0)
            continue
        key, x = window_sum(queue, v, front, j)
        if in_step:
            key, x = plus(walks.step_keys, walks.step_sums, v * WIDTH + j, key, x)
        x = select(key == own, x, 0)
        changed |= bits_of(~(before == x))
        store(walks.onward, i * WIDTH + j, x)
    return changed != 0


@inlined
def is_last(line, walks, e, foremost, j):
    """Mask of eight lanes: whether an edge is the last of an optimal walk."""
    at, key = np.int64(line.head[e]) * WIDTH + j, load(walks.keys, np.int64(e) * WIDTH + j)
    last = (load(walks.best, at) == key) & (key < NEVER)
    if foremost:
        last = last & (load(walks.first, at) == line.arrived[e])
    return last


@subroutine
def count(line, walks, e, i, foremost):
    """Count the walks by way of the node that an edge enters; from now on g(e) is its sum.

    Lanes of eight in which it is on no optimal walk are left out, and have no bit in ``live``.
    """
    v, row, live = np.int64(line.head[e]), np.int64(e) * WIDTH, 0
    through = load(walks.through, v * LANES)
    for j in range(0, WIDTH, LANES):
        g, last = load(walks.onward, i * WIDTH + j), is_last(line, walks, e, foremost, j)
        goes_on, ends = bits_of(g > 0), bits_of(last)
        if goes_on:
            through = through + load(walks.sums, row + j) * g
        if ends:
            g = g + select(last, load(walks.counts, v * WIDTH + j), 0)
        if goes_on | ends:
            store(walks.sums, row + j, g)
            live |= 1 << j // LANES
    walks.live[e] = live
    store(walks.through, v * LANES, through)


@subroutine
def return_together(line, window, queue, walks, begin, end, rounds, foremost):
    """`go_on` of edges of one step that take no time."""
    for turn_number in range(rounds):
        changed = turn_number == 0
        for e in range(begin, end):
            changed |= go_on(line, window, queue, walks, e, e - begin, turn_number > 0)
        if turn_number > 0:
            for e in range(begin, end):
                empty(walks.step_keys, walks.step_sums, np.int64(line.tail[e]))
        if turn_number == rounds - 1 or not changed:
            return
        for e in range(begin, end):
            u, row = np.int64(line.tail[e]) * WIDTH, np.int64(e) * WIDTH
            for j in range(0, WIDTH, LANES):
                last = is_last(line, walks, e, foremost, j)
                g = select(last, load(walks.counts, np.int64(line.head[e]) * WIDTH + j), 0)
                g = g + load(walks.onward, (e - begin) * WIDTH + j)
                key = load(walks.keys, row + j) * -1 + 1
                add(walks.step_keys, walks.step_sums, u + j, key, g)


@subroutine
def leave(line, queue, walks, e):
    """Add an edge to the sums of the node that it leaves."""
    u, row, live = np.int64(line.tail[e]), np.int64(e) * WIDTH, np.int64(walks.live[e])
    queue.end[u] += 1
    for j in range(0, WIDTH, LANES):
        if not live >> j // LANES & 1:
            continue
        key, g = load(walks.keys, row + j) * -1 + 1, load(walks.sums, row + j)
        add(queue.back_keys, queue.back, u * WIDTH + j, key, g)


@kernel
def backward(line, window, queue, walks, foremost, scores, stop):
    """b(v) of the batch, after `forward`; whether it went to the end."""
    end_shares(walks)
    open_windows(window, queue, walks, -1)
    for v in range(walks.through.size):
        walks.through[v] = 0
    for step in range(line.rounds.size - 1, -1, -1):
        if stopped(stop):
            return False
        begin, end = line.departs[step], line.departs[step + 1]
        if line.instant:
            rounds = line.rounds[step]
            return_together(line, window, queue, walks, begin, end, rounds, foremost)
            for e in range(end - 1, begin - 1, -1):
                count(line, walks, e, e - begin, foremost)
        for e in range(end - 1, begin - 1, -1):
            fetch(queue.back_keys, queue.back, line.tail[max(e - AHEAD, 0)])
            leave(line, queue, walks, e)
        if not line.instant:
            for i in range(line.arrives[step + 1] - 1, line.arrives[step] - 1, -1):
                ahead = line.head[line.arriving[max(i - AHEAD, 0)]]
                fetch(queue.back_keys, queue.back, ahead)
                fetch(walks.best, walks.counts, ahead)
                go_on(line, window, queue, walks, line.arriving[i], 0, False)
                count(line, walks, line.arriving[i], 0, foremost)
    for v in range(scores.size):
        scores[v] = total(load(walks.through, np.int64(v) * LANES))
    return True
