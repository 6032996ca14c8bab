"""Numbers of nodes that a table holds by name: weights, states."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .errors import Refusal
from .rows import rows

if TYPE_CHECKING:
    from .inputs import Input

VALUES = "FILE[:COLUMN]"
FROM = (
    f"from a table with tabs or commas whose first column is the name; {VALUES} names the column "
    "(default: the second)"
)


def split(given: str) -> tuple[str, str | None]:
    """File and title of a column; a file of the whole name comes first."""
    path, _, column = given.rpartition(":")
    if not path or Path(given).is_file():
        return given, None
    return path, column


def read(option: str, given: str, network: Input, notes: list[str]) -> Any:
    """A number for each node, 0 for those that the table does not name; shape (n,)."""
    import numpy as np

    names = network.names
    path, column = split(given)
    number = {name: v for v, name in enumerate(names)}
    values, told, strangers = np.zeros(len(names)), set(), 0
    for line, name, text in _cells(option, path, column, set(names)):
        if name not in number:
            strangers += 1
            continue
        if name in told:
            raise Refusal(f"{path}:{line}: {name!r} has a number already; give one to each node")
        told.add(name)
        values[number[name]] = _number(f"{path}:{line}", text)
    if not told:
        some = f", which are {names[0]!r} and others" if names else ""
        raise Refusal(
            f"--{option} {path}: the first column has none of the nodes{some}{network.called}"
        )
    missing = len(names) - len(told)
    remarks = {
        f"{missing} of {len(names)} nodes are not in {path}, and count 0": missing,
        f"rows of {path} that name no node: {strangers}": strangers,
    }
    notes += [remark for remark, count in remarks.items() if count and remark not in notes]
    return values


def _cells(
    option: str, path: str, column: str | None, nodes: set[str]
) -> list[tuple[int, str, str]]:
    """Line, name and cell of each row; a first row that names no node is that of the titles."""
    found = list(rows(path, "columns of UTF-8 text"))
    if not found:
        raise Refusal(f"--{option} {path}: the file is empty")
    titles, at = found[0][1], 1
    if column is not None:
        if column not in titles[1:]:
            known = ", ".join(map(repr, titles[1:])) or "none"
            raise Refusal(f"--{option} {path}: there is no column {column!r}; those are {known}")
        at = titles.index(column, 1)
    if column is not None or titles[0] not in nodes:
        found = found[1:]
    for line, row in found:
        if len(row) <= at:
            raise Refusal(
                f"{path}:{line}: expected {at + 1} columns, a name first, with tabs or commas"
            )
    return [(line, row[0], row[at]) for line, row in found]


def _number(where: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value < math.inf:
        raise Refusal(
            f"{where}: expected a finite number from 0 on, got {text!r}; a row left out counts 0"
        )
    return value
