"""Adjacency matrices as text: square tables of numbers, with or without the names of the nodes."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np

from .columns import AmbiguousFile, remark
from .dialect import Dialect
from .network import Network, assemble

Row = tuple[int, list[str]]  # line number and fields


def fits(table: Sequence[Row], dialect: Dialect) -> bool:
    """Whether the first rows of a file are an adjacency matrix, not edges.

    They are if the first row and the first column name the same nodes, or if more than three
    columns hold numbers. Three rows of three numbers are if `_matrix` takes them.
    """
    names, body = _parts(table, dialect)
    width = len(body[0]) if body else 0
    if width < 2 or any(len(row) != width or _numbers(row, dialect) is None for row in body):
        return False
    labelled = bool(names) and _labels(table) == names[: len(body)]
    by_three = width == len(body) == 3 and _matrix(body, dialect) is not None
    return labelled if names else width > 3 or by_three


def network(name: str, rows: Iterable[Row], dialect: Dialect) -> Network:
    """Network of an adjacency matrix; an entry that is 0 or empty is no edge.

    Without names, a table of numbers is an adjacency matrix if its diagonal is zero, it is
    symmetric, or all entries are 0 or 1; its nodes are named from 1.
    """
    begun = list(islice(rows := iter(rows), 2))
    table = [*begun, *islice(rows, len(begun[0][1]))]
    names, body = _parts(table, dialect)
    matrix = _matrix(body, dialect, named=bool(names))
    if matrix is None or (names and _labels(table) != names):
        raise AmbiguousFile(
            f"{name}:{table[0][0]}: {len(table[0][1])} columns of numbers; expected an adjacency "
            "matrix with as many rows as columns, and the names of the nodes in its first row and "
            "column or no names (then symmetric, with a zero diagonal, or of 0 and 1)",
            "columns",
        )
    n = len(body)
    if n == 3 and not names:
        remark(f"{name}: 3 lines of 3 numbers are taken for an adjacency matrix, not for edges")
    tails, heads = matrix.nonzero()
    lines = [number for number, _ in table[bool(names) :]]
    entries = assemble(tails, heads, matrix[tails, heads], n, lambda k: f"{name}:{lines[tails[k]]}")
    return Network(entries, tuple(names) or tuple(map(str, range(1, n + 1))))


def _parts(table: Sequence[Row], dialect: Dialect) -> tuple[list[str], list[list[str]]]:
    """Column names (none if the first row holds numbers), and the rows without their names."""
    first, *rest = (row for _, row in table)
    if not rest:
        return [], [first]
    above = first if len(rest[0]) == len(first) + 1 else first[1:]
    if above is first or not first[0] or _numbers(first, dialect) is None:
        return above, [row[1:] for row in rest]
    return [], [first, *rest]


def _labels(table: Sequence[Row]) -> list[str]:
    """Row names: the first fields of the rows below the first."""
    return ["".join(row[:1]) for _, row in table[1:]]


def _matrix(body: Sequence[Sequence[str]], dialect: Dialect, *, named: bool = False) -> Any:
    """Square matrix of the fields; None if they are not numbers or more likely edges."""
    values = [_numbers(row, dialect) for row in body]
    if any(row is None or len(row) != len(body) for row in values):
        return None
    matrix = np.array(values)
    unlike = matrix.diagonal().any() and (matrix != matrix.T).any()
    return None if unlike and not named and not np.isin(matrix, (0, 1)).all() else matrix


def _numbers(row: Sequence[str], dialect: Dialect) -> Any:
    """Numbers of a row, 0 for an empty field; None if any other field is not a number."""
    try:
        return np.array([dialect.number(one) if one else 0.0 for one in row])
    except ValueError:
        return None
