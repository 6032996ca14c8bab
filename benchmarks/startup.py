"""Measure what it takes to start: whole processes, in turn, each after a run that is not timed.

``import sparsebc`` is compared with an import of NumPy and scipy.sparse, which whoever has a sparse
matrix has paid for already; the first use of a measure loads the rest.
"""

import statistics
import subprocess
import sys
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


def _run(words):
    """Seconds of one process.

    Raises
    ------
    RuntimeError
        If the process fails, with the last line that it wrote.
    """
    start = time.perf_counter()
    done = subprocess.run([sys.executable, *words], cwd=ROOT, capture_output=True, text=True)
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
    options = suite.parse(suite.parser("startup", __doc__, repeats=15), arguments)
    print(f"{'':<28}{'seconds':>9}{'beyond':>9}{'goal':>8}")
    suite.keep(suite.record(options, arguments), measure(TASKS, options.repeats), line)


if __name__ == "__main__":
    main()
