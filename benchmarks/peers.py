"""The libraries measured, one function each, and the process that runs one of them.

A peer takes a `Graph`, converts it to the library's own form and returns ``(run, version,
threads)``. Only ``run()`` is timed; it returns the scores in sparsebc's raw convention, that of
NetworkX: the sum over ordered pairs, halved when the graph is undirected, with or without a subset
of sources. A library that cannot do the case raises `Skip`.

``python -m benchmarks.peers NAME FOLDER`` loads ``FOLDER/graph.npz`` and speaks JSON lines: one
when ready, then one for each line read. It imports NumPy and the one library only, because
graph-tool lives in the system's interpreter.
"""

import ctypes
import importlib.util
import json
import os
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

NETWORKX_LIMIT = 20_000_000  # sources x arcs; about ten seconds


class Skip(Exception):
    """The library is not there or cannot do this case."""


class Graph(NamedTuple):
    """CSR pattern without loops or duplicates, symmetric when undirected; sources None: all.

    Lengths belong to the indices; None where every edge has length one.
    """

    indptr: np.ndarray
    indices: np.ndarray
    directed: bool
    sources: np.ndarray | None
    dtype: str
    lengths: np.ndarray | None = None

    @classmethod
    def load(cls, path):
        """Read what `save` wrote."""
        with np.load(path) as file:
            sources = file["sources"] if "sources" in file else None
            lengths = file["lengths"] if "lengths" in file else None
            directed, dtype = bool(file["directed"]), str(file["dtype"])
            return cls(file["indptr"], file["indices"], directed, sources, dtype, lengths)

    def save(self, path):
        """Write all fields to an ``.npz`` file."""
        np.savez(
            path, **{name: field for name, field in self._asdict().items() if field is not None}
        )

    @property
    def n(self):
        """Number of nodes."""
        return self.indptr.size - 1

    def edges(self):
        """Return tails and heads: all arcs, or every undirected edge once."""
        tails, kept = self._tails(), self._kept()
        return tails[kept], self.indices[kept]

    def edge_lengths(self):
        """Return the length of each of `edges`, or None."""
        return None if self.lengths is None else self.lengths[self._kept()]

    def _tails(self):
        return np.repeat(np.arange(self.n, dtype=self.indices.dtype), np.diff(self.indptr))

    def _kept(self):
        return slice(None) if self.directed else self._tails() < self.indices


def sparsebc(graph):
    """Ours on the CPU engine; the time includes the checks and copies of the input."""
    from scipy.sparse import csr_array

    import sparsebc

    weighted = graph.lengths is not None
    values = graph.lengths if weighted else np.ones(graph.indices.size, bool)
    matrix = csr_array((values, graph.indices, graph.indptr), shape=(graph.n, graph.n))
    options = {"directed": graph.directed, "normalized": False, "sources": graph.sources}
    options["weighted"] = weighted

    def run():
        return sparsebc.betweenness(matrix, device="cpu", dtype=np.dtype(graph.dtype), **options)

    return run, sparsebc.__version__, cores()


def networkx(graph):
    """Halve undirected scores, also those of a subset of sources: path 0-1-2-3 [0, 2, 2, 0]."""
    work = (graph.n if graph.sources is None else graph.sources.size) * graph.indices.size
    if work > NETWORKX_LIMIT:
        raise Skip(f"sources x arcs is {work:.1e}, above {NETWORKX_LIMIT:.0e}")
    import networkx as nx

    G = nx.DiGraph() if graph.directed else nx.Graph()
    G.add_nodes_from(range(graph.n))
    edges = np.column_stack(graph.edges()).tolist()
    lengths = graph.edge_lengths()
    G.add_edges_from(edges)
    if lengths is not None:
        nx.set_edge_attributes(
            G, dict(zip(map(tuple, edges), lengths.tolist(), strict=True)), "weight"
        )
    options = {"normalized": False, "weight": None if lengths is None else "weight"}
    sources = graph.sources if graph.sources is None else graph.sources.tolist()

    def run():
        if sources is None:
            scores = nx.betweenness_centrality(G, **options)
        else:
            scores = nx.betweenness_centrality_subset(G, sources, list(G), **options)
        return list(scores.values())

    return run, nx.__version__, 1


def igraph(graph):
    """Halve undirected scores, also those of a subset: path from {0, 1} is [0, 1, 1, 0]."""
    import igraph

    edges = np.column_stack(graph.edges())
    G = igraph.Graph(n=graph.n, edges=edges, directed=graph.directed)
    lengths = None if graph.lengths is None else graph.edge_lengths().tolist()
    sources = graph.sources if graph.sources is None else graph.sources.tolist()

    def run():
        return G.betweenness(directed=graph.directed, sources=sources, weights=lengths)

    return run, igraph.__version__, 1


def networkit(graph):
    """Count ordered pairs and never halve: path 0-1-2-3 is [0, 4, 4, 0]. All sources only."""
    if graph.sources is not None:
        raise Skip("exact betweenness has no subset of sources")
    import networkit as nk

    nk.setNumberOfThreads(cores())
    edges = tuple(ends.astype(np.uint64) for ends in graph.edges())  # read as 64 bits in any case
    lengths = graph.edge_lengths()
    coo = edges if lengths is None else (lengths, edges)
    G = nk.GraphFromCoo(coo, n=graph.n, directed=graph.directed, weighted=lengths is not None)
    factor = 1.0 if graph.directed else 0.5

    def run():
        return factor * np.asarray(nk.centrality.Betweenness(G, normalized=False).run().scores())

    return run, nk.__version__, nk.getMaxNumberOfThreads()


def graph_tool(graph):
    """Halve undirected scores, also those of pivots: path from {0, 1} is [0, 1, 1, 0]."""
    import graph_tool as gt
    from graph_tool.centrality import betweenness

    gt.openmp_set_num_threads(cores())
    G = gt.Graph(directed=graph.directed)
    G.add_vertex(graph.n)
    G.add_edge_list(np.column_stack(graph.edges()))
    lengths = None
    if graph.lengths is not None:
        lengths = G.new_edge_property("double")
        lengths.a = graph.edge_lengths()

    def run():
        scores, _ = betweenness(G, pivots=graph.sources, weight=lengths, norm=False)
        return scores.a.copy()  # the array is a view that does not keep the map alive

    return run, gt.__version__, gt.openmp_get_num_threads()


OURS = "sparsebc"
PEERS = {
    OURS: sparsebc,
    "networkx": networkx,
    "igraph": igraph,
    "networkit": networkit,
    "graph-tool": graph_tool,
}


def interpreter(name):
    """Return the Python that has the library: this one, or for graph-tool the system's."""
    if name == "graph-tool" and importlib.util.find_spec("graph_tool") is None:
        return "/usr/bin/python3"
    return sys.executable


def cores():
    """Return the number of CPU cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def timed(run):
    """Return scores, wall seconds, and peak bytes above the start (None where not Linux)."""
    resident = _reset_peak()
    start = time.perf_counter()
    scores = run()
    seconds = time.perf_counter() - start
    peak = None if resident is None else _memory("VmHWM") - resident
    return np.asarray(scores, np.float64), {"seconds": seconds, "peak_bytes": peak}


def _reset_peak():
    """Start a new high-water mark and return the resident bytes.

    Not `ru_maxrss`: a child inherits its parent's, and the first call's, and it never falls.
    """
    try:
        ctypes.CDLL(None).malloc_trim(0)  # what an earlier run freed must be paid for again
        Path("/proc/self/clear_refs").write_text("5")
        return _memory("VmRSS")
    except (OSError, AttributeError):
        return None


def _memory(field):
    """Return the bytes of a field of ``/proc/self/status``, which is in kB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def serve(name, folder):
    """Convert the graph, say so, then run once for every line on standard input."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints must not mix with the answers

    def answer(**fields):
        print(json.dumps(fields), file=answers, flush=True)

    try:
        run, version, threads = PEERS[name](Graph.load(folder / "graph.npz"))
        answer(version=str(version), threads=threads)
        for _ in sys.stdin:
            scores, usage = timed(run)
            np.save(folder / f"{name}.npy", scores)
            answer(**usage)
    except (ImportError, Skip) as reason:
        answer(skipped=str(reason))
    except Exception as error:  # reported to the parent, which goes on with the other peers
        answer(failed=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    serve(sys.argv[1], Path(sys.argv[2]))
