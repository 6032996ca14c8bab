"""The question of a command: arguments of the public functions, from its options and tables."""

import argparse
import secrets
import shlex
import time
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from ..errors import SparsebcError, is_foreseen
from .network import STRENGTHS, Network
from .options import GROUPS

# Options that say what is computed; provenance tells the others of these groups in its own words.
ASKED = {*GROUPS["Input"], *GROUPS["Question"]}
ASKED -= {"--directed", "--weighted", "--strength", "--raw"}
# What lengths are, by the use of weights, in provenance.
LENGTHS = {"length": "weight", "reciprocal": "1 / weight", "log": "-log(weight)"}


class Query:
    """What a command asks of its network.

    Attributes
    ----------
    given : argparse.Namespace
        The parsed arguments.
    network : Network
    keywords : dict
        Keyword arguments of the public function, from the options given.
    notes : list of str
        Notes on the network and the scores.
    provenance : dict
        Origin of the scores.
    seconds : float
        Time of the computation.
    """

    def __init__(self, given: argparse.Namespace, network: Network) -> None:
        from .. import __version__

        self.given, self.network, self.notes = given, network, given.notes
        if given.seed is None and given.draws:
            given.seed = secrets.randbits(32)
        self.seconds = 0.0
        options = given.command.options
        told = {name: getattr(given, one.dest) for name, one in options.items()}
        self.keywords: dict[str, Any] = {}
        for name, one in options.items():
            if one.argument and told[name] is not None and name != "--weighted":
                value = told[name]
                if one.reads:
                    from . import tables

                    value = tables.content(one, value, network)
                elif name == "--raw":
                    value = False
                elif name == "--confidence":
                    value = float(1 - Decimal(repr(value)))  # 0.1, not 0.09999999999999998
                elif name == "--cutoff":
                    cutoffs = [float(cutoff) for cutoff in value]
                    value = cutoffs if len(cutoffs) > 1 else cutoffs[0]
                self.keywords[one.argument] = value
        if isinstance(given.workers, str):
            from .processes import executor_of

            del self.keywords["workers"]
            self.keywords["executor"] = executor_of(given.workers, quiet=given.quiet)
        self.keywords |= {"directed": network.directed, "progress": not given.quiet}
        if network.contacts is None:
            self.keywords["weighted"] = network.use is not None
        length = LENGTHS.get(network.use or "", "1 for each edge")
        self.provenance = {
            "sparsebc": __version__,
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "command": shlex.join(["sparsebc", *given.line]),
            "network": network.label,
            "sha256": given.digests,
            "directed": network.directed,
            **({} if network.contacts else {"length": length}),
            **({"normalized": not given.raw} if "--raw" in options else {}),
        }
        for name, one in options.items():
            if name in ASKED and told[name] not in (None, False):
                self.provenance[one.dest] = told[name]

    def compute(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Result of a public function of the network; its errors name options, not arguments.

        No such error holds the name of a file, in which an argument could be replaced.
        """
        from ..engines import devices  # once the network is read

        given, network = self.given, self.network
        self.notes += [
            f"--cutoff {cutoff} leaves no pair of nodes, as each edge has length 1; "
            "--threshold keeps the edges of at least a given weight"
            for cutoff in given.cutoff or ()
            if network.use is None and float(cutoff) < 1
        ]
        try:
            self.provenance["device"] = devices.select(given.device).name
            A = network.matrix if network.contacts is None else network.contacts
            if network.use in STRENGTHS:
                from .. import strength_to_distance

                A = strength_to_distance(A, STRENGTHS[network.use])
            begun = time.perf_counter()
            found = function(A, *arguments, **self.keywords)
        except Exception as error:
            if not is_foreseen(error) or isinstance(error, OSError):
                raise
            raise SparsebcError(network.in_words(error)) from error
        self.seconds = time.perf_counter() - begun
        data, takes = network.matrix.data, network.use or "--weighted" not in given.command.options
        takes = takes or (given.model == "edge-probability" and network.probability is None)
        if not takes and data.size and data.min() != data.max():
            self.notes.append(
                "weights are ignored; --strength takes them for strengths, --weighted for lengths"
            )
        return found
