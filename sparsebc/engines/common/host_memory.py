"""Free memory of the host, within the limits of this process's control groups."""

import os
from pathlib import Path

from .cgroups import ROOT, groups, number, numbers

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
