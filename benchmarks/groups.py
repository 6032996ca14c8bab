"""Measure groups of nodes beside a run of betweenness on the same device: values first.

A group of one node has the betweenness of the node, and the first of a prominent group has the
highest with its ends: these numbers come from another backward phase, and are compared. Then the
times of a group, of eight, and of a prominent group of five.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse

import sparsebc

from . import device, graphs
from .record import Record

TOLERANCE = 1e-9
CHECKED, MANY, PROMINENT, SIZE = 3, 8, 5, 10  # groups, groups, nodes, nodes of a group
CASES = ["ba-2000x5", "road-40x40", "road-40x40w"]


def deviation(A, scores, with_ends, **options):
    """How far groups of one node are from the betweenness of busy nodes, over the highest."""
    busy = np.argsort(scores)[-CHECKED:]
    alone = sparsebc.group_betweenness(A, busy[:, np.newaxis], normalized=False, **options)
    first = sparsebc.prominent_group(A, 1, normalized=False, **options)
    apart = [*(alone - scores[busy]) / scores.max(), first.scores[0] / with_ends.max() - 1]
    return float(np.abs(apart).max())


def measure(name, *, folder, repeats, where):
    """Measure a graph; returns its JSON row."""
    pattern, directed = graphs.find(name, folder)()
    A = sparse.csr_array(pattern, dtype=np.float64)
    options = {"directed": directed, "weighted": bool(np.ptp(A.data) > 0), "device": where}
    ways = [
        sparsebc.betweenness(A, normalized=False, endpoints=ends, **options)
        for ends in (False, True)
    ]
    apart = deviation(A, *ways, **options)
    if not apart <= TOLERANCE:
        raise RuntimeError(f"{name}: groups of one node deviate by {apart:.1e}")
    rng = np.random.default_rng(1)
    groups = [rng.choice(A.shape[0], SIZE, replace=False) for _ in range(MANY)]
    calls = {
        "betweenness": lambda: sparsebc.betweenness(A, **options),
        "one group": lambda: sparsebc.group_betweenness(A, groups[:1], **options),
        f"{MANY} groups": lambda: sparsebc.group_betweenness(A, groups, **options),
        f"prominent {PROMINENT}": lambda: sparsebc.prominent_group(A, PROMINENT, **options),
    }
    seconds = {label: [_time(call) for _ in range(repeats)] for label, call in calls.items()}
    return {
        "graph": name,
        "nodes": A.shape[0],
        "arcs": A.nnz,
        "by_length": options["weighted"],
        "deviation": apart,
        "median_seconds": {label: statistics.median(all_) for label, all_ in seconds.items()},
        "all_seconds": seconds,
    }


def _time(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def main(arguments=None):
    """Measure the cases, print a line each, and write the JSON file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.groups", description=__doc__)
    parser.add_argument("--cases", nargs="+", metavar="GRAPH", default=CASES)
    parser.add_argument("--folder", type=Path, help="folder of .npz graphs")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    about = {"device": device.describe()} if options.device.startswith("cuda") else {}
    record = Record(f"groups-{options.device.partition(':')[0]}", arguments, options.output,
                    module="benchmarks.groups", **about)  # fmt: skip
    for name in options.cases:
        row = measure(name, folder=options.folder, repeats=options.repeats, where=options.device)
        record.add(row)
        cells = (f"{label} {value:.4g} s" for label, value in row["median_seconds"].items())
        print(f"{name}: {', '.join(cells)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
