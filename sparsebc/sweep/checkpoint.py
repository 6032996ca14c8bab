"""Checkpoints: the ordered sum of a run, saved in a directory, from which a stopped run resumes.

The state is the pending nodes of the pairwise sum, at most one of each level of its tree. A state
that does not fit the plan of the run, files of another user, damaged files and checkpoints of
another run are refused, by name. The state file is an ``.npz`` archive without pickles, with a
digest. It is replaced atomically: a process killed at any moment leaves the old file or the new
one, complete. The system releases the lock of a directory when its process ends.
"""

import hashlib
import json
import logging
import os
import socket
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from .. import private_files
from ..errors import InputError, OptionError
from .options import Run

# Largest share of the run time spent on saving: large sums are saved less often.
SHARE = 0.01

logger = logging.getLogger("sparsebc")

# JSON values by name, and host arrays by name.
State = tuple[dict[str, Any], dict[str, NDArray[Any]]]


class DoesNotFit(InputError):
    """Error for a state that no run of this plan can have reached."""


class Keepable(Protocol):
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
    def keeping(self, so_far: Any, sources: int) -> Iterator[Callable[[], None]]:
        """Restore the saved sum, if any; the context's value is `save_if_due`.

        ``sources`` is the number of all sources.
        """
        yield self.save_if_due

    def keep(self, so_far: Keepable, facts: Callable[[], State]) -> None:
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
        for name in (STATE, LOCK):
            private_files.check(directory / name, self._owner)
        self.found, self.arrays = self._read()
        self.seconds_before = self.found.get("seconds", 0.0)
        self._begun, self._last, self._cost = begun, time.monotonic(), 0.0
        self._sum: Keepable | None = None  # to save, beside facts
        self._facts: Callable[[], State] = lambda: ({}, {})
        # Position of the state in the directory; None if there is none yet.
        self._saved_position = _position(self.found) if self.found else None

    @contextmanager
    def keeping(self, so_far: Any, sources: int) -> Iterator[Callable[[], None]]:
        """Restore the sum; save it, and at the end as finished."""
        if self.found:
            so_far.restore(self.found.get("sum"), self.arrays)
        self.keep(so_far, lambda: ({"sources": so_far.sources, "of_sources": sources}, {}))
        yield self.save_if_due
        self.finish({})

    def keep(self, so_far: Keepable, facts: Callable[[], State]) -> None:
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
            write(self._directory, header, arrays)
            self._saved_position = _position(header)
        except OSError as error:
            if self._saved_position is None:
                raise
            logger.warning("%s: %s; the run continues", error.filename, error.strerror)
        self._last = time.monotonic()
        self._cost = self._last - begun

    def _read(self) -> State:
        """Header and arrays saved before, empty if none; OptionError if of another run."""
        directory, identity = self._directory, self._identity
        kept: State = read(directory, self._owner) or ({}, {})
        saved = kept[0].get("fingerprint", identity)
        names = [name for name in {**saved, **identity} if saved.get(name) != identity.get(name)]
        if names:
            both = [f"{name} was {saved.get(name)}, is {identity.get(name)}" for name in names]
            raise OptionError(
                f"checkpoint={str(directory)!r} holds another run, which differs in "
                f"{' and '.join(names)} ({'; '.join(both)}): use another directory, or ask for "
                "the same",
                "checkpoint",
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
        raise damaged(directory, error) from error


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
    with held(directory), _fitting(directory):
        begun = time.monotonic() if begun is None else begun
        checkpoint = Checkpoint(run, directory, identity(), begun)
        try:
            yield checkpoint
        except DoesNotFit:
            raise
        except BaseException:
            checkpoint.save_progress()
            raise


STATE = "state.npz"
FORMAT = 3
OLD_NAMES = ("slot-0", "slot-1")  # of format 1
# Errors of reading a file that is damaged or of another kind.
_UNREADABLE = (
    *(ValueError, KeyError, TypeError, AttributeError, EOFError, OverflowError, MemoryError),
    *(RecursionError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error),
)

LONGEST = 1e10  # seconds, some three centuries


def write(directory: Path, header: dict[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
    """Replace the state file, atomically, by a header of JSON values and arrays.

    OSError, with the directory, if it cannot be written.
    """
    full_header = {**header, "format": FORMAT, "arrays": [*arrays]}
    text = np.frombuffer(json.dumps(full_header).encode(), dtype=np.uint8)
    members = {"header": text, "digest": np.array(digest(text, *arrays.values()))}
    members |= {f"array-{index}": array for index, array in enumerate(arrays.values())}
    try:
        private_files.replace(directory / STATE, lambda file: np.savez(file, **members))  # type: ignore[arg-type]
    except OSError as error:
        reason = f"cannot save ({error.strerror or error}); the state saved before is intact"
        raise OSError(error.errno, reason, str(directory)) from error


def exists(directory: Path) -> bool:
    """Whether the directory has a state file, of this format or an older one."""
    return any((directory / name).exists() for name in (STATE, *OLD_NAMES))


def read(directory: Path, owner: int | None = None) -> State | None:
    """Header and arrays of the state file, None if there is none.

    ValueError if the file is not of this ``owner``, or is not what `write` wrote.
    """
    try:
        file = private_files.open_existing(directory / STATE, owner)
    except FileNotFoundError:
        if exists(directory):
            raise _of_another_format(directory, 1) from None
        return None
    with file:
        try:
            found, arrays = _parsed(file)
        except _UNREADABLE as error:
            raise damaged(directory, error) from error
    if found["format"] != FORMAT:
        raise _of_another_format(directory, found["format"])
    return found, arrays


def _parsed(file: BinaryIO) -> State:
    with np.load(file, allow_pickle=False) as members:
        text = members["header"]
        found: dict[str, Any] = json.loads(text.tobytes())
        if found["format"] != FORMAT:
            return found, {}
        is_sound = 0 <= found["seconds"] < LONGEST and isinstance(found["finished"], bool)
        if not is_sound or not all(isinstance(one, str) for one in found["fingerprint"].values()):
            raise InputError("a header without fingerprint, seconds or finished")
        if not all(isinstance(name, str) for name in found["arrays"]):
            raise InputError("arrays without names")
        arrays = {name: members[f"array-{index}"] for index, name in enumerate(found["arrays"])}
        if str(members["digest"]) != digest(text, *arrays.values()):
            raise InputError("header and arrays were not written together")
        return found, arrays


def _of_another_format(directory: Path, number: Any) -> ValueError:
    return OptionError(
        f"checkpoint={str(directory)!r} is of another version of sparsebc (format {number!r:.20}, "
        f"this one has {FORMAT}): finish the run with that version, or use another directory",
        "checkpoint",
    )


def damaged(directory: Path, reason: object) -> ValueError:
    """Error for a state file that `write` cannot have written."""
    return OptionError(
        f"checkpoint={str(directory)!r} is damaged, or was changed ({reason}): remove "
        f"{directory / STATE} or use another directory, to begin again",
        "checkpoint",
    )


def digest(*arrays: NDArray[Any]) -> str:
    """Hash of the types, shapes and values of arrays, in their order."""
    checksum = hashlib.blake2b(digest_size=16)
    for array in arrays:
        checksum.update(f"{array.dtype.str} {array.shape} ".encode())
        checksum.update(np.ascontiguousarray(array).view(np.uint8).data)
    return checksum.hexdigest()


LOCK, HOLDER = "lock", "holder.json"
# Seconds to wait for the lock: one that a process released just now.
PATIENCE = 0.2


class Holder(NamedTuple):
    """The process that uses a directory."""

    host: str
    process: int

    def __str__(self) -> str:
        return f"process {self.process} on {self.host}"


@contextmanager
def held(directory: Path) -> Iterator[None]:
    """Lock the directory; OptionError if another process or thread holds it."""
    private_files.check(directory / LOCK)
    lock = FileLock(directory / LOCK, thread_local=False)
    try:
        lock.acquire(timeout=PATIENCE)
    except (Timeout, RuntimeError) as error:  # RuntimeError: this very thread has it
        raise OptionError(
            f"checkpoint={str(directory)!r} is in use by {_holder(directory) or 'another process'}"
            ": wait for it, or use another directory",
            "checkpoint",
        ) from error
    try:
        me = json.dumps(Holder(socket.gethostname(), os.getpid())).encode()
        private_files.replace(directory / HOLDER, lambda file: file.write(me))
        yield
    finally:
        with suppress(OSError):  # the directory or disk may be gone, but the result is valid
            (directory / HOLDER).unlink()
        with suppress(OSError):
            lock.release()


def _holder(directory: Path) -> Holder | None:
    try:
        with private_files.open_existing(directory / HOLDER) as file:
            host, process = json.loads(file.read(1 << 12))
            return Holder(str(host), int(process))
    except (OSError, ValueError, TypeError, OverflowError, RecursionError):
        return None  # no such file, or not written by `held`
