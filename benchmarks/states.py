"""Measure an earlier state of the project beside this one: whole calls of both, in turn.

``--before`` is a checkout of the earlier state, as ``git worktree add`` makes one. Each state has a
process of its own, in which it alone can be imported. Scores are compared first, to rounding.
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

from . import reductions, suite
from .interpreters import ROOT

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
        """Call once, twice if it is brief; seconds, by the clock and of the process."""
        seconds = self._call()
        # What the other process left behind is gone by the second time.
        return seconds if seconds[0] >= BRIEF else self._call()

    def _call(self):
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


def measure(name, options):
    """Yield the JSON row of a graph by each measure."""
    case = suite.load(name, options.folder)
    for measured in options.measures:
        yield _row(name, case, measured, options)


def _row(name, case, measured, options):
    run = case.options(options.device)
    if options.cutoff is not None:
        run["cutoff"] = options.cutoff
    if case.sources is not None:
        run["sources"] = case.sources.tolist()
    with contextlib.ExitStack() as held:
        folder = held.enter_context(tempfile.TemporaryDirectory())
        graph = Path(folder, "graph.npz")
        sparse.save_npz(graph, case.A, compressed=False)
        states = {
            state: held.enter_context(State(state, checkout, folder, graph, measured, run))
            for state, checkout in (("before", options.before), ("now", ROOT))
        }
        ways = {state: process.call for state, process in states.items()}
        found = suite.beside(ways, options.repeats)
        was, now = (states[state].scores() for state in ("before", "now"))
        np.testing.assert_allclose(now, was, rtol=RTOL, atol=RTOL * abs(was).max(initial=0))
    return {
        **case.row(name),
        "measure": measured,
        "device": options.device,
        "cutoff": options.cutoff,
        **found,
    }


def commit(checkout):
    """Return the commit that a checkout stands at, unknown where git is not there to tell."""
    command = ["git", "-C", str(checkout), "log", "-1", "--format=%h %cI"]
    with contextlib.suppress(FileNotFoundError):
        return subprocess.run(command, capture_output=True, text=True).stdout.strip() or "unknown"
    return "unknown"


def main(arguments=None):
    """Measure the cases, print a line each, and write the JSON file."""
    parser = suite.parser("states", __doc__, cases=(), device="cpu")
    parser.add_argument("--before", type=Path, required=True, help="checkout of an earlier state")
    parser.add_argument("--measures", nargs="+", choices=MEASURES, default=["betweenness"])
    parser.add_argument("--cutoff", type=float, help="of the pairs that count")
    suite.add_repeats_of_long_calls(parser)
    options = suite.parse(parser, arguments)
    options.before = options.before.resolve()
    kept = suite.record(options, arguments, before=commit(options.before), now=commit(ROOT))
    rows = (row for name in options.cases for row in measure(name, options))
    suite.keep(kept, rows, reductions.line)


if __name__ == "__main__":
    main()
