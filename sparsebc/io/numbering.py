"""Node indices of an edge list: integers in ascending order, other names by first appearance."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .network import INTEGER

Numbered = tuple[tuple[str, ...], NDArray[Any], NDArray[Any]]  # names; node indices of tails, heads
Column = NDArray[Any] | Sequence[str]


class Texts(NamedTuple):
    """A dictionary-encoded column of strings."""

    codes: NDArray[Any]  # index in `names` of each row's string
    names: Sequence[str]


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
        self._parts: list[NDArray[Any]] = []  # a row of tails, a row of heads

    @property
    def are_texts(self) -> bool:
        """Whether any part held strings."""
        return self._interner is not None

    def add(self, *ends: Column) -> None:
        """Add a part: tails and heads, each an array of integers or a sequence of strings."""
        if self._interner is None and not all(map(_is_integer, ends)):
            self._interner = StringInterner()
            self._parts = [self._interned(*part) for part in self._parts]
        self._parts.append(np.stack(ends) if self._interner is None else self._interned(*ends))

    def _interned(self, *ends: Column) -> NDArray[np.int64]:
        """Number of each name, in order of first appearance row by row, tail before head."""
        assert self._interner is not None
        pairs = zip(*map(_texts, ends), strict=True)
        return self._interner.numbers(chain.from_iterable(pairs)).reshape(-1, 2).T

    def numbered(self) -> Numbered:
        """Names of the nodes, and node indices of the ends; frees the parts."""
        tails, heads = np.concatenate(self._parts, axis=1)
        self._parts.clear()
        if self._interner is None:
            return _by_value(tails, heads)
        return _ascending(self._interner.names, tails, heads)


def number(*ends: Any) -> Numbered:
    """Names of the nodes, and node indices, from a complete column of tails and one of heads."""
    if all(isinstance(end, np.ndarray) for end in ends):
        return _by_value(*ends)
    interner = StringInterner()
    codes = []
    for column in ends:
        if isinstance(column, np.ndarray):
            every, places = np.unique(column, return_inverse=True)
            column = Texts(places, _texts(every))
        codes.append(interner.numbers(column.names)[column.codes])
    return _ascending(*_by_appearance(interner.names, *codes))


def _is_integer(column: Column) -> bool:
    return isinstance(column, np.ndarray) and column.dtype.kind in "iu"


def _texts(column: Any) -> Sequence[str]:
    """Strings of a column, integers as their digits."""
    return list(map(str, column.tolist())) if _is_integer(column) else column


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
    """Names in order of first appearance, row by row, and node indices of the ends."""
    both = np.stack((tails, heads), axis=1).ravel()
    first = np.full(len(names), len(both))
    first[both[::-1]] = np.arange(len(both))[::-1]  # the last assignment to an index is kept
    order = np.argsort(first)[: np.count_nonzero(first < len(both))]
    rank = np.empty(len(names), dtype=np.min_scalar_type(-1 - len(names)))
    rank[order] = np.arange(len(order))
    return tuple([names[k] for k in order.tolist()]), rank[tails], rank[heads]
