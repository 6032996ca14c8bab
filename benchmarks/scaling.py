"""Measure one GPU beside all of a machine: the same bits first, then seconds, ratio, share busy.

Every case is a whole call, from a SciPy matrix to its scores. A GPU's share is how busy
``nvidia-smi`` finds it while the call is made again and again, once the times are taken. With
``--processes`` the same is measured through ``executor=``, a process a GPU, and once more with one
of them killed.
"""

import argparse
import contextlib
import functools
import statistics
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from . import device, gpu_workers, graphs
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
# Between two looks at how busy the GPUs are, and for how long they are looked at at least.
POLL_SECONDS, BUSY_SECONDS = 0.05, 0.6
# Sources of a call that compiles what the others take.
FEW = 256
# When a process is killed, as a share of the time that the call takes without that.
MIDWAY = 0.4


@functools.lru_cache(maxsize=1)
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
    indptr = cupy.searchsorted(keys, cupy.arange(n + 1, dtype=np.int64) << scale)
    indptr = indptr.astype(np.int32 if keys.size < 2**31 else np.int64).get()
    indices = (keys & (n - 1)).astype(np.int32).get()
    cupy.get_default_memory_pool().free_all_blocks()
    return sparse.csr_array((np.ones(indices.size, bool), indices, indptr), (n, n))


@functools.lru_cache
def draw(n, count):
    """So many of n nodes, at random."""
    return np.sort(np.random.default_rng(1).choice(n, count, replace=False))


def call(case, matrix, directed, on, **run):
    """Scores of a case on a device, or a list of them."""
    import sparsebc

    options = {"directed": directed, "weighted": case.weighted, "device": on, **run}
    if case.sources is not None:
        options["sources"] = draw(matrix.shape[0], case.sources)
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


def timed(work, want, repeats, patience):
    """What ``work()`` returns, and its times as JSON; the bits of ``want`` are compared first.

    The first call takes the memory that the others find. Where one repeat is asked for, and the
    first call takes longer than there is patience, it is the one.
    """
    seconds, start = [], time.perf_counter()
    with Busy() if repeats == 1 else contextlib.nullcontext() as busy:
        got = work()
    took = time.perf_counter() - start
    same = want is None or bool(np.array_equal(got, want))
    if took > patience and busy:
        return got, _times([took], same, busy)
    begun = time.perf_counter()
    while len(seconds) < repeats and time.perf_counter() - begun < patience:
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    begun = time.perf_counter()
    with Busy() as busy:
        while time.perf_counter() - begun < BUSY_SECONDS:
            work()
    return got, _times(seconds, same, busy)


def _times(seconds, same, busy):
    return {
        "same_bits": same,
        "median_seconds": statistics.median(seconds),
        "all_seconds": seconds,
        "busy_percent": busy.percent,
    }


def measure(name, case, folder, counts, repeats, patience):
    """Return the JSON row of a case: seconds of each number of GPUs, bits compared first."""
    matrix, directed = load(case.graph, folder)
    row = {"case": name, **case._asdict(), "n": matrix.shape[0], "arcs": matrix.nnz, "gpus": {}}
    want = None
    call(case._replace(sources=min(FEW, matrix.shape[0])), matrix, directed, "cuda:0")
    for count in counts:
        on = [f"cuda:{index}" for index in range(count)] if count > 1 else "cuda:0"
        got, found = timed(lambda on=on: call(case, matrix, directed, on), want, repeats, patience)
        want = got if want is None else want
        row["gpus"][str(count)] = found
    _add_ratios(row["gpus"], row["gpus"])
    return row


def measure_processes(row, folder, counts, repeats, patience):
    """Add to a row the same of a process a GPU, and of those with one of them killed."""
    case = CASES[row["case"]]
    matrix, directed = load(case.graph, folder)
    want = call(case, matrix, directed, "cuda:0")
    _free_memory()
    row["processes"] = {}
    for count in (count for count in counts if count > 1):
        with gpu_workers.workers(count) as client:
            executor = client.get_executor(pure=False, resources={"GPU": 1})
            work = functools.partial(call, case, matrix, directed, "cuda", executor=executor)
            _, found = timed(work, want, repeats, patience)
            with (
                Busy() as busy,
                gpu_workers.Killed(client, MIDWAY * found["median_seconds"]) as killed,
            ):
                start = time.perf_counter()
                got = work()
                took = time.perf_counter() - start
            found["one_killed"] = killed.done
            found["killed"] = _times([took], bool(np.array_equal(got, want)), busy)
        row["processes"][str(count)] = found
    _add_ratios(row["processes"], row["gpus"])
    _add_ratios({count: found["killed"] for count, found in row["processes"].items()}, row["gpus"])


def _add_ratios(rows, gpus):
    """How many times as fast as the fewest GPUs."""
    first = next(iter(gpus.values()))["median_seconds"]
    for found in rows.values():
        found["ratio"] = first / found["median_seconds"]


def _free_memory():
    """Give back what CuPy keeps of every GPU: other processes are to have it."""
    import cupy

    for index in range(cupy.cuda.runtime.getDeviceCount()):
        with cupy.cuda.Device(index):
            cupy.get_default_memory_pool().free_all_blocks()


def line(row):
    """Case, then seconds, ratio and whether the bits are the same, for each number of GPUs."""
    named = {f"{count} GPU": found for count, found in row["gpus"].items()}
    for count, found in row.get("processes", {}).items():
        named |= {f"{count} processes": found, "one of them killed": found["killed"]}
    parts = [
        f"{name}: {found['median_seconds']:.4f} s {found['ratio']:.2f}x "
        f"{'same bits' if found['same_bits'] else 'OTHER BITS'}"
        for name, found in named.items()
    ]
    return f"{row['case']:<32}{'   '.join(parts)}"


def main(arguments=None):
    """Measure all cases, print a line each, write the JSON file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scaling", description=__doc__)
    parser.add_argument("--folder", type=Path, help="of the graphs that are files (.npz)")
    parser.add_argument(
        "--gpus", type=int, nargs="+", help="numbers of them (default: 1, 2, 4, ..)"
    )
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument(
        "--processes", nargs="*", choices=CASES, default=[], help="cases for a process a GPU, too"
    )
    parser.add_argument("--repeats", type=int, default=3, help="1 takes a long first call for one")
    parser.add_argument("--patience", type=float, default=20, help="seconds a case and number")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    reason = device.missing() or (gpu_workers.missing() if options.processes else "")
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
    limits = options.repeats, options.patience
    for name in dict.fromkeys((*options.cases, *options.processes)):
        try:
            row = measure(name, CASES[name], options.folder, counts, *limits)
            if name in options.processes:
                measure_processes(row, options.folder, counts, *limits)
        except (FileNotFoundError, ValueError) as error:
            print(f"{name:<32}skipped: {error}", flush=True)
            continue
        print(line(row), flush=True)
        record.add(row)
    print(f"written: {record.path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
