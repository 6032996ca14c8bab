"""Networks from files: Matrix Market, SciPy npz, edge lists, graphs of other programs."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Callable
from typing import IO, NamedTuple

from ..errors import InputError
from . import table
from .network import Network
from .source import Source, opened
from .titles import Wanted


def read(
    path_or_file: str | os.PathLike[str] | IO[bytes],
    *,
    source: str | int | None = None,
    target: str | int | None = None,
    weight: str | int | None = None,
    header: bool | None = None,
    weighted: bool | None = None,
    separator: str | None = None,
    comment: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
) -> Network:
    r"""Network stored in a file.

    The suffix decides; ``.gz``, ``.bz2``, ``.xz`` or ``.zip`` may follow it. Under any other
    suffix, Matrix Market, GraphML, GEXF, GML, Pajek and DIMACS are recognized by their first lines,
    and a file of no known format is read as an edge list. DL, DOT, LGL, NCOL, TGF and other known
    formats are refused, with a line of igraph or NetworkX that makes GraphML of them.

    Parameters
    ----------
    path_or_file : str, path-like or binary file
        ``.mtx``: Matrix Market; symmetric storage is expanded, zeros of an array are not entries.
        ``.npz``: csr, csc or coo as saved by `scipy.sparse.save_npz`.
        ``.graphml``, ``.gexf``, ``.gml``, ``.net`` or ``.paj`` (Pajek), ``.sif`` (Cytoscape): nodes
        are named by their attribute ``name`` or ``label`` if most of its values are distinct; an
        undirected edge is an entry each way.
        ``.metis`` or ``.graph``: METIS, with its edge weights if it has any. ``.gr``: DIMACS
        shortest paths; of parallel arcs the shortest. Nodes of both are named from 1.
        Other text is an edge list, with source, target and, optionally, a weight on each line, or
        an adjacency matrix. :doc:`/files` has the titles that a header may have.
        A zip archive holds one file. An open file has the suffix of its name;
        ``sys.stdin.buffer`` is read as under an unknown suffix.
    source, target, weight : str or int, optional
        Columns of an edge list: the titles of its header, in any case, or their numbers from 1.
        `weight` also names the attribute of edges in GraphML, GML and Pajek files.
    header : bool, optional
        Whether the first line of an edge list has titles. By default it does if the titles are
        known. If it has two names that occur in no other line, it is refused unless `header` is
        given.
    weighted : bool, optional
        Whether weights are needed. By default they are read if possible: if one is missing, not
        a finite number, or contradicts another, all are 1, with a `ReadWarning`. If True, that is
        an error, and so is a file without known weights; a title such as "score" or "confidence"
        brings a warning that strengths are not lengths. If False, weights are ignored.
    separator : str, optional
        Character between the fields of an edge list; by default the one that splits all lines into
        equally many fields.
    comment : str, optional
        First characters of a comment, ``""`` if there are no comments; by default ``#`` and ``%``,
        with a `ReadWarning` for ambiguous lines.
    encoding : str, optional
        Python name of the encoding of text; by default UTF-8, or that of a byte-order mark.
    decimal : str, optional
        Decimal point of weights, ``"."`` or ``","``; by default a comma only if the separator is a
        semicolon.

    Returns
    -------
    Network
        Edge lists are directed, line by line. If every name is an integer written without leading
        zeros, nodes are in ascending order; else in order of first appearance. Nodes of a Matrix
        Market file are named from 1, those of an npz file from 0.

    Raises
    ------
    MemoryError
        If the nodes that the file claims do not fit in memory.
    OSError
        If the file cannot be opened (FileNotFoundError, IsADirectoryError, ...).
    TypeError
        If a file is open in text mode.
    ValueError
        If the content is malformed, in a message ``file:line: what was found; what was expected``;
        if a compressed file expands to more than 64 MiB and 100 times its size; if an edge is given
        twice with different weights that are needed, or in a matrix file (identical repeats are
        merged, never summed); if the arguments contradict each other, or are given for a format
        that has no columns.

    Warns
    -----
    ReadWarning
        If something was left out or is ambiguous: weights that cannot be read, lines that may be
        comments, a number in two spellings, rows without a name, repeated edges, a first line or a
        first column that may be no edge or no node.

    Notes
    -----
    Weights are returned unchanged. A score for which larger means closer, as STRING's, is not a
    length. With PyArrow, edge lists of more than a megabyte are parsed several times as fast. Peak
    memory is some 60 bytes a line, and the names.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "edges.csv")
    ...     _ = path.write_text("from,to,weight\nTP53,MDM2,0.5\nMDM2,MDM4,2\n")
    ...     matrix, names = read(path)
    >>> names
    ('TP53', 'MDM2', 'MDM4')
    >>> matrix.toarray()
    array([[0. , 0.5, 0. ],
           [0. , 0. , 2. ],
           [0. , 0. , 0. ]])

    Columns with other titles must be named:

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "edges.csv")
    ...     _ = path.write_text("gene_a,gene_b\nTP53,MDM2\nMDM2,MDM4\n")
    ...     matrix, names = read(path, source="gene_a", target="gene_b")
    >>> names
    ('TP53', 'MDM2', 'MDM4')
    """
    source, target, weight = (None if one is None else str(one) for one in (source, target, weight))
    wanted = Wanted(source, target, weight, header, weighted, separator, comment, encoding, decimal)
    wanted.check()
    with opened(path_or_file) as file:
        found = (reader_of(file, wanted) or table.edges)(file, wanted)
        network = found if isinstance(found, Network) else found.network(wanted)
    if weighted is False:  # those of matrices, which are read in any case
        network.matrix.data[:] = 1
    return network


Reader = Callable[[Source, Wanted], Network]


class Format(NamedTuple):
    """A file format other than a table of text; one without a reader is refused, with a hint."""

    name: str
    suffixes: str
    hint: str = ""  # what to do instead, if it is not read
    signature: str = "(?!)"  # pattern of the first characters, under any suffix
    read: str = ""  # module and function
    is_matrix: bool = False  # nodes are numbers, and edges have no attributes
    is_table: bool = False  # its columns may be named as those of any table


_PAJEK = r"(?i:(?:\s++|%[^\n]*+)*+\*(vertices|network|arcs|edges|arcslist|edgeslist|matrix)\b)"
_GML = (
    r"(?i:(?:\s++|#[^\n]*+|(?:version|comment)\s++(?:\"[^\"]*\"|[^\s\"\[]++))*+"
    r"(?:creator\s+\"|graph\s*\[))"
)
_XML = r"(?i:<(\?xml|(!doctype )?(\w+:)?(graphml|gexf)\b|!--))"
_DIMACS = r"(?i:(?:c\b[^\n]*+|\s++)*+p sp \d+ \d+\s)"
# A line of `networkx.write_edgelist`, whatever divides its fields.
_WITH_DICT = r"(?:#[^\n]*\n)*+[^\s{#][^\n{]*[ \t,;|]\{[^\n]*(?:\}[ \r]*\n|\Z)"
_DL = r"(?i:dl\b[\s,]*(n|nr|nc|nm|format)\s*=)"
_SPACE = r"(?:\s++|//[^\n]*+|/\*(?s:.*?)\*/|(?m:^)#[^\n]*+)"
_DOT = rf"(?i:{_SPACE}*+(?:strict\s+)?(?:di)?graph\b\s*(?:\"[^\"]*\"|[^\s{{\"]+)?\s*\{{)"
# Lines of Python that make a file of the kinds above.
_BY_IGRAPH = "use igraph.Graph.{}.write_graphml('network.graphml')"
_BY_NETWORKX = (
    "use networkx.write_graphml(networkx.{}(path, create_using=networkx.DiGraph), "
    "'network.graphml')"
)
_TABLE = "save the network as GraphML or as an edge list"
_MATRIX_MARKET = Format(
    "Matrix Market", ".mtx", "", "%%MatrixMarket", "matrix_files.mtx", is_matrix=True
)

FORMATS = (
    Format("npz", ".npz", read="matrix_files.npz", is_matrix=True),
    _MATRIX_MARKET,
    Format("GraphML", ".graphml .xml", "", _XML, "graph_xml.read"),
    Format("GEXF", ".gexf", read="graph_xml.read"),
    Format("Pajek", ".net .pajek .paj", "", _PAJEK, "graph_files.read_pajek"),
    Format("GML", ".gml", "", _GML, "graph_files.read_gml"),
    Format("SIF", ".sif", read="graph_files.read_sif", is_table=True),
    Format("a table of Cytoscape", "", "", r"\"?SUID\"?[,\t]", "graph_files.read_cytoscape",
           is_table=True),
    Format("METIS", ".metis .graph", read="matrix_files.metis", is_matrix=True),
    Format("DIMACS", ".gr", "", _DIMACS, "matrix_files.dimacs", is_matrix=True),
    Format("DL of UCINET", ".dl", "export it for Pajek (.net), or, of one keyword a line, "
             + _BY_IGRAPH.format("Read_DL(path)"), _DL),
    Format("DOT of Graphviz", ".dot .gv",
             "use networkx.write_gexf(networkx.nx_agraph.read_dot(path), 'network.gexf')", _DOT),
    Format("LGL", ".lgl", _BY_IGRAPH.format("Read_Lgl(path, directed=False)")),
    Format("NCOL", ".ncol", _BY_IGRAPH.format("Read_Ncol(path, directed=False)")),
    Format("TGF", ".tgf", "write its edges alone, as awk does by "
             "'f {print $1, $2} /^#/ {f = 1}'"),
    Format("a web page", "", "look at the download", r"(?i:<(!doctype html|html)\b)"),
    Format("a tar archive", ".tar .tgz .tbz2 .txz", "unpack it", r".{257}ustar"),
    Format("a data frame", ".parquet .feather", "pass the frame to frames.read", "PAR1|ARROW1"),
    Format("HDF5", ".h5 .hdf5", _TABLE, r"\x89HDF"),
    Format("an array of NumPy", ".npy", "save a matrix by scipy.sparse.save_npz", r"\x93NUMPY"),
    Format("a compressed file", ".zst .lz4 .br", "unpack it", r"\x28\xb5\x2f\xfd"),
    Format("an archive", ".7z .rar", "unpack it", r"7z\xbc\xaf"),
    Format("a spreadsheet", ".xlsx .xls .ods", "save the sheet as csv", r"\xd0\xcf\x11\xe0"),
    Format("a layer of lines", ".geojson .gpkg .shp .fgb",
             "give geopandas.read_file(...) to streets.from_geodataframe",
             r"\{\s*\"type\"\s*:\s*\"FeatureCollection\"|SQLite format 3"),
    Format("OpenStreetMap", ".osm .pbf", "read it with osmnx, for streets.from_networkx"),
    Format("JSON", ".json .cx .cx2 .cyjs", _TABLE, r"[\[{]\s*[\"{\[]"),
    Format("a pointer of Git LFS", "", "fetch the file itself by 'git lfs pull'",
             "version https://git-lfs"),
    Format("an adjacency list", ".adjlist", _BY_NETWORKX.format("read_adjlist"),
             r"#[^\n]*\n# GMT "),
    Format("an edge list of NetworkX with data", "",
             _BY_NETWORKX.format("read_edgelist"), _WITH_DICT),
    Format("GDF of GUESS", ".gdf", _TABLE, r"(?i:nodedef\s*>)"),
    Format("VNA of NetDraw", ".vna", _TABLE, r"(?i:\*node (data|properties))"),
    Format("graph6, sparse6 or digraph6", ".g6 .s6 .d6", _TABLE, ">>(graph|sparse|digraph)6<<"),
    Format("a pickle", ".pkl .pickle", _TABLE, r"\x80[\x02-\x05]"),
    Format("a file of R", ".rds .rda .rdata", _TABLE),
    Format("a file of graph-tool", ".gt", _TABLE),
    Format("a file of MATLAB", ".mat", "save the matrix by mmwrite or scipy.sparse.save_npz"),
    Format("Tulip", ".tlp", _TABLE),
    Format("XGMML", ".xgmml", _TABLE),
    Format("a session of Cytoscape", ".cys", _TABLE),
    Format("a project of Gephi", ".gephi", _TABLE),
)  # fmt: skip


def reader_of(file: Source, wanted: Wanted) -> Reader | None:
    """Reader of the format of a file; None for a table of text.

    The signature of Matrix Market or of a refused format decides, else the suffix, else any other
    signature. If the caller names columns, refused formats are read as tables, and formats with a
    reader raise InputError.
    """
    text = file.head.decode("latin-1").removeprefix("\xef\xbb\xbf").lstrip()
    named = [form for form in FORMATS if file.suffix in form.suffixes.split()]
    begun = [form for form in FORMATS if re.match(form.signature, text, re.S)]
    if wanted.source is not None:
        named, begun = ([one for one in forms if one.read and not one.is_table]
                        for forms in (named, begun))  # fmt: skip
    sure = [form for form in begun if form is _MATRIX_MARKET or not form.read]
    form = next(iter([*sure, *named, *begun]), None)
    if form is None:
        return None
    if not form.read:
        raise InputError(f"{file.name}: {form.name}, which is not read; {form.hint}")
    told = wanted._replace(weighted=None, extras={})
    told = told if form.is_matrix else told._replace(weight=None, encoding=None)
    if told != Wanted():
        more = "" if form.is_matrix else "weight, the attribute of its edges, encoding or "
        raise InputError(
            f"{file.name}: {form.name}, which has no columns to name; expected only {more}weighted"
        )
    module, _, function = form.read.partition(".")
    reader: Reader = getattr(importlib.import_module(f".{module}", __package__), function)
    return reader
