"""Engines: who computes the two products. Nothing above this package names a library."""

from __future__ import annotations

import functools
import importlib.util
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..graph import Graph
from ..options import Device
from ..patterns import Matrix, Patterns


class Group(NamedTuple):
    """Sources swept together, up to the engine's width: the unit of work."""

    sources: NDArray[np.int32]
    alpha: NDArray[np.float64]  # weight of each source
    compact: bool  # the sources lie close together, measured in levels


class Workspace(Protocol):
    """Memory of the groups in flight, used again for the next; an attribute for each sum wanted.

    - ``dependency``, (n,): alpha * delta
    - ``squares``, (n,): alpha * delta**2; only with ``dependency``
    - ``arcs``, (arcs,): alpha * sigma(u) g(v) of each arc u -> v; only with ``dependency``, and
      where the patterns of the graph live, not on the host
    - ``stress``, (n,): alpha * sigma * lambda
    - ``arrivals``, (n,): alpha * sigma, but of the source itself; only with ``stress``
    - ``departures``, (n,): lambda of each source itself; only with ``arrivals``
    - ``ends``, (n,): pairs that begin or end at each node
    """

    stop: NDArray[np.uint8]

    def run(self, groups: Sequence[Group]) -> None:
        """Add what the groups contribute to the sums that are wanted.

        The order of the additions is that of the groups, however many are in flight.
        """

    def worst(self) -> float:
        """Largest number of paths met by the last run, at least."""


class Engine(Protocol):
    """A way to compute groups of sources."""

    name: str
    literal: bool  # computes on the graph as it was given: no folding, no renumbering
    near: bool  # the sources of a group should lie close together
    pace: int  # edges that it sweeps while the host looks at a pair of them

    @property
    def members(self) -> Sequence[Engine]:
        """One for each worker, if they have memory of their own; none if threads share it."""

    def here(self) -> AbstractContextManager[None]:
        """Work on the engine's device, for as long as the context lasts."""

    def patterns(self, entries: int) -> Patterns:
        """Where to keep a graph of so many entries."""

    def width(self, graph: Graph, deep: bool) -> int:
        """Sources of a group."""

    def block_size(self, graph: Graph, groups: int, width: int) -> int:
        """Groups of a block, at least one; from the problem alone, since it fixes the bits."""

    def free_memory(self) -> int:
        """Bytes that are free where the engine keeps its state."""

    def workspace_bytes(
        self, graph: Graph, dtype: np.dtype[Any], width: int, sums: frozenset[str]
    ) -> int:
        """Least memory that `workspace` can do with."""

    def workspace(
        self,
        graph: Graph,
        omega: NDArray[np.float64],
        dtype: np.dtype[Any],
        *,
        width: int,
        memory: int,
        sums: frozenset[str],
        stop: NDArray[np.uint8],
    ) -> Workspace:
        """Memory for groups of a width, in ``memory`` bytes; it stops once ``stop[0]`` is set."""


class Tally(NamedTuple):
    """Sums over sources of what their searches say about each node, the source itself left out.

    Arrays of NumPy or of CuPy.
    """

    reached: NDArray[np.int64]  # (n,) how many sources reach it
    total: NDArray[Any]  # (n,) sum of their distances
    harmonic: NDArray[np.float64]  # (n,) sum of one over their distances
    farthest: NDArray[Any]  # (n,) greatest of their distances

    @classmethod
    def zeros(cls, n: int, distance: type[np.int64 | np.float64] = np.int64, xp: Any = np) -> Tally:
        """No sources yet; distances are counted in edges, or of a type."""
        return cls(*(xp.zeros(n, dtype=dtype) for dtype in (np.int64, distance, float, distance)))

    def merge(self, other: Tally) -> None:
        """Add the sources that come next."""
        for mine, theirs in zip(self[:3], other[:3], strict=True):
            np.add(mine, theirs, out=mine)
        np.maximum(self.farthest, other.farthest, out=self.farthest)

    def in_units(self, unit: float) -> Tally:
        """The same where an edge has another length than 1."""
        if unit == 1:
            return self
        return Tally(self.reached, self.total * unit, self.harmonic / unit, self.farthest * unit)


class Tallier(Protocol):
    """State of searches from sources, group after group."""

    def tally(self, groups: Sequence[Group]) -> Tally:
        """Sums over the sources of some groups, in their order, where the searches are."""


class Paths(Protocol):
    """A graph, by edges or with its lengths."""

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Fill row i of both with what `scipy.sparse.csgraph.dijkstra` has for source i.

        Where it has a choice of predecessors, any of them; by edges, the smallest.
        """


class Search(Tallier, Paths, Protocol):
    """State of the searches of a group of sources, used again for the next."""

    def levels(self, sources: NDArray[np.int32], out: NDArray[np.int32]) -> None:
        """Hops from each source, shape (len(sources), n); -1 where there is no path."""


class Searcher(Protocol):
    """A way to search a graph from many sources."""

    name: str
    width: int  # sources of a group
    tally_width: int  # the same where there are more, and only sums over them are wanted
    length_width: int  # sources between two looks at the keyboard, along lengths
    near: bool  # along lengths, the sources of a group should lie close together
    pace: int  # edges that it searches while the host looks at a pair of them

    @property
    def members(self) -> Sequence[Searcher]:
        """One for each worker, if they have memory of their own; none if threads share it."""

    def here(self) -> AbstractContextManager[None]:
        """Work on the searcher's device, for as long as the context lasts."""

    def patterns(self, entries: int) -> Patterns:
        """Where to keep a graph of so many entries."""

    def results(self, shape: tuple[int, int], dtype: Any, home: str | None) -> Any:
        """Array to fill, on the searcher's own device if that is the ``home`` of the matrix."""

    def compact(self, deep: bool) -> bool:
        """Whether the sources of a group are to lie close together."""

    def block_size(self, graph: Graph, groups: int) -> int:
        """Groups whose sums are added up before they leave the device."""

    def free_memory(self) -> int:
        """Bytes that are free where the searcher keeps its state."""

    def search_bytes(self, graph: Graph, width: int) -> int:
        """Least memory that `search` can do with for such a group; with lengths, `by_length`."""

    def search(self, graph: Graph, deep: bool, memory: int, stop: NDArray[np.uint8]) -> Search:
        """State of a search, on a deep graph or another, in ``memory`` bytes.

        It stops once ``stop[0]`` is set.
        """

    def by_length(self, graph: Graph, memory: int, stop: NDArray[np.uint8]) -> Tallier:
        """The same along the lengths of a graph."""

    def lengths(self, matrix: Any, directed: bool, stop: NDArray[np.uint8]) -> Paths:
        """Take a SciPy or CuPy matrix of lengths; stops once ``stop[0]`` is set."""

    def components(self, graph: Graph, strong: bool) -> tuple[int, NDArray[np.int32]]:
        """Number of components and their labels, as `scipy.sparse.csgraph` numbers them."""


def both(sums: frozenset[str]) -> bool:
    """Whether both g and h are needed, so that one cannot take sigma's place."""
    return sums >= {"dependency", "stress"}


# More blocks of searches than this would only add to the cost of adding them up.
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


def select(device: Device | None, origin: str | None = None, *, weighted: bool = False) -> Engine:
    """Engine of a device, or of several GPUs.

    ``origin`` is the `home` of the matrix: the device by default, and the first of several. Where
    there is neither, the best of this machine is taken.
    """
    if device is None:
        device = origin or ("cuda" if devices() else "cpu")
    if isinstance(device, (list, tuple)):
        return _several(device, origin)
    if not isinstance(device, str):
        raise TypeError(
            f"device must be a string, a list of strings or None, got {device!r}: try 'cpu'"
        )
    if weighted and device == "reference:cuda":
        raise ValueError(f"device {device!r} takes no lengths: use device='cuda' with weighted")
    if device in ENGINES:
        return ENGINES[device]()
    index = _number(device)
    if index is not None:
        return _cuda({index: device})
    known = ", ".join(map(repr, ENGINES))
    raise ValueError(f"device must be one of {known}, 'cuda', 'cuda:0' or None, got {device!r}")


def searcher(device: Device | None, origin: str | None = None) -> Searcher:
    """Engine that searches, for what `select` takes."""
    engine = select(device, origin)
    if engine.name == "cpu":
        from .cpu_search import CPUSearcher

        return CPUSearcher()
    if engine.name.startswith("cuda:"):
        from .cuda_search import CUDASearcher

        return CUDASearcher(*(int(member.name.partition(":")[2]) for member in engine.members))
    raise ValueError(f"device {engine.name!r} does not search graphs: use device='cpu'")


def _several(names: Sequence[str], origin: str | None) -> Engine:
    """Engine of the GPUs of these names; that of the matrix reads and prepares it."""
    given: dict[int, str] = {}
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"device must list strings, got {name!r}: try ['cuda:0', 'cuda:1']")
        index = _number(name)
        if index is None:
            raise ValueError(
                f"device must list GPUs alone, got {name!r}: try ['cuda:0', 'cuda:1'], or name one "
                "device by a string"
            )
        if index in given:
            raise ValueError(f"device lists 'cuda:{index}' more than once: list each GPU once")
        given[index] = name
    if not given:
        raise ValueError("device is an empty list: list a GPU, or leave it out for the default")
    return _cuda(dict(sorted(given.items(), key=lambda item: f"cuda:{item[0]}" != origin)))


def _number(device: str) -> int | None:
    """Number of the GPU of a name; None if it names something else."""
    match = re.fullmatch("cuda(?::([0-9]+))?", device)
    return int(match[1] or 0) if match else None


def _cuda(given: dict[int, str]) -> Engine:
    """Engine of GPUs, by number, and what they were called."""
    there = devices()
    for index, name in given.items():
        if index >= len(there):
            raise RuntimeError(
                f"device {name!r} is not there: "
                + (f"the GPUs are cuda:0 to cuda:{len(there) - 1}" if there else _why_not())
            )
    if len({there[index].partition(" ")[2] for index in given}) > 1:
        unlike = "; ".join(there[index] for index in given)
        raise ValueError(
            f"device lists GPUs that differ ({unlike}), and the last digits of a sum depend on its "
            "GPU: list GPUs of one kind"
        )
    from .cuda import CUDA

    return CUDA(*given)


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


def deliver(values: Any, device: str | None) -> Any:
    """The array or csr matrix on the device that `home` named, or on the host for None."""
    parts: tuple[Any, ...] = (values,)
    n = None
    if isinstance(values, Matrix):
        (indptr, indices), data = values
        parts, n = (data, indices, indptr), indptr.size - 1
    here = tuple(part if home(part) == device else _on_host(part) for part in parts)
    if device is not None:
        from .cuda import on_device

        return on_device(here, n, int(device.partition(":")[2]))
    return here[0] if n is None else scipy.sparse.csr_array(here, shape=(n, n))


def _on_host(array: Any) -> NDArray[Any]:
    if home(array) is None:
        return np.asarray(array)
    from .cuda_launch import fetch

    return fetch(array)
