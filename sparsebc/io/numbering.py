"""Numbers for the nodes of an edge list: integers ascending, names in order of first appearance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .network import INTEGER, sort_names

Numbered = tuple[tuple[str, ...], NDArray[Any], NDArray[Any]]  # names; number of each tail, head


class Texts(NamedTuple):
    """A column of texts as data frames encode them."""

    codes: NDArray[Any]  # place of each row's text in `names`
    names: Sequence[str]


class StringInterner:
    """Distinct names, numbered from 0 on in order of first appearance."""

    def __init__(self) -> None:
        self._number: defaultdict[str, int] = defaultdict()
        self._number.default_factory = self._number.__len__

    def numbers(self, names: Iterable[str]) -> NDArray[np.int64]:
        """Number of each of these names."""
        return np.fromiter(map(self._number.__getitem__, names), dtype=np.int64)

    @property
    def names(self) -> tuple[str, ...]:
        """The names, by their numbers."""
        return tuple(self._number)


class Ends:
    """Ends of edges that come in parts: integers as long as all are, else numbers of names."""

    def __init__(self) -> None:
        self._interner: StringInterner | None = None
        self._parts: list[tuple[NDArray[Any], NDArray[Any]]] = []

    def add(self, tails: NDArray[Any] | Sequence[str], heads: NDArray[Any] | Sequence[str]) -> None:
        """Take a part, in arrays of integers or in texts."""
        integers = [isinstance(end, np.ndarray) and end.dtype.kind == "i" for end in (tails, heads)]
        if self._interner is None and not all(integers):
            self._interner = StringInterner()
            self._parts = [self._interned(*part) for part in self._parts]
        part: Any = (tails, heads)
        if self._interner is not None:
            part = self._interned(*part)
        self._parts.append((_narrow(part[0]), _narrow(part[1])))

    def _interned(self, tails: Any, heads: Any) -> tuple[NDArray[Any], NDArray[Any]]:
        """Number of each name, row by row, the tail first."""
        assert self._interner is not None
        pairs = zip(_texts(tails), _texts(heads), strict=True)
        both = self._interner.numbers(chain.from_iterable(pairs)).reshape(-1, 2)
        return both[:, 0], both[:, 1]

    @property
    def are_texts(self) -> bool:
        """Whether any part was of texts."""
        return self._interner is not None

    def numbered(self) -> Numbered:
        """The nodes, numbered; the parts are given up on the way."""
        tails, heads = map(_joined, zip(*self._parts, strict=True))
        self._parts.clear()
        if self._interner is None:
            return _by_value(tails, heads)
        return _ascending(self._interner.names, tails, heads)


def number(tails: NDArray[Any] | Texts, heads: NDArray[Any] | Texts) -> Numbered:
    """Nodes of edges whose ends are whole columns, numbered."""
    if isinstance(tails, np.ndarray) and isinstance(heads, np.ndarray):
        return _by_value(tails, heads)
    interner = StringInterner()
    codes = []
    for column in (tails, heads):
        if isinstance(column, np.ndarray):
            every, places = np.unique(column, return_inverse=True)
            column = Texts(places, _texts(every))
        codes.append(interner.numbers(column.names)[column.codes])
    return _ascending(*_by_appearance(interner.names, *codes))


def _texts(column: NDArray[Any] | Sequence[str]) -> Sequence[str]:
    """Texts of a column, whose integers are told by their digits."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iu":
        return list(map(str, column.tolist()))
    return column  # type: ignore[return-value]


def _joined(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _narrow(values: NDArray[Any]) -> NDArray[Any]:
    """Integers, of 32 bits where that is enough."""
    bound = np.iinfo(np.int32)
    fits = values.size and bound.min <= values.min() and values.max() <= bound.max
    return values.astype(np.int32 if fits else np.int64)


def _ascending(names: tuple[str, ...], tails: NDArray[Any], heads: NDArray[Any]) -> Numbered:
    """Names that are integers, all of them, in ascending order."""
    if all(map(INTEGER.fullmatch, names)):
        return sort_names(names, tails, heads)
    return names, tails, heads


def _by_value(tails: NDArray[Any], heads: NDArray[Any]) -> Numbered:
    """The distinct integers, ascending, and the place of each end among them.

    By a table of all integers between the least and the greatest where that is no longer than the
    columns, else by sorting.
    """
    least = min(int(tails.min()), int(heads.min()))
    width = max(int(tails.max()), int(heads.max())) - least + 1
    if width > 4 * len(tails):
        if np.result_type(tails, heads).kind == "f":  # int64 beside uint64
            tails, heads = tails.astype(object), heads.astype(object)
        every = np.union1d(tails, heads)
        names = tuple(map(str, every.tolist()))
        return names, np.searchsorted(every, tails), np.searchsorted(every, heads)
    if least:  # modulo 2**64 the differences are exact
        ends = (end.astype(np.uint64) - np.uint64(least % 2**64) for end in (tails, heads))
        tails, heads = (end.astype(np.int64) for end in ends)
    there = np.zeros(width, dtype=bool)
    there[tails] = there[heads] = True
    rank = np.cumsum(there, dtype=_index_for(width)) - 1
    names = tuple([str(least + k) for k in np.flatnonzero(there).tolist()])
    return names, rank[tails], rank[heads]


def _by_appearance(names: Sequence[str], tails: NDArray[Any], heads: NDArray[Any]) -> Numbered:
    """Names in order of first appearance, row by row, and the place of each end among them."""
    both = np.stack((tails, heads), axis=1).ravel()
    first = np.full(len(names), len(both))
    first[both[::-1]] = np.arange(len(both))[::-1]  # of equal places the last one is kept
    order = np.argsort(first)[: np.count_nonzero(first < len(both))]
    rank = np.empty(len(names), dtype=_index_for(len(names)))
    rank[order] = np.arange(len(order))
    return tuple([names[k] for k in order.tolist()]), rank[tails], rank[heads]


def _index_for(n: int) -> type[np.signedinteger[Any]]:
    """Type of numbers below n."""
    return np.int32 if n <= np.iinfo(np.int32).max else np.int64
