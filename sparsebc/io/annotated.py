"""A network with scores on its nodes and edges: the input of writers and reports."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import check_flags
from ..errors import InputError, InputTypeError
from ..matrix.matrix_arrays import csr_of
from ..matrix.network import by_node, matrix_of, names_of
from . import texts
from .network import entries_at

# Type names in GraphML and GEXF of a column, by the kind of its dtype.
_TYPES = {"i": "long", "u": "long", "f": "double", "U": "string"}
# Type names in GraphML of an attribute of the network.
_KINDS = {str: "string", bool: "boolean", int: "long", float: "double"}
_BLOCK = 1 << 16  # rows converted to Python objects at a time


class Annotated(NamedTuple):
    """Nodes and edges of a network, with columns of scores, and its attributes."""

    directed: bool
    names: Sequence[str]
    nodes: dict[str, NDArray[Any]]  # columns of n values, by title
    tails: NDArray[np.int64]
    heads: NDArray[np.int64]
    edges: dict[str, NDArray[Any]]  # columns of m values, by title
    facts: Mapping[str, Any]  # attributes of the network: provenance of the scores

    @property
    def types(self) -> dict[str, dict[str, str]]:
        """Type name of each attribute, by its owner ("node", "edge", "graph") and title."""
        columns = {"node": self.nodes, "edge": self.edges, "graph": self.facts}
        return {
            what: {
                title: _KINDS.get(type(one)) or _TYPES[one.dtype.kind] for title, one in of.items()
            }
            for what, of in columns.items()
        }


def annotate(
    matrix: Any,
    names: Sequence[str] | None,
    nodes: Mapping[str, ArrayLike] | None,
    edges: Mapping[str, Any] | None,
    provenance: Mapping[str, Any] | None = None,
    *,
    directed: bool,
) -> Annotated:
    """Checked nodes, edges and columns of a network; an undirected edge once, by smaller weight.

    ``names`` default to those of a `Network`, else to numbers from 0.
    """
    check_flags(directed=directed)
    names = names_of(matrix) if names is None else names
    matrix = csr_of(matrix_of(matrix), "matrix")
    names = list(map(str, range(matrix.shape[0]))) if names is None else names
    n = len(names)
    if matrix.shape != (n, n):
        raise InputError(
            f"matrix has shape {matrix.shape}; expected ({n}, {n}), a row for each name"
        )
    labels, names = names, texts.as_texts(names)
    texts.check_unique(names)
    columns = {}
    for title, values in texts.titled("nodes", {} if nodes is None else nodes).items():
        if title == "name":
            raise InputError("nodes has the title 'name', that of the names: choose another title")
        argument = f"nodes[{title!r}]"
        values = by_node(argument, values, labels)
        columns[title] = texts.as_values(argument, values, (n,), "names", kinds="".join(_TYPES))
    coo = matrix.tocoo()
    tails, heads = coo.row.astype(np.int64), coo.col.astype(np.int64)
    if not directed:
        keys = np.unique(np.minimum(tails, heads) * n + np.maximum(tails, heads))
        tails, heads = keys // max(n, 1), keys % max(n, 1)
    weights = entries_at(matrix, tails, heads, None if directed else np.fmin)
    if matrix.dtype.kind in "biu":
        weights = weights.astype(np.int64)
    found: dict[str, NDArray[Any]] = {"weight": weights}
    for title, scores in texts.titled("edges", {} if edges is None else edges).items():
        if title == "weight":
            raise InputError(
                "edges has the title 'weight', that of the entries of matrix: choose another title"
            )
        if not hasattr(scores, "tocsr"):
            raise InputTypeError(
                f"edges[{title!r}] must be a sparse matrix of shape ({n}, {n}), as "
                f"edge_betweenness returns, got {type(scores).__name__}"
            )
        if scores.shape != (n, n):
            raise InputError(f"edges[{title!r}] has shape {scores.shape}; expected ({n}, {n})")
        scores = csr_of(scores, f"edges[{title!r}]")
        found[title] = np.nan_to_num(
            entries_at(scores, tails, heads, None if directed else np.fmax),
            nan=0.0, posinf=np.inf, neginf=-np.inf,
        )  # fmt: skip
    facts = texts.facts(provenance)
    return Annotated(directed, names, columns, tails, heads, found, facts)


def rows(columns: Sequence[Any], length: int) -> Iterator[tuple[Any, ...]]:
    """Rows across columns as Python objects, converted a block at a time."""
    for start in range(0, length, _BLOCK):
        block = [column[start : start + _BLOCK] for column in columns]
        yield from zip(
            *(part.tolist() if isinstance(part, np.ndarray) else part for part in block),
            strict=True,
        )
