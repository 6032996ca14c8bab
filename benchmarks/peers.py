"""Libraries on a CPU, one function each, and the process that runs one of them.

A peer takes a `Graph`, converts it to the library's own form, and returns ``(ways, version,
threads)``: calls by name, of which only the calls are timed. They return raw scores in the
convention of sparsebc and NetworkX: of nodes, or of `Graph.edges`. Betweenness is the sum over
ordered pairs, halved if the graph is undirected; harmonic centrality is the sum of the inverse
distances to a node. A library that cannot do the case raises `Skip`.

``python -m benchmarks.peers NAME FOLDER`` reads ``FOLDER/graph.npz``, keeps the scores in
``FOLDER/scores.npy`` and prints a JSON line after each step. It imports NumPy and the one library
only, because the library may need another Python: graph-tool, which comes with that of a Linux
distribution, runs in the one that ``SPARSEBC_GRAPH_TOOL_PYTHON`` names.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
ENOUGH = 10.0  # seconds after which a call is not repeated
NETWORKX_WORK = 3_000_000  # sources x arcs; some seconds


class Skip(Exception):
    """The library cannot do this case."""


class Graph(NamedTuple):
    """CSR pattern without loops or duplicates, symmetric when undirected; sources None: all.

    Lengths are in the order of the indices; None if the graph is unweighted.
    """

    indptr: np.ndarray
    indices: np.ndarray
    directed: bool
    measure: str
    lengths: np.ndarray | None = None
    sources: np.ndarray | None = None

    @classmethod
    def load(cls, folder):
        """Graph from a file of `save`."""
        with np.load(folder / "graph.npz") as file:
            fields = {name: file[name] for name in file}
        return cls(
            **{name: field if field.ndim else field.item() for name, field in fields.items()}
        )

    def save(self, folder):
        """Write all fields to ``graph.npz``."""
        fields = {name: field for name, field in self._asdict().items() if field is not None}
        np.savez(Path(folder, "graph.npz"), **fields)

    @property
    def n(self):
        """Number of nodes."""
        return self.indptr.size - 1

    def tails(self):
        """Return the tail of each arc."""
        return np.repeat(np.arange(self.n, dtype=np.int32), np.diff(self.indptr))

    def kept(self):
        """Mask of the arcs that stand for an edge: all, or of every undirected edge one."""
        return np.full(self.indices.size, True) if self.directed else self.tails() < self.indices

    def edges(self):
        """Return tails and heads of all arcs, or of every undirected edge once."""
        return self.tails()[self.kept()], self.indices[self.kept()]

    def edge_lengths(self):
        """Return the length of each of `edges`, or None."""
        return None if self.lengths is None else self.lengths[self.kept()]


def networkx(graph):
    """From few sources, and as a backend of NetworkX sparsebc from all."""
    import networkx as nx

    G = nx.DiGraph() if graph.directed else nx.Graph()
    G.add_nodes_from(range(graph.n))
    edges = list(zip(*(ends.tolist() for ends in graph.edges()), strict=True))
    G.add_edges_from(edges)
    weight = None if graph.lengths is None else "weight"
    if weight:
        lengths = graph.edge_lengths().tolist()
        nx.set_edge_attributes(G, dict(zip(edges, lengths, strict=True)), weight)
    keys = edges if graph.measure == "edge_betweenness" else range(graph.n)
    few = None if graph.sources is None else graph.sources.tolist()

    def run(sources=few, **backend):
        if graph.measure == "harmonic":
            found = nx.harmonic_centrality(G, sources=sources, distance=weight, **backend)
        else:
            name = f"{graph.measure}_centrality" + "_subset" * (sources is not None)
            some = () if sources is None else (sources, list(G))
            function = getattr(nx, name)
            found = function(G, *some, normalized=False, weight=weight, **backend)
        return [found[key] for key in keys]

    return {"host": run, "backend": lambda: run(None, backend="sparsebc")}, nx.__version__, 1


def igraph(graph):
    """Halve undirected scores."""
    import igraph

    edges = np.column_stack(graph.edges())
    G = igraph.Graph(n=graph.n, edges=edges, directed=graph.directed)
    lengths = None if graph.lengths is None else graph.edge_lengths().tolist()
    run = {
        "betweenness": lambda: G.betweenness(directed=graph.directed, weights=lengths),
        "edge_betweenness": lambda: G.edge_betweenness(graph.directed, weights=lengths),
        "harmonic": lambda: G.harmonic_centrality(mode="in", weights=lengths, normalized=False),
    }
    return {"host": run[graph.measure]}, igraph.__version__, 1


def networkit(graph):
    """Count ordered pairs and never halve: path 0-1-2-3 is [0, 4, 4, 0]."""
    import networkit as nk

    nk.setNumberOfThreads(cores())
    edges = tuple(ends.astype(np.uint64) for ends in _from_nodes(graph))  # networkit's type
    lengths, weighted = graph.edge_lengths(), graph.lengths is not None
    coo = (lengths, edges) if weighted else edges
    G = nk.GraphFromCoo(coo, n=graph.n, directed=graph.directed, weighted=weighted)
    half, number = 1.0 if graph.directed else 0.5, None
    if graph.measure == "edge_betweenness":
        G.indexEdges()
        number = [G.edgeId(*map(int, ends)) for ends in zip(*edges, strict=True)]

    def betweenness():
        found = nk.centrality.Betweenness(G, False, number is not None).run()
        return half * np.asarray(found.scores() if number is None else found.edgeScores())

    def harmonic():
        return nk.centrality.HarmonicCloseness(G, normalized=False).run().scores()

    def edges_in_order():
        return betweenness()[number]

    run = harmonic if graph.measure == "harmonic" else betweenness
    ways = {"host": run if number is None else edges_in_order}
    return ways, nk.__version__, nk.getMaxNumberOfThreads()


def graph_tool(graph):
    """Halve undirected scores."""
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

    def betweenness():
        found = centrality.betweenness(G, weight=lengths, norm=False)
        # The array is a view that does not keep the map alive.
        return found[graph.measure == "edge_betweenness"].a.copy()

    def harmonic():
        return centrality.closeness(G, weight=lengths, norm=False, harmonic=True).a.copy()

    run = harmonic if graph.measure == "harmonic" else betweenness
    return {"host": run}, gt.__version__, gt.openmp_get_num_threads()


def rustworkx(graph):
    """Halve undirected scores; no lengths."""
    import rustworkx as rx

    if graph.lengths is not None or graph.measure == "harmonic":
        raise Skip("has no such measure")
    G = rx.PyDiGraph() if graph.directed else rx.PyGraph()
    G.add_nodes_from(range(graph.n))
    G.add_edges_from_no_data([tuple(map(int, ends)) for ends in np.column_stack(graph.edges())])
    function = getattr(rx, f"{graph.measure}_centrality")

    def run():
        found = function(G, normalized=False)
        return [found[number] for number in range(len(found))]

    return {"host": run}, rx.__version__, cores()


def _from_nodes(graph):
    """Edges, reversed for harmonic centrality in libraries that use distances from a node."""
    tails, heads = graph.edges()
    return (heads, tails) if graph.measure == "harmonic" else (tails, heads)


PEERS = {
    "networkx": networkx,
    "igraph": igraph,
    "networkit": networkit,
    "rustworkx": rustworkx,
    "graph-tool": graph_tool,
}


def cores():
    """Return the number of CPU cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


def measure(name, graph, *, repeats, limit):
    """Result and scores of a peer; the run is killed after `limit` seconds."""
    python = os.environ.get(f"SPARSEBC_{name.upper().replace('-', '_')}_PYTHON", sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        graph.save(folder)
        words = [python, "-m", "benchmarks.peers", name, folder, str(repeats)]
        return answers(words, Path(folder), limit)


def answers(words, folder, limit):
    """Result and scores of a command that works in a folder, as far as it came; or None."""
    with (folder / "out").open("w") as out, (folder / "err").open("w") as err:
        try:
            code = subprocess.run(words, cwd=ROOT, stdout=out, stderr=err, timeout=limit)
            note = "" if code.returncode == 0 else f"ended with code {code.returncode}"
        except subprocess.TimeoutExpired:
            note = f"killed after {limit:.0f} s"
    result = {"state": "ready", "note": note, "all_seconds": {}}
    for line in (folder / "out").read_text().splitlines():
        step = json.loads(line) if line.startswith("{") else {}
        result["all_seconds"].update(step.pop("seconds", {}))
        result.update(step)
    if note:
        said = [line for line in (folder / "err").read_text().splitlines() if line.strip()]
        result["note"] = f"{note}: {said[-1].strip()[:200]}" if said else note
    kept = folder / "scores.npy"
    if kept.exists():
        return result, np.load(kept)
    absent = ("ModuleNotFoundError", "Skip")
    result["state"] = "skipped" if any(word in result["note"] for word in absent) else "failed"
    return result, None


def told(**fields):
    """Print a JSON line at once: the next step may kill the process."""
    print(json.dumps(fields), flush=True)


def serve(name, folder, repeats):
    """Convert the graph, and run the library."""
    graph = Graph.load(folder)
    ways, version, threads = PEERS[name](graph)
    told(version=str(version), threads=threads)
    for way, call in ways.items():
        if way == "backend":
            call()  # compiles
        seconds = []
        while len(seconds) < repeats and sum(seconds) <= ENOUGH:
            begun = time.perf_counter()
            scores = call()
            seconds.append(time.perf_counter() - begun)
            if way == "host":
                np.save(folder / "scores.npy", np.asarray(scores, np.float64))
            told(seconds={way: seconds})


if __name__ == "__main__":
    serve(sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]))
