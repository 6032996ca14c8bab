"""Measure what `explain` predicts against what calls take: plan and call in turn.

A case is NAME, NAME:SOURCES or NAME:SOURCESball, as in the benchmarks of the measures. The ratio is
that of the medians; a prediction is good within a factor of 1.5.
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
from scipy import sparse

import sparsebc

from . import graphs, runner
from .__main__ import CPU, DISTANCES, GPU, WEIGHTED, WEIGHTED_GPU, case
from .record import Record

GOAL = 1.5
SUITES = {
    "cpu": {"betweenness": [*CPU, *WEIGHTED], "closeness": DISTANCES, "harmonic": DISTANCES},
    "cuda": {"betweenness": [*GPU, *WEIGHTED_GPU], "closeness": GPU, "harmonic": GPU},
}
MEASURES = tuple(SUITES["cpu"])


def measure(name, *, measured, folder, device, repeats):
    """Plan and run one case in turn; returns its JSON row."""
    chosen_case = case(name)
    pattern, directed = graphs.find(chosen_case.graph, folder)()
    A = sparse.csr_array(pattern, dtype=np.float64)
    options = {
        "directed": directed,
        "weighted": pattern.dtype != bool,
        "sources": runner.choose(pattern, chosen_case),
        "device": device,
    }
    function = getattr(sparsebc, measured)
    rows = {"predicted": [], "seconds": [], "explain": []}
    for turn in range(repeats + 1):
        begun = time.perf_counter()
        plan = sparsebc.explain(A, measured, **options)
        planned = time.perf_counter()
        function(A, **options)
        done = time.perf_counter()
        if turn:  # the first compiles
            rows["explain"].append(planned - begun)
            rows["seconds"].append(done - planned)
            rows["predicted"].append(plan.estimates[0].seconds.likely)
    median = {key: statistics.median(values) for key, values in rows.items()}
    return {
        "graph": name,
        "measure": measured,
        "median_seconds": median,
        "ratio": median["predicted"] / median["seconds"],
        "all_seconds": rows,
    }


def main(arguments=None):
    """Plan and run the cases, print a line each, and write the JSON file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.estimates", description=__doc__)
    parser.add_argument("--cases", nargs="+", metavar="NAME", help="default: some need --folder")
    parser.add_argument("--measures", nargs="+", choices=MEASURES, default=MEASURES)
    parser.add_argument("--device", choices=tuple(SUITES), default="cpu")
    parser.add_argument("--folder", type=Path, help="folder of .npz graphs")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    record = Record("estimates", arguments, options.output)
    for measured in options.measures:
        for name in options.cases or SUITES[options.device][measured]:
            row = measure(
                name,
                measured=measured,
                folder=options.folder,
                device=options.device,
                repeats=options.repeats,
            )
            record.add(row)
            seconds = "".join(f"{value:>10.3f}" for value in row["median_seconds"].values())
            good = "good" if 1 / GOAL <= row["ratio"] <= GOAL else "off"
            print(f"{name:<32}{measured:<14}{seconds}{row['ratio']:>8.2f}  {good}", flush=True)
    print(f"written: {record.path}")


if __name__ == "__main__":
    main()
