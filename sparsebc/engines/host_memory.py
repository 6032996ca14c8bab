"""Memory of the host."""

from __future__ import annotations

import os


def free_memory() -> int:
    """Bytes of the host that are free; where the system does not tell, half of all, or 4 GiB."""
    free = 4 << 30
    try:
        with open("/proc/meminfo") as lines:
            kibibytes = next(line for line in lines if line.startswith("MemAvailable:")).split()[1]
        free = int(kibibytes) << 10
    except (OSError, StopIteration):
        names = getattr(os, "sysconf_names", {})
        if "SC_PHYS_PAGES" in names and "SC_PAGE_SIZE" in names:
            free = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    return free
