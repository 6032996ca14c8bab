"""Measure an earlier state of the project beside this one: whole calls of both, in turn.

``--before`` is a checkout of the earlier state, as ``git worktree add`` makes one. Each state has a
process of its own, in which it alone can be imported. Scores are compared first, to rounding.
"""

import argparse
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy import sparse

from . import device as gpu
from . import graphs
from .interpreters import ROOT
from .record import Record

MEASURES = ("betweenness", "closeness", "eccentricity")
RTOL = 1e-9
BRIEF = 0.1  # seconds up to which the second of two calls counts

# Reads a line for each call; writes the scores, and a line with wall and processor seconds.
CALLS = """
import json, sys, time
import numpy as np
from scipy import sparse
import sparsebc

graph, scores, measure, options = sys.argv[1:]
A, options = sparse.load_npz(graph), json.loads(options)
for line in sys.stdin:
    begun, begun_cpu = time.perf_counter(), time.process_time()
    values = getattr(sparsebc, measure)(A, **options)
    seconds = time.perf_counter() - begun, time.process_time() - begun_cpu
    np.save(scores, values)
    print(json.dumps(seconds), flush=True)
"""


class State:
    """A process that imports a checkout and calls one measure of one graph, again and again."""

    def __init__(self, name, checkout, folder, graph, measure, options):
        self._scores = Path(folder, f"{name}.npy")
        command = [sys.executable, "-P", "-c", CALLS, graph, self._scores, measure]
        self._process = subprocess.Popen(
            [*map(str, command), json.dumps(options)],
            env={**os.environ, "PYTHONPATH": str(checkout)},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def call(self):
        """Call once; returns seconds, by the clock and of the process."""
        with contextlib.suppress(BrokenPipeError):
            print(file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"a call ended with code {self._process.wait()}")
        return json.loads(answer)

    def scores(self):
        """Return what the last call returned."""
        return np.load(self._scores)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.kill()
        self._process.communicate()


def measure(case, *, name, before, folder, repeats, device="cpu"):
    """Measure one graph by one measure; returns its JSON row."""
    pattern, directed = graphs.find(case, folder)()
    options = {"directed": directed, "weighted": pattern.dtype != bool, "device": device}
    with contextlib.ExitStack() as held:
        folder = held.enter_context(tempfile.TemporaryDirectory())
        graph = Path(folder, "graph.npz")
        sparse.save_npz(graph, sparse.csr_array(pattern, dtype=np.float64), compressed=False)
        states = {
            state: held.enter_context(State(state, checkout, folder, graph, name, options))
            for state, checkout in (("before", before), ("now", ROOT))
        }
        times = {state: [] for state in states}
        for turn in range(repeats + 1):
            for state, process in states.items():
                seconds = process.call()
                if seconds[0] < BRIEF:  # what the other process left behind is gone now
                    seconds = process.call()
                if turn or not repeats:  # the first compiles
                    times[state].append(seconds)
        was, now = (states[state].scores() for state in ("before", "now"))
        np.testing.assert_allclose(now, was, rtol=RTOL, atol=RTOL * abs(was).max(initial=0))
    median, cpu = (
        {state: statistics.median(one[which] for one in all_of) for state, all_of in times.items()}
        for which in (0, 1)
    )
    return {
        "graph": case,
        "measure": name,
        "device": device,
        "nodes": pattern.shape[0],
        "arcs": pattern.nnz,
        "median_seconds": median,
        "ratio": median["before"] / median["now"],
        "median_cpu_seconds": cpu,
        "cpu_ratio": cpu["before"] / cpu["now"],
        "all_seconds": times,
    }


def commit(checkout):
    """Return the commit that a checkout stands at, unknown where git is not there to tell."""
    command = ["git", "-C", str(checkout), "log", "-1", "--format=%h %cI"]
    with contextlib.suppress(FileNotFoundError):
        return subprocess.run(command, capture_output=True, text=True).stdout.strip() or "unknown"
    return "unknown"


def main(arguments=None):
    """Measure the cases, print a line each, and write the JSON file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.states", description=__doc__)
    parser.add_argument("--before", type=Path, required=True, help="checkout of an earlier state")
    parser.add_argument("--cases", nargs="+", metavar="NAME", required=True)
    parser.add_argument("--measures", nargs="+", choices=MEASURES, default=["betweenness"])
    parser.add_argument("--folder", type=Path, help="folder of .npz graphs")
    parser.add_argument(
        "--repeats", type=int, default=5, help="0 times the first call, of long ones"
    )
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    before = options.before.resolve()
    about = {"device": gpu.describe()} if options.device.startswith("cuda") else {}
    both = {"before": commit(before), "now": commit(ROOT)}
    record = Record("states", arguments, options.output, **both, **about)
    for case in options.cases:
        for name in options.measures:
            row = measure(
                case,
                name=name,
                before=before,
                folder=options.folder,
                repeats=options.repeats,
                device=options.device,
            )
            record.add(row)
            was, now = (row["median_seconds"][state] for state in ("before", "now"))
            print(
                f"{case:<32}{name:<14}{was:>10.4f}{now:>10.4f}{row['ratio']:>8.2f}"
                f"{row['cpu_ratio']:>8.2f}",
                flush=True,
            )
    print(f"written: {record.path}")


if __name__ == "__main__":
    main()
