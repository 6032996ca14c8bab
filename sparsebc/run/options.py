"""The run options: how a result is computed, never what it is."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, TypedDict

import numpy as np
from numpy.typing import DTypeLike

from ..engines.devices import Device

Progress = Callable[[int, int], object]


@dataclass(frozen=True)
class Run:
    """Options that every measure takes.

    Parameters
    ----------
    device : {None, "cpu", "cuda", "cuda:1", ..., "reference"} or list of GPUs
        Where to compute. None takes the device of a CuPy matrix, and for others the first GPU that
        CuPy sees, or the CPU where there is none. GPUs of one kind in a list, as
        ``["cuda:0", "cuda:1"]``, share the work: scores have the bits that one of them would give.
        "reference" runs the algebra literally, as sparse products: slow, to check against.
    dtype : numpy.float64 or numpy.float32
        Type of path counts and dependencies in flight; float32 takes half the room. Scores are
        summed and returned in float64 all the same.
    workers : int, optional
        Threads; by default one per CPU that this process may use. Each GPU takes one.
    memory_budget : int, optional
        Bytes of the device, of each in a list, that the graph and the state in flight may take
        together; by default 80% of those that are free. Fewer workers run, and a GPU takes fewer
        sources at once, where their state would not fit.
    progress : bool or callable
        True shows a bar; a callable gets ``(done, total)`` sources after each block.
    """

    device: Device | None = None
    dtype: Any = np.float64
    workers: int | None = None
    memory_budget: int | None = None
    progress: bool | Progress = False

    def __post_init__(self) -> None:
        _ = self.real, self.threads, self.budget  # each refuses what it cannot read
        if not isinstance(self.progress, bool) and not callable(self.progress):
            raise TypeError(
                "progress must be True, False or a callable taking (done, total), got "
                f"{self.progress!r}"
            )

    @property
    def real(self) -> np.dtype[Any]:
        """The ``dtype``, as a NumPy dtype."""
        for dtype in (np.dtype(np.float64), np.dtype(np.float32)):
            if isinstance(self.dtype, (str, type, np.dtype)) and dtype == self.dtype:
                return dtype
        raise ValueError(f"dtype must be numpy.float64 or numpy.float32, got {self.dtype!r}")

    @property
    def threads(self) -> int:
        """The ``workers``, or one per CPU."""
        return _usable_cpus() if self.workers is None else _positive("workers", self.workers)

    @property
    def budget(self) -> int | None:
        """The ``memory_budget``; None for 80% of what is free where the engine keeps its state."""
        return (
            None if self.memory_budget is None else _positive("memory_budget", self.memory_budget)
        )


def parse(options: dict[str, Any]) -> Run:
    """Run options from keyword arguments; an unknown one is a TypeError that names it."""
    known = [field.name for field in fields(Run)]
    for name in options:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f" (did you mean {close[0]!r}?)" if close else ""
            raise TypeError(f"unknown option {name!r}{hint}; run options are {', '.join(known)}")
    return Run(**options)


def _positive(name: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)):
        raise TypeError(
            f"{name} must be a positive int, got {value!r}; leave it out for the default"
        )
    if value < 1:
        raise ValueError(f"{name} must be at least 1, got {value}; leave it out for the default")
    return int(value)


def _usable_cpus() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class RunOptions(TypedDict, total=False):
    """Run options, as every measure takes them; `Run` says what each is."""

    device: Device | None
    dtype: DTypeLike
    workers: int | None
    memory_budget: int | None
    progress: bool | Progress
