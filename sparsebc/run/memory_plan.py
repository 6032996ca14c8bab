"""The memory plan: how many workers fit the budget, before anything is allocated."""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar, cast

from ..engines.common.base import Engine
from ..errors import MemoryBudgetError
from .options import Run

Kind = TypeVar("Kind", bound=Engine)


class Need(NamedTuple):
    """Bytes that work takes, and what to call it where they are not there."""

    kind: str  # of state: its type, or what it is for
    what: str  # that a worker does at once
    fixed: int  # taken once: the graph, as given and as prepared
    each: int  # the least that a worker takes
    waiting: int = 0  # more, for its results until their turn comes
    remedy: str = ""  # another way out


def at_once(sources: int, n: int) -> str:
    """Sources that a worker sweeps or searches from at once, in words."""
    return f"one batch of {sources} source{'s' * (sources != 1)} on {n} nodes"


def plan(engine: Kind, need: Need, *, most: int, run: Run) -> tuple[Sequence[Kind], int]:
    """The engines of workers whose state fits the memory budget, and the bytes that each may take.

    The devices of an engine have a budget each, threads share one. What is free is free beside the
    graph, which is there, but for the further ones of several devices: these take a copy. If not
    even one worker fits, MemoryError says so.
    """
    devices, budget, fixed = engine.devices, _budget(engine, run), _fixed(engine, need, run)
    fitting = max(0, budget - fixed) // max(need.each + need.waiting, 1)
    team = devices or [engine] * min(run.threads, fitting)
    team = team[: most if fitting else 0]
    if most and not team:
        way_out = "raise memory_budget" if run.budget else "free some memory"
        raise MemoryBudgetError(
            f"{shortage(engine, need, run)}: {way_out}{need.remedy}",
            *(["memory_budget"] * 2 if run.budget else []),
            *(["dtype=numpy.float32"] if "dtype=numpy.float32" in need.remedy else []),
        )
    shares = 1 if devices else max(len(team), 1)
    return cast(Sequence[Kind], team), (budget - fixed) // shares - need.waiting


def shortage(engine: Engine, need: Need, run: Run) -> str | None:
    """Text of the memory that a worker takes, and that there is; None if one fits."""
    budget, needed = _budget(engine, run), _fixed(engine, need, run) + need.each + need.waiting
    if needed <= budget:
        return None
    limit = "memory_budget is" if run.budget else "80% of what is free is"
    return (
        f"{need.what} needs {needed} bytes{_in_mebibytes(needed)}, and {limit} {budget}"
        f"{_in_mebibytes(budget)}"
    )


def _in_mebibytes(size: int) -> str:
    """Bytes in MiB, where they come to one."""
    return f" ({size / 2**20:.0f} MiB)" if size >= 2**20 else ""


def _budget(engine: Engine, run: Run) -> int:
    """Bytes that there are, of each device."""
    return run.budget or min(one.free_memory() for one in engine.devices or [engine]) * 4 // 5


def _fixed(engine: Engine, need: Need, run: Run) -> int:
    """Bytes taken once, where they are not there already."""
    return need.fixed if run.budget or len(engine.devices) > 1 else 0
