"""The command ``sparsebc compile``: kernels for images and clusters, before there is a graph."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from .ahead import compiling_ahead
from .table import show

if TYPE_CHECKING:
    from ..measures.centralities import Measure

# Measures of one call of `centralities` each: by paths, with their arcs and numbers, by distances.
FIRST: tuple[tuple[Measure, ...], ...] = (("betweenness",),)
ALL: tuple[tuple[Measure, ...], ...] = (
    *FIRST,
    ("edge_betweenness", "stress"),
    ("closeness", "harmonic", "eccentricity"),
)


def add(commands: Any) -> None:
    """Add the command to the parser."""
    summary = "compile kernels of the CPU ahead of the first scores, as for an image"
    added = commands.add_parser("compile", help=summary, epilog="example: sparsebc compile --all")
    added.description = f"{summary.capitalize()}: those of betweenness, without lengths."
    added.add_argument(
        "--all",
        action="store_true",
        help="those of edges, stress and distances too, with lengths and without",
    )
    added.set_defaults(command=_compile)


def _compile(args: argparse.Namespace) -> None:
    """Score the networks of the package, which leaves the kernels on disk.

    From all sources: with some of them, a graph is not split into biconnected components.
    """
    from .. import centralities, datasets
    from ..engines.cpu.brandes import brandes_batch
    from ..jit import compilation

    with compiling_ahead("float64"):
        for name in datasets.names():
            network = datasets.load(name).matrix
            for measures in ALL if args.all else FIRST:
                for weighted in (False, True) if args.all else (False,):
                    centralities(
                        network, measures, weighted=weighted, device="cpu", dtype="float64"
                    )
    folder = brandes_batch.run.stats.cache_path
    show([f"compiled or loaded in {compilation.seconds:.3g} s: {folder or 'not kept on disk'}"])
