"""The ordered sum, and its state, from which a run continues to the same bits."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.pairwise_sum import PairwiseSum, Span
from ..engines.sums import Launch, Sums, Swept, add_sums
from ..errors import InputError
from ..graph.ops import GraphOps

# Sums that may pass the largest float64, which their measure then refuses.
MAY_OVERFLOW = {"stress", "arrivals", "departures"}


class DoesNotFit(InputError):
    """No run of this plan can have had the state that is to be restored."""


class OrderedSum:
    """Sums over the blocks so far, range of path counts after range.

    Blocks out of a range are left for the next, and numbered anew there. The sums of a range wait
    in a tree, those of the ranges before are one total. ``sizes`` are those of the sums, by name.
    """

    def __init__(self, ops: GraphOps, sizes: Mapping[str, int], first: int = 0) -> None:
        self._sizes, self._first = sizes, first
        self.total: Sums | None = None  # of the ranges that are done
        self.out_of_range: list[list[int]] = [[]]  # numbers of the blocks left out of each range
        self.next = first  # number of the block to come in the last of these ranges
        self.sources = 0  # that are in the sums
        self.whole = True  # not in the midst of a change
        self._tree: PairwiseSum[Sums | None] = PairwiseSum(add_sums)
        self._ops, self._read = ops, False

    def is_in(self, stage: int) -> bool:
        """Whether blocks of this range are being summed; earlier ranges are done."""
        return stage == len(self.out_of_range) - 1

    def begun(self, stage: int, blocks: int) -> int:
        """Number of blocks of a range that are summed, of so many."""
        return self.next if self.is_in(stage) else blocks

    def take(self, launch: Launch, swept: Swept, sources: int) -> None:
        """Add the sums of the next launch, of so many sources."""
        self.whole = False
        for span, found in swept.nodes:
            node_sums = None if found is None else self._brought(found)
            if self._read and node_sums is not None:
                self._join(node_sums)
            self._tree.take(span, node_sums)
        self.out_of_range[-1] += [launch.first + place for place in swept.out_of_range]
        self.next = launch.first + len(launch.blocks)
        self.sources += sources
        self.whole = True

    def end_range(self) -> None:
        """Add the sums of the range, whose blocks are all summed, to the total."""
        self.whole = False
        found = self._tree.total()
        if found is not None:
            self.total = add_sums(self.total, delivered(found, self._ops))
        self._tree = PairwiseSum(add_sums)
        self.next = 0
        self.out_of_range.append([])
        self.whole = True

    def state(self) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        """Numbers and names, as JSON has them, and arrays of the host, for `restore`."""
        waiting = self._tree.nodes()
        every = [self.total, *(node_sums for _, node_sums in waiting)]
        numbers = {
            "out_of_range": self.out_of_range,
            "next": self.next,
            "sources": self.sources,
            "spans": [list(span) for span, _ in waiting],
            "sums": [None if node_sums is None else sorted(node_sums) for node_sums in every],
        }
        kept = [
            node_sums[name]
            for node_sums in every
            if node_sums is not None
            for name in sorted(node_sums)
        ]
        return numbers, [
            array if isinstance(array, np.ndarray) else self._ops.on_host(array) for array in kept
        ]

    def restore(self, numbers: Mapping[str, Any], arrays: list[NDArray[Any]]) -> None:
        """Continue from a state; DoesNotFit if no sum of this plan can have had it."""
        behind = numbers.get("out_of_range")
        if not isinstance(behind, list) or not behind:
            raise DoesNotFit("no ranges of path counts")
        self.sources, self.next = 0, 0 if behind[1:] else self._first
        self.out_of_range = [*(_ascending(each) for each in behind[:-1]), []]
        total = self.append(numbers, arrays)
        self.total = None if total is None else delivered(total, self._ops)

    def append(self, numbers: Mapping[str, Any], arrays: list[NDArray[Any]]) -> Sums | None:
        """Add a kept sum of the next blocks of this range; returns its total of earlier ranges."""
        try:
            spans = [Span(*map(_whole, span)) for span in numbers["spans"]]
            total, *waiting = self._named(numbers["sums"], arrays)
            left, end = _ascending(numbers["out_of_range"][-1]), _whole(numbers["next"])
            sources = _whole(numbers["sources"])
        except (KeyError, TypeError, IndexError) as error:
            raise DoesNotFit(f"{type(error).__name__}: {error}") from error
        edges = [(self.next, self.next), *((span.first, span.end) for span in spans), (end, end)]
        if any(one[1] != other[0] for one, other in pairwise(edges)):
            raise DoesNotFit(f"sums of other blocks than {self.next} to {end}")
        if any(span.first % (1 << span.level) for span in spans) or len(spans) != len(waiting):
            raise DoesNotFit("sums that are no nodes of the tree")
        if total is not None and len(self.out_of_range) == 1:
            raise DoesNotFit("a total of ranges that are not done")
        if left and not self.next <= left[0] <= left[-1] < end:
            raise DoesNotFit("blocks out of range that were not swept")
        for span, node_sums in zip(spans, waiting, strict=True):
            self._tree.take(span, node_sums)
        self.out_of_range[-1] += left
        self.next, self._read = end, True
        self.sources += sources
        return total

    def check(self, stage: int, blocks: int, sources: int) -> None:
        """Refuse a state that goes beyond so many blocks of a range, or has other sources in it."""
        left = self.out_of_range[stage] if stage < len(self.out_of_range) else []
        if left and left[-1] >= blocks:
            raise DoesNotFit(f"block {left[-1]} of {blocks}")
        if self.is_in(stage) and (self.next > blocks or self.sources != sources):
            told = f"{self.next} blocks and {self.sources} sources"
            raise DoesNotFit(f"{told}, of {blocks} and {sources}")

    def check_end(self, stage: int, sources: int) -> None:
        """Refuse a state that had more ranges than this last one, or lacks a sum."""
        if not self.is_in(stage + 1):
            raise DoesNotFit(f"{len(self.out_of_range)} ranges of path counts")
        self.check(stage + 1, 0, sources)
        if self.total is not None and self.total.keys() != self._sizes.keys():
            raise DoesNotFit(f"no sums but {sorted(self.total)}")

    def _named(self, sums: list[Any], arrays: list[NDArray[Any]]) -> list[Sums | None]:
        """Arrays by the names of their sums: of the total, then of each node of the tree."""
        if len(arrays) != sum(len(names or ()) for names in sums):
            raise DoesNotFit(f"{len(arrays)} arrays of sums")
        values, found = iter(arrays), []
        for names in sums:
            found.append(None if names is None else {name: next(values) for name in names})
            for name, array in (found[-1] or {}).items():
                if array.dtype != np.float64 or array.shape != (self._sizes.get(name),):
                    raise DoesNotFit(f"{name!r:.20} of {array.dtype} and shape {array.shape}")
                if np.isnan(array).any() or not (name in MAY_OVERFLOW or np.isfinite(array).all()):
                    raise DoesNotFit(f"{name!r} holds what is no number")
        return found

    def _brought(self, node_sums: Sums) -> Sums:
        """Sums of a device, moved to that of the graph; those of the host stay there."""
        return {
            name: values if isinstance(values, np.ndarray) else self._ops.asarray(values)
            for name, values in node_sums.items()
        }

    def _join(self, node_sums: Sums) -> None:
        """Move restored sums of the tree to the device of the sums of the workers."""
        self._read = False
        for _, kept in self._tree.nodes():
            for name in kept or ():
                if not isinstance(node_sums[name], np.ndarray):
                    kept[name] = self._ops.asarray(kept[name])  # type: ignore[index]


def delivered(sums: Sums, ops: GraphOps) -> Sums:
    """The sums on the device of the graph."""
    return {name: ops.asarray(values) for name, values in sums.items()}


def _whole(number: Any) -> int:
    """A whole number from 0 on."""
    if type(number) is not int or number < 0:
        raise DoesNotFit(f"{number!r:.20} in place of a whole number")
    return number


def _ascending(numbers: Any) -> list[int]:
    """Whole numbers in rising order."""
    if not isinstance(numbers, list):
        raise DoesNotFit(f"{numbers!r:.20} in place of a list")
    found = [_whole(number) for number in numbers]
    if any(one >= other for one, other in pairwise(found)):
        raise DoesNotFit("blocks that are not in order")
    return found
