"""The ordered sum over all blocks of a sweep, by `pairwise_sum`, and its state in a checkpoint."""

import functools
import itertools
import logging
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..engines.common.base import Engine
from ..engines.common.batch import Batch
from ..engines.common.brandes import RANGES, count_limit
from ..engines.common.pairwise_sum import PairwiseSum, spans
from ..engines.common.sums import Launch, Sums, Swept, Workspace, add_sums
from ..matrix.ops import GraphOps
from ..reduce import reduce
from .checkpoint import DoesNotFit, Keeper, State
from .options import Run
from .plan import count_sources, planned
from .progress import counting
from .window import in_order

logger = logging.getLogger("sparsebc")

# Sums that may overflow float64, where their measure raises RangeError.
MAY_OVERFLOW = {"stress", "arrivals", "departures"}


class SumsSoFar:
    """Sums over the blocks so far, by stages: a stage for each range of path counts.

    Blocks out of range are left to the next stage, which numbers them anew. The sums of the current
    stage are nodes of a tree, those of earlier stages one total. ``sizes`` of the sums are by name.
    """

    def __init__(self, ops: GraphOps, sizes: Mapping[str, int]) -> None:
        self._ops, self._sizes = ops, sizes
        self.total: Sums | None = None  # of the finished stages
        self.out_of_range: list[list[int]] = [[]]  # numbers of the blocks left out, by stage
        self.next = 0  # number of the next block of the current stage
        self.sources = 0  # that are in the sums
        self.whole = True  # False during an update
        self._tree: PairwiseSum[Sums | None] = PairwiseSum(self._added)

    def begun(self, stage: int, blocks: int) -> int:
        """Number of the first block of a stage that is not summed; ``blocks`` if all are."""
        return self.next if stage == len(self.out_of_range) - 1 else blocks

    def take(self, launch: Launch, swept: Swept, sources: int) -> None:
        """Add the sums of the next launch, over ``sources`` sources."""
        self.whole = False
        for span, node_sums in swept.nodes:
            self._tree.take(span, None if node_sums is None else self._moved(node_sums))
        self.out_of_range[-1] += [launch.first + index for index in swept.out_of_range]
        self.next = launch.first + len(launch.blocks)
        self.sources += sources
        self.whole = True

    def end_range(self) -> None:
        """Add the sums of the current stage to the total, and begin the next one."""
        self.whole = False
        stage_total = self._tree.total()
        if stage_total is not None:
            self.total = add_sums(self.total, delivered(stage_total, self._ops))
        self._tree = PairwiseSum(self._added)
        self.next = 0
        self.out_of_range.append([])
        self.whole = True

    def state(self) -> State:
        """State for `restore`: arrays are named by "total" or the index of their node, and sum."""
        nodes = [node_sums for _, node_sums in self._tree.nodes()]
        numbers = {
            "out_of_range": [[*left] for left in self.out_of_range],
            "next": self.next,
            "sources": self.sources,
        }
        return numbers, {
            f"{node} {name}": self._ops.on_host(values)
            for node, node_sums in (("total", self.total), *enumerate(nodes))
            for name, values in (node_sums or {}).items()
        }

    def restore(self, numbers: Any, arrays: Mapping[str, NDArray[Any]]) -> None:
        """Resume from a state; DoesNotFit if no run of this plan can have reached it."""
        *finished, left = _left_out(numbers)
        end = _non_negative(numbers.get("next"))
        of_total = {name: values for name, values in arrays.items() if name.startswith("total ")}
        of_nodes = {name: arrays[name] for name in arrays.keys() - of_total}
        seen = 0
        for node, span in enumerate(spans(0, end)):
            node_sums = self._named(str(node), of_nodes)
            seen += len(node_sums or ())
            left_out = bisect_left(left, span.end) - bisect_left(left, span.first)
            _require(node_sums or left_out == 1 << span.level, f"no sums of {span}")
            self._tree.take(span, node_sums)
        _require(seen == len(of_nodes), f"{len(of_nodes)} arrays of sums")
        _require(finished or not of_total, "a total of ranges that are not done")
        total = self._named("total", of_total)
        self.total = None if total is None else delivered(total, self._ops)
        self.out_of_range, self.next = [*finished, left], end
        self.sources = _non_negative(numbers.get("sources"))

    def check(self, stage: int, blocks: int, sources: int) -> None:
        """Refuse a state beyond the ``blocks`` of a stage, or not of ``sources`` sources."""
        left = self.out_of_range[stage] if stage < len(self.out_of_range) else []
        _require(not left or left[-1] < blocks, f"a block out of range, of {blocks}")
        if stage == len(self.out_of_range) - 1:
            told = f"{self.next} blocks and {self.sources} sources, of {blocks} and {sources}"
            _require(self.next <= blocks and self.sources == sources, told)

    def check_end(self, ranges: int) -> None:
        """Refuse a final state that has not ``ranges`` stages, or lacks a sum."""
        told = f"{len(self.out_of_range)} ranges of path counts, of {ranges}"
        _require(len(self.out_of_range) == ranges, told)
        names = self._sizes if self.total is None else self.total
        _require(names.keys() == self._sizes.keys(), f"no sums but {sorted(names)}")

    def _named(self, node: str, arrays: Mapping[str, NDArray[Any]]) -> Sums | None:
        """Sums of a node, or of "total", by name; None if it has none."""
        found: Sums = {}
        for name, size in self._sizes.items():
            array = arrays.get(f"{node} {name}")
            if array is None:
                continue
            told = f"{name} of {array.dtype} and shape {array.shape}"
            _require(array.dtype == np.float64 and array.shape == (size,), told)
            is_sound = ~np.isnan(array) if name in MAY_OVERFLOW else np.isfinite(array)
            _require(is_sound.all(), f"{name} with infinities or NaN")
            found[name] = array
        return found or None

    def _moved(self, node_sums: Sums) -> Sums:
        """Sums on a device, moved to the device of the graph; sums on the host stay there."""
        return {
            name: values if isinstance(values, np.ndarray) else self._ops.asarray(values)
            for name, values in node_sums.items()
        }

    def _added(self, left: Sums | None, right: Sums | None) -> Sums | None:
        """The sum of two nodes; one restored on the host is moved to the device of the other."""
        if left is not None and right is not None:
            for name in left.keys() & right.keys():
                if type(left[name]) is not type(right[name]):
                    left[name] = self._ops.asarray(left[name])
        return add_sums(left, right)


def delivered(sums: Sums, ops: GraphOps) -> Sums:
    """Sums moved to the device of the graph."""
    return {name: ops.asarray(values) for name, values in sums.items()}


def _require(is_met: object, otherwise: str) -> None:
    """Raise DoesNotFit with the message ``otherwise`` unless a condition is met."""
    if not is_met:
        raise DoesNotFit(otherwise)


def _non_negative(number: Any) -> int:
    """A saved number, which must be an integer from 0 on."""
    _require(type(number) is int and number >= 0, f"{number!r:.20} in place of an integer")
    return int(number)


def _left_out(numbers: Any) -> list[list[int]]:
    """Numbers of the blocks left out, by stage, ascending."""
    ranges = numbers.get("out_of_range") if isinstance(numbers, dict) else None
    is_list = isinstance(ranges, list) and all(isinstance(left, list) for left in ranges)
    _require(is_list and ranges, f"{ranges!r:.20} in place of ranges of path counts")
    found = [[_non_negative(number) for number in left] for left in ranges or ()]
    in_order = all(one < other for left in found for one, other in pairwise(left))
    _require(in_order, "blocks that are not in order")
    return found


def sum_blocks(
    engine: Engine,
    problem: reduce.Problem,
    run: Run,
    keeper: Keeper | None = None,
) -> Sums:
    """Sums over all batches, on the device of the graph.

    Blocks with path counts beyond the range of the type are left out, and swept again in the next
    stage, with the next larger range. A keeper may restore a part of the sums.
    """
    plan = planned(engine, problem, run)
    blocks, ops = plan.blocks, problem.graph.ops
    sizes = {name: problem.sum_size(name) for name in problem.sums}
    so_far = SumsSoFar(ops, sizes)
    sources = _sources_of(blocks)
    with (
        (keeper or Keeper()).keeping(so_far, sources) as save,
        counting(run.progress, sources, so_far.sources) as advance,
    ):
        for stage, dtype in enumerate(RANGES[RANGES.index(plan.task.dtype) :]):
            if stage:
                plan = plan.next_range(dtype, so_far.out_of_range[stage - 1])
            blocks, end = plan.blocks, len(plan.blocks)
            begun, left_out = so_far.begun(stage, end), so_far.out_of_range[stage]
            waiting = [*range(begun, end), *(number for number in left_out if number < end)]
            so_far.check(stage, end, sources - _sources_of(blocks[number] for number in waiting))
            launches = plan.launches(begun, end)
            swept = in_order(
                plan.engine,
                launches,
                plan.sweep.state,
                functools.partial(_sweep, limit=count_limit(dtype, problem.seeds is not None)),
                graph=problem.graph,
                need=plan.need,
                run=run,
            )
            with closing(swept):
                for launch, found in zip(launches, swept, strict=True):
                    left = [launch.blocks[index] for index in found.out_of_range]
                    gained = _sources_of(launch.blocks) - _sources_of(left)
                    so_far.take(launch, found, gained)
                    advance(gained)
                    save()
            if stage == len(so_far.out_of_range) - 1:
                so_far.end_range()
            again = len(so_far.out_of_range[stage])
            if not again:
                so_far.check(stage + 1, 0, sources)
                so_far.check_end(stage + 2)
                break
            logger.info("path counts beyond %s: %d blocks again", dtype, again)
    return so_far.total or delivered({name: np.zeros(size) for name, size in sizes.items()}, ops)


def _sources_of(blocks: Iterable[Sequence[Batch]]) -> int:
    """Number of sources of some blocks."""
    return count_sources(itertools.chain.from_iterable(blocks))


def _sweep(workspace: Workspace, launch: Launch, limit: float) -> Swept:
    return workspace.sweep(launch, limit)
