"""The run directory: a graph and the jobs on it, in files that every process of a host maps.

A directory belongs to a graph, or to a SciPy matrix of lengths in its place, and exists as long as
the graph does in the process that wrote it. That process holds a lock in the directory: the next
run removes the directories of processes that were killed. A job is over once its file is removed.
Where nothing can be written, graph and job are sent with the tasks.
"""

from __future__ import annotations

import glob
import logging
import mmap
import os
import pickle
import shutil
import socket
import tempfile
import uuid
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from .. import private_files
from ..graph.graph import Graph

LOCK, GRAPH = "lock", "graph"
# Bytes to whose multiples arrays are aligned in a file.
ALIGNMENT = 64
# Directory of each graph that has one, by its identity.
_written: dict[int, str] = {}

logger = logging.getLogger("sparsebc")


def of(graph: Any) -> str:
    """File of a graph below ``tempfile.gettempdir()``, written at the first call."""
    directory = _written.get(id(graph))
    if directory is None or not os.path.isdir(directory):
        _remove_abandoned()
        _written[id(graph)] = directory = _new(graph)
    return os.path.join(directory, GRAPH)


def add_job(graph_file: str, job: Any) -> str:
    """File of a new job beside that of its graph; no file has that name if the disk is full."""
    path = Path(graph_file).with_name(f"{uuid.uuid4().hex}.job")
    try:
        write(path, job)
    except OSError as error:
        path.unlink(missing_ok=True)
        if path.parent.is_dir():  # or the user was told
            _tell(error)
    return str(path)


def remove_job(path: str) -> None:
    """Remove the file of a job, if it is still there."""
    with suppress(OSError):
        os.remove(path)


def on_host(graph: Any) -> Any:
    """The graph in the memory of the host, where a matrix of lengths is."""
    return graph.on_host() if isinstance(graph, Graph) else graph


def write(path: Path, content: Any) -> None:
    """Pickle an object to a file: arrays as raw bytes, the rest, and the offset of the rest."""
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
    """What `write` wrote; its arrays are pages of the file, which all processes of a host share.

    They are mapped as copy-on-write, as a read-only array is another type to Numba.
    """
    with open(path, "rb") as file:
        content = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY))
    begin = int.from_bytes(content[-8:], "little")
    rest, spans = pickle.loads(content[begin:-8])
    return pickle.loads(rest, buffers=[content[first:end] for first, end in spans])


def _new(graph: Any) -> str:
    """A new directory with the graph in it; a name without a directory if the disk is full."""
    directory = os.path.join(tempfile.gettempprefix(), _prefix() + "nowhere")
    try:
        directory, lock = _locked()
        weakref.finalize(graph, _remove, id(graph), directory, lock, os.getpid())
        write(Path(directory, GRAPH), on_host(graph))
    except OSError as error:
        shutil.rmtree(directory, ignore_errors=True)
        _tell(error)
    return directory


def _locked() -> tuple[str, FileLock]:
    """A new directory that only this user may enter, and its lock, held by this process."""
    while True:
        directory = tempfile.mkdtemp(prefix=_prefix())
        lock = FileLock(os.path.join(directory, LOCK), thread_local=False)
        try:
            lock.acquire(blocking=False)
        except (FileNotFoundError, Timeout):
            continue  # another process removed the directory before it was locked
        return directory, lock


def _prefix() -> str:
    """Prefix of the names of all run directories of this host."""
    return f"sparsebc-{socket.gethostname()}-"


def _remove_abandoned() -> None:
    """Remove directories of this user whose process was killed."""
    with suppress(OSError):
        for directory in Path(tempfile.gettempdir()).glob(glob.escape(_prefix()) + "*"):
            lock = directory / LOCK
            if private_files.is_private(directory) and lock.exists():
                with suppress(OSError, Timeout), FileLock(lock).acquire(blocking=False):
                    shutil.rmtree(directory, ignore_errors=True)
                    logger.info("%s of a process that was killed is removed", directory)


def _remove(key: int, directory: str, lock: FileLock, owner: int) -> None:
    """Remove a directory, unless this process is a fork of the one that wrote it."""
    if os.getpid() == owner:
        if _written.get(key) == directory:
            del _written[key]
        shutil.rmtree(directory, ignore_errors=True)
        with suppress(OSError):
            lock.release()


def _tell(error: OSError) -> None:
    logger.warning("%s: the graph is sent along with the tasks, which takes longer", str(error))
