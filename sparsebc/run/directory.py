"""The run directory: a graph in files, written once and mapped by every process that works on it.

Where the work takes a SciPy matrix of lengths, that is what is kept in place of a `Graph`.

A directory belongs to a graph and lives as long as this does in the process that wrote it. Beside
the graph lies a file for each job on it. A job is over, or given up, when its file is gone.
"""

from __future__ import annotations

import os
import pickle
import shutil
import tempfile
import uuid
import weakref
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

from ..graph.csr import CSR
from ..graph.edge_weights import Lengths
from ..graph.graph import Graph
from ..graph.ops import HostOps

Kept: TypeAlias = Graph | scipy.sparse.csr_array
# Arrays of a matrix, in the order in which SciPy takes them.
MATRIX = ("data", "indices", "indptr")
# Directory of each graph that has one, by its identity.
_written: dict[int, str] = {}


def of(graph: Kept) -> str:
    """Directory of a graph, below ``tempfile.gettempdir()``; written on the first call."""
    if id(graph) not in _written:
        directory = tempfile.mkdtemp(prefix="sparsebc-")
        weakref.finalize(graph, _remove, id(graph), directory, os.getpid())
        _write(on_host(graph), Path(directory))
        _written[id(graph)] = directory
    return _written[id(graph)]


def _remove(key: int, directory: str, owner: int) -> None:
    """Remove it, unless this is a fork of the process that wrote it."""
    if os.getpid() == owner:
        _written.pop(key, None)
        shutil.rmtree(directory, ignore_errors=True)


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
    """File of a job, which any process can unpickle."""
    path = Path(directory, f"{uuid.uuid4().hex}.job")
    path.write_bytes(pickle.dumps(job, protocol=pickle.HIGHEST_PROTOCOL))
    return str(path)
