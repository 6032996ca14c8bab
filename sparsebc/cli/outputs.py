"""Files that a command writes, and where its table goes meanwhile."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from ..io import destination, json_text, parquet
from ..io.network_file import FORMATS
from ..io.write import SUFFIXES
from ..reports import report
from . import node_values
from .errors import Refusal
from .table import show

STDOUT = "-"
ALL = (*SUFFIXES, *FORMATS, *report.SUFFIXES)  # of what is written of scores


def check(args: argparse.Namespace, *paths: str | None) -> None:
    """Fail before the computation, not after it, where a result could not be stored."""
    taken = {_place(path): what for path, what in _read(args) if os.path.exists(path)}
    for path in filter(None, paths):
        if path != STDOUT:
            destination.check(path)
        place = _place(path)
        if place in taken:
            raise Refusal(f"{path}: this is {taken[place]}; give the name of another file")
        taken[place] = "another output"


def _read(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
    """Files that a command reads, and what they are to it."""
    yield args.network, "the network itself"
    if args.names is not None:
        yield args.names, "the table of --names"
    if getattr(args, "positions", None) is not None:
        yield args.positions, "the table of --positions"
    listed = {option: getattr(args, option, None) or () for option in ("sources", "targets")}
    listed["nodes"] = [one for group in getattr(args, "nodes", None) or () for one in group]
    for option, wanted in listed.items():
        for one in wanted:
            if one.startswith("@"):
                yield one[1:], f"a list of --{option}"
    for option in ("source-weights", "target-weights", "states"):
        table = getattr(args, option.replace("-", "_"), None)
        if table is not None:
            yield node_values.split(table)[0], f"the table of --{option}"


def check_table(path: str | None, *, networks: bool = False) -> None:
    """Fail where the suffix says nothing about how to write a table, or more if allowed."""
    if path and path != STDOUT:
        known = ALL if networks else SUFFIXES
        suffix = destination.suffix(path, known)
        if suffix == ".parquet":
            parquet.check()
        elif suffix in report.SUFFIXES:
            report.check()


def is_network(path: str | None) -> bool:
    """Whether the suffix is that of a network, not of a table."""
    if not path or path == STDOUT:
        return False
    return destination.suffix(path, ALL) in FORMATS


def is_report(path: str | None) -> bool:
    """Whether the suffix is that of a page to look at."""
    if not path or path == STDOUT:
        return False
    return destination.suffix(path, ALL) in report.SUFFIXES


def _place(path: str) -> str:
    """Equal for names of one file."""
    return str(destination.locate("/dev/stdout" if path == STDOUT else path).path)


@contextmanager
def table_file(path: str) -> Iterator[str | TextIO]:
    """What the writers of `sparsebc.io` take: the path, or standard output in UTF-8."""
    try:
        if path == STDOUT:
            file = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="")
            try:
                yield file
            finally:
                file.detach()
        else:
            yield path
    except OSError as error:
        if error.filename is None:
            error.filename = path
        raise


def tell(
    lines: Sequence[str],
    notes: Sequence[str],
    written: Mapping[str, str | None],
    *,
    quiet: bool,
    record: Mapping[str, Any] | None = None,
) -> None:
    """Print the lines, what to know of them, and which files were written; or a record as JSON.

    Where a file is standard output they go to standard error, unless ``quiet``.
    """
    files = {what: path for what, path in written.items() if path}
    aside = any(_is_stdout(path) for path in files.values())
    if aside and quiet:
        return
    if record is not None:
        show([json_text.value({**record, "notes": list(notes), "files": files})], aside=aside)
        return
    tail = [f"note: {note}" for note in notes]
    tail += [f"{what}: {path}" for what, path in files.items() if path != STDOUT]
    show([*lines, *([""] if tail else []), *tail], aside=aside)


def _is_stdout(path: str) -> bool:
    return path == STDOUT or destination.is_output(path, 1)
