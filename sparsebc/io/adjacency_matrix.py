"""Adjacency matrices as text: square tables of numbers, with or without the names of the nodes."""

from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any

import numpy as np

from ..errors import InputError
from ..plain_text import quoted
from .dialect import Dialect, Row
from .header_row import MISSING
from .network import Network, assemble
from .remarks import AmbiguousFile, remark
from .titles import ends_of

EXPECTED = (
    "an adjacency matrix with as many rows as columns, and the names of the nodes in its first row "
    "and column in one order or no names (then symmetric, with a zero diagonal, or of 0 and 1)"
)

_VALUES = dict.fromkeys(MISSING, np.nan) | {"": 0.0}  # of fields that are no numbers


def fits(table: Sequence[Row], dialect: Dialect) -> bool:
    """Whether the first rows of a file are an adjacency matrix, not edges.

    They are if rows and columns have the same names; below an empty corner if the columns have
    those of the rows or the rows have words; or if more than three columns hold numbers. Three
    rows of three numbers are if `_reason` has none against it.
    """
    names, labels, body = _parts(table, dialect)
    values = [_numbers(row, dialect) for row in body]
    width = len(body[0])
    if width < 2 or any(row is None or len(row) != width for row in values):
        return False
    if labels:
        first = table[0][1]
        has_corner = names == first or not first[0]  # it lacks a field, or begins with an empty one
        are_words = not (ends_of(names) or any(map(dialect.is_number, labels)))
        return labels == names[: len(body)] or (has_corner and ({*labels} <= {*names} or are_words))
    return width > 3 or (width == len(body) == 3 and not _reason(names, labels, body, values))


def network(name: str, rows: Iterable[Row], dialect: Dialect) -> Network:
    """Network of an adjacency matrix; an entry that is 0 or empty is no edge.

    Without names, a table of numbers is an adjacency matrix if its diagonal is zero, it is
    symmetric, or all entries are 0 or 1; its nodes are named from 1.
    """
    begun = list(islice(rows := iter(rows), 2))
    table = [*begun, *islice(rows, len(begun[0][1]))]
    names, labels, body = _parts(table, dialect)
    values = [_numbers(row, dialect) for row in body]
    if reason := _reason(names, labels, body, values):
        found = f"{len(table[0][1])} columns of numbers, {reason}"
        ways = () if labels else ("columns",)
        raise AmbiguousFile(f"{name}:{table[0][0]}: {found}; expected {EXPECTED}", *ways)
    lines = [number for number, _ in table][-len(body) :]
    matrix, n = np.array(values), len(body)
    for row, column in np.argwhere(np.isnan(matrix))[:1]:
        found = f"{quoted(body[row][column])} in column {column + 1} of an adjacency matrix"
        expected = "numbers, 0 or an empty field where there is no edge"
        raise InputError(f"{name}:{lines[row]}: {found}; expected {expected}")
    if n == 3 and names in ([], ["0", "1", "2"]):  # as pandas titles columns without titles
        remark(f"{name}: 3 lines of 3 numbers are taken for an adjacency matrix, not for edges")
    tails, heads = matrix.nonzero()
    entries = assemble(tails, heads, matrix[tails, heads], n, lambda k: f"{name}:{lines[tails[k]]}")
    return Network(entries, tuple(names) or tuple(map(str, range(1, n + 1))))


def _parts(table: Sequence[Row], dialect: Dialect) -> tuple[list[str], list[str], list[list[str]]]:
    """Names of columns and of rows, and the fields, of a table that may be a matrix.

    Numbers in the first row are names if they count as many rows below.
    """
    first, *rest = (row for _, row in table)
    if not rest:
        return [], [], [first]
    if len(rest) == len(first) > 2 and first == list(map(str, range(len(first)))):
        return first, [], rest
    above = first if len(rest[0]) == len(first) + 1 else first[1:]
    if above is first or not first[0] or _numbers(first, dialect) is None:
        return above, ["".join(row[:1]) for row in rest], [row[1:] for row in rest]
    return [], [], [first, *rest]


def _reason(
    names: Sequence[str], labels: Sequence[str], body: Sequence[Any], values: Sequence[Any]
) -> str:
    """Why a table is no adjacency matrix, or more likely edges; empty if it is one."""
    n = len(names) or len(body[0])
    for row, numbers in zip(body, values, strict=True):
        if len(row) != n:
            return f"and {len(row)} in another row"
        if numbers is None:
            return f"and a row {quoted(row)}"
    if len(body) != n:
        return f"and {'more' if len(body) > n else len(body)} rows"
    for label, title in zip(labels, names, strict=True) if labels else ():
        if label != title:
            other = "in another order" if sorted(labels) == sorted(names) else "with other names"
            return f"and rows {other}: {quoted(label)} is where {quoted(title)} is above"
    matrix = np.nan_to_num(np.array(values))
    unlike = matrix.diagonal().any() and (matrix != matrix.T).any()
    is_either = unlike and not names and not np.isin(matrix, (0, 1)).all()
    return "which may be edges" if is_either else ""


def _numbers(row: Sequence[str], dialect: Dialect) -> Any:
    """Numbers of a row, 0 for an empty field and NaN for a missing one; None if a field is none."""
    words = map(str.lower, row)
    try:
        return np.array([_VALUES[one] if one in _VALUES else dialect.number(one) for one in words])
    except ValueError:
        return None
