"""One call of sparsebc on a case, after a warm-up: what a profiler is put around.

    ncu --profile-from-start off --clock-control none --print-summary per-kernel
        --metrics METRICS python -m benchmarks.profile CASE

METRICS that say what limits a kernel, in percent of the peak: dram__throughput,
lts__throughput and sm__inst_issued, each with .avg.pct_of_peak_sustained_elapsed, and
gpu__time_duration.sum. ncu repeats every launch several times; on a deep graph, ``--launch-skip``
and ``--launch-count`` pick some.
"""

import argparse
import contextlib
from pathlib import Path

from . import graphs, peers, runner
from .suite import case


def profiled():
    """Let the profiler look within the statement."""
    from cupyx import profiler

    return profiler.profile()


def main(arguments=None):
    """Run the case twice, the second time between the profiler's start and stop."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.profile", description=__doc__)
    parser.add_argument("case", type=case, metavar="NAME[:SOURCES[ball]]")
    parser.add_argument("--folder", type=Path, help="folder of .npz graphs")
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--dtype", choices=tuple(runner.TOLERANCE), default="float64")
    options = parser.parse_args(arguments)
    try:
        matrix, directed = graphs.find(options.case.graph, options.folder)()
    except ValueError as error:
        parser.error(str(error))
    chosen = options.case.choose(matrix)
    graph = runner.as_graph(matrix, directed, chosen, options.device)
    run, _, _ = peers.sparsebc(graph)
    run(chosen, options.dtype)
    with profiled() if options.device == "cuda" else contextlib.nullcontext():
        _, usage = peers.timed(lambda: run(chosen, options.dtype))
    print(f"{options.case.graph} {options.dtype}: {usage['seconds']:.4g} s")


if __name__ == "__main__":
    main()
