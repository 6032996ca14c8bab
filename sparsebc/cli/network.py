"""The network that a command is about: read, and the subgraph that its options ask for."""

from __future__ import annotations

import argparse
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from .. import datasets, io
from ..errors import EdgeError, is_foreseen
from ..graph.edge_weights import MIN_LENGTH
from ..io.columns import AmbiguousFile
from . import node_tables
from .errors import Refusal, in_options

# Values of --strength, and their names in `strength_to_distance`; no argument may begin with "-".
STRENGTHS = {"reciprocal": "reciprocal", "log": "-log"}
LENGTHS = {"length": lambda x: x, "reciprocal": lambda x: 1 / x, "log": lambda x: -np.log(x)}
TABLE = ("separator", "comment", "encoding", "decimal")  # options that `io.read` has, too
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


class Network(NamedTuple):
    """The network of a command.

    Attributes
    ----------
    given : argparse.Namespace
        The arguments of the command.
    label : str
        What the network is called in what is printed.
    matrix : sparse array, shape (n, n)
    names : tuple of str, length n
    directed : bool
    notes : list of str
        What to know of how it was taken.
    """

    given: argparse.Namespace
    label: str
    matrix: Any
    names: tuple[str, ...]
    directed: bool
    notes: list[str]

    @property
    def use(self) -> str | None:
        """What weights are taken for, a key of `LENGTHS`; None where they are not looked at."""
        return self.given.strength or ("length" if self.given.weighted else None)

    def lengths(self) -> Any:
        """The matrix, with lengths in it where the weights are strengths."""
        if self.use not in STRENGTHS:
            return self.matrix
        from .. import strength_to_distance

        return strength_to_distance(self.matrix, STRENGTHS[self.use])

    def counted(self) -> Any:
        """The matrix; of two weights of an undirected edge the greater, if they are strengths."""
        strong = self.use in STRENGTHS and not self.directed
        return self.matrix.maximum(self.matrix.T) if strong else self.matrix

    def on_weights(self) -> list[str]:
        """What to tell of weights that differ and are not looked at."""
        data = self.matrix.data
        if self.use is not None or data.size == 0 or data.min() == data.max():
            return []
        return [
            "weights are not looked at; --weighted takes them for lengths, --strength for strengths"
        ]

    def on_cutoffs(self) -> list[str]:
        """What to tell of cutoffs within which there is no pair, where an edge has length 1."""
        return [
            f"--cutoff {cutoff} leaves no pair of nodes, for each edge has length 1; "
            "--threshold keeps the edges of at least a weight"
            for cutoff in self.given.cutoff or ()
            if self.use is None and float(cutoff) < 1
        ]

    @contextmanager
    def in_words_of_the_command(self) -> Iterator[None]:
        """Say what a function refuses with the options of the command, and the file's edges.

        No message that gets here has the name of a file in it: files are read before, and written
        after.
        """
        try:
            yield
        except Exception as error:
            if not is_foreseen(error) or isinstance(error, OSError):
                raise
            told = self._of_edge(error.at) if isinstance(error, EdgeError) else in_options(error)
            raise Refusal(told) from error

    def _of_edge(self, at: tuple[int, int] | int) -> str:
        """Why an edge will not do, by its row and column or its place in the matrix's data."""
        coo = self.matrix.tocoo()
        if isinstance(at, tuple):  # stored in either direction, in a network without directions
            ends = (coo.row == at[0]) & (coo.col == at[1])
            turned = (coo.row == at[1]) & (coo.col == at[0])
            at = int(np.flatnonzero(ends if ends.any() else turned)[0])
        tail, head = self.names[coo.row[at]], self.names[coo.col[at]]
        reason = self._reason(float(coo.data[at]))
        return f"{self.label}: the edge {tail!r} - {head!r} has weight {coo.data[at]}: {reason}"

    def _reason(self, value: float) -> str:
        """What is wrong with a weight, and the way out."""
        use, longest = self.use, np.finfo(np.float64).max / max(len(self.names), 1)
        if use is None:
            return "a weight must not be negative; leave the edge out of the file, or the sign"
        if value <= 0 and use == "length":
            return (
                "a length must be positive; leave such edges out of the file, or use --strength if "
                "larger weights mean closer"
            )
        if value <= 0:
            return "a strength must be positive; leave such edges out of the file"
        if use == "log" and value == 1:
            return (
                "a strength of 1 has length 0; use --strength reciprocal, or --scale 1.001, which "
                "divides all strengths"
            )
        if use == "log" and value > 1:
            return (
                "--strength log takes weights below 1; --scale divides them all, STRING's by 1000"
            )
        if not MIN_LENGTH <= LENGTHS[use](value) <= longest:
            return (
                f"lengths must lie from {MIN_LENGTH} to {longest:.1e}; --scale divides the weights"
            )
        return (
            "its length is lost beside the distances that it is added to, by rounding; merge nodes "
            "that are that close"
        )


def read(given: argparse.Namespace) -> Network:
    """Network of a file, a data set or standard input."""
    name = given.network
    notes: list[str] = []
    told = {
        option: getattr(given, option) for option in TABLE if getattr(given, option) is not None
    }
    told |= given.columns or {}
    if given.no_header:
        told["header"] = False
    directed = bool(given.directed)
    if name in datasets.DATASETS and not Path(name).is_file():
        if told:
            raise Refusal(f"{name} is a dataset: --columns and --no-header are for edge lists")
        directed |= datasets.DATASETS[name].directed
        matrix, names = datasets.load(name)
    elif name != "-" and not Path(name).exists():
        known = ", ".join(datasets.names())
        raise FileNotFoundError(f"{name}: there is no such file, nor a dataset; those are {known}")
    else:
        matrix, names = _of_file(given, told, notes)
    matrix, names = _subgraph(given, matrix, names, notes)
    zeros = matrix.nnz - matrix.count_nonzero()
    if zeros:
        notes.append(f"{zeros} of {matrix.nnz} entries of the matrix are 0, and count as edges")
    if not directed and (matrix != matrix.T).nnz:
        notes.append("each edge is taken both ways; --directed takes it from source to target")
    label = "standard input" if name == "-" else name
    return Network(given, label, matrix, names, directed, notes)


def _of_file(given: argparse.Namespace, told: dict[str, Any], notes: list[str]) -> Any:
    """Matrix and names, without negative weights in a run that looks at none."""
    if given.no_header and not all(map(str.isdigit, (given.columns or {}).values())):
        raise Refusal("--columns is for a header, and --no-header for none: leave out either")
    needed = any((given.weighted, given.strength, given.threshold, given.scale)) or None
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", io.ReadWarning)
            file = sys.stdin.buffer if given.network == "-" else given.network
            matrix, names = io.read(file, **told, weighted=needed)
    except AmbiguousFile as error:
        raise Refusal(error.spelt(COLUMNS)) from error
    for warning in caught:
        if issubclass(warning.category, io.ReadWarning):
            notes.append(str(warning.message))
        else:
            warnings.showwarning(
                warning.message, warning.category, warning.filename, warning.lineno
            )
    negative = 0 if needed else int(np.count_nonzero(matrix.data < 0))
    if negative:
        notes.append(f"negative weights: {negative}; weights are left out, and all are 1")
        matrix = matrix.astype(np.float64)
        matrix.data[:] = 1
    return matrix, names


def _subgraph(
    given: argparse.Namespace, matrix: Any, names: tuple[str, ...], notes: list[str]
) -> tuple[Any, tuple[str, ...]]:
    """The subgraph that the options ask for, and the names in it."""
    from ..graph.subgraph import part_of  # once the network is read

    alone_stay = not (given.largest_component or given.drop_isolated)
    if given.threshold is not None:
        matrix = _strong(matrix, given.threshold, notes, alone_stay=alone_stay)
    if given.scale is not None:
        matrix = matrix.astype("float64")  # a copy; SciPy multiplies by the inverse, rounding twice
        matrix.data /= given.scale
    if not alone_stay:
        option = "largest-component" if given.largest_component else "drop-isolated"
        largest = bool(given.largest_component)
        matrix, inside = part_of(matrix, isolated=False, largest_component=largest)
        notes.append(f"--{option} keeps {len(inside)} of {len(names)} nodes")
        names = tuple(names[v] for v in inside)
    if given.names is not None:
        names = node_tables.renamed(names, given.names, notes)
    return matrix, names


def _strong(matrix: Any, least: float, notes: list[str], *, alone_stay: bool) -> Any:
    """The entries of at least this weight, in a matrix of the same shape."""
    from ..graph.subgraph import part_of

    try:
        strong, _ = part_of(matrix, threshold=least)
    except ValueError as error:
        raise Refusal(str(error).replace("threshold=", "--threshold ", 1)) from error
    linked = np.diff(strong.indptr) > 0
    linked[strong.indices] = True
    alone = int((~linked).sum())
    note = f"--threshold {least:g} keeps {strong.nnz} of {matrix.nnz} entries of the matrix"
    if strong.nnz == matrix.nnz:  # in another unit than the weights, it may be
        note += f", whose least weight is {matrix.data.min():g}"
    if alone and alone_stay:
        note += (
            f"; {alone} of {len(linked)} nodes have no edge left, stay, and count in normalized "
            "scores; --drop-isolated leaves them out"
        )
    notes.append(note)
    return strong
