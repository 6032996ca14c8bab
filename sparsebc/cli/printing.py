"""What a command prints: lines, tables and JSON, without control characters."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import SparsebcError
from ..plain_text import plain, plain_json

# Values of a column, and how they are printed: flush left (<) or right (>), then a format
# specification of Python; with # decimal points are aligned.
Cells = tuple[Any, str]


def table(columns: Mapping[str, Cells]) -> list[str]:
    """Lines of a table: titles, then rows, columns two spaces apart and each of one width."""
    padded = []
    for title, (values, spec) in columns.items():
        cells = [plain(f"{value:{spec[1:]}}") for value in values]
        if "#" in spec:
            before = [len(cell.partition(".")[0]) for cell in cells]
            most = max(before, default=0)
            cells = [" " * (most - n) + cell for n, cell in zip(before, cells, strict=True)]
        cells.insert(0, plain(title))
        widths = []  # on a terminal: wide characters count 2, combining ones 0
        for cell in cells:
            wide = sum(unicodedata.east_asian_width(c) in "WF" for c in cell)
            none = sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in cell)
            widths.append(len(cell) + wide - none)
        pads = zip([" " * (max(widths) - width) for width in widths], cells, strict=True)
        padded.append([pad + cell if spec[0] == ">" else cell + pad for pad, cell in pads])
    return ["  ".join(row).rstrip() for row in zip(*padded, strict=True)]


def show(lines: Iterable[str], *, aside: bool = False, json: bool = False) -> None:
    """Print lines to standard output, or `aside` to standard error. Raises if they are lost.

    Control characters, and those the stream cannot encode, are escaped as in Python literals, or
    as in JSON. A failure to print to standard error is ignored: no stream is left to report it on.
    """
    stream = sys.stderr if aside else sys.stdout
    if stream is None:
        raise SparsebcError("standard output is closed: use -o FILE to write results")
    encoding = getattr(stream, "encoding", None) or "utf-8"
    text = "\n".join(plain_json(line, encoding) if json else plain(line) for line in lines)
    try:
        told = text.encode(encoding, "backslashreplace").decode(encoding)
        print(told, file=stream, flush=True)
    except OSError as error:
        if not aside:
            error.filename = "standard output"
            raise
