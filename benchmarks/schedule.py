"""Simulate a run on thousands of workers that die and dawdle, by the library's own rules.

``sparsebc.run.schedule`` hands in tasks, takes results and repeats what is lost or late, exactly as
in a run. Only the workers are simulated, by events in virtual time: how long tasks take, which
workers die on the way, how long until another takes their place, and how long the driver takes to
receive and add up a result, one after the other.
"""

import argparse
import collections
import heapq
import sys
import tempfile
import time
from concurrent.futures import Future
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sparsebc.run import remote
from sparsebc.run.schedule import Limits, Schedule

from .record import Record


class KilledWorker(Exception):
    """What Dask raises for a task whose worker died; the rules know it by its name."""


class Workers:
    """The crew and the clock of a schedule: so many workers, each with one task at a time.

    ``fate(number, copy)`` is the seconds of a task and what comes of it: None for its number, or an
    exception. ``restart`` is how long a place is empty after a worker died, and ``delivery`` the
    seconds of the driver for each result.
    """

    is_factory = True

    def __init__(self, workers, fate, *, restart=0.0, delivery=0.0):
        self.workers, self.fate, self.restart, self.delivery = workers, fate, restart, delivery
        self.time, self.free = 0.0, workers
        self.queue, self.events, self._serial = collections.deque(), [], 0
        self.copies, self.shared, self.submitted = {}, [], []
        self.closed = self.out = self.most_out = 0  # out: tasks that run or wait, and are wanted

    def submit(self, work, task, *goods):
        """Queue a task of one block, whose number it returns."""
        assert work is remote.perform
        number = task.blocks[0]
        copy = self.copies[number] = self.copies.get(number, -1) + 1
        self.submitted.append((number, goods))
        future = Future()
        self.queue.append((number, copy, future))
        self.out += 1
        self.most_out = max(self.most_out, self.out)
        future.add_done_callback(self._done)
        self._start()
        return future

    def _done(self, future):
        self.out -= 1

    def share(self, file, thing):
        """Remember what was shared."""
        self.shared.append(file)
        return thing

    def unshare(self):
        """Forget it."""
        self.shared.clear()

    def bury(self):
        """The dead are heard of at once."""

    def close(self):
        """Let all that runs and waits go."""
        self.closed += 1
        self.queue.clear()
        self.events, self.free = [], self.workers

    def now(self):
        """Virtual time."""
        return self.time

    def next(self, ended, seconds):
        """Let time pass until a copy has ended, at most so long."""
        until = self.time + seconds
        while ended.empty() and self.events and self.events[0][0] <= until:
            at, _, end, future = heapq.heappop(self.events)
            self.time = max(self.time, at)
            if future is None:
                self.free += 1
            elif isinstance(end, BaseException):
                self._at(self.time + self.restart, None, None)
                future.set_exception(end)
            else:
                self.free += 1
                if not future.done():
                    future.set_result(end)
            self._start()
        if ended.empty():
            self.time = max(self.time, until)
            return None
        found = ended.get()
        self.time += self.delivery
        return found

    def _start(self):
        while self.queue and self.free:
            number, copy, future = self.queue.popleft()
            if not future.set_running_or_notify_cancel():
                continue
            seconds, end = self.fate(number, copy)
            self.free -= 1
            self._at(self.time + seconds, number if end is None else end, future)

    def _at(self, time, end, future):
        self._serial += 1
        heapq.heappush(self.events, (time, self._serial, end, future))


class Case(NamedTuple):
    """A cluster, and a run on it."""

    workers: int
    tasks: int = 4096
    seconds: float = 300.0  # of a task, on the average
    spread: float = 0.2  # standard deviation of the logarithm of that
    mean_life: float | None = None  # hours of a worker until it dies; None: it lives
    dawdling: float = 0.0  # share of tasks that take twenty times as long
    retries: int = 2
    in_memory: int = 1 << 30
    delivery: float = 0.0  # seconds of the driver for each result
    restart: float = 120.0


CASES = {
    "250 workers, calm": Case(250),
    "500 workers, calm": Case(500),
    "1000 workers, calm": Case(1000),
    "2000 workers, calm": Case(2000),
    "2000 workers, each lives 10 h": Case(2000, mean_life=10, retries=10),
    "2000 workers, each lives 1 h, retries=2": Case(2000, mean_life=1),
    "2000 workers, each lives 1 h, retries=10": Case(2000, mean_life=1, retries=10),
    "2000 workers, 1% dawdle, retries=0": Case(2000, dawdling=0.01, retries=0),
    "2000 workers, 1% dawdle, retries=2": Case(2000, dawdling=0.01),
    "2000 workers, live 10 h, 1% dawdle": Case(2000, mean_life=10, dawdling=0.01, retries=10),
    "the same, 200 results in memory": Case(
        2000, mean_life=10, dawdling=0.01, retries=10, in_memory=200
    ),
    "the same, driver 0.2 s a result": Case(
        2000, mean_life=10, dawdling=0.01, retries=10, delivery=0.2
    ),
}


def simulate(case, seed):
    """Return what a run comes to: virtual seconds, share of the workers' time that was needed."""
    rng = np.random.default_rng(seed)
    work = case.seconds * rng.lognormal(-(case.spread**2) / 2, case.spread, case.tasks)

    def fate(number, copy):
        seconds = work[number] * (20 if rng.random() < case.dawdling else 1)
        death = rng.exponential(case.mean_life * 3600) if case.mean_life else np.inf
        return (seconds, None) if death > seconds else (death, KilledWorker(number))

    crew = Workers(case.workers, fate, restart=case.restart, delivery=case.delivery)
    begun = time.perf_counter()
    row = {"ended": True}
    with tempfile.TemporaryDirectory() as folder:
        tasks = [remote.Task(folder, f"{folder}/job", (k,)) for k in range(case.tasks)]
        limits = Limits(case.in_memory, case.retries)
        schedule = Schedule(crew, tasks, limits, lambda: remote.Goods(None, None), crew)
        try:
            order = [number for _, number in schedule.results()]
        except KilledWorker:
            row["ended"] = False
        else:
            assert order == list(range(case.tasks))
    return row | {
        "seconds": crew.time,
        "efficiency": float(work.sum() / case.workers / crew.time),
        "copies": len(crew.submitted) - case.tasks,
        "most_out": crew.most_out,
        "driver_seconds": time.perf_counter() - begun,
    }


def line(name, rows):
    """What the runs of a case come to."""
    ended = [row for row in rows if row["ended"]]
    told = f"{name:<42}{len(ended)} of {len(rows)} ended"
    if ended:
        seconds, share, copies = (
            float(np.mean([row[key] for row in ended]))
            for key in ("seconds", "efficiency", "copies")
        )
        told += f"   {seconds / 60:7.1f} min   efficiency {share:4.0%}   {copies:7.1f} repeated"
    return told


def main(arguments=None):
    """Simulate all cases, print a line each, write the JSON file."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.schedule", description=__doc__)
    parser.add_argument("--cases", nargs="+", choices=CASES, default=list(CASES))
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args(arguments)
    record = Record("schedule", arguments, options.output)
    for name in options.cases:
        rows = [simulate(CASES[name], seed) for seed in range(options.seeds)]
        print(line(name, rows), flush=True)
        record.add({"case": name, **CASES[name]._asdict(), "runs": rows})
    print(f"written: {record.path}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
