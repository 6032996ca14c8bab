"""A time to be done by: how much work there is time for, at the rate of the work so far."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

from ...jit import working_time

# Share of the time left that is planned for: work that runs over would be lost.
PLANNED = 0.8
# Units of the first round, which tells the rate, and least of a later one.
WARM_UP = 64


class TimeUp(Exception):
    """Work was stopped because its time was up."""


class TimeLimit:
    """Seconds from its making on; None for no limit."""

    def __init__(self, seconds: float | None) -> None:
        self.begun, self.seconds = time.monotonic(), seconds
        self._end = None if seconds is None else self.begun + seconds
        self._rate: float | None = None  # units a second, of the last round

    def spend(self, seconds: float) -> None:
        """Take off the time of earlier runs."""
        if self._end is not None:
            self._end -= seconds

    def affordable(self, most: int) -> int:
        """Of at most so many units, those that there is time for; zero if too few to begin."""
        if self._end is None:
            return most
        left = self._end - time.monotonic()
        if left <= 0:
            return 0
        if self._rate is None:
            return min(most, WARM_UP)
        units = int(min(most, PLANNED * left * self._rate))
        return units if units >= min(most, WARM_UP) else 0

    @contextmanager
    def measured(self, units: int) -> Iterator[None]:
        """Take the rate of a round of work; a round of which only a part is done has no units."""
        begun = working_time()
        yield
        if units:
            self._rate = units / max(working_time() - begun, 1e-9)

    def check(self) -> None:
        """Raise `TimeUp` if it is."""
        if self._end is not None and time.monotonic() >= self._end:
            raise TimeUp
