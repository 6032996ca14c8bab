"""A stopped run goes on: its ordered sum is kept in a directory.

The state that is kept has the size of the sums that wait in the tree, and never grows with the
blocks done. It is believed as far as it fits the plan of the run. Files that another user planted,
damaged files and those of another run are refused by name.
"""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from .. import private_files
from ..errors import OptionError
from . import lock, shards, state_file
from .options import Run
from .sums_so_far import DoesNotFit, State, SumsSoFar

# Share of the time of a run that saving may take: where the sums are large, saves are rarer.
SHARE = 0.01
# The way out where another run is kept than is asked for.
OTHERWISE = "use another directory, or ask for the same"

logger = logging.getLogger("sparsebc")


class Kept(Protocol):
    """A sum, or other statistics, that grow block by block."""

    whole: bool  # not in the midst of a change

    def state(self) -> State:
        """Numbers and arrays to go on from."""


class Keeper:
    """Storage of an ordered sum; this one keeps nothing."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}  # header of the state that was kept
        self.arrays: dict[str, NDArray[Any]] = {}
        self.before = 0.0  # seconds of all runs so far

    @contextmanager
    def keeping(self, so_far: SumsSoFar, sources: int) -> Iterator[Callable[[], None]]:
        """Restore a sum if one is kept; a call of the result saves it, if a save is due.

        ``sources`` is their number in all, which ``sparsebc status`` tells.
        """
        yield self.save_if_due

    def keep(self, so_far: Kept, facts: Callable[[], State]) -> None:
        """Save this sum from now on, and beside it these facts."""

    def save_if_due(self) -> None:
        """Save if the last save was long enough ago."""

    def finish(self, facts: dict[str, Any]) -> None:
        """Save that all is done, and facts on the result, unless a run found that so."""


class Checkpoint(Keeper):
    """A directory that this process holds, the state found in it, and the sum that is saved."""

    def __init__(self, run: Run, directory: Path, identity: dict[str, str], begun: float) -> None:
        self._directory, self._every, self._shard = directory, run.seconds_between_saves, run.shard
        self._identity = identity if run.shard is None else {**identity, "part": run.shard.name}
        self._owner = private_files.owner_in(directory)
        for name in (state_file.NAME, lock.NAME):
            private_files.check(directory / name, self._owner)
        self.found, self.arrays = self._read(directory, self._identity)
        self.before = self.found.get("seconds", 0.0)
        self._begun, self._last, self._cost = begun, time.monotonic(), 0.0
        self._sum: Kept | None = None  # that is saved, beside facts
        self._facts: Callable[[], State] = lambda: ({}, {})
        self._kept = _position(self.found) if self.found else None  # until a state is kept

    @contextmanager
    def keeping(self, so_far: SumsSoFar, sources: int) -> Iterator[Callable[[], None]]:
        """Restore the sum, or begin with those of the shards; save it, and that it is done."""
        if self.found:
            so_far.restore(self.found.get("sum"), self.arrays)
        else:
            self._merge(so_far)
        self.keep(so_far, lambda: ({"sources": so_far.sources, "of_sources": sources}, {}))
        yield self.save_if_due
        self.finish({})

    def keep(self, so_far: Kept, facts: Callable[[], State]) -> None:
        """Save this sum from now on, and beside it these facts."""
        self._sum, self._facts, self.arrays = so_far, facts, {}
        if self._kept is None:
            self._save()

    def save_if_due(self) -> None:
        """Save if the last save was long enough ago."""
        pause = max(self._every, self._cost / SHARE) if self._every else 0.0
        if time.monotonic() - self._last >= pause:
            self._save()

    def save_progress(self) -> None:
        """Save on an error, unless the state is kept, cannot be, or is in the midst of a change."""
        if self._sum is not None and self._sum.whole and self._kept is not None:
            self._save(unless_kept=True)

    def finish(self, facts: dict[str, Any]) -> None:
        """Save that all is done, and facts on the result, unless a run found that so."""
        self._save(facts, finished=True, unless_kept=self.found.get("finished", False))

    def _save(
        self,
        facts: dict[str, Any] | None = None,
        *,
        finished: bool = False,
        unless_kept: bool = False,
    ) -> None:
        """Write the state; before there is a sum, that which was found.

        The first save and the last of a shard must succeed. Another one that fails is told, and
        the run goes on: its result does not depend on it.
        """
        begun = time.monotonic()
        numbers, arrays = self.found, self.arrays
        if self._sum is not None:
            of_sum, arrays = self._sum.state()
            beside, more = self._facts()
            numbers, arrays = {"sum": of_sum, **beside}, arrays | more
        header = {
            **numbers,
            **(facts or {}),
            "fingerprint": self._identity,
            "seconds": self.before + begun - self._begun,
            "saved": time.time(),
            "finished": finished,
        }
        if unless_kept and _position(header) == self._kept:
            return
        try:
            state_file.write(self._directory, header, arrays)
            self._kept = _position(header)
        except OSError as error:
            if self._kept is None or (finished and self._shard is not None):
                raise
            logger.warning("%s: %s; the run goes on", error.filename, error.strerror)
        self._last = time.monotonic()
        self._cost = self._last - begun

    def _merge(self, so_far: SumsSoFar) -> None:
        """Begin with the sums of the shards, where these are below the directory."""
        there = [] if self._shard else shards.complete(self._directory)
        named = [header["fingerprint"] | {"part": ""} for _, header in there]
        remedy = OTHERWISE if named[1:] == named[:-1] else "remove it, and run that part again"
        for shard, _ in there:
            place = Path(shard)
            header, arrays = self._read(place, {**self._identity, "part": shard.name}, remedy)
            with _fitting(place):
                so_far.append(header.get("sum"), arrays)
            self.before += header["seconds"]

    def _read(
        self, directory: Path, identity: dict[str, str], remedy: str = OTHERWISE
    ) -> state_file.Kept:
        """Header and arrays that a directory keeps of the run of this identity, if it does."""
        kept = state_file.read(directory, self._owner) or ({}, {})
        theirs = kept[0].get("fingerprint", identity)
        names = [name for name in {**theirs, **identity} if theirs.get(name) != identity.get(name)]
        if names:
            both = [f"{name} was {theirs.get(name)}, is {identity.get(name)}" for name in names]
            raise OptionError(
                f"checkpoint={str(directory)!r} holds another run, which differs in "
                f"{' and '.join(names)} ({'; '.join(both)}): {remedy}",
                f"checkpoint={str(directory)!r}",
            )
        return kept


def _position(header: dict[str, Any]) -> tuple[Any, ...]:
    """How far a state is: it changes with each launch."""
    return header.get("sources"), header.get("sum")


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
) -> Iterator[Keeper]:
    """The checkpoint that the run options name, for a run of this fingerprint, if they do.

    Its time is counted from now on, or from when it ``begun`` by the monotonic clock. An error
    saves the progress; one that says that the state does not fit leaves the state as it is.
    """
    directory = run.directory
    if directory is None:
        yield Keeper()
        return
    private_files.make_directory(directory)
    with lock.held(directory), _fitting(directory):
        begun = time.monotonic() if begun is None else begun
        checkpoint = Checkpoint(run, directory, identity(), begun)
        try:
            yield checkpoint
        except DoesNotFit:
            raise
        except BaseException:
            checkpoint.save_progress()
            raise
