"""A time limit, and the work that fits it at the rate so far."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from ..jit import working_time

# Share of the time left that is planned for: a round that overruns would be lost.
PLANNED = 0.8
# Units of the first round, which tells the rate, and least of a later one.
WARM_UP = 64


class TimeUp(Exception):
    """The time limit was reached, and work stopped."""


class TimeLimit:
    """Limit of ``seconds`` from now on; None for no limit."""

    def __init__(self, seconds: float | None) -> None:
        self.begun, self.seconds = time.monotonic(), seconds
        self._end = None if seconds is None else self.begun + seconds
        self._rate: float | None = None  # units a second, of the last round

    def spend(self, seconds: float) -> None:
        """Subtract the time of earlier runs."""
        if self._end is not None:
            self._end -= seconds

    def affordable(self, most: float) -> float:
        """Number of units that fit the time, at most ``most``; zero if too few to begin."""
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
        """Measure the rate of a round of work; a round that goes on in part has no units."""
        begun = working_time()
        yield
        if units:
            self._rate = units / max(working_time() - begun, 1e-9)

    def check(self) -> None:
        """Raise `TimeUp` if the limit is reached."""
        if self._end is not None and time.monotonic() >= self._end:
            raise TimeUp
