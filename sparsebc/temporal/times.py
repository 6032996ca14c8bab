"""Times and durations as numbers, from texts, dates and columns of data frames."""

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
from ..plain_text import in_ascii, quoted

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)
LARGEST = 2**53  # from here on, floats do not hold all integers
EXPECTED = (
    "a number below 2**53, or an integer of 64 bits, or a date and time as "
    "2026-11-26T08:30:00, to microseconds, of one kind in all rows"
)


def numbers(
    column: NDArray[Any] | Sequence[Any],
    role: str,
    location: Callable[[int], str],
    number: Callable[[str], float] = float,
) -> NDArray[Any]:
    """Numbers of a column: int64 if all are integers, else float64; dates in seconds since 1970.

    Parameters
    ----------
    column : array or sequence of str
        Numbers, dates or durations, or their texts. Dates without a time zone are in UTC.
    role : str
        What the column holds, for messages.
    place : callable
        Location of row k, for messages.
    number : callable
        Parser of a text that is a number.

    Raises
    ------
    ValueError
        If a row holds none of these, or another kind than earlier rows.
    """
    array = np.asarray(column) if isinstance(column, np.ndarray) else np.array(column, dtype=object)
    if array.dtype.kind in "Mm":
        missing = np.isnat(array)
        found = np.where(missing, np.nan, 0) if missing.any() else _seconds(array, role, location)
    elif array.dtype.kind in "iuf":
        found = array
    else:
        found = _of_objects(array.tolist(), role, location, number)
    if found.dtype.kind == "f":
        wrong = ~(abs(found) < LARGEST)
    else:
        wrong = found > np.iinfo(np.int64).max
    if wrong.any():
        k = int(np.argmax(wrong))
        raise _refused(array[k], role, location(k))
    return found.astype(np.float64 if found.dtype.kind == "f" else np.int64, copy=False)


def _refused(value: Any, role: str, location: str) -> InputError:
    """Error about the value of a row."""
    told = quoted(value) if isinstance(value, str) else str(value)
    return InputError(f"{location}: {role} {told}; expected {EXPECTED}")


def _seconds(array: NDArray[Any], role: str, location: Callable[[int], str]) -> NDArray[Any]:
    """Seconds of NumPy dates or durations; raises if two different ones would be equal floats."""
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
            f"{location(int(after))}: {role} {array[after]}, which equals {array[k]} in floats of "
            "seconds; expected times farther apart, or the durations since the first of them"
        )
    return found


def _of_objects(
    column: list[Any], role: str, location: Callable[[int], str], number: Callable[[str], float]
) -> NDArray[Any]:
    """Numbers from texts or Python objects: all integers, all reals, or all dates or durations."""
    farthest = 0  # first row that the most successful reader cannot read
    for read in (_integer, partial(_real, number=number), _moment):
        values: list[Any] = []
        try:
            values.extend(map(read, column))
        except (TypeError, ValueError):
            farthest = max(farthest, len(values))
            continue
        if read is _moment:
            return _of_moments(values, column, role, location)
        return np.array(values, dtype=np.int64 if read is _integer else np.float64)
    raise _refused(column[farthest], role, location(farthest))


def _integer(cell: Any) -> int:
    """64-bit integer from a text or a number."""
    if isinstance(cell, bool) or not isinstance(cell, (str, Integral)):
        raise TypeError
    value = int(in_ascii(cell) if isinstance(cell, str) else cell)
    if not -(2**63) <= value < 2**63:
        raise ValueError
    return value


def _real(cell: Any, number: Callable[[str], float]) -> float:
    """Float from a text or a number."""
    if isinstance(cell, bool) or not isinstance(cell, (str, Real)):
        raise TypeError
    return number(cell) if isinstance(cell, str) else float(cell)


def _moment(cell: Any) -> datetime:
    """Date and time, to microseconds, from a text, a date or a duration since 1970."""
    if getattr(cell, "nanoseconds", 0) or getattr(cell, "nanosecond", 0):  # of pandas types
        raise ValueError
    if isinstance(cell, str):
        if re.search(r"[.,][0-9]{6}0*[1-9]", cell):  # digits that Python would drop
            raise ValueError
        return datetime.fromisoformat(cell)
    if isinstance(cell, timedelta):
        return EPOCH + cell
    if isinstance(cell, datetime):
        return cell.replace(tzinfo=cell.tzinfo)  # ValueError for NaT, a datetime in pandas
    if isinstance(cell, date):
        return datetime.combine(cell, time())
    raise TypeError


def _of_moments(
    moments: list[datetime], column: list[Any], role: str, location: Callable[[int], str]
) -> NDArray[Any]:
    """Seconds since 1970; int64 if all are integer-valued."""
    is_naive = [one.tzinfo is None for one in moments]
    if len({*is_naive}) > 1:
        k = is_naive.index(not is_naive[0])
        raise InputError(
            f"{location(k)}: {role} {quoted(column[k])}, and {quoted(column[0])} in the "
            "first row; expected a time zone in all rows or in none"
        )
    zone = {"tzinfo": UTC} if moments and is_naive[0] else {}
    counts = [(one.replace(**zone) - EPOCH) // MICROSECOND for one in moments]  # type: ignore[arg-type]
    whole, rest = np.divmod(np.array(counts, dtype=np.int64), 1_000_000)
    return whole + rest / 1e6 if rest.any() else whole
