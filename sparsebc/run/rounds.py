"""A run in rounds that was stopped goes on in the midst of one.

What is kept is what was known before the round in hand, and the ordered sum of that round. The one
does not change while the other grows, and both are changed for those of the next round at once:
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
from .checkpoint import Checkpoint, opened
from .options import Run
from .ordered_sum import DoesNotFit, OrderedSum


class Known(NamedTuple):
    """What is known before a round."""

    draws: int  # of the round
    drawn: int  # before it
    expected: int  # in all
    half_width: float  # the largest
    arrays: list[NDArray[Any]]


class _Sum(Protocol):
    """An ordered sum, as far as it is kept."""

    whole: bool

    @property
    def sources(self) -> int:
        """That are in it."""

    def state(self) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        """What it takes to go on, as `OrderedSum.restore` has it."""


class _Intervals(Protocol):
    """What the draws of all rounds tell."""

    population: int

    def restore(self, drawn: int, expected: int, arrays: list[NDArray[Any]]) -> None:
        """Know what was known when that was the state; ValueError if it cannot have been."""


class _Found:
    """One that was kept and is not taken up yet."""

    whole = True

    def __init__(self, numbers: dict[str, Any], arrays: list[NDArray[Any]]) -> None:
        self.numbers, self._arrays = numbers, arrays
        self.sources: int = numbers["sources"]
        self.is_begun = bool(numbers["next"] or numbers["out_of_range"][1:])

    def state(self) -> tuple[dict[str, Any], list[NDArray[Any]]]:
        """As it was found."""
        return self.numbers, self._arrays


class Rounds:
    """The rounds of a run, kept in a checkpoint if there is one."""

    def __init__(self, checkpoint: Checkpoint | None, seconds: float | None) -> None:
        self._checkpoint, self._seconds = checkpoint, seconds
        self._next: Known | None = None  # before the round to come
        self._now: tuple[Known, _Sum, int] | None = None  # with the sources of the sum in all
        self.found: Known | None = None  # before the round that was in hand when a run was stopped
        self.behind = 0  # draws of earlier runs
        self.spent = 0.0  # seconds of theirs, until they were last saved; all if these were enough
        if checkpoint is not None and checkpoint.found is not None:
            try:
                self._restore(checkpoint, checkpoint.found, checkpoint.arrays)
            except (KeyError, TypeError, ValueError) as error:
                raise DoesNotFit(f"no round of an estimate: {error}") from error

    def _restore(
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
        count, self.behind, of_sum = map(
            operator.index, (header["arrays_before"], header["sources"], header["of_sum"])
        )
        self.found = Known(draws, drawn, expected, half_width, arrays[:count])
        self._now = self.found, _Found(header["sum"], arrays[count:]), of_sum

    def restore(self, intervals: _Intervals) -> None:
        """Tell what was known before the round in hand, if a run was stopped there."""
        if self.found is None:
            return
        draws, drawn, expected, _, arrays = self.found
        try:
            intervals.restore(drawn, expected, arrays)
            if not 0 < draws <= intervals.population - drawn:
                raise InputError(f"a round of {draws} draws")
        except (TypeError, ValueError) as error:
            raise DoesNotFit(str(error)) from error

    @property
    def in_hand(self) -> int:
        """Draws of the round that was cut short, until it is taken up; 0 if it had no sum yet."""
        if self._now is None or not isinstance(self._now[1], _Found):
            return 0
        return self._now[0].draws if self._now[1].is_begun else 0

    @property
    def is_swept(self) -> bool:
        """Whether the sum of the round is whole."""
        return self._now is not None and self._now[1].sources == self._now[2]

    def begin(
        self,
        draws: int,
        drawn: int,
        expected: int,
        half_width: float,
        state: Callable[[], list[NDArray[Any]]],
    ) -> None:
        """Say what is known before the round to come, as in `Known`."""
        if self._checkpoint is not None:
            self._next = Known(draws, drawn, expected, half_width, state())

    @contextmanager
    def keeping(self, so_far: OrderedSum, sources: int) -> Iterator[Callable[[], None]]:
        """Restore the sum of a round that was cut short, and save it when it is time to."""
        if self._checkpoint is None or self._next is None:
            yield lambda: None
            return
        is_first = self._checkpoint.found is None and self._now is None
        if self._now is not None and self.in_hand:
            so_far.restore(*self._now[1].state())
        self._now = self._next, so_far, sources
        if is_first:
            self._save(self._next.half_width)
        yield self._save_if_due

    def end(self, half_width: float) -> None:
        """Save that all is done, unless it was saved before."""
        found = self._checkpoint and self._checkpoint.found
        if self._checkpoint and not (found and found["finished"] and self._is_as_found(found)):
            self._save(half_width, finished=True)

    def save_what_is_whole(self) -> None:
        """Save on an error."""
        if self._checkpoint is not None and self._now is not None and self._now[1].whole:
            self._save(self._now[0].half_width)

    def _is_as_found(self, found: dict[str, Any]) -> bool:
        """Whether nothing was swept since."""
        if self._now is None:
            return True
        known, so_far, _ = self._now
        before, there = list(known[:-1]), found["before"]
        return before == there and bool(so_far.sources == found["sum"]["sources"])

    def _save_if_due(self) -> None:
        if self._checkpoint and self._checkpoint.due and self._now:
            self._save(self._now[0].half_width)

    def _save(self, half_width: float, *, finished: bool = False) -> None:
        assert self._checkpoint is not None
        state: dict[str, Any] = {"before": None, "sources": 0, "of_sources": 0}
        arrays: list[NDArray[Any]] = []
        if self._now is not None:
            known, so_far, sources = self._now
            numbers, of_sum = so_far.state()
            *before, there = known
            arrays = [*there, *of_sum]
            state = {
                "before": before,
                "arrays_before": len(there),
                "sum": numbers,
                "of_sum": sources,
                "sources": known.drawn + known.draws * so_far.sources // max(sources, 1),
                "of_sources": known.expected,
            }
        state |= {"half_width": half_width, "of_seconds": self._seconds}
        self._checkpoint.save(state, arrays, finished=finished)


@contextmanager
def kept(
    run: Run, identity: Callable[[], dict[str, str]], begun: float, seconds: float | None
) -> Iterator[Rounds]:
    """The rounds of a run that ``begun`` at a time of the monotonic clock, and has some seconds."""
    with opened(run, identity, begun) as checkpoint:
        rounds = Rounds(checkpoint, seconds)
        try:
            yield rounds
        except DoesNotFit:
            raise  # what is kept stays as it was found
        except BaseException:
            rounds.save_what_is_whole()
            raise
