"""Base of the CPU's workspaces: sums of a block, and kernels of its batches that add to them."""

from abc import ABC, abstractmethod
from collections import namedtuple
from collections.abc import Collection, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....jit import subroutine
from ....matrix.graph import Graph
from ...common.batch import Batch
from ...common.sums import SUMS

# LEFT + k: the first k sources are swept; the others are left to the kernel of single sources.
DONE, STOPPED, TOO_FAR, LEFT = range(4)


Sums: Any = namedtuple("Sums", list(SUMS))  # type: ignore[misc]


def new_sums(names: Collection[str], graph: Graph) -> Any:
    """The sums of these names from zero on, on a graph: a column for each limit."""
    return Sums(*(np.zeros(row.size(graph) if name in names else 0) for name, row in SUMS.items()))


def sums_nbytes(names: Collection[str], graph: Graph) -> int:
    """Memory of those."""
    return 8 * sum(SUMS[name].size(graph) for name in names)


@subroutine
def first_within(limits, distance):
    """The first column whose cutoff is at least ``distance``, which must be within the last."""
    column = 0
    while limits[column] < distance:
        column += 1
    return column


class KernelWorkspace(ABC):
    """Sums over the batches of a block, and states of the kernels that add to them."""

    def __init__(self, graph: Graph, names: Collection[str]) -> None:
        self.added, self._lengths = new_sums(names, graph), graph.lengths
        vars(self).update(self.added._asdict())
        self.outcome = DONE  # of the last call
        self.largest: list[NDArray[Any]] = []  # largest path count of each state

    @abstractmethod
    def calls(self, batch: Batch) -> Iterator[tuple[Any, ...]]:
        """Kernels that sweep a batch, with arguments; may read `outcome` between two of them."""

    def compile(self, batches: Sequence[Batch]) -> None:
        """Compile the kernels that the batches need, without a sweep."""
        self.outcome = DONE
        for batch in batches:
            for kernel, *arguments in self.calls(batch):
                kernel.compile_for(*arguments)

    def run(self, batches: Sequence[Batch]) -> None:
        """Add the contributions of the batches to the sums, in their order."""
        for counts in self.largest:
            counts[:] = 0
        for batch in batches:
            for kernel, *arguments in self.calls(batch):
                self.outcome = int(kernel(*arguments))
                if self.outcome == TOO_FAR:
                    assert self._lengths is not None
                    raise self._lengths.too_far
                if self.outcome == STOPPED:
                    return

    def max_sigma(self) -> float:
        """Largest path count of the last run."""
        return float(max(counts.max() for counts in self.largest))
