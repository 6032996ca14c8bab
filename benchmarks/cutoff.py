"""Measure what a cutoff of a share of the diameter costs, beside the whole run: values first.

The radius is a share of the longest distance found by two searches, from a node and from the one
farthest from it. From a few sources the scores within it are compared with those of the literal
algebra. The largest of several cutoffs is that radius, the others its half and its quarter.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

import sparsebc

from . import device, graphs, runner
from .__main__ import case
from .record import Record

CHECKED = 4  # sources of the reference
TOLERANCE = 1e-9
MEASURES = ("betweenness", "closeness")
CASES = ["road-200x200", "road-200x200w"]


def reach(matrix, *, weighted):
    """Longest distance of two searches: at most the diameter, and near it on roads."""
    far, longest = 0, 0.0
    for _ in range(2):
        away = csgraph.dijkstra(matrix, directed=False, unweighted=not weighted, indices=far)
        away[np.isinf(away)] = 0
        far, longest = int(away.argmax()), float(away.max())
    return longest


def measure(name, *, folder, share, repeats, on="cpu"):
    """Measure one case, ``GRAPH[:SOURCES[ball]]``; returns its JSON row."""
    chosen_case = case(name)
    pattern, directed = graphs.find(chosen_case.graph, folder)()
    A = sparse.csr_array(pattern, dtype=np.float64)
    weighted = np.ptp(A.data) > 0
    radius = share * reach(A, weighted=weighted)
    chosen = runner.choose(pattern, chosen_case)
    sources = np.arange(A.shape[0]) if chosen is None else chosen
    options = {"directed": directed, "weighted": weighted, "device": on, "sources": sources}
    few = {**options, "sources": sources[:: -(-sources.size // CHECKED)]}
    deviation = _deviation(
        sparsebc.betweenness(A, cutoff=radius, **few),
        sparsebc.betweenness(A, cutoff=radius, **{**few, "device": "reference"}),
    )
    if not deviation <= TOLERANCE:
        raise RuntimeError(f"{name} within {radius:g}: deviates by {deviation:.1e}")
    ways = {"whole": None, "one": radius, "three": [radius / 4, radius / 2, radius]}
    seconds = {}
    for one in MEASURES:
        function = getattr(sparsebc, one)
        for way, cutoff in ways.items():
            # Compiles: on a GPU few sources may go by another kernel.
            function(A, cutoff=cutoff, **(few if on == "cpu" else options))
            seconds[f"{one}, {way}"] = [
                _time(function, A, cutoff=cutoff, **options)
                for _ in range(1 if cutoff is None else repeats)
            ]
    median = {label: statistics.median(values) for label, values in seconds.items()}
    return {
        "graph": name,
        "nodes": A.shape[0],
        "arcs": A.nnz,
        "by_length": bool(weighted),
        "sources": sources.size,
        "radius": radius,
        "median_seconds": median,
        "shares": {one: median[f"{one}, one"] / median[f"{one}, whole"] for one in MEASURES},
        "all_seconds": seconds,
        "deviation": deviation,
    }


def _deviation(got, expected):
    """Largest deviation over the largest value."""
    return float(np.abs(got - expected).max() / (expected.max() or 1.0))


def _time(function, A, **options):
    start = time.perf_counter()
    function(A, **options)
    return time.perf_counter() - start


def main(arguments=None):
    """Measure the cases, print a line each, and write the JSON file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cutoff", description=__doc__)
    parser.add_argument(
        "--cases", nargs="+", metavar="NAME[:SOURCES[ball]]", default=CASES,
        help="default: a road-like graph, by edges and by length, from all nodes",
    )  # fmt: skip
    parser.add_argument("--folder", type=Path, help="folder of .npz graphs")
    parser.add_argument("--share", type=float, default=0.05, help="of the diameter (default: 0.05)")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    on_gpu = options.device == "cuda"
    if on_gpu and device.missing():
        parser.error(device.missing())
    about = {"device": device.describe()} if on_gpu else {}
    record = Record(
        "cutoff-cuda" if on_gpu else "cutoff",
        arguments,
        options.output,
        module="benchmarks.cutoff",
        **about,
    )
    for name in options.cases:
        row = measure(
            name,
            folder=options.folder,
            share=options.share,
            repeats=options.repeats,
            on=options.device,
        )
        record.add(row)
        cells = (f"{label} {value:.4g} s" for label, value in row["median_seconds"].items())
        shares = (f"{one} {share:.2%}" for one, share in row["shares"].items())
        print(f"{name} within {row['radius']:g}: {', '.join([*cells, *shares])}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
