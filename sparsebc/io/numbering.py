"""Numbers for the nodes of an edge list: integers ascending, names in order of first appearance."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .network import INTEGER, sort_names


class Texts(NamedTuple):
    """A column of texts: a code for each row, and distinct texts that columns may share."""

    codes: NDArray[Any]  # place of each row's text in `names`
    names: Iterable[str]


Column = NDArray[Any] | Texts  # of integers, or of texts


class StringInterner:
    """Distinct names, numbered from 0 on in order of first appearance."""

    def __init__(self) -> None:
        self._number: defaultdict[str, int] = defaultdict()
        self._number.default_factory = self._number.__len__

    def __iter__(self) -> Iterator[str]:
        return iter(self._number)

    def numbers(self, names: Iterable[str]) -> NDArray[np.int64]:
        """Number of each of these names."""
        return np.fromiter(map(self._number.__getitem__, names), dtype=np.int64)

    def pairs(
        self, sources: Iterable[str], targets: Iterable[str]
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """Number of each of these names, row by row, the source first."""
        both = self.numbers(chain.from_iterable(zip(sources, targets, strict=True)))
        tails, heads = np.ascontiguousarray(both.reshape(-1, 2).T)
        return tails, heads


def number(
    sources: Sequence[Column], targets: Sequence[Column]
) -> tuple[tuple[str, ...], NDArray[Any], NDArray[Any]]:
    """Names of the nodes, and the number of each end of the edges, which come in parts."""
    parts = (*sources, *targets)
    if not any(isinstance(part, Texts) for part in parts):
        tails, heads = (_whole(side) for side in (sources, targets))  # type: ignore[arg-type]
        return _integers(tails, heads)
    columns = [_texts(part) for part in parts]
    known, ordered = columns[0].names, False
    if all(column.names is known for column in columns) and isinstance(known, StringInterner):
        codes, ordered = [column.codes for column in columns], True
    else:
        codes, known = _interned(columns)
    tails, heads = _whole(codes[: len(sources)]), _whole(codes[len(sources) :])
    del codes, columns
    names = tuple(known)
    if not ordered:
        names, tails, heads = _by_appearance(names, tails, heads)
    if all(map(INTEGER.fullmatch, names)):
        return sort_names(names, tails, heads)
    return names, tails, heads


def _whole(parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _texts(column: Column) -> Texts:
    """Integers as texts."""
    if isinstance(column, Texts):
        return column
    every, codes = np.unique(column, return_inverse=True)
    return Texts(codes, list(map(str, every.tolist())))


def _interned(parts: Sequence[Texts]) -> tuple[list[NDArray[Any]], StringInterner]:
    """Codes of all columns by one interner, and the interner."""
    interner = StringInterner()
    pools = {id(part.names): part.names for part in parts}
    own = {key: interner.numbers(names) for key, names in pools.items()}
    index = index_for(max(map(len, own.values())) * len(own))
    own = {key: numbers.astype(index) for key, numbers in own.items()}
    return [own[id(part.names)][part.codes] for part in parts], interner


def _integers(
    sources: NDArray[Any], targets: NDArray[Any]
) -> tuple[tuple[str, ...], NDArray[Any], NDArray[Any]]:
    """The distinct integers, ascending, and the place of each end among them.

    By a table of all integers between the least and the greatest where that is no longer than the
    columns, else by sorting.
    """
    columns = sources, targets
    least = min(int(column.min()) for column in columns)
    width = max(int(column.max()) for column in columns) - least + 1
    if width > 4 * len(sources):
        if np.result_type(*columns).kind == "f":  # int64 beside uint64
            sources, targets = sources.astype(object), targets.astype(object)
        every = np.union1d(sources, targets)
        names = tuple(map(str, every.tolist()))
        return names, np.searchsorted(every, sources), np.searchsorted(every, targets)
    there = np.zeros(width, dtype=bool)
    for column in columns:
        there[_above(column, least)] = True
    rank = np.cumsum(there, dtype=index_for(width)) - 1
    names = tuple([str(least + k) for k in np.flatnonzero(there).tolist()])
    return names, rank[_above(sources, least)], rank[_above(targets, least)]


def _above(column: NDArray[Any], least: int) -> NDArray[Any]:
    """Differences from the least; modulo 2**64 all of them are exact."""
    if least == 0:
        return column
    return (column.astype(np.uint64) - np.uint64(least % 2**64)).astype(np.int64)


def _by_appearance(
    names: Sequence[str], sources: NDArray[Any], targets: NDArray[Any]
) -> tuple[tuple[str, ...], NDArray[Any], NDArray[Any]]:
    """Names in order of first appearance, row by row, and the place of each end among them."""
    m, n = len(sources), len(names)
    backwards = np.arange(m - 1, -1, -1)
    first = np.full(n, 2 * m)
    for side, column in enumerate((sources, targets)):
        row = np.full(n, m)
        row[column[::-1]] = backwards  # of equal places the last one is kept
        np.minimum(first, 2 * row + side, out=first)
    order = np.argsort(first)
    rank = np.empty(n, dtype=index_for(n))
    rank[order] = np.arange(n)
    order = order[: np.count_nonzero(first < 2 * m)]
    return tuple([names[k] for k in order.tolist()]), rank[sources], rank[targets]


def index_for(n: int) -> type[np.signedinteger[Any]]:
    """Type of numbers below n."""
    return np.int32 if n <= np.iinfo(np.int32).max else np.int64
