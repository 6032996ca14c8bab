"""Matrices in npz and Matrix Market files, METIS and DIMACS graphs; nodes are named by number.

SciPy's parser and constructors trust what a file says: a false header makes them write beyond their
arrays. So all is checked before they see it, and the parser gets a header of our own.
"""

from __future__ import annotations

import codecs
import io
import re
from typing import Any

import numpy as np
import scipy.io
from numpy.typing import NDArray

from ..errors import InputError
from ..matrix.matrix_arrays import Given, check_indices, given_parts
from ..plain_text import quoted
from ..process import free_memory
from .network import Network, assemble, both_ways, check_size, check_weights
from .remarks import fault
from .source import ZIP, Source, intact
from .titles import Wanted

BLOCK = 1 << 20  # bytes of entries that are parsed at once
LONGEST = 1 << 16  # bytes of a line
MOST = 10**18  # an int64 holds such integers

_BANNER = re.compile(
    rb"(?i)%?%MatrixMarket\s+matrix\s+(coordinate|array)\s+"
    rb"(real|double|integer|unsigned-integer|pattern)\s+"
    rb"(general|symmetric|hermitian|skew-symmetric)\s*"
)
_EXPECTED = (
    "%%MatrixMarket matrix, then coordinate or array, then real, integer or pattern, then general "
    "or symmetric"
)
_INDEX = rb"0*+[1-9][0-9]{0,17}+"
# CPython before 3.11.5 lets a group with ?+ match the beginning of what it should.
_FLOAT = rb"[-+]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?+[0-9]++|(?![eE]))"
# Pattern of the values, by field.
_VALUES = {
    "real": _FLOAT,
    "double": _FLOAT,
    "integer": rb"[-+]?+[0-9]{1,18}+",
    "unsigned-integer": rb"[0-9]{1,18}+",
    "pattern": rb"",
}
_SIGN = re.compile(rb"(?<![eE])\+")  # which SciPy's parser does not take before a number
Entries = tuple[NDArray[Any], NDArray[Any], NDArray[Any]]  # rows, columns, values
_SIZES = re.compile(rb"p\s+sp\s+(\d{1,18})\s+(\d{1,18})\s*")


def npz(file: Source, wanted: Wanted) -> Network:
    """Network of a matrix saved by `scipy.sparse.save_npz`."""
    expected = "a matrix saved by scipy.sparse.save_npz"
    if not file.head.startswith(ZIP):
        raise fault(file.name, "no zip archive", expected)
    try:
        with intact(file.name, ".zip"), np.load(file.stream, allow_pickle=False) as parts:
            given = _saved(parts)
        check_indices(given)
    except (MemoryError, OSError):
        raise
    except Exception as error:  # of any type, on damaged files
        found = str(error) or type(error).__name__
        if isinstance(error, InputError) and found.startswith(file.name):
            raise
        found = "objects of Python" if "pickle" in found else found.rstrip(".")[:200]
        found = "".join(c if c.isprintable() else repr(c)[1:-1] for c in found)
        more = "" if "; expected" in found else f"; expected {expected}"
        raise InputError(f"{file.name}: {found}{more}") from error
    check_weights(file.name, wanted, has_weights=given.data.dtype.kind != "b")
    return _network(file.name, *given.coordinates(), given.data, given.n, first=0)


def _saved(parts: Any) -> Given:
    """Arrays of an npz file, whose indices are yet to be checked."""
    size = sum(member.file_size for member in parts.zip.infolist())
    if size > (free := free_memory()):
        raise MemoryError(f"arrays of {size >> 20} MiB, and {free >> 20} MiB are free")
    form = str(parts["format"].astype(str).item())  # bytes before SciPy 1.0
    if form not in ("csr", "csc", "coo"):
        raise InputError(f"matrix in {form} format; save matrix.tocsr()")
    shape = parts["shape"]
    if shape.shape != (2,) or shape.dtype.kind not in "iu" or not 0 <= shape[0] == shape[1]:
        raise InputError(f"matrix of shape {tuple(shape.ravel().tolist())}; expected a square one")
    names = ("row", "col") if form == "coo" else ("indptr", "indices")
    ends = parts["coords"] if "coords" in parts else [parts[name] for name in names]
    data = parts["data"]
    if data.dtype.kind not in "biuf":
        raise InputError(f"matrix of dtype {data.dtype}; expected real numbers")
    return given_parts(form, data, ends, int(shape[0]), names)


def mtx(file: Source, wanted: Wanted) -> Network:
    """Network of a Matrix Market file."""
    lines, name = _Lines(file), file.name
    banner = lines.line().removeprefix(codecs.BOM_UTF8)
    named = _BANNER.fullmatch(banner)
    form, field, symmetry = named[0].decode().lower().split()[2:] if named else [""] * 3
    is_array, skew = form == "array", symmetry == "skew-symmetric"
    if not form or (field == "pattern" and (is_array or skew)) or (field[0] == "u" and skew):
        raise lines.refused(banner, _EXPECTED)
    while (line := lines.line()).startswith(b"%") or line.isspace():
        pass
    sizes = line.split()
    if len(sizes) != 3 - is_array or not all(s.isdigit() and len(s) < 19 for s in sizes):
        expected = "rows and columns" if is_array else "rows, columns and entries"
        raise lines.refused(line, f"the numbers of {expected}")
    n, m, *entries = map(int, sizes)
    if n != m:
        raise fault(name, f"matrix of shape {(n, m)}", "a square one")
    packed = {"general": n * n, "skew-symmetric": n * (n - 1) // 2}
    count = entries[0] if entries else packed.get(symmetry, n * (n + 1) // 2)
    check_weights(name, wanted, has_weights=field != "pattern")
    check_size(name, n, count)
    expected = ("" if is_array else "row, column and ") + f"{field} value"
    row, column, data = lines.entries(field, count, None if is_array else n, expected)
    if is_array:
        # Column by column; a symmetric matrix from the diagonal on, a skew one from below it.
        whole = symmetry == "general"
        places = np.divmod(np.arange(n * n), max(n, 1)) if whole else np.triu_indices(n, int(skew))
        (column, row), there = places, data != 0
        row, column, data = row[there], column[there], data[there]
    stored = data.size
    if symmetry != "general":
        row, column, data = both_ways(row, column, data)
    if skew:
        data[stored:] *= -1
    return _network(name, row, column, data, n, first=1)


def metis(file: Source, wanted: Wanted) -> Network:
    """Network of a METIS graph: line k lists the neighbours of node k, optionally with weights.

    The first line holds n, the number of edges, optionally the format (three binary digits: node
    sizes, node weights, edge weights) and the number of weights of a node.
    """
    name = file.name
    rows: list[tuple[str, list[int]]] = []
    for number, line in enumerate(file.stream, 1):
        if not line.startswith(b"%") and (rows or line.split()):
            try:
                row = list(map(int, line.split()))
                if b"_" in line or max(map(abs, row), default=0) >= MOST:
                    raise ValueError
            except ValueError:
                found = quoted(line.decode("latin-1").strip())
                raise fault(f"{name}:{number}", found, f"integers below {MOST:.0e}") from None
            rows.append((f"{name}:{number}", row))
    if not rows:
        raise fault(name, "no data", "a line 'nodes edges'")
    (place, first), *rows = rows
    if not 2 <= len(first) <= 4 or min(first) < 0:
        raise fault(place, quoted(first), "'nodes edges [format [weights]]'")
    n, m, kind, count = *first, *(0, 1)[len(first) - 2 :]
    if not re.fullmatch("[01]{3}", digits := f"{kind:03d}"):
        raise fault(place, f"format {digits}", "three digits of 0 and 1")
    more = next((f"{place}: a line too many" for place, row in rows[n:] if row), "")
    if len(rows) < n or more:
        found = more or f"{name}: {len(rows)} lines of nodes"
        raise InputError(f"{found}; expected {n}, one for each node, as the first line says")
    sized, weighs_nodes, weighs_edges = (digit == "1" for digit in digits)
    check_weights(name, wanted, has_weights=weighs_edges)
    skip, step = sized + weighs_nodes * count, 1 + weighs_edges
    heads: list[int] = []
    weights: list[int] = []
    degrees = []
    for node, (place, row) in enumerate(rows[:n], 1):
        neighbours = row[skip::step]
        if len(set(neighbours)) < len(neighbours):
            twice = max(neighbours, key=neighbours.count)
            found = f"node {node} has the neighbour {twice} {neighbours.count(twice)} times"
            raise fault(place, found, "each neighbour once")
        if len(row) < skip or (len(row) - skip) % step:
            raise fault(place, f"{len(row)} numbers", "all weights that the format says")
        if neighbours and not 1 <= min(neighbours) <= max(neighbours) <= n:
            raise fault(place, "a neighbour out of range", f"1 to {n}")
        heads += neighbours
        weights += row[skip + 1 :: step] if weighs_edges else [1] * len(neighbours)
        degrees.append(len(neighbours))
    ends = np.repeat(np.arange(n), degrees), np.array(heads, dtype=np.int64) - 1
    matrix = assemble(*ends, np.array(weights, dtype=np.float64), n, lambda _: name)
    both = "in the lines of both its nodes"
    if len(heads) != 2 * m:
        raise fault(name, f"{len(heads)} neighbours", f"{2 * m}, each of the {m} edges {both}")
    if (matrix != matrix.T).nnz:
        found = "an edge in one direction only, or with two weights"
        raise fault(name, found, f"it {both}, with one weight")
    return Network(matrix, tuple(map(str, range(1, n + 1))))


def dimacs(file: Source, _: Wanted) -> Network:
    """Network of a DIMACS .gr file: 'p sp nodes arcs', and 'a tail head length' for each arc.

    Weights are lengths by definition of the format: of parallel arcs, the shortest is kept.
    """
    lines, name = _Lines(file, letter=b"a", skipped=rb"c[^\n]*+\n"), file.name
    while (line := lines.line()).startswith(b"c") or line.isspace():
        pass
    found = _SIZES.fullmatch(line)
    if found is None:
        raise lines.refused(line, "'p sp nodes arcs', both integers")
    n, m = map(int, found.groups())
    check_size(name, n, m)
    arcs = lines.entries("real", m, n, f"'a tail head length' with nodes from 1 to {n}")
    matrix = assemble(*arcs, n, lambda _: name, shortest=True)
    return Network(matrix, tuple(map(str, range(1, n + 1))))


class _Lines:
    """Lines of a file: those of a header one by one, then entries, checked and parsed in blocks."""

    def __init__(self, file: Source, letter: bytes = b"", skipped: bytes = b"(?!)") -> None:
        self._name, self._stream = file.name, file.stream
        self._letter = letter  # before each entry
        self._skipped = rb"[ \t]*+\n|" + skipped  # lines that are no entries
        self._before = 0  # lines read

    def line(self) -> bytes:
        """The next line."""
        line: bytes = self._stream.readline(LONGEST)
        self._before += 1
        if len(line) == LONGEST:
            raise self.refused(line, f"a line of less than {LONGEST} bytes")
        return line

    def refused(self, line: bytes, expected: str, ahead: int = 0) -> InputError:
        """Error about the line that was read last, or one `ahead`."""
        found = quoted(line.decode(errors="backslashreplace").strip())
        return fault(f"{self._name}:{self._before + ahead}", found, expected)

    def entries(self, field: str, count: int, n: int | None, expected: str) -> Entries:
        """Rows and columns from 0 on, and values, of all entries of a matrix.

        An entry of two indices from 1 to `n`, and a value of the field, is a line. If `n` is None,
        as of an array, it is the value alone, and rows and columns are of no use.
        """
        ends = [] if n is None else [_INDEX, _INDEX]
        words = filter(None, (self._letter, *ends, _VALUES[field]))
        entry = rb"[ \t]*+" + rb"[ \t]++".join(words) + rb"[ \t]*+\n"
        entries = re.compile(rb"(?:%b)*+" % entry)
        regular = re.compile(rb"(?:%b|%b)*+" % (entry, self._skipped))
        skipped = re.compile(rb"(?m)^(?:%b)+" % self._skipped)
        parts: list[Entries] = []
        left = count
        while block := self._block():
            good, lines = len(block), block
            if not entries.fullmatch(block):
                good = regular.match(block).end()  # type: ignore[union-attr]
                lines = skipped.sub(b"", block[:good])
            lines = lines.replace(self._letter, b"")
            row, column, data = _parsed(lines, field, is_array=n is None)
            beyond = np.zeros(0, bool) if n is None else (row >= n) | (column >= n)
            if beyond.any():
                places = [found.start() for found in re.finditer(rb"(?m)^" + entry, block)]
                good = places[int(np.argmax(beyond))]
            if good < len(block):
                bad, ahead = block[good:].split(b"\n")[0], block.count(b"\n", 0, good) + 1
                raise self.refused(bad, expected, ahead)
            self._before += block.count(b"\n")
            parts += [(row, column, data)] * (lines != b"")
            left -= len(data)
            if left < 0:
                found = f"more than the {count} entries that the header says"
                raise fault(self._name, found, "no more")
        if left:
            found = f"{left} fewer entries than the {count} that the header says"
            raise fault(self._name, found, "all of them")
        parts = parts or [_parsed(b"", field, is_array=n is None)]
        row, column, data = map(np.concatenate, zip(*parts, strict=True))
        return row, column, data

    def _block(self) -> bytes:
        """Complete lines, each ended by a line feed; empty at the end of the file."""
        block: bytes = self._stream.read(BLOCK)
        if block and not block.endswith(b"\n"):
            block += (rest := self._stream.readline(LONGEST))
            if len(rest) == LONGEST:
                expected, ahead = f"a line of less than {LONGEST} bytes", block.count(b"\n") + 1
                raise self.refused(rest, expected, ahead)
        block = block.replace(b"\r\n", b"\n")
        return block if not block or block.endswith(b"\n") else block + b"\n"


def _parsed(lines: bytes, field: str, *, is_array: bool) -> Entries:
    """Rows, columns and values of checked lines, a line each."""
    count = lines.count(b"\n")
    if is_array and not count:  # by which SciPy would divide
        return np.zeros(0), np.zeros(0), np.zeros(0)
    form, size = ("array", b"%d 1" % count) if is_array else ("coordinate", b"%d " % MOST * 2)
    header = f"%%MatrixMarket matrix {form} {field} general\n".encode() + size
    header += b"\n" if is_array else b"%d\n" % count
    lines = _SIGN.sub(b"", lines) if b"+" in lines else lines
    matrix = scipy.io.mmread(io.BytesIO(header + lines), spmatrix=False)
    return (np.zeros(0), np.zeros(0), matrix.ravel()) if is_array else (*matrix.coords, matrix.data)


def _network(name: str, row: Any, column: Any, data: Any, n: int, *, first: int) -> Network:
    """Network of the entries of a matrix whose nodes are named by number, from `first`."""
    check_size(name, n, data.size)
    kind = np.float64 if data.dtype.kind == "f" else data.dtype.newbyteorder("=")

    def place(k: int) -> str:
        return f"{name}: entry [{row[k] + first}, {column[k] + first}] counted from {first}"

    matrix = assemble(row, column, data.astype(kind, copy=False), n, place)
    return Network(matrix, tuple(map(str, range(first, first + n))))
