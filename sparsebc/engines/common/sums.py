"""Sums over shortest paths: their table, and the launches of blocks that compute them."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from ...matrix.graph import Graph
from .batch import Batch
from .pairwise_sum import PairwiseSum, Span


class Sum(NamedTuple):
    """A sum over sources that a workspace can keep."""

    name: str
    bit: int  # in the flags that a CUDA kernel is compiled for; 0 if none is
    by_arc: bool  # of shape (arcs,), else (n,)
    meaning: str

    def size(self, graph: Graph) -> int:
        """Number of elements on a graph: a column for each cutoff."""
        return graph.limits.size * (graph.arcs if self.by_arc else graph.n)


# Every engine keeps those of these sums that are wanted, under these names. On a graph with cutoffs
# each array has a column for each cutoff, one after the other.
SUMS: dict[str, Sum] = {
    row.name: row
    for row in (
        Sum("dependency", 1, False, "alpha * delta"),
        Sum("arcs", 2, True, "alpha * sigma(u) g(v) of each arc u -> v"),
        Sum("stress", 4, False, "alpha * sigma * lambda"),
        Sum("squares", 8, False, "alpha * delta**2"),
        Sum("ends", 64, False, "alpha * omega at targets, alpha * delta at sources"),
    )
}


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


class Swept(NamedTuple):
    """Result of a launch."""

    nodes: list[tuple[Span, Sums | None]]  # from left to right; None if no block was in range
    out_of_range: list[int]  # indices in the launch of blocks left out of the sums


class Workspace(Protocol):
    """State of the batches of a launch, reused for the next launch."""

    def sweep(self, launch: Launch, limit: float) -> Swept:
        """Sums over the blocks of a launch, in the order of the tree.

        A block is out of range if one of its path counts exceeds ``limit``.
        """


class BlockWorkspace(Protocol):
    """A workspace that sweeps a block at a time; it has an attribute for each sum wanted."""

    def compile(self, batches: Sequence[Batch]) -> None:
        """Compile the kernels that the batches need on a CPU, without a sweep."""

    def run(self, batches: Sequence[Batch]) -> None:
        """Add the contributions of the batches to the sums, in their order."""

    def max_sigma(self) -> float:
        """Upper bound of the path counts of the last run, if they may exceed the limit."""


class BlockByBlock:
    """A `Workspace` made of a `BlockWorkspace`."""

    def __init__(self, inner: BlockWorkspace, sums: frozenset[str]) -> None:
        self._inner, self._sums = inner, sums

    def compile(self, batches: Sequence[Batch]) -> None:
        """Compile the kernels that the batches need, without a sweep."""
        self._inner.compile(batches)

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
    """Sums of the leaves below both nodes, added to the left in place."""
    if left is None or right is None:
        return right if left is None else left
    for name, values in right.items():
        if name in left:
            left[name] += values
        else:  # a sum that a launch keeps once, at its first node
            left[name] = values
    return left
