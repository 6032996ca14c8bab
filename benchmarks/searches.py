"""Measure distances, searches and components beside the CPU's: values first, then times.

Each task runs on a device, from a SciPy matrix on the host to results on the host, and ``cupy``
from a CuPy matrix to CuPy results. ``reference`` is our CPU engine for the distance measures and
SciPy for the rest, from so few sources that it ends soon; from those the values are compared,
whole numbers and lengths exactly, scores to 1e-12.
"""

import argparse
import statistics
import time
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

import sparsebc

from . import suite

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


def measure(words, options):
    """Yield the JSON row of one case, ``TASK GRAPH[:SOURCES[ball]]``."""
    name, _, graph = words.partition(" ")
    task, case = TASKS[name], suite.load(graph, options.folder)
    where, repeats = options.device, options.repeats
    A, sources = case.A, case.every_source
    A.data = np.random.default_rng(11).integers(1, 11, A.nnz).astype(np.float64)
    checked = min(CHECKED, sources.size)
    few = sources[np.arange(checked) * sources.size // checked]
    start = time.perf_counter()
    expected = task.reference(A, few)
    reference = time.perf_counter() - start
    deviation = max(map(suite.deviation, task.run(A, few, where), expected))
    suite.check(words, deviation, TOLERANCE)
    seconds = {"host": suite.seconds_of(lambda: task.run(A, sources, where), repeats, warm_up=True)}
    if where == "cuda":
        from cupyx.scipy.sparse import csr_matrix

        there = csr_matrix(sparse.csr_matrix(A))
        seconds["cupy"] = suite.seconds_of(
            lambda: task.run(there, sources, None), repeats, warm_up=True, synchronise=True
        )
    used = sources.size if task.per_source else 1
    yield {
        "task": name,
        **case.row(graph),
        "sources": used,
        "median_seconds": suite.medians(seconds),
        "all_seconds": seconds,
        "gteps": used * A.nnz / statistics.median(seconds["host"]) / 1e9,
        "reference_seconds": reference,
        "reference_sources": checked if task.per_source else 1,
        "deviation": deviation,
    }


def line(row):
    """Median seconds of a task, its rate, and the seconds of the reference."""
    reference = f"reference {row['reference_seconds']:.4g} s ({row['reference_sources']})"
    times = f"{suite.told(row['median_seconds'])}, {row['gteps']:.4g} GTEPS"
    return f"{row['task']} {row['graph']}: {times}, {reference}"


def words(text):
    """A case of the command line, whose task is known."""
    if text.partition(" ")[0] not in TASKS:
        raise argparse.ArgumentTypeError(f"unknown task in {text!r}: one of {', '.join(TASKS)}")
    return text


def main(arguments=None):
    """Measure the cases, print a line each, and write the JSON file."""
    parser = suite.parser("searches", __doc__, cases=CASES, repeats=5, device="cuda", case=words)
    suite.run(parser, arguments, measure, line)


if __name__ == "__main__":
    main()
