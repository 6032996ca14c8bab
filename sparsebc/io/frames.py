"""Networks from the columns of a data frame: pandas, polars, pyarrow, or a plain dict."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graph.network import check_one_index
from ..host import on_host
from .arrow_text import text_of
from .columns import ENDS, WEIGHTS
from .encoded import encoded
from .network import Network, assemble
from .numbering import Column, Register, Texts, number
from .text_table import TextTable, has_empty

__all__ = ["read"]

LEAST = 1 << 18  # rows that are worth compiled code
STEP = 1 << 17  # rows taken at a time


def read(
    frame: Any,
    *,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
) -> Network:
    """Network whose edges are the rows of a data frame.

    Parameters
    ----------
    frame : data frame or mapping
        Named columns, each with `to_numpy` or readable by `numpy.asarray`: of pandas, polars,
        pyarrow, cuDF or modin; or a dict of sequences.
    source, target : str, optional
        Columns of the two ends, which hold strings or integers; by default the one pair there is of
        ``from to``, ``source target``, ``protein1 protein2`` and ``node1 node2``.
    weight : str, optional
        Column of weights; by default the one there is of ``weight``, ``score``,
        ``combined_score``, ``distance`` and ``length``, and 1 where there is none.

    Returns
    -------
    Network
        Edges are taken as directed, row by row. Nodes are numbered as by `sparsebc.io.read`: in
        ascending order if all names are integers, else in order of first appearance.

    Raises
    ------
    TypeError
        If `frame` has no named columns, a name is neither a string nor an integer, or a weight is
        no real number.
    ValueError
        If a column is not there, or the defaults do not find one; if columns differ in length or in
        their index, or are empty; if a name is missing or empty; if a weight is not finite, or an
        edge has two.

    Notes
    -----
    Integers are numbered by NumPy. Text of pandas, polars and pyarrow is numbered by a compiled
    table of its distinct values where PyArrow is installed and the rows are many, else by these
    libraries, and other columns of strings by a dictionary. Numbering takes O(m) time, as does
    sorting the edges; memory is some 60 bytes a row beside the frame, and the names.

    See Also
    --------
    sparsebc.io.read : The same from a file.

    Examples
    --------
    >>> from sparsebc import bfs, frames
    >>> matrix, names = frames.read({"from": ["a", "b"], "to": ["b", "c"], "score": [0.9, 0.4]})
    >>> names
    ('a', 'b', 'c')
    >>> bfs(matrix, [names.index("a")])
    array([[0, 1, 2]], dtype=int32)
    """
    if isinstance(frame, Mapping):
        check_one_index(frame)
    titles = _titles(frame)
    if source is None and target is None:
        source, target = _the_one("pair of ends", [e for e in ENDS if set(e) <= set(titles)], ENDS)
    if source is None or target is None:
        raise ValueError(f"got source={source!r} and target={target!r}: give both or neither")
    found = [title for title in WEIGHTS if title in titles]
    if weight is None and found:
        weight = _the_one("weight", found, WEIGHTS)
    for title in filter(None, (source, target, weight)):
        if title not in titles:
            raise ValueError(f"frame has no column {title!r}; its columns are {titles}")
    data = None if weight is None else _weights(weight, _array(weight, frame[weight]))
    ends = _together(frame[source], frame[target]) or [
        [_end(title, frame[title])] for title in (source, target)
    ]
    m, other = (sum(map(_rows, end)) for end in ends)
    data = np.ones(m) if data is None else data
    if not m == other == len(data):
        raise ValueError(f"columns differ in length: {m}, {other} and {len(data)} rows")
    if not m:
        raise ValueError("frame has no rows: a network needs one edge at least")
    names, tails, heads = number(*ends)
    del ends
    return Network(assemble(tails, heads, data, len(names), lambda row: f"row {row}"), names)


def _together(source: Any, target: Any) -> list[list[Column]] | None:
    """Both ends of many rows of text, in parts, numbered row by row.

    None of few rows and of other columns, and where a name is missing, which `_end` tells.
    """
    tails, heads = text_of(source), text_of(target)
    if tails is None or heads is None or not LEAST <= len(source) == len(target):
        return None
    table = TextTable()
    ends: list[list[Column]] = [[], []]
    for first in range(0, len(source), STEP):
        try:
            names = tails(first, STEP), heads(first, STEP)
        except UnicodeEncodeError:  # half of a surrogate pair, which only Python has
            return None
        if any(part.null_count or has_empty(part) for part in names):
            return None
        for end, codes in zip(ends, table.pairs(*names), strict=True):
            end.append(Texts(codes, table))
    return ends


def _rows(column: Column) -> int:
    return len(column.codes if isinstance(column, Texts) else column)


def _end(title: str, column: Any) -> Column:
    """One end of all edges."""
    known = encoded(column)
    if known is not None:
        codes, names = known
        missing = codes < 0
        if "" in names:
            missing |= codes == names.index("")
        if missing.any():
            row = int(np.argmax(missing))
            raise ValueError(f"column {title!r} has no name in row {row}: drop such rows")
        return Texts(codes, names)
    array = _array(title, column)
    if array.dtype.kind in "iu":
        return array
    register = Register()
    return Texts(register.numbers(_text(title, array)), register)


def _titles(frame: Any) -> list[str]:
    """Names of the columns."""
    for attribute in ("column_names", "columns"):  # pyarrow has both, and columns are data there
        if hasattr(frame, attribute):
            return list(getattr(frame, attribute))
    if isinstance(frame, Mapping):
        return list(frame)
    raise TypeError(
        f"frame must have named columns, as a pandas.DataFrame or a dict, got "
        f"{type(frame).__name__}: use {{'source': ..., 'target': ...}}"
    )


def _the_one(what: str, found: list[Any], known: tuple[Any, ...]) -> Any:
    """The only one found of those known."""
    if len(found) == 1:
        return found[0]
    raise ValueError(
        f"frame has {found or 'no column'} for the {what}, and one of {known} was expected: name "
        "the columns, as in source='a', target='b', weight='c'"
    )


def _array(title: str, column: Any) -> NDArray[Any]:
    array = np.asarray(column.to_numpy() if hasattr(column, "to_numpy") else on_host(column))
    if array.ndim != 1:
        raise ValueError(f"column {title!r} must be one-dimensional, got {array.ndim} dimensions")
    return array


def _text(title: str, column: NDArray[Any]) -> list[str]:
    """Names of nodes as strings, which most are."""
    values: list[Any] = column.tolist()
    if column.dtype.kind not in "iu" and (set(map(type, values)) != {str} or "" in values):
        for row, name in enumerate(values):  # first, for it makes floats of integers elsewhere
            if name is None or name != name or name == "":
                raise ValueError(f"column {title!r} has no name in row {row}: drop such rows")
        for row, name in enumerate(values):
            if isinstance(name, bool) or not isinstance(name, (str, int)):
                raise TypeError(
                    f"column {title!r} must hold strings or integers, got {name!r} in row {row}: "
                    "convert it"
                )
    return list(map(str, values))


def _weights(title: str, column: NDArray[Any]) -> NDArray[np.float64]:
    """Weights as floats."""
    if column.size and column.dtype.kind not in "biuf":
        raise TypeError(f"column {title!r} must hold real numbers, got dtype {column.dtype}")
    return column.astype(np.float64)
