"""Engines: a device and its kernels, of which the first that applies runs a task."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ...brandes import EXTENDED
from ...graph.graph import Graph
from ...graph.ops import GraphOps
from .access import Access
from .batch import Batch, NodeSets, PairSamples
from .decay import Seeds

Kind = Literal[
    "paths",
    "chains",
    "node sets",
    "path samples",
    "distances",
    "access",
    "nearest",
    "rows",
    "rows by length",
    "walks in time",
]


class Task(NamedTuple):
    """Sums over the sources of a graph, or a row for each: what a kernel's rule looks at."""

    kind: Kind
    graph: Any  # a `Graph`; of "rows by length", a matrix of lengths; or a `Timeline`
    high_diameter: bool = False  # a search takes many levels
    sources: NDArray[np.int32] = np.empty(0, dtype=np.int32)
    alpha: NDArray[np.float64] = np.empty(0)  # weight of each source
    sums: frozenset[str] = frozenset()  # over paths, that are wanted
    dtype: np.dtype[Any] = np.dtype(np.float64)  # range of the path counts
    # (n,) nodes that take no room in a ball: their neighbours are those of another node
    passed: NDArray[np.bool_] | None = None
    components: Callable[[], Any] | None = None  # labels of the weak components, if known
    batches: Sequence[Batch] | None = None  # with `Chains`, where those are swept from their ends
    seeds: Seeds | None = None  # what pairs count by distance and by themselves
    access: Access | None = None  # of "access": ``alpha`` has a row a source, a column a kind

    @property
    def extended(self) -> bool:
        """Whether path counts have exponents of their own, beyond the range of floats."""
        return self.dtype == EXTENDED


class Sweep(NamedTuple):
    """Specification of the state of a worker, wherever it is made."""

    kernel: str  # its name, in the table of the worker's engine
    width: int  # sources of the widest batch, and the far ends of its chains
    high_diameter: bool = False
    # (n,) weight of each node as a target; on the host, or for `devices` where the graph lives
    omega: Any = None
    sums: frozenset[str] = frozenset()  # over paths or of distances, that are wanted
    dtype: np.dtype[Any] = np.dtype(np.float64)
    node_sets: NodeSets | None = None
    pairs: PairSamples | None = None  # of "path samples", whose sources are numbers of samples
    directed: bool = True  # of a matrix of lengths
    seeds: Seeds | None = None  # on the host
    access: Access | None = None

    def state(self, engine: Engine, graph: Any, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of a worker of an engine, in ``memory`` bytes; it stops once ``stop[0]`` is set."""
        kernel = next(kernel for kernel in engine.kernels if kernel.name == self.kernel)
        return kernel.start(graph, self, memory, stop)


# More blocks than this would only add to the cost of adding them up.
MAX_BLOCKS = 4096


class Kernel(ABC):
    """A way to compute a task: when it applies, its batches, its memory, and its launcher.

    Rule, batches and blocks depend on the task alone, never on the machine: they fix the bits.
    """

    name: str  # in logs, docs and `explain`
    device: str = "cpu"  # whose memory it works in
    graph: str = "any"  # in words, on which graphs it runs
    counts: str = ""  # in words, for which path counts
    files: tuple[str, ...] = ()  # that it compiles, below engines/
    width: int = 1  # sources of a batch of rows
    kinds: tuple[Kind, ...]  # of tasks that it computes
    by_length: bool | None = None  # on graphs with lengths, without, or on both
    takes_seeds: bool = False  # its omega may differ from source to source

    def applies(self, task: Task) -> bool:
        """Whether it computes such a task."""
        if task.kind not in self.kinds or (task.seeds is not None and not self.takes_seeds):
            return False
        return self.by_length is None or self.by_length == (task.graph.lengths is not None)

    def batches(self, task: Task) -> list[Batch] | None:
        """The sources in batches that are swept together; None leaves them to the next kernel."""
        return None

    def block_size(self, task: Task, batches: Sequence[Batch]) -> int:
        """Batches of a block, at least one: as few as keep the number of blocks in bounds."""
        return -(-len(batches) // MAX_BLOCKS) or 1

    def launch_size(self, graph: Graph) -> int:
        """Batches that may share a launch, and are reported and stopped together."""
        return 1

    @abstractmethod
    def least_bytes(self, graph: Any, sweep: Sweep) -> int:
        """Least memory that `start` can do with."""

    @abstractmethod
    def start(self, graph: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of a worker: `Workspace` of path sums, or `Search` of distances."""


class Profile(NamedTuple):
    """Gains of an engine by reductions."""

    literal: bool = False  # computes on the graph as it was given: no folding, no renumbering
    relative_throughput: int = 1  # edges that it sweeps while the host looks at a pair of them
    shares_rows: bool = False  # few sources of a large graph are swept by all workers, unreduced
    # Reductions of sums of distances: their searches heed what a source counts, and with "blocks"
    # what lies beyond it.
    of_distances: frozenset[str] = frozenset()
    # Whether neighbours on a deep graph should be close together in memory.
    wants_near: Callable[[Graph], bool] = lambda graph: True
    # The same of sums of distances by edges, on a graph that is deep or is not.
    orders_levels: Callable[[Graph, bool], bool] = lambda graph, high_diameter: False


class Engine(Protocol):
    """A device, or several, and the kernels that run there."""

    name: str
    kernels: Sequence[Kernel]  # the first that applies to a task runs; host kernels come last
    profile: Profile

    @property
    def devices(self) -> Sequence[Engine]:
        """One for each worker, if they have memory of their own; none if threads share it."""

    def here(self) -> AbstractContextManager[None]:
        """Work on the engine's device, for as long as the context lasts."""

    def ops_for(self, entries: int) -> GraphOps:
        """Operations where a graph of so many entries is kept."""

    def free_memory(self) -> int:
        """Bytes that are free where the engine keeps its state."""

    def components(self, graph: Graph, strong: bool) -> tuple[int, NDArray[np.int32]]:
        """Number of components and their labels, as `scipy.sparse.csgraph` numbers them."""


def kernel_for(engine: Engine, task: Task) -> Kernel:
    """The kernel of an engine that computes a task: the first of its table that applies."""
    return next(kernel for kernel in engine.kernels if kernel.applies(task))


def arranged(engine: Engine, task: Task) -> tuple[Kernel, list[Batch]]:
    """The kernel that computes a task, and the sources in its batches."""
    for kernel in engine.kernels:
        if kernel.applies(task):
            batches = kernel.batches(task)
            if batches is not None:
                return kernel, batches
    raise AssertionError(f"no kernel of {engine.name} sums {task.kind}")


def blocks_of(kernel: Kernel, task: Task, batches: list[Batch]) -> list[list[Batch]]:
    """The batches in blocks, as long as a kernel wants them."""
    size = kernel.block_size(task, batches)
    return [batches[i : i + size] for i in range(0, len(batches), size)]


def stands_in(engine: Engine, kernel: Kernel) -> bool:
    """Whether a kernel of the host takes the place of one that an engine of GPUs lacks."""
    return kernel.device == "cpu" and bool(engine.devices)


def sweeps_chains(engine: Engine, graph: Graph, sums: Collection[str]) -> bool:
    """Whether the engine itself sweeps chains of such a graph from their ends."""
    task = Task("chains", graph, graph.traits.high_diameter, sums=frozenset(sums))
    found = next((kernel for kernel in engine.kernels if kernel.applies(task)), None)
    return found is not None and not stands_in(engine, found)
