"""Measure one GPU beside all of a machine: the same bits first, then seconds, ratio, share busy.

Every case is a whole call, from a SciPy matrix to its scores. A GPU's share is how busy
``nvidia-smi`` finds it while the fastest of the repeats on all GPUs runs; short calls have none.
"""

import argparse
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from . import device, graphs
from .record import Record


class Case(NamedTuple):
    """A measure of a graph, from so many random sources (None for all), and its options."""

    measure: str
    graph: str
    sources: int | None = None
    weighted: bool = False


CASES = {
    "BA 30000x50, exact": Case("betweenness", "ba-30000x50"),
    "R-MAT 20x16, 2048 sources": Case("betweenness", "rmat-20x16", 2048),
    "R-MAT 20x16, 16384 sources": Case("betweenness", "rmat-20x16", 16384),
    "R-MAT 20x16, 65536 sources": Case("betweenness", "rmat-20x16", 65536),
    "R-MAT 24x16, 8192 sources": Case("betweenness", "rmat-24x16", 8192),
    "human PPI, edges": Case("edge_betweenness", "bio-human-ppi-snap-pathways"),
    "road-usa-ny, exact": Case("betweenness", "road-usa-ny"),
    "road-usa-ny by length, exact": Case("betweenness", "road-usa-nyw", None, True),
    "road-usa-ny, edges": Case("edge_betweenness", "road-usa-ny"),
    "road-usa-ny, harmonic": Case("harmonic", "road-usa-ny"),
    "road-usa-ny by length, harmonic": Case("harmonic", "road-usa-nyw", None, True),
    "web-cnr-2000, exact": Case("betweenness", "web-cnr-2000"),
}
POLL_SECONDS = 0.05


def load(name, folder):
    """Matrix of a case, and whether its edges have a direction; a large R-MAT made on the GPU."""
    if name == "rmat-24x16":
        return rmat_on_device(24, 16), False
    return graphs.find(name, folder)()


def rmat_on_device(scale, edges_per_node, seed=1):
    """R-MAT graph as `graphs.rmat` draws it, by the generator of CuPy, which takes seconds."""
    import cupy

    rng = cupy.random.default_rng(seed)
    edges = (1 << scale) * edges_per_node
    rows, cols = cupy.zeros(edges, np.int64), cupy.zeros(edges, np.int64)
    for _ in range(scale):
        draw = rng.random(edges, dtype=np.float32)
        rows = rows << 1 | (draw >= 0.76)
        cols = cols << 1 | ((draw >= 0.57) & (draw < 0.76)) | (draw >= 0.95)
    keys = cupy.concatenate((rows << scale | cols, cols << scale | rows))
    keys = cupy.unique(keys[(keys >> scale) != (keys & ((1 << scale) - 1))])
    n = 1 << scale
    indptr = cupy.searchsorted(keys, cupy.arange(n + 1, dtype=np.int64) << scale).get()
    indices = (keys & (n - 1)).astype(np.int32).get()
    cupy.get_default_memory_pool().free_all_blocks()
    return sparse.csr_array((np.ones(indices.size, bool), indices, indptr), (n, n))


def call(case, matrix, directed, on):
    """Scores of a case on a device, or a list of them."""
    import sparsebc

    options = {"directed": directed, "weighted": case.weighted, "device": on}
    if case.sources is not None:
        rng = np.random.default_rng(1)
        options["sources"] = np.sort(rng.choice(matrix.shape[0], case.sources, replace=False))
    scores = getattr(sparsebc, case.measure)(matrix, **options)
    return scores.data if sparse.issparse(scores) else scores


class Busy:
    """Utilization of each GPU in percent, by samples while the context lasts."""

    def __enter__(self):
        self._samples, self._stop = [], threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()
        return self

    def _watch(self):
        words = ["nvidia-smi", "--query-gpu=utilization.gpu", "--format=csv,noheader,nounits"]
        while not self._stop.wait(POLL_SECONDS):
            done = subprocess.run(words, capture_output=True, text=True)
            self._samples.append([int(line) for line in done.stdout.split() if line.isdigit()])

    def __exit__(self, *_):
        self._stop.set()
        self._thread.join()

    @property
    def percent(self):
        """Mean of each GPU; empty if nothing was sampled."""
        whole = [sample for sample in self._samples if sample]
        return [round(statistics.fmean(each)) for each in zip(*whole, strict=True)]


def measure(name, case, folder, counts, repeats, patience):
    """Return the JSON row of a case: seconds of each number of GPUs, bits compared first."""
    matrix, directed = load(case.graph, folder)
    row = {"case": name, **case._asdict(), "n": matrix.shape[0], "arcs": matrix.nnz, "gpus": {}}
    want = None
    for count in counts:
        on = [f"cuda:{index}" for index in range(count)] if count > 1 else "cuda:0"
        got = call(case, matrix, directed, on)
        if want is None:
            want = got
        same = bool(np.array_equal(got, want))
        seconds, begun = [], time.perf_counter()
        with Busy() as busy:
            while len(seconds) < repeats and time.perf_counter() - begun < patience:
                start = time.perf_counter()
                call(case, matrix, directed, on)
                seconds.append(time.perf_counter() - start)
        row["gpus"][str(count)] = {
            "same_bits": same,
            "median_seconds": statistics.median(seconds),
            "all_seconds": seconds,
            "busy_percent": busy.percent,
        }
    first = row["gpus"][str(counts[0])]["median_seconds"]
    for found in row["gpus"].values():
        found["ratio"] = first / found["median_seconds"]
    return row


def line(row):
    """Case, then seconds, ratio and whether the bits are the same, for each number of GPUs."""
    parts = [
        f"{count} GPU: {found['median_seconds']:8.4f} s {found['ratio']:5.2f}x "
        f"{'same bits' if found['same_bits'] else 'OTHER BITS'}"
        for count, found in row["gpus"].items()
    ]
    return f"{row['case']:<34}{'   '.join(parts)}"


def main(arguments=None):
    """Measure all cases, print a line each, write the JSON file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("--folder", type=Path, help="of the graphs that are files (.npz)")
    parser.add_argument(
        "--gpus", type=int, nargs="+", help="numbers of them (default: 1, 2, 4, ..)"
    )
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--patience", type=float, default=20, help="seconds a case and number")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    reason = device.missing()
    if reason:
        print(f"not measured: {reason}")
        return 0
    import cupy

    there = cupy.cuda.runtime.getDeviceCount()
    counts = options.gpus or [1 << k for k in range(there.bit_length())]
    if max(counts) > there:
        parser.error(f"--gpus {max(counts)}: this machine has {there}")
    record = Record(
        f"scaling-{there}gpu", arguments, options.output, module="benchmarks.scaling",
        device=device.describe(),
    )  # fmt: skip
    for name in options.cases:
        try:
            row = measure(
                name, CASES[name], options.folder, counts, options.repeats, options.patience
            )
        except (FileNotFoundError, ValueError) as error:
            print(f"{name:<34}skipped: {error}", flush=True)
            continue
        print(line(row), flush=True)
        record.add(row)
    print(f"written: {record.path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
