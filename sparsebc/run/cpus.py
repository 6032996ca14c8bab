"""Default number of threads: from CPU affinity, control groups and environment variables."""

import os
from collections.abc import Mapping
from pathlib import Path

from ..engines.common.cgroups import ROOT, groups, number

# Each limits all threads of a process; the first item of a list counts.
VARIABLES = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "SLURM_CPUS_PER_TASK")


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
