"""Base of the CPU's workspaces: runs the kernels of each batch, which add to the sums."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from numpy.typing import NDArray

from ....matrix.graph import Graph
from ...common.batch import Batch
from . import sums
from .outcomes import DONE, STOPPED, TOO_FAR


class KernelWorkspace(ABC):
    """Sums over the batches of a block, and states of the kernels that add to them."""

    def __init__(self, graph: Graph, names: Collection[str]) -> None:
        self.added, self._lengths = sums.wanted(names, graph), graph.lengths
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
