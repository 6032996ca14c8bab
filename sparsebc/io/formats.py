"""Formats of files: who reads each, how its first lines look, and those that are not read."""

from __future__ import annotations

import re
from collections.abc import Callable
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
_TABLE = "save the network as GraphML or as an edge list"
_SHEET = "save the sheet as csv"
# What is not read: its name and the way out, by the suffix.
REFUSED = {
    **dict.fromkeys((".json", ".cx", ".cx2", ".cyjs"), ("JSON", _TABLE)),
    **dict.fromkeys((".g6", ".s6", ".d6"), ("graph6, sparse6 or digraph6", _TABLE)),
    **dict.fromkeys((".xlsx", ".xls", ".ods"), ("a spreadsheet", _SHEET)),
    **dict.fromkeys((".tar", ".tgz", ".tbz2", ".txz"), ("a tar archive", "unpack it")),
    **dict.fromkeys((".7z", ".rar"), ("an archive", "unpack it")),
    **dict.fromkeys((".zst", ".lz4", ".br"), ("a compressed file", "unpack it")),
    **dict.fromkeys((".pkl", ".pickle"), ("a pickle", _TABLE)),
    **dict.fromkeys((".rds", ".rda", ".rdata"), ("a file of R", _TABLE)),
    **dict.fromkeys((".parquet", ".feather"), ("a data frame", "pass the frame to frames.read")),
    **dict.fromkeys((".h5", ".hdf5"), ("HDF5", _TABLE)),
    ".gdf": ("GDF of GUESS", _TABLE),
    ".gt": ("a file of graph-tool", _TABLE),
    ".mat": ("a file of MATLAB", "save the matrix by mmwrite or scipy.sparse.save_npz"),
    ".npy": ("an array of NumPy", "save a matrix by scipy.sparse.save_npz"),
    ".tlp": ("Tulip", _TABLE),
    ".vna": ("VNA of NetDraw", _TABLE),
    ".xgmml": ("XGMML", _TABLE),
    ".cys": ("a session of Cytoscape", _TABLE),
    ".gephi": ("a project of Gephi", _TABLE),
}
_HEADS = (
    (re.compile(rb".{257}ustar", re.S), ".tar"),
    (re.compile(rb"PAR1|ARROW1"), ".parquet"),
    (re.compile(rb"\x89HDF"), ".h5"),
    (re.compile(rb"\x93NUMPY"), ".npy"),
    (re.compile(rb"\x28\xb5\x2f\xfd"), ".zst"),
    (re.compile(rb"7z\xbc\xaf"), ".7z"),
    (re.compile(rb"\xd0\xcf\x11\xe0"), ".xls"),
    (re.compile(rb"\s*[\[{]\s*[\"{\[]"), ".json"),
    (re.compile(rb"nodedef\s*>", re.I), ".gdf"),
    (re.compile(rb"\*node (data|properties)", re.I), ".vna"),
    (re.compile(rb">>(graph|sparse|digraph)6<<"), ".g6"),
    (re.compile(rb"\x80[\x02-\x05]"), ".pkl"),
)


def check(file: Source) -> None:
    """Refuse, by its name, a format that is known and not read."""
    head = file.head.removeprefix(b"\xef\xbb\xbf")
    if re.match(rb"\s*<(!doctype html|html)\b", head, re.I):
        raise InputError(f"{file.name}: a web page; expected a network: look at the download")
    told = next((suffix for start, suffix in _HEADS if start.match(head)), file.suffix)
    if told in REFUSED:
        name, way_out = REFUSED[told]
        raise InputError(f"{file.name}: {name}, which is not read; {way_out}")


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
