"""Measure edges, stress, distances and several measures at once: values first, then times.

Each set of measures runs on a device, from a SciPy matrix on the host to scores on the host, and
``cupy`` from a CuPy matrix to CuPy scores; its ratio is to the betweenness of the same case. From a
few sources the values are compared with the CPU engine's. On the meshes most path counts are beyond
floats, and stress has no value.
"""

import argparse
import functools
import statistics
import sys
from pathlib import Path

import numpy as np
from scipy import sparse

import sparsebc

from . import device, graphs, runner
from .__main__ import case
from .record import Record
from .searches import _times

DISTANCES = ["closeness", "harmonic", "eccentricity"]
SETS = {
    "betweenness": ["betweenness"],
    "edge_betweenness": ["edge_betweenness"],
    "stress": ["stress"],
    "betweenness+edges": ["betweenness", "edge_betweenness"],
    "betweenness+stress": ["betweenness", "stress"],
    "all": ["betweenness", "edge_betweenness", "stress"],
    "distances": DISTANCES,
    "betweenness+distances": ["betweenness", *DISTANCES],
}
CHECKED = 4  # sources of the reference
CASES = [
    "ba-30000x50",
    "rmat-18x8:4096",
    "email-enron-snap",
    "road-usa-ny:4096ball",
    "mesh-600x600:256",
    "mesh-2000x2000:8",
]


def measure(name, *, dtype, folder, where, repeats, sets=tuple(SETS)):
    """Measure one case, ``GRAPH[:SOURCES[ball]]``, for betweenness and some sets; its JSON row.

    By length where the graph has lengths.
    """
    chosen_case = case(name)
    pattern, directed = graphs.find(chosen_case.graph, folder)()
    A = sparse.csr_array(pattern, dtype=np.float64)
    chosen = runner.choose(pattern, chosen_case)
    sources = np.arange(A.shape[0]) if chosen is None else chosen
    few = sources[:: -(-sources.size // CHECKED)]
    options = {
        "directed": directed,
        "weighted": pattern.dtype != bool,
        "normalized": False,
        "sources": sources,
        "dtype": dtype,
        "device": where,
    }

    def run(names, matrix=A, **other):
        return sparsebc.centralities(matrix, names, **{**options, **other})

    ways = {"host": lambda names: lambda: run(names), "cupy": _on_device(run, A)}
    seconds = {"host": {}, **({"cupy": {}} if where == "cuda" else {})}
    deviation = 0.0
    for label in dict.fromkeys(["betweenness", *sets]):  # to which ratios are
        names = SETS[label]
        try:
            got = run(names, sources=few)
            expected = run(names, sources=few, device="cpu", dtype="float64")
            deviation = max(deviation, *(_deviation(got[one], expected[one]) for one in names))
            if not deviation <= runner.TOLERANCE[dtype]:
                raise RuntimeError(f"{name} in {dtype}: deviates by {deviation:.1e}")
            for way, times in seconds.items():
                times[label] = _times(ways[way](names), repeats)
        except OverflowError:
            continue  # stress has no value
    median = {
        way: {label: statistics.median(values) for label, values in times.items()}
        for way, times in seconds.items()
    }
    return {
        "graph": name,
        "dtype": dtype,
        "nodes": A.shape[0],
        "arcs": A.nnz,
        "directed": directed,
        "weighted": options["weighted"],
        "sources": sources.size,
        "median_seconds": median,
        "ratios": {
            way: {label: value / times["betweenness"] for label, value in times.items()}
            for way, times in median.items()
        },
        "all_seconds": seconds,
        "deviation": deviation,
    }


def _deviation(got, expected):
    """Largest deviation over the largest value, of vectors or csr matrices of one pattern."""
    if sparse.issparse(got):
        got, expected = got.data, expected.data
    unlike = got != expected  # both may be infinite
    difference = np.subtract(got, expected, out=np.zeros(got.shape), where=unlike)
    largest = np.max(np.abs(expected[np.isfinite(expected)]), initial=0.0)
    return float(np.max(np.abs(difference), initial=0.0) / (largest or 1.0))


def _on_device(run, A):
    """Make a run from a CuPy matrix, of the measures named, that ends when the device is done."""

    @functools.cache
    def there():
        from cupyx.scipy.sparse import csr_matrix

        return csr_matrix(sparse.csr_matrix(A))

    def prepared(names):
        import cupy

        matrix = there()

        def synchronised():
            run(names, matrix=matrix, device=None)
            cupy.cuda.Device().synchronize()

        return synchronised

    return prepared


def main(arguments=None):
    """Measure the cases, print a line each, and write the JSON file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.measures", description=__doc__)
    parser.add_argument(
        "--cases",
        nargs="+",
        metavar="NAME[:SOURCES[ball]]",
        help="default: a list that needs --folder",
    )
    parser.add_argument("--sets", nargs="+", choices=tuple(SETS), default=tuple(SETS))
    parser.add_argument("--folder", type=Path, help="folder of .npz graphs")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--dtype", nargs="+", choices=tuple(runner.TOLERANCE), default=["float64"])
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    on_gpu = options.device == "cuda"
    if on_gpu and device.missing():
        parser.error(device.missing())
    record = Record(
        f"measures-{options.device}", arguments, options.output, module="benchmarks.measures",
        device=device.describe() if on_gpu else None,
    )  # fmt: skip
    common = {
        "folder": options.folder,
        "where": options.device,
        "repeats": options.repeats,
        "sets": options.sets,
    }
    for name in options.cases or CASES:
        for dtype in options.dtype:
            row = measure(name, dtype=dtype, **common)
            record.add(row)
            for way, times in row["median_seconds"].items():
                cells = (f"{label} {value:.4g} s" for label, value in times.items())
                print(f"{name} {dtype} {way}: {', '.join(cells)}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
