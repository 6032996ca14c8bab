"""Batches of sources, and the sums over them: their names, launches of blocks, ordered addition.

Sums are pairwise, by a fixed binary tree, so that bits do not depend on workers. Block b is leaf b.
A node sums a range of 2**k leaves, from a multiple of 2**k on, left half first. Any run of blocks
is a few whole nodes, so that the sum is the same to the last bit however the leaves are
distributed. At most two nodes of a size are pending, so that memory and time of the driver grow
with the logarithm of the number of blocks.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from ...errors import InputError
from ...matrix.graph import Graph


class Chains(NamedTuple):
    """Chains of nodes of degree 2 between two ends, called near and far.

    Inner nodes are sources without a sweep of their own (`reduce.chains`). Those of chain k are
    ``nodes[start[k]:start[k + 1]]``, in order from the near end.
    """

    near: NDArray[np.int32]  # (chains,) row of the end, or its column in a batch; ascending
    far: NDArray[np.int32]  # (chains,)
    start: NDArray[np.int64]  # (chains + 1,)
    nodes: NDArray[np.int32]  # (nodes,) rows
    arcs: NDArray[np.int64]  # (nodes,) arc from each node towards the near end
    alpha: NDArray[np.float64]  # (nodes,) weight of each as a source
    place: NDArray[np.float64]  # (nodes,) distance from the near end
    span: NDArray[np.float64]  # (chains,) distance from end to end along the chain

    @classmethod
    def none(cls) -> Chains:
        """An empty list of chains."""
        rows, whole, real = (np.empty(0, dtype=dtype) for dtype in (np.int32, np.int64, float))
        return cls(rows, rows, np.zeros(1, dtype=np.int64), rows, whole, real, real, real)


class Batch(NamedTuple):
    """Sources swept together, at most the kernel's width: the unit of work."""

    sources: NDArray[np.int32]
    alpha: NDArray[np.float64]  # (sources,) weights; of points of interest, (sources, kinds)
    clustered: bool  # the sources are few levels apart
    # Greatest distance of each source to the nodes that it stands for; None for 0.
    beyond: NDArray[Any] | None = None
    chains: Chains | None = None  # that end at the sources; column i is source i
    others: NDArray[np.int32] | None = None  # far ends that are not sources: the last columns
    starts: NDArray[np.int32] | None = None  # step at which each search begins; None for 0

    def stand_for(self, distance: type[np.int64 | np.float64]) -> tuple[NDArray[Any], NDArray[Any]]:
        """``alpha`` and ``beyond`` as arrays of a type of distances."""
        beyond = np.zeros(self.sources.size) if self.beyond is None else self.beyond
        return self.alpha.astype(distance), beyond.astype(distance)


class NodeSets(NamedTuple):
    """Sets of nodes; "dependency" then sums over the paths that meet a set.

    Of several sets, an element a set: the pairs whose paths meet the set. Of a single set, an
    element a node: the pairs whose paths meet the node but not the set, endpoints included.
    """

    member: NDArray[np.uint8]  # (n, sets) whether a node is in a set; (n,) of a single set
    endpoints: bool  # pairs that begin or end in a set count

    @property
    def size(self) -> int:
        """Elements of the sum."""
        return int(self.member.shape[-1])


class PairSamples(NamedTuple):
    """Distribution of pairs (source, target) of one component, each drawn by its weight.

    Component c has the sources from ``source_start[c]`` and the targets from ``target_start[c]``.
    Without weights a row is repeated for each original node that it stands for. Arrays are in host
    memory, or in that of the graph for `devices`.
    """

    seed: np.uint64  # sample i depends on the seed and i alone
    sources: Any  # (sources,) rows, int32
    targets: Any  # (targets,)
    source_start: NDArray[np.int64]  # (components + 1,)
    target_start: NDArray[np.int64]
    source_ends: NDArray[np.float64]  # (sources,) inclusive prefix sums of weights; empty: all 1
    target_ends: NDArray[np.float64]  # (targets,) likewise
    weight: NDArray[np.float64]  # (components,) inclusive prefix sums of the weights of the pairs


def widest(batches: Sequence[Batch]) -> int:
    """Columns of the widest batch: its sources, and far ends of its chains that are no sources."""
    beyond = [0 if batch.others is None else batch.others.size for batch in batches]
    sizes = [batch.sources.size for batch in batches]
    return max(map(sum, zip(sizes, beyond, strict=True)), default=0)


def cut(
    sources: NDArray[np.int32], alpha: NDArray[np.float64], width: int, *, clustered: bool = True
) -> list[Batch]:
    """Batches of consecutive sources."""
    return [
        Batch(sources[i : i + width], alpha[i : i + width], clustered)
        for i in range(0, sources.size, width)
    ]


# Most sources of a batch swept one at a time, and batches of those wanted for workers to share.
FEW_SOURCES, MANY_BATCHES = 16, 64


def alone(count: int, batches: int = MANY_BATCHES) -> int:
    """Size of batches swept one source at a time: small enough that there are ``batches``."""
    return max(1, min(FEW_SOURCES, count // batches))


Value = TypeVar("Value")


def spans(first: int, end: int) -> Iterator[range]:
    """The fewest nodes whose leaves are first, ..., end - 1, from left to right."""
    while first < end:
        size = 1 << (end - first).bit_length() - 1
        size = min(size, first & -first) if first else size
        yield range(first, first + size)
        first += size


@dataclass(eq=False)
class PairwiseSum(Generic[Value]):
    """Nodes of the tree, taken from left to right; siblings are added as soon as both are taken."""

    add: Callable[[Value, Value], Value]
    # Those whose siblings are pending, left to right.
    nodes: list[tuple[range, Value]] = field(default_factory=list)

    def take(self, span: range, value: Value) -> None:
        """Take the next node, whose leaves ``span`` follow those of the last one."""
        if self.nodes and span.start != self.nodes[-1][0].stop:
            raise InputError(f"{span} does not follow {self.nodes[-1][0]}")
        while self.nodes:
            left, left_value = self.nodes[-1]
            if len(left) != len(span) or left.start & len(left):  # a right half
                break
            self.nodes.pop()
            span, value = range(left.start, span.stop), self.add(left_value, value)
        self.nodes.append((span, value))

    def total(self) -> Any:
        """Sum of all nodes taken, those on the right first; None if there are none."""
        nodes = [value for _, value in self.nodes]
        total: Any = nodes.pop() if nodes else None
        while nodes:
            total = self.add(nodes.pop(), total)
        return total


# Every engine keeps those of these sums that are wanted, under these names, with their bits in the
# flags that a CUDA kernel is compiled for. On a graph with cutoffs each array has a column for each
# cutoff, one after the other.
SUMS = {
    "dependency": 1,  # alpha * delta
    "arcs": 2,  # alpha * sigma(u) g(v) of each arc u -> v; shape (arcs,), the others (n,)
    "stress": 4,  # alpha * sigma * lambda
    "squares": 8,  # alpha * delta**2
    "ends": 64,  # alpha * omega at targets, alpha * delta at sources
}


def sizes_of(names: Collection[str], graph: Graph) -> dict[str, int]:
    """Numbers of each of the sums of these names on a graph: a column for each cutoff."""
    columns = max(len(graph.cutoffs), 1)
    wanted = (name for name in SUMS if name in names)
    return {name: columns * (graph.arcs if name == "arcs" else graph.n) for name in wanted}


def needs_g_and_h(sums: frozenset[str]) -> bool:
    """Whether both g and h are needed, so that neither can overwrite sigma."""
    return sums >= {"dependency", "stress"}


# The sums that are wanted, by name, in the memory of the device that computed them.
Sums = dict[str, Any]


class Launch(NamedTuple):
    """Consecutive blocks that a worker sweeps together.

    A block is a run of batches. Blocks depend on the problem alone, and fix the bits; memory and
    workers decide which blocks share a launch.
    """

    first: int  # number of its first block, a leaf of the tree
    blocks: Sequence[Sequence[Batch]]


# Result of a launch: its nodes from left to right, with None where no block was in range; and the
# indices in the launch of blocks out of range, which are left out of the sums.
Swept = tuple[list[tuple[range, Sums | None]], list[int]]


def block_by_block(inner: Any, sums: frozenset[str]) -> Callable[[Launch, float], Swept]:
    """A state that sweeps launches, made of one that sweeps a block at a time.

    ``inner`` has an array for each of the ``sums``, as an attribute. ``run(batches)`` adds to them,
    in the order of the batches. ``max_sigma()`` is an upper bound of the path counts of the last
    run, if they may exceed the limit.
    """

    def swept(launch: Launch, limit: float) -> Swept:
        tree: PairwiseSum[Sums | None] = PairwiseSum(add_sums)
        kept = {name: getattr(inner, name) for name in sums}
        out_of_range = []
        for place, block in enumerate(launch.blocks):
            for values in kept.values():
                values[:] = 0
            inner.run(block)
            leaf: Sums | None = None
            if inner.max_sigma() <= limit:
                leaf = {name: values.copy() for name, values in kept.items()}
            else:
                out_of_range.append(place)
            number = launch.first + place
            tree.take(range(number, number + 1), leaf)
        return tree.nodes, out_of_range

    return swept


def add_sums(left: Sums | None, right: Sums | None) -> Sums | None:
    """Sums of the leaves below both nodes, added to the left in place."""
    if left is None or right is None:
        return right if left is None else left
    for name, values in right.items():
        if name in left:
            left[name] += values
        else:  # a sum that a launch keeps once, at its first node
            left[name] = values
    return left
