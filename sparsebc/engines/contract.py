"""What an engine is: groups of sources in, sums out."""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..brandes import EXTENDED
from ..graph.csr import GraphOps
from ..graph.graph import Graph
from .pairwise_sum import PairwiseSum, Span


class Arms(NamedTuple):
    """Chains of nodes of degree 2, each from one of its ends: "near", and "far" the other one.

    Inner nodes are sources without a sweep of their own (`reduce.chains`). Arm k has those from
    ``start[k]``, the one next to the near end first.
    """

    near: NDArray[np.int32]  # (arms,) the end as a row, or in a group as a column; ascending
    far: NDArray[np.int32]  # (arms,)
    start: NDArray[np.int64]  # (arms + 1,)
    nodes: NDArray[np.int32]  # (nodes,) rows
    arcs: NDArray[np.int64]  # (nodes,) the arc of each towards the near end
    alpha: NDArray[np.float64]  # (nodes,) weight of each as a source
    place: NDArray[np.float64]  # (nodes,) distance from the near end
    span: NDArray[np.float64]  # (arms,) distance from end to end along the chain

    @classmethod
    def none(cls) -> Arms:
        """No arms."""
        rows, whole, real = (np.empty(0, dtype=dtype) for dtype in (np.int32, np.int64, float))
        return cls(rows, rows, np.zeros(1, dtype=np.int64), rows, whole, real, real, real)


class Group(NamedTuple):
    """Sources swept together, up to the engine's width: the unit of work."""

    sources: NDArray[np.int32]
    alpha: NDArray[np.float64]  # weight of each source
    compact: bool  # the sources lie close together, measured in levels
    beyond: NDArray[Any] | None = None  # how far what each source stands for goes on; None for 0
    arms: Arms | None = None  # chains that end at these sources: columns in their order, then
    others: NDArray[np.int32] | None = None  # those of far ends that are none of the sources
    starts: NDArray[np.int32] | None = None  # steps that each search waits for others; None for 0

    def stand_for(self, distance: type[np.int64 | np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """Weights of the sources and what lies beyond them, as numbers of a type."""
        beyond = np.zeros(self.sources.size) if self.beyond is None else self.beyond
        return self.alpha.astype(distance), beyond.astype(distance)


class NodeGroups(NamedTuple):
    """Groups of nodes, whose part in the shortest paths is the sum "dependency" of an engine.

    Of many groups it has a number each: the pairs whose paths meet the group. Of one group, a
    number for each node: the pairs whose paths meet the node and not the group, their ends counted.
    """

    member: NDArray[np.uint8]  # (n, groups) who is in which; (n,) of one
    endpoints: bool  # pairs that begin or end in a group count

    @property
    def size(self) -> int:
        """Numbers of the sum."""
        return int(self.member.shape[-1])


class Sum(NamedTuple):
    """A sum over sources that a workspace can keep."""

    name: str
    bit: int  # in the flags that a CUDA kernel is compiled for; 0 where no kernel is
    by_arc: bool  # of shape (arcs,), else (n,)
    needs: str | None  # the sum that it comes with
    meaning: str


# Every engine keeps the sums of this table, by these names, and those that are wanted alone. On a
# graph with cutoffs each is an array of so many columns, one after the other.
SUMS: dict[str, Sum] = {
    row.name: row
    for row in (
        Sum("dependency", 1, False, None, "alpha * delta"),
        Sum("arcs", 2, True, "dependency", "alpha * sigma(u) g(v) of each arc u -> v"),
        Sum("stress", 4, False, None, "alpha * sigma * lambda"),
        Sum("squares", 8, False, "dependency", "alpha * delta**2"),
        Sum("arrivals", 16, False, "stress", "alpha * sigma, but of the source itself"),
        Sum("departures", 32, False, "arrivals", "lambda of each source itself"),
        Sum("ends", 64, False, "dependency", "alpha * omega at targets, alpha * delta at sources"),
    )
}


def needs_g_and_h(sums: frozenset[str]) -> bool:
    """Whether both g and h are needed, so that one cannot take sigma's place."""
    return sums >= {"dependency", "stress"}


# Sums by name, those that are wanted; where they live is up to who made them.
Sums = dict[str, Any]


Kind = Literal["paths", "chains", "node sets", "distances", "rows", "rows by length"]


class Task(NamedTuple):
    """Sums over the sources of a graph, or a row for each: what a kernel's rule looks at."""

    kind: Kind
    graph: Any  # a `Graph`; of "rows by length", a matrix of lengths
    deep: bool = False  # a search takes many levels
    sources: NDArray[np.int32] = np.empty(0, dtype=np.int32)
    alpha: NDArray[np.float64] = np.empty(0)  # weight of each source
    sums: frozenset[str] = frozenset()  # over paths, that are wanted
    dtype: np.dtype[Any] = np.dtype(np.float64)  # range of the path counts
    # (n,) nodes that take no room in a ball: their neighbours are those of another node
    passed: NDArray[np.bool_] | None = None
    components: Callable[[], Any] | None = None  # labels of the weak components, if known
    groups: Sequence[Group] | None = None  # with arms, where chains are left to their ends

    @property
    def extended(self) -> bool:
        """Whether path counts have exponents of their own, beyond the range of floats."""
        return self.dtype == EXTENDED


class Sweep(NamedTuple):
    """What the state of a worker is made for, wherever it is made."""

    kernel: str  # its name, in the table of the worker's engine
    width: int  # sources of the widest group, and the ends of its arms that are none
    deep: bool = False
    # (n,) weight of each node as a target; on the host, or for `devices` where the graph lives
    omega: Any = None
    sums: frozenset[str] = frozenset()
    dtype: np.dtype[Any] = np.dtype(np.float64)
    asked: NodeGroups | None = None
    directed: bool = True  # of a matrix of lengths

    def state(self, engine: Engine, graph: Any, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of a worker of an engine, in ``memory`` bytes; it stops once ``stop[0]`` is set."""
        kernel = next(kernel for kernel in engine.kernels if kernel.name == self.kernel)
        return kernel.start(graph, self, memory, stop)


class Launch(NamedTuple):
    """Blocks that a worker sweeps together, one after the other in number.

    A block is a run of groups, fixed by the problem alone, and with it the bits; which blocks share
    a launch is a matter of memory and workers.
    """

    first: int  # number of its first block, a leaf of the tree
    blocks: Sequence[Sequence[Group]]


class Swept(NamedTuple):
    """What a launch came to."""

    nodes: list[tuple[Span, Sums | None]]  # from left to right; None where nothing was in range
    out_of_range: list[int]  # places in the launch of blocks that have no part in the sums


class Workspace(Protocol):
    """Memory of the groups in flight, used again for the next launch."""

    def sweep(self, launch: Launch, limit: float) -> Swept:
        """Sums over the blocks of a launch, in the order of the tree.

        A block is out of range if a number of paths of it passes ``limit``.
        """


class BlockWorkspace(Protocol):
    """A workspace that sweeps block after block; an attribute for each sum wanted."""

    def compile(self, groups: Sequence[Group]) -> None:
        """Compile the kernels that sweep such groups, without a sweep, on a CPU."""

    def run(self, groups: Sequence[Group]) -> None:
        """Add what the groups contribute to the sums, in their order."""

    def max_sigma(self) -> float:
        """Largest number of paths met by the last run, at least, if that may pass the limit."""


class BlockByBlock:
    """A workspace that leaves each block to another, one at a time."""

    def __init__(self, inner: BlockWorkspace, sums: frozenset[str]) -> None:
        self._inner, self._sums = inner, sums

    def compile(self, groups: Sequence[Group]) -> None:
        """Compile the kernels that sweep such groups, without a sweep."""
        self._inner.compile(groups)

    def sweep(self, launch: Launch, limit: float) -> Swept:
        """Sums over the blocks of a launch, in the order of the tree."""
        tree: PairwiseSum[Sums | None] = PairwiseSum(add_sums)
        kept = {name: getattr(self._inner, name) for name in self._sums}
        out_of_range = []
        for place, block in enumerate(launch.blocks):
            for values in kept.values():
                values[:] = 0
            self._inner.run(block)
            leaf: Sums | None = None
            if self._inner.max_sigma() <= limit:
                leaf = {name: values.copy() for name, values in kept.items()}
            else:
                out_of_range.append(place)
            tree.take(Span(launch.first + place, 0), leaf)
        return Swept(tree.nodes(), out_of_range)


def add_sums(left: Sums | None, right: Sums | None) -> Sums | None:
    """Sums of the leaves below both, in the place of those on the left."""
    if left is None or right is None:
        return right if left is None else left
    for name, values in right.items():
        if name in left:
            left[name] += values
        else:  # a sum that a launch keeps once, with its first node
            left[name] = values
    return left


class DistanceSums(NamedTuple):
    """Sums over sources of what their searches say about each node, the source itself left out.

    A source counts as often as its weight says, and what it stands for lies on ``beyond`` it; that
    is for an engine whose `distance_reductions` have "blocks". Arrays of NumPy or of CuPy. On a
    graph with cutoffs, a column for each, one after the other: of the distances beyond the cutoff
    before it.
    """

    reached: NDArray[np.int64]  # (n,) how many sources reach it
    total: NDArray[Any]  # (n,) sum of their distances
    harmonic: NDArray[np.float64]  # (n,) sum of one over their distances
    farthest: NDArray[Any]  # (n,) greatest of their distances

    @classmethod
    def zeros(
        cls, n: int, distance: type[np.int64 | np.float64] = np.int64, xp: Any = np
    ) -> DistanceSums:
        """No sources yet; distances are counted in edges, or of a type."""
        return cls(*(xp.zeros(n, dtype=dtype) for dtype in (np.int64, distance, float, distance)))

    def merge(self, other: DistanceSums) -> None:
        """Add the sources that come next."""
        for mine, theirs in zip(self[:3], other[:3], strict=True):
            np.add(mine, theirs, out=mine)
        np.maximum(self.farthest, other.farthest, out=self.farthest)

    def within(self, columns: int) -> DistanceSums:
        """The same of all distances up to each cutoff, of shape (columns, n): prefix sums."""
        parts = [values.reshape(columns, values.size // columns) for values in self]
        reached, total, harmonic = (np.cumsum(part, axis=0) for part in parts[:3])
        farthest = parts[3].copy()
        for before, here in itertools.pairwise(farthest):
            np.maximum(before, here, out=here)  # CuPy accumulates no maxima
        return DistanceSums(reached, total, harmonic, farthest)

    def in_units(self, unit: float) -> DistanceSums:
        """The same where an edge has another length than 1."""
        if unit == 1:
            return self
        total, harmonic, farthest = self.total * unit, self.harmonic / unit, self.farthest * unit
        return DistanceSums(self.reached, total, harmonic, farthest)


class Accumulator(Protocol):
    """State of searches from sources, group after group."""

    def compile(self, groups: Sequence[Group]) -> None:
        """Compile the kernels that search from such groups, without a search, on a CPU."""

    def accumulate(self, groups: Sequence[Group]) -> DistanceSums:
        """Sums over the sources of some groups, in their order, where the searches are."""


class Paths(Protocol):
    """A graph, by edges or with its lengths."""

    def paths(self, sources: NDArray[np.int32], distances: Any, predecessors: Any) -> None:
        """Fill row i of both with what `scipy.sparse.csgraph.dijkstra` has for source i.

        Where it has a choice of predecessors, any of them; by edges, the smallest.
        """


class Search(Accumulator, Paths, Protocol):
    """State of the searches of a group of sources, used again for the next."""

    def levels(self, sources: NDArray[np.int32], out: NDArray[np.int32]) -> None:
        """Hops from each source, shape (len(sources), n); -1 where there is no path."""


# More blocks than this would only add to the cost of adding them up.
MAX_BLOCKS = 4096


class Kernel(ABC):
    """A way to compute a task: when it applies, its batches, its memory, and its launcher.

    Rule, groups and blocks depend on the task alone, never on the machine: they fix the bits.
    """

    name: str  # in logs, docs and `explain`
    device: str = "cpu"  # whose memory it works in
    graph: str = "any"  # in words, on which graphs it runs
    counts: str = ""  # in words, for which path counts
    files: tuple[str, ...] = ()  # that it compiles, below engines/
    width: int = 1  # sources of a group of rows

    @abstractmethod
    def applies(self, task: Task) -> bool:
        """Whether it computes such a task."""

    def batches(self, task: Task) -> list[Group] | None:
        """The sources in groups that are swept together; None leaves them to the next kernel."""
        return None

    def block_size(self, task: Task, groups: Sequence[Group]) -> int:
        """Groups of a block, at least one: as few as keep the number of blocks in bounds."""
        return -(-len(groups) // MAX_BLOCKS) or 1

    def launch_size(self, graph: Graph) -> int:
        """Groups that may share a launch, and are reported and stopped together."""
        return 1

    @abstractmethod
    def least_bytes(self, graph: Any, sweep: Sweep) -> int:
        """Least memory that `start` can do with."""

    @abstractmethod
    def start(self, graph: Any, sweep: Sweep, memory: int, stop: NDArray[np.uint8]) -> Any:
        """State of a worker: `Workspace` of path sums, `Accumulator` of distances, `Search`."""


class Profile(NamedTuple):
    """What an engine gains by reductions."""

    literal: bool = False  # computes on the graph as it was given: no folding, no renumbering
    relative_throughput: int = 1  # edges that it sweeps while the host looks at a pair of them
    # Reductions of sums of distances: their searches heed what a source counts, and with "blocks"
    # what lies beyond it.
    of_distances: frozenset[str] = frozenset()
    # Whether neighbours on a deep graph should be close together in memory.
    wants_near: Callable[[Graph], bool] = lambda graph: True


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
        """Where to keep a graph of so many entries."""

    def free_memory(self) -> int:
        """Bytes that are free where the engine keeps its state."""

    def components(self, graph: Graph, strong: bool) -> tuple[int, NDArray[np.int32]]:
        """Number of components and their labels, as `scipy.sparse.csgraph` numbers them."""


def kernel_for(engine: Engine, task: Task) -> Kernel:
    """The kernel of an engine that computes a task: the first of its table that applies."""
    return next(kernel for kernel in engine.kernels if kernel.applies(task))


def arranged(engine: Engine, task: Task) -> tuple[Kernel, list[Group]]:
    """The kernel that computes a task, and the sources in its groups."""
    for kernel in engine.kernels:
        if kernel.applies(task):
            groups = kernel.batches(task)
            if groups is not None:
                return kernel, groups
    raise AssertionError(f"no kernel of {engine.name} sums {task.kind}")


def blocks_of(kernel: Kernel, task: Task, groups: list[Group]) -> list[list[Group]]:
    """The groups in blocks, as long as a kernel wants them."""
    size = kernel.block_size(task, groups)
    return [groups[i : i + size] for i in range(0, len(groups), size)]


def stands_in(engine: Engine, kernel: Kernel) -> bool:
    """Whether a kernel of the host takes the place of one that an engine of GPUs lacks."""
    return kernel.device == "cpu" and bool(engine.devices)


def sweeps_chains(engine: Engine, graph: Graph, sums: Collection[str]) -> bool:
    """Whether the engine itself sweeps groups with arms on such a graph."""
    task = Task("chains", graph, graph.traits.deep, sums=frozenset(sums))
    found = next((kernel for kernel in engine.kernels if kernel.applies(task)), None)
    return found is not None and not stands_in(engine, found)


def widest(groups: Sequence[Group]) -> int:
    """Sources of the widest group, and the ends of its arms that are none."""
    return max(map(count_ends, groups), default=0)


def count_ends(group: Group) -> int:
    """Sources of a group, and the ends of its arms that are none."""
    return group.sources.size + (0 if group.others is None else group.others.size)
