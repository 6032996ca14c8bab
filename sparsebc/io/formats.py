"""Formats of files: who reads each, how its first lines look, and those that are not read."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import chain
from typing import NamedTuple

from ..errors import InputError
from . import adjacency_text, dl, dot, gml, graph_xml, line_formats, matrix_files, pajek
from .columns import Wanted
from .network import Network
from .source import Source


class Format(NamedTuple):
    """A format other than an edge list."""

    suffixes: tuple[str, ...]
    read: Callable[[Source, Wanted], Network]
    first_lines: re.Pattern[str] | None = None  # how they look, whatever the suffix
    is_matrix: bool = False  # nodes are numbers, and edges have no attributes

    def check(self, name: str, wanted: Wanted) -> None:
        """Refuse what the caller tells of the columns of a file that has none."""
        if self.is_matrix and wanted.any:
            raise InputError(
                f"{name}: a matrix, which has no columns to name; expected an edge list, or none "
                "of source, target, weight and header"
            )
        if wanted._replace(weight=None, encoding=None).any:
            raise InputError(
                f"{name}: a graph, which has no columns to name; expected only weight, the "
                "attribute of its edges, weighted or encoding"
            )


_XML = re.compile(r"<(\?xml|(!doctype )?(\w+:)?(graphml|gexf)\b|!--)", re.I)
_PAJEK = re.compile(r"(?:\s++|%[^\n]*+)*+" + pajek.FIRST_LINE.pattern, re.I)
_DIMACS = re.compile(r"(?:c\b[^\n]*+|\s++)*+p sp \d+ \d+\s")
_NPZ = Format((".npz",), matrix_files.npz, is_matrix=True)
_MATRIX_MARKET = Format((".mtx",), matrix_files.mtx, is_matrix=True)
FORMATS = (
    _NPZ,
    _MATRIX_MARKET,
    Format((".graphml", ".gexf", ".xml"), graph_xml.read, _XML),
    Format((".net", ".pajek", ".paj"), pajek.read, _PAJEK),
    Format((".gml",), gml.read, gml.FIRST_LINES),
    Format((".dl",), dl.read, dl.FIRST_LINE),
    Format((".dot", ".gv"), dot.read, dot.FIRST_LINES),
    Format((".lgl",), line_formats.lgl),
    Format((".ncol",), line_formats.ncol),
    Format((".tgf",), line_formats.tgf),
    Format((".metis", ".graph"), adjacency_text.metis, is_matrix=True),
    Format((".gr",), adjacency_text.dimacs, _DIMACS, is_matrix=True),
)


class Refused(NamedTuple):
    """A format that is known and not read."""

    name: str
    way_out: str
    suffixes: tuple[str, ...]
    head: bytes | None = None  # a pattern of the first bytes, which count before the suffix


_TABLE = "save the network as GraphML or as an edge list"
_SHEET = "save the sheet as csv"
REFUSED = (
    Refused("a tar archive", "unpack it", (".tar", ".tgz", ".tbz2", ".txz"), rb".{257}ustar"),
    Refused(
        "a data frame", "pass the frame to frames.read", (".parquet", ".feather"), rb"PAR1|ARROW1"
    ),
    Refused("HDF5", _TABLE, (".h5", ".hdf5"), rb"\x89HDF"),
    Refused(
        "an array of NumPy", "save a matrix by scipy.sparse.save_npz", (".npy",), rb"\x93NUMPY"
    ),
    Refused("a compressed file", "unpack it", (".zst", ".lz4", ".br"), rb"\x28\xb5\x2f\xfd"),
    Refused("an archive", "unpack it", (".7z", ".rar"), rb"7z\xbc\xaf"),
    Refused("a spreadsheet", _SHEET, (".xlsx", ".xls", ".ods"), rb"\xd0\xcf\x11\xe0"),
    Refused("JSON", _TABLE, (".json", ".cx", ".cx2", ".cyjs"), rb"\s*[\[{]\s*[\"{\[]"),
    Refused("GDF of GUESS", _TABLE, (".gdf",), rb"(?i)nodedef\s*>"),
    Refused("VNA of NetDraw", _TABLE, (".vna",), rb"(?i)\*node (data|properties)"),
    Refused(
        "graph6, sparse6 or digraph6",
        _TABLE,
        (".g6", ".s6", ".d6"),
        rb">>(graph|sparse|digraph)6<<",
    ),
    Refused("a pickle", _TABLE, (".pkl", ".pickle"), rb"\x80[\x02-\x05]"),
    Refused("a file of R", _TABLE, (".rds", ".rda", ".rdata")),
    Refused("a file of graph-tool", _TABLE, (".gt",)),
    Refused("a file of MATLAB", "save the matrix by mmwrite or scipy.sparse.save_npz", (".mat",)),
    Refused("Tulip", _TABLE, (".tlp",)),
    Refused("XGMML", _TABLE, (".xgmml",)),
    Refused("a session of Cytoscape", _TABLE, (".cys",)),
    Refused("a project of Gephi", _TABLE, (".gephi",)),
)


def check(file: Source) -> None:
    """Refuse, by its name, a format that is known and not read."""
    head = file.head.removeprefix(b"\xef\xbb\xbf")
    if re.match(rb"\s*<(!doctype html|html)\b", head, re.I):
        raise InputError(f"{file.name}: a web page; expected a network: look at the download")
    begun = (form for form in REFUSED if form.head and re.match(form.head, head, re.S))
    named = (form for form in REFUSED if file.suffix in form.suffixes)
    for form in chain(begun, named):
        raise InputError(f"{file.name}: {form.name}, which is not read; {form.way_out}")


def format_of(file: Source) -> Format | None:
    """Format of a file, by its suffix where that is known, else by its first lines; None of text.

    The mark of Matrix Market counts under any suffix but ``.npz``.
    """
    known = next((form for form in FORMATS if file.suffix in form.suffixes), None)
    marked = file.head.removeprefix(b"\xef\xbb\xbf").startswith(b"%%MatrixMarket")
    if marked and known is not _NPZ:
        return _MATRIX_MARKET
    return known or by_first_lines(file.head)


def by_first_lines(head: bytes) -> Format | None:
    """Format that a file begins like; None of any other."""
    text = head.decode("utf-8-sig", "replace").lstrip()
    return next(
        (form for form in FORMATS if form.first_lines and form.first_lines.match(text)), None
    )
