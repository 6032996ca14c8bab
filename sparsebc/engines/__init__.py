"""Engines: who computes the two products. Nothing above this package names a library."""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..graph import Graph


class Group(NamedTuple):
    """Sources swept together, up to the engine's width: the unit of work."""

    sources: NDArray[np.int32]
    alpha: NDArray[np.float64]  # weight of each source
    compact: bool  # the sources lie close together, measured in levels


class Workspace(Protocol):
    """Memory of the groups in flight, used again for the next."""

    dependency: NDArray[np.float64]
    ends: NDArray[np.float64]
    stop: NDArray[np.uint8]

    def run(self, groups: Sequence[Group]) -> None:
        """Add alpha * delta of the groups to ``dependency``, and their pairs to ``ends`` if wanted.

        The order of the additions is that of the groups, however many are in flight.
        """

    def worst(self) -> float:
        """Largest path count met so far."""


class Engine(Protocol):
    """A way to compute groups of sources."""

    name: str
    literal: bool  # computes on the graph as it was given: no folding, no renumbering
    single: bool  # one workspace takes all there is to take

    def width(self, graph: Graph, deep: bool) -> int:
        """Sources of a group, on a deep graph or another."""

    def together(self, deep: bool) -> bool:
        """Whether the sources of a group had better lie close together."""

    def block_size(self, graph: Graph, groups: int, width: int) -> int:
        """Groups of a block, at least one; from the problem alone, since it fixes the bits."""

    def free_memory(self) -> int:
        """Bytes that are free where the engine keeps its state."""

    def workspace_bytes(self, graph: Graph, dtype: np.dtype[Any], width: int) -> int:
        """Least memory that `workspace` can do with."""

    def workspace(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        *,
        width: int,
        memory: int,
        ends: bool,
        stop: NDArray[np.uint8],
    ) -> Workspace:
        """Memory for groups of a width, in ``memory`` bytes; it stops once ``stop[0]`` is set."""


# More blocks than this would only add to the cost of adding them up.
BLOCKS = 1024


def _cpu() -> Engine:
    from .cpu import CPU

    return CPU()


def _reference() -> Engine:
    from .reference import Reference

    return Reference()


def _reference_on_gpu() -> Engine:
    if not devices():
        raise RuntimeError(f"device 'reference:cuda' is not there: {_why_not()}")
    from .elementwise import DEVICE
    from .reference import Reference

    return Reference(DEVICE)


ENGINES: dict[str, Callable[[], Engine]] = {
    "cpu": _cpu,
    "reference": _reference,
    "reference:cuda": _reference_on_gpu,
}


def select(device: str | None, *, weighted: bool = False) -> Engine:
    """Engine of a device name; None is the best there is on this machine."""
    if device is None:
        device = "cuda" if devices() and not weighted else "cpu"
    if not isinstance(device, str):
        raise TypeError(f"device must be a string or None, got {device!r}: try 'cpu'")
    if weighted and "cuda" in device:
        raise ValueError(f"device {device!r} takes no lengths yet: use device='cpu' with weighted")
    if device in ENGINES:
        return ENGINES[device]()
    kind, colon, number = device.partition(":")
    if kind == "cuda" and (number.isdecimal() or not colon):
        return _cuda(device, int(number or 0))
    known = ", ".join(map(repr, ENGINES))
    raise ValueError(f"device must be one of {known}, 'cuda', 'cuda:0' or None, got {device!r}")


def _cuda(device: str, index: int) -> Engine:
    there = devices()
    if index >= len(there):
        raise RuntimeError(
            f"device {device!r} is not there: "
            + (f"the GPUs are cuda:0 to cuda:{len(there) - 1}" if there else _why_not())
        )
    from .cuda import CUDA

    return CUDA(index)


@functools.cache
def devices() -> tuple[str, ...]:
    """One line for each GPU that CuPy sees; CuPy is not imported where it is not installed."""
    if _why_not():
        return ()
    from .cuda import describe

    return describe()


@functools.cache
def _why_not() -> str:
    """Why there is no GPU to use, in one line; empty if there is one."""
    if importlib.util.find_spec("cupy") is None:
        return "CuPy is not installed: pip install 'sparsebc[cuda13x]' or use device='cpu'"
    try:
        import cupy

        found = cupy.cuda.runtime.getDeviceCount()
    except Exception as error:  # a broken CUDA fails in many ways, and all of them end here
        first = str(error).strip().split("\n")[0]
        return f"CuPy finds no working CUDA ({type(error).__name__}: {first}): use device='cpu'"
    return "" if found else "CuPy finds no GPU: use device='cpu'"


def home(matrix: Any) -> str | None:
    """Device that holds a CuPy array or matrix, as "cuda:0"; None for everything else."""
    if type(matrix).__module__.partition(".")[0] not in ("cupy", "cupyx"):
        return None
    return f"cuda:{getattr(matrix, 'data', matrix).device.id}"


def deliver(values: NDArray[np.float64], device: str | None) -> NDArray[np.float64]:
    """The values on the device that `home` named, or as they are for None."""
    if device is None:
        return values
    from .cuda import upload

    there: NDArray[np.float64] = upload(values, int(device.partition(":")[2]))
    return there
