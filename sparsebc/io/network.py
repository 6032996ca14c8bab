"""Adjacency matrices of networks, assembled from edges."""

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..errors import InputError
from ..limits import free_memory
from ..matrix.network import Network as Network
from .columns import LENGTHS, StrengthWarning, Wanted, are_lengths, are_strengths, remark

# Bytes of a node: its name, and its elements of arrays.
NODE_BYTES = 120
# A file that claims more nodes must hold at least one entry per thousand of them.
FEW_NODES = 1_000_000
INTEGER = re.compile(r"0|-?[1-9][0-9]{0,99}")


def check_size(place: str, n: int, entries: int) -> None:
    """Refuse an implausible number of nodes that a file claims, before memory is allocated.

    Raises
    ------
    MemoryError
        If the nodes do not fit in the memory that is free.
    ValueError
        If nearly all of them are isolated, by the number of lines or `entries` in the file.
    """
    if n > max(FEW_NODES, 1000 * entries):
        raise InputError(
            f"{place}: {n} nodes, and only {entries} lines or entries for them; expected fewer "
            "nodes without an edge: number the nodes with edges from 1 on"
        )
    if n * NODE_BYTES > (free := free_memory()):
        raise MemoryError(
            f"{place}: {n} nodes take {n * NODE_BYTES >> 20} MiB, and {free >> 20} MiB are free"
        )


def check_weights(place: str, wanted: Wanted, *, has_weights: bool) -> None:
    """Refuse a matrix or graph without weights if they are needed."""
    if wanted.weighted and not has_weights:
        raise InputError(f"{place}: no weights; expected one for each edge")


def both_ways(
    tails: NDArray[Any], heads: NDArray[Any], data: NDArray[Any], which: Any = True
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Entries of edges: one each way for those of the mask `which`, one for others and loops."""
    back = which & (tails != heads)
    return (
        np.concatenate((tails, heads[back])),
        np.concatenate((heads, tails[back])),
        np.concatenate((data, data[back])),
    )


def assemble(
    row: NDArray[Any],
    column: NDArray[Any],
    data: NDArray[Any],
    n: int,
    place: Callable[[int], str],
    *,
    shortest: bool = False,
    finite: bool = True,
) -> Any:
    """Canonical csr_array of the entries; `place(k)` is the file and line of entry k.

    Of repeated entries the `shortest` is kept, or else they must be equal. All must be finite
    unless `finite` is False.
    """
    infinite = np.flatnonzero(~np.isfinite(data)) if finite else data[:0]
    if infinite.size:
        k = int(infinite[0])
        raise InputError(f"{place(k)}: weight {data[k]}; expected a finite number")
    index = np.int32 if max(n, len(row)) <= np.iinfo(np.int32).max else np.int64
    row, column = row.astype(index, copy=False), column.astype(index, copy=False)
    ascending = (row[1:] > row[:-1]) | ((row[1:] == row[:-1]) & (column[1:] > column[:-1]))
    if ascending.all():
        indices = column
        indptr: NDArray[Any] = np.zeros(n + 1, dtype=index)
        np.cumsum(np.bincount(row, minlength=n), out=indptr[1:])
    else:
        order, indices, indptr = _order(row, column, n)
        data = data[order]
        repeat = indices[1:] == indices[:-1]
        inside = (indptr > 0) & (indptr < len(indices))
        repeat[indptr[inside] - 1] = False  # last entry of a row, first of the next
        contrary = np.flatnonzero(repeat & (data[1:] != data[:-1]))
        if contrary.size and not shortest:
            k = int(contrary[0])
            before, after = place(int(order[k])), place(int(order[k + 1]))
            raise InputError(
                f"{after}: weight {data[k + 1]} for an edge that has weight {data[k]} at {before}; "
                "expected one weight for each edge, or one of the titles "
                f"{', '.join(LENGTHS)}, for which the least counts"
            )
        if repeat.any():
            once = np.concatenate(([True], ~repeat))
            indices, data = indices[once], np.fmin.reduceat(data, np.flatnonzero(once))
            indptr = np.concatenate(([0], np.cumsum(once)))[indptr].astype(index)
    matrix = scipy.sparse.csr_array((data, indices, indptr), shape=(n, n))
    matrix.has_canonical_format = True
    return matrix


def weighted_network(
    row: NDArray[Any],
    column: NDArray[Any],
    names: tuple[str, ...],
    place: Callable[[int], str],
    weights: Callable[[], NDArray[Any]],
    wanted: Wanted,
    title: str | None,
) -> Network:
    """Network with the weights of a title; all are 1 without a title or if they are unreadable.

    Unreadable weights are an error if weights are needed, else a warning.
    """
    if title is not None:
        try:
            shortest = are_lengths(title)
            matrix = assemble(row, column, weights(), len(names), place, shortest=shortest)
            if wanted.weighted and are_strengths(title):
                remark(
                    f"the weights {title!r} are larger where nodes are closer, and are not "
                    "lengths: --strength, or strength_to_distance in Python, makes lengths of them",
                    kind=StrengthWarning,
                )
            if wanted.weighted and not shortest and matrix.nnz < len(row):
                remark(
                    "edges that are repeated with their weight count once; where each repeat is to "
                    "count, add their weights up first, as pandas' groupby([source, target]).sum()"
                )
            return Network(matrix, names)
        except (TypeError, ValueError) as error:
            if wanted.needs_weights:
                raise
            remark(f"{error}: the weights are ignored, and all are 1")
    return Network(assemble(row, column, np.ones(len(row)), len(names), place), names)


def _order(
    row: NDArray[Any], column: NDArray[Any], n: int
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Stable order of entries by row, then column: two counting sorts of SciPy, O(n + m).

    Returns the permutation, the sorted columns and indptr.
    """
    places = np.arange(len(row), dtype=row.dtype)
    entries = scipy.sparse.coo_array((places, (row, column)), shape=(n, n))
    entries.has_canonical_format = True  # else repeated entries would be summed
    del places
    entries = entries.tocsc()
    rows = entries.tocsr()
    return rows.data, rows.indices, rows.indptr


def entries_at(
    matrix: Any, row: NDArray[Any], column: NDArray[Any], either: Any = None
) -> NDArray[np.float64]:
    """Entries of a canonical csr matrix at rows and columns, NaN where there is none.

    ``either`` (np.fmin or np.fmax) combines each with the entry of the other direction.
    """
    if either is not None:
        there: NDArray[np.float64] = either(
            entries_at(matrix, row, column), entries_at(matrix, column, row)
        )
        return there
    if not matrix.nnz:
        return np.full(len(row), np.nan)
    n = matrix.shape[0]
    keys = np.repeat(np.arange(n), np.diff(matrix.indptr)) * n + matrix.indices
    wanted = row * n + column
    at = np.minimum(np.searchsorted(keys, wanted), keys.size - 1)
    return np.where(keys[at] == wanted, matrix.data[at].astype(np.float64), np.nan)
