"""Tables of text, as a terminal shows them."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Iterable, Sequence

from ..plain_text import JSON_ESCAPES, plain, plain_json


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], align: str) -> list[str]:
    """Lines of columns two spaces apart, each flush left (<) or right (>)."""
    cells = [[plain(cell) for cell in row] for row in (titles, *rows)]
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
    """Print to standard output, or aside to standard error: no line steers the terminal."""
    _print("\n".join(map(plain, lines)), "backslashreplace", aside=aside)


def show_json(text: str, *, aside: bool = False) -> None:
    """Print JSON, what the stream has no letters for and what steers a terminal as JSON does."""
    _print(plain_json(text), JSON_ESCAPES, aside=aside)


def _print(text: str, errors: str, *, aside: bool) -> None:
    stream = sys.stderr if aside else sys.stdout
    if stream is None:  # it was closed
        return
    encoding = getattr(stream, "encoding", None) or "utf-8"
    print(text.encode(encoding, errors).decode(encoding), file=stream, flush=True)
