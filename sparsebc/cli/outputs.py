"""Output of a command: its files, and the table, notes or JSON that it prints."""

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

from ..io import destination, texts
from ..io.network_file import WRITERS
from ..io.write import SUFFIXES as TABLE_SUFFIXES
from ..io.write import check_parquet
from ..plain_text import as_json
from ..reports import SUFFIXES as REPORT_SUFFIXES
from . import plot
from .errors import Refusal
from .files import files_read
from .options import PAGES, TABLES
from .table import show, show_json

STDOUT = "-"
# Suffixes of an output, by `commands.Command.formats`.
SUFFIXES = {TABLES: TABLE_SUFFIXES, PAGES: (*TABLE_SUFFIXES, *WRITERS, *REPORT_SUFFIXES)}


def check(given: argparse.Namespace) -> None:
    """Raise, before the computation, if a result could not be written."""
    if sys.stdout is None and given.output in (None, STDOUT):
        raise Refusal("standard output is closed: use -o FILE to write the scores")
    if given.output not in (None, STDOUT):
        suffix = _suffix(given.output, SUFFIXES[given.command.formats])
        if suffix == ".parquet":
            check_parquet()
        elif suffix in REPORT_SUFFIXES:
            from ..reports import report  # which takes longer to import than a small run

            report.check()
    taken = {_key(path): what for path, what in files_read(given) if os.path.exists(path)}
    for path in filter(None, (given.output, given.plot)):
        if path != STDOUT:
            destination.check(path)
        key = _key(path)
        if key in taken:
            raise Refusal(f"{path} is {taken[key]}: give the name of another file")
        taken[key] = "another output"
    if given.plot is not None:
        plot.check(given.plot)


def check_names(given: argparse.Namespace, names: Sequence[str]) -> None:
    """Raise, before the computation, if the format cannot hold the names of nodes."""
    if given.output is not None:
        suffix = suffix_of(given.output)
        texts.check(names, xml=suffix in WRITERS)
        if suffix in WRITERS or suffix in REPORT_SUFFIXES:
            texts.check_unique(names)


def _suffix(path: str, formats: Sequence[str]) -> str:
    try:
        return destination.suffix(path, formats)
    except ValueError as error:
        if any(path.lower().endswith(known) for known in REPORT_SUFFIXES):
            error.add_note("(pages show scores of nodes or edges; bfs and paths write tables)")
        raise


def suffix_of(path: str | None) -> str:
    """Suffix of an output; "" for standard output, a stream or no output."""
    return "" if path in (None, STDOUT) else destination.suffix(path, SUFFIXES[PAGES])


def _key(path: str) -> str:
    """Key of a file or stream, equal for all paths that lead to it."""
    path = "/dev/fd/1" if path == STDOUT else path
    with contextlib.suppress(OSError):
        there = os.stat(path)
        if stat.S_ISREG(there.st_mode):
            return f"{there.st_dev} {there.st_ino}"
    return os.path.realpath(path)


def keep(path: str, put: Callable[[Any], object]) -> None:
    """Write to a path; on failure, write to a temporary folder and name it in the error."""
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
    """Standard output in UTF-8; unchanged if it has no binary buffer, as in a notebook."""
    sys.stdout.flush()
    if not hasattr(sys.stdout, "buffer"):
        yield sys.stdout
        return
    file = io.TextIOWrapper(sys.stdout.buffer, encoding="utf-8", newline="")
    try:
        yield file
        file.flush()
    finally:
        with contextlib.suppress(OSError):  # raised above already
            file.detach()


def tell(
    given: argparse.Namespace,
    lines: Callable[[], Sequence[str]],
    record: Callable[[], Mapping[str, Any]],
    notes: Sequence[str],
    files: Mapping[str, str | None],
) -> None:
    """Print the lines, notes and written files; or with ``--json`` the record, notes and files.

    If standard output takes a file, these go to standard error, or nowhere with ``--quiet``. They
    go nowhere if standard output is closed: a file has the scores then, else `check` refused.
    """
    files = {what: path for what, path in files.items() if path}
    aside = any(path and _is_stdout(path) for path in files.values())
    if given.quiet if aside else sys.stdout is None:
        return
    if given.json:
        show_json(as_json({**record(), "notes": list(notes), "files": files}), aside=aside)
        return
    tail = [f"note: {note}" for note in notes]
    tail += [f"{what}: {path}" for what, path in files.items() if path != STDOUT]
    show([*lines(), *([""] if tail else []), *tail], aside=aside)


def _is_stdout(path: str) -> bool:
    """Whether a path leads to standard output."""
    return path == STDOUT or bool(destination.stream(path) and _key(path) == _key(STDOUT))
