"""Files that a command writes, and where its table goes meanwhile."""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TextIO

from ..io import destination, json_text, parquet
from ..io.formats import WRITERS
from ..io.network_file import check_names as check_network_names
from ..io.texts import check as check_texts
from ..io.write import SUFFIXES
from ..reports import report
from . import node_values, plot
from .errors import Refusal
from .table import show, show_json

STDOUT = "-"
TABLES = SUFFIXES
NETWORKS = (*TABLES, *WRITERS)
ALL = (*NETWORKS, *report.SUFFIXES)  # of what is written of scores
Writer = Callable[..., object]  # of results to a path or an open file, with options of its kind


def check(args: argparse.Namespace, formats: Sequence[str] = TABLES) -> None:
    """Fail before the computation, not after it, where a result could not be stored."""
    image = getattr(args, "plot", None)
    if sys.stdout is None and args.output in (None, STDOUT):
        raise Refusal("standard output is closed: nothing would be seen; -o FILE writes the scores")
    if args.output not in (None, STDOUT):
        suffix = _suffix(args.output, formats)
        if suffix == ".parquet":
            parquet.check()
        elif suffix in report.SUFFIXES:
            report.check()
    taken = {_place(path): what for path, what in files_read(args) if os.path.exists(path)}
    for path in (args.output, image):
        if path is None:
            continue
        if path != STDOUT:
            destination.check(path)
        place = _place(path)
        if place in taken:
            raise Refusal(f"{path}: this is {taken[place]}; give the name of another file")
        taken[place] = "another output"
    if image is not None:
        plot.check(image)


def check_names(args: argparse.Namespace, names: Sequence[str]) -> None:
    """Fail before the computation where a format cannot hold the names of the nodes."""
    if args.output is not None:
        check_texts(names)
        suffix = suffix_of(args.output)
        if suffix in WRITERS or suffix in report.SUFFIXES:
            check_network_names(suffix, names)


def files_read(args: argparse.Namespace) -> Iterator[tuple[str, str]]:
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


def _suffix(path: str, formats: Sequence[str]) -> str:
    try:
        return destination.suffix(path, formats)
    except ValueError as error:
        if any(path.lower().endswith(known) for known in report.SUFFIXES):
            error.add_note("(pages are written by the measures and by approximate)")
        raise


def suffix_of(path: str | None) -> str:
    """Suffix of an output; "" of standard output, of a stream and of none."""
    return "" if path in (None, STDOUT) else destination.suffix(path, ALL)


def _place(path: str) -> str:
    """Equal for names of one file or stream."""
    path = "/dev/fd/1" if path == STDOUT else path
    with contextlib.suppress(OSError):
        there = os.stat(path)
        if stat.S_ISREG(there.st_mode):
            return f"{there.st_dev} {there.st_ino}"
    return os.path.realpath(path)


def write(
    args: argparse.Namespace,
    provenance: Mapping[str, Any],
    table: Writer,
    network: Writer | None = None,
    page: Writer | None = None,
) -> None:
    """Write --output, by that of the writers whose format it has."""
    if args.output is None:
        return
    suffix = suffix_of(args.output)
    how: dict[str, Any] = {"provenance": provenance}
    if suffix in WRITERS:
        put = network or table
    elif suffix in report.SUFFIXES:
        put = page or table
    else:
        put = table
        how["spreadsheet_safe"] = args.spreadsheet_safe
        if suffix != ".parquet" and not args.provenance:
            how["provenance"] = None
    keep(args.output, lambda place: put(place, **how))


def keep(path: str, put: Callable[[Any], object]) -> None:
    """Write to a path; what cannot be written there is kept in a folder for temporary files."""
    try:
        with contextlib.ExitStack() as stack:
            put(stack.enter_context(_stdout()) if path == STDOUT else path)
    except BrokenPipeError:
        raise
    except OSError as error:
        if error.filename is None and error.strerror:
            error.filename = "standard output" if path == STDOUT else path
        folder = Path(tempfile.mkdtemp(prefix="sparsebc-"))
        kept = folder / (Path(path).name if Path(path).suffix else "scores.csv")
        try:
            put(kept)
        except Exception:
            shutil.rmtree(folder, ignore_errors=True)
        else:
            error.add_note(f"(the results are kept in {kept})")
        raise


@contextmanager
def _stdout() -> Iterator[TextIO]:
    """Standard output in UTF-8; as it is where it has no bytes below it, as in a notebook."""
    sys.stdout.flush()
    if not hasattr(sys.stdout, "buffer"):
        yield sys.stdout
        return
    file = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="")
    try:
        yield file
        file.flush()
    finally:
        with contextlib.suppress(OSError):  # of what was not written, above
            file.detach()


def tell(
    args: argparse.Namespace,
    lines: Sequence[str],
    notes: Sequence[str],
    written: Mapping[str, str | None],
    record: Callable[[], Mapping[str, Any]],
) -> None:
    """Print the lines, what to know of them, and which files were written; or a record as JSON.

    Where a file is standard output they go to standard error, or with ``--quiet`` nowhere.
    """
    files = {what: path for what, path in written.items() if path}
    aside = any(_is_stdout(path) for path in files.values())
    if aside and args.quiet:
        return
    if args.json:
        show_json(json_text.value({**record(), "notes": list(notes), "files": files}), aside=aside)
        return
    tail = [f"note: {note}" for note in notes]
    tail += [f"{what}: {path}" for what, path in files.items() if path != STDOUT]
    show([*lines, *([""] if tail else []), *tail], aside=aside)


def _is_stdout(path: str) -> bool:
    return path == STDOUT or destination.is_output(path, 1)
