"""Measure what exact reductions save: the same calls with all of them and with none, in turn.

Scores are compared first. Whole calls, by default on the CPU, from a SciPy matrix to scores:
seconds, and those of all threads of the process, which tell more where others share the machine.
``--sources`` takes runs of nodes spread over all, so that twins that are numbered one after the
other stay together. Measures joined by + are asked for at once.
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
    "soc-slashdot0902",
    "airports-openflightsw",
    "leafy-50000x6",
    "mesh-4elt",
    "rmat-14x8",
]
MEASURES = ("closeness", "eccentricity", "betweenness", "stress", "betweenness+stress")
RTOL = 1e-10
# Nodes of a run, of which all are sources or none.
RUN = 500


def sampled(n, count):
    """Some count of n nodes, in runs of `RUN`; all if that is none."""
    runs = np.arange(n) // RUN
    return np.arange(n) if count is None else np.flatnonzero(runs % max(1, n // count) == 0)


def measure(case, *, name, folder, repeats, count=None, cutoff=None, device="cpu"):
    """Measure one graph by one measure; returns its JSON row."""
    pattern, directed = graphs.find(case, folder)()
    A = sparse.csr_array(pattern, dtype=np.float64)
    options = {"directed": directed, "weighted": pattern.dtype != bool, "device": device}
    options["cutoff"] = cutoff
    sources = sampled(A.shape[0], count)
    if count is not None:
        options["sources"] = sources
    seconds, cpu_seconds = {"none": [], "all": []}, {"none": [], "all": []}
    scores = {}
    for turn in range(repeats + 1):
        for choice, times in seconds.items():
            begun, begun_cpu = time.perf_counter(), time.process_time()
            scores[choice] = sparsebc.centralities(A, name.split("+"), **options, reduce=choice)
            if turn or not repeats:  # the first compiles
                times.append(time.perf_counter() - begun)
                cpu_seconds[choice].append(time.process_time() - begun_cpu)
    for one, want in scores["none"].items():
        np.testing.assert_allclose(scores["all"][one], want, rtol=RTOL, atol=1e-14)
    median, median_cpu = (
        {choice: statistics.median(times) for choice, times in one.items()}
        for one in (seconds, cpu_seconds)
    )
    return {
        "graph": case,
        "measure": name,
        "cutoff": cutoff,
        "device": device,
        "nodes": A.shape[0],
        "arcs": A.nnz,
        "sources": sources.size,
        "median_seconds": median,
        "ratio": median["none"] / median["all"],
        "median_cpu_seconds": median_cpu,
        "cpu_ratio": median_cpu["none"] / median_cpu["all"],
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
    parser.add_argument("--sources", type=int, help="about so many, in runs of nodes; all of them")
    parser.add_argument("--cutoff", type=float, help="only pairs at most so far apart")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    record = Record("reductions", arguments, options.output)
    for case in options.cases or CASES:
        for name in options.measures:
            row = measure(
                case,
                name=name,
                folder=options.folder,
                repeats=options.repeats,
                count=options.sources,
                cutoff=options.cutoff,
                device=options.device,
            )
            record.add(row)
            none, every = (row["median_seconds"][choice] for choice in ("none", "all"))
            print(
                f"{case:<32}{name:<20}{none:>10.4f}{every:>10.4f}{row['ratio']:>8.2f}"
                f"{row['cpu_ratio']:>8.2f}",
                flush=True,
            )
    print(f"written: {record.path}")


if __name__ == "__main__":
    main()
