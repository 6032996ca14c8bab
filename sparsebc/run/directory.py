"""The run directory: a graph in files, written once and mapped by every process that works on it.

Where the work takes a SciPy matrix of lengths, that is what is kept in place of a `Graph`.

A directory belongs to a graph and lives as long as this does in the process that wrote it, which
holds a lock in it: that of a process that was killed is removed by the next one. Beside the graph
lies a file for each job on it. A job is over, or given up, when its file is gone. Where nothing can
be written, no process sees a file, and graph and job are sent along with the tasks.
"""

from __future__ import annotations

import glob
import logging
import os
import pickle
import shutil
import socket
import tempfile
import uuid
import weakref
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse
from filelock import FileLock, Timeout
from numpy.typing import NDArray

from .. import private_files
from ..graph.csr import CSR
from ..graph.edge_weights import Lengths
from ..graph.graph import Graph
from ..graph.ops import HostOps

Kept: TypeAlias = Graph | scipy.sparse.csr_array
# Arrays of a matrix, in the order in which SciPy takes them.
MATRIX = ("data", "indices", "indptr")
LOCK = "lock"
# Directory of each graph that has one, by its identity.
_written: dict[int, str] = {}

logger = logging.getLogger("sparsebc")


def of(graph: Kept) -> str:
    """Directory of a graph, below ``tempfile.gettempdir()``; written where it is not there."""
    directory = _written.get(id(graph))
    if directory is None or not os.path.isdir(directory):
        _remove_those_of_the_dead()
        _written[id(graph)] = directory = _new(graph)
    return directory


def _new(graph: Kept) -> str:
    """A new directory with the graph in it, or the name of none where it cannot be written."""
    directory = os.path.join(tempfile.gettempprefix(), _prefix() + "nowhere")
    try:
        directory, lock = _locked()
        weakref.finalize(graph, _remove, id(graph), directory, lock, os.getpid())
        _write(on_host(graph), Path(directory))
    except OSError as error:
        shutil.rmtree(directory, ignore_errors=True)
        _tell(error)
    return directory


def _locked() -> tuple[str, FileLock]:
    """A new directory of this user alone, and the lock that says that it is in use."""
    while True:
        directory = tempfile.mkdtemp(prefix=_prefix())
        lock = FileLock(os.path.join(directory, LOCK), thread_local=False)
        try:
            lock.acquire(blocking=False)
        except (FileNotFoundError, Timeout):
            continue  # another process took it for one of the dead before it was locked
        return directory, lock


def _prefix() -> str:
    """What the names of directories of this host begin with."""
    return f"sparsebc-{socket.gethostname()}-"


def _remove_those_of_the_dead() -> None:
    """Remove directories of this user whose process was killed."""
    with suppress(OSError):
        for directory in Path(tempfile.gettempdir()).glob(glob.escape(_prefix()) + "*"):
            lock = directory / LOCK
            if private_files.is_private(directory) and lock.exists():
                with suppress(OSError, Timeout), FileLock(lock).acquire(blocking=False):
                    shutil.rmtree(directory, ignore_errors=True)
                    logger.info("%s of a process that is no more is removed", directory)


def _remove(key: int, directory: str, lock: FileLock, owner: int) -> None:
    """Remove it, unless this is a fork of the process that wrote it."""
    if os.getpid() == owner:
        if _written.get(key) == directory:
            del _written[key]
        shutil.rmtree(directory, ignore_errors=True)
        with suppress(OSError):
            lock.release()


def _tell(error: OSError) -> None:
    logger.warning("%s: the graph is sent along with the tasks, which takes longer", error)


def _arrays(graph: Graph) -> dict[str, NDArray[Any]]:
    """What a graph is made of, each array once."""
    sides = {"outgoing": graph.outgoing}
    if not graph.symmetric:
        sides["incoming"] = graph.incoming
    arrays: dict[str, NDArray[Any]] = {}
    for side, pattern in sides.items():
        arrays |= {f"{side}-{name}": array for name, array in pattern._asdict().items()}
        if graph.lengths is not None:
            arrays[f"{side}-lengths"] = getattr(graph.lengths, side)
    return arrays


def on_host(graph: Kept) -> Kept:
    """The same in the memory of the host, where a matrix is."""
    return graph.on_host() if isinstance(graph, Graph) else graph


def _write(graph: Kept, directory: Path) -> None:
    arrays = (
        _arrays(graph)
        if isinstance(graph, Graph)
        else {f"matrix-{name}": getattr(graph, name) for name in MATRIX}
    )
    for name, array in arrays.items():
        np.save(directory / f"{name}.npy", array)
    if not isinstance(graph, Graph):
        return
    lengths = graph.lengths
    about = {
        "n": graph.n,
        "unit": graph.unit,
        "cutoffs": graph.cutoffs,
        "symmetric": graph.symmetric,
        "lengths": None if lengths is None else (lengths.whole, lengths.rtol),
    }
    (directory / "graph.pickle").write_bytes(pickle.dumps(about))


def read(directory: str) -> Kept:
    """The graph of a directory, in pages of its files that all processes of a host share."""
    folder = Path(directory)

    def mapped(side: str, name: str) -> Any:
        # Copied on write, which no one does: a read-only array is another type to Numba.
        there = np.load(folder / f"{side}-{name}.npy", mmap_mode="c")
        return there.view(np.ndarray)

    if not (folder / "graph.pickle").exists():
        parts = [mapped("matrix", name) for name in MATRIX]
        n = parts[-1].size - 1
        return scipy.sparse.csr_array(tuple(parts), shape=(n, n))
    about = pickle.loads((folder / "graph.pickle").read_bytes())
    sides = ["outgoing"] if about["symmetric"] else ["outgoing", "incoming"]
    patterns = [CSR(mapped(side, "indptr"), mapped(side, "indices")) for side in sides]
    lengths = None
    if about["lengths"] is not None:
        along = [mapped(side, "lengths") for side in sides]
        lengths = Lengths(along[0], along[-1], *about["lengths"])
    along_all = about["unit"], about["cutoffs"]
    return Graph(about["n"], patterns[0], patterns[-1], HostOps(), lengths, *along_all)


def add_job(directory: str, job: Any) -> str:
    """File of a job, which any process can unpickle; its name alone where it cannot be written."""
    path = Path(directory, f"{uuid.uuid4().hex}.job")
    content = pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL)
    try:
        path.write_bytes(content)
    except OSError as error:
        path.unlink(missing_ok=True)
        if os.path.isdir(directory):  # or that was told
            _tell(error)
    return str(path)


def remove_job(path: str) -> None:
    """Remove the file of a job, if it is still there."""
    with suppress(OSError):
        os.remove(path)
