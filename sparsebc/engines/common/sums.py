"""Sums over shortest paths, and what adds them up: launches of blocks, block after block."""

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from .batch import Batch
from .pairwise_sum import PairwiseSum, Span


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


class Launch(NamedTuple):
    """Blocks that a worker sweeps together, one after the other in number.

    A block is a run of batches, fixed by the problem alone, and with it the bits. Memory and
    workers decide which blocks share a launch.
    """

    first: int  # number of its first block, a leaf of the tree
    blocks: Sequence[Sequence[Batch]]


class Swept(NamedTuple):
    """Result of a launch."""

    nodes: list[tuple[Span, Sums | None]]  # from left to right; None where nothing was in range
    out_of_range: list[int]  # places in the launch of blocks that have no part in the sums


class Workspace(Protocol):
    """Memory of the batches in flight, used again for the next launch."""

    def sweep(self, launch: Launch, limit: float) -> Swept:
        """Sums over the blocks of a launch, in the order of the tree.

        A block is out of range if a number of paths of it passes ``limit``.
        """


class BlockWorkspace(Protocol):
    """A workspace that sweeps block after block; an attribute for each sum wanted."""

    def compile(self, batches: Sequence[Batch]) -> None:
        """Compile the kernels that sweep such batches, without a sweep, on a CPU."""

    def run(self, batches: Sequence[Batch]) -> None:
        """Add what the batches contribute to the sums, in their order."""

    def max_sigma(self) -> float:
        """Largest number of paths met by the last run, at least, if that may pass the limit."""


class BlockByBlock:
    """A workspace that leaves each block to another, one at a time."""

    def __init__(self, inner: BlockWorkspace, sums: frozenset[str]) -> None:
        self._inner, self._sums = inner, sums

    def compile(self, batches: Sequence[Batch]) -> None:
        """Compile the kernels that sweep such batches, without a sweep."""
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
    """Sums of the leaves below both, in the place of those on the left."""
    if left is None or right is None:
        return right if left is None else left
    for name, values in right.items():
        if name in left:
            left[name] += values
        else:  # a sum that a launch keeps once, with its first node
            left[name] = values
    return left
