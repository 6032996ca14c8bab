"""Estimate of the time of a run: some of its launches are timed, spread over all of them.

The cost of a block is its sources times the arcs of their component, and a launch of cost c takes
a + b c seconds. On a CPU each block is a launch of its own, and a is nothing. A GPU has many blocks
in a launch, and a single one would leave most of it idle: there launches of 1, 2, 4, ... blocks are
timed, or of as many as the run has if that takes no second, and the last two sizes tell b. With T
and C the mean time and cost of the timed launches of the largest size, a run takes

    rounds (T + b (cost of a launch of the run - C)),    rounds = launches / workers.

Workers are as many as in the run, at the same time, so that they contend for memory as they will
then. Where there is time for all blocks, all are timed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.base import Engine
from ..engines.batch import Batch
from ..graph.graph import Graph
from ..jit import compilation, working_time
from ..run.memory import Need
from ..run.options import Run
from ..run.pool import Pool

# Seconds after which no further block is begun, and after which what runs is stopped.
ENOUGH, AT_MOST = 1.0, 10.0
# What a run may differ by from the sample of itself, however alike its blocks: a factor.
SPREAD = 1.25


class Seconds(NamedTuple):
    """Estimate of a time, and its range."""

    low: float
    likely: float
    high: float


class Timed(NamedTuple):
    """A launch that was timed."""

    cost: float
    seconds: float


class TooSlow(Exception):
    """The first blocks take too long to wait for."""


def predicted(
    engine: Engine,
    graph: Graph,
    blocks: Sequence[Sequence[Batch]],
    workspace: Callable[[Any, Any, int, NDArray[np.uint8]], Any],
    work: Callable[[Any, Sequence[Sequence[Batch]]], object],
    *,
    together: int = 1,
    need: Need,
    run: Run,
) -> Seconds | None:
    """Time that the blocks will take; None where even the first is not done in `AT_MOST` seconds.

    ``workspace`` and ``work`` are those of `window.in_order`; in the run, ``together`` blocks are
    a launch. A GPU is waited for by what copies its results.
    """
    if not blocks:
        return Seconds(0.0, 0.0, 0.0)
    cost, order = _costs(graph, blocks), _spread_out(len(blocks))
    kinds = {(batch.clustered, batch.sources.size): batch for block in blocks for batch in block}
    begun = float("inf")

    def ready(state: Any, _: int) -> None:
        if engine.devices:
            work(state, [[of_first(blocks[order[0]][0])]])
        else:
            state.compile(list(kinds.values()))

    def heed() -> None:
        if working_time() - begun > AT_MOST:
            raise TooSlow

    def timed(state: Any, places: list[int]) -> Timed:
        compiled = -1.0
        while compiled != compilation.seconds:  # until all kernels were there
            compiled, start = compilation.seconds, working_time()
            work(state, [blocks[place] for place in places])
            seconds = working_time() - start
        return Timed(float(cost[places].sum()), seconds)

    def pool() -> Pool:
        return Pool(engine, graph, workspace, need=need, most=len(blocks), run=run, heed=heed)

    with pool() as workers:  # compiling is no part of a run, and done before the clock is read
        hands = len(workers.team)
        list(workers.in_order(ready, range(hands)))
    begun, starting = working_time(), 0.0
    by_size: dict[int, list[Timed]] = {}
    try:
        with pool() as workers:
            list(workers.in_order(lambda *_: None, range(hands)))
            starting = working_time() - begun
            for size, launches in _rounds(order, hands, together, by_size):
                for launch in workers.in_order(timed, launches):
                    by_size.setdefault(size, []).append(launch)
                elapsed, count = working_time() - begun, sum(map(len, by_size.values()))
                if together == 1 and count == len(blocks):
                    return Seconds(elapsed / SPREAD, elapsed, elapsed * SPREAD)
                if elapsed > ENOUGH and count >= 2 * hands:
                    break
    except TooSlow:
        if not by_size:
            return None
    return _extrapolated(by_size, cost, hands, together, starting)


def of_first(batch: Batch) -> Batch:
    """The batch of the first source alone, without shifted start or chains."""
    beyond = None if batch.beyond is None else batch.beyond[:1]
    return Batch(batch.sources[:1], batch.alpha[:1], batch.clustered, beyond)


def _costs(graph: Graph, blocks: Sequence[Sequence[Batch]]) -> NDArray[np.float64]:
    """Sources times arcs of their component, for each block."""
    label = graph.ops.on_host(graph.components)
    degrees = graph.ops.on_host(graph.outgoing.degrees)
    arcs = np.bincount(label, weights=degrees, minlength=max(graph.n, 1))
    cost = [
        sum(batch.sources.size * arcs[label[batch.sources[0]]] for batch in block)
        for block in blocks
    ]
    return np.maximum(cost, 1.0)


def _spread_out(count: int) -> list[int]:
    """Low-discrepancy order of all blocks: every prefix is spread over the whole.

    Multiples of the golden ratio, modulo 1, leave no large gap (the three-gap theorem). Blocks of
    clustered sources come before others, so that both kinds are met in proportion.
    """
    golden = (np.sqrt(5) - 1) / 2
    order: list[int] = np.argsort(np.arange(count) * golden % 1).tolist()
    return order


def _rounds(
    order: list[int], hands: int, together: int, by_size: dict[int, list[Timed]]
) -> Iterator[tuple[int, list[list[int]]]]:
    """Blocks of a launch, ever more up to ``together``, and a launch of so many for each worker.

    ``by_size`` is where the caller puts what each took, before it asks for the next.
    """
    size, first = 1, 0
    while first < len(order):
        end = min(first + size * hands, len(order))
        yield size, [order[i : min(i + size, end)] for i in range(first, end, size)]
        if size == together:
            first = end
        else:
            in_time = by_size[size][-1].seconds * together < ENOUGH * size
            size = together if in_time else min(2 * size, together)


def _extrapolated(
    by_size: dict[int, list[Timed]],
    cost: NDArray[np.float64],
    hands: int,
    together: int,
    starting: float,
) -> Seconds:
    """Time of all launches, from those that were timed, by the number of their blocks."""
    *_, (size, largest) = by_size.items()
    costs, seconds = np.array(largest).T
    slope = rate = seconds.sum() / costs.sum()
    if len(by_size) > 1:
        before = np.mean([*by_size.values()][-2], axis=0)
        slope = (seconds.mean() - before[1]) / max(costs.mean() - before[0], 1.0)
        slope = min(max(slope, 0.0), rate)
    rounds = -(-cost.size // (together * hands))
    whole = cost.mean() * -(-cost.size // (rounds * hands))  # of a launch of the run
    likely, most = (rounds * (seconds.mean() + b * (whole - costs.mean())) for b in (slope, rate))
    error = 0.0
    if seconds.size > 1:
        unseen = max(1 - seconds.size * size / cost.size, 0.0)
        error = unseen * np.std(seconds - rate * costs, ddof=1) / np.sqrt(seconds.size)
    apart = SPREAD * (1 + 2 * error / max(seconds.mean(), 1e-12))
    estimates = likely / apart, likely, max(likely, most) * apart
    return Seconds(*(starting + float(value) for value in estimates))
