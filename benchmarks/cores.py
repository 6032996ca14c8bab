"""Measure one worker beside many: equal bits first, then seconds and ratio of whole calls.

Every case is a whole call of a measure on the CPU, from a SciPy matrix to its scores, with
``workers=`` threads. The ceiling of the machine is the throughput of independent processes that
make the call at once, each with one worker, relative to one such process alone.
"""

import functools
import multiprocessing
import os
import statistics
from concurrent.futures import ProcessPoolExecutor

import numpy as np

from . import suite

CASES = [
    "betweenness rmat-20x16:1",
    "betweenness rmat-18x8:2048",
    "betweenness rmat-18x8:8192",
    "betweenness web-cnr-2000:2048",
    "betweenness web-cnr-2000:65536",
    "betweenness bio-human-ppi-snap-pathways",
    "betweenness email-enron-snap",
    "betweenness road-usa-ny:4096ball",
    "betweenness road-usa-nyw:2048ball",
    "betweenness road-usa-ny:32768ball",
    "betweenness road-3000x3000:1",
    "betweenness rmat-22x16:1",
    "betweenness rmat-22x16:64",
]
FEW = 256  # sources of a call that loads code before the others


def together(call, few, barrier):
    """Seconds of a call that starts once all processes have made one from few sources."""
    call(sources=few)
    barrier.wait()
    return suite.seconds_of(call)[0]


def ceiling(call, few, count):
    """Median seconds of a call in ``count`` processes at once."""
    context = multiprocessing.get_context("spawn")
    with context.Manager() as manager, ProcessPoolExecutor(count, context) as pool:
        barrier = manager.Barrier(count)
        tasks = [pool.submit(together, call, few, barrier) for _ in range(count)]
        return statistics.median(task.result() for task in tasks)


@suite.benchmark(
    cases=CASES,
    load=suite.load_task,
    repeats=3,
    workers=[1, 4, 8, 16, 32],
    ceiling=suite.option([], "processes that share nothing, to compare with workers", type=int),
    patience=suite.option(10.0, "seconds a case and number"),
)
def main(options, case):
    """Yield the row of a case: seconds for each number of workers, bits compared first."""
    measure, case = case
    there, want, patience = len(os.sched_getaffinity(0)), None, options.patience
    yield "about", {"processors": there}
    row = {"measure": measure, **case.row(), "sources": case.every_source.size, "cores": {}}
    call, few = functools.partial(suite.scores, measure, case, "cpu"), case.every_source[:FEW]
    call(sources=few, workers=1)
    for count in (count for count in options.workers if count <= there):
        work = functools.partial(call, workers=count)
        got, *first = suite.timed(work)
        times = [] if first[0] > patience and want is not None else [first]
        while len(times) < options.repeats and sum(wall for wall, _ in times) < patience:
            times.append(suite.timed(work)[1:])
        seconds, processors = zip(*times, strict=True)
        row["cores"][str(count)] = {
            "same_bits": want is None or bool(np.array_equal(got, want)),
            "median_seconds": statistics.median(seconds),
            "median_cpu_seconds": statistics.median(processors),
            "all_seconds": seconds,
        }
        want = got if want is None else want
    alone = suite.add_ratios(row["cores"].values())
    for count in options.ceiling:
        seconds = ceiling(functools.partial(call, workers=1), few, count)
        most = {"seconds": seconds, "ratio": count * alone / seconds}
        row.setdefault("ceiling", {})[str(count)] = most
    yield row


if __name__ == "__main__":
    main()
