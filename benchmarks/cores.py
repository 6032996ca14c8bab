"""Measure one worker beside many: the same bits first, then seconds and ratio of whole calls.

Every case is a whole call on the CPU, from a SciPy matrix to its scores, with ``workers=`` threads.
Sources are drawn at random, or are the nodes nearest to one in the middle, ``near``.
"""

import os
import statistics
from typing import NamedTuple

import numpy as np
from scipy import sparse

import sparsebc

from . import graphs, suite


class Case(NamedTuple):
    """A measure of a graph, from so many sources (None for all), and its options."""

    measure: str
    graph: str
    sources: int | None = None
    near: bool = False


CASES = {
    "R-MAT 20x16, 1 source": Case("betweenness", "rmat-20x16", 1),
    "R-MAT 18x8, 2048 sources": Case("betweenness", "rmat-18x8", 2048),
    "R-MAT 18x8, 8192 sources": Case("betweenness", "rmat-18x8", 8192),
    "web-cnr-2000, 2048 sources": Case("betweenness", "web-cnr-2000", 2048),
    "web-cnr-2000, 65536 sources": Case("betweenness", "web-cnr-2000", 65536),
    "human PPI, exact": Case("betweenness", "bio-human-ppi-snap-pathways"),
    "email-enron, exact": Case("betweenness", "email-enron-snap"),
    "road-usa-ny, 4096 near": Case("betweenness", "road-usa-ny", 4096, near=True),
    "road-usa-ny by length, 2048 near": Case("betweenness", "road-usa-nyw", 2048, near=True),
    "road-usa-ny, 32768 near": Case("betweenness", "road-usa-ny", 32768, near=True),
    "road 3000x3000, 1 source": Case("betweenness", "road-3000x3000", 1),
    "R-MAT 22x16, 1 source": Case("betweenness", "rmat-22x16", 1),
    "R-MAT 22x16, 64 sources": Case("betweenness", "rmat-22x16", 64),
}


def measure(name, folder, workers, repeats, patience):
    """Return the JSON row of a case: seconds of each number of workers, bits compared first."""
    case = CASES[name]
    made, directed = graphs.find(case.graph, folder)()
    weighted, n = made.dtype != bool, made.shape[0]
    sources = suite.Case(case.graph, case.sources, "ball" * case.near).choose(made)
    options = {"directed": directed, "weighted": weighted, "sources": sources, "device": "cpu"}
    row = {"case": name, **case._asdict(), "n": n, "arcs": made.nnz, "cores": {}}
    want = None
    for count in workers:

        def work(count=count):
            scores = getattr(sparsebc, case.measure)(made, workers=count, **options)
            return scores.data if sparse.issparse(scores) else scores

        got, *first = suite.timed(work)  # the first of a case may compile
        times = [] if first[0] > patience and want is not None else [first]
        while len(times) < repeats and sum(wall for wall, _ in times) < patience:
            times.append(suite.timed(work)[1:])
        row["cores"][str(count)] = {
            "same_bits": want is None or bool(np.array_equal(got, want)),
            "median_seconds": statistics.median(wall for wall, _ in times),
            "median_cpu_seconds": statistics.median(cpu for _, cpu in times),
            "all_seconds": [wall for wall, _ in times],
        }
        want = got if want is None else want
    found = [*row["cores"].values()]
    for each in found:
        each["ratio"] = found[0]["median_seconds"] / each["median_seconds"]
    return row


@suite.benchmark(
    repeats=3,
    cases=[*CASES],
    load=None,
    workers=[1, 4, 8, 16, 32],
    patience=suite.option(10.0, "seconds a case and number"),
)
def main(options):
    """Yield the JSON row of each case; of those whose graph is not there, print a line."""
    there = len(os.sched_getaffinity(0))
    options.workers = [count for count in options.workers if count <= there]
    yield "about", {"processors": there}
    for name in options.cases:
        try:
            yield measure(name, options.folder, options.workers, options.repeats, options.patience)
        except (FileNotFoundError, ValueError) as error:
            print(f"{name:<34}skipped: {error}", flush=True)


if __name__ == "__main__":
    main()
