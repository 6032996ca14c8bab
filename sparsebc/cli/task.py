"""A command about a network: what it reads, computes, writes and prints."""

import argparse
import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from importlib import import_module
from typing import Any

from .. import io
from ..io.network_file import WRITERS
from ..reports import SUFFIXES as REPORT_SUFFIXES
from . import node_tables, outputs, provenance
from .errors import refusing
from .network import Network
from .options import OPTIONS, WEIGHTS, name_of
from .precompile import compiling_ahead
from .processes import executor_of
from .table import Column, records, table


def network_of(given: argparse.Namespace) -> Network:
    """Network of a command; only the reader it needs is imported."""
    name = f"read_{given.command.reads}"
    read: Callable[[argparse.Namespace], Network] = import_module(f".{name}", __package__).read
    return read(given)


class Task:
    """A command about a network; checks that output can be written, then reads the network.

    Attributes
    ----------
    given : argparse.Namespace
        The parsed arguments.
    network : Network
    notes : list of str
        Notes on the network and the scores, printed below the table.
    provenance : dict
        Provenance of the scores, for the files.
    positions : Positions
        Positions of the nodes on a map.
    keywords : dict
        Keyword arguments of the public function, from the options given.
    """

    def __init__(self, given: argparse.Namespace) -> None:
        self.given = given
        outputs.check(given)
        provenance.draw_seed(given)
        self.network = network_of(given)
        self.notes = self.network.notes
        outputs.check_names(given, self.network.names)
        self.provenance = provenance.of(given, self.network)
        told = node_tables.positions(given, self.network.names)
        self.positions = (given.positions is None and self.network.positions) or told
        self.keywords = dict(self._keywords())
        self._seconds = 0.0

    def _keywords(self) -> Iterable[tuple[str, Any]]:
        for name in OPTIONS:
            argument, value = OPTIONS[name].argument, getattr(self.given, name_of(name))
            if argument and value is not None and name not in WEIGHTS:
                yield argument, self._value(name, value)
        yield "directed", self.network.directed
        if "--weighted" in self.given.command.options:
            yield "weighted", self.network.use is not None
        if "--quiet" in self.given.command.options:
            yield "progress", not self.given.quiet

    def _value(self, name: str, value: Any) -> Any:
        """Value of an option, converted to the argument of the public function."""
        match OPTIONS[name].reads, name:
            case "list", "--nodes":
                return [node_tables.numbers(name, group, self.network) for group in value]
            case "list", _:
                return node_tables.numbers(name, value, self.network)
            case "column", _:
                return node_tables.values(name, value, self.network)
            case "pairs", _:
                return node_tables.demand(name, value, self.network)
            case _, "--raw" | "--once":
                return False
            case _, "--from-places":
                return "in"
            case _, "--kind":
                return value.replace("-", " ")
            case _, "--cutoff":
                cutoffs = [float(cutoff) for cutoff in value]
                return cutoffs if len(cutoffs) > 1 else cutoffs[0]
            case _, "--executor":
                return executor_of(value)
        return value

    def call(self, function: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
        """Result of a public function of the network; its errors name options, not arguments."""
        with refusing(self.network.in_words):
            A = self.network.lengths()
            begun = time.perf_counter()
            try:
                return function(A, *arguments, **self.keywords, **more)
            finally:
                self._seconds = time.perf_counter() - begun

    def compute(self, function: Callable[..., Any], *arguments: Any, by_edges: bool = False) -> Any:
        """Result of a function that runs kernels; records the device in the provenance.

        With `by_edges`, the kernel of unweighted path counts is compiled ahead; not with an
        executor, whose workers compile.
        """
        from ..engines import devices  # once the network is read

        with refusing(self.network.in_words):
            self.provenance["device"] = devices.select(self.given.device).name
        is_here = self.provenance["device"] == "cpu" and self.given.executor is None
        is_ahead = by_edges and is_here and self.network.use is None
        with compiling_ahead(self.given.dtype) if is_ahead else nullcontext():
            found = self.call(function, *arguments)
        self.notes += self.network.on_weights()
        return found

    def write(
        self, put: Callable[..., object], *content: Any, page: Callable[..., object] | None = None,
        **scores: Any,
    ) -> None:  # fmt: skip
        """Write --output: the table that ``put`` writes, a ``page``, or the network with scores.

        ``scores`` are ``nodes`` or ``edges`` of `io.write_network`.
        """
        suffix = outputs.suffix_of(self.given.output)
        notes = {"notes": self.notes} if self.notes else {}
        how: dict[str, Any] = {"provenance": self.provenance | notes}
        if suffix in WRITERS:
            put, content = io.write_network, (self.network.counted(), self.network.names)
            how |= {"directed": self.network.directed, **scores}
        elif page is not None and suffix in REPORT_SUFFIXES:
            put, content, how["provenance"] = page, (), self.provenance  # a page shows the notes
        else:
            how["spreadsheet_safe"] = bool(self.given.spreadsheet_safe)
            if suffix != ".parquet" and not self.given.provenance:
                how["provenance"] = None
        if self.given.output is not None:
            outputs.keep(self.given.output, lambda place: put(place, *content, **how))

    def tell(
        self,
        key: str,
        columns: Mapping[str, Column],
        files: Mapping[str, str | None],
        *heads: str,
        hidden: Iterable[str] = (),
        **facts: Any,
    ) -> None:
        """Print a table below its heads; or as JSON the facts and, by `key`, columns not hidden."""
        told = {title: column for title, column in columns.items() if title not in hidden}
        outputs.tell(
            self.given,
            lambda: [*heads, "", *table(columns)],
            lambda: {
                "network": self.network.label,
                **facts,
                key: records(told),
                "provenance": self.provenance,
            },
            self.notes,
            files,
        )

    def summary(self, **counts: int) -> tuple[str, dict[str, Any]]:
        """Summary of the computation, with time and device: a line of text, and a JSON record."""
        counts = {"nodes": len(self.network.names), **counts}
        directed, by_length = self.network.directed, self.network.use is not None
        size = ", ".join(f"{count} {what}" for what, count in counts.items())
        kind = ("directed" if directed else "undirected") + (", by length" if by_length else "")
        record = {**counts, "directed": directed, "by_length": by_length}
        return f"{self.network.label}: {size}, {kind}; {self.time}", {**record, **self.place}

    @property
    def time(self) -> str:
        """Time and device of the computation, as text."""
        return f"{self._seconds:.2f} s on {self.provenance['device']}"

    @property
    def place(self) -> dict[str, Any]:
        """Time and device of the computation, for JSON."""
        return {"seconds": self._seconds, "device": self.provenance["device"]}
