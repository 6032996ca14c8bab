"""Tables of text, as a terminal shows them."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Sequence


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> list[str]:
    """Lines of columns two spaces apart, each flush left (<) or right (>)."""
    # Control characters are spelt out, lest a name steers the terminal.
    escape = {c: repr(chr(c))[1:-1] for c in (*range(32), *range(127, 160))}
    cells = [[cell.translate(escape) for cell in row] for row in (titles, *rows)]
    widths = [max(map(_width, column)) for column in zip(*cells, strict=True)]

    def padded(cell: str, width: int, side: str) -> str:
        pad = " " * (width - _width(cell))
        return pad + cell if side == ">" else cell + pad

    return ["  ".join(map(padded, row, widths, align)).rstrip() for row in cells]


def _width(text: str) -> int:
    """Columns that a terminal takes for the text."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.category(c) in ("Mn", "Me", "Cf") for c in text)


def show(lines: Iterable[str], *, aside: bool = False) -> None:
    """Print to standard output, or aside to standard error, in the letters that it has."""
    stream = sys.stderr if aside else sys.stdout
    encoding = stream.encoding or "utf-8"
    text = "\n".join(lines).encode(encoding, "backslashreplace").decode(encoding)
    print(text, file=stream, flush=True)
