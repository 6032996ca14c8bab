"""Streets as matrices of lengths, and scores back on each street: osmnx, momepy, GeoPandas."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np
import scipy.sparse
import scipy.sparse.csgraph
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError, InputTypeError
from ..graph.matrix_arrays import csr_of
from ..graph.network import by_node, described
from ..host import on_host
from ..io.columns import ReadWarning
from ..io.network import assemble, both_ways, entries_at
from .lines import Lines, of_frame, of_graph

Zero = Literal["raise", "merge"]
WEB_MERCATOR = 3857  # in the numbering of EPSG


@dataclass(frozen=True, eq=False)
class Streets:
    """A network of streets: its matrix of lengths, and the mapping of scores back to streets.

    `from_networkx` and `from_geodataframe` make one.

    Attributes
    ----------
    matrix : csr_array, shape (n, n), dtype float64
        Entry [i, j] is the length of the shortest street from junction i to junction j, in the
        units of the lengths given; without direction, it is symmetric. Streets from a junction to
        itself have no entry.
    directed : bool
        Whether a street leads from its first node to its second only: what ``directed`` of a
        measure must be told.
    nodes : tuple, length at least n
        Names of the nodes: those of the graph, or the coordinates (x, y) where lines end.
    junction : ndarray, shape (len(nodes),), dtype int64
        The row of each node. Nodes that streets of length zero join are one junction.
    ends : ndarray, shape (m, 2), dtype int64
        Rows of the junctions where each street begins and ends, in the order of `on_edges`.
    lengths : ndarray, shape (m,), dtype float64
        Length of each street, parallel ones too.

    Examples
    --------
    >>> import networkx as nx
    >>> from sparsebc import closeness, edge_betweenness, streets
    >>> G = nx.MultiDiGraph([("a", "b", {"length": 9.0}), ("a", "b", {"length": 5.0})])
    >>> city = streets.from_networkx(G)
    >>> city.on_edges(edge_betweenness(city.matrix, weighted=True))  # doctest: +SKIP
    u  v  key
    a  b  0      0.0
          1      0.5
    dtype: float64
    """

    matrix: Any
    directed: bool
    nodes: tuple[Any, ...]
    junction: NDArray[np.int64]
    ends: NDArray[np.int64]
    lengths: NDArray[np.float64]
    _share: NDArray[np.float64]  # of the score of an entry; NaN of a street of length zero
    _index: Callable[[], Any]  # of pandas, a label for each street
    _lines: Callable[[], Lines]

    def __repr__(self) -> str:
        """Size, direction and the first nodes, in one line."""
        first = ", ".join(map(repr, self.nodes[:3])) + ", ..." * (len(self.nodes) > 3)
        size = described(self.matrix)
        return f"<Streets: {len(self._share):,} streets, {size}; nodes {first or 'none'}>"

    def on_nodes(self, scores: ArrayLike) -> Any:
        """Scores of the junctions as a column for the nodes, or as several.

        Parameters
        ----------
        scores : array_like, shape (n,), (n, c) or (n, q, c)
            A score for each row of ``matrix``, or one within each of c cutoffs, of q kinds of
            places.

        Returns
        -------
        pandas.Series or pandas.DataFrame
            By the names of the nodes; those of one junction have its score. Scores within several
            cutoffs are columns 0 to c - 1, of several kinds (0, 0) to (q - 1, c - 1); those of a
            DataFrame keep their titles.

        Raises
        ------
        ImportError
            If pandas is not installed.
        ValueError
            If there is not one score for each row of ``matrix``.
        """
        import pandas

        names = self.nodes if len(self.nodes) == self.matrix.shape[0] else None
        values = np.asarray(on_host(by_node("scores", scores, names)))
        if values.ndim not in (1, 2, 3) or values.shape[:1] != self.matrix.shape[:1]:
            raise InputError(
                f"scores has shape {values.shape}; expected {self.matrix.shape[:1]}, one for each "
                "row of matrix: scores of edges go to on_edges"
            )
        index = pandas.Index(self.nodes, tupleize_cols=False)
        if values.ndim == 1:
            return pandas.Series(values[self.junction], index)
        columns = getattr(scores, "columns", None)
        if values.ndim == 3:
            columns = pandas.MultiIndex.from_product(list(map(range, values.shape[1:])))
        rows = values[self.junction].reshape(len(index), int(np.prod(values.shape[1:])))
        return pandas.DataFrame(rows, index, columns)

    def on_edges(self, scores: Any) -> Any:
        """Scores of the entries of the matrix as a column for the streets, or as several.

        Parameters
        ----------
        scores : sparse array, shape (n, n), or list of them
            As `sparsebc.edge_betweenness` returns for ``matrix`` and ``directed``, and a list where
            it has several cutoffs.

        Returns
        -------
        pandas.Series or pandas.DataFrame
            Of a list, a DataFrame with columns from 0 on. By (u, v, key) of the graph, (u, v) where
            it has no keys, or by the index of the GeoDataFrame. Of parallel streets, the shortest
            have the score in equal parts, and others 0, as in NetworkX; so has a street that leads
            back to its junction. A street of length zero, which is part of a junction, has NaN.

        Raises
        ------
        ImportError
            If pandas is not installed.
        TypeError
            If `scores` is no sparse matrix.
        ValueError
            If it has another shape.
        """
        if isinstance(scores, (list, tuple)) and scores:
            import pandas

            return pandas.concat(list(map(self.on_edges, scores)), axis=1)
        if not hasattr(scores, "tocsr"):
            raise InputTypeError(
                f"scores must be a sparse matrix, as edge_betweenness returns, got "
                f"{type(scores).__name__}: scores of nodes go to on_nodes"
            )
        if scores.shape != self.matrix.shape:
            raise InputError(f"scores has shape {scores.shape}; expected {self.matrix.shape}")
        known = csr_of(scores, "scores")
        known.sum_duplicates()
        tails, heads = self.ends.T
        values = entries_at(known, tails, heads, None if self.directed else np.fmax)
        return self.column(np.nan_to_num(values, nan=0.0) * self._share)

    def column(self, values: NDArray[Any]) -> Any:
        """Values of the streets as a column, or as several.

        Parameters
        ----------
        values : ndarray, shape (m,) or (m, c)
            In the order of ``lengths``.

        Returns
        -------
        pandas.Series or pandas.DataFrame
            Labels are those of `on_edges`.

        Raises
        ------
        ImportError
            If pandas is not installed.
        """
        import pandas

        kind = pandas.Series if values.ndim == 1 else pandas.DataFrame
        return kind(values, index=self._index())

    def bearings(self) -> NDArray[np.float64]:
        """Directions in which each street leaves its first end and arrives at its last.

        Returns
        -------
        ndarray, shape (m, 2), dtype float64
            Degrees counterclockwise from the first axis, in -180..180, of the first and the last
            segment of the line from first end to last; NaN of a line that is a point.

        Raises
        ------
        ImportError
            If shapely is not installed; pyproj, where a graph names its system of coordinates.
        ValueError
            If streets have no coordinates, or those are degrees.
        """
        return self.lines().bearings()

    def lines(self) -> Lines:
        """Lines of the streets from first end to last, and their names.

        Returns
        -------
        Lines
            ``points``, ``starts``, ``names`` and ``crs``, in the order of ``lengths``.

        Raises
        ------
        ImportError
            If shapely is not installed.
        ValueError
            If streets have no coordinates.
        """
        return self._lines()


def from_networkx(G: Any, weight: str | None = "length", *, zero: Zero = "raise") -> Streets:
    """Streets of a graph of NetworkX, such as osmnx and momepy make.

    Parameters
    ----------
    G : networkx.MultiDiGraph, MultiGraph, DiGraph or Graph
        It is not modified.
    weight : str or None, default "length"
        Attribute of the edges that holds their lengths: ``"length"`` in osmnx, in meters, or its
        ``"travel_time"``, ``"mm_len"`` in momepy. None makes every street of length 1.
    zero : {"raise", "merge"}, default "raise"
        What to do with streets of length zero, which no shortest path can be counted over:
        refuse them, or make one junction of the nodes at their ends, whichever way they lead.

    Returns
    -------
    Streets
        Nodes in the order of G; of parallel streets the shortest counts.

    Raises
    ------
    TypeError
        If G is no graph of NetworkX, or a length no real number.
    ValueError
        If an edge lacks the attribute, a length is negative or not finite, or zero and not to be
        merged, or `zero` is another word.

    See Also
    --------
    from_geodataframe : From lines.
    sparsebc.networkx.from_networkx : For NetworkX's own functions.

    Notes
    -----
    O(n + m log m) time, through lists of Python objects as NetworkX returns them, and 60 bytes a
    street.

    Examples
    --------
    >>> import networkx as nx
    >>> from sparsebc import betweenness, streets
    >>> G = nx.MultiGraph()
    >>> _ = G.add_edge("a", "b", length=5.0), G.add_edge("a", "b", length=2.0)
    >>> _ = G.add_edge("b", "c", length=0.0), G.add_edge("c", "d", length=1.0)
    >>> city = streets.from_networkx(G, zero="merge")
    >>> city.matrix.toarray()
    array([[0., 2., 0.],
           [2., 0., 1.],
           [0., 1., 0.]])
    >>> betweenness(city.matrix, directed=city.directed, weighted=True)[city.junction]
    array([0., 1., 1., 0.])
    """
    for needed in ("is_directed", "is_multigraph", "edges", "nodes"):
        if not hasattr(G, needed):
            raise InputTypeError(f"G must be a graph of NetworkX, got {type(G).__name__}")
    nodes = tuple(G)
    number = dict(zip(nodes, range(len(nodes)), strict=True))
    names = ["u", "v", "key"] if G.is_multigraph() else ["u", "v"]
    labels = list(G.edges(keys=True)) if G.is_multigraph() else list(G.edges())
    lengths = np.ones(len(labels))
    if weight is not None:
        values = [attributes.get(weight) for *_, attributes in G.edges(data=True)]
        if None in values:
            raise InputError(
                f"street {labels[values.index(None)]} has no attribute {weight!r}: name the one "
                "with lengths, as in weight='mm_len', or use weight=None"
            )
        lengths = _numbers(values, f"attribute {weight!r}")

    def index() -> Any:
        import pandas

        columns = zip(*labels, strict=True) if labels else [()] * len(names)
        parts = [pandas.Index(column, tupleize_cols=False) for column in columns]
        return pandas.MultiIndex.from_arrays(parts, names=names)

    ends = np.array([(number[u], number[v]) for u, v, *_ in labels], np.int64).reshape(-1, 2)
    along = partial(of_graph, G)
    return _streets(nodes, ends, lengths, labels, index, along, directed=G.is_directed(), zero=zero)


def from_geodataframe(frame: Any, weight: str | None = None, *, zero: Zero = "raise") -> Streets:
    """Streets of the lines of a GeoDataFrame, which meet where their ends have equal coordinates.

    Parameters
    ----------
    frame : geopandas.GeoDataFrame
        A LineString in each row, as momepy has streets, to be used both ways; where streets are
        one-way, make a graph of them (``momepy.gdf_to_nx``) and use `from_networkx`.
        It is not modified.
    weight : str, optional
        Column of lengths; by default the lengths of the lines, in the units of their coordinates.
    zero : {"raise", "merge"}, default "raise"
        As in `from_networkx`.

    Returns
    -------
    Streets
        Nodes are the ends of lines (x, y) in order of appearance, as in momepy; z does not count.

    Raises
    ------
    TypeError
        If `frame` is no GeoDataFrame, or its lengths are no real numbers.
    ValueError
        If a row has no LineString; if lengths are wanted of coordinates in degrees; if there is no
        such column; and as `from_networkx` does.

    Warns
    -----
    sparsebc.io.ReadWarning
        If lengths are wanted of coordinates of web maps (EPSG:3857).

    See Also
    --------
    from_networkx : From a graph of osmnx or momepy.

    Notes
    -----
    O(m log m) time and some 150 bytes a street.

    Examples
    --------
    >>> import geopandas, shapely  # doctest: +SKIP
    >>> from sparsebc import edge_betweenness, streets
    >>> lines = [shapely.LineString(ends) for ends in ([(0, 0), (3, 0)], [(3, 0), (3, 4)])]
    ... # doctest: +SKIP
    >>> frame = geopandas.GeoDataFrame(geometry=lines)  # doctest: +SKIP
    >>> city = streets.from_geodataframe(frame)  # doctest: +SKIP
    >>> scores = edge_betweenness(city.matrix, directed=False, weighted=True)  # doctest: +SKIP
    >>> frame["betweenness"] = city.on_edges(scores)  # doctest: +SKIP
    """
    if not hasattr(frame, "geometry") or not hasattr(frame, "geom_type"):
        raise InputTypeError(f"frame must be a geopandas.GeoDataFrame, got {type(frame).__name__}")
    import shapely

    lines = np.asarray(frame.geometry.array)
    labels = frame.index
    bad = np.flatnonzero((shapely.get_type_id(lines) != 1) | shapely.is_empty(lines))
    if bad.size:
        line = lines[bad[0]]
        empty = "an empty " if line is not None and line.is_empty else ""
        kind = "nothing" if line is None else empty + line.geom_type
        raise InputError(
            f"row {labels[bad[0]]!r} of frame has {kind}; expected a LineString with points: "
            "frame.explode(index_parts=False) takes a MultiLineString apart, and "
            "frame[frame.geom_type == 'LineString'] leaves out all else, frame[~frame.is_empty] "
            "what has no points"
        )
    if weight is None:
        way = "use frame.to_crs(frame.estimate_utm_crs()), or name a column in weight"
        if frame.crs is not None and frame.crs.is_geographic:
            raise InputError(
                f"frame has coordinates in degrees ({frame.crs.name}), which lines have no length "
                f"in: {way}"
            )
        if frame.crs is not None and frame.crs.to_epsg() == WEB_MERCATOR:
            warnings.warn(
                f"frame has coordinates of web maps ({frame.crs.name}), in which lengths grow with "
                f"the latitude, twice as long as streets at 60 degrees: {way}",
                ReadWarning,
                stacklevel=2,
            )
        lengths = shapely.length(lines)
    elif weight in frame.columns:
        lengths = _numbers(frame[weight], f"column {weight!r}")
    else:
        raise InputError(f"frame has no column {weight!r}; its columns are {list(frame.columns)}")
    points = np.stack(
        [shapely.get_coordinates(shapely.get_point(lines, end)) for end in (0, -1)], axis=1
    ).reshape(-1, 2)
    _, first, place = np.unique(points, axis=0, return_index=True, return_inverse=True)
    rank = np.empty(len(first), dtype=np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    nodes = tuple(map(tuple, points[np.sort(first)].tolist()))
    ends = rank[place.reshape(-1, 2)]
    along = partial(of_frame, lines, frame)
    return _streets(nodes, ends, lengths, labels, lambda: labels, along, directed=False, zero=zero)


def _numbers(values: Any, title: str) -> NDArray[np.float64]:
    try:
        array = np.asarray(values)
    except ValueError:  # lists of several sizes, as merged streets may have
        array = np.asarray(values, dtype=object)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iuf"):
        raise InputTypeError(
            f"{title} has dtype {array.dtype} and shape {array.shape}; expected a length, which is "
            "a real number, for each street"
            + ": osmnx.load_graphml makes numbers of the text in its files"
            * (array.dtype.kind == "U")
        )
    return array.astype(np.float64)


def _streets(
    nodes: tuple[Any, ...],
    ends: NDArray[np.int64],
    lengths: NDArray[np.float64],
    labels: Sequence[Any],
    index: Callable[[], Any],
    along: Callable[[], Lines],
    *,
    directed: bool,
    zero: Zero,
) -> Streets:
    """Streets between numbered nodes; ``zero`` says what becomes of those of length zero."""
    if zero not in ("raise", "merge"):
        raise InputError(f"zero must be 'raise' or 'merge', got {zero!r}")
    wrong = np.flatnonzero(~((lengths >= 0) & (lengths < np.inf)))
    if wrong.size:
        k = int(wrong[0])
        raise InputError(f"street {labels[k]}: length {lengths[k]}; expected a positive number")
    none = lengths == 0
    if none.any() and zero == "raise":
        raise InputError(
            f"street {labels[int(np.argmax(none))]}: length 0, as of {np.count_nonzero(none)} of "
            f"{len(lengths)} streets; expected a positive one: zero='merge' makes one junction of "
            "the nodes at its ends"
        )
    joined = scipy.sparse.coo_array(
        (np.ones(np.count_nonzero(none), dtype=bool), tuple(ends[none].T)), shape=(len(nodes),) * 2
    )
    n, component = scipy.sparse.csgraph.connected_components(joined, directed=False)
    junction = component.astype(np.int64)
    ends = junction[ends]
    tails, heads = ends.T
    pairs = (tails, heads) if directed else (np.minimum(tails, heads), np.maximum(tails, heads))
    between = tails != heads
    arcs = (*(side[between] for side in pairs), lengths[between])
    row, column, data = arcs if directed else both_ways(*arcs)
    matrix = assemble(row, column, data, n, "arc {}".format, shortest=True)
    # Of the score of an entry: equal parts to the streets that are as short as it.
    chosen = entries_at(matrix, *pairs) == lengths
    keys, equal = np.unique((pairs[0] * n + pairs[1])[chosen], return_counts=True)
    share = np.zeros(len(lengths))
    share[chosen] = 1 / equal[np.searchsorted(keys, (pairs[0] * n + pairs[1])[chosen])]
    share[none] = np.nan
    return Streets(matrix, directed, nodes, junction, ends, lengths, share, index, along)
