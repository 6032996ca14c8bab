"""LGL, NCOL, TGF and the edge lists of NetworkX: formats of one node or edge per line."""

import ast
import contextlib
import re

from ..errors import InputError
from ..plain_text import quoted
from .columns import remark
from .graph_builder import GraphBuilder
from .text import numbered_lines, words

# A line of `networkx.write_edgelist`, whatever divides its fields.
WITH_DICT = r"(?:#[^\n]*\n)*+[^\s{#][^\n{]*[ \t,;|]\{[^\n]*(?:\}[ \r]*\n|\Z)"


def lgl(graph: GraphBuilder, text: str) -> bool:
    """Add an LGL file: below ``# node`` its neighbors, optionally with weights; undirected."""
    node = None
    for line, row in numbered_lines(text):
        fields = words(row.removeprefix("#"))
        if row.startswith("#") and len(fields) == 1:
            (node,) = fields
            graph.node(node, line)
        elif row.startswith("#") or node is None or len(fields) > 2:
            expected = "an LGL file: '# node', then 'neighbor weight'"
            raise graph.error(line, quoted(row), expected)
        else:
            graph.edge(node, fields[0], line, _attribute("weight", fields[1:]))
    return False


def ncol(graph: GraphBuilder, text: str) -> bool:
    """Add an NCOL file: two nodes per line, optionally with a weight; undirected."""
    for line, row in numbered_lines(text):
        fields = words(row)
        if not 2 <= len(fields) <= 3:
            raise graph.error(line, quoted(row), "an NCOL file: 'node node weight'")
        graph.edge(fields[0], fields[1], line, _attribute("weight", fields[2:]))
    return False


def tgf(graph: GraphBuilder, text: str) -> bool:
    """Add a TGF file: ``id label`` of nodes, ``#``, ``id id label`` of directed edges."""
    nodes = True
    for line, row in numbered_lines(text):
        fields = words(row, 1 if nodes else 2)
        if row == "#" and nodes:
            nodes = False
        elif nodes:
            graph.node(fields[0], line, _attribute("label", fields[1:]))
        elif len(fields) < 2:
            found = "a second '#'" if row == "#" else quoted(row)
            raise graph.error(line, found, "a TGF file: one '#', then 'id id label' of edges")
        else:
            graph.edge(fields[0], fields[1], line, _attribute("label", fields[2:]))
    if nodes:
        raise InputError(f"{graph.place}: no line '#'; expected a TGF file: nodes, '#', edges")
    return True


def networkx(graph: GraphBuilder, text: str) -> bool:
    """Add the lines of `networkx.write_edgelist`: two nodes and a dict, taken as directed.

    A line that begins with ``#`` is a comment, unless it has a dict and follows an edge.
    """
    above = False
    doubted: dict[str, int] = {}  # first line that could be either, by what it is taken for
    for line, row in numbered_lines(text):
        begin, _, rest = row.partition("{")
        if row.startswith("#"):
            if rest:
                doubted.setdefault("an edge" if above else "a comment", line)
            if not (above and rest):
                continue
        above = True
        ends, values = [one.strip(" ") for one in begin[:-1].split(begin[-1:] or " ")], None
        last = {one[-1:] for one in ends}  # of "a, b, {}" commas
        if len(ends) != 2 or (begin[-1:] == " " and len(last) == 1 and last <= {*",;|"}):
            ends = re.split(r" *[,;|\t] *| +", begin.rstrip(" ,;|\t"))
        with contextlib.suppress(ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
            values = ast.literal_eval(f"{{{rest}")
        if len(ends) != 2 or not all(ends) or not isinstance(values, dict):
            expected = "two nodes and a dict, as networkx.write_edgelist has them"
            raise graph.error(line, quoted(row), expected)
        tail, head = ends
        graph.edge(tail, head, line, {str(title): value for title, value in values.items()})
    for taken, line in doubted.items():
        remark(f"{graph.place}:{line}: begins with # and is taken for {taken}")
    return True


def _attribute(title: str, values: list[str]) -> dict[str, str]:
    """Attributes with the first of the values under a title; none if there are no values."""
    return dict(zip((title,), values, strict=False))
