"""A run that was stopped goes on: its ordered sum is kept in a directory.

What is kept has the size of the sums that wait in the tree, and never grows with the blocks done.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from . import lock, parts, slots
from .options import Run
from .ordered_sum import OrderedSum

# Of the time of a run, what saving may take: where the sums are large, saves come less often.
SHARE = 0.01
# What to do where another run is kept than is asked for.
OTHERWISE = "use another directory, or ask for the same"


class Keeper(Protocol):
    """Who keeps an ordered sum."""

    def keeping(
        self, so_far: OrderedSum, sources: int
    ) -> AbstractContextManager[Callable[[], None]]:
        """Restore a sum of so many sources if one is kept; what to call now and then to save it."""


class Checkpoint:
    """A directory that this process holds, and the state of the run found in it."""

    def __init__(
        self,
        directory: Path,
        identity: dict[str, str],
        every: float,
        part: parts.Part | None = None,
        begun: float | None = None,
    ) -> None:
        self._directory, self._every, self._part = directory, every, part
        self._identity = identity if part is None else {**identity, "part": part.name}
        self.found = slots.newest(directory)  # header of what the last run saved
        if self.found is not None:
            _same(directory, self.found["fingerprint"], self._identity)
        self._number = 0 if self.found is None else self.found["number"]
        self.before = 0.0 if self.found is None else self.found["seconds"]  # of all runs
        self._last = time.monotonic()
        self._begun = self._last if begun is None else begun
        self._cost = 0.0

    @property
    def arrays(self) -> list[NDArray[Any]]:
        """Those that belong to what was found."""
        return [] if self.found is None else slots.arrays(self._directory, self.found)

    @property
    def due(self) -> bool:
        """Whether it is time to save."""
        pause = max(self._every, self._cost / SHARE) if self._every else 0.0
        return time.monotonic() - self._last >= pause

    def save(
        self, state: dict[str, Any], arrays: Sequence[NDArray[Any]], *, finished: bool = False
    ) -> None:
        """Write the next slot: numbers and names, as JSON has them, and arrays of the host."""
        begun = time.monotonic()
        header = {
            **state,
            "fingerprint": self._identity,
            **({} if self._part is None else {"part": [self._part.number, self._part.of]}),
            "seconds": self.before + begun - self._begun,
            "saved": time.time(),
            "finished": finished,
        }
        slots.write(self._directory, self._number + 1, header, arrays)
        self._number += 1
        self._last = time.monotonic()
        self._cost = self._last - begun

    @contextmanager
    def keeping(self, so_far: OrderedSum, sources: int) -> Iterator[Callable[[], None]]:
        """Restore a sum, and save it: on calls when it is time to, at the end, and on any error.

        ``sources`` is how many there are in all, for those who ask how long it takes.
        """
        if self.found is None:
            self._merge(so_far)
            self._save(so_far, sources)
        else:
            so_far.restore(self.found, self.arrays)
        taken = so_far.sources
        try:
            yield lambda: self._save_if_due(so_far, sources)
        except BaseException as error:
            if so_far.whole and so_far.sources > taken:
                try:
                    self._save(so_far, sources)
                except OSError as second:
                    error.add_note(f"sparsebc: {second}")
            raise
        if self.found is None or not self.found["finished"]:
            self._save(so_far, sources, finished=True)

    def _merge(self, so_far: OrderedSum) -> None:
        """Begin with the sums of the parts, where these are below the directory."""
        there = [] if self._part else parts.complete(self._directory)
        named = [header["fingerprint"] | {"part": ""} for _, header in there]
        remedy = OTHERWISE if named[1:] == named[:-1] else "remove it, and run that part again"
        for part, header in there:
            place = Path(part)
            _same(place, header["fingerprint"], {**self._identity, "part": part.name}, remedy)
            so_far.append(header, slots.arrays(place, header))
            self.before += header["seconds"]

    def _save_if_due(self, so_far: OrderedSum, sources: int) -> None:
        if self.due:
            self._save(so_far, sources)

    def _save(self, so_far: OrderedSum, sources: int, *, finished: bool = False) -> None:
        numbers, arrays = so_far.state()
        self.save({**numbers, "of_sources": sources}, arrays, finished=finished)


@contextmanager
def opened(
    run: Run, identity: Callable[[], dict[str, str]], begun: float | None = None
) -> Iterator[Checkpoint | None]:
    """The checkpoint that the run options name, if they do, for a run of this fingerprint.

    Its time is counted from now on, or from when it ``begun`` by the monotonic clock.
    """
    if run.directory is None:
        yield None
        return
    run.directory.mkdir(parents=True, exist_ok=True)
    with lock.held(run.directory):
        every = run.seconds_between_saves
        yield Checkpoint(run.directory, identity(), every, run.part, begun)


@contextmanager
def keeping(
    keeper: Keeper | None, so_far: OrderedSum, sources: int
) -> Iterator[Callable[[], None]]:
    """As `Keeper.keeping`, or nothing where there is none."""
    if keeper is None:
        yield lambda: None
        return
    with keeper.keeping(so_far, sources) as save:
        yield save


def _same(
    directory: Path,
    theirs: dict[str, str],
    ours: dict[str, str],
    remedy: str = OTHERWISE,
) -> None:
    """Refuse to go on with another question's sum."""
    names = [name for name in {**theirs, **ours} if theirs.get(name) != ours.get(name)]
    if names:
        unlike = "; ".join(f"{name} was {theirs.get(name)}, is {ours.get(name)}" for name in names)
        raise ValueError(
            f"checkpoint={str(directory)!r} holds another run, which differs in "
            f"{' and '.join(names)} ({unlike}): {remedy}"
        )
