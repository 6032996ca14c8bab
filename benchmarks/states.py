"""Measure two states of the project: whole calls of both, in turn, with scores compared.

``--before`` is a checkout of an earlier state, as of ``git worktree add``; without it calls without
reductions are compared with calls with all. Each state has a process that imports it alone. Times
are from a SciPy matrix to scores, in wall seconds and in processor seconds of all threads, which
are more reliable on a shared machine. Measures joined by + are computed in one call. The first
calls compile; ``--repeats 0`` times them.
"""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from scipy import sparse

from . import suite
from .peers import ROOT

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
RTOL = 1e-9
BRIEF = 0.1  # seconds: a call that is shorter is repeated, and the second time counts

# Reads a line for each call; writes the scores, and a line with wall and processor seconds.
CALLS = """
import json, sys, time
import numpy as np
from scipy import sparse
import sparsebc

graph, scores, measures, options = sys.argv[1:]
A, options = sparse.load_npz(graph), json.loads(options)
for line in sys.stdin:
    begun, begun_cpu = time.perf_counter(), time.process_time()
    values = sparsebc.centralities(A, measures.split("+"), **options)
    seconds = time.perf_counter() - begun, time.process_time() - begun_cpu
    np.save(scores, [v.data if sparse.issparse(v) else v for v in values.values()])
    print(json.dumps(seconds), flush=True)
"""


class State:
    """A process that imports a checkout, and computes measures of a graph on request."""

    def __init__(self, name, checkout, folder, measures, options):
        self._scores = folder / f"{name}.npy"
        words = [sys.executable, "-P", "-c", CALLS, folder / "graph.npz", self._scores, measures]
        self._process = subprocess.Popen(
            [*map(str, words), json.dumps(options)],
            env={**os.environ, "PYTHONPATH": str(checkout)},
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def call(self):
        """Call once, or twice if brief; wall and processor seconds."""
        seconds = self._call()
        # The first call may find caches filled by the other process.
        return seconds if seconds[0] >= BRIEF else self._call()

    def _call(self):
        with contextlib.suppress(BrokenPipeError):
            print(file=self._process.stdin, flush=True)
        answer = self._process.stdout.readline()
        if not answer:
            raise SystemExit(f"a call ended with code {self._process.wait()}")
        return json.loads(answer)

    def scores(self):
        """Return the scores of the last call."""
        return np.load(self._scores)

    def close(self):
        """End the process."""
        self._process.kill()
        self._process.communicate()


def measure(case, measures, options, states):
    """JSON row of a graph, for measures joined by + and states: (checkout, options) by name."""
    run = case.options(options.device)
    run |= {} if options.cutoff is None else {"cutoff": options.cutoff}
    run |= {} if case.sources is None else {"sources": case.sources.tolist()}
    with contextlib.ExitStack() as held:
        folder = Path(held.enter_context(tempfile.TemporaryDirectory()))
        sparse.save_npz(folder / "graph.npz", case.A, compressed=False)
        both = [
            State(name, checkout, folder, measures, run | others)
            for name, (checkout, others) in states.items()
        ]
        for state in both:
            held.callback(state.close)
        rounds = [[state.call() for state in both] for _ in range(options.repeats + 1)]
        scores, others = (state.scores() for state in both)
        np.testing.assert_allclose(others, scores, RTOL, atol=RTOL * abs(scores).max(initial=0))
    times = np.array(rounds[min(options.repeats, 1) :])  # (round, state, wall and processors)
    medians = np.median(times, axis=0).T.tolist()
    wall, processors = (dict(zip(states, each, strict=True)) for each in medians)
    return {
        **case.row(),
        "measure": measures,
        "device": options.device,
        "cutoff": options.cutoff,
        "sources": case.every_source.size,
        "median_seconds": wall,
        "ratio": np.divide(*wall.values()),
        "median_cpu_seconds": processors,
        "cpu_ratio": np.divide(*processors.values()),
        "all_seconds": dict(zip(states, times.transpose(1, 0, 2).tolist(), strict=True)),
    }


def commit(checkout):
    """Return the commit of a checkout; "unknown" if it is not one of git."""
    command = ["git", "-C", str(checkout), "log", "-1", "--format=%h %cI"]
    return subprocess.run(command, capture_output=True, text=True).stdout.strip() or "unknown"


@suite.benchmark(
    cases=CASES,
    repeats=5,
    device="cpu",
    before=suite.option(help="checkout of an earlier state", type=Path),
    measures=suite.option(["betweenness"], "such as closeness, or betweenness+stress"),
    cutoff=suite.option(help="only pairs at most so far apart", type=float),
)
def main(options, case):
    """Yield the commits, and the JSON row of a graph by each measure, or several joined by +."""
    states = {reduce: (ROOT, {"reduce": reduce}) for reduce in ("none", "all")}
    if options.before:
        states = {"before": (options.before.resolve(), {}), "now": (ROOT, {})}
    yield "about", {name: commit(checkout) for name, (checkout, _) in states.items()}
    for measures in options.measures:
        yield measure(case, measures, options, states)


if __name__ == "__main__":
    main()
