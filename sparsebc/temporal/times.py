"""Times and durations as numbers: of texts, dates and the columns of data frames."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import partial
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..plain_text import in_ascii

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
LARGEST = 2**53  # from there on floats are rounded to more than a unit
EXPECTED = (
    "a number below 2**53, or a whole one of 64 bits, or a date and time as "
    "2026-11-26T08:30:00, to microseconds, of one kind in all rows"
)


def numbers(
    column: NDArray[Any] | Sequence[Any],
    role: str,
    place: Callable[[int], str],
    number: Callable[[str], float] = float,
) -> NDArray[Any]:
    """Numbers of a column: whole ones as int64, others as float64, dates as seconds since 1970.

    Parameters
    ----------
    column : array or sequence of str
        Numbers, dates or durations, or their texts. Dates without a time zone are in UTC.
    role : str
        What the column holds, for messages.
    place : callable
        Where row k stands.
    number : callable
        Value of a text that is a number.

    Raises
    ------
    ValueError
        If a row holds none of these, or another kind than those before it.
    """
    array = np.asarray(column) if isinstance(column, np.ndarray) else np.array(column, dtype=object)
    if array.dtype.kind in "Mm":
        missing = np.isnat(array)
        found = np.where(missing, np.nan, 0) if missing.any() else _seconds(array, role, place)
    elif array.dtype.kind in "iuf":
        found = array
    else:
        found = _of_objects(array.tolist(), role, place, number)
    if found.dtype.kind == "f":
        wrong = ~(abs(found) < LARGEST)
    else:
        wrong = found > np.iinfo(np.int64).max
    if wrong.any():
        k = int(np.argmax(wrong))
        raise _refused(array[k], role, place(k))
    return found.astype(np.float64 if found.dtype.kind == "f" else np.int64, copy=False)


def _refused(value: Any, role: str, place: str) -> InputError:
    told = repr(value) if isinstance(value, str) else str(value)
    return InputError(f"{place}: {role} {told}; expected {EXPECTED}")


def _seconds(array: NDArray[Any], role: str, place: Callable[[int], str]) -> NDArray[Any]:
    """Seconds of dates or durations of NumPy, as many distinct ones."""
    seconds = array.astype(f"{array.dtype.kind}8[s]")
    rest = (array - seconds).astype("m8[ns]").astype(np.int64)
    whole = seconds.astype(np.int64)
    if not rest.any():
        return whole
    found: NDArray[np.float64] = whole + rest / 1e9
    order = np.argsort(array)
    merged = (np.diff(found[order]) == 0) & (np.diff(array[order]) != np.timedelta64(0))
    if merged.any():
        k, after = order[np.argmax(merged) :][:2]
        raise InputError(
            f"{place(int(after))}: {role} {array[after]}, which is {array[k]} as well in floats of "
            "seconds; expected times farther apart, or the durations since the first of them"
        )
    return found


def _of_objects(
    column: list[Any], role: str, place: Callable[[int], str], number: Callable[[str], float]
) -> NDArray[Any]:
    """Numbers of texts, or of objects of Python."""
    farthest = 0  # row that no kind reaches beyond
    for read in (_integer, partial(_real, number=number), _moment):
        values: list[Any] = []
        try:
            values.extend(map(read, column))
        except (TypeError, ValueError):
            farthest = max(farthest, len(values))
            continue
        if read is _moment:
            return _of_moments(values, column, role, place)
        return np.array(values, dtype=np.int64 if read is _integer else np.float64)
    raise _refused(column[farthest], role, place(farthest))


def _integer(one: Any) -> int:
    if isinstance(one, bool) or not isinstance(one, (str, Integral)):
        raise TypeError
    value = int(in_ascii(one) if isinstance(one, str) else one)
    if not -(2**63) <= value < 2**63:
        raise ValueError
    return value


def _real(one: Any, number: Callable[[str], float]) -> float:
    if isinstance(one, bool) or not isinstance(one, (str, Real)):
        raise TypeError
    return number(one) if isinstance(one, str) else float(one)


def _moment(one: Any) -> datetime:
    """Date and time of a text, a date or a duration since 1970, to microseconds."""
    if getattr(one, "nanoseconds", 0) or getattr(one, "nanosecond", 0):  # of pandas
        raise ValueError
    if isinstance(one, str):
        if re.search(r"[.,][0-9]{6}0*[1-9]", one):  # which Python would drop
            raise ValueError
        return datetime.fromisoformat(one)
    if isinstance(one, timedelta):
        return EPOCH + one
    if isinstance(one, datetime):
        return one.replace(tzinfo=one.tzinfo)  # of pandas, NaT is one without a time: ValueError
    if isinstance(one, date):
        return datetime.combine(one, time())
    raise TypeError


def _of_moments(
    moments: list[datetime], column: list[Any], role: str, place: Callable[[int], str]
) -> NDArray[Any]:
    """Seconds since 1970, whole ones as integers."""
    is_utc = [one.tzinfo is None for one in moments]
    if len({*is_utc}) > 1:
        k = is_utc.index(not is_utc[0])
        raise InputError(
            f"{place(k)}: {role} {column[k]!r}, and {column[0]!r} in the first row; expected a "
            "time zone in all rows or in none"
        )
    zone = {"tzinfo": UTC} if moments and is_utc[0] else {}
    counts = [(one.replace(**zone) - EPOCH) // MICROSECOND for one in moments]  # type: ignore[arg-type]
    whole, rest = np.divmod(np.array(counts, dtype=np.int64), 1_000_000)
    return whole + rest / 1e6 if rest.any() else whole
