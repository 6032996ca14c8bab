"""Which part of a network a command is about, and what its nodes are called there."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from .errors import Refusal
from .rows import rows


def add(parser: Any) -> None:
    """Add the options to a parser."""
    option = parser.add_argument
    option("--names", metavar="FILE",
        help="call nodes as this table says: names of the network, then those wanted (as STRING's "
        "protein.info)")  # fmt: skip
    option("--threshold", type=positive, metavar="WEIGHT",
        help="only edges of at least this weight; all nodes stay")  # fmt: skip
    option("--drop-isolated", action="store_true",
        help="leave out nodes without an edge, after --threshold")  # fmt: skip
    option("--scale", type=positive, metavar="NUMBER",
        help="divide all weights by this, after --threshold (STRING's scores by 1000)")  # fmt: skip
    option("--largest-component", action="store_true",
        help="only the largest set of nodes that paths join, the directions aside")  # fmt: skip
    option("--ignore-missing", action="store_true",
        help="go on without the names in --sources, --targets or --nodes that are no nodes, and "
        "list them")  # fmt: skip


def positive(text: str) -> float:
    """Argument type: finite numbers above 0."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"expected a number above 0, got {text!r}")
    return value


def take(
    matrix: Any, names: tuple[str, ...], args: argparse.Namespace
) -> tuple[Any, tuple[str, ...], list[str]]:
    """The part asked for of a network, the names in it, and what to tell of both."""
    notes: list[str] = []
    alone_stay = not (args.largest_component or args.drop_isolated)
    if args.threshold is not None:
        matrix, note = _strong(matrix, args.threshold, alone_stay=alone_stay)
        notes.append(note)
    if args.scale is not None:
        matrix = matrix.astype("float64")  # a copy; SciPy multiplies by the inverse, rounding twice
        matrix.data /= args.scale
    if not alone_stay:
        from ..graph.subgraph import part_of

        option = "largest-component" if args.largest_component else "drop-isolated"
        matrix, inside = part_of(matrix, isolated=False, largest_component=args.largest_component)
        notes.append(f"--{option} keeps {len(inside)} of {len(names)} nodes")
        names = tuple(names[v] for v in inside)
    if args.names is not None:
        names = _renamed(names, args.names, notes)
    return matrix, names, notes


def _strong(matrix: Any, least: float, *, alone_stay: bool) -> tuple[Any, str]:
    """The entries of at least this weight, in a matrix of the same shape, and what to tell."""
    import numpy as np

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
    return strong, note


def _renamed(names: tuple[str, ...], path: str, notes: list[str]) -> tuple[str, ...]:
    """Names by the first two columns of a table; what two nodes would share tells them apart."""
    called = _table(path)
    wanted = [called.get(name, name) for name in names]
    if not any(name in called for name in names):
        raise Refusal(
            f"{path}: the first column has none of the nodes, which are {names[0]!r} and others"
        )
    times: dict[str, int] = {}
    for name in wanted:
        times[name] = times.get(name, 0) + 1
    told = tuple(
        new if times[new] == 1 else f"{new} ({old})" for old, new in zip(names, wanted, strict=True)
    )
    missing = sum(name not in called for name in names)
    if missing:
        notes.append(f"{missing} of {len(names)} nodes are not in {path}, and keep their names")
    shared = sum(times[name] > 1 for name in wanted)
    if shared:
        notes.append(f"{shared} nodes share names in {path}, and have their own in brackets")
    return told


def _table(path: str) -> dict[str, str]:
    """First and second column of a table with tabs or commas, as text; the title line is harmless.

    A title that is no node names none.
    """
    called: dict[str, str] = {}
    for number, row in rows(path, "two columns of UTF-8 text"):
        if len(row) < 2 or not row[1]:
            raise Refusal(
                f"{path}:{number}: expected two columns, a name and the one wanted, with a tab or "
                "a comma between them"
            )
        if called.setdefault(row[0], row[1]) != row[1]:
            raise Refusal(f"{path}:{number}: {row[0]!r} is also called {called[row[0]]!r}")
    return called


def listed(wanted: list[str], names: tuple[str, ...], option: str) -> list[str]:
    """Names of nodes that an option lists; @FILE stands for those in a file, one a line."""
    every: list[str] = []
    known = set(names)
    for one in wanted:
        if one in known or not one.startswith("@"):
            every.append(one)
            continue
        try:
            text = Path(one[1:]).read_text("utf-8-sig")
        except UnicodeDecodeError as error:
            raise Refusal(f"--{option} {one}: expected UTF-8 text, a name a line") from error
        inside = [line.strip() for line in text.split("\n") if line.strip()]
        if not inside:
            raise Refusal(f"--{option} {one}: the file names no node")
        every += inside
    return every
