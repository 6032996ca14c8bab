"""Adjacency matrices as text: as many rows as columns, with the names of the nodes or without."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

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
    first = table[0][1]
    labelled, names = False, tuple(map(str, range(1, len(first) + 1)))
    told = _names(first, table[1][1], found)
    if told is not None:
        labelled, names = told
        del table[0]
    n = len(names)
    table += islice(rows, n + 1 - len(table))
    if len(table) != n or (
        labelled and any(row[:1] != [v] for (_, row), v in zip(table, names, strict=True))
    ):
        return None
    values = [_numbers(row[labelled:], found) for _, row in table]
    if any(one is None or len(one) != n for one in values):
        return None
    matrix = np.array(values)
    unlike = matrix.diagonal().any() and (matrix != matrix.T).any()
    if not labelled and unlike and not np.isin(matrix, (0, 1)).all():
        return None
    if n == 3 and not labelled:
        remark(f"{name}: 3 lines of 3 numbers are taken for an adjacency matrix, not for edges")
    tails, heads = matrix.nonzero()
    weights = matrix[tails, heads]
    entries = assemble(tails, heads, weights, n, lambda k: f"{name}:{table[tails[k]][0]}")
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
