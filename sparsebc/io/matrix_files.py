"""Matrices in SciPy npz and Matrix Market files; their nodes are named by number."""

import codecs
import contextlib
import io
import re
from collections.abc import Iterator
from typing import IO, Any

import numpy as np
import scipy.io
import scipy.sparse

from ..errors import InputError
from .columns import Wanted
from .network import Network, assemble, check_size, check_weights
from .source import Source

# Banner of a Matrix Market file without values.
_PATTERN = re.compile(rb"(?i)(\xef\xbb\xbf)?%%MatrixMarket\s+matrix\s+coordinate\s+pattern\s")


def npz(file: Source, wanted: Wanted) -> Network:
    """Network of a matrix saved by `scipy.sparse.save_npz`."""
    with _reworded(file.name, "a matrix saved by scipy.sparse.save_npz"):
        stream = file.stream  # arrays are found from the end of the archive
        matrix: Any = scipy.sparse.load_npz(
            stream if stream.seekable() else io.BytesIO(stream.read())
        )
        if matrix.format not in ("csr", "csc", "coo"):
            raise InputError(f"matrix in {matrix.format} format; save matrix.tocsr()")
        if matrix.format != "coo":
            matrix.check_format(full_check=True)  # else a bad index would be read out of bounds
    check_weights(file.name, wanted, has_weights=matrix.dtype.kind != "b")
    return _of_matrix(file.name, matrix, first=0)


def mtx(file: Source, wanted: Wanted) -> Network:
    """Network of a Matrix Market file."""
    check_weights(file.name, wanted, has_weights=not _PATTERN.match(file.head))
    with _reworded(file.name, "a Matrix Market file"):
        matrix = _matrix_market(file.stream)
    return _of_matrix(file.name, matrix, first=1)


def _matrix_market(stream: IO[bytes]) -> Any:
    """Sparse matrix of a file in coordinate or array format; zeros of an array are not entries.

    Raises what SciPy's parser raises; the message begins with the line if that is known.
    """
    source: Any = _SafeStream(stream)
    try:
        matrix = scipy.io.mmread(source, spmatrix=False)
    except ValueError as error:
        if not str(error):  # Python 3.11.2 loses a message that quotes what is not UTF-8
            source.block.decode()
        raise
    return matrix if scipy.sparse.issparse(matrix) else scipy.sparse.coo_array(matrix)


class _SafeStream:
    """Stream on which SciPy's parser cannot crash: a malformed file could abort the process.

    The parser searches for the next newline beyond the end of the data, and a NUL stops the search:
    so a NUL is refused, and the last line gets its newline. There is no ``seek``, as the parser
    calls it where an exception aborts the process. A UTF-8 byte-order mark is removed.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream, self.begun, self.ended = stream, False, False
        self.block = b""  # last data read

    def read(self, size: int) -> bytes:
        block = self.stream.read(size)
        if not self.begun:
            self.begun, block = True, block.removeprefix(codecs.BOM_UTF8)
        if b"\0" in block:
            raise InputError("a NUL byte")
        if not block and not self.ended:
            self.ended = True
            return b"\n"
        self.block = block or self.block
        return block


@contextlib.contextmanager
def _reworded(name: str, expected: str) -> Iterator[None]:
    """Turn any exception of a parser into InputError; on damaged files it may be of any type."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        line, found = re.fullmatch(  # type: ignore[union-attr]
            r"(?:Line (\d+): )?(.*?)\.?", str(error) or type(error).__name__, re.DOTALL
        ).groups()
        found = "".join(c if c.isprintable() else repr(c)[1:-1] for c in found[:200])
        place = f"{name}:{line}" if line else name
        raise InputError(f"{place}: {found}; expected {expected}") from error


def _of_matrix(name: str, matrix: Any, *, first: int) -> Network:
    """Network of a matrix whose nodes are named by number, from `first`."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise InputError(f"{name}: matrix of shape {matrix.shape}; expected a square one")
    if matrix.dtype.kind not in "biuf":
        raise InputError(f"{name}: matrix of dtype {matrix.dtype}; expected real numbers")
    coo = matrix.tocoo()
    check_size(name, matrix.shape[0], coo.nnz)
    data = coo.data.astype(np.float64) if coo.dtype.kind == "f" else coo.data
    n = matrix.shape[0]

    def place(k: int) -> str:
        return f"{name}: entry [{coo.row[k] + first}, {coo.col[k] + first}] counted from {first}"

    matrix = assemble(coo.row, coo.col, data, n, place)
    return Network(matrix, tuple(map(str, range(first, first + n))))
