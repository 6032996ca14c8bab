"""Output of a command: files, a table on a terminal, tab-separated rows in a pipe, or JSON."""

import argparse
import contextlib
import itertools
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..io import destination, texts
from ..io.write import SUFFIXES, Table, check_parquet
from ..plain_text import as_json
from . import plot
from .errors import Refusal
from .options import estimates
from .query import Query
from .text import Column, show, show_json, table

NETWORKS, PAGE = (".graphml", ".gexf"), ".html"
LINES = 10  # rows on a terminal, unless --top says how many
_LIST = re.compile(r"(--[a-z-]+=)?@")  # begins an argument that names a list


class Result(NamedTuple):
    """What a command found.

    Attributes
    ----------
    table : function
        All rows, with the provenance that it is given.
    shown : dict of str to Column
        Columns on a terminal.
    what : tuple of str
        What was computed and how it is normalized, for lines below the table.
    facts : dict
        Facts of the JSON object, besides the rows.
    order : array, optional
        Rows by rank; they are ranked as they are by default.
    graph : dict
        ``nodes`` or ``edges`` with columns of scores, for a network or a page.
    page : dict
        Arguments of a page besides them; ``what``, its title, is one.
    plot : tuple, optional
        Degrees, scores and their title, for a plot.
    """

    table: Callable[[Mapping[str, Any] | None], Table]
    shown: Mapping[str, Column]
    what: tuple[str, ...]
    facts: Mapping[str, Any]
    order: Any = None
    graph: Mapping[str, Any] = {}
    page: Mapping[str, Any] = {}
    plot: tuple[Any, Any, str] | None = None


def suffixes(given: argparse.Namespace) -> tuple[str, ...]:
    """Suffixes of the files that a command writes."""
    plots = given.command.plots and not estimates(given)
    pages = (*NETWORKS, PAGE) * given.command.pages
    return (*SUFFIXES, *pages, *plot.SUFFIXES * plots)


def check(given: argparse.Namespace) -> str:
    """Suffix of the output; raise, before the computation, if it could not be written."""
    if given.output is None:
        if sys.stdout is None:
            raise Refusal("standard output is closed: use -o FILE to write the scores")
        return ""
    if str(given.output).startswith(("/dev/", "/proc/self/fd/")):
        raise Refusal(f"{given.output} is not a file: leave out -o, and write > {given.output}")
    suffix = destination.suffix(given.output, suffixes(given))
    if suffix == ".parquet":
        check_parquet()
    elif suffix == PAGE:
        from ..reports import report  # which takes longer to import than a small run

        report.check()
    elif suffix in plot.SUFFIXES:
        plot.check()
    destination.check(given.output)
    return suffix


def check_read(query: Query, suffix: str) -> None:
    """Raise, before the computation, if what was read is in the way of the output.

    That are names of nodes which its format cannot hold, and a file that it would replace.
    """
    if not suffix:
        return
    names, output = query.network.names, query.given.output
    texts.check(names, xml=suffix in NETWORKS)
    if suffix in NETWORKS or suffix == PAGE:
        texts.check_unique(names)
    # Lists of numbers and words are read as the line is parsed.
    lists = [one.partition("@")[2] for one in query.given.line if _LIST.match(one)]
    read = (*query.network.files.digests, *lists)
    if os.path.exists(output) and _key(output) in map(_key, read):
        raise Refusal(f"{output} is a file that the command reads: give the name of another")


def _key(path: str) -> str:
    """Key of a file, equal for all paths that lead to it."""
    with contextlib.suppress(OSError):
        there = os.stat(path)
        if stat.S_ISREG(there.st_mode):
            return f"{there.st_dev} {there.st_ino}"
    return os.path.realpath(path)


def deliver(query: Query, result: Result, suffix: str) -> None:
    """Write the file of --output, and print what standard output is for."""
    given = query.given
    if given.output is not None:
        _keep(given.output, lambda path: _write(query, result, suffix, path))
    if sys.stdout is None:
        return
    if given.json:
        _show_json(query, result)
        return
    if sys.stdout.isatty():
        show(_lines(query, result))
    elif given.output is None:
        with _stdout() as file:
            file.writelines(_limited(query, result, None).lines("\t"))
    elif given.top and suffix not in plot.SUFFIXES:
        query.notes.append(f"{given.output} has all rows: -n is for what is printed")
    _tell_notes(query)


def tell_plan(query: Query, plan: Any) -> None:
    """Print the plan of a measure."""
    label = query.network.label
    if query.given.json:
        show_json(as_json({"network": label, "plan": plan.to_dict(), "notes": query.notes}))
        return
    show([f"{label}: a plan, nothing is computed", "", *str(plan).split("\n")])
    _tell_notes(query)


def _tell_notes(query: Query) -> None:
    """Print notes on standard error."""
    if query.notes and not query.given.quiet:
        show([f"note: {note}" for note in query.notes], aside=True)


def _write(query: Query, result: Result, suffix: str, path: Any) -> None:
    """Write the table, the network with scores, the page or the plot to a file."""
    network, notes = query.network, {"notes": query.notes} if query.notes else {}
    provenance = query.provenance | notes
    if suffix in NETWORKS:
        from ..io import write_network

        how = {"directed": network.directed, "provenance": provenance, **result.graph}
        write_network(path, network.counted(), network.names, **how)
    elif suffix == PAGE:
        _page(query, path, **{**result.graph, **result.page})
    elif suffix in plot.SUFFIXES:
        degrees, scores, title = result.plot or ([], [], "")
        top = query.given.top or LINES
        plot.degree_against_score(path, degrees, scores, network.names, top=top, label=title)
    else:
        is_told = suffix == ".parquet" or query.given.provenance
        result.table(provenance if is_told else None).write(path)


def _page(
    query: Query, path: Any, what: str, listings: Sequence[Any] = (), notes: Any = (), **how: Any
) -> None:
    """Write the page of a result."""
    from ..reports import content, report

    network = query.network
    label = re.sub(r"\.(gz|bz2|xz|zip)$", "", Path(network.label).name)
    shown = content.compose(
        network.counted(),
        network.names,
        directed=network.directed,
        positions=network.positions.coordinates,
        geographic=network.positions.geographic,
        title=f"{what} of {label}",
        notes=[*notes, *query.notes],
        listings=[content.Listing(*one) for one in listings],
        provenance=query.provenance,
        **how,
    )
    report.write(path, shown)


def _keep(path: str, put: Callable[[Any], object]) -> None:
    """Write to a path; on failure, write to a temporary folder and name it in the error."""
    try:
        put(path)
    except OSError as error:
        if error.filename is None and error.strerror:
            error.filename = path
        folder = Path(tempfile.mkdtemp(prefix="sparsebc-"))
        kept = folder / Path(path).name
        try:
            put(kept)
        except Exception:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            error.add_note(f"(the results are kept in {kept})")
        raise


@contextlib.contextmanager
def _stdout() -> Iterator[Any]:
    """Standard output in UTF-8; unchanged if it has no descriptor, as in a notebook."""
    sys.stdout.flush()
    try:
        number = sys.stdout.fileno()
    except (AttributeError, OSError):
        yield sys.stdout
        return
    try:
        with open(number, "w", encoding="utf-8", newline="", closefd=False) as file:
            yield file
    except OSError as error:
        error.filename = "standard output"
        raise


def _limited(query: Query, result: Result, provenance: Any) -> Table:
    """Table of all rows, or by rank if --top says how many."""
    rows, top = result.table(provenance), query.given.top
    if top is None:
        return rows
    if result.order is None:
        return rows._replace(rows=itertools.islice(rows.rows, top or None))
    every = list(rows.rows)
    return rows._replace(rows=[every[row] for row in result.order[: top or None]])


def _lines(query: Query, result: Result) -> list[str]:
    """Table of the highest rows, what it is, and the file that was written."""
    given, shown = query.given, result.shown
    count = len(next(iter(shown.values())).values)
    order = range(count) if result.order is None else result.order
    order = order[: count if given.top == 0 else given.top or LINES]
    columns = {title: column.at(order) for title, column in shown.items()}
    if result.order is not None:
        columns = {"rank": Column(range(1, len(order) + 1), ">"), **columns}
    more = [f"{count - len(order)} more rows: -n all"] * (len(order) < count)
    file = [f"all rows: {given.output}"] if given.output is not None else []
    return [*table(columns), "", *result.what, *more, *file]


def _show_json(query: Query, result: Result) -> None:
    """Print one object with all rows, in which a number that is not finite is null."""
    found = _limited(query, result, None)
    titles, rows = [title.replace("-", "_") for title in found.types], []
    texts_of = [title for title, kind in found.types.items() if kind.kind == "U"]
    infinite: dict[str, list[Any]] = {}
    for cells in found.rows:
        row = dict(zip(titles, cells, strict=True))
        rows.append(row)
        for title, cell in row.items():
            if isinstance(cell, float) and cell in (np.inf, -np.inf):
                names = [row[one] for one in texts_of if one != "predecessor"]
                infinite.setdefault(title, []).append(names[0] if len(names) == 1 else names)
    network = query.network
    facts = {
        "network": network.label,
        "nodes": len(network.names),
        "directed": network.directed,
        "by_length": network.use is not None,
        "seconds": query.seconds,
        **result.facts,
    }
    more = {"infinite": infinite} if infinite else {}
    more |= {"file": query.given.output} if query.given.output is not None else {}
    ends = {"notes": query.notes, "provenance": query.provenance}
    show_json(as_json({**facts, "rows": rows, **more, **ends}))
