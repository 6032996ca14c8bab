"""Measure what it takes to start: whole processes, in turn, each after a run that is not timed.

``import sparsebc`` is compared with an import of NumPy and scipy.sparse, which whoever has a sparse
matrix has paid for already; the first use of a measure loads the rest. The first scores of a
machine are measured with no kernel on disk: of the command, and of a call of each kind.
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from typing import NamedTuple

from . import suite
from .interpreters import ROOT


class Task(NamedTuple):
    """Arguments of Python; the task whose seconds are taken off; the most that may be left."""

    words: tuple[str, ...]
    beyond: str | None = None
    goal: float | None = None


LIBRARIES = "import numpy, scipy.sparse"
TASKS = {
    "python": Task(("-c", "")),
    LIBRARIES: Task(("-c", LIBRARIES)),
    "import sparsebc": Task(("-c", f"{LIBRARIES}, sparsebc"), LIBRARIES, 0.06),
    "sparsebc.betweenness": Task(("-c", f"{LIBRARIES}, sparsebc; sparsebc.betweenness"), LIBRARIES),
    "sparsebc --help": Task(("-m", "sparsebc", "--help"), None, 0.3),
}


class First(NamedTuple):
    """Arguments of Python; the most seconds that may pass, or of processor time."""

    words: tuple[str, ...]
    goal: float | None = None
    processor_goal: float | None = None


def _call(measure, dataset="human-protein-hein2015", **options):
    """A task that calls a measure, whose processor time is limited."""
    code = (
        "import sparsebc; from sparsebc import datasets; "
        f"A = datasets.load({dataset!r}).matrix; "
        f"sparsebc.{measure}(A, directed=False, **{options!r})"
    )
    return First(("-c", code), processor_goal=8.0)


COMMAND = ("-m", "sparsebc", "betweenness", "human-protein-hein2015", "--top", "10")
FIRST = {
    "sparsebc betweenness": First(COMMAND, goal=10.0),
    "betweenness": _call("betweenness"),
    "betweenness by length": _call("betweenness", "power-grid-europe", weighted=True),
    "edge_betweenness": _call("edge_betweenness"),
    "stress": _call("stress"),
    "closeness": _call("closeness"),
    "closeness by length": _call("closeness", "power-grid-europe", weighted=True),
    "approximate_betweenness": _call("approximate_betweenness", epsilon=0.01, rng=1),
    "group_betweenness": _call("group_betweenness", groups=[[0, 1], [2]]),
    "shortest_paths": _call("shortest_paths", "power-grid-europe", sources=[0], weighted=True),
}


def measure_first(tasks, repeats):
    """Return a JSON row for each task, each run with an empty folder of kernels."""
    for name, task in tasks.items():
        runs = []
        for _ in range(repeats):
            with tempfile.TemporaryDirectory() as folder:
                before = os.times()
                seconds = _run(task.words, NUMBA_CACHE_DIR=folder)
                spent = [now - then for now, then in zip(os.times(), before, strict=True)]
            runs.append((seconds, spent[2] + spent[3]))  # user and system, of children
        yield {
            "task": f"first {name}",
            "command": ["python", *task.words],
            "median_seconds": statistics.median(seconds for seconds, _ in runs),
            "median_processor_seconds": statistics.median(spent for _, spent in runs),
            "all_seconds": [seconds for seconds, _ in runs],
            "all_processor_seconds": [spent for _, spent in runs],
            "goal_seconds": task.goal,
            "goal_processor_seconds": task.processor_goal,
        }


def line_of_first(row):
    """Task, medians of its seconds and of its processor time, and the goal of either."""
    goals = (row["goal_seconds"], row["goal_processor_seconds"])
    (kind, goal) = next((kind, goal) for kind, goal in enumerate(goals) if goal is not None)
    medians = row["median_seconds"], row["median_processor_seconds"]
    judged = "met" if medians[kind] <= goal else "missed"
    return f"{row['task']:<30}{medians[0]:>7.2f}{medians[1]:>9.2f}{goal:>8}  {judged}"


def measure(tasks, repeats):
    """Return a JSON row for each task."""
    seconds = {name: [] for name in tasks}
    for turn in range(repeats + 1):
        for name, task in tasks.items():
            spent = _run(task.words)
            if turn:  # the first writes byte code
                seconds[name].append(spent)
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    return [
        {
            "task": name,
            "command": ["python", *task.words],
            "median_seconds": medians[name],
            "all_seconds": seconds[name],
            "beyond": task.beyond,
            "seconds": medians[name] - medians.get(task.beyond, 0.0),
            "goal_seconds": task.goal,
        }
        for name, task in tasks.items()
    ]


def _run(words, **environment):
    """Seconds of one process.

    Raises
    ------
    RuntimeError
        If the process fails, with the last line that it wrote.
    """
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, *words],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
    )
    spent = time.perf_counter() - start
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        raise RuntimeError(": ".join([f"python {' '.join(words)}", *last]))
    return spent


def line(row):
    """Task, median of its process, what is left of it beyond another's, and the goal of that."""
    beyond = "-" if row["beyond"] is None else f"{row['seconds']:+.3f}"
    goal = row["goal_seconds"]
    judged = "" if goal is None else f"{goal:>8}  {'met' if row['seconds'] <= goal else 'missed'}"
    return f"{row['task']:<28}{row['median_seconds']:>9.3f}{beyond:>9}{judged}"


def main(arguments=None):
    """Measure all tasks, print a line each, write the JSON file."""
    made = suite.parser("startup", __doc__, repeats=15)
    made.add_argument("--first", type=int, default=3, help="runs of each first call (default: 3)")
    options = suite.parse(made, arguments)
    if options.first < 0:
        made.error(f"--first must be at least 0, got {options.first}")
    kept = suite.record(options, arguments)
    print(f"{'':<28}{'seconds':>9}{'beyond':>9}{'goal':>8}")
    suite.keep(kept, measure(TASKS, options.repeats), line)
    if options.first:
        print(f"{'':<28}{'seconds':>9}{'processor':>9}{'goal':>8}")
        suite.keep(kept, measure_first(FIRST, options.first), line_of_first)


if __name__ == "__main__":
    main()
