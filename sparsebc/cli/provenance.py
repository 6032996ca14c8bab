"""How scores came about: told in notes, and written into the files of a command."""

from __future__ import annotations

import argparse
import hashlib
import os
import secrets
import shlex
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ..io.write import SUFFIXES
from .common import use_of_weights

if TYPE_CHECKING:
    from .inputs import Input

LENGTHS = {"length": "weight", "reciprocal": "1 / weight", "log": "-log(weight)"}
# Options that say what is computed; those that say how, or what is printed, are in the command.
ASKED = (
    *("columns", "no_header", "threshold", "drop_isolated", "scale", "largest_component", "names"),
    *("measures", "endpoints", "reachable_only", "cutoff", "sources", "targets", "source_weights"),
    *("target_weights", "states", "nodes", "prominent", "steps", "edges", "once", "strong"),
    *("k", "epsilon", "delta", "seconds", "rank", "seed", "reduce", "dtype"),
    *("separator", "comment", "encoding", "decimal", "ignore_missing"),
)


def draw_seed(args: argparse.Namespace) -> None:
    """Let the draw of sources have a seed that can be told, if none was given."""
    if args.seed is None:
        args.seed = secrets.randbits(32)


def load(
    args: argparse.Namespace, formats: Sequence[str] = SUFFIXES
) -> tuple[Input, dict[str, Any]]:
    """The network and its provenance, once it is known that the output can be written."""
    from . import inputs, outputs

    outputs.check(args, formats)
    network = inputs.load(args)
    outputs.check_names(args, network.names)
    return network, of(args, network)


def of(args: argparse.Namespace, network: Input) -> dict[str, Any]:
    """What is known before the computation; the device and whether it is an estimate come later."""
    from .. import __version__
    from . import outputs

    use = use_of_weights(args) if "weighted" in args else None
    given = {title: getattr(args, title, None) for title in ASKED}
    if isinstance(given["reduce"], set):
        given["reduce"] = sorted(given["reduce"])
    return {
        "sparsebc": __version__,
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "command": shlex.join(["sparsebc", *args.line]),
        "network": network.label,
        "sha256": {
            path: _sha256(path) for path, _ in outputs.files_read(args) if os.path.isfile(path)
        },
        "directed": network.directed,
        "length": LENGTHS.get(use or "", "1 for each edge"),
        **({"normalized": not args.raw} if "raw" in args else {}),
        **{title: value for title, value in given.items() if _is_given(value)},
    }


def _is_given(value: Any) -> bool:
    """Whether an option was given; a seed or a threshold of 0 is."""
    return value is not None and value is not False and value not in ((), {})


def _sha256(path: str) -> str:
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def on_estimate(args: argparse.Namespace, samples: int, population: int) -> str:
    """What to tell of scores from some of the sources."""
    return (
        f"these are estimates, from {samples} of {population} sources drawn with seed {args.seed}; "
        "no score is exact"
    )


def on_pairs(args: argparse.Namespace, network: Input) -> list[str]:
    """What to tell of the average over all pairs, where the paths between some were asked for."""
    chosen = args.sources or args.targets
    weighted = args.source_weights or args.target_weights
    if not chosen or weighted or getattr(args, "raw", True):
        return []
    n = len(network.names)
    both_ends = args.measure == "edge-betweenness" or args.endpoints
    pairs = n * (n - 1) if both_ends else (n - 1) * (n - 2)
    pairs //= 1 if network.directed else 2
    return [
        f"scores are divided by all {pairs} pairs of nodes, not by those that --sources and "
        "--targets leave; --raw leaves that out"
    ]
