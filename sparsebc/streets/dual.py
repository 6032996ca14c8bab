"""Dual graph of streets, the matrix of turns: angular, metric and mixed paths, turn penalties."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
import scipy.sparse
from numpy.typing import ArrayLike, NDArray

from ..arguments import LARGEST, array_of, check_choice, check_flags, is_number
from ..errors import InputError, InputTypeError
from ..io.network import assemble
from ..matrix.csr import CSR, ranges
from ..process import usable_cpus
from .network import Streets

Ends = Literal["directions", "streets"]
TurnPenalty = (
    Mapping[str, float]
    | Callable[[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]], ArrayLike]
)

# Cost of a metre in degrees, by default: among equal angles the shorter path wins.
METRES_WEIGHT = 1e-4
STRAIGHT = 45.0  # largest angle in degrees, left or right, of a turn straight on
CLASSES = ("straight", "left", "right", "u")
# Tolerance of angles: in the directions of a street and its reverse, and at the limits of a class.
SAME_DEGREES = 1e-6


@dataclass(frozen=True, eq=False)
class Dual:
    """Turns between streets: a matrix of their costs, and the mapping of scores back to streets.

    `dual` makes one.

    Attributes
    ----------
    matrix : csr_array, shape (n, n), dtype float64
        Entry [i, j] is the cost of the turn from directed street i to directed street j (by length
        alone, from street to street). Pass it to measures as directed, with ``weighted=True``.
    metres : csr_array, shape (n, n), dtype float64
        Half the sum of both streets' lengths for each turn, in the same pattern.
    street : ndarray, shape (n,), dtype int64
        Street of each node, as an index of the rows that `on_edges` returns.
    backward : ndarray, shape (n,), dtype bool
        Whether a node runs along its street from its second end to its first.
    origins, destinations : ndarray, shape (q,), dtype int64
        With ``ends="streets"``, the nodes where paths from and to each of q streets begin and end,
        which may be all nodes; else all nodes.
    """

    matrix: Any
    metres: Any
    street: NDArray[np.int64]
    backward: NDArray[np.bool_]
    origins: NDArray[np.int64]
    destinations: NDArray[np.int64]
    _city: Streets
    _turns_everywhere: bool  # no turn between streets that meet is forbidden

    def __repr__(self) -> str:
        """Numbers of streets, nodes and turns, in one line."""
        streets, n, turns = len(self._city.lengths), len(self.street), self.matrix.nnz
        return f"<Dual: {streets:,} streets, {n:,} nodes, {turns:,} turns>"

    @property
    def pairs(self) -> dict[str, NDArray[np.int64]]:
        """Options ``sources`` and ``targets`` of a measure: paths from origins to destinations.

        Empty if every node is both.
        """
        restricted = len(self.origins) < len(self.street)
        return {"sources": self.origins, "targets": self.destinations} if restricted else {}

    def on_edges(self, scores: ArrayLike) -> Any:
        """Scores by street, summed over both directions, as one or several columns.

        Parameters
        ----------
        scores : array_like, shape (n,) or (n, c); or (q,) or (q, c)
            A score for each row of ``matrix``, or for each of ``origins`` or ``destinations``; a
            column for each of c cutoffs.

        Returns
        -------
        pandas.Series or pandas.DataFrame
            Labels are those of `Streets.on_edges`. A street of length zero has NaN.

        Raises
        ------
        ImportError
            If pandas is not installed.
        TypeError
            If `scores` is not an array of numbers: scores of turns, for example.
        ValueError
            If `scores` has another length.
        """
        values = array_of("scores", scores, "biuf", "hold a number for each row of matrix")
        every = values.shape[:1] == self.street.shape
        street = self.street if every else self.street[self.origins]
        if values.ndim not in (1, 2) or len(values) != len(street):
            raise InputError(
                f"scores has shape {values.shape}; expected ({len(self.street)},), one for each "
                f"row of matrix, or ({len(self.origins)},), one for each of origins"
            )
        total = np.full((len(self._city.lengths), *values.shape[1:]), np.nan)
        total[street] = 0.0
        np.add.at(total, street, values)
        return self._city.column(total)

    def within(self, radius: float) -> Any:
        """Origin-destination matrix (`demand`) of 1 for each pair at most ``radius`` metres apart.

        Parameters
        ----------
        radius : float
            Metres from the middle of one street to the middle of the other along permitted turns,
            at any cost.

        Returns
        -------
        csr_array, shape (n, n), dtype float64
            1 at [s, t] for each pair of different streets within the radius.

        Raises
        ------
        ValueError
            If `radius` is not positive.

        Notes
        -----
        One search an origin, up to the radius, on as many threads as there are cores. Time grows
        with what the searches reach; memory is 16 bytes a pair, of which the result keeps 12, and
        in each thread some 30 bytes a node and turn. If streets have four nodes and no turn is
        forbidden, searches visit one of the four: metres do not depend on directions.
        """
        from ..measures.tolerance import reached
        from .near import near  # reports import this module, and no kernels

        if not is_number(radius) or not radius > 0:
            raise InputError(f"radius must be a positive number, got {radius!r}", "radius")
        reach = reached(self.metres, float(radius) if radius <= LARGEST else np.inf)
        n, q = len(self.street), len(self.origins)
        metres, sources, nodes = self.metres, self.origins, np.arange(n)
        is_end = np.isin(nodes, self.destinations)
        if self._turns_everywhere:
            # One of a street's four nodes stands for all: as a source for the origin, as another
            # node for the destination.
            turns = metres.tocoo()
            metres = _matrix(turns.row % q, turns.col % q, turns.data, q)
            sources, nodes, is_end = np.arange(q), self.destinations, np.ones(q, dtype=bool)
        pairs = CSR(np.zeros(len(nodes) + 1, dtype=np.int64), np.zeros(0, dtype=np.int32))
        if metres.nnz:
            asked = sources, reach, is_end, self.street[nodes]
            pairs = near(metres, *asked, workers=usable_cpus())
        found, _ = pairs.of_one_type
        kind = found.dtype
        indptr = np.zeros(n + 1, dtype=kind)
        indptr[self.origins + 1] = pairs.degrees[sources]
        arrays = np.ones(len(found)), nodes.astype(kind)[found], np.cumsum(indptr, dtype=kind)
        return scipy.sparse.csr_array(arrays, shape=(n, n))


def dual(
    city: Streets,
    *,
    degrees_weight: float = 1.0,
    metres_weight: float = METRES_WEIGHT,
    turn_penalty: TurnPenalty | None = None,
    u_turns: bool = False,
    ends: Ends = "directions",
) -> Dual:
    """Dual graph of streets: nodes are directed streets, and edges the turns between them.

    A turn costs

        metres_weight * (sum of both lengths) / 2 + degrees_weight * angle + turn_penalty

    so that a path costs its angles, its metres from middle to middle, or both.

    Parameters
    ----------
    city : Streets
        From `from_networkx`, with a ``geometry`` of edges or ``x`` and ``y`` of nodes, or from
        `from_geodataframe`; in projected coordinates. Each street has a node for each direction in
        which it can be used; so have parallel streets and loops.
    degrees_weight : float, default 1.0
        Cost of a degree of turning, from 0 on. The angle of a turn lies between the last segment of
        a street and the first of the next; bends within a street do not count. 0 makes paths
        metric.
    metres_weight : float, default 1e-4
        Cost of a metre, above 0, as shortest paths cannot be counted along edges that cost nothing.
        The default lets 10 km cost as much as one degree: among equal angles the shorter path wins.
    turn_penalty : mapping of str to float, or callable, optional
        Additional cost of a turn: for each class ``"straight"`` (up to 45 degrees either way),
        ``"left"``, ``"right"`` and ``"u"`` (into the same street, or by 180 degrees), by default 0;
        or a function that returns an array, from three arrays with an element for each turn: its
        angle in degrees (positive to the left) and the streets that it leads from and to (as rows
        of `on_edges`). ``inf`` forbids a turn.
    u_turns : bool, default False
        Whether a turn may lead back into its own street. In a directed graph that is another edge:
        the reverse one, of equal length and opposite directions.
    ends : {"directions", "streets"}, default "directions"
        Whether paths begin and end at directed streets, or at streets in the direction that costs
        less, as in cityseer; both are the same in a directed graph. The first and the last street
        of a path do not count. By length alone, with ``degrees_weight=0`` and no `turn_penalty`, an
        undirected street is one node. Otherwise it is four: its two directions, an origin with
        outgoing turns, and a destination with incoming turns; an origin leads to its own
        destination at half the cost of its least turn.

    Returns
    -------
    Dual
        A directed graph with costs as lengths. For q streets it has q nodes if they are directed,
        else 2 q; with ``ends="streets"`` 4 q, or q by length alone.

    Raises
    ------
    ImportError
        If shapely is not installed; or pyproj, if a graph has a coordinate reference system.
    TypeError
        If `city` is no `Streets`, or `turn_penalty` neither a mapping nor a callable.
    ValueError
        If a weight is negative or not finite, or `metres_weight` 0; if `turn_penalty` names another
        class, or is negative or NaN; if angles are needed and streets have no coordinates, no
        extent, or coordinates in degrees; or if `ends` is unknown.

    See Also
    --------
    Dual.on_edges : Scores of streets.
    Dual.within : Pairs within a metric radius, as an origin-destination matrix.

    Notes
    -----
    O(t log t) time and some 100 bytes for each of t turns, the sum over junctions of in-degree
    times out-degree. In an undirected graph ``ends="streets"`` has four times as many turns, but by
    length alone as many as ``ends="directions"``.

    References
    ----------
    .. [1] A. Turner, "From axial to road-centre lines: a new representation for space syntax and a
       new model of route choice for transport network analysis", Environment and Planning B 34,
       539-555 (2007), doi:10.1068/b32067

    Examples
    --------
    Two ways lead from the first street to the last: straight on, and a shorter one with turns.

    >>> import networkx as nx
    >>> import numpy as np
    >>> from sparsebc import betweenness, streets
    >>> G = nx.Graph()
    >>> for node, (x, y) in enumerate([(0, 0), (1, 0), (3, 0), (2, 1), (4, 0)]):
    ...     G.add_node(node, x=x, y=y)
    >>> for u, v, length in [(0, 1, 1), (1, 2, 9), (1, 3, 1), (3, 2, 1), (2, 4, 1)]:
    ...     G.add_edge(u, v, length=length)
    >>> city = streets.from_networkx(G)
    >>> for weights in ({}, {"metres_weight": 1, "degrees_weight": 0}):
    ...     turns = streets.dual(city, ends="streets", **weights)
    ...     scores = betweenness(turns.matrix, weighted=True, normalized=False, **turns.pairs)
    ...     np.bincount(turns.street, scores / 2)  # as turns.on_edges, without labels
    array([0., 1., 1., 1., 0.])
    array([0., 0., 2., 2., 0.])
    """
    _check(city, degrees_weight, metres_weight, u_turns, ends)
    street = np.flatnonzero(city.lengths > 0)
    backward = np.zeros(len(street), dtype=bool)
    if not city.directed:
        backward = np.repeat([False, True], len(street))
        street = np.tile(street, 2)
    tails, heads = np.where(backward, city.ends[street].T[::-1], city.ends[street].T)
    # Turns lead from a directed street to those that leave the junction where it arrives.
    order = np.argsort(tails, kind="stable")
    starts = np.append(0, np.cumsum(np.bincount(tails, minlength=city.matrix.shape[0])))
    count = starts[heads + 1] - starts[heads]
    first, then = np.repeat(np.arange(len(count)), count), order[ranges(starts[heads], count)]
    length = city.lengths[street]
    metres = (length[first] + length[then]) / 2
    between_streets = ends == "streets" and not city.directed
    if between_streets and degrees_weight == 0 and turn_penalty is None:
        # A node for both directions will do. No shortest path enters and leaves a street by the
        # same end: the streets before and after meet there, and the turn between them is shorter.
        q = len(street) // 2
        first, then = (arcs % max(q, 1) for arcs in (first, then))
        kept = first != then
        turns = [one[kept] for one in (first, then, metres_weight * metres, metres)]
        return _dual(city, turns, street[:q], backward[:q])
    leaving, arriving = _directions(city, street, backward)
    angle = _turning(arriving[first], leaving[then])
    back = street[first] == street[then]
    if city.directed:  # the other direction of a street is a street of its own
        back = tails[first] == heads[then]
        back &= np.isclose(length[first], length[then], rtol=1e-9, atol=0)
        for one, other in ((first, then), (then, first)):
            back &= np.abs(_turning(arriving[one] + 180, leaving[other])) < SAME_DEGREES
    with np.errstate(over="ignore"):
        cost = metres_weight * metres + degrees_weight * np.abs(angle)
    if not np.isfinite(cost).all():
        raise InputError(
            f"metres_weight={metres_weight} and degrees_weight={degrees_weight} make the cost of a "
            "turn infinite: divide both by a common factor",
            "metres_weight",
        )
    cost += _penalties(turn_penalty, angle, back, street[first], street[then])
    is_free = cost < np.inf
    kept = (first != then) & is_free & (u_turns | ~back)
    turns = [one[kept] for one in (first, then, cost, metres)]
    if not between_streets:
        return _dual(city, turns, street, backward)
    return _with_ends(city, turns, street, backward, everywhere=bool((is_free | back).all()))


def _check(city: Any, degrees_weight: Any, metres_weight: Any, u_turns: Any, ends: Any) -> None:
    """Refuse arguments of `dual`."""
    if not isinstance(city, Streets):
        raise InputTypeError(f"city must be a Streets, got {type(city).__name__}")
    for name, weight in (("degrees_weight", degrees_weight), ("metres_weight", metres_weight)):
        if not is_number(weight) or not 0 <= weight <= LARGEST:
            raise InputError(f"{name} must be a number from 0 on, got {weight!r}", name)
    if metres_weight == 0:
        raise InputError(
            "metres_weight must be above 0, as straight turns would cost 0: 1e-4 decides among "
            "equal angles only",
            "metres_weight",
        )
    check_flags(u_turns=u_turns)
    check_choice("ends", ends, get_args(Ends))


# Nodes where turns begin and end, their costs, and metres between the middles of both streets.
Turns = Sequence[NDArray[Any]]


def _dual(
    city: Streets, turns: Turns, street: NDArray[np.int64], backward: NDArray[np.bool_]
) -> Dual:
    """Dual graph in which paths begin and end at any node."""
    nodes = np.arange(len(street))
    first, then, *values = turns
    matrix, metres = (_matrix(first, then, one, len(street)) for one in values)
    return Dual(matrix, metres, street, backward, nodes, nodes, city, _turns_everywhere=False)


def _with_ends(
    city: Streets,
    turns: Turns,
    street: NDArray[np.int64],
    backward: NDArray[np.bool_],
    *,
    everywhere: bool,
) -> Dual:
    """Dual graph with two more nodes for each of q streets, where paths begin and end.

    The 2 q nodes of ``turns`` are both directions of each street.
    """
    n, q = len(street), len(street) // 2
    origins, destinations = n + np.arange(q), n + q + np.arange(q)
    # A turn between two streets has three copies: from the origin, to the destination, or both.
    first, then, *values = turns
    copied = street[first] != street[then]
    begin, end = first[copied], then[copied]
    origin, destination = origins[begin % q], destinations[end % q]
    first = np.concatenate((first, origin, begin, origin))
    then = np.concatenate((then, end, destination, destination))
    cost, metres = (np.concatenate((one, *[one[copied]] * 3)) for one in values)
    street = np.concatenate((street, street))
    metres = _matrix(first, then, metres, 2 * n)
    # An origin leads to its own destination. By other streets that costs at least the first turn,
    # so half the least turn is less, and no such path counts for them.
    least = np.full(n + q, np.inf)
    np.minimum.at(least, first, cost)
    own = origins[least[origins] < np.inf]
    cost = np.concatenate((cost, least[own] / 2))
    matrix = _matrix(np.append(first, own), np.append(then, own + q), cost, 2 * n)
    backward = np.concatenate((backward, np.zeros(n, dtype=bool)))
    return Dual(matrix, metres, street, backward, origins, destinations, city, everywhere)


def _matrix(
    row: NDArray[np.int64], column: NDArray[np.int64], data: NDArray[np.float64], n: int
) -> Any:
    """CSR array of turns; of parallel turns the least value."""
    return assemble(row, column, data, n, "turn {}".format, shortest=True)


def _directions(
    city: Streets, street: NDArray[np.int64], backward: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Directions of directed streets in degrees: of their first segments and of their last."""
    first, last = city.bearings()[street].T
    if (point := np.flatnonzero(np.isnan(first))).size:
        raise InputError(
            f"the line of street {street[point[0]]}, in the order of on_edges, is a point, and its "
            "turns have no angle: leave it out"
        )
    return np.where(backward, last + 180, first), np.where(backward, first + 180, last)


def _turning(before: NDArray[np.float64], after: NDArray[np.float64]) -> NDArray[np.float64]:
    """Angle from direction ``before`` to ``after`` in degrees, -180..180, positive to the left."""
    return (after - before + 180) % 360 - 180


def _penalties(
    turn_penalty: TurnPenalty | None,
    angle: NDArray[np.float64],
    back: NDArray[np.bool_],
    origin: NDArray[np.int64],
    destination: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Penalty of each turn, at least 0; infinite if it is forbidden."""
    if turn_penalty is None:
        return np.zeros(len(angle))
    if isinstance(turn_penalty, Mapping):
        if unknown := set(turn_penalty) - set(CLASSES):
            raise InputError(
                f"turn_penalty has no class {min(map(str, unknown))!r}; its classes are "
                f"{', '.join(CLASSES)}",
                "turn_penalty",
            )
        by_class = np.array([turn_penalty.get(name, 0.0) for name in CLASSES])
        size = np.abs(angle)
        side = np.where(angle > 0, 1, 2) * (size > STRAIGHT + SAME_DEGREES)
        given = by_class[np.where(back | (size > 180 - SAME_DEGREES), 3, side)]
    elif callable(turn_penalty):
        given = array_of(
            "turn_penalty", turn_penalty(angle, origin, destination), "iuf", "be numbers"
        )
    else:
        raise InputTypeError(
            f"turn_penalty must be a mapping or a callable, got {type(turn_penalty).__name__}"
        )
    if given.dtype.kind not in "iuf" or given.shape not in ((), angle.shape):
        raise InputError(
            f"turn_penalty has dtype {given.dtype} and shape {given.shape}; expected a number for "
            f"each of {len(angle)} turns",
            "turn_penalty",
        )
    if not (given >= 0).all():
        raise InputError(
            f"turn_penalty must be from 0 on, got {given[~(given >= 0)][0]}", "turn_penalty"
        )
    return np.broadcast_to(given, angle.shape).astype(np.float64)
