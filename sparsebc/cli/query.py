"""The question of a command: arguments of the public functions, from its options and tables."""

import argparse
import secrets
import shlex
import time
from collections.abc import Callable, Iterable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..plain_text import meant, quoted
from .files import Table, file_of
from .messages import Refusal, refusing
from .network import Network
from .options import DEST, OPTIONS, draws

SHOWN = 20  # names that a message lists
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
        self.given, self.network, self.notes = given, network, network.files.notes
        if given.seed is None and draws(given):
            given.seed = secrets.randbits(32)
        self.kinds: list[str] = []
        self.keywords: dict[str, Any] = dict(self._keywords())
        self.provenance = self._provenance()
        self.seconds = 0.0
        self.stopped: BaseException | None = None

    def _keywords(self) -> Iterable[tuple[str, Any]]:
        given = self.given
        for name, option in OPTIONS.items():
            value = getattr(given, DEST[name])
            argument = given.command.arguments.get(name, option.argument)
            if isinstance(value, str) and name == "--workers":
                from .processes import executor_of

                yield "executor", executor_of(value, quiet=given.quiet)
            elif argument and value is not None and name != "--weighted":
                yield argument, self._value(name, option.reads, value)
        yield "directed", self.network.directed
        if given.command.reads != "contacts":
            yield "weighted", self.network.use is not None
        yield "progress", not given.quiet

    def _value(self, name: str, reads: str, value: Any) -> Any:
        """Value of an option, converted to the argument of the public function."""
        match reads, name:
            case "list", "--nodes":
                return [_numbers(name, [group], self.network) for group in value]
            case "list", _:
                return _numbers(name, value, self.network)
            case "column", _:
                return _amounts(name, value, self.network)
            case "columns", _:
                each = self.network.files.listed(name, value, lambda one: Path(one).is_file())
                self.kinds, amounts = _places(each, self.network)
                return amounts
            case "pairs", _:
                return _demand(name, value, self.network)
            case _, "--raw":
                return False
            case _, "--confidence":
                return float(1 - Decimal(repr(value)))  # 0.1, not 0.09999999999999998
            case _, "--cutoff":
                cutoffs = [float(cutoff) for cutoff in value]
                return cutoffs if len(cutoffs) > 1 else cutoffs[0]
        return value

    def _provenance(self) -> dict[str, Any]:
        """Provenance known before the computation."""
        from .. import __version__

        given, network = self.given, self.network
        shown = [name for group in given.command.groups.values() for name in group]
        asked = {DEST[name]: getattr(given, DEST[name]) for name in shown if OPTIONS[name].told}
        length = LENGTHS.get(network.use or "", "1 for each edge")
        return {
            "sparsebc": __version__,
            "date": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
            "command": shlex.join(["sparsebc", *given.line]),
            "network": network.label,
            "sha256": network.files.digests,
            "directed": network.directed,
            **({} if network.contacts else {"length": length}),
            **({"normalized": not given.raw} if "--raw" in shown else {}),
            **{title: value for title, value in asked.items() if value not in (None, False)},
        }

    def compute(self, function: Callable[..., Any], *arguments: Any, **more: Any) -> Any:
        """Result of a public function of the network; its errors name options, not arguments."""
        from ..engines import devices  # once the network is read

        with refusing(self.network.in_words):
            A, begun = self.network.lengths(), time.perf_counter()
            found = function(A, *arguments, **self.keywords, **more)
            self.seconds = time.perf_counter() - begun
            self.provenance["device"] = devices.select(self.given.device).name
            return found

    def compute_paths(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Result of a function that counts paths, whose kernel is compiled in a second process.

        Not with an executor, whose workers compile, and by length, which has another kernel.
        """
        from ..engines import devices

        with refusing(self.network.in_words):
            is_here = devices.select(self.given.device).name == "cpu"
        has_executor = isinstance(self.given.workers, str)
        if is_here and not has_executor and self.network.use is None:
            from .precompile import compiling_ahead

            with compiling_ahead("float64"):
                return self.compute(function, *arguments)
        return self.compute(function, *arguments)

    def summary(self, **counts: int) -> str:
        """Summary of the network and the computation in a line."""
        counts = {"nodes": len(self.network.names), **counts}
        size = ", ".join(f"{count} {what}" for what, count in counts.items())
        kind = "directed" if self.network.directed else "undirected"
        by = ", by length" if self.network.use is not None else ""
        place = f"{self.seconds:.2f} s on {self.provenance['device']}"
        return f"{self.network.label}: {size}, {kind}{by}; {place}"


def _numbers(option: str, texts: list[str], network: Network) -> list[int]:
    """Node indices of the names that an option lists."""
    number = {name: v for v, name in enumerate(network.names)}
    wanted = network.files.listed(option, texts, number.__contains__)
    if len(set(wanted)) < len(wanted):
        twice = next(name for name in wanted if wanted.count(name) > 1)
        raise Refusal(f"{option} lists {twice!r} more than once: list each node once")
    unknown = [name for name in wanted if name not in number]
    if not unknown:
        return [number[name] for name in wanted]
    count, may_miss, names = len(unknown), network.files.given.ignore_missing, network.names
    listed = ", ".join(map(repr, unknown[:SHOWN]))
    if count > SHOWN:
        listed += f" and {count - SHOWN} more"
    if not may_miss or count == len(wanted):
        some = ", ".join(map(quoted, names[:3])) + ", ..." * (len(names) > 3) or "none"
        found = f"is no node {listed}" if count == 1 else f"are no nodes {listed} ({count} in all)"
        near = meant(unknown[0], names[:100_000])
        there = "" if near else f"; the nodes are {some}{_called(network)}"
        way = "" if may_miss else "; --ignore-missing leaves such names out"
        raise Refusal(f"{option}: there {found}{there}{way}{near}")
    network.files.notes.append(f"{option}: {count} of {len(wanted)} names are not nodes: {listed}")
    return [number[name] for name in wanted if name in number]


def _called(network: Network) -> str:
    """End of a message on unknown names: how --names names the nodes, or could."""
    names = network.files.given.names
    if names is None:
        return "" if network.contacts is not None else "; --names calls them as a table says"
    return f", as --names {names} calls them"


def _amounts(option: str, given: str, network: Network) -> NDArray[np.float64]:
    """Value of each node by a column of a table, 0 for nodes it does not name; shape (n,).

    Repeated rows of a node are added up for --places (points of interest), else refused.
    """
    names, (path, title) = network.names, file_of(given)
    table = Table(network.files, path, option)
    at = table.column(title, {*names})
    expected = f"a name, and in column {at + 1} a number from 0 on (a row left out counts 0)"
    found: dict[str, float] = {}
    for number, (name, *_), value in table.values(expected, lambda row: table.amount(row[at])):
        if name in found and option != "--places":
            raise Refusal(f"{path}:{number}: {quoted(name)} again: add up its rows")
        found[name] = found.get(name, 0.0) + value
    missing = sum(name not in found for name in names)
    if missing == len(names):
        raise table.no_node(names, _called(network))
    unknown, notes = len(found) - len(names) + missing, network.files.notes
    for remark, count in (
        (f"{missing} of {len(names)} nodes are not in {path}, and count 0", missing),
        (f"rows of {path} that name no node: {unknown}", unknown),
    ):
        if count and remark not in notes:
            notes.append(remark)
    return np.array([found.get(name, 0.0) for name in names])


def _demand(option: str, path: str, network: Network) -> Any:
    """Origin-destination matrix, a coo_array of shape (n, n), by three columns of a table."""
    from scipy.sparse import coo_array

    names, table = network.names, Table(network.files, path, option)
    table.titles({*names})
    number, expected = {name: v for v, name in enumerate(names)}, "two names and a number from 0 on"
    found = [
        (number[row[0]], number[row[1]], value)
        for _, row, value in table.values(expected, lambda row: table.amount(row[2]))
        if row[0] in number and row[1] in number
    ]
    if not found:
        raise table.no_node(names, _called(network), "no row has two")
    unknown = len(table.rows) - len(found)
    if unknown:
        remark = f"rows of {path} whose two names are not both nodes: {unknown}"
        network.files.notes.append(remark)
    begin, end, data = zip(*found, strict=True)
    return coo_array((data, (begin, end)), shape=(len(names), len(names)))


def _places(given: list[str], network: Network) -> tuple[list[str], Any]:
    """Titles of the q kinds of places, and the amount of each at the nodes, shape (n, q)."""
    amounts = [_amounts("--places", one, network) for one in given]
    kinds = [column or Path(path).name.partition(".")[0] for path, column in map(file_of, given)]
    if len(set(kinds)) < len(kinds):
        twice = next(kind for kind in kinds if kinds.count(kind) > 1)
        raise Refusal(f"--places has two kinds called {twice!r}: name columns, as FILE:COLUMN")
    return kinds, np.stack(amounts, axis=1)
