"""What this process may use: free memory and CPUs, within its affinity and control groups.

A limit may be set at any Linux control group from that of the process up to the root of the mounted
hierarchy, by a container or a batch system; the least holds. Version 2 has one hierarchy for memory
and CPU time, version 1 one for each controller; some systems mount both.
"""

import functools
import os
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

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
        told = (number(folder / name) for name in names)
        limits = [limit for limit in told if limit is not None and limit < NO_LIMIT]
        used = number(folder / usage) if limits else None
        if used is None:
            continue
        # The file cache is evicted for allocations.
        used -= sum(numbers(folder / "memory.stat", *cache))
        free = min(free, max(0, min(limits) - used))
    return free


def usable_cpus(root: Path = ROOT, environment: Mapping[str, str] = os.environ) -> int:
    """Number of CPUs for this process, at least one: the minimum of its limits.

    These are its CPU affinity, the CPU quotas of its control groups, rounded up, and those of the
    `VARIABLES` that hold a positive integer.
    """
    affinity = getattr(os, "sched_getaffinity", None)
    limits = [len(affinity(0)) if affinity else os.cpu_count() or 1]
    limits += filter(None, (_quota(*group) for group in groups("cpu", root)))
    for name in VARIABLES:
        first = environment.get(name, "").partition(",")[0].strip()
        if first.isascii() and first.isdigit() and int(first):
            limits.append(int(first))
    return min(limits)


def _quota(folder: Path, version: int) -> int | None:
    """CPU quota of a control group in CPUs, rounded up; None if there is no limit."""
    if version == 2:
        try:
            share, length = (folder / "cpu.max").read_text("utf-8").split()
        except (OSError, ValueError):
            return None
        quota, period = (int(word) if word.isdigit() else None for word in (share, length))
    else:
        quota, period = (number(folder / f"cpu.cfs_{name}_us") for name in ("quota", "period"))
    if not quota or quota < 0 or not period:
        return None
    return -(-quota // period)


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


def number(path: Path) -> int | None:
    """Integer in a file; None for "max", or if the file cannot be read."""
    try:
        return int(path.read_bytes())
    except (OSError, ValueError):
        return None


def numbers(path: Path, *fields: str) -> list[int]:
    """Integers of the named fields of a file, absent ones left out."""
    lines = [line.split() for line in _lines(path)]
    values = {words[0]: words[1] for words in lines if len(words) > 1}
    return [int(values[field]) for field in fields if values.get(field, "").isdigit()]


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="utf-8").splitlines()
    except OSError:
        return []
