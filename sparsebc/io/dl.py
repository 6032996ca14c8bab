"""DL, the text format of UCINET: a header of keywords, ``data:``, and a matrix or lists."""

import re

from ..errors import InputError
from ..plain_text import quoted
from .graph_builder import GraphBuilder
from .network import check_size
from .text import is_whole, numbered_lines

FIRST_LINE = r"(?i:dl\b[\s,]*(n|nr|nc|nm|format)\s*=)"
FORMATS = {
    **{"fullmatrix": "fullmatrix", "fm": "fullmatrix", "edgelist1": "edgelist1"},
    **{"el1": "edgelist1", "nodelist1": "nodelist1", "nl1": "nodelist1"},
}
_OF_MATRICES = ("matrix", "level")  # kinds of labels that name matrices, not nodes
_DATA = re.compile(r"(?i)(?:^|[\s,])data\s*:")
_WORD = re.compile(r'(?ai)"([^"]*)"|(labels\s*:|[^\s,="]+)')
_FIELD = re.compile(r'(?a)"([^"]*)"|([^\s,"]+)')


class _Header:
    """Header of a DL file: sizes, format and labels."""

    def __init__(self, graph: GraphBuilder, text: str) -> None:
        sizes: dict[str, int] = {}
        self.form, self.diagonal, self.embedded = "fullmatrix", True, False
        self.labels: list[str] = []
        what = ""  # kind of labels
        words = iter(_fields(_WORD, text)[1:])
        for word in words:
            match word.lower().rstrip(": "):
                case "n" | "nr" | "nc" | "nm" as key:
                    value = next(words, "")
                    if not is_whole(value):
                        raise graph.error(1, f"{key}={quoted(value)}", "an integer")
                    sizes[key] = int(value)
                case "format":
                    given = next(words, "").lower()
                    if given not in FORMATS:
                        found = f"a DL file of format {quoted(given)}"
                        raise graph.error(1, found, f"one of {', '.join(FORMATS)}")
                    self.form = FORMATS[given]
                case "diagonal":
                    self.diagonal = next(words, "").lower() != "absent"
                case "row" | "col" | "column" | "matrix" | "level" | "" as what:
                    pass
                case "labels" if not word.endswith(":"):
                    self.embedded = next(words, "").lower().rstrip(":") == "embedded"
                case "labels":
                    n = 1 if what in _OF_MATRICES else sizes.get("n", sizes.get("nr", 0))
                    labels = [label for _, label in zip(range(n), words, strict=False)]
                    if what not in _OF_MATRICES and self.labels not in ([], labels):
                        raise graph.error(1, "other labels of columns than of rows", "the same")
                    self.labels = self.labels if what in _OF_MATRICES else labels
                case _:
                    expected = "n, format, labels or data of DL"
                    raise graph.error(1, f"keyword {quoted(word)}", expected)
        self.n = sizes.get("n", sizes.get("nr", -1))
        if self.n < 0 or sizes.get("nc", self.n) != self.n or sizes.get("nm", 1) != 1:
            expected = "n=..., one square matrix: one relation of one mode"
            raise graph.error(1, f"a DL file of {sizes}", expected)


def parse(graph: GraphBuilder, text: str) -> bool:
    """Add the nodes and arcs of a DL file (full matrix, edge list or node list); always True."""
    begin = _DATA.search(text)
    if not re.match(FIRST_LINE, text.lstrip()) or begin is None:
        raise graph.error(1, quoted(text), "a DL file: 'dl n=...', then 'data:'")
    header = _Header(graph, text[: begin.start()])
    before = text.count("\n", 0, begin.end())
    lines = numbered_lines(text[begin.end() :])
    rows = [(before + line, _fields(_FIELD, row)) for line, row in lines]
    n, labels, is_matrix = header.n, header.labels, header.form == "fullmatrix"
    check_size(graph.place, n, len(labels) + sum(len(fields) for _, fields in rows))
    if header.embedded and is_matrix:
        labels, rows = rows[0][1] if rows else [], [(line, row[1:]) for line, row in rows[1:]]
    elif not header.embedded and not labels:
        labels = [str(v) for v in range(1, n + 1)]
    if labels and len(set(labels)) != n:
        raise graph.error(1, f"{len(set(labels))} labels", f"{n}, one for each node")
    for label in labels:
        graph.node(label, 1)

    def node(line: int, field: str) -> str:
        if header.embedded:
            return field
        if not is_whole(field) or not 1 <= int(field) <= n:
            raise graph.error(line, f"node {quoted(field)}", f"a number from 1 to {n}")
        return labels[int(field) - 1]

    if is_matrix:
        values = ((line, field) for line, row in rows for field in row)
        graph.matrix(values, labels, labels, before + 1, diagonal=header.diagonal)
        rows = []
    nodes = set(labels)
    for line, fields in rows:
        heads, weight = fields[1:], {}
        if header.form == "edgelist1":
            heads, weight = fields[1:2], dict(zip(("weight",), fields[2:], strict=False))
        if not heads:
            raise graph.error(line, quoted(" ".join(fields)), "two nodes")
        tail, *ends = (node(line, field) for field in (fields[0], *heads))
        nodes.update((tail, *ends))
        for head in ends:
            graph.edge(tail, head, line, weight)
    if len(nodes) != n:
        raise InputError(f"{graph.place}: {len(nodes)} nodes; expected {n}, as the header says")
    return True


def _fields(pattern: re.Pattern[str], text: str) -> list[str]:
    """Words of a text; a quoted one without its quotes."""
    return [match[1] if match[2] is None else match[2] for match in pattern.finditer(text)]
