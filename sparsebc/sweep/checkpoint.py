"""Checkpoints: what a run has summed so far, saved in a directory, from which it resumes.

The state file is an ``.npz`` archive without pickles: a header, arrays and a digest of both. It is
replaced atomically, so that a process killed at any moment leaves the old file or the new one,
complete. Damaged files, files of another user and checkpoints of another run are refused, by name.
The system releases the lock of a directory when its process ends.
"""

import hashlib
import json
import logging
import os
import socket
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from .. import private_files
from ..engines import devices
from ..engines.common.base import Engine
from ..engines.common.decay import CONSTANT
from ..errors import InputError
from ..reduce.reduce import Query
from .options import Run

STATE, LOCK, HOLDER = "state.npz", "lock", "holder"
OF_FORMAT_1 = ("slot-0", "slot-1")
FORMAT = 4
# Largest share of the run time spent on saving: large sums are saved less often.
SAVING = 0.01
# Seconds to wait for the lock: one that a process released just now.
PATIENCE = 0.2
# Errors of reading a state that is damaged, or that does not fit the run.
UNREADABLE = (
    *(ValueError, LookupError, TypeError, AttributeError, EOFError, OverflowError, MemoryError),
    *(RecursionError, NotImplementedError, RuntimeError, zipfile.BadZipFile, zlib.error),
)

# JSON values by name, and host arrays by name.
State = tuple[dict[str, Any], dict[str, NDArray[Any]]]

# Version of batches, blocks and the pairwise sum: raised whenever bits change.
PLAN = 24

logger = logging.getLogger("sparsebc")


class Checkpoint:
    """The parts of a run by name, saved together; without a directory they are not saved.

    A part grows as the run goes on, as a sum does. ``part.state()`` is its `State`, or None during
    an update. ``part.restore(*state)`` continues from one, or raises one of `UNREADABLE` if that
    does not fit.
    """

    def __init__(
        self,
        directory: Path | None = None,
        identity: Mapping[str, str] | None = None,
        every: float = 0.0,
        begun: float = 0.0,
    ) -> None:
        self.directory, self._identity, self._every = directory, identity, every
        self._begun, self._last, self._cost = begun, time.monotonic(), 0.0
        self.seconds_before = 0.0  # of all earlier runs
        self._was_finished, self.limit_before = False, 0.0  # of the last run, if it finished
        self._found: dict[str, State] = {}  # states of the parts that are not resumed
        self._parts: dict[str, Callable[[], State | None]] = {}
        self._saved: dict[str, Any] | None = None  # numbers in the state file, if there is one
        if directory is not None:
            self._read(directory)

    def found(self, name: str) -> dict[str, Any]:
        """Numbers saved of a part that is not resumed; empty if there are none."""
        return self._found.get(name, ({}, {}))[0]

    def resume(self, name: str, part: Any) -> None:
        """Restore a part, if it was saved, and save it from now on."""
        if name in self._found:
            try:
                part.restore(*self._found[name])
            except UNREADABLE as error:
                raise _damaged(self.directory, error) from error
        self._parts = {**self._parts, name: part.state}
        self._found.pop(name, None)  # last: Ctrl-C may come in between
        if self._saved is None:
            self.save()

    def replace(self, name: str, part: Any) -> None:
        """Save this part from now on, and no other until it is resumed."""
        self._parts = {name: part.state}
        self._found = {}

    def save_if_due(self) -> None:
        """Save if the last save was long enough ago."""
        pause = max(self._every, self._cost / SAVING) if self._every else 0.0
        if time.monotonic() - self._last >= pause:
            self.save()

    def save(
        self, *, finished: bool = False, only_changes: bool = False, limit: float = 0.0
    ) -> None:
        """Write the state of all parts, unless one of them is being updated.

        A ``finished`` run kept to a time ``limit`` of so many seconds. With ``only_changes``
        nothing is written before the first save, nor the same again.

        The first save must succeed. Any other failed save is logged, and the run goes on: its
        result does not depend on saves.
        """
        if self.directory is None:
            return
        begun = time.monotonic()
        states = {**self._found, **{name: state() for name, state in self._parts.items()}}
        parts = {name: state for name, state in states.items() if state is not None}
        numbers = {name: state[0] for name, state in parts.items()}
        only_changes |= finished and self._was_finished
        if len(parts) < len(states) or (only_changes and self._saved in (None, numbers)):
            return
        # A clock may go back, as where a virtual machine is restored.
        seconds = self.seconds_before + max(0.0, begun - self._begun)
        header = {
            **{"fingerprint": self._identity, "parts": numbers, "seconds": seconds},
            **{"finished": finished, "limit": limit},
        }
        arrays = {
            (name, key): array for name, part in parts.items() for key, array in part[1].items()
        }
        try:
            write(self.directory, header, arrays)
            self._saved = numbers
        except OSError as error:
            if self._saved is None:
                raise
            logger.error("%s: %s; the run continues", error.filename, error.strerror)
        self._last = time.monotonic()
        self._cost = self._last - begun

    def _read(self, directory: Path) -> None:
        """Read the state that was saved before, if any; InputError if it is of another run."""
        with tempfile.TemporaryFile(dir=directory) as file:  # a file that this process makes here
            owner = os.fstat(file.fileno()).st_uid
        for name in (STATE, LOCK):
            private_files.check(directory / name, owner)
        known = read(directory, owner)
        if known is None:
            return
        header, arrays = known
        was, now = header["fingerprint"], self._identity or {}
        names = [name for name in {**was, **now} if was.get(name) != now.get(name)]
        if names:
            both = [f"{name} was {was.get(name)}, is {now.get(name)}" for name in names]
            raise InputError(
                f"checkpoint={str(directory)!r} holds another run, which differs in "
                f"{' and '.join(names)} ({'; '.join(both)}): use another directory, or ask for "
                "the same",
                "checkpoint",
            )
        self._saved, self.seconds_before = header["parts"], header["seconds"]
        self._was_finished, self.limit_before = header["finished"], header["limit"]
        for name, numbers in header["parts"].items():
            of_part = {key: array for (part, key), array in arrays.items() if part == name}
            self._found[name] = numbers, of_part


@contextmanager
def opened(
    run: Run, identity: Callable[[], dict[str, str]], begun: float | None = None
) -> Iterator[Checkpoint]:
    """The checkpoint of the run options, locked; one that saves nothing if they have none.

    Run time counts from ``begun`` on the monotonic clock, by default from now. Progress is saved on
    any error.
    """
    directory = run.checkpoint
    if directory is None:
        yield Checkpoint()
        return
    directory.parent.mkdir(parents=True, exist_ok=True)
    directory.mkdir(mode=0o700, exist_ok=True)
    with locked(directory):
        begun = time.monotonic() if begun is None else begun
        checkpoint = Checkpoint(directory, identity(), run.checkpoint_every, begun)
        try:
            yield checkpoint
        except BaseException:
            checkpoint.save(only_changes=True)
            raise


def write(
    directory: Path, header: dict[str, Any], arrays: Mapping[tuple[str, str], NDArray[Any]]
) -> None:
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
        is_there = os.path.exists(directory / STATE)  # False, too, if none may tell
        what = "the state saved before is intact" if is_there else "nothing is saved there"
        reason = f"cannot save ({error.strerror or error}); {what}"
        raise OSError(error.errno, reason, str(directory)) from error


def read(
    directory: Path, owner: int | None = None
) -> tuple[dict[str, Any], dict[tuple[str, str], NDArray[Any]]] | None:
    """Header and arrays of the state file, None if there is none.

    ValueError if the file is not of this ``owner``, or is not what `write` wrote.
    """
    try:
        file = private_files.open_existing(directory / STATE, owner)
    except FileNotFoundError:
        if any(os.path.lexists(directory / name) for name in OF_FORMAT_1):
            raise _other_version(directory, 1) from None
        return None
    try:
        with file, np.load(file, allow_pickle=False) as members:
            text = members["header"]
            header: dict[str, Any] = json.loads(text.tobytes())
            version, arrays = header["format"], dict[tuple[str, str], NDArray[Any]]()
            if version == FORMAT:
                names = [(part, name) for part, name in header["arrays"]]
                arrays = {name: members[f"array-{index}"] for index, name in enumerate(names)}
                if str(members["digest"]) != digest(text, *arrays.values()):
                    raise InputError("header and arrays were not written together")
    except UNREADABLE as error:
        raise _damaged(directory, error) from error
    if version != FORMAT:
        raise _other_version(directory, version)
    return header, arrays


def _other_version(directory: Path, found: object) -> InputError:
    """Error for a state of another format."""
    return InputError(
        f"checkpoint={str(directory)!r} is of another version of sparsebc (format {found!r:.20}, "
        f"this one has {FORMAT}): finish the run with that version, or use another directory",
        "checkpoint",
    )


def _damaged(directory: Path | None, reason: object) -> ValueError:
    """Error for a state file that `write` cannot have written for this run."""
    return InputError(
        f"checkpoint={str(directory)!r} is damaged, or was changed ({reason}): remove its {STATE} "
        "or use another directory, to begin again",
        "checkpoint",
    )


def digest(*arrays: NDArray[Any]) -> str:
    """Hash of the types, shapes and values of arrays, in their order."""
    checksum = hashlib.blake2b(digest_size=16)
    for array in arrays:
        checksum.update(f"{array.dtype.str} {array.shape} ".encode())
        checksum.update(np.ascontiguousarray(array).view(np.uint8).data)
    return checksum.hexdigest()


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Lock the directory; InputError if another process or thread holds it, which a file names."""
    private_files.check(directory / LOCK)
    lock = FileLock(directory / LOCK, thread_local=False)
    try:
        lock.acquire(timeout=PATIENCE)
    except (Timeout, RuntimeError) as error:  # RuntimeError: this very thread has it
        holder = ""  # as it says itself
        with suppress(OSError, ValueError):
            with private_files.open_existing(directory / HOLDER) as file:
                holder = file.read(1 << 10).decode()
        holder = holder if holder.isprintable() and holder else "another process"
        raise InputError(
            f"checkpoint={str(directory)!r} is in use by {holder}: wait for it, or use another "
            "directory",
            "checkpoint",
        ) from error
    try:
        me = f"process {os.getpid()} on {socket.gethostname()}".encode()
        private_files.replace(directory / HOLDER, lambda file: file.write(me))
        yield
    finally:
        with suppress(OSError):  # the directory or disk may be gone, but the result is valid
            (directory / HOLDER).unlink()
        with suppress(OSError):
            lock.release()


def fingerprint(engine: Engine, query: Query, run: Run) -> dict[str, str]:
    """A text for each part of the query and the run; arrays by their blake2b."""
    graph, alpha, omega, measures, endpoints, node_sets, seeds = query[:7]
    host, lengths = graph.ops.on_host, graph.lengths
    graph_text = (
        f"{graph.n} nodes, {graph.arcs} edges, blake2b ",
        digest(*map(host, graph.outgoing), *map(host, () if graph.symmetric else graph.incoming)),
    )
    by_length = f"all {graph.unit!r}"
    if lengths is not None:
        both = (lengths.outgoing, lengths.incoming)[: 1 if graph.symmetric else 2]
        by_length = f"blake2b {digest(*map(host, both))}, whole={lengths.whole}"
    parts = {
        "graph": "".join(graph_text),
        "lengths": by_length,
        "tie_rtol": "none" if lengths is None else f"of {lengths.tau!r}",
        "sources": f"{np.count_nonzero(alpha)} nodes, blake2b {digest(alpha)}",
        "targets": f"{np.count_nonzero(omega)} nodes, blake2b {digest(omega)}",
        "measures": ", ".join(sorted(measures)),
        "endpoints": str(bool(endpoints)),
    }
    if node_sets is not None:
        parts["groups"] = f"{node_sets.size}, blake2b {digest(node_sets.member)}"
    if seeds is not None:
        (kind, parameter, *knots), demand = seeds
        if kind != CONSTANT:
            parts["decay"] = f"kind {kind}, {parameter!r}, blake2b {digest(*knots)}"
        if demand is not None:
            checksum = digest(*demand.pattern, demand.values)
            parts["demand"] = f"{demand.values.size} pairs, blake2b {checksum}"
    if graph.cutoffs:
        parts["cutoff"] = ", ".join(map(repr, graph.cutoffs))
    return parts | {
        "dtype": str(run.dtype),
        "reduce": ", ".join(sorted(run.reduce)) or "none",
        "device": devices.model(engine.name),
        "version": f"sparsebc {metadata.version('sparsebc')}, plan {PLAN}",
    }
