"""Measure what exact reductions save: the same calls with all of them and with none, in turn.

Scores are compared first. Whole calls on the CPU, from a SciPy matrix to scores.
"""

import argparse
import statistics
import time
from pathlib import Path

import numpy as np
from scipy import sparse

import sparsebc

from . import graphs
from .record import Record

CASES = [
    "power-case13659pegase",
    "power-case13659pegasew",
    "email-enron-snap",
    "bio-human-ppi-snap-pathways",
    "leafy-50000x6",
    "mesh-4elt",
    "rmat-14x8",
]
MEASURES = ("closeness", "eccentricity", "betweenness")
RTOL = 1e-10


def measure(case, *, name, folder, repeats):
    """Measure one graph by one measure; returns its JSON row."""
    pattern, directed = graphs.find(case, folder)()
    A = sparse.csr_array(pattern, dtype=np.float64)
    options = {"directed": directed, "weighted": pattern.dtype != bool, "device": "cpu"}
    seconds = {"none": [], "all": []}
    scores = {}
    for turn in range(repeats + 1):
        for choice, times in seconds.items():
            begun = time.perf_counter()
            scores[choice] = getattr(sparsebc, name)(A, **options, reduce=choice)
            if turn or not repeats:  # the first compiles
                times.append(time.perf_counter() - begun)
    np.testing.assert_allclose(scores["all"], scores["none"], rtol=RTOL, atol=1e-14)
    median = {choice: statistics.median(times) for choice, times in seconds.items()}
    return {
        "graph": case,
        "measure": name,
        "nodes": A.shape[0],
        "arcs": A.nnz,
        "median_seconds": median,
        "ratio": median["none"] / median["all"],
        "all_seconds": seconds,
    }


def main(arguments=None):
    """Measure the cases, print a line each, and write the JSON file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.reductions", description=__doc__)
    parser.add_argument("--cases", nargs="+", metavar="NAME", help="default: some need --folder")
    parser.add_argument("--measures", nargs="+", choices=MEASURES, default=["closeness"])
    parser.add_argument("--folder", type=Path, help="folder of .npz graphs")
    parser.add_argument(
        "--repeats", type=int, default=5, help="0 times the first call, of long ones"
    )
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    record = Record("reductions", arguments, options.output)
    for case in options.cases or CASES:
        for name in options.measures:
            row = measure(case, name=name, folder=options.folder, repeats=options.repeats)
            record.add(row)
            none, every = (row["median_seconds"][choice] for choice in ("none", "all"))
            print(
                f"{case:<32}{name:<14}{none:>10.4f}{every:>10.4f}{row['ratio']:>8.2f}", flush=True
            )
    print(f"written: {record.path}")


if __name__ == "__main__":
    main()
