"""A network with scores on its nodes and edges, as the writers of networks take it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..graph.matrix_arrays import csr_of
from ..graph.network import by_node, matrix_of, names_of
from ..host import on_host
from .network import entries_at

# The words for what a column holds, in GraphML, GEXF and CX2 alike.
TYPES = {"i": "long", "u": "long", "f": "double", "U": "string"}
# Characters that no XML 1.0 document may hold; lone surrogates are in no UTF-8 either.
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_BLOCK = 1 << 16  # rows that are Python objects at a time


class Annotated(NamedTuple):
    """What is written of a network."""

    directed: bool
    names: Sequence[str]
    nodes: dict[str, NDArray[Any]]  # columns of n values, by title
    tails: NDArray[np.int64]
    heads: NDArray[np.int64]
    edges: dict[str, NDArray[Any]]  # columns of as many values as there are edges, by title


def annotate(
    matrix: Any,
    names: Sequence[str] | None,
    nodes: Mapping[str, ArrayLike],
    edges: Mapping[str, Any],
    *,
    directed: bool,
) -> Annotated:
    """Columns of a network, checked; an undirected edge once, with the smaller of two weights.

    Nodes without ``names`` have those of a `Network`, or numbers from 0 on.
    """
    names = names_of(matrix) if names is None else names
    matrix = csr_of(matrix_of(matrix), "matrix")
    names = list(map(str, range(matrix.shape[0]))) if names is None else names
    n = len(names)
    if matrix.shape != (n, n):
        raise ValueError(f"matrix has shape {matrix.shape}; expected ({n}, {n}), a row for a name")
    matrix.sum_duplicates()
    _check_names(names)
    columns = {title: _column(title, values, names) for title, values in nodes.items()}
    coo = matrix.tocoo()
    tails, heads = coo.row.astype(np.int64), coo.col.astype(np.int64)
    if not directed:
        keys = np.unique(np.minimum(tails, heads) * n + np.maximum(tails, heads))
        tails, heads = keys // max(n, 1), keys % max(n, 1)
    weights = _both_ways(matrix, tails, heads, np.fmin, directed=directed)
    if matrix.dtype.kind in "biu":
        weights = weights.astype(np.int64)
    found: dict[str, NDArray[Any]] = {"weight": weights}
    for title, scores in edges.items():
        if title == "weight":
            raise ValueError("edges has the title 'weight', which the entries of matrix have")
        if not hasattr(scores, "tocsr") or scores.shape != (n, n):
            raise TypeError(
                f"edges[{title!r}] must be a sparse matrix of shape ({n}, {n}), as "
                f"edge_betweenness returns, got {type(scores).__name__}"
            )
        scores = csr_of(scores, f"edges[{title!r}]")
        scores.sum_duplicates()
        found[title] = np.nan_to_num(
            _both_ways(scores, tails, heads, np.fmax, directed=directed),
            nan=0.0, posinf=np.inf, neginf=-np.inf,
        )  # fmt: skip
    return Annotated(directed, names, columns, tails, heads, found)


def rows(columns: Sequence[Any], length: int) -> Iterator[tuple[Any, ...]]:
    """Rows of arrays and sequences as Python objects, a block at a time."""
    for start in range(0, length, _BLOCK):
        block = [column[start : start + _BLOCK] for column in columns]
        yield from zip(
            *(part.tolist() if isinstance(part, np.ndarray) else part for part in block),
            strict=True,
        )


def _check_names(names: Sequence[str]) -> None:
    """Refuse what cannot tell nodes apart."""
    if len(set(names)) < len(names):
        seen: set[str] = set()
        twice = next(name for name in names if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise ValueError(f"names has {twice!r} twice; expected a name of its own for each node")


def check_xml(texts: Sequence[str]) -> None:
    """Refuse text that no XML document may hold."""
    for text in texts:
        if _NOT_XML.search(text):
            raise ValueError(f"{text!r} has a character that XML has no way to write: leave it out")


def _column(title: str, values: ArrayLike, names: Sequence[str]) -> NDArray[Any]:
    """One value for each node: real numbers, or strings."""
    column = np.asarray(on_host(by_node(f"nodes[{title!r}]", values, names)))
    n = len(names)
    if column.dtype.kind not in TYPES:
        raise TypeError(
            f"nodes[{title!r}] has dtype {column.dtype}; expected real numbers or strings"
        )
    if column.shape != (n,):
        raise ValueError(
            f"nodes[{title!r}] has shape {column.shape}; expected ({n},), one value for each of "
            "names"
        )
    if title == "name":
        raise ValueError("nodes has the title 'name', which the names of the nodes have")
    return column


def _both_ways(
    matrix: Any, tails: NDArray[Any], heads: NDArray[Any], pick: Any, *, directed: bool
) -> NDArray[np.float64]:
    """Entries at the edges; of an undirected one that which `pick` takes, NaN counting for none."""
    there = entries_at(matrix, tails, heads)
    return there if directed else pick(there, entries_at(matrix, heads, tails))
