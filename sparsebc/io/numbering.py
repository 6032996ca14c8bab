"""Node indices of an edge list: integers in ascending order, other names by first appearance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
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


class StringInterner:
    """Distinct names, numbered from 0 in order of first appearance."""

    def __init__(self) -> None:
        self._number: defaultdict[str, int] = defaultdict()
        self._number.default_factory = self._number.__len__

    def numbers(self, names: Iterable[str]) -> NDArray[np.int64]:
        """Numbers of names; a new name gets the next number."""
        return np.fromiter(map(self._number.__getitem__, names), dtype=np.int64)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, by their numbers."""
        return tuple(self._number)


class Ends:
    """Ends of edges, added in parts: integers while all ends are integers, else node indices."""

    def __init__(self) -> None:
        self._interner: StringInterner | None = None
        self._parts: list[list[Any]] = []  # tails and heads

    @property
    def are_texts(self) -> bool:
        """Whether any part held strings."""
        return self._interner is not None

    def add(self, *ends: Column) -> None:
        """Take tails and heads of some edges."""
        if self._interner is None and not all(isinstance(end, np.ndarray) for end in ends):
            self._interner = StringInterner()
            self._parts = [list(map(self._interned, part)) for part in self._parts]
        self._parts.append(list(ends if self._interner is None else map(self._interned, ends)))

    def _interned(self, column: Column) -> NDArray[np.int64]:
        """Number of each name; integers are told by their digits."""
        assert self._interner is not None
        if isinstance(column, np.ndarray):
            every, places = np.unique(column, return_inverse=True)
            column = Texts(places, list(map(str, every.tolist())))
        if not isinstance(column, Texts):
            return self._interner.numbers(column)
        numbers: NDArray[np.int64] = self._interner.numbers(column.names)[column.codes]
        return numbers

    def numbered(self) -> Numbered:
        """The nodes, numbered; the parts are given up on the way."""
        tails, heads = map(np.concatenate, zip(*self._parts, strict=True))
        self._parts.clear()
        if self._interner is None:
            return _by_value(tails, heads)
        return _ascending(*_by_appearance(self._interner.names, tails, heads))


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
