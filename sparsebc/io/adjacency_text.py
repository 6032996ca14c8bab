"""METIS graphs and DIMACS shortest-path files: text whose nodes are numbered from 1."""

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..plain_text import quoted
from .columns import Wanted, is_number
from .network import Network, assemble, check_size, check_weights
from .source import Source

_BLOCK = 1 << 22  # bytes of complete lines that are parsed at a time
# A DIMACS arc. Nodes are parsed as floats, so that `_arcs` can report the line of a bad one.
_ARC = np.dtype([("a", "S2"), ("tail", "f8"), ("head", "f8"), ("length", "f8")])
MOST = 10**18  # an int64 holds such integers
_SIZES = re.compile(rb"p\s+sp\s+(\d{1,18})\s+(\d{1,18})\s*")


def metis(file: Source, wanted: Wanted) -> Network:
    """Network of a METIS graph: line k lists the neighbours of node k, optionally with weights.

    The first line holds n, the number of edges, optionally the format (three binary digits: node
    sizes, node weights, edge weights) and the number of weights of a node.
    """
    name = file.name
    rows: list[tuple[int, list[int]]] = []
    for number, line in enumerate(file.stream, 1):
        if not line.startswith(b"%") and (rows or line.split()):
            try:
                row = list(map(int, line.split()))
                if b"_" in line or max(map(abs, row), default=0) >= MOST:
                    raise ValueError
            except ValueError:
                found = quoted(line.decode("latin-1").strip())
                expected = f"integers below {MOST:.0e}"
                raise InputError(f"{name}:{number}: {found}; expected {expected}") from None
            rows.append((number, row))
    if not rows:
        raise InputError(f"{name}: no data; expected a line 'nodes edges'")
    (number, first), *rows = rows
    if not 2 <= len(first) <= 4 or min(first) < 0:
        raise InputError(
            f"{name}:{number}: {quoted(first)}; expected 'nodes edges [format [weights]]'"
        )
    n, m, kind, count = *first, *(0, 1)[len(first) - 2 :]
    if not re.fullmatch("[01]{3}", digits := f"{kind:03d}"):
        raise InputError(f"{name}:{number}: format {digits}; expected three digits of 0 and 1")
    more = next((number for number, row in rows[n:] if row), 0)
    if len(rows) < n or more:
        place = f"{name}:{more}: a line too many" if more else f"{name}: {len(rows)} lines of nodes"
        raise InputError(f"{place}; expected {n}, one for each node, as the first line says")
    sized, weighs_nodes, weighs_edges = (digit == "1" for digit in digits)
    check_weights(name, wanted, has_weights=weighs_edges)
    skip, step = sized + weighs_nodes * count, 1 + weighs_edges
    heads: list[int] = []
    weights: list[int] = []
    degrees = []
    for node, (number, row) in enumerate(rows[:n], 1):
        neighbours = row[skip::step]
        problem = ""
        if len(set(neighbours)) < len(neighbours):
            twice = max(neighbours, key=neighbours.count)
            problem = f"node {node} has the neighbour {twice} {neighbours.count(twice)} times; "
            problem += "expected each neighbour once"
        elif len(row) < skip or (len(row) - skip) % step:
            problem = f"{len(row)} numbers; expected all weights that the format says"
        elif neighbours and not 1 <= min(neighbours) <= max(neighbours) <= n:
            problem = f"a neighbour out of range; expected 1 to {n}"
        if problem:
            raise InputError(f"{name}:{number}: {problem}")
        heads += neighbours
        weights += row[skip + 1 :: step] if weighs_edges else [1] * len(neighbours)
        degrees.append(len(neighbours))
    ends = np.repeat(np.arange(n), degrees), np.array(heads, dtype=np.int64) - 1
    matrix = assemble(*ends, np.array(weights, dtype=np.float64), n, lambda _: name)
    if len(heads) != 2 * m:
        raise InputError(
            f"{name}: {len(heads)} neighbours; expected {2 * m}, each of the {m} edges in the "
            "lines of both its nodes"
        )
    if (matrix != matrix.T).nnz:
        raise InputError(
            f"{name}: an edge in one direction only, or with two weights; expected it in the lines "
            "of both its nodes, with one weight"
        )
    return Network(matrix, tuple(map(str, range(1, n + 1))))


def dimacs(file: Source, _: Wanted) -> Network:
    """Network of a DIMACS .gr file: 'p sp nodes arcs', and 'a tail head length' for each arc.

    Weights are lengths by definition of the format: of parallel arcs, the shortest is kept.
    """
    name, sizes, before, tables = file.name, None, 0, [np.empty(0, dtype=_ARC)]
    while block := file.stream.readlines(_BLOCK):
        arcs = {}  # by line number
        for number, line in enumerate(block, before + 1):
            if line.startswith(b"a ") and sizes:
                arcs[number] = line
            elif not sizes and (found := _SIZES.fullmatch(line)):
                sizes = int(found[1]), int(found[2])
            elif line.strip() and not line.startswith(b"c"):
                expected = "one 'p sp nodes arcs', both integers, then 'a tail head length'"
                raise InputError(f"{name}:{number}: {line[:60]!r}; expected {expected}")
        if arcs and sizes:
            tables.append(_arcs(name, arcs, sizes[0]))
        before += len(block)
    if sizes is None:
        raise InputError(f"{name}: no line 'p sp nodes arcs'; expected one")
    (n, m), table = sizes, np.concatenate(tables)
    if len(table) != m:
        raise InputError(f"{name}: {len(table)} arcs; expected {m}, as the line p says")
    check_size(name, n, m)
    tails, heads = (table[end].astype(np.int64) - 1 for end in ("tail", "head"))
    matrix = assemble(tails, heads, table["length"], n, lambda _: name, shortest=True)
    return Network(matrix, tuple(map(str, range(1, n + 1))))


def _arcs(name: str, lines: dict[int, bytes], n: int) -> NDArray[Any]:
    """Array (`_ARC`) of the arcs in lines by number; InputError for the first malformed line."""
    try:
        table = np.loadtxt(list(lines.values()), dtype=_ARC, comments=None, ndmin=1)
        ends = np.stack((table["tail"], table["head"]))
        wrong = ((ends < 1) | (ends > n) | (ends != np.floor(ends))).any(axis=0)
    except ValueError:
        wrong = np.array([not _is_arc(line) for line in lines.values()])
    if wrong.any():
        number = list(lines)[int(np.argmax(wrong))]
        raise InputError(
            f"{name}:{number}: {lines[number][:60]!r}; expected 'a tail head length' with nodes "
            f"from 1 to {n}"
        )
    return table


def _is_arc(line: bytes) -> bool:
    """Whether the fields of a line, and of no second one after a CR, are an arc."""
    fields = line.split()
    length = fields[-1].decode("latin-1")
    digits = all(map(bytes.isdigit, fields[1:3]))
    return len(line.splitlines()) == 1 and len(fields) == 4 and digits and is_number(length)
