"""Measure one GPU beside all of a machine: the same bits first, then seconds, ratio, share busy.

Every case is a whole call, from a SciPy matrix to its scores. A GPU's share is how busy
``nvidia-smi`` finds it while the call is made again and again, once the times are taken. With
``--processes`` the same is measured through ``executor=``, a process a GPU, and once more with one
of them killed.
"""

import contextlib
import functools
import statistics
import subprocess
import threading
import time
from importlib.util import find_spec
from typing import NamedTuple

import numpy as np
from scipy import sparse

from . import gpu_workers, graphs, huge, suite


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
    if name != "rmat-24x16":
        return graphs.find(name, folder)()
    import cupy

    n = 1 << 24
    indptr, indices = (array.get() for array in huge.draw_graph(huge.rmat, n, 16 * n, cupy))
    cupy.get_default_memory_pool().free_all_blocks()
    pattern = np.ones(indices.size, bool), indices, indptr.astype(np.int32)
    return sparse.csr_array(pattern, shape=(n, n)), False


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
    start = time.perf_counter()
    with Busy() if repeats == 1 else contextlib.nullcontext() as busy:
        got = work()
    took = time.perf_counter() - start
    same = want is None or bool(np.array_equal(got, want))
    if took > patience and busy:
        return got, _times([took], same, busy)
    seconds, begun = [], time.perf_counter()
    while len(seconds) < repeats and time.perf_counter() - begun < patience:
        seconds += suite.seconds_of(work)
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


def rows(options, counts):
    """Yield the JSON row of each case; of those whose graph is not there, a line."""
    limits = options.repeats, options.patience
    for name in dict.fromkeys((*options.cases, *options.processes)):
        try:
            row = measure(name, CASES[name], options.folder, counts, *limits)
            if name in options.processes:
                measure_processes(row, options.folder, counts, *limits)
            yield row
        except (FileNotFoundError, ValueError) as error:
            print(f"{name:<32}skipped: {error}", flush=True)


def main(arguments=None):
    """Measure all cases, print a line each, write the JSON file."""
    parser = suite.parser("scaling", __doc__, cases=list(CASES), repeats=3)
    parser.add_argument(
        "--gpus", type=int, nargs="+", help="numbers of them (default: 1, 2, 4, ..)"
    )
    parser.add_argument(
        "--processes", nargs="*", choices=CASES, default=[], help="cases for a process a GPU, too"
    )
    parser.add_argument("--patience", type=float, default=20, help="seconds a case and number")
    parser.set_defaults(device="cuda")
    options = suite.parse(parser, arguments)
    if options.processes and find_spec("distributed") is None:
        parser.error("--processes needs Dask: python -m pip install distributed")
    import cupy

    there = cupy.cuda.runtime.getDeviceCount()
    counts = options.gpus or [1 << k for k in range(there.bit_length())]
    if max(counts) > there:
        parser.error(f"--gpus {max(counts)}: this machine has {there}")
    suite.keep(suite.record(options, arguments, gpus=there), rows(options, counts), line)


if __name__ == "__main__":
    main()
