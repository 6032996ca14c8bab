"""The one ordered sum: a binary tree over the blocks, whoever computes which of them.

Block b is leaf b. A node of level k sums the 2**k leaves from a multiple of 2**k on, its left half
before its right, so that it is the same to the last bit however the leaves are shared out: any run
of blocks is a few whole nodes. At most two nodes of a level wait for their neighbours at a time, so
that memory and time of the driver grow with the logarithm of the number of blocks.
"""

from collections.abc import Callable, Iterator
from typing import Any, Generic, NamedTuple, TypeVar

from ...errors import InputError

Value = TypeVar("Value")


class Span(NamedTuple):
    """The leaves below a node: 2**level of them, from ``first`` on."""

    first: int
    level: int

    @property
    def end(self) -> int:
        """The leaf after the last."""
        return self.first + (1 << self.level)


def spans(first: int, end: int) -> Iterator[Span]:
    """The fewest nodes whose leaves are first, ..., end - 1, from left to right."""
    while first < end:
        fits = (end - first).bit_length() - 1
        level = min(fits, (first & -first).bit_length() - 1) if first else fits
        yield Span(first, level)
        first += 1 << level


class PairwiseSum(Generic[Value]):
    """Nodes of the tree, taken from left to right and added up as soon as both halves are there."""

    def __init__(self, add: Callable[[Value, Value], Value]) -> None:
        self._add = add
        self._waiting: list[tuple[Span, Value]] = []

    def take(self, span: Span, value: Value) -> None:
        """Take the next node, of leaves that follow those of the last."""
        if self._waiting and span.first != self._waiting[-1][0].end:
            raise InputError(f"{span} does not follow {self._waiting[-1][0]}")
        while self._waiting:
            left, theirs = self._waiting[-1]
            if left.level != span.level or left.first >> left.level & 1:
                break
            self._waiting.pop()
            span, value = Span(left.first, left.level + 1), self._add(theirs, value)
        self._waiting.append((span, value))

    def nodes(self) -> list[tuple[Span, Value]]:
        """Nodes that wait for their neighbours, from left to right."""
        return list(self._waiting)

    def total(self) -> Any:
        """Sum of all nodes taken, those on the right first; None if there are none."""
        nodes = [value for _, value in self._waiting]
        total: Any = nodes.pop() if nodes else None
        while nodes:
            total = self._add(nodes.pop(), total)
        return total
