"""Matrices in npz and Matrix Market files, METIS and DIMACS graphs; nodes are named by number.

SciPy's parser and constructors trust what a file says: a false header makes them write beyond their
arrays. So all is checked before they see it, and text is parsed here.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import re
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..limits import free_memory
from ..matrix.matrix_arrays import Given, check_indices, given_parts
from ..plain_text import quoted
from .columns import Wanted
from .network import Network, assemble, both_ways, check_size, check_weights
from .source import ZIP, Source

BLOCK = 3 << 15  # bytes of entries that are parsed at once
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
_FLOAT = rb"[-+]?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][-+]?+[0-9]++)?+"
_INDEX = rb"[0-9]{1,18}+"
# Pattern and type of the values, by field.
_FIELDS: dict[str, tuple[bytes, Any]] = {
    "real": (_FLOAT, np.float64),
    "double": (_FLOAT, np.float64),
    "integer": (rb"[-+]?+[0-9]{1,18}+", np.int64),
    "unsigned-integer": (_INDEX, np.uint64),
    "pattern": (rb"", np.int64),
}
_SIZES = re.compile(rb"p\s+sp\s+(\d{1,18})\s+(\d{1,18})\s*")


def npz(file: Source, wanted: Wanted) -> Network:
    """Network of a matrix saved by `scipy.sparse.save_npz`."""
    with _reworded(file.name, "a matrix saved by scipy.sparse.save_npz"):
        if not file.head.startswith(ZIP):
            raise InputError("no zip archive")
        stream = file.stream  # arrays are found from the end of the archive
        stream = stream if stream.seekable() else io.BytesIO(stream.read())
        with np.load(stream, allow_pickle=False) as parts:
            given = _saved(parts)
        check_indices(given)
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
    lines = _Lines(file)
    with _reworded(file.name, "a Matrix Market file"):
        banner = lines.line().removeprefix(codecs.BOM_UTF8)
        named = _BANNER.fullmatch(banner)
        if named is None:
            raise _refused(1, banner, _EXPECTED)
        form, field, symmetry = (word.decode().lower() for word in named.groups())
        is_array, skew = form == "array", symmetry == "skew-symmetric"
        if (field == "pattern" and (is_array or skew)) or (field == "unsigned-integer" and skew):
            raise _refused(1, banner, _EXPECTED)
        while (line := lines.line()).startswith(b"%") or line.isspace():
            pass
        sizes = line.split()
        if len(sizes) != 3 - is_array or not all(s.isdigit() and len(s) < 19 for s in sizes):
            expected = "rows and columns" if is_array else "rows, columns and entries"
            raise _refused(lines.before, line, f"the numbers of {expected}")
        n, m, *entries = map(int, sizes)
        if n != m:
            raise InputError(f"matrix of shape {(n, m)}; expected a square one")
    packed = {"general": n * n, "skew-symmetric": n * (n - 1) // 2}
    count = entries[0] if entries else packed.get(symmetry, n * (n + 1) // 2)
    check_weights(file.name, wanted, has_weights=field != "pattern")
    check_size(file.name, n, count)
    value, kind = _FIELDS[field]
    words = [value] if is_array else [_INDEX, _INDEX, value] if value else [_INDEX, _INDEX]
    expected = ("" if is_array else "row, column and ") + f"{field} value"
    with _reworded(file.name, "a Matrix Market file"):
        table = lines.entries(words, kind, count, 0 if is_array else n, expected)
    row, column, data = _of_array(table, n, symmetry) if is_array else _of_entries(table)
    stored = data.size
    if symmetry != "general":
        row, column, data = both_ways(row, column, data)
    if skew:
        data[stored:] *= -1
    return _network(file.name, row, column, data, n, first=1)


def _of_entries(table: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Rows, columns and values of entries that have their place, counted from 1."""
    row, column = (table[:, k].astype(np.int64) - 1 for k in (0, 1))
    return row, column, table[:, 2].copy() if table.shape[1] > 2 else np.ones(len(row))


def _of_array(
    table: NDArray[Any], n: int, symmetry: str
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Rows, columns and values of the numbers other than zero of an array.

    They are stored column by column; of a symmetric matrix from the diagonal on, of a skew one from
    below it.
    """
    data = table[:, 0]
    if symmetry == "general":
        column, row = np.divmod(np.arange(n * n), max(n, 1))
    else:
        column, row = np.triu_indices(n, int(symmetry == "skew-symmetric"))
    stored = data != 0
    return row[stored], column[stored], data[stored]


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
    lines, name = _Lines(file, skipped=rb"c[^\n]*+\n"), file.name
    with _reworded(name, "a DIMACS file"):
        while (line := lines.line()).startswith(b"c") or line.isspace():
            pass
        found = _SIZES.fullmatch(line)
        if found is None:
            raise _refused(lines.before, line, "'p sp nodes arcs', both integers")
        n, m = map(int, found.groups())
    check_size(name, n, m)
    expected = f"'a tail head length' with nodes from 1 to {n}"
    with _reworded(name, "a DIMACS file"):
        table = lines.entries([b"a", _INDEX, _INDEX, _FLOAT], np.float64, m, n, expected)
    tails, heads, lengths = _of_entries(table)
    matrix = assemble(tails, heads, lengths, n, lambda _: name, shortest=True)
    return Network(matrix, tuple(map(str, range(1, n + 1))))


class _Lines:
    """Lines of a file: those of a header one by one, then entries, checked and parsed in blocks."""

    def __init__(self, file: Source, skipped: bytes = b"(?!)") -> None:
        self._stream: IO[bytes] = file.stream
        self._skipped = rb"[ \t]*+\n|" + skipped  # lines that are no entries
        self.before = 0  # lines read

    def line(self) -> bytes:
        """The next line."""
        line = self._stream.readline(LONGEST)
        self.before += 1
        if len(line) == LONGEST:
            raise _refused(self.before, line, f"a line of less than {LONGEST} bytes")
        return line

    def entries(
        self, words: list[bytes], kind: Any, count: int, n: int, expected: str
    ) -> NDArray[Any]:
        """All entries, shape (count, numbers a line); the first two are from 1 to `n`, if not 0.

        A line is `words`, patterns of numbers, of which a first letter is left out.
        """
        entry = rb"[ \t]*+" + rb"[ \t]++".join(words) + rb"[ \t]*+\n"
        regular = re.compile(rb"(?:%b|%b)*+" % (entry, self._skipped))
        skipped = re.compile(rb"(?m)^(?:%b)" % self._skipped)
        width = len(words) - (words[0] == b"a")
        parts, left = [np.empty((0, width), kind)], count
        while block := self._block():
            good = regular.match(block).end()  # type: ignore[union-attr]
            lines = block[:good]
            numbers = skipped.sub(b"", lines).translate(None, b"a") if words[0] == b"a" else lines
            if numbers.isspace():
                numbers = b""  # of blanks alone, NumPy makes a number
            part = np.fromstring(numbers, kind, sep=" ").reshape(-1, width)
            wrong = ((part[:, :2] < 1) | (part[:, :2] > n)).any(axis=1) if n else np.zeros(0)
            if wrong.any():
                at = [k for k, line in enumerate(lines.splitlines(keepends=True))
                      if not skipped.match(line)][int(np.argmax(wrong))]  # fmt: skip
                raise _refused(self.before + at + 1, lines.splitlines()[at], expected)
            self.before += lines.count(b"\n")
            if good < len(block):
                raise _refused(self.before + 1, block[good:].split(b"\n")[0], expected)
            parts.append(part)
            left -= len(part)
            if left < 0:
                raise InputError(f"more than the {count} entries that the header says")
        if left:
            raise InputError(f"{left} fewer entries than the {count} that the header says")
        return np.concatenate(parts)

    def _block(self) -> bytes:
        """Complete lines, each ended by a line feed; empty at the end of the file."""
        block = self._stream.read(BLOCK)
        if block and not block.endswith(b"\n"):
            block += self._stream.readline(LONGEST)
        block = block.replace(b"\r\n", b"\n")
        return block if not block or block.endswith(b"\n") else block + b"\n"


def _refused(number: int, line: bytes, expected: str) -> InputError:
    found = quoted(line.decode(errors="backslashreplace").strip())
    return InputError(f"Line {number}: {found}; expected {expected}")


@contextlib.contextmanager
def _reworded(name: str, expected: str) -> Iterator[None]:
    """Turn any exception of a parser into InputError; on damaged files it may be of any type."""
    try:
        yield
    except MemoryError as error:
        raise MemoryError(f"{name}: {error or 'more than memory holds'}") from error
    except Exception as error:
        line, found = re.fullmatch(  # type: ignore[union-attr]
            r"(?:Line (\d+): )?(.*?)\.?", str(error) or type(error).__name__, re.DOTALL
        ).groups()
        if isinstance(error, OSError) and error.errno not in (None, errno.EINVAL):
            raise  # of the system
        if isinstance(error, (OSError, EOFError)):
            found = "a damaged archive"
        elif "pickle" in found:
            found = "objects of Python"
        found = "".join(c if c.isprintable() else repr(c)[1:-1] for c in found[:200])
        place = f"{name}:{line}" if line else name
        more = "" if "; expected" in found else f"; expected {expected}"
        raise InputError(f"{place}: {found}{more}") from error


def _network(name: str, row: Any, column: Any, data: Any, n: int, *, first: int) -> Network:
    """Network of the entries of a matrix whose nodes are named by number, from `first`."""
    check_size(name, n, data.size)
    kind = np.float64 if data.dtype.kind == "f" else data.dtype.newbyteorder("=")

    def place(k: int) -> str:
        return f"{name}: entry [{row[k] + first}, {column[k] + first}] counted from {first}"

    matrix = assemble(row, column, data.astype(kind, copy=False), n, place)
    return Network(matrix, tuple(map(str, range(first, first + n))))
