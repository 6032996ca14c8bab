"""METIS graphs and DIMACS shortest-path files: text whose nodes are numbers from 1 on."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from .columns import Wanted, is_number
from .network import Network, assemble, check_size, shortest
from .source import Source

_BLOCK = 1 << 22  # bytes of whole lines that are parsed at a time
# An arc of DIMACS; nodes are read as floats, which refuse nothing, and checked after.
_ARC = np.dtype([("a", "S2"), ("tail", "f8"), ("head", "f8"), ("length", "f8")])


def metis(file: Source, _: Wanted) -> Network:
    """Network of a METIS graph: line k lists the neighbours of node k, and perhaps edge weights.

    The first line holds n, the number of edges and perhaps which weights there are: a digit each
    for sizes of nodes, weights of nodes, weights of edges; and how many weights a node has.
    """
    name = file.name
    lines = _numbered(name, file.stream)
    header = next((line for line in lines if line[1]), None)
    if header is None:
        raise InputError(f"{name}: no data; expected a line 'nodes edges'")
    number, first = header
    if not 2 <= len(first) <= 4 or min(first) < 0:
        raise InputError(f"{name}:{number}: {first}; expected 'nodes edges [format [weights]]'")
    n, m = first[:2]
    kind = f"{first[2]:03d}" if len(first) > 2 else "000"
    if len(kind) > 3 or not set(kind) <= {"0", "1"}:
        raise InputError(f"{name}:{number}: format {kind}; expected three digits of 0 and 1")
    skip = (kind[0] == "1") + (kind[1] == "1") * (first[3] if len(first) > 3 else 1)
    step = 2 if kind[2] == "1" else 1
    tails, heads, data, places = [], [], [], []
    node = 0
    for number, numbers in lines:
        if node == n:
            if numbers:
                raise InputError(f"{name}:{number}: more lines than the {n} nodes of the header")
            continue
        neighbours, weights = numbers[skip::step], numbers[skip + 1 :: step]
        if len(set(neighbours)) < len(neighbours):
            ((twice, count),) = Counter(neighbours).most_common(1)
            raise InputError(
                f"{name}:{number}: node {node + 1} has the neighbour {twice} {count} times; "
                "expected each neighbour once"
            )
        if len(numbers) < skip or (len(numbers) - skip) % step:
            raise InputError(f"{name}:{number}: {len(numbers)} numbers; one is missing")
        if neighbours and not 1 <= min(neighbours) <= max(neighbours) <= n:
            raise InputError(f"{name}:{number}: a neighbour outside of 1 to {n}")
        tails += [node] * len(neighbours)
        heads += [one - 1 for one in neighbours]
        data += weights if step == 2 else [1] * len(neighbours)
        places += [number] * len(neighbours)
        node += 1
    if node < n:
        raise InputError(f"{name}: lines for {node} nodes; expected {n}, as the first line says")
    row, column = np.array(tails, dtype=np.int64), np.array(heads, dtype=np.int64)
    matrix = assemble(
        row, column, np.array(data, dtype=np.float64), n, lambda k: f"{name}:{places[k]}"
    )
    if len(tails) != 2 * m:
        raise InputError(
            f"{name}: {len(tails)} neighbours in all; expected {2 * m}, each of the {m} edges in "
            "the lines of both ends"
        )
    if (matrix != matrix.T).nnz:
        raise InputError(f"{name}: an edge is not the same in the lines of both ends")
    return Network(matrix, tuple(map(str, range(1, n + 1))))


def _numbered(name: str, stream: IO[bytes]) -> Iterator[tuple[int, list[int]]]:
    """Whole numbers of each line that is no comment, and the number of the line."""
    for number, line in enumerate(stream, 1):
        if line.startswith(b"%"):
            continue
        try:
            yield number, list(map(int, line.split()))
        except ValueError as error:
            raise InputError(f"{name}:{number}: {error}; expected whole numbers") from None


def dimacs(file: Source, _: Wanted) -> Network:
    """Network of a DIMACS .gr file: 'p sp nodes arcs', and 'a tail head length' for each arc.

    Weights are lengths by definition of the format: of parallel arcs, the shortest counts.
    """
    name, n, m = file.name, -1, -1
    parts = []
    number = 0
    while block := file.stream.readlines(_BLOCK):
        arcs = [line for line in block if line.startswith(b"a ")]
        if len(arcs) < len(block):
            for k, line in enumerate(block, number + 1):
                fields = line.split()
                if line.startswith(b"p"):
                    if n >= 0 or len(fields) != 4 or fields[1] != b"sp":
                        raise InputError(
                            f"{name}:{k}: {line[:60]!r}; expected one 'p sp nodes arcs'"
                        )
                    n, m = (_whole(name, k, field) for field in fields[2:])
                elif fields and line[:2] != b"a " and not line.startswith(b"c"):
                    raise InputError(f"{name}:{k}: {line[:40]!r}; expected c, p or a")
        if arcs:
            if n < 0:
                raise InputError(f"{name}:{number + 1}: an arc before 'p sp nodes arcs'")
            parts.append(_arcs(name, block, arcs, number, n))
        number += len(block)
    if n < 0:
        raise InputError(f"{name}: no line 'p sp nodes arcs'")
    table = np.concatenate(parts) if parts else np.empty(0, dtype=_ARC)
    if len(table) != m:
        raise InputError(f"{name}: {len(table)} arcs; expected {m}, as the line p says")
    check_size(name, n, len(table))
    tails, heads = table["tail"].astype(np.int64) - 1, table["head"].astype(np.int64) - 1
    matrix = assemble(*shortest(tails, heads, table["length"]), n, lambda _: name)
    return Network(matrix, tuple(map(str, range(1, n + 1))))


def _whole(name: str, number: int, field: bytes) -> int:
    if not field.isdigit():
        raise InputError(f"{name}:{number}: {field!r}; expected a whole number")
    return int(field)


def _arcs(name: str, block: list[bytes], arcs: list[bytes], before: int, n: int) -> NDArray[Any]:
    """Arcs of a block of lines as `_ARC`."""
    with contextlib.suppress(ValueError):
        table = np.loadtxt(arcs, dtype=_ARC, comments=None, ndmin=1)
        ends = np.concatenate((table["tail"], table["head"]))
        if ((ends >= 1) & (ends <= n) & (ends == np.floor(ends))).all():
            return table
    for k, line in enumerate(block, before + 1):
        if line.startswith(b"a ") and not _is_arc(line.split()[1:], n):
            raise InputError(
                f"{name}:{k}: {line[:60]!r}; expected 'a tail head length' with nodes from 1 to {n}"
            )
    raise InputError(f"{name}:{before + 1}: arcs that are not 'a tail head length'")


def _is_arc(fields: list[bytes], n: int) -> bool:
    """Whether the fields are two nodes and a number."""
    if len(fields) != 3 or not all(end.isdigit() and 1 <= int(end) <= n for end in fields[:2]):
        return False
    return is_number(fields[2].decode("latin-1")) and b"_" not in fields[2]
