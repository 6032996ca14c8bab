"""The memory plan: how many workers fit the budget, before anything is allocated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar, cast

from ..engines.contract import Engine
from .options import Run

Kind = TypeVar("Kind", bound=Engine)


def plan(
    engine: Kind,
    what: str,
    fixed: int,
    each: int,
    *,
    most: int,
    run: Run,
    remedy: str = "",
) -> tuple[Sequence[Kind], int]:
    """The engines of workers whose state fits the memory budget, and the bytes that each may take.

    The members of an engine have a budget each, threads share one. There ``fixed`` bytes are needed
    once, and for ``what`` a worker sweeps at least ``each`` more; if not even one fits, MemoryError
    says so.
    """
    members = engine.devices
    budget = run.budget or min(device.free_memory() for device in members or [engine]) * 4 // 5
    fitting = max(0, budget - fixed) // max(each, 1)
    team = members or [engine] * min(run.threads, fitting)
    team = team[: most if fitting else 0]
    if most and not team:
        limit = (
            f"memory_budget is {budget}: raise memory_budget"
            if run.budget
            else f"80% of what is free is {budget}: free some memory"
        )
        raise MemoryError(f"{what} needs {fixed + each} bytes, and {limit}{remedy}")
    return cast(Sequence[Kind], team), (budget - fixed) // (1 if members else max(len(team), 1))
