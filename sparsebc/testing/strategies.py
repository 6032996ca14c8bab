"""Hypothesis strategies: matrices in every form, graphs of all shapes, lengths and options."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, cycle, islice, pairwise, product
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike

from ..errors import MissingPackageError

try:
    from hypothesis import strategies as st
except ImportError as error:
    raise MissingPackageError(
        "sparsebc.testing needs Hypothesis, which is not installed: "
        "python -m pip install hypothesis"
    ) from error

CLASSES: tuple[type, ...] = (
    sp.csr_array,
    sp.csc_array,
    sp.coo_array,
    sp.csr_matrix,
    sp.csc_matrix,
    sp.coo_matrix,
)
"""The SciPy classes that sparsebc reads."""

DEFAULTS = {"form": "csr_array", "dtype": "float64", "index_dtype": "int32"}
Pair = tuple[int, int]
Pattern = tuple[int, list[Pair]]


def adjacency(
    n: int,
    edges: Sequence[Pair],
    values: Sequence[float] | None = None,
    *,
    form: str = DEFAULTS["form"],
    dtype: DTypeLike = DEFAULTS["dtype"],
    index_dtype: DTypeLike = DEFAULTS["index_dtype"],
) -> Any:
    """Sparse matrix of the given entries: what `matrices` and `graphs` draw is printed as its call.

    Parameters
    ----------
    n : int
        Number of nodes.
    edges : sequence of (int, int)
        Row and column of each entry, stored in this order: unsorted and repeated if they are.
    values : sequence of numbers, optional
        Value of each entry; by default 1.
    form : str, default "csr_array"
        Name of one of `CLASSES`.
    dtype, index_dtype : dtype, default "float64" and "int32"
        Types of the values and of the index arrays.

    Returns
    -------
    sparse array or sparse matrix, shape (n, n)

    Examples
    --------
    >>> from sparsebc.testing import adjacency
    >>> adjacency(3, [(0, 1), (1, 2)], [1, 0.5]).toarray()
    array([[0. , 1. , 0. ],
           [0. , 0. , 0.5],
           [0. , 0. , 0. ]])
    """
    cls = getattr(sp, form)
    data = np.array([1] * len(edges) if values is None else values).astype(dtype)
    row, column = np.array(edges, dtype=index_dtype).reshape(-1, 2).T
    if form.startswith("coo"):
        A = cls((data, (row, column)), shape=(n, n))
        A.coords = (row.copy(), column.copy())
        return A
    major, minor = (row, column) if form.startswith("csr") else (column, row)
    order = np.argsort(major, kind="stable")
    start = np.searchsorted(major[order], np.arange(n + 1)).astype(index_dtype)
    A = cls((data[order], minor[order], start), shape=(n, n))
    # The *_matrix constructors narrow 64-bit indices to 32 bits: restore the given ones.
    A.indices, A.indptr = minor[order], start
    return A


def called(n: int, edges: list[Pair], *values: list[float], **kinds: str) -> Any:
    """Strategy for one matrix, which Hypothesis prints as the call of `adjacency`."""
    arguments = (n, [(i, j) for i, j in edges], *values)
    kinds = {name: kind for name, kind in kinds.items() if kind != DEFAULTS[name]}
    return st.builds(
        adjacency, *map(st.just, arguments), **{name: st.just(kind) for name, kind in kinds.items()}
    )


@st.composite
def patterns(
    draw: st.DrawFn,
    *,
    min_nodes: int = 0,
    max_nodes: int = 8,
    max_edges: int = 24,
    symmetric: bool = False,
    self_loops: bool = True,
    duplicates: bool = True,
    ordered: bool = False,
) -> Pattern:
    """Strategy for ``(n, edges)``: a number of nodes and a list of node pairs.

    Parameters
    ----------
    min_nodes, max_nodes : int, default 0 and 8
        Smallest and largest number of nodes.
    max_edges : int, default 24
        Largest number of pairs, before mirroring.
    symmetric : bool, default False
        Whether each pair ``(i, j)``, ``i != j``, is followed by ``(j, i)``.
    self_loops : bool, default True
        Whether pairs ``(i, i)`` occur.
    duplicates : bool, default True
        Whether a pair may occur more than once.
    ordered : bool, default False
        Whether the pairs are sorted by row, then column; by default they are in any order.

    Returns
    -------
    strategy
        Draws tuples ``(n, edges)``: an int, and a list of pairs of ints in 0..n - 1.

    Examples
    --------
    >>> from hypothesis import find
    >>> from sparsebc.testing import patterns
    >>> find(patterns(), lambda graph: len(graph[1]) >= 2)
    (1, [(0, 0), (0, 0)])
    >>> find(patterns(self_loops=False, symmetric=True), lambda graph: graph[1] != [])
    (2, [(0, 1), (1, 0)])
    """
    n = draw(st.integers(min_nodes, max_nodes), label="n")
    if n == 0 or (n == 1 and not self_loops):
        return n, []
    node = st.integers(0, n - 1)
    pair = st.tuples(node, node)
    if not self_loops:
        pair = pair.filter(lambda edge: edge[0] != edge[1])
    edges = draw(st.lists(pair, max_size=max_edges), label="edges")
    if symmetric:
        edges = [edge for i, j in edges for edge in ([(i, j)] if i == j else [(i, j), (j, i)])]
    if not duplicates:
        edges = list(dict.fromkeys(edges))
    return n, sorted(edges) if ordered else edges


@st.composite
def matrices(
    draw: st.DrawFn,
    *,
    classes: Sequence[type] = CLASSES,
    dtypes: Sequence[DTypeLike] = (np.float64, np.float32, np.int64, np.int8, np.bool_),
    index_dtypes: Sequence[DTypeLike] = (np.int32, np.int64),
    explicit_zeros: bool = True,
    min_nodes: int = 0,
    max_nodes: int = 8,
    max_edges: int = 24,
    symmetric: bool = False,
    self_loops: bool = True,
    duplicates: bool = True,
    ordered: bool = False,
) -> Any:
    """Strategy for SciPy sparse adjacency matrices.

    Parameters
    ----------
    classes : sequence of type, default all six of `CLASSES`
        Sparse array and matrix classes to draw from; examples shrink towards the first.
    dtypes : sequence of dtype, default float64, float32, int64, int8 and bool
        Types of the stored values, which are 0, 1, 2 or 3 (for bool, False or True).
    index_dtypes : sequence of dtype, default int32 and int64
        Types of the index arrays.
    explicit_zeros : bool, default True
        Whether stored values may be 0.
    min_nodes, max_nodes, max_edges, self_loops, duplicates, ordered
        As in `patterns`.
    symmetric : bool, default False
        Whether the matrix equals its transpose, in its pattern and in its values.

    Returns
    -------
    strategy
        Draws sparse matrices of shape (n, n).

    Notes
    -----
    Entries are stored as drawn: unsorted, with duplicates and zeros. A failing example is printed
    as a call of `adjacency`. The first call of a sparsebc function loads or compiles its kernels,
    which takes longer than Hypothesis' deadline for an example: turn the deadline off.

    Examples
    --------
    >>> from hypothesis import given, settings
    >>> from sparsebc import betweenness
    >>> from sparsebc.testing import matrices
    >>> @settings(deadline=None)  # the first call loads kernels, or compiles them
    ... @given(matrices(max_nodes=4))
    ... def scores_are_shares(A):
    ...     scores = betweenness(A)
    ...     assert ((scores >= 0) & (scores <= 1 + 1e-12)).all()
    >>> scores_are_shares()
    """
    n, edges = draw(
        patterns(
            min_nodes=min_nodes,
            max_nodes=max_nodes,
            max_edges=max_edges,
            symmetric=symmetric,
            self_loops=self_loops,
            duplicates=duplicates,
            ordered=ordered,
        )
    )
    # A repeated pair has one value, so that its mirror image has the same sum.
    names = [(min(edge), max(edge)) if symmetric else at for at, edge in enumerate(edges)]
    value = st.integers(0 if explicit_zeros else 1, 3)
    value_of = {name: draw(value) for name in dict.fromkeys(names)}
    kinds = {
        "form": draw(st.sampled_from(classes), label="class").__name__,
        "dtype": str(np.dtype(draw(st.sampled_from(dtypes), label="dtype"))),
        "index_dtype": str(np.dtype(draw(st.sampled_from(index_dtypes), label="index dtype"))),
    }
    return draw(called(n, edges, [value_of[name] for name in names], **kinds))


# Pairs of a connected graph with node 0, each once, by a shape of two sizes, at least 1.
SHAPES: dict[str, Callable[[int, int], Iterable[Pair]]] = {
    "path": lambda a, b: pairwise(range(a + 1)),
    "star": lambda a, b: ((0, v) for v in range(1, a + 1)),
    "tree": lambda a, b: (((v - 1) // 2, v) for v in range(1, a + b + 1)),
    "cycle": lambda a, b: [*pairwise(range(a + 2)), (0, a + 1)],
    "complete": lambda a, b: combinations(range(a + 1), 2),
    "bipartite": lambda a, b: product(range(a), range(a, a + b)),
    "grid": lambda a, b: [
        *((a * r + c, a * r + c + 1) for r in range(b + 1) for c in range(a - 1)),
        *((a * r + c, a * r + c + a) for r in range(b) for c in range(a)),
    ],
    "layers": lambda a, b: (
        (a * d + i, a * d + a + j) for d in range(b) for i in range(a) for j in range(a)
    ),
}
# What is left of each edge i, j of a graph: 0 nothing, 1 the arc i -> j, 2 that back, 3 both. Few
# are dropped, but those that a failure does not need all are, as smaller numbers are simpler.
WAYS = (0, *[1] * 15), (0, *[1, 2, 3] * 5), (0, *[3] * 15)
SOME = 24  # values drawn at most: more are repetitions, as Hypothesis draws no long lists


def _grown(n: int, pairs: list[Pair], step: tuple[str, int, int, int | None]) -> Pattern:
    """The graph after a step: one more shape, apart or glued to a node; a twin of it; or a hub."""
    kind, a, b, at = step
    if n == 0:
        kind, at = (kind if kind in SHAPES else "path"), None
    glued = None if at is None else at % n
    if kind == "hub":
        return n + 1, [*pairs, *((v, n) for v in range(n))]
    if kind == "twin":
        ends = ((j if i == glued else i) for i, j in pairs if glued in (i, j))
        return n + 1, [*pairs, *((v, n) for v in ends)]
    piece = [*SHAPES[kind](a, b)]
    name = [*range(n, n + max(map(max, piece)) + 1)]
    if glued is not None:
        name = [glued, *name[:-1]]
    return max(n, name[-1] + 1), [*pairs, *((name[i], name[j]) for i, j in piece)]


@st.composite
def graphs(
    draw: st.DrawFn,
    *,
    min_nodes: int = 0,
    max_nodes: int = 9,
    symmetric: bool = False,
    lengths: Callable[[int], st.SearchStrategy[list[float]]] | None = None,
) -> sp.csr_array:
    """Strategy for graphs on which shortest paths are hard to count.

    A graph is grown by steps: paths, stars, trees, cycles, complete and bipartite graphs, grids
    and layers that many equal paths cross, each apart from what is there or glued to one of its
    nodes, which becomes a cut node, with pendant chains and trees; twins of a node; hubs. Then come
    some edges between any two nodes, some isolated nodes, and directions.

    Parameters
    ----------
    min_nodes, max_nodes : int, default 0 and 9
        Smallest and largest number of nodes.
    symmetric : bool, default False
        Whether every edge is stored both ways, with the same length.
    lengths : callable, optional
        Returns the strategy for the lengths of a given number of edges, such as `lengths`; by
        default each stored value is 1.

    Returns
    -------
    strategy
        Draws csr_arrays of shape (n, n) in canonical format, without self loops.

    Notes
    -----
    A failing example shrinks to few steps of small sizes, such as a single edge, and is printed as
    a call of `adjacency`.

    Examples
    --------
    The simplest graph in which a node lies between others:

    >>> from hypothesis import find
    >>> from sparsebc.testing import brandes, graphs
    >>> A = find(graphs(symmetric=True), lambda A: brandes(A).any())
    >>> A.shape, A.nnz
    ((3, 3), 4)
    """
    size, node = st.integers(1, max(1, max_nodes // 2)), st.integers(0, max(0, max_nodes - 1))
    kind = st.sampled_from([*SHAPES, "twin", "hub"])
    step = st.tuples(kind, size, size, node | st.none())
    n, pairs = 0, list[Pair]()
    for one in draw(st.lists(step, min_size=1, max_size=5)):
        n, pairs = _grown(n, pairs, one) if n < max_nodes else (n, pairs)
    pairs += draw(st.lists(st.tuples(node, node), max_size=4))
    edges = {
        (min(pair), max(pair)) for pair in pairs if pair[0] != pair[1] and max(pair) < max_nodes
    }
    way = st.sampled_from(WAYS[-1] if symmetric else draw(st.sampled_from(WAYS)))
    few = min(len(edges), SOME)
    ways = zip(sorted(edges), cycle(draw(st.lists(way, min_size=few, max_size=few))), strict=False)
    arcs = [arc for (i, j), way in ways for at, arc in ((1, (i, j)), (2, (j, i))) if way & at]
    linked = sorted({v for arc in arcs for v in arc})
    n = max(min_nodes, min(max_nodes, len(linked) + draw(st.integers(0, 2))))
    name = dict(zip(linked, draw(st.permutations(range(n))), strict=False))
    arcs = [(name[i], name[j]) for i, j in arcs]
    if lengths is None:
        return draw(called(n, sorted(arcs)))
    edge_of = [(min(arc), max(arc)) if symmetric else arc for arc in sorted(arcs)]
    drawn = draw(lengths(len({*edge_of})))
    length_of = dict(zip(dict.fromkeys(edge_of), drawn, strict=True))
    return draw(called(n, sorted(arcs), [length_of[edge] for edge in edge_of]))


# Lengths whose sums are exact, so that paths tie or differ by far more than any tolerance.
KINDS = (
    st.integers(1, 3),  # many ties
    st.integers(1, 32).map(lambda eighths: eighths / 8),
    st.integers(-3, 17).map(lambda exponent: 2.0**exponent),
)


@st.composite
def lengths(draw: st.DrawFn, count: int) -> list[float]:
    """Strategy for the lengths of ``count`` edges, whose sums are exact in float64.

    They are all integers, or all fractions of eight, or powers of two from 1/8 to 131,072; often
    all equal.

    Parameters
    ----------
    count : int
        Number of lengths.

    Returns
    -------
    strategy
        Draws lists of ``count`` positive numbers.

    Examples
    --------
    >>> from hypothesis import find
    >>> from sparsebc.testing import lengths
    >>> len(find(lengths(3), lambda drawn: len(set(drawn)) == 3))
    3
    """
    some = st.lists(draw(st.sampled_from(KINDS)), min_size=1, max_size=SOME)
    return [*islice(cycle(draw(some)), count)]


def options(n: int, *names: str) -> st.SearchStrategy[dict[str, Any]]:
    """Strategy for the keyword arguments of a call about a graph of n nodes.

    Parameters
    ----------
    n : int
        Number of nodes.
    *names : str
        Arguments that may be given: "directed", "weighted", "normalized", "endpoints", "cutoff",
        "sources", "targets", "source_weights" and "target_weights", by default any of these.

    Returns
    -------
    strategy
        Draws dicts with any of the names; shrinks to an empty one.

    Examples
    --------
    >>> from hypothesis import find
    >>> from sparsebc.testing import options
    >>> find(options(3), lambda drawn: len(drawn.get("sources", [])) == 2)
    {'sources': [0, 1]}
    """
    nodes = st.lists(st.integers(0, max(0, n - 1)), min_size=1, max_size=max(1, n), unique=True)
    weight = st.sampled_from([1, 0, 2, 0.5, 1e6])
    weights = st.lists(weight, min_size=n, max_size=n).filter(any)  # some pair counts
    flag = st.booleans()
    drawn = {
        "directed": flag,
        "weighted": flag,
        "normalized": flag,
        "endpoints": flag,
        "cutoff": st.integers(0, 2 * n).map(lambda halves: halves / 2),
        "sources": nodes,
        "targets": nodes,
        "source_weights": weights,
        "target_weights": weights,
    }
    known = [name for name in names or drawn if n or drawn[name] not in (nodes, weights)]
    return st.fixed_dictionaries({}, optional={name: drawn[name] for name in known})
