"""Checkpoints: the ordered sum of a run, saved in a directory, from which a stopped run resumes.

The state is the pending nodes of the pairwise sum, at most one of each level of its tree. A state
that does not fit the plan of the run, files of another user, damaged files and checkpoints of
another run are refused, by name.
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
from . import lock, state_file
from .options import Run
from .sums_so_far import DoesNotFit, State, SumsSoFar

# Largest share of the run time spent on saving: large sums are saved less often.
SHARE = 0.01

logger = logging.getLogger("sparsebc")


class Kept(Protocol):
    """A sum, or other statistics, that grow block by block."""

    whole: bool  # False during an update

    def state(self) -> State:
        """Numbers and arrays from which a run resumes."""


class Keeper:
    """Storage of an ordered sum; this base class saves nothing."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}  # header of the state read at the start
        self.arrays: dict[str, NDArray[Any]] = {}
        self.seconds_before = 0.0  # of all earlier runs

    @contextmanager
    def keeping(self, so_far: SumsSoFar, sources: int) -> Iterator[Callable[[], None]]:
        """Restore the saved sum, if any; the context's value is `save_if_due`.

        ``sources`` is the number of all sources.
        """
        yield self.save_if_due

    def keep(self, so_far: Kept, facts: Callable[[], State]) -> None:
        """Set the sum to save from now on, and facts saved beside it."""

    def save_if_due(self) -> None:
        """Save if the last save was long enough ago."""

    def finish(self, facts: dict[str, Any]) -> None:
        """Save the run as finished, with facts on the result; no-op if it was found finished."""


class Checkpoint(Keeper):
    """A directory locked by this process, the state found in it, and the sum to save."""

    def __init__(self, run: Run, directory: Path, identity: dict[str, str], begun: float) -> None:
        self._directory, self._every = directory, run.seconds_between_saves
        self._identity = identity
        self._owner = private_files.owner_in(directory)
        for name in (state_file.NAME, lock.NAME):
            private_files.check(directory / name, self._owner)
        self.found, self.arrays = self._read()
        self.seconds_before = self.found.get("seconds", 0.0)
        self._begun, self._last, self._cost = begun, time.monotonic(), 0.0
        self._sum: Kept | None = None  # to save, beside facts
        self._facts: Callable[[], State] = lambda: ({}, {})
        # Position of the state in the directory; None if there is none yet.
        self._saved_position = _position(self.found) if self.found else None

    @contextmanager
    def keeping(self, so_far: SumsSoFar, sources: int) -> Iterator[Callable[[], None]]:
        """Restore the sum; save it, and at the end as finished."""
        if self.found:
            so_far.restore(self.found.get("sum"), self.arrays)
        self.keep(so_far, lambda: ({"sources": so_far.sources, "of_sources": sources}, {}))
        yield self.save_if_due
        self.finish({})

    def keep(self, so_far: Kept, facts: Callable[[], State]) -> None:
        """Set the sum to save from now on, and facts saved beside it."""
        self._sum, self._facts, self.arrays = so_far, facts, {}
        if self._saved_position is None:
            self._save()

    def save_if_due(self) -> None:
        """Save if the last save was long enough ago."""
        pause = max(self._every, self._cost / SHARE) if self._every else 0.0
        if time.monotonic() - self._last >= pause:
            self._save()

    def save_progress(self) -> None:
        """Save after an error, unless the state is saved, was never saved, or is being updated."""
        if self._sum is not None and self._sum.whole and self._saved_position is not None:
            self._save(unless_saved=True)

    def finish(self, facts: dict[str, Any]) -> None:
        """Save the run as finished, with facts on the result; no-op if it was found finished."""
        self._save(facts, finished=True, unless_saved=self.found.get("finished", False))

    def _save(
        self,
        facts: dict[str, Any] | None = None,
        *,
        finished: bool = False,
        unless_saved: bool = False,
    ) -> None:
        """Write the state: that of the sum, or the one found if no sum is set yet.

        The first save must succeed. Any other failed save is logged, and the run goes on: its
        result does not depend on saves.
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
            # A clock may go back, as where a virtual machine is restored.
            "seconds": self.seconds_before + max(0.0, begun - self._begun),
            "saved": time.time(),
            "finished": finished,
        }
        if unless_saved and _position(header) == self._saved_position:
            return
        try:
            state_file.write(self._directory, header, arrays)
            self._saved_position = _position(header)
        except OSError as error:
            if self._saved_position is None:
                raise
            logger.warning("%s: %s; the run continues", error.filename, error.strerror)
        self._last = time.monotonic()
        self._cost = self._last - begun

    def _read(self) -> state_file.Kept:
        """Header and arrays saved before, empty if none; OptionError if of another run."""
        directory, identity = self._directory, self._identity
        kept = state_file.read(directory, self._owner) or ({}, {})
        saved = kept[0].get("fingerprint", identity)
        names = [name for name in {**saved, **identity} if saved.get(name) != identity.get(name)]
        if names:
            both = [f"{name} was {saved.get(name)}, is {identity.get(name)}" for name in names]
            raise OptionError(
                f"checkpoint={str(directory)!r} holds another run, which differs in "
                f"{' and '.join(names)} ({'; '.join(both)}): use another directory, or ask for "
                "the same",
                f"checkpoint={str(directory)!r}",
            )
        return kept


def _position(header: dict[str, Any]) -> tuple[Any, ...]:
    """Progress of a state, which changes with each launch."""
    return header.get("sources"), header.get("sum")


@contextmanager
def _fitting(directory: Path) -> Iterator[None]:
    """Turn DoesNotFit into an error that names the directory."""
    try:
        yield
    except DoesNotFit as error:
        raise state_file.damaged(directory, error) from error


@contextmanager
def opened(
    run: Run, identity: Callable[[], dict[str, str]], begun: float | None = None
) -> Iterator[Keeper]:
    """The checkpoint of the run options, locked; a `Keeper` that saves nothing if there is none.

    Run time counts from ``begun`` on the monotonic clock, by default from now. Progress is saved
    on any error but DoesNotFit, which leaves the saved state unchanged.
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
