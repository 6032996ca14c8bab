"""Rows of the tables that options name, such as those of ``--names``."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator

from .errors import Refusal


def rows(path: str, expected: str) -> Iterator[tuple[int, list[str]]]:
    """Rows of a table with tabs or commas, as text, and the line that each ends on.

    Between tabs a quote is a letter, for the annotations of STRING have some, unless two of them
    enclose a cell. ``expected`` is what a file should be that is no text.
    """
    from ..io.source import opened

    with opened(path) as file, io.TextIOWrapper(file.stream, "utf-8-sig") as text:
        try:
            content = text.read()
        except UnicodeDecodeError as error:
            raise Refusal(f"{path}: expected {expected}") from error
    found = _by_tabs(content) if "\t" in content.partition("\n")[0] else _by_commas(content, path)
    for number, row in found:
        if row and row != [""]:
            yield number, row


def _by_tabs(content: str) -> Iterator[tuple[int, list[str]]]:
    for number, line in enumerate(content.split("\n"), 1):
        yield number, [_unquoted(cell) for cell in line.split("\t")]


def _unquoted(cell: str) -> str:
    enclosed = len(cell) > 1 and cell[0] == cell[-1] == '"'
    return cell[1:-1].replace('""', '"') if enclosed else cell


def _by_commas(content: str, path: str) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(content), strict=True)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise Refusal(f"{path}:{reader.line_num}: {error}; look for a quote without end") from error
