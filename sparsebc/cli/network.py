"""The network of a command: read from a file or dataset, and the part that its options select.

Each file is hashed as it is read; messages on files name options.
"""

import argparse
import hashlib
import os
import shlex
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from io import SEEK_SET, BufferedReader, FileIO
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import datasets, io
from ..errors import EdgeError, SparsebcError
from ..io.remarks import AmbiguousFile, ReadWarning, Spelling, message_of
from ..io.source import blocks, lines_of, opened
from ..matrix.edge_weights import MIN_LENGTH
from ..plain_text import meant, quoted
from .messages import one_line, spelt
from .options import OPTIONS, TABLE

# Values of --strength, and their names in `strength_to_distance`; no argument may begin with "-".
STRENGTHS = {"reciprocal": "reciprocal", "log": "-log"}
LENGTHS = {"length": lambda x: x, "reciprocal": lambda x: 1 / x, "log": lambda x: -np.log(x)}
# Of weights of 1, and of those above.
LOGS = (
    "a strength of 1 has length 0; use --strength reciprocal, or --scale 1.001, which divides all "
    "strengths",
    "--strength log takes weights below 1; --scale divides them all, STRING's by 1000",
)
SPELLING: Spelling = (
    {
        "columns": "--columns source=...,target=...,weight=... with titles or numbers of its "
        "columns",
        "contacts": "--columns source=...,target=...,time=... with titles or numbers of its "
        "columns",
        "attribute": "--columns weight=... with the attribute of the weights",
        "titles": "--columns source=...,target=... with the titles if the first line is a header",
        "no header": "--no-header where the first line is an edge",
        "rows": "--comment '' where such lines are edges",
        "comments": "--comment '#' where they are not",
        "encoding": "--encoding with the name of the encoding, as cp1252 (Windows), latin-1, "
        "utf-16-le",
        "separator": "--separator with the character that separates the fields, as ';'",
        "decimal": "--decimal , where a comma is the decimal point",
        "temporal": "sparsebc temporal --columns source=2,target=3,time=1 where they are times",
        "strength": "--strength makes lengths of them",
    },
    lambda columns: (
        "--columns " + shlex.quote(",".join(f"{role}={column}" for role, column in columns.items()))
    ),
)


@contextmanager
def hashed(given: argparse.Namespace, path: str, notes: list[str]) -> Iterator[Any]:
    """A file, hashed as it is read, or standard input; with notes for warnings of its reader.

    A file that is read again must be the same. What is ambiguous is refused, in options.
    """
    named: Any = nullcontext(sys.stdin.buffer)
    if path != "-":
        named = _Hashed(FileIO(path), 1 << 16)
        named.digest = hashlib.sha256()
    try:
        with warnings.catch_warnings(record=True) as caught, named as file:
            warnings.simplefilter("always", ReadWarning)
            yield file
            if path != "-":
                if file.has_moved:  # in an archive, say
                    file.seek(0)
                    file.digest = hashlib.sha256()
                while file.read(1 << 20):
                    pass
    except AmbiguousFile as error:
        raise SparsebcError(message_of(error, SPELLING)) from error
    digest = "" if path == "-" else file.digest.hexdigest()
    if digest and given.digests.setdefault(path, digest) != digest:
        raise SparsebcError(f"{path} changed while it was read: run the command again")
    for one in caught:
        if not isinstance(one.message, ReadWarning):
            warnings.showwarning(one.message, one.category, one.filename, one.lineno)
        elif given.weighted or "strength" not in one.message.args:  # which --strength may heed
            notes.append(message_of(one.message, SPELLING))


def listed(
    given: argparse.Namespace, option: str, texts: Sequence[str], is_known: Callable[[str], bool]
) -> list[str]:
    """What an option lists: between commas, unless a whole text is known; @FILE, one a line."""
    found: list[str] = []
    for text in texts:
        for one in [text] if is_known(text) else text.split(","):
            if not one.startswith("@") or is_known(one):
                found.append(one)
                continue
            before = len(found)
            with hashed(given, one[1:], []) as file, opened(file) as source:
                for block, _ in blocks(source.name, source.stream, given.encoding):
                    found += filter(None, map(str.strip, lines_of(block)))
            if len(found) == before:
                raise SparsebcError(f"{option} {one}: the file lists nothing")
    return found


class _Hashed(BufferedReader):
    """A file, and the ``digest`` of what was read of it, unless a reader moved about in it."""

    digest: Any
    has_moved = False

    def read(self, size: int | None = -1, /) -> bytes:
        """Read from the file."""
        found = super().read(size)
        self.digest.update(found)
        return found

    def seek(self, place: int, whence: int = SEEK_SET, /) -> int:
        """Move to a place."""
        self.has_moved = True
        return super().seek(place, whence)


class Network(NamedTuple):
    """The network of a command.

    Attributes
    ----------
    label : str
        Name of the network in output.
    matrix : sparse array, shape (n, n)
    names : tuple of str, length n
    directed : bool
    use : str or None
        Use of the weights, a key of `LENGTHS`; None if they are ignored.
    given : argparse.Namespace
        The arguments of the command, with digests of the files that were read, and notes on them.
    probability : sparse array, shape (n, n), or None
        Probabilities of the edges, if ``--columns`` names their column.
    contacts : temporal.Contacts or None
        Contacts of a temporal network, whose matrix has their number by source and target.
    inside : index
        Nodes of the file or dataset that are left; None of contacts.
    positions : ndarray, shape (n, 2), or None
        Planar coordinates of the nodes.
    geographic : bool
        Whether the positions are longitudes and latitudes in degrees.
    """

    label: str
    matrix: Any
    names: tuple[str, ...]
    directed: bool
    use: str | None
    given: argparse.Namespace
    probability: Any = None
    contacts: Any = None
    inside: Any = None
    positions: Any = None
    geographic: bool = False

    def counted(self) -> Any:
        """Matrix of weights; of two strengths of an undirected edge, the greater."""
        strong = self.use in STRENGTHS and not self.directed
        return self.matrix.maximum(self.matrix.T) if strong else self.matrix

    def in_words(self, error: BaseException) -> str:
        """Message of an error, with options for arguments and node names for an edge."""
        if not isinstance(error, EdgeError):
            told, name = one_line(error), getattr(error, "option", "")
            return spelt(told, name, self.given.command.options) if name else told
        at, coo = error.at, self.matrix.tocoo()
        if isinstance(at, tuple):  # an undirected edge may be stored in either direction
            there = (coo.row == at[0]) & (coo.col == at[1])
            turned = (coo.row == at[1]) & (coo.col == at[0])
            at = int(np.flatnonzero(there if there.any() else turned)[0])
        tail, head, value = self.names[coo.row[at]], self.names[coo.col[at]], float(coo.data[at])
        use, longest = self.use, np.finfo(np.float64).max / len(self.names)
        if use is None:
            why = "a weight must not be negative; remove the edge or the sign from the file"
        elif value <= 0:
            kind = "length" if use == "length" else "strength"
            way = ", or use --strength if larger weights mean closer" * (use == "length")
            why = f"a {kind} must be positive; remove such edges from the file{way}"
        elif use == "log" and value >= 1:
            why = LOGS[value > 1]
        elif not MIN_LENGTH <= LENGTHS[use](value) <= longest:
            limits = f"{MIN_LENGTH} to {longest:.1e}"
            why = f"lengths must lie from {limits}; --scale divides the weights"
        else:
            why = (
                "its length is lost beside the distances, of which those tie that differ by 1e-11 "
                "of their scale; merge nodes that are that close"
            )
        ends = f"{quoted(tail)} - {quoted(head)}"
        return f"{self.label}: the edge {ends} has weight {coo.data[at]}: {why}"


def read(given: argparse.Namespace) -> Network:
    """Network of a file, a dataset or standard input, or the subgraph that options select."""
    titles = (given.columns or {}).values()
    if given.header is False and not all(map(str.isdigit, titles)):
        raise SparsebcError(
            "--columns with titles needs a header, and --no-header says that there is none: "
            "give numbers of columns, or leave out --no-header"
        )
    columns, text = dict(given.columns or {}), given.text
    name, notes, directed = given.network, given.notes, bool(given.directed)
    label = "standard input" if name == "-" else name
    if given.command.reads == "contacts":
        return _contacts(given, label)
    inside, probability, probable = slice(None), None, columns.pop("probability", None)
    if name in datasets.DATASETS and not Path(name).is_file():
        directed |= datasets.DATASETS[name].directed
        matrix, names = _dataset(given)
    else:
        needed = given.weighted or given.strength or given.threshold or given.scale
        needed = bool(needed or (given.model == "edge-probability" and not probable))
        try:
            with hashed(given, name, notes) as file:
                matrix, names = io.read(file, **text | columns, weighted=needed or None)
        except (FileNotFoundError, NotADirectoryError):
            near = meant(name, [*datasets.names(), *os.listdir(".")])
            known = "" if near else f" (the datasets are {', '.join(datasets.names())})"
            found = f"{name or repr(name)}: there is no such file or dataset"
            raise FileNotFoundError(f"{found}{near}{known}") from None
        negative = 0 if needed else int(np.count_nonzero(matrix.data < 0))
        if negative:
            notes.append(f"negative weights: {negative}; the weights are ignored, and all are 1")
            matrix = matrix.astype(np.float64)
            matrix.data[:] = 1
    if probable:
        if name == "-":
            raise SparsebcError("probability=: standard input can be read only once; name a file")
        with hashed(given, name, notes) as file:
            probability = io.read(file, **text | columns | {"weight": probable}, weighted=True)[0]
    if (given.threshold, given.scale, given.keep) != (None, None, None):
        matrix, names, inside = _subgraph(given, notes, matrix, names, directed=directed)
    if probability is not None:  # of the edges of the subgraph
        pattern = matrix.astype(bool)
        pattern.data[:] = True
        probability = probability[inside][:, inside].multiply(pattern)
    zeros = matrix.nnz - matrix.count_nonzero()
    if zeros:
        notes.append(f"{zeros} of {matrix.nnz} weights are 0: their edges stay")
    if not directed and (matrix != matrix.T).nnz:
        notes.append("each edge is taken both ways; --directed takes it from source to target")
    use = given.strength or ("length" if given.weighted else None)
    return Network(label, matrix, names, directed, use, given, probability, None, inside)


def _dataset(given: argparse.Namespace) -> Any:
    """Matrix and names of a dataset; options that are for files are refused."""
    tables = any(getattr(given, one.dest) for one in OPTIONS.values() if one.reads)
    if given.columns or given.header is not None or (given.text and not tables):
        taken = next(one for one in ("columns", *TABLE) if getattr(given, one) is not None)
        taken = "no-header" if given.header is False else taken
        found = f"{given.network} is a dataset, and --{taken} is for files"
        raise SparsebcError(f"{found}: leave it out")
    return datasets.load(given.network)


def _contacts(given: argparse.Namespace, label: str) -> Network:
    """Temporal network; entry [i, j] of its matrix is the number of contacts from i to j."""
    import scipy.sparse

    from .. import temporal

    with hashed(given, given.network, given.notes) as file:
        contacts = temporal.read(file, **given.text | (given.columns or {}))
    directed, names = bool(given.directed), tuple(map(str, contacts.nodes or ()))
    ends = contacts.source, contacts.target
    matrix = scipy.sparse.coo_array((np.ones(len(ends[0])), ends), (len(names),) * 2).tocsr()
    if not directed and (matrix != matrix.T).nnz:
        given.notes.append(
            "each contact is taken both ways; --directed takes it from source to target"
        )
    return Network(label, matrix, names, directed, None, given, None, contacts)


def _subgraph(
    given: argparse.Namespace, notes: list[str], matrix: Any, names: Any, *, directed: bool
) -> tuple[Any, tuple[str, ...], Any]:
    """Matrix of the subgraph that the options select, names of its nodes, and their indices.

    The entries of at least --threshold, with all nodes, then --scale and --keep.
    """
    from .. import part_of  # once the network is read

    inside: Any = slice(None)
    if given.threshold is not None:
        try:
            strong, _ = part_of(matrix, threshold=given.threshold)
        except ValueError as error:
            raise SparsebcError(str(error).replace("threshold=", "--threshold ", 1)) from error
        kept, edges = (links(one, directed=directed)[1] for one in (strong, matrix))
        note = f"--threshold {given.threshold:g} keeps {kept} of {edges} edges"
        if strong.nnz == matrix.nnz:  # the threshold may be in another unit than the weights
            note += f", whose least weight is {matrix.data.min():g}"
        there = np.diff(strong.indptr) > 0
        there[strong.indices] = True
        alone = int((~there).sum())
        if alone and given.keep is None:
            note += (
                f"; {alone} of {len(there)} nodes have no edge left, stay, and count in normalized "
                "scores; --keep linked leaves them out"
            )
        notes.append(note)
        matrix = strong
    if given.scale is not None:
        matrix = matrix.astype("float64")  # a copy; SciPy multiplies by the inverse, rounding twice
        with np.errstate(over="ignore"):
            scaled = matrix.data / given.scale
        if (lost := np.isinf(scaled)).any():
            most = f"the weight {matrix.data[int(np.argmax(lost))]:g} divided by it"
            found = f"--scale {given.scale:g}: {most} is infinite in float64"
            raise SparsebcError(f"{found}; raise --scale")
        matrix.data = scaled
    if given.keep is not None:
        largest = given.keep == "largest"
        matrix, inside = part_of(matrix, isolated=False, largest_component=largest)
        notes.append(f"--keep {given.keep} keeps {len(inside)} of {len(names)} nodes")
        names = tuple(names[v] for v in inside)
    return matrix, names, inside


def links(matrix: Any, *, directed: bool) -> tuple[NDArray[np.int64], int]:
    """Degree of each node, and number of edges, which lead both ways unless directed; no loops."""
    from scipy.sparse import csr_array

    coo = matrix.tocoo()
    apart = coo.row != coo.col
    ends = coo.row[apart], coo.col[apart]
    found = csr_array((np.ones(len(ends[0]), dtype=bool), ends), shape=matrix.shape)
    if not directed:
        found = (found + found.T).tocsr()
        return np.diff(found.indptr), found.nnz // 2
    return np.diff(found.indptr) + np.bincount(found.indices, minlength=matrix.shape[0]), found.nnz
