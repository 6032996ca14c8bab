"""The commands ``sparsebc datasets`` and ``sparsebc info``."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
import textwrap
from typing import Any

from .table import show, table


def add(commands: Any) -> None:
    """Add both commands to the parser."""
    for command, summary in (
        (_datasets, "list the networks that come with the package"),
        (_info, "show versions, devices and defaults"),
    ):
        name = command.__name__[1:]
        added = commands.add_parser(name, help=summary, epilog=f"example: sparsebc {name}")
        added.description = f"{summary.capitalize()}."
        added.set_defaults(command=command)


def _datasets(args: argparse.Namespace) -> None:
    from ..datasets import DATASETS

    width = max(40, shutil.get_terminal_size().columns - 39)
    rows: list[tuple[str, str, str]] = []
    for name, data in DATASETS.items():
        about = textwrap.wrap(data.description, width) + textwrap.wrap(data.origin, width)
        rows.append((name, data.licence, about[0]))
        rows.extend(("", "", line) for line in about[1:])
    show(table(("name", "licence", "network"), rows, "<<<"))


def _info(args: argparse.Namespace) -> None:
    import numba
    import numpy as np
    import scipy

    from .. import __version__
    from ..engines import devices
    from ..engines.cpu.brandes import brandes_batch
    from ..engines.host_memory import free_memory
    from ..run import options

    run = options.Run()
    facts = {
        "sparsebc": __version__,
        "Python": sys.version.split()[0],
        "NumPy": np.__version__,
        "SciPy": scipy.__version__,
        "Numba": numba.__version__,
        "CPUs": f"{os.cpu_count()}; threads by default: {run.threads}",
        "memory": f"budget by default: {free_memory() * 0.8 / 2**30:.1f} GiB",
        "devices": ", ".join(devices.ENGINES),
        "GPUs": "; ".join(devices.gpus()) or "none",
        "kernels": f"compiled into {brandes_batch.run.stats.cache_path}",
    }
    show(f"{name:<10}{fact}" for name, fact in facts.items())
