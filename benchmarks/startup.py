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
    """A process, and goals: for its seconds beyond those of another task, and for processors."""

    words: tuple[str, ...]  # arguments of Python
    beyond: str | None = None
    goal: float | None = None  # seconds
    processor_goal: float | None = None  # seconds of all its threads
    is_first: bool = False  # no kernel is on disk


def _call(measure, dataset="human-protein-hein2015", **options):
    """A call of a measure, whose processor time is limited."""
    code = (
        "import sparsebc; from sparsebc import datasets; "
        f"A = datasets.load({dataset!r}).matrix; "
        f"sparsebc.{measure}(A, directed=False, **{options!r})"
    )
    return Task(("-c", code), processor_goal=8.0, is_first=True)


LIBRARIES = "import numpy, scipy.sparse"
COMMAND = ("-m", "sparsebc", "betweenness", "human-protein-hein2015", "--top", "10")
TASKS = {
    "python": Task(("-c", "")),
    LIBRARIES: Task(("-c", LIBRARIES)),
    "import sparsebc": Task(("-c", f"{LIBRARIES}, sparsebc"), LIBRARIES, 0.06),
    "sparsebc.betweenness": Task(("-c", f"{LIBRARIES}, sparsebc; sparsebc.betweenness"), LIBRARIES),
    "sparsebc --help": Task(("-m", "sparsebc", "--help"), None, 0.3),
    "first sparsebc betweenness": Task(COMMAND, goal=10.0, is_first=True),
    "first betweenness": _call("betweenness"),
    "first betweenness by length": _call("betweenness", "power-grid-europe", weighted=True),
    "first edge_betweenness": _call("edge_betweenness"),
    "first stress": _call("stress"),
    "first closeness": _call("closeness"),
    "first closeness by length": _call("closeness", "power-grid-europe", weighted=True),
    "first approximate_betweenness": _call("approximate_betweenness", epsilon=0.01, rng=1),
    "first group_betweenness": _call("group_betweenness", groups=[[0, 1], [2]]),
    "first shortest_paths": _call(
        "shortest_paths", "power-grid-europe", sources=[0], weighted=True
    ),
}


def measure(tasks, repeats, first):
    """Yield the JSON row of each task, from so many runs; of those that compile, ``first``."""
    runs = {name: [] for name in tasks}
    for turn in range(max(repeats + 1, first)):
        for name, task in tasks.items():
            if turn < (first if task.is_first else repeats + 1):
                spent = _run(task)
                if turn or task.is_first:  # the first of others writes byte code
                    runs[name].append(spent)
    medians = {}
    for name, spent in runs.items():
        if not spent:
            continue
        task, (seconds, processor) = tasks[name], zip(*spent, strict=True)
        medians[name] = statistics.median(seconds)
        yield {
            "task": name,
            "command": ["python", *task.words],
            "median_seconds": medians[name],
            "median_processor_seconds": statistics.median(processor),
            "all_seconds": seconds,
            "all_processor_seconds": processor,
            "beyond": task.beyond,
            "seconds": medians[name] - medians.get(task.beyond, 0.0),
            "goal_seconds": task.goal,
            "goal_processor_seconds": task.processor_goal,
        }


def _run(task):
    """Seconds of one process, by the clock and of processors.

    Raises
    ------
    RuntimeError
        If the process fails, with the last line that it wrote.
    """
    with tempfile.TemporaryDirectory() as folder:
        start, before = time.perf_counter(), os.times()
        done = subprocess.run(
            [sys.executable, *task.words],
            cwd=ROOT,
            env=os.environ | ({"NUMBA_CACHE_DIR": folder} if task.is_first else {}),
            capture_output=True,
            text=True,
        )
        seconds, after = time.perf_counter() - start, os.times()
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:]
        raise RuntimeError(": ".join([f"python {' '.join(task.words)}", *last]))
    user, system = (now - then for now, then in zip(after[2:4], before[2:4], strict=True))
    return seconds, user + system


def line(row):
    """Task, medians by the clock, beyond another's and of processors, and whether a goal is met."""
    told = f"{row['task']:<30}{row['median_seconds']:>9.3f}"
    told += f"{'-' if row['beyond'] is None else format(row['seconds'], '+.3f'):>9}"
    told += f"{row['median_processor_seconds']:>10.3f}"
    for kind, spent in (("", "seconds"), ("processor_", "median_processor_seconds")):
        goal = row[f"goal_{kind}seconds"]
        if goal is not None:
            told += f"{goal:>8}  {'met' if row[spent] <= goal else 'missed'}"
    return told


def main(arguments=None):
    """Measure all tasks, print a line each, write the JSON file."""
    made = suite.parser("startup", __doc__, repeats=15)
    made.add_argument("--first", type=int, default=3, help="runs of each first call (default: 3)")
    options = suite.parse(made, arguments)
    print(f"{'':<30}{'seconds':>9}{'beyond':>9}{'processor':>10}{'goal':>8}")
    rows = measure(TASKS, options.repeats, options.first)
    suite.keep(suite.record(options, arguments), rows, line)


if __name__ == "__main__":
    main()
