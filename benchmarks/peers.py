"""The libraries measured, one function each, and the process that runs one of them.

A peer takes a `Graph`, converts it to the library's own form and returns ``(runs, version,
threads)``, with a function for each measure. Only ``run(sources, dtype)`` is timed (sources None:
all); it returns raw scores in the convention of sparsebc and NetworkX. Betweenness is the sum over
ordered pairs, halved if the graph is undirected, for all sources or some; harmonic centrality is
the sum of the inverse distances to a node, not halved. Peers outside `TYPED` compute in float64 for
any dtype. A library that cannot do the case raises `Skip`.

``python -m benchmarks.peers NAME FOLDER`` loads ``FOLDER/graph.npz`` and writes JSON lines: one
when ready, then one for each request ``[count, dtype]``, with the number of sources or null; the
request null frees CuPy's idle memory. It imports NumPy and the one library only, because the
library may need another Python: graph-tool, which comes with that of a Linux distribution, runs in
the one that ``SPARSEBC_GRAPH_TOOL_PYTHON`` names.
"""

import ctypes
import functools
import json
import os
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
MEASURES = ("betweenness", "harmonic")
NETWORKX_LIMIT = 20_000_000  # sources x arcs; about ten seconds


class Skip(Exception):
    """The library is not installed or cannot do this case."""


class Graph(NamedTuple):
    """CSR pattern without loops or duplicates, symmetric when undirected; sources None: all.

    Lengths are in the order of the indices; None if the graph is unweighted.
    """

    indptr: np.ndarray
    indices: np.ndarray
    directed: bool
    sources: np.ndarray | None = None
    device: str = "cpu"  # of sparsebc
    lengths: np.ndarray | None = None
    measure: str = "betweenness"

    @classmethod
    def load(cls, path):
        """Graph from a file of `save`."""
        with np.load(path) as file:
            fields = {name: file[name] for name in file}
        return cls(
            **{name: field if field.ndim else field.item() for name, field in fields.items()}
        )

    def save(self, path):
        """Write all fields to an ``.npz`` file."""
        np.savez(
            path, **{name: field for name, field in self._asdict().items() if field is not None}
        )

    def some(self, count):
        """Return ``count`` of the sources, evenly spread in their order; all of them for None."""
        if count is None:
            return self.sources
        sources = np.arange(self.n) if self.sources is None else self.sources
        return sources[np.arange(count) * sources.size // count]

    @property
    def n(self):
        """Number of nodes."""
        return self.indptr.size - 1

    def edges(self):
        """Return tails and heads of all arcs, or of every undirected edge once."""
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
    """Time sparsebc from float64 values on the host to scores on the host."""
    return _ours(graph, _host_matrix(graph), graph.device)


def sparsebc_cupy(graph):
    """Time sparsebc from a CuPy matrix to a CuPy vector on one device."""
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    values = cupy.asarray(_values(graph))
    parts = values, cupy.asarray(graph.indices), cupy.asarray(graph.indptr)
    return _ours(graph, csr_matrix(parts, shape=(graph.n, graph.n)), "cuda")


def sparsebc_cpu(graph):
    """Run sparsebc on the CPU in float64, to check values against."""
    return _ours(graph, _host_matrix(graph), "cpu", dtype=np.float64)


def naive(graph):
    """Run the reference engine on the GPU: products of cuSPARSE and element-wise kernels."""
    import cupy

    _only_without_lengths(graph)
    runs, _, threads = _ours(graph, _host_matrix(graph), "reference:cuda")
    return {"betweenness": runs["betweenness"]}, f"CuPy {cupy.__version__}", threads


def _only_without_lengths(graph):
    if graph.lengths is not None:
        raise Skip("knows no lengths")


def _host_matrix(graph):
    from scipy.sparse import csr_array

    parts = _values(graph), graph.indices, graph.indptr
    return csr_array(parts, shape=(graph.n, graph.n))


def _values(graph):
    return np.ones(graph.indices.size) if graph.lengths is None else graph.lengths


def _ours(graph, matrix, device, **fixed):
    import sparsebc

    options = {"directed": graph.directed, "weighted": graph.lengths is not None, "device": device}

    def betweenness(sources, dtype):
        how = {"dtype": dtype, **fixed, **options}
        return sparsebc.betweenness(matrix, sources=sources, normalized=False, **how)

    def harmonic(sources, _):
        return sparsebc.harmonic(matrix, sources=sources, **options)

    return {"betweenness": betweenness, "harmonic": harmonic}, sparsebc.__version__, cores()


def cugraph(graph):
    """Undo the extrapolation from a subset of sources, which cuGraph shares with NetworkX."""
    import cupy
    import pylibcugraph

    _only_without_lengths(graph)
    tails = np.repeat(np.arange(graph.n, dtype=np.int32), np.diff(graph.indptr))
    handle = pylibcugraph.ResourceHandle()
    properties = pylibcugraph.GraphProperties(is_symmetric=not graph.directed, is_multigraph=False)
    G = pylibcugraph.SGGraph(
        handle,
        properties,
        cupy.asarray(tails),
        cupy.asarray(graph.indices),
        weight_array=None,
        store_transposed=False,
        renumber=True,
        do_expensive_check=False,
        vertices_array=cupy.arange(graph.n, dtype=np.int32),
    )
    half = 1.0 if graph.directed else 0.5

    def run(sources, _):
        given = None if sources is None else cupy.asarray(sources.astype(np.int32))
        nodes, scores = pylibcugraph.betweenness_centrality(
            handle, G, given, None, True, False, False
        )
        scores = scores[cupy.argsort(nodes)].get()
        count = graph.n if sources is None else sources.size
        pairs = np.full(graph.n, float(count))
        pairs[slice(None) if sources is None else sources] -= 1
        return half * np.where(pairs > 0, scores * pairs * (graph.n - 2), 0.0)

    return {"betweenness": run}, pylibcugraph.__version__, 1


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
    weight = None if lengths is None else "weight"

    def betweenness(sources, _):
        options = {"normalized": False, "weight": weight}
        if sources is None:
            scores = nx.betweenness_centrality(G, **options)
        else:
            scores = nx.betweenness_centrality_subset(G, sources.tolist(), list(G), **options)
        return list(scores.values())

    def harmonic(sources, _):
        chosen = None if sources is None else sources.tolist()
        scores = nx.harmonic_centrality(G, sources=chosen, distance=weight)
        return [scores[node] for node in range(graph.n)]

    return {"betweenness": betweenness, "harmonic": harmonic}, nx.__version__, 1


def igraph(graph):
    """Halve undirected scores, also those of a subset: path from {0, 1} is [0, 1, 1, 0]."""
    _no_harmonic_subset(graph)
    import igraph

    edges = np.column_stack(graph.edges())
    G = igraph.Graph(n=graph.n, edges=edges, directed=graph.directed)
    lengths = None if graph.lengths is None else graph.edge_lengths().tolist()

    def betweenness(sources, _):
        chosen = sources if sources is None else sources.tolist()
        return G.betweenness(directed=graph.directed, sources=chosen, weights=lengths)

    def harmonic(*_):
        return G.harmonic_centrality(mode="in", weights=lengths, normalized=False)

    return {"betweenness": betweenness, "harmonic": harmonic}, igraph.__version__, 1


def networkit(graph):
    """Count ordered pairs and never halve: path 0-1-2-3 is [0, 4, 4, 0]. All sources only."""
    if graph.sources is not None:
        raise Skip("exact scores have no subset of sources")
    nk, G = _networkit(graph)
    half = 1.0 if graph.directed else 0.5

    def betweenness(*_):
        return half * np.asarray(nk.centrality.Betweenness(G, normalized=False).run().scores())

    def harmonic(*_):
        return np.asarray(nk.centrality.HarmonicCloseness(G, normalized=False).run().scores())

    return (
        {"betweenness": betweenness, "harmonic": harmonic},
        nk.__version__,
        nk.getMaxNumberOfThreads(),
    )


def networkit_estimate(graph):
    """Estimate from as many sources as the case has, but drawn by itself: only times count."""
    if graph.sources is None:
        raise Skip("estimates from a sample of sources")
    nk, G = _networkit(graph)
    half = 1.0 if graph.directed else 0.5

    def run(sources, _):
        estimate = nk.centrality.EstimateBetweenness(G, sources.size, False, True).run()
        return half * sources.size / graph.n * np.asarray(estimate.scores())

    return {"betweenness": run}, nk.__version__, nk.getMaxNumberOfThreads()


def _networkit(graph):
    """The library, with all cores, and its graph."""
    import networkit as nk

    nk.setNumberOfThreads(cores())
    edges = tuple(ends.astype(np.uint64) for ends in _from_nodes(graph))  # networkit's type
    lengths = graph.edge_lengths()
    coo = edges if lengths is None else (lengths, edges)
    return nk, nk.GraphFromCoo(
        coo, n=graph.n, directed=graph.directed, weighted=lengths is not None
    )


def graph_tool(graph):
    """Halve undirected scores, also those of pivots: path from {0, 1} is [0, 1, 1, 0]."""
    _no_harmonic_subset(graph)
    import graph_tool as gt
    from graph_tool import centrality

    gt.openmp_set_num_threads(cores())
    G = gt.Graph(directed=graph.directed)
    G.add_vertex(graph.n)
    G.add_edge_list(np.column_stack(_from_nodes(graph)))
    lengths = None
    if graph.lengths is not None:
        lengths = G.new_edge_property("double")
        lengths.a = graph.edge_lengths()

    def betweenness(sources, _):
        scores, _ = centrality.betweenness(G, pivots=sources, weight=lengths, norm=False)
        return scores.a.copy()  # the array is a view that does not keep the map alive

    def harmonic(*_):
        return centrality.closeness(G, weight=lengths, norm=False, harmonic=True).a.copy()

    return (
        {"betweenness": betweenness, "harmonic": harmonic},
        gt.__version__,
        gt.openmp_get_num_threads(),
    )


def _no_harmonic_subset(graph):
    if graph.measure == "harmonic" and graph.sources is not None:
        raise Skip("harmonic centrality has no subset of sources")


def _from_nodes(graph):
    """Edges, reversed for harmonic centrality in libraries that use distances from a node."""
    tails, heads = graph.edges()
    return (heads, tails) if graph.measure == "harmonic" else (tails, heads)


OURS = "sparsebc"
CPU = {
    "networkx": networkx,
    "igraph": igraph,
    "networkit": networkit,
    "networkit-estimate": networkit_estimate,
    "graph-tool": graph_tool,
}
GPU = {
    "sparsebc-cupy": sparsebc_cupy,
    "sparsebc-cpu": sparsebc_cpu,
    "naive": naive,
    "cugraph": cugraph,
}
PEERS = {OURS: sparsebc, **CPU, **GPU}
FAMILY = {OURS, "sparsebc-cupy", "sparsebc-cpu"}  # sparsebc itself: never the fastest peer
WHOLE = {OURS, "sparsebc-cupy"}  # run from all sources, however long it takes
SAMPLERS = {"networkit-estimate"}  # draw their own sources: values are not compared
TYPED = {*WHOLE, "naive"}  # compute in the given dtype


def cores():
    """Return the number of CPU cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def timed(run):
    """Return scores, wall seconds, and peak bytes above the start (None except on Linux)."""
    resident = _reset_peak()
    start = time.perf_counter()
    scores = run()
    if "cupy" in sys.modules:
        sys.modules["cupy"].cuda.Device().synchronize()
    seconds = time.perf_counter() - start
    peak = None if resident is None else _memory("VmHWM") - resident
    scores = scores.get() if hasattr(scores, "get") else scores  # CuPy's to the host
    return np.asarray(scores, np.float64), {"seconds": seconds, "peak_bytes": peak}


def _reset_peak():
    """Start a new high-water mark and return the resident bytes.

    Not `ru_maxrss`: a child inherits its parent's, and it never decreases.
    """
    try:
        ctypes.CDLL(None).malloc_trim(0)  # memory freed by an earlier run is to count again
        Path("/proc/self/clear_refs").write_text("5")
        return _memory("VmRSS")
    except (OSError, AttributeError):
        return None


def _memory(field):
    """Return the bytes of a field of ``/proc/self/status``, which is in kB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(field))


def _release():
    """Free the device memory in CuPy's pool."""
    if "cupy" in sys.modules:
        sys.modules["cupy"].get_default_memory_pool().free_all_blocks()


def serve(name, folder):
    """Convert the graph, answer, then run once for every request on standard input."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # output of libraries must not mix with the answers

    def answer(**fields):
        print(json.dumps(fields), file=answers, flush=True)

    try:
        graph = Graph.load(folder / "graph.npz")
        runs, version, threads = PEERS[name](graph)
        if graph.measure not in runs:
            raise Skip(f"has no {graph.measure}")
        answer(version=str(version), threads=threads)
        for request in sys.stdin:
            if json.loads(request) is None:
                _release()
                answer()
                continue
            count, dtype = json.loads(request)
            scores, usage = timed(functools.partial(runs[graph.measure], graph.some(count), dtype))
            np.save(folder / f"{name}.npy", scores)
            answer(**usage)
    except (ImportError, Skip) as reason:
        answer(skipped=str(reason))
    except Exception as error:  # reported to the parent, which goes on with the other peers
        answer(failed=f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    serve(sys.argv[1], Path(sys.argv[2]))
