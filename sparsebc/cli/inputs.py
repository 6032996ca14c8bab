"""The network that a command is about, its nodes by name, and what a function says of it."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from .. import datasets, io
from ..errors import EdgeError, is_foreseen
from ..graph.edge_weights import MIN_LENGTH
from ..io.columns import AmbiguousFile
from . import subgraph
from .errors import Refusal, in_options

# Values of --strength, and their names in `strength_to_distance`; no argument may begin with "-".
STRENGTHS = {"reciprocal": "reciprocal", "log": "-log"}
LENGTHS = {"length": lambda x: x, "reciprocal": lambda x: 1 / x, "log": lambda x: -np.log(x)}
SHOWN = 20  # names of a list that a message holds
COLUMNS = {
    "columns": "--columns source=...,target=...,weight=... with titles or numbers of its columns",
    "attribute": "--columns weight=... with the one to take",
    "no header": "--no-header where the first line is an edge",
    "rows": "--comment '' where such lines are edges",
    "comments": "--comment '#' where they are not",
    "encoding": "--encoding with the name of the encoding, as cp1252 (Windows), latin-1, utf-16-le",
    "separator": "--separator with what divides the fields, as ';'",
    "decimal": "--decimal , where a comma is the decimal point",
}


class Input(NamedTuple):
    """What a command reads."""

    label: str  # how it is called in what is printed
    matrix: Any
    names: tuple[str, ...]
    directed: bool
    notes: list[str]  # on how it was taken
    table: str | None  # that --names names
    ignore_missing: bool = False

    @property
    def called(self) -> str:
        """Who says what the nodes are called, or could."""
        if self.table is None:
            return "; --names calls them as a table says"
        return f", as --names {self.table} calls them"


def load(args: argparse.Namespace) -> Input:
    """Network of a file, a data set or standard input."""
    name = args.network
    told = {option: getattr(args, option) for option in ("separator", "comment", "encoding")}
    told |= {**args.columns, "decimal": args.decimal, "header": False if args.no_header else None}
    told = {option: value for option, value in told.items() if value is not None}
    if name in datasets.DATASETS and not Path(name).is_file():
        if told:
            raise Refusal(f"{name} is a dataset: --columns and --no-header are for edge lists")
        matrix, names, notes = subgraph.take(*datasets.load(name), args)
        directed = args.directed or datasets.DATASETS[name].directed
        return Input(name, matrix, names, directed, notes, args.names, args.ignore_missing)
    if name != "-" and not Path(name).exists():
        known = ", ".join(datasets.names())
        raise FileNotFoundError(f"{name}: there is no such file, nor a dataset; those are {known}")
    if not set(map(str.isdigit, args.columns.values())) <= {True} and args.no_header:
        raise Refusal("--columns is for a header, and --no-header for none: leave out either")
    needed = any(getattr(args, one, None) for one in ("weighted", "strength", "threshold", "scale"))
    remarks: list[str] = []
    try:
        with _remarks(remarks):
            file = sys.stdin.buffer if name == "-" else name
            matrix, names = io.read(file, **told, weighted=needed or None)
    except AmbiguousFile as error:
        raise Refusal(error.spelt(COLUMNS)) from error
    label = "standard input" if name == "-" else name
    if not needed:
        matrix = _without_signs(matrix, remarks)
    matrix, names, notes = subgraph.take(matrix, names, args)
    zeros = matrix.nnz - matrix.count_nonzero()
    if zeros:
        notes.append(f"{zeros} of {matrix.nnz} entries of the matrix are 0, and count as edges")
    if not args.directed and (matrix != matrix.T).nnz:
        notes.append("each edge is taken both ways; --directed takes it from source to target")
    return Input(
        label, matrix, names, args.directed, [*remarks, *notes], args.names, args.ignore_missing
    )


@contextmanager
def _remarks(found: list[str]) -> Iterator[None]:
    """Collect what a reader remarks on a file; other warnings go where they went."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", io.ReadWarning)
        show = warnings.showwarning

        def keep(message: Any, category: type[Warning], *place: Any, **options: Any) -> None:
            if issubclass(category, io.ReadWarning):
                found.append(str(message))
            else:
                show(message, category, *place, **options)

        warnings.showwarning = keep
        yield


def _without_signs(matrix: Any, remarks: list[str]) -> Any:
    """The matrix, with 1 for all weights if some are negative, in a run that looks at none."""
    negative = int(np.count_nonzero(matrix.data < 0))
    if negative:
        remarks.append(f"negative weights: {negative}; weights are left out, and all are 1")
        matrix = matrix.astype(np.float64)
        matrix.data[:] = 1
    return matrix


def lengths(network: Input, use: str | None) -> Any:
    """The matrix, with lengths in it where the weights are strengths."""
    if use not in STRENGTHS:
        return network.matrix
    from .. import strength_to_distance

    return strength_to_distance(network.matrix, STRENGTHS[use])


def counted(network: Input, use: str | None) -> Any:
    """The matrix; of the two weights of an undirected edge the greater, if they are strengths."""
    strong = use in STRENGTHS and not network.directed
    return network.matrix.maximum(network.matrix.T) if strong else network.matrix


def on_weights(network: Input, use: str | None) -> list[str]:
    """What to tell of weights that differ and are not looked at."""
    data = network.matrix.data
    if use is not None or data.size == 0 or data.min() == data.max():
        return []
    return [
        "weights are not looked at; --weighted takes them for lengths, --strength for strengths"
    ]


def on_cutoffs(cutoffs: Sequence[str], use: str | None) -> list[str]:
    """What to tell of those within which there is no pair, where an edge has length 1."""
    short = [one for one in cutoffs if use is None and float(one) < 1]
    return [
        f"--cutoff {one} leaves no pair of nodes, for each edge has length 1; "
        "--threshold keeps the edges of at least a weight"
        for one in short
    ]


def summary(
    network: Input, use: str | None, seconds: float, device: str, **counts: int
) -> tuple[str, dict[str, Any]]:
    """What was computed, how long that took and where: a line to print, and the same for JSON."""
    counts = {"nodes": len(network.names), **counts}
    directed, by_length = network.directed, use is not None
    size = ", ".join(f"{count} {what}" for what, count in counts.items())
    kind = ("directed" if directed else "undirected") + (", by length" if by_length else "")
    record = {"network": network.label, **counts, "directed": directed, "by_length": by_length}
    return (
        f"{network.label}: {size}, {kind}; {seconds:.2f} s on {device}",
        {**record, "seconds": seconds, "device": device},
    )


@contextmanager
def calling(network: Input, use: str | None = None) -> Iterator[None]:
    """Say what a function refuses in the words of the command: its options, the file's edges.

    ``use`` is what weights are taken for, a key of `LENGTHS`, or None. No message that gets here
    has the name of a file in it: files are read before, and written after.
    """
    try:
        yield
    except Exception as error:
        if not is_foreseen(error) or isinstance(error, OSError):
            raise
        told = in_options(error)
        if isinstance(error, EdgeError):
            told = _of_edge(network, error.at, use)
        raise Refusal(told) from error


def _of_edge(network: Input, at: tuple[int, int] | int, use: str | None) -> str:
    """Why an edge will not do."""
    coo = network.matrix.tocoo()
    if isinstance(at, tuple):
        row, column = at
        there = (coo.row == row) & (coo.col == column)
        if not there.any():  # stored the other way, in a network without directions
            there = (coo.row == column) & (coo.col == row)
        at = int(np.flatnonzero(there)[0])
    value = coo.data[at]
    tail, head = network.names[coo.row[at]], network.names[coo.col[at]]
    return f"{network.label}: the edge {tail!r} - {head!r} has weight {value}: " + _reason(
        float(value), use, len(network.names)
    )


def _reason(value: float, use: str | None, n: int) -> str:
    """What is wrong with a weight, and the way out."""
    if use is None:
        return "a weight must not be negative; leave the edge out of the file, or the sign"
    if value <= 0:
        what = "length must be positive" if use == "length" else "strength must be positive"
        other = ", or use --strength if larger weights mean closer" if use == "length" else ""
        return f"a {what}; leave such edges out of the file{other}"
    if use == "log" and value == 1:
        return (
            "a strength of 1 has length 0; use --strength reciprocal, or --scale 1.001, which "
            "divides all strengths"
        )
    if use == "log" and value > 1:
        return "--strength log takes weights below 1; --scale divides them all, STRING's by 1000"
    length = LENGTHS[use](value)
    longest = np.finfo(np.float64).max / max(n, 1)
    if not MIN_LENGTH <= length <= longest:
        return f"lengths must lie from {MIN_LENGTH} to {longest:.1e}; --scale divides the weights"
    return (
        "its length is lost beside the distances that it is added to, by rounding; merge nodes "
        "that are that close"
    )


def numbers(
    option: Literal["sources", "targets", "nodes"], wanted: list[str] | None, network: Input
) -> list[int] | None:
    """Node numbers of the names that an option lists."""
    if wanted is None:
        return None
    names = network.names
    wanted = subgraph.listed(wanted, names, option)
    if len(set(wanted)) < len(wanted):
        twice = next(name for name in wanted if wanted.count(name) > 1)
        raise Refusal(f"--{option} lists {twice!r} more than once: list each node once")
    number = {name: v for v, name in enumerate(names)}
    strangers = [name for name in wanted if name not in number]
    if strangers:
        _miss(option, strangers, len(wanted), network)
    return [number[name] for name in wanted if name in number]


def _miss(option: str, strangers: list[str], count: int, network: Input) -> None:
    """Refuse names that no node has; if they may be missing, tell which are."""
    listed = ", ".join(map(repr, strangers[:SHOWN]))
    if len(strangers) > SHOWN:
        listed += f" and {len(strangers) - SHOWN} more"
    if network.ignore_missing and len(strangers) < count:
        network.notes.append(f"--{option}: {len(strangers)} of {count} are no nodes: {listed}")
        return
    names = network.names
    some = ", ".join(map(repr, names[:3])) + (", ..." if len(names) > 3 else "")
    many = f"are no nodes {listed} ({len(strangers)} in all)"
    found = f"is no node {listed}" if len(strangers) == 1 else many
    way = "" if network.ignore_missing else "; --ignore-missing goes on without"
    raise Refusal(f"--{option}: there {found}; the nodes are {some}{network.called}{way}")
