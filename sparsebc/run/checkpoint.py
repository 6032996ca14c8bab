"""A stopped run goes on: its ordered sum is kept in a directory.

The state that is kept has the size of the sums that wait in the tree, and never grows with the
blocks done. It is believed as far as it fits the plan of the run. Files that another user planted,
damaged files and those of another run are refused by name.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from numpy.typing import NDArray

from .. import private_files
from ..errors import OptionError
from . import lock, shards, state_file
from .options import Run
from .ordered_sum import DoesNotFit, OrderedSum

# Share of the time of a run that saving may take: where the sums are large, saves are rarer.
SHARE = 0.01
# The way out where another run is kept than is asked for.
OTHERWISE = "use another directory, or ask for the same"

# Numbers and names, as JSON has them, and arrays of the host.
State = tuple[dict[str, Any], list[NDArray[Any]]]

logger = logging.getLogger("sparsebc")


class Keeper(Protocol):
    """Storage of an ordered sum."""

    def keeping(
        self, so_far: OrderedSum, sources: int
    ) -> AbstractContextManager[Callable[[], None]]:
        """Restore a sum of so many sources if one is kept; call the result to save it if due."""


class Checkpoint:
    """A directory that this process holds, the state found in it, and the sum that is saved."""

    def __init__(
        self,
        directory: Path,
        identity: dict[str, str],
        every: float,
        shard: shards.Shard | None = None,
        begun: float | None = None,
    ) -> None:
        self._directory, self._every, self._shard = directory, every, shard
        self._identity = identity if shard is None else {**identity, "part": shard.name}
        self._owner = private_files.owner_in(directory)
        for name in (state_file.NAME, lock.NAME):
            private_files.check(directory / name, self._owner)
        self.found, self.arrays = self._read(directory, self._identity)
        self.before = self.found["seconds"] if self.found else 0.0  # of all runs
        self._last = time.monotonic()
        self._begun = self._last if begun is None else begun
        self._cost = 0.0
        self._sum: OrderedSum | None = None  # that is saved, by way of `_complete`
        self._complete: Callable[[State], State] = lambda state: state
        self._is_kept = self.found is not None  # a state; until then a failure to save is an error
        self._kept: tuple[Any, ...] = ()  # position of that state

    def keep(self, so_far: OrderedSum, complete: Callable[[State], State]) -> None:
        """Save this sum from now on, as ``complete`` makes a whole state of that of the sum."""
        self._sum, self._complete, self.arrays = so_far, complete, []
        if not self._is_kept:
            self._save()
        elif not self._kept:
            self._kept = _position(self.found or {})  # that was restored, and so fits

    @contextmanager
    def keeping(self, so_far: OrderedSum, sources: int) -> Iterator[Callable[[], None]]:
        """Restore a sum, and save it: on calls if a save is due, and at the end.

        ``sources`` is their number in all, which ``sparsebc status`` tells.
        """
        if self.found is None:
            self._merge(so_far)
        else:
            so_far.restore(self.found, self.arrays)
        self.keep(so_far, lambda state: ({**state[0], "of_sources": sources}, state[1]))
        yield self.save_if_due
        self.finish({})

    def save_if_due(self) -> None:
        """Save if the last save was long enough ago."""
        pause = max(self._every, self._cost / SHARE) if self._every else 0.0
        if time.monotonic() - self._last >= pause:
            self._save()

    def save_progress(self) -> None:
        """Save on an error, unless the state is kept, cannot be, or is in the midst of a change."""
        is_whole = self._sum is not None and self._sum.whole
        if is_whole and self._is_kept and self._has_more():
            self._save()

    def finish(self, facts: dict[str, Any]) -> None:
        """Save that all is done, and facts on the result, unless a run found that so."""
        if not (self.found and self.found["finished"]) or self._has_more():
            self._save(facts, finished=True)

    def _has_more(self) -> bool:
        """Whether the sum is beyond the state that is kept."""
        return self._sum is not None and _position(self._state()[0]) != self._kept

    def _state(self) -> State:
        """State of the sum; before there is one, the state that was found."""
        if self._sum is None:
            return self.found or {}, self.arrays
        return self._complete(self._sum.state())

    def _save(self, facts: dict[str, Any] | None = None, *, finished: bool = False) -> None:
        """Write the state.

        The first save and the last of a shard must succeed. Another one that fails is told, and
        the run goes on: its result does not depend on it.
        """
        begun = time.monotonic()
        numbers, arrays = self._state()
        header = {
            **numbers,
            **(facts or {}),
            "fingerprint": self._identity,
            **({} if self._shard is None else {"part": [self._shard.number, self._shard.of]}),
            "seconds": self.before + begun - self._begun,
            "saved": time.time(),
            "finished": finished,
        }
        try:
            state_file.write(self._directory, header, arrays)
            self._is_kept, self._kept = True, _position(header)
        except OSError as error:
            if not self._is_kept or (finished and self._shard is not None):
                raise
            logger.warning("%s: %s; the run goes on", error.filename, error.strerror)
        self._last = time.monotonic()
        self._cost = self._last - begun

    def _merge(self, so_far: OrderedSum) -> None:
        """Begin with the sums of the shards, where these are below the directory."""
        there = [] if self._shard else shards.complete(self._directory)
        named = [header["fingerprint"] | {"part": ""} for _, header in there]
        remedy = OTHERWISE if named[1:] == named[:-1] else "remove it, and run that part again"
        for shard, _ in there:
            place = Path(shard)
            header, arrays = self._read(place, {**self._identity, "part": shard.name}, remedy)
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


def _position(header: dict[str, Any]) -> tuple[Any, ...]:
    """Sources, ranges of path counts, and blocks of the last range: they grow with each launch."""
    of_sum = header.get("sum", header)
    return header["sources"], len(of_sum.get("out_of_range", ())), of_sum.get("next")


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

    Its time is counted from now on, or from when it ``begun`` by the monotonic clock. An error
    saves the progress; one that says that the state does not fit leaves the state as it is.
    """
    directory = run.directory
    if directory is None:
        yield None
        return
    private_files.make_directory(directory)
    with lock.held(directory), _fitting(directory):
        checkpoint = Checkpoint(directory, identity(), run.seconds_between_saves, run.shard, begun)
        try:
            yield checkpoint
        except DoesNotFit:
            raise
        except BaseException:
            checkpoint.save_progress()
            raise


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
