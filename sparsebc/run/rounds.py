"""A stopped run in rounds goes on in the midst of a round.

The state holds the facts known before the round in hand, and the ordered sum of that round. The
facts do not change while the sum grows, and both are replaced by those of the next round at once:
they belong together at every moment.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, Protocol

from numpy.typing import NDArray

from ..errors import InputError
from .checkpoint import Checkpoint, State
from .ordered_sum import DoesNotFit, OrderedSum


class Known(NamedTuple):
    """Facts known before a round."""

    draws: int  # of the round
    drawn: int  # before it
    expected: int  # in all
    half_width: float  # the largest
    arrays: list[NDArray[Any]]


class _Intervals(Protocol):
    """Statistics of the draws of all rounds."""

    population: int

    def restore(self, drawn: int, expected: int, arrays: list[NDArray[Any]]) -> None:
        """Be as far as statistics of that state; ValueError if there can be none."""


class Rounds:
    """The rounds of a run, kept in a checkpoint if there is one."""

    def __init__(self, checkpoint: Checkpoint | None, seconds: float | None) -> None:
        self._checkpoint, self._seconds = checkpoint, seconds
        self._next: Known | None = None  # before the round to come
        self._found: Known | None = None  # before the round in which a run was stopped
        self._found_sum: State | None = None  # of that round, until it is restored
        self._of_sum = 0  # sources of that round
        self.behind = 0  # draws of earlier runs
        self.spent = 0.0  # seconds of theirs, until they were last saved; all if these were enough
        if checkpoint is not None and checkpoint.found is not None:
            try:
                self._read(checkpoint, checkpoint.found, checkpoint.arrays)
            except (KeyError, TypeError, ValueError) as error:
                raise DoesNotFit(f"no round of an estimate: {error}") from error

    def _read(
        self, checkpoint: Checkpoint, header: dict[str, Any], arrays: list[NDArray[Any]]
    ) -> None:
        allowed = header["of_seconds"]
        is_over = header["finished"] and None not in (self._seconds, allowed)
        self.spent = checkpoint.before
        if is_over and self._seconds <= allowed:
            self.spent = math.inf
        if header["before"] is None:
            return
        draws, drawn, expected, half_width = header["before"]
        count, self.behind, self._of_sum = map(
            operator.index, (header["arrays_before"], header["sources"], header["of_sum"])
        )
        self._found = Known(draws, drawn, expected, half_width, arrays[:count])
        numbers = header["sum"]
        operator.index(numbers["sources"])
        if numbers["next"] or numbers["out_of_range"][1:]:
            self._found_sum = numbers, arrays[count:]

    def restore(self, intervals: _Intervals) -> None:
        """Restore the statistics before the round in hand, if a run was stopped there."""
        if self._found is None:
            return
        draws, drawn, expected, _, arrays = self._found
        try:
            intervals.restore(drawn, expected, arrays)
            if not 0 < draws <= intervals.population - drawn:
                raise InputError(f"a round of {draws} draws")
        except (TypeError, ValueError) as error:
            raise DoesNotFit(str(error)) from error

    @property
    def in_hand(self) -> int:
        """Draws of the round that was cut short, until it is restored; 0 if it had no sum yet."""
        return self._found.draws if self._found and self._found_sum else 0

    @property
    def is_swept(self) -> bool:
        """Whether the sum of that round is whole."""
        return self._found_sum is not None and self._found_sum[0]["sources"] == self._of_sum

    def begin(
        self,
        draws: int,
        drawn: int,
        expected: int,
        half_width: float,
        state: Callable[[], list[NDArray[Any]]],
    ) -> None:
        """Set the facts known before the round to come, as in `Known`."""
        if self._checkpoint is not None:
            self._next = Known(draws, drawn, expected, half_width, state())

    @contextmanager
    def keeping(self, so_far: OrderedSum, sources: int) -> Iterator[Callable[[], None]]:
        """Restore the sum of a round that was cut short, and save it on calls if a save is due."""
        known = self._next
        if self._checkpoint is None or known is None:
            yield lambda: None
            return

        def complete(state: State) -> State:
            numbers, of_sum = state
            header = {
                "before": list(known[:-1]),
                "arrays_before": len(known.arrays),
                "sum": numbers,
                "of_sum": sources,
                "sources": known.drawn + known.draws * numbers["sources"] // max(sources, 1),
                "of_sources": known.expected,
                **self._facts(known.half_width),
            }
            return header, [*known.arrays, *of_sum]

        if self._found_sum is not None:
            so_far.restore(*self._found_sum)
            self._found_sum = None
        self._checkpoint.keep(so_far, complete)
        yield self._checkpoint.save_if_due

    def end(self, half_width: float) -> None:
        """Save that all is done."""
        if self._checkpoint is None:
            return
        facts = self._facts(half_width)
        if self._found is None and self._next is None:  # nothing was to be drawn, or no time for it
            facts |= {"before": None, "sources": 0, "of_sources": 0}
        self._checkpoint.finish(facts)

    def _facts(self, half_width: float) -> dict[str, Any]:
        return {"half_width": half_width, "of_seconds": self._seconds}
