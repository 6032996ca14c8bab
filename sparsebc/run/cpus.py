"""How many threads run by default: what the system, its groups and the user's settings allow."""

import os
from collections.abc import Mapping
from pathlib import Path

from ..engines.common.cgroups import ROOT, groups, number

# Whoever sets one of these means all threads of a process; the first item of a list counts.
VARIABLES = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS", "SLURM_CPUS_PER_TASK")


def usable_cpus(root: Path = ROOT, environment: Mapping[str, str] = os.environ) -> int:
    """CPUs of this process, at least one: the least of what its limits say.

    They are the CPUs that it may run on, the quota of CPU time of its control groups, rounded up,
    and the `VARIABLES`; one that holds no positive whole number says nothing.
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
    """CPUs whose time a group may take; None if there is no limit."""
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
