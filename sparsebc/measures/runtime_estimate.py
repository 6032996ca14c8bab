"""Estimate of the time of a run: some of its blocks are timed, spread over all of them.

With launches of several blocks, launches of 1, 2, 4, ... blocks are timed, up to their size. The
time of a launch is a + b times its work, with a and b from the last two sizes.
"""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..engines.common.batch import Batch
from ..graph.graph import Graph
from ..jit import compilation, working_time
from ..run.pool import Pool
from ..run.sweep_plan import SweepPlan

# Seconds after which no further launch is begun, and after which running launches are stopped.
ENOUGH, AT_MOST = 1.0, 10.0
# Least ratio of the ends of the range to the estimate, even if all blocks take the same time.
SPREAD = 1.25


class Seconds(NamedTuple):
    """Estimate of a time in seconds, and its range."""

    low: float
    likely: float
    high: float


class TooSlow(Exception):
    """Raised while launches are awaited, once their timing has taken `AT_MOST` seconds."""


def predicted(
    plan: SweepPlan,
    work: Callable[[Any, Sequence[Sequence[Batch]]], object],
    launch_blocks: int = 1,
) -> Seconds | None:
    """Estimate of the time of a plan; None if no launch is done within `AT_MOST` seconds.

    ``work(state, blocks)`` sweeps the blocks of a launch; one of the run has ``launch_blocks``. All
    workers of the run sweep at the same time.
    """
    engine, graph, blocks = plan.engine, plan.task.graph, plan.blocks
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

    def timed(state: Any, places: list[int]) -> tuple[float, float]:
        """Work and seconds of a launch."""
        compiled = -1.0
        while compiled != compilation.seconds:  # until all kernels are compiled
            compiled, start = compilation.seconds, working_time()
            work(state, [blocks[place] for place in places])
            seconds = working_time() - start
        return float(cost[places].sum()), seconds

    by_size: dict[int, list[tuple[float, float]]] = {}
    limits: Any = {"need": plan.need, "most": len(blocks), "run": plan.run}
    pool = Pool(engine, graph, plan.sweep.state, heed=heed, **limits)
    team_size = len(pool.team)
    try:
        with pool as workers:
            list(workers.in_order(ready, range(team_size)))
            begun, first, size = working_time(), 0, 1
            while first < len(order):
                end = min(first + size * team_size, len(order))
                launches = [order[i : min(i + size, end)] for i in range(first, end, size)]
                for launch in workers.in_order(timed, launches):
                    by_size.setdefault(size, []).append(launch)
                elapsed, count = working_time() - begun, sum(map(len, by_size.values()))
                if launch_blocks == 1 and count == len(blocks):
                    return Seconds(elapsed / SPREAD, elapsed, elapsed * SPREAD)
                if elapsed > ENOUGH and count >= 2 * team_size:
                    break
                if size == launch_blocks:
                    first = end
                in_time = by_size[size][-1][1] * launch_blocks < ENOUGH * size
                size = launch_blocks if in_time else min(2 * size, launch_blocks)
    except TooSlow:
        if not by_size:
            return None
    return _extrapolated(by_size, cost, team_size, launch_blocks)


def of_first(batch: Batch) -> Batch:
    """Batch of the first source alone, without shifted starts or chains."""
    beyond = None if batch.beyond is None else batch.beyond[:1]
    return Batch(batch.sources[:1], batch.alpha[:1], batch.clustered, beyond)


def _costs(graph: Graph, blocks: Sequence[Sequence[Batch]]) -> NDArray[np.float64]:
    """Sources times arcs of their component, for each block."""
    label, arcs = graph.ops.on_host(graph.components), arcs_of_components(graph)
    cost = [
        sum(batch.sources.size * arcs[label[batch.sources[0]]] for batch in block)
        for block in blocks
    ]
    return np.maximum(cost, 1.0)


def arcs_of_components(graph: Graph) -> NDArray[np.float64]:
    """Arcs of the component of each label."""
    label, degrees = map(graph.ops.on_host, (graph.components, graph.outgoing.degrees))
    return np.bincount(label, degrees, max(graph.n, 1)).astype(np.float64)


def _spread_out(count: int) -> list[int]:
    """Low-discrepancy order of all blocks, by multiples of the golden ratio modulo 1.

    Every prefix is spread evenly over the whole.
    """
    golden = (np.sqrt(5) - 1) / 2
    order: list[int] = np.argsort(np.arange(count) * golden % 1).tolist()
    return order


def _extrapolated(
    by_size: dict[int, list[tuple[float, float]]],
    cost: NDArray[np.float64],
    team_size: int,
    launch_blocks: int,
) -> Seconds:
    """Time of all launches, from the work and seconds of timed ones, by their number of blocks."""
    size = max(by_size)
    costs, seconds = np.array(by_size.pop(size)).T
    slope = rate = seconds.sum() / costs.sum()
    if by_size:
        before = np.mean(by_size[max(by_size)], axis=0)
        slope = (seconds.mean() - before[1]) / max(costs.mean() - before[0], 1.0)
        slope = min(max(slope, 0.0), rate)
    rounds = -(-cost.size // (launch_blocks * team_size))
    whole = cost.mean() * -(-cost.size // (rounds * team_size))  # of a launch of the run
    likely, most = (rounds * (seconds.mean() + b * (whole - costs.mean())) for b in (slope, rate))
    error = 0.0
    if seconds.size > 1:
        unseen = max(1 - seconds.size * size / cost.size, 0.0)
        error = unseen * np.std(seconds - rate * costs, ddof=1) / np.sqrt(seconds.size)
    ratio = SPREAD * (1 + 2 * error / max(seconds.mean(), 1e-12))
    return Seconds(*map(float, (likely / ratio, likely, max(likely, most) * ratio)))
