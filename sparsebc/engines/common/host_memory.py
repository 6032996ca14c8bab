"""Memory of the host, and of the control groups that this process is under."""

import os
from pathlib import Path

from .cgroups import ROOT, groups, number, numbers

# By version of control groups: limits, what is in use, and files of that which give way.
FILES = {
    2: (("memory.max", "memory.high"), "memory.current", ("active_file", "inactive_file")),
    1: (
        ("memory.limit_in_bytes",),
        "memory.usage_in_bytes",
        ("total_active_file", "total_inactive_file"),
    ),
}


def free_memory(root: Path = ROOT) -> int:
    """Bytes that this process can still take: free on the host, and allowed by every group.

    Where the system does not tell, half of all memory, or 4 GiB.
    """
    free = 4 << 30
    known = getattr(os, "sysconf_names", {})
    available = numbers(root / "proc/meminfo", "MemAvailable:")
    if available:
        free = available[0] << 10  # it is told in KiB
    elif hasattr(os, "sysconf") and {"SC_PHYS_PAGES", "SC_PAGE_SIZE"} <= known.keys():
        free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    for folder, version in groups("memory", root):
        names, usage, cache = FILES[version]
        limits = [limit for name in names if (limit := number(folder / name)) is not None]
        used = number(folder / usage) if limits else None
        if used is None:
            continue
        # Cached files give way to what is allocated.
        used -= sum(numbers(folder / "memory.stat", *cache))
        free = min(free, max(0, min(limits) - used))
    return free
