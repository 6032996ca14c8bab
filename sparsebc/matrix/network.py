"""Networks, matrices with names of nodes; values of nodes by these names; checks of arguments."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..foreign import adopted
from .matrix_arrays import csr_of

# Libraries whose columns have an index of labels.
LABELLED = ("pandas", "geopandas", "modin", "cudf")
# Entries up to which `repr` compares a matrix with its transpose.
COMPARED = 1 << 22


class Network(NamedTuple):
    """A matrix and the names of its nodes; functions take it wherever they take a matrix.

    They take a symmetric one for directed too, and so every pair twice in raw scores, unless
    ``directed=False`` is given.

    ``matrix, names = network`` unpacks it.

    Attributes
    ----------
    matrix : csr_array, shape (n, n)
        Entry [i, j] is the edge from node i to node j. Indices are sorted and unique; floating
        point is float64, integers and booleans stay as stored.
    names : tuple of str, length n
        Name of each node. Where the file has no names it is a number, counted as the format counts:
        from 1 in Matrix Market files, from 0 in npz files.
    """

    matrix: Any
    names: tuple[str, ...]

    def __repr__(self) -> str:
        """Size, direction and the first names, in one line."""
        first = ", ".join(map(repr, self.names[:3])) + ", ..." * (len(self.names) > 3)
        return f"<Network of {described(self.matrix)}; names {first or 'of none'}>"


def described(matrix: Any) -> str:
    """Text of the size of a matrix, and of its symmetry."""
    try:
        A = csr_of(matrix)
    except (TypeError, ValueError) as error:
        return f"an invalid matrix ({error})"
    size = f"{A.shape[0]:,} nodes, {A.nnz:,} entries"
    if A.nnz > COMPARED:
        return size
    return size + (
        ", directed" if (A != A.T).nnz else ", symmetric: undirected with directed=False"
    )


def matrix_of(A: Any) -> Any:
    """Matrix of a `Network` or of a sparse tensor; any other object as it is."""
    if not isinstance(A, Network):
        return adopted(A)
    rows = getattr(A.matrix, "shape", ())[:1]
    if rows and rows != (len(A.names),):
        raise InputError(f"the Network has {len(A.names)} names for a matrix of {rows[0]} rows")
    return adopted(A.matrix)


def names_of(A: Any) -> tuple[str, ...] | None:
    """Names of the nodes of a `Network`; None for any other object."""
    return A.names if isinstance(A, Network) else None


def by_node(name: str, values: Any, names: Sequence[Any] | None = None) -> Any:
    """Values in the order of the nodes; those with labels by the ``names``, if known.

    ``names`` may be a Series, by its labels; these may repeat if the values have the same index.

    Raises
    ------
    ValueError
        If labels are neither the names nor 0, 1, 2, ... in order.
    """
    if not _has_labels(values):
        return values
    labels, n = list(values.index), len(values)
    if _has_labels(names):
        if names.index.equals(values.index):  # type: ignore[union-attr]
            return values.to_numpy()
        names = list(names.index)  # type: ignore[union-attr, arg-type]
    if names is not None:
        row = {label: k for k, label in enumerate(labels)}
        if len(row) == n == len(names) and all(name in row for name in names):
            return values.to_numpy()[np.array([row[name] for name in names], dtype=np.int64)]
    if labels == list(range(n)):
        return values.to_numpy()
    begins = ", ".join(map(repr, labels[:3])) + ", ..." * (n > 3)
    known = "the names of the nodes, nor " if names is not None else ""
    raise InputError(
        f"{name} has an index ({begins}) that is not {known}0..{n - 1} in order, and values are "
        f"taken by position: use {name}.reindex(names).to_numpy() with the names of the nodes in "
        f"the order of the rows, or {name}.to_numpy() if they are in that order"
    )


def check_one_index(columns: Mapping[str, Any]) -> None:
    """Raise for labelled columns whose labels differ, or are in another order."""
    labelled = [(title, column) for title, column in columns.items() if _has_labels(column)]
    for title, column in labelled[1:]:
        if not column.index.equals(labelled[0][1].index):
            raise InputError(
                f"columns {labelled[0][0]!r} and {title!r} have other indices, and rows are taken "
                "by position: give a pandas.DataFrame of them, or their to_numpy()"
            )


def _has_labels(values: Any) -> bool:
    kinds = {base.__module__.partition(".")[0] for base in type(values).__mro__}
    return not kinds.isdisjoint(LABELLED) and hasattr(values, "index")
