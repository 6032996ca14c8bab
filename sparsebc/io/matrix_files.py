"""Matrices in SciPy npz and Matrix Market files; their nodes are named by number.

SciPy's parser and constructors trust what a file says: a false header makes them write beyond their
arrays, and what follows a number is skipped. So all is checked before they see it.
"""

from __future__ import annotations

import codecs
import contextlib
import errno
import io
import re
from collections.abc import Iterator
from typing import IO, Any, NamedTuple

import numpy as np
import scipy.io
from numpy.typing import NDArray

from ..errors import InputError
from ..limits import free_memory
from ..matrix.matrix_arrays import Given, check_indices, given_parts
from ..plain_text import quoted
from .columns import Wanted, is_number
from .network import Network, assemble, both_ways, check_size, check_weights
from .source import ZIP, Source

BLOCK = 3 << 13  # bytes of entries that are checked at once
LONGEST = 1 << 16  # bytes of a line

_BANNER = re.compile(
    rb"(?i)%?%MatrixMarket\s+matrix\s+(coordinate|array)\s+"
    rb"(real|double|integer|unsigned-integer|pattern)\s+"
    rb"(general|symmetric|hermitian|skew-symmetric)\s*"
)
_EXPECTED = (
    "%%MatrixMarket matrix, then coordinate or array, then real, integer or pattern, then general "
    "or symmetric"
)
_FLOAT = rb"-?+(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?+[0-9]++)?+"
# Pattern and type of the values, by field. The parser reads no plus sign.
_FIELDS: dict[str, tuple[bytes, Any]] = {
    "real": (_FLOAT, np.float64),
    "double": (_FLOAT, np.float64),
    "integer": (rb"-?+[0-9]++", np.int64),
    "unsigned-integer": (rb"[0-9]++", np.uint64),
    "pattern": (rb"", np.bool_),
}
_BLANK = re.compile(rb"(?m)^[ \t]*\n")


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
    lines = _Lines(file.stream)
    with _reworded(file.name, "a Matrix Market file"):
        header = lines.header()
    check_weights(file.name, wanted, has_weights=header.field != "pattern")
    check_size(file.name, header.n, header.entries)
    with _reworded(file.name, "a Matrix Market file"):
        row, column, data = (_array if header.is_array else _coordinate)(lines, header)
    stored = data.size
    if header.symmetry != "general":
        row, column, data = both_ways(row, column, data)
    if header.symmetry == "skew-symmetric":
        data[stored:] *= -1
    return _network(file.name, row, column, data, header.n, first=1)


class _Header(NamedTuple):
    """What a Matrix Market file says of itself."""

    is_array: bool
    field: str
    symmetry: str
    n: int
    entries: int  # lines that follow


def _coordinate(lines: _Lines, _: _Header) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Rows, columns and values of the stored entries, by SciPy."""
    source: Any = lines
    matrix = scipy.io.mmread(source, spmatrix=False)
    return *matrix.coords, matrix.data


def _array(lines: _Lines, header: _Header) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Rows, columns and values of the stored numbers other than zero.

    They are stored column by column; of a symmetric matrix from the diagonal on, of a skew one from
    below it.
    """
    n, kind = header.n, _FIELDS[header.field][1]
    words = b"".join(iter(lines.entries, b"")).split()
    data = np.array(list(map(float if kind is np.float64 else int, words)), kind)
    if header.symmetry == "general":
        column, row = np.divmod(np.arange(n * n), max(n, 1))
    else:
        column, row = np.triu_indices(n, int(header.symmetry == "skew-symmetric"))
    stored = data != 0
    return row[stored], column[stored], data[stored]


class _Lines:
    """Lines of a Matrix Market file, checked; a stream on which SciPy's parser is safe.

    The parser skips what follows a number, takes lines of a carriage return for entries and
    searches the end of the last line beyond the data. There is no ``seek``, as the parser calls it
    where an exception aborts the process.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._before = 0  # lines read
        self._left = 0  # entries to come
        self._begin = b""  # header for the parser
        self._regular = self._shape = re.compile(b"")  # of lines of entries
        self._expected = ""  # for messages

    def header(self) -> _Header:
        """Header of the file, checked."""
        banner = self._line().removeprefix(codecs.BOM_UTF8)
        named = _BANNER.fullmatch(banner)
        if named is None:
            raise _refused(1, banner, _EXPECTED)
        form, field, symmetry = (word.decode().lower() for word in named.groups())
        is_array, skew = form == "array", symmetry == "skew-symmetric"
        if (field == "pattern" and (is_array or skew)) or (field == "unsigned-integer" and skew):
            raise _refused(1, banner, _EXPECTED)
        while (line := self._line()).startswith(b"%") or line.isspace():
            pass
        sizes = line.split()
        if len(sizes) != 3 - is_array or not all(s.isdigit() and len(s) < 19 for s in sizes):
            expected = "rows and columns" if is_array else "rows, columns and entries"
            raise _refused(self._before, line, f"the numbers of {expected}")
        n, m, *entries = map(int, sizes)
        if n != m:
            raise InputError(f"matrix of shape {(n, m)}; expected a square one")
        packed = {"general": n * n, "skew-symmetric": n * (n - 1) // 2}
        self._left = entries[0] if entries else packed.get(symmetry, n * (n + 1) // 2)
        value, kind = _FIELDS[field]
        words = list(filter(None, [value] if is_array else [rb"[0-9]++", rb"[0-9]++", value]))
        entry = rb"[ \t]*+" + rb"[ \t]++".join(words) + rb"[ \t]*+\n"
        self._regular = re.compile(rb"(?:%b|[ \t]*+\n)*+" % entry)
        points = rb"\.?([eE][-+]?)?" if kind is np.float64 else b"()"
        self._shape = re.compile(b"(?!)" if is_array else b" " * (len(words) - 1) + points + b"\n")
        self._expected = ("" if is_array else "row, column and ") + f"{field} value"
        comments = b"%\n" * (self._before - 2)  # for the numbers of lines in errors of the parser
        general = b"%%%%MatrixMarket matrix coordinate %b general\n" % field.encode()
        self._begin = general + comments + b"%d %d %d\n" % (n, n, self._left)
        return _Header(is_array, field, symmetry, n, self._left)

    def read(self, _: int) -> bytes:
        """The header of a general matrix, then the entries in blocks."""
        begin, self._begin = self._begin, b""
        return begin or self.entries()

    def entries(self) -> bytes:
        """The next lines of entries, checked; empty at the end of the file."""
        block = self._stream.read(BLOCK)
        if block and not block.endswith(b"\n"):
            block += self._stream.readline(LONGEST)
        if b"\r" in block:
            block = block.replace(b"\r\n", b"\n")
        if block and not block.endswith(b"\n"):
            block += b"\n"
        lines = entries = self._alike(block)
        if not lines:
            lines = entries = block.count(b"\n")
            good = self._regular.match(block).end()  # type: ignore[union-attr]
            if good < len(block):
                number = self._before + block.count(b"\n", 0, good) + 1
                raise _refused(number, block[good:].split(b"\n")[0], self._expected)
            entries -= len(_BLANK.findall(block))
        self._before += lines
        self._left -= entries
        if self._left < 0 or (self._left and not block):
            difference = f"{self._left} fewer" if self._left > 0 else "more"
            raise InputError(f"{difference} entries than the header says")
        return block

    def _alike(self, block: bytes) -> int:
        """Number of lines, if all are entries of one shape: faster than the pattern; else 0.

        The shape is what remains without digits. The parser refuses a number without any.
        """
        bare = block.translate(None, b"0123456789")
        shape = self._shape.fullmatch(bare, 0, bare.find(b"\n") + 1)
        lines = len(bare) // len(shape[0]) if shape else 0
        if not shape or bare != shape[0] * lines:
            return 0
        if power := shape[1]:  # a letter, and a sign
            letters = np.frombuffer(block, np.uint8)
            at = np.flatnonzero(letters == power[0])
            signs, digits = letters[at + len(power) - 1], letters[at + len(power)]
            if (signs != power[-1]).any() or (digits - ord("0") > 9).any():
                return 0
        return lines

    def _line(self) -> bytes:
        """The next line."""
        line = self._stream.readline(LONGEST)
        self._before += 1
        if len(line) == LONGEST:
            raise _refused(self._before, line, f"a line of less than {LONGEST} bytes")
        return line


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
