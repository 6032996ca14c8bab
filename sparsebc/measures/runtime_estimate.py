"""How long a run will take: some of its blocks are timed, spread over all of them.

Blocks of one kind, near sources or far ones, cost in proportion to their sources times the arcs of
their component, or nearly: what the timed ones of a kind take for each of these stands for the
rest. Workers are as many as in the run, at the same time, so that they stand in each other's way as
they will then. Where there is time for all blocks, all are timed.

A GPU has many blocks in one launch, and a single one would leave most of it idle. There launches of
1, 2, 4, ... blocks are timed, or of as many as the run has if that takes no second. The last two
tell a line: a launch of cost c takes a + b c.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.base import Engine
from ..engines.batch import Batch
from ..graph.graph import Graph
from ..jit import compilation, working_time
from ..run.memory import Need, plan
from ..run.options import Run
from ..run.workers import Pool, reachable

# Seconds after which no further block is begun, and after which what runs is stopped.
ENOUGH, AT_MOST = 1.0, 10.0
# What a run may differ by from the sample of itself, however alike its blocks: a factor.
SPREAD = 1.25


class Seconds(NamedTuple):
    """A time to expect."""

    low: float
    likely: float
    high: float


class Launched(NamedTuple):
    """What a launch of some blocks took."""

    places: list[int]
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

    ``workspace`` and ``work`` are those of `workers.in_order`; in the run, ``together`` blocks are
    a launch. A GPU is waited for by what copies its results.
    """
    if not blocks:
        return Seconds(0.0, 0.0, 0.0)
    team, memory = plan(engine, need, most=len(blocks), run=run)
    there = reachable(graph, engine, team)
    cost, kind = _costs(graph, blocks)
    order = _spread_out(len(blocks))
    begun = float("inf")

    def ready(state: Any, _: int) -> None:
        if engine.devices:
            work(state, [[of_first(blocks[order[0]][0])]])
        else:
            state.compile(list(unlike.values()))

    def heed() -> None:
        if working_time() - begun > AT_MOST:
            raise TooSlow

    def timed(state: Any, places: list[int]) -> Launched:
        while True:
            compiled, start = compilation.seconds, working_time()
            work(state, [blocks[place] for place in places])
            taken = Launched(places, working_time() - start)
            if compilation.seconds == compiled:  # all kernels were there
                return taken

    taken: list[Launched] = []
    starting = 0.0
    hands = len(team)
    least = 2 * hands * (np.unique(kind).size if together == 1 else 1)
    rounds = _doubled(order, taken, hands, together) if together > 1 else _in_turn(order, hands)
    pool_of = functools.partial(
        Pool, lambda member, stop: workspace(member, there, memory, stop), team, heed
    )
    unlike = {(batch.clustered, batch.sources.size): batch for block in blocks for batch in block}
    with pool_of() as pool:  # compiling is no part of a run, and done before the clock is read
        for _ in pool.in_order(ready, range(hands)):
            pass
    try:
        begun = working_time()
        with pool_of() as pool:
            for _ in pool.in_order(lambda *_: None, range(hands)):
                pass
            starting = working_time() - begun
            for launches in rounds:
                for launch in pool.in_order(timed, launches):
                    taken.append(launch)
                elapsed = working_time() - begun
                if len(taken) == len(blocks):
                    return Seconds(elapsed / SPREAD, elapsed, elapsed * SPREAD)
                if elapsed > ENOUGH and len(taken) >= least:
                    break
    except TooSlow:
        if not taken:
            return None
    if together > 1:
        swept = _along_a_line(cost, taken, hands, together)
    else:
        swept = _at_rates(cost, kind, taken, hands)
    return Seconds(*(starting + seconds for seconds in swept))


def _in_turn(order: list[int], hands: int) -> Iterator[list[list[int]]]:
    """Each block by itself, one for each worker at a time."""
    for first in range(0, len(order), hands):
        yield [[place] for place in order[first : first + hands]]


def _doubled(
    order: list[int], taken: list[Launched], hands: int, together: int
) -> Iterator[list[list[int]]]:
    """A launch for each worker, of ever more blocks; the last are as large as those of the run.

    ``taken`` is where the caller puts what each took, before it asks for the next.
    """
    size = 1
    while True:
        yield [order[i : i + size] for i in range(0, min(size * hands, len(order)), size)]
        if size == together:
            return
        in_time = taken[-1].seconds * together < ENOUGH * size
        size = together if in_time else min(2 * size, together)


def of_first(batch: Batch) -> Batch:
    """The batch of its first source alone, which waits for no others, without arms."""
    beyond = None if batch.beyond is None else batch.beyond[:1]
    return Batch(batch.sources[:1], batch.alpha[:1], batch.clustered, beyond)


def _costs(
    graph: Graph, blocks: Sequence[Sequence[Batch]]
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Sources times arcs of their component, for each block; and whether all of them are near."""
    label = graph.ops.on_host(graph.components)
    degrees = graph.ops.on_host(graph.outgoing.degrees)
    inside = np.bincount(label, weights=degrees, minlength=max(graph.n, 1))
    cost = [
        sum(batch.sources.size * inside[label[batch.sources[0]]] for batch in block)
        for block in blocks
    ]
    kind = [all(batch.clustered for batch in block) for block in blocks]
    return np.maximum(cost, 1.0), np.array(kind, dtype=np.int64)


def _spread_out(count: int) -> list[int]:
    """All blocks in an order whose every beginning is spread over the whole, without chance.

    Multiples of the golden ratio, modulo 1, leave no large gap (the three-gap theorem).
    """
    golden = (np.sqrt(5) - 1) / 2
    order: list[int] = np.argsort(np.arange(count) * golden % 1).tolist()
    return order


def _along_a_line(
    cost: NDArray[np.float64], taken: list[Launched], hands: int, together: int
) -> Seconds:
    """What all launches take, of what ever larger ones took."""
    rounds = -(-cost.size // (together * hands))
    whole = cost.sum() / (rounds * hands)  # cost of a launch of the run
    *before, (places, seconds) = taken
    done = cost[places].sum()
    slope = rate = seconds / done
    smaller = [launch for launch in before if len(launch.places) < len(places)]
    if smaller:
        less = cost[smaller[-1].places].sum()
        slope = min(max((seconds - smaller[-1].seconds) / max(done - less, 1.0), 0.0), rate)
    likely, most = (rounds * (seconds + each * (whole - done)) for each in (slope, rate))
    return Seconds(float(likely / SPREAD), float(likely), float(max(likely, most) * SPREAD))


def _at_rates(
    cost: NDArray[np.float64], kind: NDArray[np.int64], taken: list[Launched], workers: int
) -> Seconds:
    """What all blocks take, of what some took by themselves."""
    places = np.array([launch.places[0] for launch in taken])
    seconds = np.array([launch.seconds for launch in taken])
    total = variance = 0.0
    overall = seconds.sum() / cost[places].sum()
    for one in np.unique(kind):
        mine = kind[places] == one
        whole = cost[kind == one].sum()
        if not mine.any():
            total += overall * whole
            continue
        done, took = cost[places][mine], seconds[mine]
        rate = took.sum() / done.sum()
        total += took.sum() + rate * (whole - done.sum())
        if mine.sum() > 1:
            error = np.var(took - rate * done, ddof=1) / mine.sum() / np.mean(done) ** 2
            variance += error * (whole - done.sum()) ** 2
    rounds = -(-cost.size // workers)  # of as many blocks as there are workers
    likely = total * rounds / cost.size
    apart = SPREAD * (1 + 2 * np.sqrt(variance) / max(total, 1e-12))
    return Seconds(float(likely / apart), float(likely), float(likely * apart))
