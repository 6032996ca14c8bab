"""What this process has: free memory, CPUs, and threads that Ctrl-C leaves in order.

A limit may be set at any Linux control group from that of the process up to the root of the mounted
hierarchy, by a container or a batch system; the least holds. Version 2 has one hierarchy for memory
and CPU time, version 1 one for each controller; some systems mount both.

Signal handlers, Ctrl-C's among them, run on the main thread, and may raise between any two
bytecodes. `threading` and `concurrent.futures` hold locks over many bytecodes: a lock may stay held
for ever, or be released twice. Here the main thread holds no lock. It starts threads and waits in C
functions only, which are interrupted as a whole.
"""

from __future__ import annotations

import _thread
import functools
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from queue import Empty, SimpleQueue
from typing import Any

ROOT = Path("/")  # replaced in tests
NO_LIMIT = 1 << 60  # bytes: version 1 has a number beyond them where there is no limit
# By version of control groups: files of the limits and of the usage, fields of the file cache.
FILES = {
    2: (("memory.max", "memory.high"), "memory.current", ("active_file", "inactive_file")),
    1: (
        ("memory.limit_in_bytes",),
        "memory.usage_in_bytes",
        ("total_active_file", "total_inactive_file"),
    ),
}
# Each limits all threads of a process; the first item of a list counts.
VARIABLES = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "SLURM_CPUS_PER_TASK")


def free_memory(root: Path = ROOT) -> int:
    """Bytes that this process can still allocate: free on the host, and allowed by every group.

    Where the system does not report free memory, half of all memory, or 4 GiB.
    """
    free = 4 << 30
    known = getattr(os, "sysconf_names", {})
    available = numbers(root / "proc/meminfo", "MemAvailable:")
    if available:
        free = available[0] << 10  # in KiB
    elif hasattr(os, "sysconf") and {"SC_PHYS_PAGES", "SC_PAGE_SIZE"} <= known.keys():
        free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    for folder, version in groups("memory", root):
        names, usage, cache = FILES[version]
        told = [limit for name in names for limit in numbers(folder / name, "")]
        limits = [limit for limit in told if limit < NO_LIMIT]
        used = numbers(folder / usage, "")
        if limits and used:
            # The file cache is evicted for allocations.
            evicted = sum(numbers(folder / "memory.stat", *cache))
            free = min(free, max(0, min(limits) - used[0] + evicted))
    return free


def usable_cpus(root: Path = ROOT, environment: Mapping[str, str] = os.environ) -> int:
    """Number of CPUs for this process, at least one: the minimum of its limits.

    These are its CPU affinity, the CPU quotas of its control groups, rounded up, and those of the
    `VARIABLES` that hold a positive integer.
    """
    affinity = getattr(os, "sched_getaffinity", None)
    limits = [len(affinity(0)) if affinity else os.cpu_count() or 1]
    for folder, version in groups("cpu", root):
        names = ("cpu.max",) if version == 2 else ("cpu.cfs_quota_us", "cpu.cfs_period_us")
        words = [word for name in names for line in _lines(folder / name) for word in line.split()]
        told = [int(word) for word in words if word.isdigit() and int(word)]
        if len(told) == len(words) == 2:  # else there is no limit
            limits.append(-(-told[0] // told[1]))
    for name in VARIABLES:
        first = environment.get(name, "").partition(",")[0].strip()
        if first.isascii() and first.isdigit() and int(first):
            limits.append(int(first))
    return min(limits)


@functools.cache  # a process stays in its group, and every call asks
def groups(controller: str, root: Path = ROOT) -> tuple[tuple[Path, int], ...]:
    """Folders of this process's groups, innermost first, and their versions.

    In a container the mounted hierarchy may begin at its own group, while the path of the group
    begins at the host's root: the group's folder is then the longest suffix of the path that is
    mounted.
    """
    found = []
    for line in _lines(root / "proc/self/cgroup"):
        _, names, path = (*line.split(":", 2), "", "")[:3]  # number:controllers:path
        if names and controller not in names.split(","):
            continue
        steps = [] if ".." in path else path.strip("/").split("/")
        suffixes = [PurePosixPath(*steps[i:]) for i in range(len(steps) + 1)]
        for mounted in (names,) if names else ("", "unified"):
            top = root / "sys/fs/cgroup" / mounted
            inside = next((suffix for suffix in suffixes if (top / suffix).is_dir()), None)
            if inside is not None:
                version = 1 if names else 2
                found += [(top / folder, version) for folder in (inside, *inside.parents)]
    return tuple(found)


def numbers(path: Path, *fields: str) -> list[int]:
    """Integers of the named fields of a file, absent ones left out; "" is a line without name."""
    values = {}
    for first, *others in filter(None, map(str.split, _lines(path))):
        name, value = (first, others[0]) if others else ("", first)
        values[name] = value
    return [int(values[field]) for field in fields if values.get(field, "").isdigit()]


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


# Timeout of a wait for a result, for threads that no signal wakes.
POLL_SECONDS = 0.2


@dataclass(eq=False)
class Call:
    """A call that another thread makes."""

    make: Callable[[], Any]
    ended: SimpleQueue[tuple[Any, BaseException | None]] = field(default_factory=SimpleQueue)

    def result(self, heed: Callable[[], object] = lambda: None) -> Any:
        """Return or raise the outcome of the call, once; ``heed`` is called every POLL_SECONDS."""
        while True:
            try:
                value, error = self.ended.get(timeout=POLL_SECONDS)
            except Empty:
                heed()
                continue
            if error is not None:
                raise error
            return value


@dataclass(eq=False)
class Threads(AbstractContextManager["Threads"]):
    """Up to ``most`` threads, one more started with each task; a context that ends them."""

    most: int
    _started: int = 0
    _tasks: SimpleQueue[Call | None] = field(default_factory=SimpleQueue)
    _over: SimpleQueue[None] = field(default_factory=SimpleQueue)

    def __exit__(self, *_: object) -> None:
        self.close()

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Call:
        """Queue a call for the next free thread."""
        task = Call(functools.partial(function, *arguments))
        self._tasks.put(task)
        if self._started < self.most:
            _thread.start_new_thread(_serve, (self._tasks, self._over))
            self._started += 1
        return task

    def map(self, function: Callable[[Any], Any], items: Iterable[Any]) -> Iterator[Any]:
        """Results in the order of the items; all calls are submitted at once."""
        tasks = [self.submit(function, item) for item in items]
        return (task.result() for task in tasks)

    def close(self) -> None:
        """Discard pending calls, and wait for those that run."""
        while not self._tasks.empty():
            try:
                self._tasks.get_nowait()
            except Empty:
                break
        for _ in range(self.most):  # a thread started as Ctrl-C came is not in _started
            self._tasks.put(None)
        while self._started:
            self._over.get()
            self._started -= 1


def _serve(tasks: SimpleQueue[Call | None], over: SimpleQueue[None]) -> None:
    """Run tasks until None; keep no reference to a finished one."""
    for task in iter(tasks.get, None):
        try:
            task.ended.put((task.make(), None))
        except BaseException as error:
            task.ended.put((None, error))
        del task
    over.put(None)
