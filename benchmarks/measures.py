"""Measure scores, distances, searches and components: values first, then times.

Each task runs on a device, from a SciPy matrix on the host to results on the host, and ``cupy``
from a CuPy matrix to CuPy results; if betweenness is measured, the ratio is to that of the case.
``reference`` is our CPU engine for scores, and SciPy for the rest, from a few sources; their values
are compared, integers and lengths exactly. On the meshes most path counts are beyond floats, and
stress has no value. ``--predict`` adds the seconds that `explain` predicts for scores.
"""

import itertools
from typing import NamedTuple

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

import sparsebc

from . import runner, suite

DISTANCES = ["closeness", "harmonic", "eccentricity"]
SETS = {
    "betweenness": ["betweenness"],
    "edge_betweenness": ["edge_betweenness"],
    "stress": ["stress"],
    "betweenness+edges": ["betweenness", "edge_betweenness"],
    "betweenness+stress": ["betweenness", "stress"],
    "all": ["betweenness", "edge_betweenness", "stress"],
    "harmonic": ["harmonic"],
    "distances": DISTANCES,
    "betweenness+distances": ["betweenness", *DISTANCES],
}
CHECKED = 16  # sources of the reference
EXACT = 1e-12
CASES = [
    "ba-30000x50",
    "rmat-18x8:4096",
    "email-enron-snap",
    "road-usa-ny:4096ball",
    "mesh-600x600:256",
    "mesh-2000x2000:8",
]


class Task(NamedTuple):
    """A function to measure and its reference, each of a matrix and a question."""

    run: object
    reference: object
    per_source: bool = True
    tolerance: float | None = EXACT  # None: that of the type


def _scores(names):
    def run(A, question):
        return list(sparsebc.centralities(A, names, normalized=False, **question).values())

    def of_cpu(A, question):
        return run(A, question | {"device": "cpu", "dtype": "float64"})

    return Task(run, of_cpu, tolerance=None)


def _hops(A, question):
    return [sparsebc.bfs(A, question["sources"], device=question["device"])]


def _paths(A, question, weighted=False):
    return sparsebc.shortest_paths(
        A, question["sources"], weighted=weighted, device=question["device"]
    )


def _scipy_paths(A, question, unweighted=True):
    options = {"unweighted": unweighted, "return_predecessors": True}
    found = csgraph.dijkstra(A, indices=question["sources"], **options)
    return found[:1]  # without predecessors, which are not unique


def _scipy_hops(A, question):
    (distances,) = _scipy_paths(A, question)
    return [np.where(np.isinf(distances), -1, distances).astype(np.int32)]


def _components(connection):
    def run(A, question):
        count, labels = sparsebc.connected_components(
            A, connection=connection, device=question["device"]
        )
        return [np.asarray(count), labels]

    def of_scipy(A, _):
        count, labels = csgraph.connected_components(A, connection=connection)
        return [np.asarray(count), labels]

    return Task(run, of_scipy, per_source=False)


TASKS = {name: _scores(names) for name, names in SETS.items()} | {
    "bfs": Task(_hops, _scipy_hops),
    "paths": Task(_paths, _scipy_paths),
    "lengths": Task(
        lambda A, question: _paths(A, question, weighted=True),
        lambda A, question: _scipy_paths(A, question, unweighted=False),
    ),
    "weak": _components("weak"),
    "strong": _components("strong"),
}


def measure(label, case, dtype, options):
    """The JSON row of a task, weighted if the graph has lengths."""
    task, A, sources = TASKS[label], case.A, case.every_source
    question = {**case.options(options.device), "dtype": dtype, "sources": sources}
    few = question | {"sources": sources[:: -(-sources.size // CHECKED)]}
    expected, reference, _ = suite.timed(lambda: task.reference(A, few))
    deviation = max(map(suite.deviation, task.run(A, few), expected))
    tolerance = task.tolerance or runner.TOLERANCE[dtype]
    suite.check(f"{label} of {case.name} in {dtype}", deviation, tolerance)
    ways = {"host": lambda: task.run(A, question)}
    if options.device == "cuda":
        from cupyx.scipy.sparse import csr_matrix

        there = csr_matrix(sparse.csr_matrix(A))
        ways["cupy"] = lambda: task.run(there, question | {"device": None})
    seconds = suite.times(ways, options.repeats, warm_up=True)
    used = sources.size if task.per_source else 1
    row = {
        "task": label,
        **case.row(),
        "dtype": dtype,
        "weighted": case.weighted,
        "sources": used,
        **seconds,
        "gteps": used * A.nnz / seconds["median_seconds"]["host"] / 1e9,
        "reference_seconds": reference,
        "reference_sources": few["sources"].size if task.per_source else 1,
        "deviation": deviation,
    }
    if options.predict and len(SETS.get(label, ())) == 1:
        plan, planning, _ = suite.timed(lambda: sparsebc.explain(A, *SETS[label], **question))
        row |= {"predicted": plan.seconds, "planning_seconds": planning}
    return row


@suite.benchmark(
    cases=CASES,
    repeats=3,
    device="cuda",
    sets=suite.option([*SETS], choices=TASKS),
    dtype=suite.option(["float64"], choices=runner.TOLERANCE),
    predict=suite.option(False, "plan calls as well", action="store_true"),
)
def main(options, case):
    """Yield the JSON row of each task in each dtype, with its ratio to betweenness."""
    if not case.weighted:
        case.A.data = np.random.default_rng(11).integers(1, 11, case.A.nnz).astype(np.float64)
    betweenness = {}
    for dtype, label in itertools.product(options.dtype, options.sets):
        try:
            row = measure(label, case, dtype, options)
        except OverflowError:
            continue  # stress has no value
        median = row["median_seconds"]
        if label == "betweenness":
            betweenness[dtype] = median
        if dtype in betweenness:
            row["ratio"] = {way: median[way] / betweenness[dtype][way] for way in median}
        yield row


if __name__ == "__main__":
    main()
