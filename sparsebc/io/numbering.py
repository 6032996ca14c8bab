"""Names of nodes as numbers: integers in ascending order, other names by first appearance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .network import INTEGER

Numbered = tuple[tuple[str, ...], NDArray[Any], NDArray[Any]]  # names; number of each tail, head


@dataclass(eq=False)
class Texts:
    """A column of texts as data frames encode them."""

    codes: NDArray[Any]  # index in `names` of each row's string
    names: Sequence[str]

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of_arrow(cls, column: Any) -> Texts:
        """Texts of chunks that PyArrow encoded by one dictionary, -1 where there is none."""
        codes = [part.indices.cast("int64").fill_null(-1) for part in column.chunks]
        return cls(np.concatenate(codes), column.chunk(0).dictionary.to_pylist())


Column = NDArray[Any] | Texts | Sequence[str]  # integers, or texts


class Ends:
    """Ends of edges that come in parts: integers as long as all are, else numbers of names.

    Attributes
    ----------
    are_texts : bool
        Whether any part was of texts.
    """

    def __init__(self) -> None:
        self.are_texts = False
        self._number: defaultdict[str, int] = defaultdict()  # of each name, from 0 on
        self._number.default_factory = self._number.__len__
        self._parts: list[list[Any]] = []  # tails and heads

    def add(self, *ends: Column) -> None:
        """Take tails and heads of some edges."""
        if not self.are_texts and not all(isinstance(end, np.ndarray) for end in ends):
            self.are_texts = True
            self._parts = [list(map(self._numbers, part)) for part in self._parts]
        self._parts.append(list(map(self._numbers, ends) if self.are_texts else ends))

    def _numbers(self, column: Column) -> NDArray[np.int64]:
        """Number of each name; integers are told by their digits."""
        if isinstance(column, np.ndarray):
            every, places = np.unique(column, return_inverse=True)
            column = Texts(places, list(map(str, every.tolist())))
        if isinstance(column, Texts):
            numbers: NDArray[np.int64] = self._numbers(column.names)[column.codes]
            return numbers
        return np.fromiter(map(self._number.__getitem__, column), dtype=np.int64)

    def numbered(self) -> Numbered:
        """The nodes, numbered; the parts are given up on the way."""
        tails, heads = map(np.concatenate, zip(*self._parts, strict=True))
        self._parts.clear()
        if not self.are_texts:
            return _by_value(tails, heads)
        return _ascending(*_by_appearance(tuple(self._number), tails, heads))


def _ascending(names: tuple[str, ...], tails: NDArray[Any], heads: NDArray[Any]) -> Numbered:
    """Numbered nodes, in ascending order if all names are integers, else as they are."""
    if not all(map(INTEGER.fullmatch, names)):
        return names, tails, heads
    order = sorted(range(len(names)), key=lambda k: int(names[k]))
    rank = np.argsort(order)
    return tuple(names[k] for k in order), rank[tails], rank[heads]


def _by_value(tails: NDArray[Any], heads: NDArray[Any]) -> Numbered:
    """Distinct integers in ascending order as names, and node indices of the ends.

    By a table of all integers from the least to the greatest if it has at most 4 m entries, else by
    sorting.
    """
    least = min(int(tails.min()), int(heads.min()))
    width = max(int(tails.max()), int(heads.max())) - least + 1
    if width > 4 * len(tails):
        if np.result_type(tails, heads).kind == "f":  # of int64 and uint64
            tails, heads = tails.astype(object), heads.astype(object)
        every = np.union1d(tails, heads)
        names = tuple(map(str, every.tolist()))
        return names, np.searchsorted(every, tails), np.searchsorted(every, heads)
    if least:  # modulo 2**64 the differences are exact
        ends = (end.astype(np.uint64) - np.uint64(least % 2**64) for end in (tails, heads))
        tails, heads = (end.astype(np.int64) for end in ends)
    there = np.zeros(width, dtype=bool)
    there[tails] = there[heads] = True
    rank = np.cumsum(there, dtype=np.min_scalar_type(-width)) - 1
    names = tuple([str(least + k) for k in np.flatnonzero(there).tolist()])
    return names, rank[tails], rank[heads]


def _by_appearance(names: Sequence[str], tails: NDArray[Any], heads: NDArray[Any]) -> Numbered:
    """Names in order of first appearance, row by row, and the place of each end among them."""
    first = np.full((2, len(names)), last := 2 * len(tails))
    for at, end, column in zip(first, (0, 1), (tails, heads), strict=True):
        at[column[::-1]] = np.arange(end, last, 2)[::-1]  # of equal places the last one is kept
    appears = first.min(axis=0)
    order = np.argsort(appears)[: np.count_nonzero(appears < last)]
    rank = np.empty(len(names), dtype=np.min_scalar_type(-1 - len(names)))
    rank[order] = np.arange(len(order))
    return tuple([names[k] for k in order.tolist()]), rank[tails], rank[heads]
