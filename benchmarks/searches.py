"""Measure distances, searches and components beside the CPU's: values first, then times.

Each task runs on a device, from a SciPy matrix on the host to results on the host, and ``cupy``
from a CuPy matrix to CuPy results. ``reference`` is our CPU engine for the distance measures and
SciPy for the rest, from so few sources that it ends soon; from those the values are compared,
whole numbers and lengths exactly, scores to 1e-12.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

import sparsebc

from . import device, graphs, runner
from .__main__ import case
from .record import Record

MEASURES = ("closeness", "harmonic", "eccentricity")
CHECKED = 16  # sources of the reference
TOLERANCE = 1e-12
CASES = [
    "distances ba-30000x50",
    "distances road-usa-ny",
    "distances rmat-18x8:4096",
    "distances rmat-20x16:2048",
    "distances bio-breast-coexpress",
    "distances bio-human-ppi-snap-pathways",
    "distances email-enron-snap",
    "distances web-cnr-2000:4096",
    "bfs rmat-18x8:256",
    "bfs road-usa-ny:256",
    "paths rmat-18x8:256",
    "lengths rmat-18x8:256",
    "lengths road-usa-ny:1024",
    "weak web-cnr-2000",
    "weak road-usa-ny",
    "strong web-cnr-2000",
    "strong rmat-18x8",
]


class Task(NamedTuple):
    """What is measured, what it is measured beside, and whether from some sources."""

    run: object
    reference: object
    per_source: bool = True


def _distances(A, sources, where):
    return list(sparsebc.centralities(A, MEASURES, sources=sources, device=where).values())


def _hops(A, sources, where):
    return [sparsebc.bfs(A, sources, device=where)]


def _paths(A, sources, where, weighted=False):
    return sparsebc.shortest_paths(A, sources, weighted=weighted, device=where)


def _scipy_paths(A, sources, unweighted=True):
    options = {"unweighted": unweighted, "indices": sources, "return_predecessors": True}
    return csgraph.dijkstra(A, **options)[:1]  # which predecessor there is, is a choice


def _components(connection):
    def run(A, _, where):
        count, labels = sparsebc.connected_components(A, connection=connection, device=where)
        return [np.asarray(count), labels]

    def scipys(A, _):
        count, labels = csgraph.connected_components(A, connection=connection)
        return [np.asarray(count), labels]

    return Task(run, scipys, per_source=False)


TASKS = {
    "distances": Task(_distances, lambda A, sources: _distances(A, sources, "cpu")),
    "bfs": Task(_hops, lambda A, sources: [_as_levels(_scipy_paths(A, sources)[0])]),
    "paths": Task(_paths, _scipy_paths),
    "lengths": Task(
        lambda A, sources, where: _paths(A, sources, where, weighted=True),
        lambda A, sources: _scipy_paths(A, sources, unweighted=False),
    ),
    "weak": _components("weak"),
    "strong": _components("strong"),
}


def _as_levels(distances):
    return np.where(np.isinf(distances), -1, distances).astype(np.int32)


def measure(words, *, folder, where, repeats):
    """Measure one case, ``TASK GRAPH[:SOURCES[ball]]``; returns its JSON row."""
    name, _, graph = words.partition(" ")
    task, chosen_case = TASKS[name], case(graph)
    pattern, _ = graphs.find(chosen_case.graph, folder)()
    lengths = np.random.default_rng(11).integers(1, 11, pattern.nnz).astype(np.float64)
    A = sparse.csr_array((lengths, pattern.indices, pattern.indptr), shape=pattern.shape)
    n = A.shape[0]
    chosen = runner.choose(pattern, chosen_case)
    sources = np.arange(n) if chosen is None else chosen
    checked = min(CHECKED, sources.size)
    few = sources[np.arange(checked) * sources.size // checked]
    start = time.perf_counter()
    expected = task.reference(A, few)
    reference = time.perf_counter() - start
    deviation = max(map(_deviation, task.run(A, few, where), expected))
    if not deviation <= TOLERANCE:
        raise RuntimeError(f"{words}: deviates by {deviation:.1e}")
    seconds = {"host": _times(lambda: task.run(A, sources, where), repeats)}
    if where == "cuda":
        seconds["cupy"] = _times_on_device(task, A, sources, repeats)
    used = sources.size if task.per_source else 1
    return {
        "task": name,
        "graph": graph,
        "nodes": n,
        "arcs": A.nnz,
        "sources": used,
        "median_seconds": {way: statistics.median(values) for way, values in seconds.items()},
        "all_seconds": seconds,
        "gteps": used * A.nnz / statistics.median(seconds["host"]) / 1e9,
        "reference_seconds": reference,
        "reference_sources": checked if task.per_source else 1,
        "deviation": deviation,
    }


def _deviation(got, expected):
    """Largest deviation over the largest finite value; inf where infinities differ."""
    finite = np.isfinite(expected)
    if not np.array_equal(got[~finite], expected[~finite]):
        return np.inf
    largest = np.max(np.abs(expected), where=finite, initial=0.0)
    apart = np.subtract(got, expected, where=finite, out=np.zeros(expected.shape))
    return float(np.max(np.abs(apart), initial=0.0) / (largest or 1.0))


def _times(run, repeats):
    """Seconds of each of some runs, after one that compiles."""
    run()
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        run()
        seconds.append(time.perf_counter() - start)
    return seconds


def _times_on_device(task, A, sources, repeats):
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    there = csr_matrix(sparse.csr_matrix(A))

    def run():
        task.run(there, sources, None)
        cupy.cuda.Device().synchronize()

    return _times(run, repeats)


def main(arguments=None):
    """Measure the cases, print a line each, and write the JSON file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.searches", description=__doc__)
    parser.add_argument(
        "--cases",
        nargs="+",
        metavar='"TASK NAME[:SOURCES[ball]]"',
        help=f"TASK is one of {', '.join(TASKS)} (default: a list that needs --folder)",
    )
    parser.add_argument("--folder", type=Path, help="folder of .npz graphs")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    on_gpu = options.device == "cuda"
    if on_gpu and device.missing():
        parser.error(device.missing())
    unknown = [words for words in options.cases or [] if words.partition(" ")[0] not in TASKS]
    if unknown:
        parser.error(f"unknown task in {unknown[0]!r}: choose from {', '.join(TASKS)}")
    record = Record(
        f"searches-{options.device}", arguments, options.output, module="benchmarks.searches",
        device=device.describe() if on_gpu else None,
    )  # fmt: skip
    for words in options.cases or CASES:
        row = measure(words, folder=options.folder, where=options.device, repeats=options.repeats)
        record.add(row)
        times = ", ".join(f"{way} {value:.4g} s" for way, value in row["median_seconds"].items())
        reference = f"reference {row['reference_seconds']:.4g} s ({row['reference_sources']})"
        print(f"{words}: {times}, {row['gteps']:.4g} GTEPS, {reference}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
