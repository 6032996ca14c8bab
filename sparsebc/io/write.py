"""Tables of scores and of search results, as csv, tsv and txt with tabs, JSON and Parquet."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, NamedTuple, TextIO

import numpy as np
import numpy.typing as npt

from ..arguments import by_node
from ..errors import InputError, InputTypeError
from ..foreign import on_host
from ..plain_text import as_json
from .names import as_texts, as_values, check_texts, check_unique, facts, titled
from .output_file import suffix_of, text_file, writing

SEPARATORS = {".csv": ",", ".tsv": "\t", ".txt": "\t"}  # between the fields of a line, by suffix
SUFFIXES = (*SEPARATORS, ".json", ".parquet")
_TEXT: np.dtype[Any] = np.dtype(object)  # of a column of text
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # first characters of a cell that is a formula
Provenance = Mapping[str, Any]
_BLOCK = 1 << 18  # rows in a row group of Parquet


def write_scores(
    path_or_file: str | os.PathLike[str] | TextIO,
    scores: Mapping[str, npt.ArrayLike],
    names: Sequence[str],
    *,
    provenance: Provenance | None = None,
    spreadsheet_safe: bool = False,
) -> None:
    r"""Write scores as a table, one line per node.

    The header is ``node`` and the keys of `scores`. Numbers are written with the digits that
    restore them exactly. A file appears complete or not at all: until the last line is written,
    a file of the same name stays as it was.

    Parameters
    ----------
    path_or_file : str, path-like or text file
        Where to write: ``.csv`` with commas, ``.tsv`` and ``.txt`` with tabs, ``.json`` as an array
        of objects (NaN and infinity are null); compressed if ``.gz``, ``.bz2`` or ``.xz``
        follows. ``.parquet`` keeps the types of the columns, and needs PyArrow. An open text
        file, as `sys.stdout`, is written in place, from its current offset.
    scores : mapping of str to array, shape (n,)
        Real numbers, by measure; a pandas.Series by the names in its index.
    names : sequence of str, length n
        Names of the nodes.
    provenance : mapping of str to JSON values, optional
        Origin of the scores: comments above the table, a field in JSON, metadata in Parquet.
    spreadsheet_safe : bool, default False
        Whether to put an apostrophe before text that spreadsheets take for a formula.

    Raises
    ------
    ImportError
        If PyArrow is needed and not installed.
    TypeError
        If an array does not hold real numbers.
    ValueError
        If an array is not of shape (n,), a title is ``node``, a name cannot be encoded as UTF-8, or
        the suffix is unknown.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import sys
    >>> write_scores(sys.stdout, {"betweenness": [0.1 + 0.2, 1e-300]}, ["TP53", "p,q"])
    node,betweenness
    TP53,0.30000000000000004
    "p,q",1e-300
    """
    write_table(
        path_or_file,
        {"node": names},
        scores,
        provenance=provenance,
        spreadsheet_safe=spreadsheet_safe,
    )


def write_table(
    path_or_file: str | os.PathLike[str] | TextIO,
    named: Mapping[str, Sequence[str]],
    scores: Mapping[str, npt.ArrayLike],
    *,
    provenance: Provenance | None = None,
    spreadsheet_safe: bool = False,
) -> None:
    """Write a table of scores with columns of names, such as those of both ends of edges.

    `read` takes a table with the columns ``source``, ``target`` and ``weight`` besides the scores
    as a network.

    Parameters
    ----------
    path_or_file : str, path-like or text file
        As in `write_scores`.
    named : mapping of str to sequence of str, length m
        Columns of names, which say what each line is about.
    scores : mapping of str to array, shape (m,)
        Real numbers, by measure.
    provenance, spreadsheet_safe
        As in `write_scores`.

    Raises
    ------
    TypeError, ValueError, OSError
        As `write_scores` does.

    Examples
    --------
    >>> import sys
    >>> ends = {"source": ["TP53", "TP53"], "target": ["MDM2", "EP300"]}
    >>> write_table(sys.stdout, ends, {"weight": [1, 1], "edge_betweenness": [0.5, 0.25]})
    source,target,weight,edge_betweenness
    TP53,MDM2,1,0.5
    TP53,EP300,1,0.25
    """
    table_of(named, scores, provenance, spreadsheet_safe=spreadsheet_safe).write(path_or_file)


def table_of(
    named: Mapping[str, Sequence[str]],
    scores: Mapping[str, npt.ArrayLike],
    provenance: Provenance | None = None,
    *,
    spreadsheet_safe: bool = False,
) -> Table:
    """Table of scores with columns of names, checked, from the arguments of `write_table`."""
    named = titled("named", named)
    columns: dict[str, Any] = {title: as_texts(column, title) for title, column in named.items()}
    lengths = {title: len(column) for title, column in columns.items()}
    if len(set(lengths.values())) != 1:
        raise InputError(f"named has columns of lengths {lengths}; expected one length")
    labels = next(iter(named.values()))
    types = dict.fromkeys(columns, _TEXT)
    scores = titled("scores", scores, columns)
    for measure, values in scores.items():
        argument = f"scores[{measure!r}]"
        values = by_node(argument, values, labels)
        column = as_values(argument, values, (len(labels),), "names", kinds="iuf")
        columns[measure], types[measure] = column.tolist(), column.dtype
    rows = zip(*columns.values(), strict=True)
    return Table(types, rows, provenance, spreadsheet_safe)


def write_pairs(
    path_or_file: str | os.PathLike[str] | TextIO,
    values: Mapping[str, npt.ArrayLike],
    sources: Sequence[str],
    names: Sequence[str],
    *,
    provenance: Provenance | None = None,
    spreadsheet_safe: bool = False,
) -> None:
    """Write the results of a search as a table, one line for each source and node.

    Parameters
    ----------
    path_or_file : str, path-like or text file
        As in `write_scores`.
    values : mapping of str to array_like, shape (k, n)
        Numbers, or names of nodes, by title.
    sources : sequence of str, length k
        Names of the sources.
    names : sequence of str, length n
        Names of the nodes.
    provenance, spreadsheet_safe
        As in `write_scores`.

    Raises
    ------
    ValueError
        If an array is not of shape (k, n), a title is ``source`` or ``node``, a name cannot be
        encoded as UTF-8, or the suffix is unknown.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import sys
    >>> write_pairs(sys.stdout, {"level": [[0, 1], [-1, 0]]}, ["a", "b"], ["a", "b"])
    source,node,level
    a,a,0
    a,b,1
    b,a,-1
    b,b,0
    """
    found = pairs_of(values, sources, names, provenance, spreadsheet_safe=spreadsheet_safe)
    found.write(path_or_file)


def pairs_of(
    values: Mapping[str, npt.ArrayLike],
    sources: Sequence[str],
    names: Sequence[str],
    provenance: Provenance | None = None,
    *,
    spreadsheet_safe: bool = False,
) -> Table:
    """Table of a line for each source and node, checked, from the arguments of `write_pairs`."""
    sources, names = as_texts(sources, "sources"), as_texts(names)
    values = titled("values", values, ("source", "node"))
    tables = {title: _matrix(table, sources, names) for title, table in values.items()}
    rows = (
        (source, *cells)
        for source, *found in zip(sources, *tables.values(), strict=True)
        for cells in zip(names, *(row.tolist() for row in found), strict=True)
    )
    types = {"source": _TEXT, "node": _TEXT}
    types |= {title: table.dtype for title, table in tables.items()}
    return Table(types, rows, provenance, spreadsheet_safe)


def write_matrix(
    path_or_file: str | os.PathLike[str] | TextIO,
    values: npt.ArrayLike,
    sources: Sequence[str],
    names: Sequence[str],
    *,
    provenance: Provenance | None = None,
    spreadsheet_safe: bool = False,
) -> None:
    """Write a matrix of sources and nodes as a table, one line per source, in cuRnet's layout.

    Parameters
    ----------
    path_or_file : str, path-like or text file
        As in `write_scores`.
    values : array_like, shape (k, n)
        Numbers, or names of nodes.
    sources : sequence of str, length k
        Names of the sources.
    names : sequence of str, length n
        Names of the nodes.
    provenance, spreadsheet_safe
        As in `write_scores`.

    Raises
    ------
    ValueError, OSError
        As `write_pairs` does.

    See Also
    --------
    write_pairs : One line for each source and node, which suits many nodes better.

    Examples
    --------
    >>> import sys
    >>> write_matrix(sys.stdout, [[0, 1], [-1, 0]], ["a", "b"], ["a", "b"])
    source,a,b
    a,0,1
    b,-1,0
    """
    sources, names = as_texts(sources, "sources"), as_texts(names)
    table = _matrix(values, sources, names)
    titled("names", dict.fromkeys(names), ("source",))
    check_unique(names)
    rows = ([source, *row.tolist()] for source, row in zip(sources, table, strict=True))
    types = {"source": _TEXT, **dict.fromkeys(names, table.dtype)}
    Table(types, rows, provenance, spreadsheet_safe).write(path_or_file)


def _matrix(
    values: npt.ArrayLike, sources: Sequence[str], names: Sequence[str]
) -> npt.NDArray[Any]:
    """Values as an array of shape (sources, names); of strings unless they are numbers."""
    table = np.asarray(on_host(values))
    if table.shape != (len(sources), len(names)):
        raise InputError(
            f"values have shape {table.shape}; expected ({len(sources)}, {len(names)}), a row for "
            "each of sources and a column for each of names"
        )
    if table.dtype.kind not in "iuf":
        cells = as_texts(table.ravel().tolist(), "values")
        table = np.array([*cells, ""], dtype=object)[:-1].reshape(table.shape)
    return table


class Table(NamedTuple):
    """Rows of a table, the types of its columns by title, and the options of its output."""

    types: Mapping[str, np.dtype[Any]]
    rows: Iterable[Iterable[Any]]
    provenance: Provenance | None
    spreadsheet_safe: bool

    def write(self, path_or_file: Any) -> None:
        """Write all rows; to a file atomically."""
        check_texts(list(self.types))
        facts(self.provenance)  # which refuses what no format can hold
        is_path = isinstance(path_or_file, (str, os.PathLike))
        if not (is_path or hasattr(path_or_file, "writelines")):
            raise InputTypeError(
                f"path_or_file must be a path or a text file, got {type(path_or_file).__name__}: "
                "use a name such as 'scores.csv'"
            )
        suffix = suffix_of(path_or_file, SUFFIXES) if is_path else ""
        if suffix == ".parquet":
            with writing(path_or_file) as file:
                self.parquet(file)
            return
        lines = self.json() if suffix == ".json" else self.lines(SEPARATORS.get(suffix, ","))
        with text_file(path_or_file) if is_path else nullcontext(path_or_file) as file:
            file.writelines(lines)

    def lines(self, separator: str) -> Iterator[str]:
        """Lines of text, provenance first; a lone empty field is quoted, else its line is blank."""
        ends = r"\n\v\f\r\x1c-\x1e\x85\u2028\u2029"
        special = re.compile(rf'[#%]|\s|.*[{separator}"{ends}]|.*\s\Z', re.DOTALL).match

        def quoted(text: str) -> str:
            """Field of a text, in quotes if it would not be read back unchanged.

            That is text with a separator, quote or line end in it, with spaces around it, or with
            the mark of a comment at its beginning.
            """
            if self.spreadsheet_safe and text.startswith(FORMULA):
                text = f"'{text}"
            return '"' + text.replace('"', '""') + '"' if special(text) else text

        yield from (f"# {title}: {fact}\n" for title, fact in facts(self.provenance).items())
        yield separator.join(map(quoted, self.types)) + "\n"
        spell = [quoted if kind == _TEXT else str for kind in self.types.values()]
        for row in self.rows:
            line = separator.join([write(cell) for write, cell in zip(spell, row, strict=True)])
            yield f"{line}\n" if line else '""\n'

    def json(self) -> Iterator[str]:
        """Lines of an array with an object for each row; with provenance, an object with both."""
        told = self.provenance is not None
        before = f'{{"provenance":{as_json(dict(self.provenance or {}))},\n"rows":' if told else ""
        begin = f"{before}[\n"
        for row in self.rows:
            yield begin + as_json(dict(zip(self.types, row, strict=True)))
            begin = ",\n"
        yield f"{before}[]" if begin != ",\n" else "\n]"
        yield "}\n" if told else "\n"

    def parquet(self, file: Any) -> None:
        """Write Parquet to a binary file; provenance is JSON in the schema's metadata."""
        import pyarrow
        import pyarrow.parquet

        told = self.provenance
        schema = pyarrow.schema(
            [
                (title, pyarrow.string() if kind == _TEXT else pyarrow.from_numpy_dtype(kind))
                for title, kind in self.types.items()
            ],
            metadata=None if told is None else {"sparsebc": as_json(dict(told))},
        )
        every = iter(self.rows)
        with pyarrow.parquet.ParquetWriter(file, schema) as writer:
            while block := list(itertools.islice(every, _BLOCK)):
                columns = zip(*block, strict=True)
                writer.write_table(pyarrow.table(list(map(list, columns)), schema=schema))
