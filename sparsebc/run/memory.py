"""The memory plan: how many workers fit the budget, before anything is allocated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeVar, cast

from ..engines.contract import Engine
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


def plan(engine: Kind, need: Need, *, most: int, run: Run) -> tuple[Sequence[Kind], int]:
    """The engines of workers whose state fits the memory budget, and the bytes that each may take.

    The devices of an engine have a budget each, threads share one. What is free is free beside the
    graph, which is there, but for the further ones of several devices: these take a copy. If not
    even one worker fits, MemoryError says so.
    """
    devices, each = engine.devices, need.each + need.waiting
    fixed = need.fixed if run.budget or len(devices) > 1 else 0
    budget = run.budget or min(device.free_memory() for device in devices or [engine]) * 4 // 5
    fitting = max(0, budget - fixed) // max(each, 1)
    team = devices or [engine] * min(run.threads, fitting)
    team = team[: most if fitting else 0]
    if most and not team:
        limit = (
            f"memory_budget is {budget}: raise memory_budget"
            if run.budget
            else f"80% of what is free is {budget}: free some memory"
        )
        raise MemoryError(f"{need.what} needs {fixed + each} bytes, and {limit}{need.remedy}")
    shares = 1 if devices else max(len(team), 1)
    return cast(Sequence[Kind], team), (budget - fixed) // shares - need.waiting
