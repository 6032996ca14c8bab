"""The run directory: a graph in files, written once and mapped by every process that works on it.

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
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..graph.csr import CSR
from ..graph.edge_weights import Lengths
from ..graph.graph import Graph
from ..graph.ops import HostOps

# Directory of each graph that has one, by its identity.
_written: dict[int, str] = {}


def of_graph(graph: Graph) -> str:
    """Directory of a graph, below ``tempfile.gettempdir()``; written on the first call."""
    if id(graph) not in _written:
        directory = tempfile.mkdtemp(prefix="sparsebc-")
        weakref.finalize(graph, _remove, id(graph), directory, os.getpid())
        _write(graph.on_host(), Path(directory))
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


def _write(graph: Graph, directory: Path) -> None:
    for name, array in _arrays(graph).items():
        np.save(directory / f"{name}.npy", array)
    lengths = graph.lengths
    about = {
        "n": graph.n,
        "unit": graph.unit,
        "cutoffs": graph.cutoffs,
        "symmetric": graph.symmetric,
        "lengths": None if lengths is None else (lengths.whole, lengths.rtol),
    }
    (directory / "graph.pickle").write_bytes(pickle.dumps(about))


def read(directory: str) -> Graph:
    """The graph of a directory, in pages of its files that all processes of a host share."""
    folder = Path(directory)
    about = pickle.loads((folder / "graph.pickle").read_bytes())

    def mapped(side: str, name: str) -> Any:
        # Copied on write, which no one does: a read-only array is another type to Numba.
        there = np.load(folder / f"{side}-{name}.npy", mmap_mode="c")
        return there.view(np.ndarray)

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
