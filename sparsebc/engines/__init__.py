"""Engines: who computes the two products. Nothing above this package names a library."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..graph import Graph


class Group(NamedTuple):
    """Up to `WIDTH` sources swept together: the unit of work."""

    sources: NDArray[np.int32]
    alpha: NDArray[np.float64]  # weight of each source
    compact: bool  # the sources lie close together, measured in levels


class Workspace(Protocol):
    """Memory of one group in flight, used again for the next."""

    dependency: NDArray[np.float64]
    ends: NDArray[np.float64]
    stop: NDArray[np.uint8]

    def run(self, group: Group) -> None:
        """Add the group's alpha * delta to ``dependency``, and its pairs to ``ends`` if wanted."""

    def worst(self) -> float:
        """Largest path count met so far."""


class Engine(Protocol):
    """A way to compute one group."""

    name: str
    literal: bool  # computes on the graph as it was given: no folding, no renumbering

    def workspace_bytes(self, graph: Graph, dtype: np.dtype[Any]) -> int:
        """Memory that `workspace` takes at most."""

    def workspace(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        *,
        ends: bool,
        stop: NDArray[np.uint8],
    ) -> Workspace:
        """Allocate the memory of one group in flight; it ends early once ``stop[0]`` is set."""


def _cpu() -> Engine:
    from .cpu import CPU

    return CPU()


def _reference() -> Engine:
    from .reference import Reference

    return Reference()


ENGINES: dict[str, Callable[[], Engine]] = {"cpu": _cpu, "reference": _reference}


def select(device: str | None) -> Engine:
    """Engine of a device name; None is the best there is on this machine."""
    if device is None:
        return ENGINES["cpu"]()
    if not isinstance(device, str):
        raise TypeError(f"device must be a string or None, got {device!r}: try 'cpu'")
    if device in ENGINES:
        return ENGINES[device]()
    known = ", ".join(map(repr, ENGINES))
    if device == "cuda" or device.startswith("cuda:"):
        raise RuntimeError(
            f"device {device!r} is not there: this version computes on the CPU only; "
            f"leave device out, or use one of {known}"
        )
    raise ValueError(f"device must be one of {known} or None, got {device!r}")
