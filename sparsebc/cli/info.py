"""The commands ``sparsebc datasets``, ``sparsebc info`` and ``sparsebc compile``."""

import argparse
import itertools
import os
import shutil
import sys
import textwrap
from importlib import metadata
from typing import Any

from .precompile import compiling_ahead
from .table import Column, show, table

# Measures by call of `centralities`: betweenness, other measures of paths, measures of distances.
FIRST = (("betweenness",),)
ALL = (*FIRST, ("edge_betweenness", "stress"), ("closeness", "harmonic", "eccentricity"))


def datasets(given: argparse.Namespace) -> None:
    """Print the networks that come with the package."""
    from ..datasets import DATASETS

    width = max(40, shutil.get_terminal_size().columns - 39)
    rows: list[tuple[str, str, str]] = []
    for name, data in DATASETS.items():
        first, *others = [
            line for text in (data.description, data.origin) for line in textwrap.wrap(text, width)
        ]
        rows += [(name, data.licence, first), *(("", "", line) for line in others)]
    columns = zip(("name", "licence", "network"), map(Column, zip(*rows, strict=True)), strict=True)
    show(table(dict(columns)))


def info(given: argparse.Namespace) -> None:
    """Print versions, devices and defaults."""
    from ..engines import devices
    from ..engines.common.host_memory import free_memory
    from ..engines.cpu.brandes import brandes_batch
    from ..run import options

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


def compile(given: argparse.Namespace) -> None:
    """Compile kernels into Numba's disk cache, by computing scores of the package's networks.

    From all sources: given a subset, a graph is not split into biconnected components.
    """
    from .. import accessibility, centralities, nearest
    from .. import datasets as networks
    from ..engines.cpu.brandes import brandes_batch
    from ..jit import compilation

    weights, rows = ((False, True), ALL) if given.all else ((False,), FIRST)
    with compiling_ahead("float64"):
        for name, weighted in itertools.product(networks.names(), weights):
            matrix = networks.load(name).matrix
            how: dict[str, Any] = {"weighted": weighted, "device": "cpu"}
            for measures in rows:
                centralities(matrix, measures, dtype="float64", **how)  # type: ignore[arg-type]
            for call in (accessibility, nearest) if given.all else ():
                call(matrix, [1] * matrix.shape[0], **how)
    folder = brandes_batch.run.stats.cache_path
    show([f"compiled or loaded in {compilation.seconds:.3g} s: {folder or 'not kept on disk'}"])
