"""The question of a command: arguments of the public functions, from its options and tables."""

import argparse
import secrets
import shlex
import time
from collections.abc import Callable
from contextlib import nullcontext
from decimal import Decimal
from pathlib import Path
from typing import Any

from .messages import refusing
from .network import Network
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
    kinds : list of str
        Titles of the kinds of places.
    seconds : float
        Time of the computation.
    stopped : BaseException or None
        What stopped an estimate early.
    """

    def __init__(self, given: argparse.Namespace, network: Network) -> None:
        from .. import __version__

        if given.names is not None or str(given.output).lower().endswith(".html"):
            from . import tables

            network = tables.labelled(network)
        self.given, self.network, self.notes = given, network, network.files.notes
        if given.seed is None and given.draws:
            given.seed = secrets.randbits(32)
        self.seconds = 0.0
        self.stopped: BaseException | None = None
        self.kinds: list[str] = []
        self.keywords: dict[str, Any] = {}
        for name, option in given.command.options.items():
            value = getattr(given, option.dest)
            if isinstance(value, str) and name == "--workers":
                from .processes import executor_of

                self.keywords["executor"] = executor_of(value, quiet=given.quiet)
            elif option.argument and value is not None and name != "--weighted":
                self.keywords[option.argument] = self._value(name, option.reads, value)
        self.keywords |= {"directed": network.directed, "progress": not given.quiet}
        if given.command.reads != "contacts":
            self.keywords["weighted"] = network.use is not None
        asked = {
            one.dest: getattr(given, one.dest)
            for name, one in given.command.options.items()
            if name in ASKED
        }
        length = LENGTHS.get(network.use or "", "1 for each edge")
        self.provenance = {
            "sparsebc": __version__,
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "command": shlex.join(["sparsebc", *given.line]),
            "network": network.label,
            "sha256": network.files.digests,
            "directed": network.directed,
            **({} if network.contacts else {"length": length}),
            **({"normalized": not given.raw} if "--raw" in given.command.options else {}),
            **{title: value for title, value in asked.items() if value not in (None, False)},
        }

    def _value(self, name: str, reads: str, value: Any) -> Any:
        """Value of an option, converted to the argument of the public function."""
        from . import tables

        match reads, name:
            case "list", "--nodes":
                return [tables.numbers(name, [group], self.network) for group in value]
            case "list", _:
                return tables.numbers(name, value, self.network)
            case "column", _:
                return tables.amounts(name, value, self.network)
            case "columns", _:
                each = self.network.files.listed(name, value, lambda one: Path(one).is_file())
                self.kinds, amounts = tables.places(each, self.network)
                return amounts
            case "pairs", _:
                return tables.demand(name, value, self.network)
            case _, "--raw":
                return False
            case _, "--confidence":
                return float(1 - Decimal(repr(value)))  # 0.1, not 0.09999999999999998
            case _, "--cutoff":
                cutoffs = [float(cutoff) for cutoff in value]
                return cutoffs if len(cutoffs) > 1 else cutoffs[0]
        return value

    def compute(
        self, function: Callable[..., Any], *arguments: Any, counts_paths: bool = False
    ) -> Any:
        """Result of a public function of the network; its errors name options, not arguments.

        A kernel that counts paths is compiled in a second process: not with an executor, whose
        workers compile, and not by length, which has another kernel.
        """
        from ..engines import devices  # once the network is read

        with refusing(self.network.in_words):
            engine = devices.select(self.given.device).name
            compiles = counts_paths and engine == "cpu" and "executor" not in self.keywords
            if compiles and self.network.use is None:
                from .precompile import compiling_ahead

                context: Any = compiling_ahead("float64")
            else:
                context = nullcontext()
            with context:
                A, begun = self.network.lengths(), time.perf_counter()
                found = function(A, *arguments, **self.keywords)
            self.seconds = time.perf_counter() - begun
            self.provenance["device"] = engine
            return found

    def summary(self, **counts: int) -> str:
        """Summary of the network and the computation in a line."""
        counts = {"nodes": len(self.network.names), **counts}
        size = ", ".join(f"{count} {what}" for what, count in counts.items())
        kind = "directed" if self.network.directed else "undirected"
        by = ", by length" if self.network.use is not None else ""
        place = f"{self.seconds:.2f} s on {self.provenance['device']}"
        return f"{self.network.label}: {size}, {kind}{by}; {place}"
