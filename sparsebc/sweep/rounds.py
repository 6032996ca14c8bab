"""Resume an adaptive estimate in mid-round.

The state holds the statistics before the current round, and the ordered sum of that round. The
statistics do not change while the sum grows, and the next round replaces both at once, so that they
always belong together.
"""

import math
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import InputError
from .checkpoint import DoesNotFit, Keeper, State
from .sum import SumsSoFar

# Prefix of the arrays of the statistics, beside those of the sum.
BEFORE = "before "


class Rounds(Keeper):
    """The rounds of an estimate, saved in a checkpoint if there is one; ``seconds`` limits them."""

    def __init__(self, checkpoint: Keeper, intervals: Any, seconds: float | None) -> None:
        super().__init__()
        self._checkpoint, self._seconds = checkpoint, seconds
        self._intervals = intervals  # `bounds.Intervals`, the statistics of all rounds
        self._round: State = {"round": None, "sources": 0, "of_sources": 0}, {}  # the current one
        self.pending_draws = 0  # of the round that was interrupted, until it is restored
        self.is_swept = False  # whether the sum of that round is complete
        self.draws_before = 0  # of earlier runs
        self.seconds_before = checkpoint.seconds_before  # of earlier runs; inf if they sufficed
        if checkpoint.found:
            try:
                self._restore(checkpoint.found)
            except (AttributeError, KeyError, TypeError, ValueError) as error:
                raise DoesNotFit(f"no round of an estimate: {error}") from error

    def _restore(self, header: dict[str, Any]) -> None:
        """Restore the statistics before the current round."""
        allowed, known = header["of_seconds"], header["round"]
        if header["finished"] and None not in (self._seconds, allowed):
            self.seconds_before = math.inf if self._seconds <= allowed else self.seconds_before
        if known is None:
            return
        arrays = self._checkpoint.arrays.items()
        before = {name[len(BEFORE) :]: array for name, array in arrays if name.startswith(BEFORE)}
        self._intervals.restore(known["intervals"], before)
        draws, of_sum = operator.index(known["draws"]), header["sum"]
        if not 0 < draws <= self._intervals.population - self._intervals.drawn:
            raise InputError(f"a round of {draws} draws")
        self.draws_before = operator.index(header["sources"])
        if of_sum["next"] or of_sum["out_of_range"][1:]:
            self.pending_draws, self.is_swept = draws, of_sum["sources"] == known["sources"]

    def begin(self, draws: int, expected: int, half_width: float) -> None:
        """Begin a round of ``draws``; ``expected`` are those in all, ``half_width`` the error."""
        numbers, arrays = self._intervals.state()
        facts = {"of_sources": expected, **self._facts(half_width)}
        facts["round"] = {"draws": draws, "intervals": numbers}
        self._round = facts, {f"{BEFORE}{name}": array for name, array in arrays.items()}

    @contextmanager
    def keeping(self, so_far: SumsSoFar, sources: int) -> Iterator[Callable[[], None]]:
        """Restore the sum of an interrupted round; save the sum of each round."""
        facts, before = self._round
        known, drawn = facts["round"], self._intervals.drawn
        known["sources"] = sources

        def round_header() -> State:
            done = drawn + known["draws"] * so_far.sources // max(sources, 1)
            return {**facts, "sources": done}, before

        checkpoint = self._checkpoint
        if self.pending_draws:
            arrays = checkpoint.arrays.items()
            of_sum = {name: array for name, array in arrays if not name.startswith(BEFORE)}
            so_far.restore(checkpoint.found["sum"], of_sum)
            self.pending_draws = 0
        checkpoint.keep(so_far, round_header)
        yield checkpoint.save_if_due

    def end(self, half_width: float) -> None:
        """Save the estimate as finished, with its error."""
        facts = self._facts(half_width)
        if not self._checkpoint.found and self._round[0]["round"] is None:
            facts |= self._round[0]  # no round was run: no node to draw, or no time
        self._checkpoint.finish(facts)

    def _facts(self, half_width: float) -> dict[str, Any]:
        return {"half_width": half_width, "of_seconds": self._seconds}
