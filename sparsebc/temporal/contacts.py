"""Contacts: the edges of a temporal network, sorted by departure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..arguments import array_of, is_int
from ..errors import InputError, InputTypeError

EXACT = 2**53  # all integers below are floats


@dataclass(frozen=True, init=False, eq=False)
class Contacts:
    """Timed edges: each departs from a node at a time, and arrives at another after its duration.

    Durations are all 0 or all positive. With 0, a walk may take several edges at the same time. For
    walks of at most one edge a time step, give durations of one step.

    Parameters
    ----------
    source, target : array_like of int, shape (m,)
        Nodes (from 0 on) that each edge leaves and enters. Edges from a node to itself are left
        out. Equal edges are different walks.
    time : array_like of numbers, shape (m,)
        Departure of each edge, in any unit: 64-bit integers with 64-bit differences, or finite
        reals. With integers from 2**53 on, durations must be integer-valued.
    duration : array_like of numbers, shape (m,), or number, optional
        Duration of each edge, in the same unit; 0 by default.
    n : int, optional
        Number of nodes; by default the length of `nodes`, or one more than the largest node.
    nodes : sequence, length n, optional
        Name of each node.

    Attributes
    ----------
    source, target : ndarray, shape (m,), dtype int32
        Nodes of the edges, which are sorted by departure, then duration, source and target.
    time, duration : ndarray, shape (m,), dtype int64 or float64
        Departures and durations, of one type.
    n : int
        Number of nodes.
    nodes : tuple or None
        Names of the nodes.

    Raises
    ------
    TypeError
        If nodes are not ints, or times and durations are not real numbers.
    ValueError
        If the arrays differ in shape; if a node lies outside 0..n - 1; if there are more than
        2**31 - 1 nodes or edges; if a time or duration is NaN, infinite or too large to be added;
        if durations are negative, or some are 0 and others not (edges of duration 0 could then form
        cycles that take no time beside edges that take some); if `nodes` does not name n nodes.

    Examples
    --------
    Node 1 meets 0 at time 1, and 2 at time 2:

    >>> from sparsebc import temporal
    >>> contacts = temporal.Contacts([1, 0], [2, 1], [2, 1])
    >>> contacts
    <Contacts: 2 edges among 3 nodes, from 1 to 2>
    >>> contacts.source
    array([0, 1], dtype=int32)
    """

    source: NDArray[np.int32]
    target: NDArray[np.int32]
    time: NDArray[Any]
    duration: NDArray[Any]
    n: int
    nodes: tuple[Any, ...] | None

    def __init__(
        self,
        source: ArrayLike,
        target: ArrayLike,
        time: ArrayLike,
        duration: ArrayLike | None = None,
        n: int | None = None,
        nodes: Sequence[Any] | None = None,
    ) -> None:
        try:
            nodes = None if nodes is None else tuple(nodes)
        except TypeError as error:
            raise InputTypeError(f"nodes must be a list of names, got {nodes!r:.60}") from error
        ends, count = _ends(source, target, n, nodes)
        size = ends[0].size
        departure = _times("time", time)
        durations = _times("duration", 0 if duration is None else duration)
        if durations.ndim == 0:
            durations = np.full(size, durations)
        for name, values in (("target", ends[1]), ("time", departure), ("duration", durations)):
            if values.shape != ends[0].shape:
                raise InputError(
                    f"{name} must have one value for each of the {size} edges of source, got shape "
                    f"{values.shape}",
                    name,
                )
        departure, durations = _of_one_type(departure, durations)
        _check_times(departure, durations)
        is_link = ends[0] != ends[1]
        tails, heads = (each[is_link].astype(np.int32) for each in ends)
        departure, durations = departure[is_link], durations[is_link]
        order = np.lexsort((heads, tails, durations, departure))
        arrays: dict[str, NDArray[Any]] = {
            "source": tails[order],
            "target": heads[order],
            "time": departure[order],
            "duration": durations[order],
        }
        for array in arrays.values():
            array.flags.writeable = False
        for name, value in {**arrays, "n": count, "nodes": nodes}.items():
            object.__setattr__(self, name, value)

    def __len__(self) -> int:
        """Number of edges."""
        return self.source.size

    def __repr__(self) -> str:
        """Numbers of edges and nodes, first and last departure, in one line."""
        span = f", from {self.time[0]} to {self.time[-1]}" if len(self) else ""
        return f"<Contacts: {len(self):,} edges among {self.n:,} nodes{span}>"


def _ends(
    source: Any, target: Any, n: Any, nodes: tuple[Any, ...] | None
) -> tuple[list[NDArray[Any]], int]:
    """Ends of the edges, and the number of nodes; raises if an end lies outside of 0..n - 1."""
    ends = {}
    for name, values in (("source", source), ("target", target)):
        array = array_of(name, values, "iu", "hold node numbers (ints)")
        if array.ndim != 1:
            raise InputError(f"{name} must be one-dimensional, got shape {array.shape}", name)
        ends[name] = array if array.size else array.astype(np.int64)
    if n is None:
        highest = max((int(each.max()) for each in ends.values() if each.size), default=-1)
        n = highest + 1 if nodes is None else len(nodes)
    if not is_int(n):
        raise InputTypeError(f"n must be an int, got {n!r}")
    if n < 0:
        raise InputError(f"n must not be negative, got {n}", "n")
    if nodes is not None and len(nodes) != n:
        raise InputError(f"nodes must name each of the n={n} nodes, got {len(nodes)}", "nodes")
    size, most = ends["source"].size, np.iinfo(np.int32).max
    if n > most or size > most:
        raise InputError(f"Contacts hold up to {most} nodes and edges, got {n}, {size}")
    for name, each in ends.items():
        outside = each[(each < 0) | (each >= n)]
        if outside.size:
            raise InputError(f"{name} must lie in 0..{n - 1}, got {outside[0]}", name)
    return list(ends.values()), int(n)


def _times(name: str, values: Any) -> NDArray[Any]:
    """Finite times as int64 or float64."""
    array = array_of(
        name, values, "iuf", "hold real numbers (of dates, as seconds: values.astype('int64'))"
    )
    if array.dtype.kind == "f":
        bad = ~np.isfinite(array)
        if bad.any():
            raise InputError(f"{name} must be finite, got {array[bad][0]}: leave it out", name)
        return array.astype(np.float64)
    if array.dtype.kind == "u" and array.size and array.max() > np.iinfo(np.int64).max:
        raise InputError(f"{name} must be below 2**63, got {array.max()}", name)
    return array.astype(np.int64)


def _of_one_type(time: NDArray[Any], duration: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Times and durations of one type, without rounding.

    Floats do not hold all integers from 2**53 on: beside these, the other array becomes int64.
    """
    pair = {"time": time, "duration": duration}
    for name, other in (("time", "duration"), ("duration", "time")):
        integers, reals = pair[name], pair[other]
        if integers.dtype.kind == "f" or reals.dtype.kind == "i":
            continue
        if (inexact := integers[(integers >= EXACT) | (integers <= -EXACT)]).size:
            wrong = reals[(reals != np.floor(reals)) | (abs(reals) >= 2.0**63)]
            if wrong.size:
                raise InputError(
                    f"{name} {inexact[0]} beside {other} {wrong[0]} would be rounded: use "
                    "another unit, or subtract the first time",
                    name,
                )
            pair[other] = reals.astype(np.int64)
    kind = np.result_type(*pair.values())
    return pair["time"].astype(kind), pair["duration"].astype(kind)


def _check_times(time: NDArray[Any], duration: NDArray[Any]) -> None:
    """Refuse durations that are negative, or zero beside positive ones, and arrivals out of range.

    A positive duration must not be rounded away. Differences of integer times must have 64 bits.
    """
    if not time.size:
        return
    least, most = duration.min(), duration.max()
    if least < 0:
        raise InputError(f"duration must not be negative, got {least}", "duration")
    if least == 0 < most:
        raise InputError(
            f"duration must be all 0 or all positive, got 0 and {most}: walks along edges of "
            "duration 0 could be cycles; give these a small duration, or leave all durations out",
            "duration",
        )
    with np.errstate(over="ignore"):
        arrival = time + duration
    bad = np.isinf(arrival) if arrival.dtype.kind == "f" else arrival < time
    if most > 0:
        bad |= arrival <= time
    first, last = time.min().item(), arrival.max().item()
    if arrival.dtype.kind == "i" and last - first > np.iinfo(np.int64).max and not bad.any():
        raise InputError(
            f"time must span less than 2**63, got {first} to {last}: use another unit", "time"
        )
    if bad.any():
        at = int(np.argmax(bad))
        raise InputError(
            f"duration must lead to a later number in {time.dtype}, got {time[at]} + "
            f"{duration[at]}: use another unit, or subtract the first time",
            "duration",
        )
