"""Measure one GPU beside all of a machine: equal bits first, then seconds, ratio, utilization.

Every case is a whole call of a measure, from a SciPy matrix to its scores. The utilization is from
``nvidia-smi`` during further calls, after the timed ones. ``--processes`` measures ``executor=`` as
well, with a process a GPU, and once more with one of them killed.
"""

import contextlib
import functools
import os
import signal
import statistics
import subprocess
import threading
import time

import numpy as np
from scipy import sparse

from . import huge, suite

CASES = [
    "betweenness ba-30000x50",
    "betweenness rmat-20x16:2048",
    "betweenness rmat-20x16:16384",
    "betweenness rmat-20x16:65536",
    "betweenness rmat-24x16:8192",
    "edge_betweenness bio-human-ppi-snap-pathways",
    "betweenness road-usa-ny",
    "betweenness road-usa-nyw",
    "edge_betweenness road-usa-ny",
    "harmonic road-usa-ny",
    "harmonic road-usa-nyw",
    "betweenness road-usa-nyw:65536ball",
    "edge_betweenness road-usa-nyw:65536ball",
    "harmonic road-usa-nyw:65536ball",
    "betweenness web-cnr-2000",
]
# Interval between two samples of the utilization, and least duration of sampling.
POLL_SECONDS, BUSY_SECONDS = 0.05, 0.6
# Sources of a call that compiles the kernels of the others.
FEW = 256
# Time of the kill of a process, as a share of the duration of an undisturbed call.
MIDWAY = 0.4
LARGE = "rmat-24x16"  # generated on the GPU


def load(text, options):
    """The measure of a case and its graph; the large R-MAT is generated on the GPU."""
    if LARGE not in text:
        return suite.load_task(text, options)
    import cupy

    n, (task, _, name) = 1 << 24, text.partition(" ")
    indptr, indices = (array.get() for array in huge.draw_graph(huge.rmat, n, 16 * n, cupy))
    _free_memory()
    arrays = np.ones(indices.size), indices, indptr.astype(np.int32)
    A = sparse.csr_array(arrays, shape=(n, n))
    return task, suite.Loaded(name, A, A, False, False, suite.sources_of(name, A))


class Busy:
    """Context that samples the utilization of each GPU, in percent."""

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
        samples = [sample for sample in self._samples if sample]
        return [round(statistics.fmean(each)) for each in zip(*samples, strict=True)]


def timed(work, want, repeats, patience):
    """Result of ``work()``, and its times as JSON; its bits are compared with ``want`` first.

    The first call, which allocates memory, is not timed, except if it is the only repeat and takes
    longer than ``patience``.
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


def cluster(gpus):
    """Dask cluster of a process for each GPU, as by dask-cuda; one that dies is restarted."""
    from distributed import Nanny, Scheduler, SpecCluster

    about = {"nthreads": 1, "resources": {"GPU": 1}}
    envs = [{"CUDA_VISIBLE_DEVICES": str(gpu)} for gpu in range(gpus)]
    workers = [{"cls": Nanny, "options": {**about, "env": env}} for env in envs]
    scheduler = {"cls": Scheduler, "options": {"dashboard": False}}
    return SpecCluster(dict(enumerate(workers)), scheduler=scheduler)


def of_processes(call, want, count, options):
    """JSON fields of a run with a process for each GPU, and of a run with one of them killed."""
    with cluster(count) as started, started.get_client() as client:
        executor = client.get_executor(pure=False, resources={"GPU": 1})
        work = functools.partial(call, "cuda", executor=executor)
        _, found = timed(work, want, options.repeats, options.patience)
        victim, midway = min(client.run(os.getpid).values()), MIDWAY * found["median_seconds"]
        timer = threading.Timer(midway, os.kill, (victim, signal.SIGKILL))
        with Busy() as busy:
            timer.start()
            got, took, _ = suite.timed(work)
        is_killed = timer.finished.is_set()
        timer.cancel()
    return found | {
        "one_killed": is_killed,
        "killed": _times([took], bool(np.array_equal(got, want)), busy),
    }


def _free_memory():
    """Free CuPy's pool on every GPU, for other processes."""
    import cupy

    for index in range(cupy.cuda.runtime.getDeviceCount()):
        with cupy.cuda.Device(index):
            cupy.get_default_memory_pool().free_all_blocks()


@suite.benchmark(
    cases=CASES,
    load=load,
    repeats=3,
    device="cuda",
    gpus=suite.option(help="numbers of them: 1, 2, 4, ..", nargs="+", type=int),
    processes=suite.option(False, "a process a GPU as well, by Dask", action="store_true"),
    patience=suite.option(20.0, "seconds a case and number"),
)
def main(options, case):
    """Yield the row of a case: seconds for each number of GPUs, bits compared first."""
    import cupy

    measure, case = case
    there, want = cupy.cuda.runtime.getDeviceCount(), None
    counts = options.gpus or [1 << k for k in range(there.bit_length())]
    call = functools.partial(suite.scores, measure, case)
    call("cuda:0", sources=case.every_source[:FEW])
    row = {"measure": measure, **case.row(), "gpus": {}, "processes": {}}
    for count in counts:
        on = [f"cuda:{index}" for index in range(count)] if count > 1 else "cuda:0"
        work = functools.partial(call, on)
        got, row["gpus"][str(count)] = timed(work, want, options.repeats, options.patience)
        want = got if want is None else want
    _free_memory()
    for count in counts if options.processes else ():
        if count > 1:
            row["processes"][str(count)] = of_processes(call, want, count, options)
    several = [*row["gpus"].values(), *row["processes"].values()]
    suite.add_ratios([*several, *(each["killed"] for each in several if "killed" in each)])
    yield row


if __name__ == "__main__":
    main()
