"""Provenance of scores: version, command, input files and options, for the files of a command."""

import argparse
import secrets
import shlex
import time
from typing import Any

from .files import digests
from .network import Network
from .options import OPTIONS, name_of

LENGTHS = {"length": "weight", "reciprocal": "1 / weight", "log": "-log(weight)"}
ONE = "1 for each edge"


def draw_seed(given: argparse.Namespace) -> None:
    """Choose the seed of a command that draws sources or networks, if none is given."""
    draws = given.k or given.delta is not None or given.samples
    if draws and given.seed is None:
        given.seed = secrets.randbits(32)


def of(given: argparse.Namespace, network: Network) -> dict[str, Any]:
    """Provenance known before the computation; `Task` adds the device, `on_estimate` its mark."""
    from .. import __version__

    asked = {
        name_of(name): getattr(given, name_of(name))
        for name, option in OPTIONS.items()
        if option.told
    }
    return {
        "sparsebc": __version__,
        "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
        "command": shlex.join(["sparsebc", *given.line]),
        "network": network.label,
        "sha256": digests(given),
        "directed": network.directed,
        **({} if network.contacts else {"length": LENGTHS.get(network.use or "", ONE)}),
        **({"normalized": not given.raw} if "--raw" in given.command.options else {}),
        **{title: value for title, value in asked.items() if value is not None},
    }
