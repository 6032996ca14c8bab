"""DL, the text of UCINET: a header of keywords, ``data:``, and a matrix or lists."""

from __future__ import annotations

import re

from ..errors import InputError
from .columns import Wanted
from .graph_builder import (
    GraphBuilder,
    decoded,
    is_whole,
    matrix_entries,
    numbered_lines,
    quoted,
)
from .network import Network, check_size
from .source import Source

FIRST_LINE = re.compile(r"\s*dl\b[\s,]*(n|nr|nc|nm|format)\s*=", re.I)
FORMATS = {
    **{"fullmatrix": "fullmatrix", "fm": "fullmatrix", "edgelist1": "edgelist1"},
    **{"el1": "edgelist1", "nodelist1": "nodelist1", "nl1": "nodelist1"},
}
_OF_MATRICES = ("matrix", "level")  # labels of these are no nodes
_DATA = re.compile(r"(?:^|[\s,])data\s*:", re.I)
_WORD = re.compile(r'"([^"]*)"|(labels\s*:|[^\s,="]+)', re.I)
_FIELD = re.compile(r'"([^"]*)"|([^\s,"]+)')


class _Header:
    """What stands above the data."""

    def __init__(self, builder: GraphBuilder, text: str) -> None:
        sizes: dict[str, int] = {}
        self.form, self.diagonal, self.embedded = "fullmatrix", True, False
        self.labels: list[str] = []
        what = ""  # kind of labels
        words = iter([m[1] if m[2] is None else m[2] for m in _WORD.finditer(text)][1:])
        for word in words:
            key = word.lower().rstrip(": ")
            if key in ("n", "nr", "nc", "nm"):
                value = next(words, "")
                if not is_whole(value):
                    raise builder.error(1, f"{key}={quoted(value)}", "a whole number")
                sizes[key] = int(value)
            elif key == "format":
                given = next(words, "").lower()
                if given not in FORMATS:
                    raise builder.error(
                        1, f"a DL file of format {quoted(given)}", f"one of {', '.join(FORMATS)}"
                    )
                self.form = FORMATS[given]
            elif key == "diagonal":
                self.diagonal = next(words, "").lower() != "absent"
            elif key in ("row", "col", "column", "matrix", "level", ""):
                what = key
            elif key == "labels" and not word.endswith(":"):
                self.embedded = next(words, "").lower().rstrip(":") == "embedded"
            elif key == "labels":
                n = sizes.get("n", sizes.get("nr", 0)) if what not in _OF_MATRICES else 1
                labels = [label for _, label in zip(range(n), words, strict=False)]
                if what in _OF_MATRICES:
                    continue
                if self.labels not in ([], labels):
                    raise builder.error(1, "rows and columns of other labels", "one set of nodes")
                self.labels = labels
            else:
                raise builder.error(1, f"keyword {quoted(word)}", "n, format, labels or data of DL")
        self.n = sizes.get("n", sizes.get("nr", -1))
        if self.n < 0 or sizes.get("nc", self.n) != self.n or sizes.get("nm", 1) != 1:
            raise builder.error(
                1,
                f"a DL file of {sizes}",
                "n=..., one square matrix: one relation of one mode",
            )


def read(file: Source, wanted: Wanted) -> Network:
    """Network of a DL file: a full matrix, an edge list or a node list, as arcs."""
    text = decoded(file, wanted.encoding)
    builder = GraphBuilder(file.name, wanted, default_weight=1.0, declares=False)
    begin = _DATA.search(text)
    if not FIRST_LINE.match(text) or begin is None:
        raise builder.error(1, quoted(text), "a DL file: 'dl n=...', then 'data:'")
    header = _Header(builder, text[: begin.start()])
    before = text.count("\n", 0, begin.end())
    rows = [
        (before + line, [m[1] if m[2] is None else m[2] for m in _FIELD.finditer(row)])
        for line, row in numbered_lines(text[begin.end() :])
    ]
    n, labels = header.n, header.labels
    check_size(file.name, n, len(labels) + sum(len(fields) for _, fields in rows))
    if header.embedded and header.form == "fullmatrix":
        labels, rows = rows[0][1] if rows else [], [(line, row[1:]) for line, row in rows[1:]]
    elif not header.embedded and not labels:
        labels = [str(v) for v in range(1, n + 1)]
    if labels and len(set(labels)) != n:
        raise builder.error(1, f"{len(set(labels))} labels", f"{n}, one for each node")
    for label in labels:
        builder.node(label, 1)

    def node(line: int, field: str) -> str:
        if header.embedded:
            return field
        if not is_whole(field) or not 1 <= int(field) <= n:
            raise builder.error(line, f"node {quoted(field)}", f"a number from 1 to {n}")
        return labels[int(field) - 1]

    for line, fields in rows if header.form != "fullmatrix" else ():
        heads, weight = (
            (fields[1:2], fields[2:3]) if header.form == "edgelist1" else (fields[1:], [])
        )
        if not heads:
            raise builder.error(line, quoted(" ".join(fields)), "two nodes")
        for head in heads:
            attributes = {"weight": weight[0]} if weight else {}
            builder.edge(node(line, fields[0]), node(line, head), line, attributes)
    if header.form == "fullmatrix":
        places = ((v, w) for v in range(n) for w in range(n) if header.diagonal or v != w)
        values = ((line, field) for line, row in rows for field in row)
        size = n * (n - (not header.diagonal))
        for line, row, column, value in matrix_entries(builder, values, places, size, before + 1):
            builder.edge(labels[row], labels[column], line, {"weight": value})
    if builder.n != n:
        raise InputError(f"{file.name}: {builder.n} nodes; expected {n}, as its first line says")
    return builder.network(directed=True)
