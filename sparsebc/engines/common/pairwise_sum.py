"""Pairwise summation of the blocks by a fixed binary tree, so that bits do not depend on workers.

Block b is leaf b. A node of level k sums the 2**k leaves from a multiple of 2**k on, left half
first. Any run of blocks is a few whole nodes, so that the sum is the same to the last bit however
the leaves are distributed. At most two nodes of a level are pending, so that memory and time of the
driver grow with the logarithm of the number of blocks.
"""

from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

from ...errors import InputError

Value = TypeVar("Value")


class Span(NamedTuple):
    """The 2**level leaves below a node, from ``first`` on."""

    first: int
    level: int

    @property
    def end(self) -> int:
        """First leaf after the span."""
        return self.first + (1 << self.level)


def spans(first: int, end: int) -> Iterator[Span]:
    """The fewest nodes whose leaves are first, ..., end - 1, from left to right."""
    while first < end:
        fits = (end - first).bit_length() - 1
        level = min(fits, (first & -first).bit_length() - 1) if first else fits
        yield Span(first, level)
        first += 1 << level


class PairwiseSum(Generic[Value]):
    """Nodes of the tree, taken from left to right; siblings are added as soon as both are taken."""

    def __init__(self, add: Callable[[Value, Value], Value]) -> None:
        self._add = add
        self._pending: list[tuple[Span, Value]] = []

    def take(self, span: Span, value: Value) -> None:
        """Take the next node, whose leaves follow those of the last one."""
        if self._pending and span.first != self._pending[-1][0].end:
            raise InputError(f"{span} does not follow {self._pending[-1][0]}")
        while self._pending:
            left, left_value = self._pending[-1]
            if left.level != span.level or left.first >> left.level & 1:
                break
            self._pending.pop()
            span, value = Span(left.first, left.level + 1), self._add(left_value, value)
        self._pending.append((span, value))

    def nodes(self) -> list[tuple[Span, Value]]:
        """Nodes whose siblings are pending, from left to right."""
        return list(self._pending)

    def total(self) -> Any:
        """Sum of all nodes taken, those on the right first; None if there are none."""
        nodes = [value for _, value in self._pending]
        total: Any = nodes.pop() if nodes else None
        while nodes:
            total = self._add(nodes.pop(), total)
        return total
