"""Adjacency matrices as text: as many rows as columns, with the names of the nodes or without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import remark
from .dialect import Dialect
from .network import Network, assemble


def has_labels(rows: Sequence[Sequence[str]], found: Dialect) -> bool:
    """Whether the first field of each row is the title of a column, one after the other."""
    told = _names(rows[0], rows[1], found) if len(rows) > 2 else None
    if told is None or not told[0]:
        return False
    return all(row[:1] == [name] for row, name in zip(rows[1:], told[1], strict=False))


def is_small(rows: Sequence[Sequence[str]], found: Dialect) -> bool:
    """Whether all rows of a table are three of three numbers, below the names of columns or not."""
    numeric = [_numbers(row, found) is not None for row in rows]
    return {len(row) for row in rows} == {3} and numeric in ([True] * 3, [False] + [True] * 3)


def network(name: str, rows: Iterator[tuple[int, list[str]]], found: Dialect) -> Network | None:
    """Network of an adjacency matrix, an entry that is 0 or empty for no edge; None of others.

    Without names of rows, a table of numbers is one if its diagonal is zero, it is symmetric, or
    all of it is 0 and 1. Its nodes are named from 1 on, unless a first line has their names.
    """
    table = list(islice(rows, 2))
    if len(table) < 2:
        return None
    first, second = table[0][1], table[1][1]
    labelled, names = False, tuple(map(str, range(1, len(first) + 1)))
    told = _names(first, second, found)
    if told is not None:
        labelled, names = told
        table = table[1:]
    n = len(names)
    values: list[NDArray[np.float64]] = []
    places = []
    for number, row in chain(table, rows):
        if labelled and (not row or len(values) == n or row[0] != names[len(values)]):
            return None
        one = _numbers(row[1:] if labelled else row, found)
        if one is None or len(one) != n or len(values) == n:
            return None
        values.append(one)
        places.append(number)
    if len(values) != n:
        return None
    matrix = np.array(values)
    unlike = matrix.diagonal().any() and (matrix != matrix.T).any()
    if not labelled and unlike and not np.isin(matrix, (0, 1)).all():
        return None
    if n == 3 and not labelled:
        remark(f"{name}: 3 lines of 3 numbers are taken for an adjacency matrix, not for edges")
    tails, heads = matrix.nonzero()
    weights = matrix[tails, heads]
    entries = assemble(tails, heads, weights, n, lambda k: f"{name}:{places[tails[k]]}")
    return Network(entries, names)


def _names(
    first: Sequence[str], second: Sequence[str], found: Dialect
) -> tuple[bool, tuple[str, ...]] | None:
    """Whether the rows have names, and those of the columns; None where there are no such names."""
    corner = first[:1] == [""] or _numbers(first[:1], found) is None
    for names in (first[1:] if corner else (), first):  # with a corner, and without
        if len(second) == len(names) + 1 > 2 and names and second[0] == names[0]:
            if len(set(names)) == len(names) and _numbers(second[1:], found) is not None:
                return True, tuple(names)
    alone = len(set(first)) == len(first) == len(second) > 2 and all(first)
    if alone and _numbers(second, found) is not None and _numbers(first, found) is None:
        return False, tuple(first)
    return None


def _numbers(row: Sequence[str], found: Dialect) -> Any:
    """Numbers of a row, 0 where a field is empty; None where another is none."""
    try:
        return np.array([found.number(one) if one else 0.0 for one in row])
    except ValueError:
        return None
