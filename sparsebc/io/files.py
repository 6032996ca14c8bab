"""Networks from files, scores to files: Matrix Market, SciPy npz, edge lists, csv."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import itertools
import os
import re
import stat
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, NamedTuple, TextIO

import numpy as np
import numpy.typing as npt
import scipy.sparse

from . import matrix_market

ENDS = (("from", "to"), ("source", "target"), ("protein1", "protein2"), ("node1", "node2"))
WEIGHTS = ("weight", "score", "combined_score", "distance", "length")
INTEGER = re.compile(r"0|-?[1-9][0-9]{0,99}")
_UNDECODED = re.compile("[\ud800-\udfff]")


class Network(NamedTuple):
    """A matrix and the names of its nodes.

    Attributes
    ----------
    matrix : csr_array, shape (n, n)
        Entry [i, j] is the edge from node i to node j. Indices are sorted and unique; floating
        point is float64, integers and booleans stay as stored.
    names : tuple of str, length n
        Name of each node; its number, counted from 0, where the file has no names.
    """

    matrix: Any
    names: tuple[str, ...]


def read(path: str | os.PathLike[str]) -> Network:
    r"""Network stored in a file.

    The suffix decides, with ``.gz`` after it or not; a first line ``%%MatrixMarket`` counts as
    ``.mtx``, and whatever is neither ``.mtx`` nor ``.npz`` is read as an edge list.

    Parameters
    ----------
    path : str or path-like
        ``.mtx``: Matrix Market, coordinate format; symmetric storage is expanded.
        ``.npz``: csr, csc or coo as saved by `scipy.sparse.save_npz`.
        Edge list: one edge a line, source, target and, optionally, a weight (1 where there is no
        such column), separated by tabs, commas or spaces, UTF-8. Fields may be quoted; lines
        that start with ``#`` or ``%`` are comments (quote a name that starts so).
        A header names the columns, in any order and among others: ``from to``,
        ``source target``, ``protein1 protein2`` (STRING) or ``node1 node2``, and ``weight``,
        ``score``, ``combined_score``, ``distance`` or ``length``.

    Returns
    -------
    Network
        Edge lists are taken as directed, line by line. If every name is an integer written
        without leading zeros, nodes are the distinct integers in ascending order; else they are
        in order of first appearance.

    Raises
    ------
    OSError
        If the file cannot be opened (FileNotFoundError, IsADirectoryError, ...).
    ValueError
        If the content is malformed: a damaged archive, text that is not UTF-8, no edge, an
        unknown header, a line of another length, an empty name, a weight that is not a finite
        number, a matrix that is not square, not real or not in one of the formats above. The
        message is ``file:line: what was found; what was expected``, without line where the
        format has none.
        Also if an edge is given twice with different weights. Identical repeats are merged,
        never summed; this holds for matrix files too.

    Notes
    -----
    Weights are returned as they stand. A score for which larger means closer, as STRING's, is
    not a length. An edge list is read in one pass, O(lines log lines) with the sort of the
    edges; memory is about 100 bytes a line at the peak, and the names.

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
    """
    path = Path(path)
    with open(path, "rb") as raw:
        suffix = path.suffix.lower()
        stream: Any = raw
        if suffix == ".gz":
            stream, suffix = gzip.GzipFile(fileobj=raw), Path(path.stem).suffix.lower()
        try:
            if suffix == ".npz":
                return _read_npz(path, stream)
            if suffix == ".mtx" or stream.peek(14).startswith(b"%%MatrixMarket"):
                return _read_matrix_market(path, stream)
            with io.TextIOWrapper(stream, "utf-8-sig", errors="surrogateescape") as text:
                return _read_edges(path, text, suffix)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise ValueError(f"{path}: {error}; expected an intact gzip file") from error


def write_scores(
    path_or_file: str | os.PathLike[str] | TextIO,
    scores: Mapping[str, npt.ArrayLike],
    names: Sequence[str],
) -> None:
    r"""Write scores as csv, one line a node.

    The header is ``node`` and the keys of `scores`. Numbers are written with the digits that
    restore them exactly. A file appears complete or not at all: until the last line is written,
    a file of the same name stays as it was.

    Parameters
    ----------
    path_or_file : str, path-like or text file
        Where to write; compressed if the name ends with ``.gz``. Pipes and devices, and an open
        text file, are written to directly.
    scores : mapping of str to array, shape (n,)
        Real numbers, by measure.
    names : sequence of str, length n
        Names of the nodes.

    Raises
    ------
    TypeError
        If an array does not hold real numbers.
    ValueError
        If an array is not of shape (n,), or a name cannot be encoded as UTF-8.
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
    write_table(path_or_file, {"node": names}, scores)


def write_table(
    path_or_file: str | os.PathLike[str] | TextIO,
    named: Mapping[str, Sequence[str]],
    scores: Mapping[str, npt.ArrayLike],
) -> None:
    """Write scores of anything as csv: of edges, by the names of both ends.

    Parameters
    ----------
    path_or_file : str, path-like or text file
        As in `write_scores`.
    named : mapping of str to sequence of str, length m
        Columns that say what each line is about.
    scores : mapping of str to array, shape (m,)
        Real numbers, by measure.

    Raises
    ------
    TypeError, ValueError, OSError
        As `write_scores` does.

    Examples
    --------
    >>> import sys
    >>> ends = {"node": ["TP53", "TP53"], "other node": ["MDM2", "EP300"]}
    >>> write_table(sys.stdout, ends, {"edge_betweenness": [0.5, 0.25]})
    node,other node,edge_betweenness
    TP53,MDM2,0.5
    TP53,EP300,0.25
    """
    length = len(next(iter(named.values())))
    columns = []
    for measure, values in scores.items():
        column = np.asarray(values)
        if column.dtype.kind not in "iuf":
            raise TypeError(f"scores[{measure!r}] has dtype {column.dtype}; expected real numbers")
        if column.shape != (length,):
            raise ValueError(
                f"scores[{measure!r}] has shape {column.shape}; "
                f"expected ({length},), one value for each of names"
            )
        columns.append(column.tolist())
    _write(path_or_file, [*named, *scores], zip(*named.values(), *columns, strict=True))


def write_matrix(
    path_or_file: str | os.PathLike[str] | TextIO,
    values: npt.ArrayLike,
    sources: Sequence[str],
    names: Sequence[str],
) -> None:
    """Write a matrix of sources and nodes as csv, one line a source, as cuRnet lays it out.

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

    Raises
    ------
    ValueError
        If `values` is not of shape (k, n), or a name cannot be encoded as UTF-8.
    OSError
        If the file cannot be written.

    Examples
    --------
    >>> import sys
    >>> write_matrix(sys.stdout, [[0, 1], [-1, 0]], ["a", "b"], ["a", "b"])
    source,a,b
    a,0,1
    b,-1,0
    """
    table = np.asarray(values)
    if table.shape != (len(sources), len(names)):
        raise ValueError(
            f"values have shape {table.shape}; expected ({len(sources)}, {len(names)}), a row for "
            "each of sources and a column for each of names"
        )
    rows = ([source, *row.tolist()] for source, row in zip(sources, table, strict=True))
    _write(path_or_file, ["source", *names], rows)


def _write(
    path_or_file: str | os.PathLike[str] | TextIO, header: list[str], rows: Iterable[Iterable[Any]]
) -> None:
    """Lines of a csv file, all of them or none."""
    with contextlib.ExitStack() as stack:
        if isinstance(path_or_file, str | os.PathLike):
            file = stack.enter_context(_replacing(Path(path_or_file)))
        else:
            file = path_or_file
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        writer.writerows(rows)


def _read_npz(path: Path, stream: IO[bytes]) -> Network:
    with _reworded(path, "a matrix saved by scipy.sparse.save_npz"):
        matrix: Any = scipy.sparse.load_npz(stream)
        if matrix.format not in ("csr", "csc", "coo"):
            raise ValueError(f"matrix in {matrix.format} format; save matrix.tocsr()")
        if matrix.format != "coo":
            matrix.check_format(full_check=True)  # else a bad index would be read out of bounds
    return _from_matrix(path, matrix)


def _read_matrix_market(path: Path, stream: IO[bytes]) -> Network:
    with _reworded(path, "a Matrix Market file in coordinate format"):
        matrix = matrix_market.parse(stream)
    return _from_matrix(path, matrix)


@contextlib.contextmanager
def _reworded(path: Path, expected: str) -> Iterator[None]:
    """Turn what a parser raises into ValueError; on damaged files that is nearly anything."""
    try:
        yield
    except MemoryError:
        raise
    except Exception as error:
        line, found = re.fullmatch(  # type: ignore[union-attr]
            r"(?:Line (\d+): )?(.*?)\.?", str(error) or type(error).__name__, re.DOTALL
        ).groups()
        place = f"{path}:{line}" if line else path
        raise ValueError(f"{place}: {found}; expected {expected}") from error


def _from_matrix(path: Path, matrix: Any) -> Network:
    """Network of a matrix whose nodes have no names."""
    if len(matrix.shape) != 2 or matrix.shape[0] != matrix.shape[1]:
        raise ValueError(f"{path}: matrix of shape {matrix.shape}; expected a square one")
    if matrix.dtype.kind not in "biuf":
        raise ValueError(f"{path}: matrix of dtype {matrix.dtype}; expected real numbers")
    coo = matrix.tocoo()
    data = coo.data.astype(np.float64) if coo.dtype.kind == "f" else coo.data

    def place(k: int) -> str:
        return f"{path}: entry [{coo.row[k]}, {coo.col[k]}] counted from 0"

    names = tuple(map(str, range(matrix.shape[0])))
    return Network(assemble(coo.row, coo.col, data, matrix.shape[0], place), names)


class _Lines:
    """The lines of a text file that carry data; `number` is that of the last one given out."""

    def __init__(self, path: Path, text: TextIO) -> None:
        self.path, self.text, self.number = path, text, 0

    def __iter__(self) -> Iterator[str]:
        for number, text in enumerate(self.text, 1):
            self.number = number
            line = text.rstrip(" \n")
            if not line or line[0] in "#%":
                continue
            if not line.isascii() and _UNDECODED.search(line):
                raise self.error("bytes that are not UTF-8", "UTF-8 text")
            if '"' in line and line.count('"') % 2:
                raise self.error("an unpaired quote", "quoted fields that end on their line")
            yield line

    def error(self, found: str, expected: str, number: int | None = None) -> ValueError:
        number = number or self.number or 1
        return ValueError(f"{self.path}:{number}: {found}; expected {expected}")


def _read_edges(path: Path, text: TextIO, suffix: str) -> Network:
    lines = _Lines(path, text)
    content = iter(lines)
    first = next(content, None)
    if first is None:
        raise lines.error("no data", "one edge a line")
    separators = ",\t " if suffix == ".csv" else "\t, "
    separator = next((s for s in separators if s in first), " ")
    rows = csv.reader(
        itertools.chain([first], content), delimiter=separator, skipinitialspace=True, strict=True
    )
    ids: dict[str, int] = {}
    sources, targets, weights, numbers = array("q"), array("q"), array("d"), array("q")
    try:
        fields = next(rows)
        width, (source, target, weight, header) = len(fields), _layout(fields, lines)
        for row in rows if header else itertools.chain([fields], rows):
            if len(row) != width:
                raise lines.error(f"{len(row)} columns", f"{width} as in the first line")
            sources.append(ids.setdefault(row[source], len(ids)))
            targets.append(ids.setdefault(row[target], len(ids)))
            numbers.append(lines.number)
            if weight is None:
                continue
            try:
                weights.append(float(row[weight]))
            except ValueError:
                raise lines.error(
                    f"weight {row[weight]!r}", "a number, or in the first line a header from,to,..."
                ) from None
    except csv.Error as error:
        raise lines.error(str(error), "fields quoted as in csv") from error
    if not numbers:
        raise lines.error("a header and no edge", "one edge a line")

    tails, heads = np.frombuffer(sources, np.int64), np.frombuffer(targets, np.int64)
    data = np.ones(len(tails)) if weight is None else np.frombuffer(weights, np.float64)
    if "" in ids:
        number = numbers[int(np.argmax((tails == ids[""]) | (heads == ids[""])))]
        raise lines.error("an empty name", "a name for both nodes", number)
    names = tuple(ids)
    is_integer = [INTEGER.fullmatch(name) is not None for name in names]
    if all(is_integer):
        names, tails, heads = sort_names(names, tails, heads)
    elif not header and is_integer[:2] == [False, False] and len(names) > 2 and all(is_integer[2:]):
        if min(tails[1:].min(), heads[1:].min()) > 1:  # the first line's names occur only there
            raise lines.error(
                f"{fields} above integers", "integers, or a header from,to,...", numbers[0]
            )
    matrix = assemble(tails, heads, data, len(names), lambda k: f"{path}:{numbers[k]}")
    return Network(matrix, names)


def _layout(fields: list[str], lines: _Lines) -> tuple[int, int, int | None, bool]:
    """Columns of source, target and weight (None: all 1), and whether `fields` is a header."""
    titles = [field.strip().lower() for field in fields]
    ends = [pair for pair in ENDS if set(pair) <= set(titles)]
    weights = [title for title in titles if title in WEIGHTS]
    if not ends and len(fields) in (2, 3):
        return 0, 1, (2 if len(fields) == 3 else None), False
    if len(ends) == 1:
        source, target = map(titles.index, ends[0])
        if len(weights) == 1:
            return source, target, titles.index(weights[0]), True
        if len(fields) == 2:
            return source, target, None, True
        if len(fields) == 3 and not weights and source + target == 1:
            return source, target, 2, True
    raise lines.error(
        f"{len(fields)} columns {fields}",
        "source, target and optionally weight, or a header with one pair of "
        f"{', '.join('/'.join(pair) for pair in ENDS)} and one of {', '.join(WEIGHTS)}",
    )


def sort_names(
    names: tuple[str, ...], tails: npt.NDArray[Any], heads: npt.NDArray[Any]
) -> tuple[tuple[str, ...], npt.NDArray[Any], npt.NDArray[Any]]:
    """Names that are integers in ascending order, and the edges between their new places."""
    order = sorted(range(len(names)), key=lambda k: int(names[k]))
    rank = np.argsort(order)
    return tuple(names[k] for k in order), rank[tails], rank[heads]


def assemble(
    row: npt.NDArray[Any],
    column: npt.NDArray[Any],
    data: npt.NDArray[Any],
    n: int,
    place: Callable[[int], str],
) -> Any:
    """Canonical csr_array of the entries; `place` says where entry k stands in the file."""
    infinite = np.flatnonzero(~np.isfinite(data))
    if infinite.size:
        k = int(infinite[0])
        raise ValueError(f"{place(k)}: weight {data[k]}; expected a finite number")
    index = np.int32 if max(n, len(row)) <= np.iinfo(np.int32).max else np.int64
    row, column = row.astype(index, copy=False), column.astype(index, copy=False)
    ascending = (row[1:] > row[:-1]) | ((row[1:] == row[:-1]) & (column[1:] > column[:-1]))
    if not ascending.all():
        order = np.lexsort((column, row))
        row, column, data = row[order], column[order], data[order]
        repeat = (row[1:] == row[:-1]) & (column[1:] == column[:-1])
        contrary = np.flatnonzero(repeat & (data[1:] != data[:-1]))
        if contrary.size:
            k = int(contrary[0])
            before, after = place(int(order[k])), place(int(order[k + 1]))
            raise ValueError(
                f"{after}: weight {data[k + 1]} for an edge that has weight {data[k]} at {before}; "
                "expected one weight an edge"
            )
        once = np.concatenate(([True], ~repeat))
        row, column, data = row[once], column[once], data[once]
    return scipy.sparse.csr_array((data, (row, column)), shape=(n, n))


@contextlib.contextmanager
def _replacing(path: Path) -> Iterator[TextIO]:
    """Text file that takes the place of `path` when the block ends without an error."""
    target = Path(os.path.realpath(path))  # a link stays, and its file is replaced
    special = target.exists() and not stat.S_ISREG(target.stat().st_mode)
    draft = target if special else target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        with contextlib.ExitStack() as stack:
            file: Any = stack.enter_context(open(draft, "wb"))
            if path.suffix == ".gz":  # no time stamp: equal scores give equal bytes
                file = stack.enter_context(gzip.GzipFile(path.stem, "wb", fileobj=file, mtime=0))
            yield stack.enter_context(io.TextIOWrapper(file, encoding="utf-8", newline=""))
        if not special:
            os.replace(draft, target)
    except BaseException:
        if not special:
            draft.unlink(missing_ok=True)
        raise
