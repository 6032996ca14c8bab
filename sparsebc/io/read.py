"""Networks from files: Matrix Market, SciPy npz, edge lists, graphs of other programs."""

from __future__ import annotations

import os
from typing import IO

from . import edge_list, formats
from .columns import Wanted
from .network import Network
from .source import opened


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
        ``.graphml``, ``.gexf``, ``.gml``, ``.net`` or ``.paj`` (Pajek): nodes are named by their
        attribute ``name`` or ``label`` if most of its values are distinct; an undirected edge is an
        entry each way.
        ``.metis`` or ``.graph``: METIS, with its edge weights if it has any. ``.gr``: DIMACS
        shortest paths; of parallel arcs the shortest. Nodes of both are named from 1.
        Edge list: one edge per line, source, target and, optionally, a weight (1 if there is no
        such column), separated by tabs, semicolons, commas, spaces or bars, UTF-8 or with a
        byte-order mark. Fields may be quoted. Lines that begin with ``#`` or ``%`` are comments
        unless they have as many fields as the rows.
        A header names the columns, in any order and case and among others: ``from to``,
        ``source target``, ``protein1 protein2`` (STRING), ``node1 node2`` and others, and
        ``weight``, ``score``, ``combined_score``, ``distance`` or ``length``.
        Adjacency matrices as text are read as well.
        A zip archive holds one file. An open file has the suffix of its name, if it has one;
        ``sys.stdin.buffer`` is read as under an unknown suffix.
    source, target, weight : str or int, optional
        Columns of an edge list: the titles of its header, in any case, or their numbers from 1.
        `weight` also names the attribute of edges in GraphML, GML and Pajek files.
    header : bool, optional
        Whether the first line of an edge list has titles. By default it does if the titles are
        among those above. If it has two names that occur in no other line, it may be an edge or a
        header with other titles, and is refused unless `header` is given. If it has the numbers of
        nodes and edges, or the titles 0 and 1 above words, it is left out with a `ReadWarning`.
    weighted : bool, optional
        Whether weights are needed. By default they are read if possible: if one is missing, not
        a finite number, or contradicts another, all are 1, with a `ReadWarning`. If True, that is
        an error, and so is a file without known weights; weights whose title says that they are not
        lengths, such as scores and confidences, cause a warning. If False, weights are ignored.
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
        Edge lists are taken as directed, line by line. If every name is an integer written
        without leading zeros, nodes are the distinct integers in ascending order; else they are
        in order of first appearance. Nodes of a Matrix Market file are named from 1, as that
        format counts them, those of an npz file from 0.

    Raises
    ------
    MemoryError
        If the nodes that the file claims do not fit in memory.
    OSError
        If the file cannot be opened (FileNotFoundError, IsADirectoryError, ...).
    TypeError
        If a file is open in text mode.
    ValueError
        If the content is malformed: a damaged archive, text that is not UTF-8, no edge, an
        unknown header, a line of another length or of 16 MiB, an empty name in a table of two or
        three columns, a needed weight that is not a finite number, a matrix that is not square, not
        real or not in one of the formats above; or if a compressed file expands to more than 64 MiB
        and 100 times its size.
        The message is ``file:line: what was found; what was expected``, without line if the format
        has none.
        Also if an edge is given twice with different weights that are needed, or in a matrix file.
        Identical repeats are merged, never summed; this holds for matrix files too.
        Also if the arguments contradict each other, or are given for a format that has no columns.

    Warns
    -----
    ReadWarning
        If something was left out or is ambiguous: weights that cannot be read, lines that may be
        comments, a number in two spellings, rows without a name, repeated edges, a first line or a
        first column that may be no edge or no node.

    Notes
    -----
    Weights are returned unchanged. A score for which larger means closer, as STRING's, is not a
    length.

    An edge list is read in one pass, O(lines) with the sort of the edges. One of more than a
    megabyte is parsed by PyArrow if that is installed, several times as fast, with the same result;
    blocks of lines with quotes, comments or spaces around a field are still parsed line by line.
    Peak memory is some 60 bytes per line, and the names.

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
        network = (formats.reader_of(file, wanted) or edge_list.read)(file, wanted)
    if weighted is False:  # those of matrices, which are read in any case
        network.matrix.data[:] = 1
    return network
