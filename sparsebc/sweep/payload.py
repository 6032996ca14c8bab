"""The payload of tasks: a graph and the jobs on it, in files that processes map into memory.

The files are in a *run directory*, one for each graph of a call. The calling process holds a lock
in it, so that the next run can remove directories of killed processes. A job is over once its file
is removed. Workers of Dask read no files: they are sent the payload.
"""

import glob
import itertools
import logging
import mmap
import os
import pickle
import shutil
import socket
import tempfile
import uuid
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import FileLock

from .. import private_files
from ..matrix.foreign import on_host

LOCK = "lock"
# Alignment of arrays in a file, in bytes.
ALIGNMENT = 64

logger = logging.getLogger("sparsebc")


class RunDirectory:
    """Files of a graph (or matrix of lengths) and of the jobs on it; names alone for Dask."""

    def __init__(self, graph: Any, *, is_written: bool = True) -> None:
        self.graph, self._is_written, self._jobs = graph, is_written, itertools.count()
        self._path = Path(tempfile.gettempdir(), f"{_prefix()}{uuid.uuid4().hex}")
        self._lock = FileLock(self._path / LOCK, thread_local=False)
        if is_written:
            _remove_abandoned()
        self.graph_file = self._write("graph", graph)

    def add(self, job: Any) -> str:
        """Path of the file of a new job."""
        return self._write(f"{next(self._jobs)}.job", job)

    def remove(self) -> None:
        """Remove the directory."""
        with suppress(OSError):
            self._lock.release()
        shutil.rmtree(self._path, ignore_errors=True)

    def _write(self, name: str, content: Any) -> str:
        path = self._path / name
        try:
            if self._is_written:
                if not self._lock.is_locked:
                    self._path.mkdir(mode=0o700)
                    self._lock.acquire(blocking=False)
                write(path, on_host(content))
        except OSError as error:
            self.remove()
            error.add_note(
                f"Workers of the executor read the graph from files in {self._path.parent}: set "
                "TMPDIR to a folder that has room."
            )
            raise
        return str(path)


def write(path: Path, content: Any) -> None:
    """Pickle an object to a file: raw bytes of its arrays, the rest, and the offset of the rest."""
    arrays: list[pickle.PickleBuffer] = []
    rest = pickle.dumps(content, protocol=5, buffer_callback=arrays.append)
    spans = []
    with path.open("wb") as file:
        for array in arrays:
            file.seek(-file.tell() % ALIGNMENT, os.SEEK_CUR)
            begin = file.tell()
            spans.append((begin, begin + file.write(array.raw())))
        begin = file.tell()
        pickle.dump((rest, spans), file)
        file.write(begin.to_bytes(8, "little"))


def read(path: str) -> Any:
    """Object written by `write`; its arrays are mapped from the file, so that processes share them.

    The mapping is copy-on-write: read-only arrays would be another type to Numba.
    """
    with open(path, "rb") as file:
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    begin = int.from_bytes(content[-8:], "little")
    rest, spans = pickle.loads(content[begin:-8])
    return pickle.loads(rest, buffers=[content[first:end] for first, end in spans])


def sees(path: str) -> bool:
    """Whether a file exists and is owned by this user: no other is safe to unpickle."""
    with suppress(OSError):
        return not hasattr(os, "geteuid") or os.lstat(path).st_uid == os.geteuid()
    return False


def _prefix() -> str:
    """Prefix of the names of the run directories of this host."""
    return f"sparsebc-{socket.gethostname()}-"


def _remove_abandoned() -> None:
    """Remove run directories of this user whose process was killed."""
    with suppress(OSError):
        for directory in Path(tempfile.gettempdir()).glob(glob.escape(_prefix()) + "*"):
            lock = directory / LOCK
            if private_files.is_private(directory) and lock.exists():
                with suppress(OSError):
                    with FileLock(lock).acquire(blocking=False):
                        shutil.rmtree(directory, ignore_errors=True)
                    shutil.rmtree(directory, ignore_errors=True)  # Windows keeps open files
                    logger.info("%s of a process that was killed is removed", directory)
