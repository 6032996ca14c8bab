"""Short graph files in all formats, and what `io.read` returns for them.

``data/files`` has tables of files: a line each, with what is read of it or said about it.
"""

import bz2
import gzip
import io as stdio
import json
import lzma
import warnings
import zipfile
from pathlib import Path

import numpy as np
import scipy.sparse

from sparsebc import io
from sparsebc.io.remarks import ReadWarning

BANNER = "%%MatrixMarket matrix coordinate "


def cases(name):
    """Cases of a table in ``data/files``; {"bytes": text} has a byte a character."""
    rows = json.loads(
        (Path(__file__).parent / "data" / "files" / f"{name}.json").read_text("utf-8")
    )
    return [[_bytes(cell) for cell in row] for row in rows]


def _bytes(cell):
    is_bytes = isinstance(cell, dict) and "bytes" in cell
    return cell["bytes"].encode("latin-1") if is_bytes else cell


def zipped(content, *names, method=zipfile.ZIP_DEFLATED):
    """An archive of files of equal content, of one if no name is given."""
    file = stdio.BytesIO()
    with zipfile.ZipFile(file, "w", method) as archive:
        for name in names or ["a.csv"]:
            archive.writestr(name, content)
    return file.getvalue()


# What compresses a file, by its suffix.
PACK = {"gz": gzip.compress, "bz2": bz2.compress, "xz": lzma.compress, "zip": zipped}


def opened(content, name="edges.csv"):
    """An open file of a text, under a name."""
    file = stdio.BytesIO(content if isinstance(content, bytes) else content.encode())
    file.name = name
    return file


def read(content, name="edges.csv", **told):
    """Network of a text."""
    return io.read(opened(content, name), **told)


def edges(network):
    """{(source name, target name): weight} of the stored entries."""
    coo = network.matrix.tocoo()
    names = network.names
    pairs = [(names[i], names[j]) for i, j in zip(coo.row, coo.col, strict=True)]
    return dict(zip(pairs, coo.data.tolist(), strict=True))


def assert_canonical(network):
    matrix = network.matrix
    assert isinstance(matrix, scipy.sparse.csr_array)
    assert matrix.has_canonical_format
    assert matrix.shape == (len(network.names),) * 2
    assert matrix.indices.dtype == np.int32
    matrix.check_format(full_check=True)


def noted(name, content, **told):
    """Network of a text under a name, and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ReadWarning)
        network = read(content, name, **told)
    assert_canonical(network)
    return network, [str(warning.message) for warning in caught]


def ties(text):
    """Edges of a text such as "a>b a-b:2.5": ``>`` directed, ``-`` in both directions."""
    found = {}
    for word in text.split():
        pair, _, weight = word.partition(":")
        tail, head = pair.replace("-", ">").split(">")
        found[tail, head] = float(weight or 1)
        if "-" in pair:
            found[head, tail] = found[tail, head]
    return found
