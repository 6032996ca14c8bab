"""Sums over the blocks so far, as state of a checkpoint; `pairwise_sum` has the order."""

from bisect import bisect_left
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.common.pairwise_sum import PairwiseSum, spans
from ..engines.common.sums import Launch, Sums, Swept, add_sums
from ..errors import InputError
from ..graph.ops import GraphOps

# Sums that may pass the largest float64, which their measure then refuses.
MAY_OVERFLOW = {"stress", "arrivals", "departures"}

# Numbers and names, as JSON has them, and arrays of the host by name.
State = tuple[dict[str, Any], dict[str, NDArray[Any]]]


class DoesNotFit(InputError):
    """Error of a state that no run of this plan can have had."""


class SumsSoFar:
    """Sums over the blocks so far, range of path counts after range.

    Blocks out of a range are left for the next, and numbered anew there. The sums of a range wait
    in a tree, those of the ranges before are one total. ``sizes`` are those of the sums, by name.
    """

    def __init__(self, ops: GraphOps, sizes: Mapping[str, int], first: int = 0) -> None:
        self._ops, self._sizes, self._first = ops, sizes, first
        self.total: Sums | None = None  # of the ranges that are done
        self.out_of_range: list[list[int]] = [[]]  # numbers of the blocks left out of each range
        self.next = first  # number of the block to come in the last of these ranges
        self.sources = 0  # that are in the sums
        self.whole = True  # not in the midst of a change
        self._tree: PairwiseSum[Sums | None] = PairwiseSum(self._added)

    def begun(self, stage: int, blocks: int) -> int:
        """Number of blocks of a range that are summed, of so many."""
        return self.next if stage == len(self.out_of_range) - 1 else blocks

    def take(self, launch: Launch, swept: Swept, sources: int) -> None:
        """Add the sums of the next launch, of so many sources."""
        self.whole = False
        for span, found in swept.nodes:
            self._tree.take(span, None if found is None else self._brought(found))
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
        self._tree = PairwiseSum(self._added)
        self.next = 0
        self.out_of_range.append([])
        self.whole = True

    def state(self) -> State:
        """State for `restore`: sums by "total" or the place of their node in the tree."""
        nodes = [node_sums for _, node_sums in self._tree.nodes()]
        numbers = {
            "out_of_range": [[*left] for left in self.out_of_range],
            "next": self.next,
            "sources": self.sources,
        }
        return numbers, {
            f"{place} {name}": self._ops.on_host(values)
            for place, node_sums in (("total", self.total), *enumerate(nodes))
            for name, values in (node_sums or {}).items()
        }

    def restore(self, numbers: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a state; DoesNotFit if no sum of this plan can have had it."""
        *behind, _ = _ranges(numbers)
        self.out_of_range = [*behind, []]
        self.next = 0 if behind else self._first
        of_total = {name: values for name, values in arrays.items() if name.startswith("total ")}
        self.append(numbers, {name: arrays[name] for name in arrays.keys() - of_total})
        _require(behind or not of_total, "a total of ranges that are not done")
        total = self._named("total", of_total)
        self.total = None if total is None else delivered(total, self._ops)

    def append(self, numbers: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Add a kept sum of the next blocks of this range."""
        *behind, left = _ranges(numbers)
        end = _whole(numbers.get("next"))
        _require(len(behind) == len(self.out_of_range) - 1, "other ranges of path counts")
        inside = not left or self.next <= left[0] <= left[-1] < end
        _require(self.next <= end and inside, f"sums of other blocks than {self.next} to {end}")
        seen = 0
        for place, span in enumerate(spans(self.next, end)):
            node_sums = self._named(str(place), arrays)
            seen += len(node_sums or ())
            left_out = bisect_left(left, span.end) - bisect_left(left, span.first)
            _require(node_sums or left_out == 1 << span.level, f"no sums of {span}")
            self._tree.take(span, node_sums)
        _require(seen == len(arrays), f"{len(arrays)} arrays of sums")
        self.out_of_range[-1] += left
        self.next = end
        self.sources += _whole(numbers.get("sources"))

    def check(self, stage: int, blocks: int, sources: int) -> None:
        """Refuse a state that goes beyond so many blocks of a range, or has other sources in it."""
        left = self.out_of_range[stage] if stage < len(self.out_of_range) else []
        _require(not left or left[-1] < blocks, f"a block out of range, of {blocks}")
        if stage == len(self.out_of_range) - 1:
            told = f"{self.next} blocks and {self.sources} sources, of {blocks} and {sources}"
            _require(self.next <= blocks and self.sources == sources, told)

    def check_end(self, ranges: int) -> None:
        """Refuse a state that has another number of ranges in the end, or lacks a sum."""
        told = f"{len(self.out_of_range)} ranges of path counts, of {ranges}"
        _require(len(self.out_of_range) == ranges, told)
        names = self._sizes if self.total is None else self.total
        _require(names.keys() == self._sizes.keys(), f"no sums but {sorted(names)}")

    def _named(self, place: str, arrays: Mapping[str, NDArray[Any]]) -> Sums | None:
        """Sums of a node by their names, or of the total; None if there are none."""
        found: Sums = {}
        for name, size in self._sizes.items():
            array = arrays.get(f"{place} {name}")
            if array is None:
                continue
            told = f"{name} of {array.dtype} and shape {array.shape}"
            _require(array.dtype == np.float64 and array.shape == (size,), told)
            is_sound = ~np.isnan(array) if name in MAY_OVERFLOW else np.isfinite(array)
            _require(is_sound.all(), f"{name} with what is no number")
            found[name] = array
        return found or None

    def _brought(self, node_sums: Sums) -> Sums:
        """Sums of a device, moved to that of the graph; those of the host stay there."""
        return {
            name: values if isinstance(values, np.ndarray) else self._ops.asarray(values)
            for name, values in node_sums.items()
        }

    def _added(self, left: Sums | None, right: Sums | None) -> Sums | None:
        """The sum of two nodes; restored ones are on the host, and join those of the workers."""
        if left is not None and right is not None:
            for name in left.keys() & right.keys():
                if type(left[name]) is not type(right[name]):
                    left[name] = self._ops.asarray(left[name])
        return add_sums(left, right)


def delivered(sums: Sums, ops: GraphOps) -> Sums:
    """The sums on the device of the graph."""
    return {name: ops.asarray(values) for name, values in sums.items()}


def _require(is_met: object, otherwise: str) -> None:
    """Refuse a state that has something else."""
    if not is_met:
        raise DoesNotFit(otherwise)


def _whole(number: Any) -> int:
    """A whole number from 0 on."""
    _require(type(number) is int and number >= 0, f"{number!r:.20} in place of a whole number")
    return int(number)


def _ranges(numbers: Any) -> list[list[int]]:
    """Numbers of the blocks left out of each range, in rising order."""
    ranges = numbers.get("out_of_range") if isinstance(numbers, dict) else None
    is_list = isinstance(ranges, list) and all(isinstance(left, list) for left in ranges)
    _require(is_list and ranges, f"{ranges!r:.20} in place of ranges of path counts")
    found = [[_whole(number) for number in left] for left in ranges or ()]
    in_order = all(one < other for left in found for one, other in pairwise(left))
    _require(in_order, "blocks that are not in order")
    return found
