"""A run that was stopped goes on: its ordered sum is kept in a directory.

What is kept has the size of the sums that wait in the tree, and never grows with the blocks done.
It is believed as far as it fits the plan of the run. What another user planted, what was damaged
and what belongs to another run is refused by name.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from .. import private_files
from ..errors import OptionError
from . import lock, parts, state_file
from .options import Run
from .ordered_sum import DoesNotFit, OrderedSum

# Of the time of a run, what saving may take: where the sums are large, saves come less often.
SHARE = 0.01
# What to do where another run is kept than is asked for.
OTHERWISE = "use another directory, or ask for the same"

logger = logging.getLogger("sparsebc")


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
        self._owner = private_files.owner_in(directory)
        for name in (state_file.NAME, lock.NAME):
            private_files.check(directory / name, self._owner)
        self.found, self.arrays = self._read(directory, self._identity)
        self.before = self.found["seconds"] if self.found else 0.0  # of all runs
        self._last = time.monotonic()
        self._begun = self._last if begun is None else begun
        self._cost = 0.0
        self._is_safe = self.found is not None  # something is kept: a failure to save may pass

    @property
    def due(self) -> bool:
        """Whether it is time to save."""
        pause = max(self._every, self._cost / SHARE) if self._every else 0.0
        return time.monotonic() - self._last >= pause

    def save(
        self, state: dict[str, Any], arrays: Sequence[NDArray[Any]], *, finished: bool = False
    ) -> None:
        """Keep numbers and names, as JSON has them, and arrays of the host.

        The first save and the last of a part must succeed. Another one that fails is told, and the
        run goes on: its result does not depend on it.
        """
        begun = time.monotonic()
        header = {
            **state,
            "fingerprint": self._identity,
            **({} if self._part is None else {"part": [self._part.number, self._part.of]}),
            "seconds": self.before + begun - self._begun,
            "saved": time.time(),
            "finished": finished,
        }
        try:
            state_file.write(self._directory, header, arrays)
            self._is_safe = True
        except OSError as error:
            if not self._is_safe or (finished and self._part is not None):
                raise
            logger.warning("%s: %s; the run goes on", error.filename, error.strerror)
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
            self.arrays = []
        taken = so_far.sources
        try:
            yield lambda: self._save_if_due(so_far, sources)
        except BaseException:
            if so_far.whole and so_far.sources > taken:
                self._save(so_far, sources)
            raise
        if self.found is None or not self.found["finished"]:
            self._save(so_far, sources, finished=True)

    def _merge(self, so_far: OrderedSum) -> None:
        """Begin with the sums of the parts, where these are below the directory."""
        there = [] if self._part else parts.complete(self._directory)
        named = [header["fingerprint"] | {"part": ""} for _, header in there]
        remedy = OTHERWISE if named[1:] == named[:-1] else "remove it, and run that part again"
        for part, _ in there:
            place = Path(part)
            header, arrays = self._read(place, {**self._identity, "part": part.name}, remedy)
            with _fitting(place):
                so_far.append(header or {}, arrays)
            self.before += header["seconds"] if header else 0.0

    def _read(
        self, directory: Path, identity: dict[str, str], remedy: str = OTHERWISE
    ) -> tuple[dict[str, Any] | None, list[NDArray[Any]]]:
        """Header and arrays that a directory keeps of the run of this identity; None for none."""
        kept = state_file.read(directory, self._owner)
        if kept is None:
            return None, []
        header, arrays = kept
        with _fitting(directory):
            check_header(header)
        _same(directory, header["fingerprint"], identity, remedy)
        return header, arrays

    def _save_if_due(self, so_far: OrderedSum, sources: int) -> None:
        if self.due:
            self._save(so_far, sources)

    def _save(self, so_far: OrderedSum, sources: int, *, finished: bool = False) -> None:
        numbers, arrays = so_far.state()
        self.save({**numbers, "of_sources": sources}, arrays, finished=finished)


def check_header(header: dict[str, Any]) -> None:
    """Refuse a header without what all of them have, by `DoesNotFit`."""
    identity, seconds = header.get("fingerprint"), header.get("seconds")
    if not (
        isinstance(identity, dict)
        and all(isinstance(text, str) for text in identity.values())
        and isinstance(seconds, (int, float))
        and 0 <= seconds < math.inf
        and isinstance(header.get("finished"), bool)
    ):
        raise DoesNotFit("a header without fingerprint, seconds or end")


@contextmanager
def _fitting(directory: Path) -> Iterator[None]:
    """Name the directory whose content does not fit the run."""
    try:
        yield
    except DoesNotFit as error:
        raise state_file.damaged(directory, error) from error


@contextmanager
def opened(
    run: Run, identity: Callable[[], dict[str, str]], begun: float | None = None
) -> Iterator[Checkpoint | None]:
    """The checkpoint that the run options name, if they do, for a run of this fingerprint.

    Its time is counted from now on, or from when it ``begun`` by the monotonic clock.
    """
    directory = run.directory
    if directory is None:
        yield None
        return
    private_files.make_directory(directory)
    with lock.held(directory), _fitting(directory):
        yield Checkpoint(directory, identity(), run.seconds_between_saves, run.part, begun)


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


def _same(directory: Path, theirs: dict[str, str], ours: dict[str, str], remedy: str) -> None:
    """Refuse to go on with another question's sum."""
    names = [name for name in {**theirs, **ours} if theirs.get(name) != ours.get(name)]
    if names:
        unlike = "; ".join(f"{name} was {theirs.get(name)}, is {ours.get(name)}" for name in names)
        raise OptionError(
            f"checkpoint={str(directory)!r} holds another run, which differs in "
            f"{' and '.join(names)} ({unlike}): {remedy}",
            f"checkpoint={str(directory)!r}",
        )
