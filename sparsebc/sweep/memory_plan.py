"""The memory plan: how many workers fit the budget, before anything is allocated."""

from collections.abc import Sequence
from typing import Any, NamedTuple, TypeVar, cast

from ..engines.common.base import Engine
from ..errors import MemoryBudgetError
from ..matrix.matrix_arrays import least_bytes
from ..matrix.network import matrix_of
from .options import Run

Kind = TypeVar("Kind", bound=Engine)
# Bytes of a graph above which its memory is checked before it is read.
LARGE = 1 << 24


class Need(NamedTuple):
    """Bytes that a run needs, with the words for its log and error messages."""

    kind: str  # data type of the state, or its purpose
    what: str  # unit of work of a worker, such as a batch
    fixed: int  # bytes needed once: the graph, as given and as prepared
    each: int  # least bytes of a worker
    waiting: int = 0  # further bytes of a worker, for results until they are taken in order
    remedy: str = ""  # a further remedy for the error message


def check_graph(matrix: Any, engine: Engine, run: Run) -> None:
    """Refuse a large matrix that does not fit the memory budget, before anything is made of it.

    Of a smaller one the plan tells afterwards what the whole run needs.
    """
    if run.budget and (least := least_bytes(matrix_of(matrix))) > LARGE:
        plan(engine, Need("graph", "the graph of A alone", 0, least), most=1, run=run)


def at_once(sources: int, n: int) -> str:
    """Text for a batch of sources, the unit of work of a worker."""
    return f"one batch of {sources} source{'s' * (sources != 1)} on {n} nodes"


def plan(engine: Kind, need: Need, *, most: int, run: Run) -> tuple[Sequence[Kind], int]:
    """Engine of each worker that fits the memory budget, and the bytes that each may take.

    Each device has its own budget; threads share one. Free memory does not include the graph, which
    is already allocated, unless there are several devices: these take copies. MemoryBudgetError if
    not even one worker fits.
    """
    devices, budget, fixed = engine.devices, _budget(engine, run), _fixed(engine, need, run)
    fitting = max(0, budget - fixed) // max(need.each + need.waiting, 1)
    team = devices or [engine] * min(run.threads, fitting)
    team = team[: most if fitting else 0]
    if most and not team:
        way_out = "raise memory_budget" if run.budget else "free some memory"
        refused = MemoryBudgetError(
            f"{shortage(engine, need, run)}: {way_out}{need.remedy}",
            *(["memory_budget"] * 2 if run.budget else []),
            *(["dtype=numpy.float32"] if "dtype=numpy.float32" in need.remedy else []),
        )
        refused.needed = fixed + need.each + need.waiting
        raise refused
    shares = 1 if devices else max(len(team), 1)
    return cast(Sequence[Kind], team), (budget - fixed) // shares - need.waiting


def shortage(engine: Engine, need: Need, run: Run) -> str | None:
    """Message on the memory that one worker needs and the budget; None if one fits."""
    budget, needed = _budget(engine, run), _fixed(engine, need, run) + need.each + need.waiting
    if needed <= budget:
        return None
    limit = "memory_budget is" if run.budget else "80% of the free memory is"
    return (
        f"{need.what} needs {needed} bytes{_in_mebibytes(needed)}, and {limit} {budget}"
        f"{_in_mebibytes(budget)}"
    )


def _in_mebibytes(size: int) -> str:
    """Size in MiB, in brackets; empty below one MiB."""
    return f" ({size / 2**20:.0f} MiB)" if size >= 2**20 else ""


def _budget(engine: Engine, run: Run) -> int:
    """Memory budget of each device, or of the host, in bytes."""
    return run.budget or min(one.free_memory() for one in engine.devices or [engine]) * 4 // 5


def _fixed(engine: Engine, need: Need, run: Run) -> int:
    """Bytes of the graph that count against the budget."""
    return need.fixed if run.budget or len(engine.devices) > 1 else 0
