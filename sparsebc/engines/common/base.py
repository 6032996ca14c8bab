"""Engines: a device and its table of kernels; the first kernel that applies runs a task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import DTypeLike, NDArray

from ...matrix.csr import Matrix
from ...matrix.graph import Graph
from ...matrix.ops import GraphOps
from .decay import Seeds
from .distances import Access
from .sums import Batch, NodeSets, PairSamples, cut

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
    "temporal walks",
]

OF_DISTANCES = ("distances", "access")  # kinds that add up distances

FLOAT64 = np.dtype(np.float64)
# A path count as a float64 times a power of two, for counts beyond float64.
EXTENDED = np.dtype([("mantissa", np.float64), ("exponent", np.int64)])
# Types of path counts, by ascending range.
RANGES: tuple[np.dtype[Any], ...] = (np.dtype(np.float32), FLOAT64, EXTENDED)

# Largest path count where target weights may be as small as 1e-200 (`engines/common/decay.py`).
SEEDED_LIMIT = 1e100


@dataclass(frozen=True)
class Task:
    """Sums over sources, or a row of results for each: the argument of a kernel's rules."""

    kind: Kind
    graph: Any  # a `Graph`; of "rows by length", a matrix of lengths; or a `Timeline`
    high_diameter: bool = False  # a search takes many levels
    sources: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, np.int32))
    # (sources,) weight of each source; of "access" (sources, kinds)
    alpha: NDArray[np.float64] = field(default_factory=lambda: np.empty(0))
    omega: Any = None  # (n,) weight of each node as a target, in the memory of the graph
    sums: frozenset[str] = frozenset()  # names of the sums that are wanted
    dtype: np.dtype[Any] = FLOAT64  # of the path counts
    # (n,) nodes not counted in a ball: twins, whose neighbours are those of another node
    passed: NDArray[np.bool_] | None = None
    components: Callable[[], Any] | None = None  # labels of the weak components, if known
    batches: Sequence[Batch] | None = None  # of "chains": with their `Chains`
    node_sets: NodeSets | None = None
    pairs: PairSamples | None = None  # of "path samples", whose sources are sample numbers
    seeds: Seeds | None = None  # weights of pairs
    access: Access | None = None  # of "access"
    # reductions that the graph was made without, and why
    left_out: Mapping[str, str] = field(default_factory=dict)


class Sweep(NamedTuple):
    """Specification of a worker's state, from which each worker makes its own."""

    kernel: str  # its name, in the table of the worker's engine
    width: int  # sources of the widest batch, far ends of its chains included
    high_diameter: bool = False
    # (n,) weight of each node as a target; in host memory, or in that of the graph for `devices`
    omega: Any = None
    sums: frozenset[str] = frozenset()  # names of the sums that are wanted
    dtype: np.dtype[Any] = FLOAT64
    node_sets: NodeSets | None = None
    pairs: PairSamples | None = None  # of "path samples", whose sources are sample numbers
    directed: bool = True  # of a matrix of lengths
    seeds: Seeds | None = None  # on the host
    access: Access | None = None

    def state(self, engine: Engine, graph: Any, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of a worker, in at most ``memory`` bytes; it stops once ``stop[0]`` is set."""
        kernel = next(kernel for kernel in kernels_of(engine) if kernel.name == self.kernel)
        return kernel.start(graph, self, memory, stop)


# More blocks than this only cost additions.
MAX_BLOCKS = 4096


def in_order(task: Task, width: int) -> list[Batch] | None:
    """Batches of consecutive sources."""
    return cut(task.sources, task.alpha, width)


def fewest(task: Task, batches: Sequence[Batch], width: int) -> int:
    """Batches of a block, at least one: the fewest that make at most `MAX_BLOCKS` blocks."""
    return -(-len(batches) // MAX_BLOCKS) or 1


@dataclass(frozen=True, kw_only=True)
class Kernel:
    """An implementation of some tasks, a row of a table: its rule, batches, memory and launcher.

    `applies`, `batches` and `block_size` depend on the task alone, never on the machine: they fix
    the bits.

    ``start(graph, sweep, memory, stop)`` makes the state of a worker, in at most ``memory`` bytes
    where that is possible. It is reused for each of its batches, and has the method of the kind:

    sums over paths  the state is a function of (launch, limit): the `Swept` of the blocks of a
                     launch, in the order of the tree; a block is out of range if one of its path
                     counts exceeds the limit
    distances        ``accumulate(batches)``: `DistanceSums` over the sources in their order, or
                     `AccessSums` for an `Access`, on the device of the searches
    nearest          ``nearest(places)``: distance of each node to its k-th nearest place
    rows             ``levels(sources, out)``: fill hops from each source, shape
                     (len(sources), n), -1 where there is no path
    rows by length   ``paths(sources, distances, predecessors)``: fill row i of both arrays with
                     those of `scipy.sparse.csgraph.dijkstra` from source i; of several
                     predecessors, any one; unweighted, the smallest
    """

    name: str  # in logs, docs and `explain`
    summary: str  # for the docs
    device: str = "cpu"  # where its state is kept
    graph: str = ""  # for the docs: graphs that it runs on, if `by_length` does not tell
    counts: str = ""  # for the docs: path counts that it takes
    float32: bool = True  # whether it counts in float32 if asked to, else in float64
    files: tuple[str, ...] = ()  # sources that it compiles, below engines/
    kinds: tuple[Kind, ...]  # of tasks that it computes
    by_length: bool | None = None  # True: weighted graphs; False: unweighted; None: both
    takes_seeds: bool = False  # omega may differ from source to source
    rule: Callable[[Task], bool] = lambda task: True  # what else it asks of a task
    width: int = 1  # sources of a batch, which its rules are given; 0 if batches have any
    # Batches of the sources, of at most such a width; None leaves the task to the next kernel.
    batches: Callable[[Task, int], list[Batch] | None] = in_order
    block_size: Callable[[Task, Sequence[Batch], int], int] = fewest  # batches of a block
    # Upper bound of the batches of a launch, which are reported and stopped together.
    launch_size: Callable[[Graph], int] = lambda graph: 1
    least_bytes: Callable[[Any, Sweep], int]  # that `start` needs, for a graph
    start: Callable[[Any, Sweep, int, NDArray[np.uint8]], Any]

    def applies(self, task: Task) -> bool:
        """Whether the kernel computes the task."""
        if task.kind not in self.kinds or (task.seeds is not None and not self.takes_seeds):
            return False
        if self.by_length is not None and self.by_length != (task.graph.lengths is not None):
            return False
        return self.rule(task)


class Profile(NamedTuple):
    """Which reductions pay on an engine."""

    literal: bool = False  # computes on the graph as given: no reduction, no renumbering
    relative_throughput: int = 1  # edges swept in the time that the host takes for a pair of edges
    shares_rows: bool = False  # few sources of a large graph are swept by all workers, unreduced
    # Reductions of sums of distances that its searches support: sources have weights, and with
    # "blocks" distances beyond the source.
    of_distances: frozenset[str] = frozenset()
    # Whether to renumber a high-diameter graph such that neighbours are close in memory.
    wants_near: Callable[[Graph], bool] = lambda graph: True
    # Whether to renumber for unweighted sums of distances, given `high_diameter`.
    orders_levels: Callable[[Graph, bool], bool] = lambda graph, high_diameter: False


class Engine(Protocol):
    """One device or several, and the kernels that run there."""

    name: str
    kernels: Sequence[Kernel]  # the first that applies to a task runs; host kernels come last
    profile: Profile
    ops: type[GraphOps]  # on the graphs in its memory

    @property
    def devices(self) -> Sequence[Engine]:
        """One engine a worker if each has memory of its own; none if threads share memory."""

    def here(self) -> AbstractContextManager[None]:
        """Context in which the engine's device is current."""

    def free_memory(self) -> int:
        """Free bytes of the memory that the engine keeps its state in."""

    def farthest(self, matrix: Matrix, starts: NDArray[np.int32]) -> float:
        """Largest distance along a matrix of lengths, in the memory of a graph, from the starts.

        It is undirected, and each start is in a component of its own.
        """

    def components(self, graph: Graph, strong: bool) -> tuple[int, NDArray[np.int32]]:
        """Number of components and their labels, as `scipy.sparse.csgraph` numbers them."""


# Makers of the kernels of applications, which enter them when they are imported, by kind of tasks.
FURTHER: dict[str, Callable[[Engine], Kernel]] = {}


def kernels_of(engine: Engine) -> Iterator[Kernel]:
    """The kernels of an engine's table, then those of applications."""
    yield from engine.kernels
    yield from (kernel_on(engine) for kernel_on in FURTHER.values())


def kernel_for(engine: Engine, task: Task) -> Kernel:
    """The first kernel of an engine that applies to a task."""
    return next(kernel for kernel in kernels_of(engine) if kernel.applies(task))


def count_limit(dtype: DTypeLike, seeded: bool = False) -> float:
    """Largest path count for which sigma and omega / sigma keep full precision."""
    if dtype == EXTENDED:
        return float("inf")
    if seeded:
        return SEEDED_LIMIT
    return float(2.0 ** (np.finfo(np.dtype(dtype)).maxexp - 8))
