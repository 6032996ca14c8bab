"""What the bare command tells: version, datasets, devices, and what it compiles."""

import argparse
import os
import shutil
import sys
import textwrap
from importlib import metadata
from typing import Any

from .printing import show, table


def tell(given: argparse.Namespace) -> None:
    """Print what the options of the bare command ask for; by default its help."""
    if given.version:
        show([f"sparsebc {metadata.version('sparsebc')}"])
    elif given.datasets:
        _datasets()
    elif given.info:
        _info()
    elif given.compile:
        show([_compiled()])
    else:
        show(given.help_text)


def _datasets() -> None:
    """Print the networks that come with the package."""
    from ..datasets import DATASETS

    width = max(40, shutil.get_terminal_size().columns - 39)
    rows: list[tuple[str, str, str]] = []
    for name, data in DATASETS.items():
        first, *others = [
            line for text in (data.description, data.origin) for line in textwrap.wrap(text, width)
        ]
        rows += [(name, data.licence, first), *(("", "", line) for line in others)]
    cells = ((column, "<") for column in zip(*rows, strict=True))
    show(table(dict(zip(("name", "licence", "network"), cells, strict=True))))


def _info() -> None:
    """Print versions, devices and defaults."""
    from ..engines import devices
    from ..engines.cpu.brandes import brandes_batch
    from ..process import free_memory
    from ..sweep import options

    facts = {
        "sparsebc": metadata.version("sparsebc"),
        "Python": sys.version.split()[0],
        **{name: metadata.version(name) for name in ("NumPy", "SciPy", "Numba")},
        "CPUs": f"{os.cpu_count()}; threads by default: {options.Run().threads}",
        "memory": f"budget by default: {free_memory() * 0.8 / 2**30:.1f} GiB",
        "devices": ", ".join(devices.ENGINES),
        "GPUs": "; ".join(devices.gpus()) or "none",
        "kernels": f"compiled into {brandes_batch.run.stats.cache_path}",
    }
    show(f"{name:<10}{fact}" for name, fact in facts.items())


def _compiled() -> str:
    """Run every measure on karate, by edges and by length; where the machine code is, in words."""
    from .. import accessibility, betweenness, nearest
    from ..datasets import load
    from ..engines.cpu.brandes import brandes_batch
    from ..kernel_cache import compilation
    from ..measures import centralities, distances

    matrix = load("karate").matrix
    every: Any = (*centralities.BY_PATHS, *distances.MEASURES)
    for weighted in (False, True):
        how: dict[str, Any] = {"device": "cpu", "weighted": weighted}
        betweenness(matrix, **how)
        centralities.centralities(matrix, every, **how)
        for call in (accessibility, nearest):
            call(matrix, [1] * matrix.shape[0], **how)
    folder = brandes_batch.run.stats.cache_path
    return f"compiled or loaded in {compilation.seconds:.3g} s: {folder or 'not kept on disk'}"
