"""METIS graphs and DIMACS shortest-path files: text whose nodes are numbers from 1 on."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .columns import Wanted, is_number
from .network import Network, assemble, check_size
from .source import Source
from .text import is_whole

_BLOCK = 1 << 22  # bytes of whole lines that are parsed at a time
# An arc of DIMACS; nodes are read as floats, which refuse nothing, and checked after.
_ARC = np.dtype([("a", "S2"), ("tail", "f8"), ("head", "f8"), ("length", "f8")])


def metis(file: Source, _: Wanted) -> Network:
    """Network of a METIS graph: line k lists the neighbours of node k, and perhaps edge weights.

    The first line holds n, the number of edges and perhaps which weights there are: a digit each
    for sizes of nodes, weights of nodes, weights of edges; and how many weights a node has.
    """
    name = file.name
    lines = _numbered(file)
    number, first = next((line for line in lines if line[1]), (0, []))
    if not number:
        raise InputError(f"{name}: no data; expected a line 'nodes edges'")
    if not 2 <= len(first) <= 4 or min(first) < 0:
        raise InputError(f"{name}:{number}: {first}; expected 'nodes edges [format [weights]]'")
    n, m, kind, count = *first, *(0, 1)[len(first) - 2 :]
    digits = f"{kind:03d}"
    if len(digits) > 3 or not set(digits) <= {"0", "1"}:
        raise InputError(f"{name}:{number}: format {digits}; expected three digits of 0 and 1")
    sized, weighs_nodes, weighs_edges = (digit == "1" for digit in digits)
    skip, step = sized + weighs_nodes * count, 1 + weighs_edges
    tails, heads, data, places = [], [], [], []
    node = 0
    for number, numbers in lines:
        if node == n:
            if numbers:
                raise InputError(f"{name}:{number}: one more line; expected {n}, one for each node")
            continue
        neighbours, weights = numbers[skip::step], numbers[skip + 1 :: step]
        ((twice, times),) = Counter(neighbours).most_common(1) or [(0, 0)]
        if times > 1:
            raise InputError(
                f"{name}:{number}: node {node + 1} has the neighbour {twice} {times} times; "
                "expected each neighbour once"
            )
        if len(numbers) < skip or (len(numbers) - skip) % step:
            raise InputError(f"{name}:{number}: {len(numbers)} numbers; expected a weight each")
        if neighbours and not 1 <= min(neighbours) <= max(neighbours) <= n:
            raise InputError(f"{name}:{number}: a neighbour that is no node; expected 1 to {n}")
        tails += [node] * len(neighbours)
        heads += neighbours
        data += weights if weighs_edges else [1] * len(neighbours)
        places += [number] * len(neighbours)
        node += 1
    if node < n:
        raise InputError(f"{name}: lines for {node} nodes; expected {n}, as the first line says")
    ends = np.array(tails, dtype=np.int64), np.array(heads, dtype=np.int64) - 1
    values = np.array(data, dtype=np.float64)
    matrix = assemble(*ends, values, n, lambda k: f"{name}:{places[k]}")
    if len(tails) != 2 * m:
        raise InputError(
            f"{name}: {len(tails)} neighbours in all; expected {2 * m}, each of the {m} edges in "
            "the lines of both ends"
        )
    if (matrix != matrix.T).nnz:
        raise InputError(f"{name}: an edge that differs; expected it in the lines of both ends")
    return Network(matrix, tuple(map(str, range(1, n + 1))))


def _numbered(file: Source) -> Iterator[tuple[int, list[int]]]:
    """Whole numbers of each line that is no comment, and the number of the line."""
    for number, line in enumerate(file.stream, 1):
        if not line.startswith(b"%"):
            try:
                yield number, list(map(int, line.split()))
            except ValueError as error:
                raise InputError(f"{file.name}:{number}: {error}; expected whole numbers") from None


def dimacs(file: Source, _: Wanted) -> Network:
    """Network of a DIMACS .gr file: 'p sp nodes arcs', and 'a tail head length' for each arc.

    Weights are lengths by definition of the format: of parallel arcs, the shortest counts.
    """
    name, n, m, before = file.name, -1, -1, 0
    parts = [np.empty(0, dtype=_ARC)]
    while block := file.stream.readlines(_BLOCK):
        arcs = [line for line in block if line.startswith(b"a ")]
        for number, line in enumerate(block if len(arcs) < len(block) else (), before + 1):
            fields = line.decode("latin-1").split()
            if line.startswith(b"p"):
                if n >= 0 or fields[1:2] != ["sp"] or [*map(is_whole, fields[2:])] != [True] * 2:
                    expected = "one 'p sp nodes arcs', of whole numbers"
                    raise InputError(f"{name}:{number}: {line[:60]!r}; expected {expected}")
                n, m = map(int, fields[2:])
            elif fields and fields[0] != "a" and not line.startswith(b"c"):
                raise InputError(f"{name}:{number}: {line[:40]!r}; expected c, p or a")
        if arcs and n < 0:
            raise InputError(f"{name}:{before + 1}: an arc; expected 'p sp nodes arcs' before it")
        if arcs:
            parts.append(_arcs(name, block, arcs, before, n))
        before += len(block)
    if n < 0:
        raise InputError(f"{name}: no sizes; expected a line 'p sp nodes arcs'")
    table = np.concatenate(parts)
    if len(table) != m:
        raise InputError(f"{name}: {len(table)} arcs; expected {m}, as the line p says")
    check_size(name, n, m)
    tails, heads = (table[end].astype(np.int64) - 1 for end in ("tail", "head"))
    matrix = assemble(tails, heads, table["length"], n, lambda _: name, shortest=True)
    return Network(matrix, tuple(map(str, range(1, n + 1))))


def _arcs(name: str, block: list[bytes], arcs: list[bytes], before: int, n: int) -> NDArray[Any]:
    """Arcs of a block of lines as `_ARC`."""
    with contextlib.suppress(ValueError):
        table = np.loadtxt(arcs, dtype=_ARC, comments=None, ndmin=1)
        ends = np.concatenate((table["tail"], table["head"]))
        if ((ends >= 1) & (ends <= n) & (ends == np.floor(ends))).all():
            return table
    wrong = (k for k, line in enumerate(block) if line.startswith(b"a ") and not _is_arc(line, n))
    k = next(wrong, 0)
    raise InputError(
        f"{name}:{before + 1 + k}: {block[k][:60]!r}; expected 'a tail head length' with nodes "
        f"from 1 to {n}"
    )


def _is_arc(line: bytes, n: int) -> bool:
    """Whether the line has two nodes and a number."""
    fields = line.decode("latin-1").split()[1:]
    if len(fields) != 3 or not all(is_whole(end) and 1 <= int(end) <= n for end in fields[:2]):
        return False
    return is_number(fields[2]) and "_" not in fields[2]
