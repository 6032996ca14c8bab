"""Networks from edges: names of nodes as numbers, and the adjacency matrix.

Nodes are numbered by the integers in ascending order, or by first appearance of other names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..errors import InputError
from ..matrix.matrix_arrays import Network as Network
from ..plain_text import quoted
from ..process import free_memory
from .remarks import fault, remark
from .titles import DIRECTIONS, LENGTHS, Wanted, are_strengths, plain

# Bytes of a node: its name, and its elements of arrays.
NODE_BYTES = 120
# A file that claims more nodes must hold at least one entry per thousand of them.
FEW_NODES = 1_000_000
INTEGER = re.compile(r"0|-?[1-9][0-9]{0,99}")

Numbered = tuple[tuple[str, ...], NDArray[Any], NDArray[Any]]  # names; number of each tail, head


@dataclass(eq=False)
class Texts:
    """A column of texts as data frames encode them."""

    codes: NDArray[Any]  # index in `names` of each row's string
    names: Sequence[str]

    def __len__(self) -> int:
        return len(self.codes)

    @classmethod
    def of_arrow(cls, column: Any) -> Texts:
        """Texts of chunks that PyArrow encoded by one dictionary, -1 where there is none."""
        codes = [part.indices.cast("int64").fill_null(-1) for part in column.chunks]
        return cls(np.concatenate(codes), column.chunk(0).dictionary.to_pylist())


Column = NDArray[Any] | Texts | Sequence[str]  # integers, or texts


def numbered(ends: Iterable[Sequence[Column]]) -> Numbered:
    """The nodes of edges, numbered; tails and heads come in parts, none of which stays as text.

    Parts are integers as long as all are, else numbers of names in order of first sight.
    """
    number: defaultdict[str, int] = defaultdict()
    number.default_factory = number.__len__
    parts: list[list[Any]] = []
    are_texts = False
    for part in ends:
        if not are_texts and not all(isinstance(end, np.ndarray) for end in part):
            are_texts = True
            parts = [[_of_names(end, number) for end in one] for one in parts]
        parts.append([_of_names(end, number) for end in part] if are_texts else list(part))
    tails, heads = map(np.concatenate, zip(*parts, strict=True))
    parts.clear()
    if not are_texts:
        return _by_value(tails, heads)
    names = list(number)
    first = np.full((2, len(names)), last := 2 * len(tails))  # place of first appearance
    for at, begin, column in zip(first, (0, 1), (tails, heads), strict=True):
        at[column[::-1]] = np.arange(begin, last, 2)[::-1]  # of equal places the last is kept
    appears = first.min(axis=0)
    there = np.count_nonzero(appears < last)
    order = np.argsort(appears)[:there].tolist()
    if all(INTEGER.fullmatch(names[k]) for k in order):
        order.sort(key=lambda k: int(names[k]))
    rank = np.empty(len(names), dtype=np.min_scalar_type(-1 - len(names)))
    rank[order] = np.arange(there)
    return tuple([names[k] for k in order]), rank[tails], rank[heads]


def _of_names(column: Column, number: defaultdict[str, int]) -> NDArray[np.int64]:
    """Number of each name; integers are told by their digits."""
    if isinstance(column, np.ndarray):
        every, places = np.unique(column, return_inverse=True)
        column = Texts(places, list(map(str, every.tolist())))
    if isinstance(column, Texts):
        numbers: NDArray[np.int64] = _of_names(column.names, number)[column.codes]
        return numbers
    return np.fromiter(map(number.__getitem__, column), dtype=np.int64)


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
        # Stable, by row, then column: two counting sorts of SciPy, O(n + m).
        places = np.arange(len(row), dtype=row.dtype)
        entries = scipy.sparse.coo_array((places, (row, column)), shape=(n, n))
        entries.has_canonical_format = True  # else repeated entries would be summed
        del places
        entries = entries.tocsc().tocsr()
        order, indices, indptr = entries.data, entries.indices, entries.indptr
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


class Edges(NamedTuple):
    """Edges between numbered nodes, as every reader of edges makes them.

    Attributes
    ----------
    names : tuple of str
        Names of the nodes.
    tails, heads : ndarray, shape (m,)
        Numbers of the nodes that each edge leaves and enters.
    place : callable
        Where an edge stands, for messages.
    title : str
        Title of the weights.
    weights : ndarray of shape (m,), Exception or None
        The weights, or why they cannot be read; None if there are none.
    others : sequence of (str, array or list of length m)
        Other columns, and what messages call them.
    number : callable
        Parser of a text in these that is a number.
    """

    names: tuple[str, ...]
    tails: NDArray[Any]
    heads: NDArray[Any]
    place: Callable[[int], str]
    title: str = ""
    weights: NDArray[Any] | Exception | None = None
    others: Sequence[tuple[str, Any]] = ()
    number: Callable[[str], float] = float

    def both_ways(self, which: NDArray[np.bool_]) -> Edges:
        """The edges, and the way back of each of the mask that is no loop."""
        tails, heads, every = both_ways(self.tails, self.heads, np.arange(len(which)), which)
        weights = self.weights
        return self._replace(
            tails=tails,
            heads=heads,
            place=lambda k: self.place(every[k]),
            weights=weights[every] if isinstance(weights, np.ndarray) else weights,
            others=[(called, np.asarray(one)[every]) for called, one in self.others],
        )

    def both_where_undirected(self, kinds: Sequence[str]) -> Edges:
        """The edges, both ways where a column has "undirected", as Gephi's, if it has any such."""
        if {*DIRECTIONS}.isdisjoint(map(str.lower, kinds)):
            return self
        for k, kind in enumerate(kinds):
            if kind.lower() not in DIRECTIONS:
                raise fault(self.place(k), f"type {quoted(kind)}", "Directed or Undirected")
        return self.both_ways(np.array([kind.lower() == "undirected" for kind in kinds]))

    def network(self, wanted: Wanted) -> Network:
        """Network with the weights; all are 1 if there are none, or if they are unreadable.

        Unreadable weights are an error if weights are needed, else a warning.
        """
        ends, title, n = (self.tails, self.heads), self.title, len(self.names)
        if self.weights is not None:
            shortest = plain(title) in map(plain, LENGTHS)
            try:
                if isinstance(self.weights, Exception):
                    raise self.weights
                matrix = assemble(*ends, self.weights, n, self.place, shortest=shortest)
            except (TypeError, ValueError) as error:
                if wanted.needs_weights:
                    raise
                remark(f"{error}: the weights are ignored, and all are 1")
            else:
                if wanted.weighted and are_strengths(title):
                    found = f"the weights {title!r} are larger where nodes are closer"
                    remark(f"{found}, and no lengths:", "strength")
                if wanted.weighted and not shortest and matrix.nnz < len(self.tails):
                    remark(
                        "edges that are repeated with their weight count once; where each repeat "
                        "is to count, add their weights up first, as pandas' "
                        "groupby([source, target]).sum()"
                    )
                return Network(matrix, self.names)
        return Network(assemble(*ends, np.ones(len(self.tails)), n, self.place), self.names)


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
