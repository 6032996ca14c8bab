"""Table of file formats: suffixes, reader or advice, and signature of the first bytes."""

import re
from collections.abc import Callable
from typing import NamedTuple

from ..errors import InputError
from . import adjacency_text, gml, graph_xml, matrix_files, pajek
from .columns import Wanted
from .graph_builder import reader
from .network import Network
from .source import Source

Reader = Callable[[Source, Wanted], Network]


class Format(NamedTuple):
    """A file format other than a table of text; one without a reader is refused, with a hint."""

    name: str
    suffixes: tuple[str, ...]
    read: Reader | None = None
    signature: str = "(?!)"  # pattern of the first characters, under any suffix
    hint: str = ""  # what to do instead, if it is not read
    is_matrix: bool = False  # nodes are numbers, and edges have no attributes


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
    "Matrix Market", (".mtx",), matrix_files.mtx, "%%MatrixMarket", is_matrix=True
)


def _refused(name: str, suffixes: str, hint: str, signature: str = "(?!)") -> Format:
    return Format(name, tuple(suffixes.split()), signature=signature, hint=hint)


FORMATS = (
    Format("npz", (".npz",), matrix_files.npz, is_matrix=True),
    _MATRIX_MARKET,
    Format("GraphML", (".graphml", ".xml"), graph_xml.read, _XML),
    Format("GEXF", (".gexf",), graph_xml.read),
    Format("Pajek", (".net", ".pajek", ".paj"),
           reader(pajek.parse, default_weight=1.0), pajek.FIRST_LINE),
    Format("GML", (".gml",), reader(gml.parse), gml.FIRST_LINES),
    Format("METIS", (".metis", ".graph"), adjacency_text.metis, is_matrix=True),
    Format("DIMACS", (".gr",), adjacency_text.dimacs, _DIMACS, is_matrix=True),
    _refused("DL of UCINET", ".dl", "export it for Pajek (.net), or, of one keyword a line, "
             + _BY_IGRAPH.format("Read_DL(path)"), _DL),
    _refused("DOT of Graphviz", ".dot .gv",
             "use networkx.write_gexf(networkx.nx_agraph.read_dot(path), 'network.gexf')", _DOT),
    _refused("LGL", ".lgl", _BY_IGRAPH.format("Read_Lgl(path, directed=False)")),
    _refused("NCOL", ".ncol", _BY_IGRAPH.format("Read_Ncol(path, directed=False)")),
    _refused("TGF", ".tgf", "write its edges alone, as awk does by "
             "'f {print $1, $2} /^#/ {f = 1}'"),
    _refused("a web page", "", "look at the download", r"(?i:<(!doctype html|html)\b)"),
    _refused("a tar archive", ".tar .tgz .tbz2 .txz", "unpack it", r".{257}ustar"),
    _refused("a data frame", ".parquet .feather", "pass the frame to frames.read", "PAR1|ARROW1"),
    _refused("HDF5", ".h5 .hdf5", _TABLE, r"\x89HDF"),
    _refused("an array of NumPy", ".npy", "save a matrix by scipy.sparse.save_npz", r"\x93NUMPY"),
    _refused("a compressed file", ".zst .lz4 .br", "unpack it", r"\x28\xb5\x2f\xfd"),
    _refused("an archive", ".7z .rar", "unpack it", r"7z\xbc\xaf"),
    _refused("a spreadsheet", ".xlsx .xls .ods", "save the sheet as csv", r"\xd0\xcf\x11\xe0"),
    _refused("a layer of lines", ".geojson .gpkg .shp .fgb",
             "give geopandas.read_file(...) to streets.from_geodataframe",
             r"\{\s*\"type\"\s*:\s*\"FeatureCollection\"|SQLite format 3"),
    _refused("OpenStreetMap", ".osm .pbf", "read it with osmnx, for streets.from_networkx"),
    _refused("JSON", ".json .cx .cx2 .cyjs", _TABLE, r"[\[{]\s*[\"{\[]"),
    _refused("SIF of Cytoscape", ".sif", "write a line for each target, as awk does by "
             "'{for (k = 3; k <= NF; k++) print $1, $k}'"),
    _refused("a table of Cytoscape", "", "its column 'name' has both nodes: export GraphML",
             r"\"?SUID\"?[,\t]"),
    _refused("a two-mode network of KONECT", "", "its columns number different nodes: write "
             "letters before the numbers, as awk does by '!/^%/ {print \"a\" $1, \"b\" $2}'",
             r"%\s*bip\b"),
    _refused("a pointer of Git LFS", "", "fetch the file itself by 'git lfs pull'",
             "version https://git-lfs"),
    _refused("an adjacency list", ".adjlist", _BY_NETWORKX.format("read_adjlist"),
             r"#[^\n]*\n# GMT "),
    _refused("an edge list of NetworkX with data", "",
             _BY_NETWORKX.format("read_edgelist"), _WITH_DICT),
    _refused("GDF of GUESS", ".gdf", _TABLE, r"(?i:nodedef\s*>)"),
    _refused("VNA of NetDraw", ".vna", _TABLE, r"(?i:\*node (data|properties))"),
    _refused("graph6, sparse6 or digraph6", ".g6 .s6 .d6", _TABLE, ">>(graph|sparse|digraph)6<<"),
    _refused("a pickle", ".pkl .pickle", _TABLE, r"\x80[\x02-\x05]"),
    _refused("a file of R", ".rds .rda .rdata", _TABLE),
    _refused("a file of graph-tool", ".gt", _TABLE),
    _refused("a file of MATLAB", ".mat", "save the matrix by mmwrite or scipy.sparse.save_npz"),
    _refused("Tulip", ".tlp", _TABLE),
    _refused("XGMML", ".xgmml", _TABLE),
    _refused("a session of Cytoscape", ".cys", _TABLE),
    _refused("a project of Gephi", ".gephi", _TABLE),
)  # fmt: skip


def reader_of(file: Source, wanted: Wanted) -> Reader | None:
    """Reader of the format of a file; None for a table of text.

    The signature of Matrix Market or of a refused format decides, else the suffix, else any other
    signature. If the caller names columns, refused formats are read as tables, and formats with a
    reader raise InputError.
    """
    begun = [form for form in begins_like(file.head) if form.read or wanted.source is None]
    named = [form for form in FORMATS if file.suffix in form.suffixes]
    named = [form for form in named if form.read or wanted.source is None]
    sure = [form for form in begun if form is _MATRIX_MARKET or form.read is None]
    form = next(iter([*sure, *named, *begun]), None)
    if form is None:
        return None
    if form.read is None:
        raise InputError(f"{file.name}: {form.name}, which is not read; {form.hint}")
    of_tables = wanted if form.is_matrix else wanted._replace(weight=None, encoding=None)
    if of_tables.any:
        more = "" if form.is_matrix else "weight, the attribute of its edges, encoding or "
        raise InputError(
            f"{file.name}: {form.name}, which has no columns to name; expected only {more}weighted"
        )
    return form.read


def begins_like(head: bytes) -> list[Format]:
    """Formats whose signature matches the first bytes of a file."""
    text = head.decode("latin-1").removeprefix("\xef\xbb\xbf").lstrip()
    return [form for form in FORMATS if re.match(form.signature, text, re.S)]
