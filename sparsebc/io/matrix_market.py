"""Matrix Market by SciPy's parser, fed so that no file ends the process or loses its message."""

from __future__ import annotations

import codecs
import inspect
from typing import IO, Any

import scipy.io
import scipy.sparse

from ..errors import InputError

# SciPy 1.13 has no such option; later versions warn where it is left out.
_AS_ARRAY = (
    {"spmatrix": False} if "spmatrix" in inspect.signature(scipy.io.mmread).parameters else {}
)


def parse(stream: IO[bytes]) -> Any:
    """Sparse matrix of a file in coordinate or array format; zeros of an array are no entries.

    Raises whatever the parser does, with its line at the beginning of the message if it has one.
    """
    source: Any = _Source(stream)
    try:
        matrix = scipy.io.mmread(source, **_AS_ARRAY)
    except ValueError as error:
        if not str(error):  # Python 3.11.2 loses a message that quotes what is not UTF-8
            source.block.decode()
        raise
    return matrix if scipy.sparse.issparse(matrix) else scipy.sparse.coo_array(matrix)


class _Source:
    """What the parser may see of a file, lest a malformed one ends the process.

    It looks for the next end of line without regard to the end of the data, and NUL stops that
    search: so no NUL is let through, and the last line is ended. There is no ``seek``, because that
    is called where an exception aborts. A mark of UTF-8 at the beginning is left out.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self.stream, self.begun, self.ended = stream, False, False
        self.block = b""  # the last that was read

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
