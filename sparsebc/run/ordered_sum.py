"""How far the ordered sum has come: all that it takes to go on from there, to the same bits."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.contract import Launch, Sums, Swept, add_sums
from ..engines.tree import Span, TreeSum
from ..graph.csr import GraphOps


class OrderedSum:
    """Sums over the blocks so far, range of path counts after range.

    Blocks out of a range are left for the next, and numbered anew there. The sums of a range wait
    in a tree, those of the ranges before are one total.
    """

    def __init__(self, ops: GraphOps, first: int = 0) -> None:
        self.total: Sums | None = None  # of the ranges that are done
        self.out_of_range: list[list[int]] = [[]]  # numbers of the blocks left out of each range
        self.next = first  # number of the block to come in the last of these ranges
        self.sources = 0  # that are in the sums
        self.whole = True  # not in the midst of a change
        self._tree: TreeSum[Sums | None] = TreeSum(add_sums)
        self._ops, self._read = ops, False

    def is_in(self, stage: int) -> bool:
        """Whether this range is the one that blocks are taken of; those before it are done."""
        return stage == len(self.out_of_range) - 1

    def begun(self, stage: int, blocks: int) -> int:
        """Of so many blocks of a range, how many are behind."""
        return self.next if self.is_in(stage) else blocks

    def take(self, launch: Launch, swept: Swept, sources: int) -> None:
        """Take what the next launch came to, and how many sources are in that."""
        self.whole = False
        for span, found in swept.nodes:
            part = None if found is None else self._brought(found)
            if self._read and part is not None:
                self._join(part)
            self._tree.take(span, part)
        self.out_of_range[-1] += [launch.first + place for place in swept.out_of_range]
        self.next = launch.first + len(launch.blocks)
        self.sources += sources
        self.whole = True

    def end_range(self) -> None:
        """All blocks of the range are taken."""
        self.whole = False
        found = self._tree.total()
        if found is not None:
            self.total = add_sums(self.total, delivered(found, self._ops))
        self._tree = TreeSum(add_sums)
        self.next = 0
        self.out_of_range.append([])
        self.whole = True

    def state(self) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        """What `restore` takes: numbers and names, as JSON has them, and arrays of the host."""
        waiting = self._tree.nodes()
        parts = [self.total, *(part for _, part in waiting)]
        numbers = {
            "out_of_range": self.out_of_range,
            "next": self.next,
            "sources": self.sources,
            "spans": [list(span) for span, _ in waiting],
            "sums": [None if part is None else sorted(part) for part in parts],
        }
        kept = [part[name] for part in parts if part is not None for name in sorted(part)]
        return numbers, [
            array if isinstance(array, np.ndarray) else self._ops.on_host(array) for array in kept
        ]

    def restore(self, numbers: dict[str, Any], arrays: list[NDArray[Any]]) -> None:
        """Be as far as the sum was that had this state."""
        self.sources, self.next, self.out_of_range = 0, 0, [*numbers["out_of_range"][:-1], []]
        total = self.append(numbers, arrays)
        self.total = None if total is None else delivered(total, self._ops)

    def append(self, numbers: dict[str, Any], arrays: list[NDArray[Any]]) -> Sums | None:
        """Take a sum of the blocks that follow in this range; the total of those before it."""
        values = iter(arrays)
        total, *waiting = [
            None if names is None else {name: next(values) for name in names}
            for names in numbers["sums"]
        ]
        for span, part in zip(numbers["spans"], waiting, strict=True):
            self._tree.take(Span(*span), part)
        self.out_of_range[-1] += numbers["out_of_range"][-1]
        self.next, self._read = numbers["next"], True
        self.sources += numbers["sources"]
        return total

    def _brought(self, part: Sums) -> Sums:
        """Sums of a device where the graph is; those of the host stay there."""
        return {
            name: values if isinstance(values, np.ndarray) else self._ops.asarray(values)
            for name, values in part.items()
        }

    def _join(self, part: Sums) -> None:
        """Bring what was restored of the tree to where the sums of the workers are."""
        self._read = False
        for _, kept in self._tree.nodes():
            for name in kept or ():
                if not isinstance(part[name], np.ndarray):
                    kept[name] = self._ops.asarray(kept[name])  # type: ignore[index]


def delivered(sums: Sums, ops: GraphOps) -> Sums:
    """The sums where the graph lives."""
    return {name: ops.asarray(values) for name, values in sums.items()}
