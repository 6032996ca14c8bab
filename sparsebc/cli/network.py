"""The network of a command: read from a file or dataset, and the part that its options select."""

import argparse
import os
import re
from collections import Counter
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import datasets, io
from ..errors import EdgeError
from ..matrix.edge_weights import MIN_LENGTH
from ..plain_text import meant, quoted
from .files import Files, Table
from .messages import Refusal, in_options
from .options import DEST, OPTIONS, TABLE

# Values of --strength, and their names in `strength_to_distance`; no argument may begin with "-".
STRENGTHS = {"reciprocal": "reciprocal", "log": "-log"}
LENGTHS = {"length": lambda x: x, "reciprocal": lambda x: 1 / x, "log": lambda x: -np.log(x)}
# Titles of geographic coordinates in --positions, in lower case; others are planar.
LONGITUDE = ("lon", "long", "lng", "longitude")
LATITUDE = ("lat", "latitude")


class Positions(NamedTuple):
    """Positions of the nodes: longitude and latitude in degrees, or planar coordinates."""

    coordinates: NDArray[np.float64] | None = None
    geographic: bool = False


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
    files : files.Files
        The files that were read, and notes on them.
    probability : sparse array, shape (n, n), or None
        Probabilities of the edges, if ``--columns`` names their column.
    contacts : temporal.Contacts or None
        Contacts of a temporal network, whose matrix has their number by source and target.
    positions : Positions
        Positions of the nodes, if they have them.
    """

    label: str
    matrix: Any
    names: tuple[str, ...]
    directed: bool
    use: str | None
    files: Files
    probability: Any = None
    contacts: Any = None
    positions: Positions = Positions()

    def lengths(self) -> Any:
        """Input of the public functions: the matrix, strengths as lengths, or the contacts."""
        if self.contacts is not None:
            return self.contacts
        if self.use not in STRENGTHS:
            return self.matrix
        from .. import strength_to_distance

        return strength_to_distance(self.matrix, STRENGTHS[self.use])

    def counted(self) -> Any:
        """Matrix of weights; of two strengths of an undirected edge, the greater."""
        strong = self.use in STRENGTHS and not self.directed
        return self.matrix.maximum(self.matrix.T) if strong else self.matrix

    def on_weights(self) -> list[str]:
        """Note on weights that differ but are ignored."""
        data = self.matrix.data
        looked_at = self.use is not None or self.contacts is not None
        if looked_at or data.size == 0 or data.min() == data.max():
            return []
        return ["weights are ignored; --strength takes them for strengths, --weighted for lengths"]

    def in_words(self, error: BaseException) -> str:
        """Message of an error, with options for arguments and node names for an edge."""
        if not isinstance(error, EdgeError):
            return in_options(error, self.files.given.command.arguments)
        at, coo = error.at, self.matrix.tocoo()
        if isinstance(at, tuple):  # an undirected edge may be stored in either direction
            ends = (coo.row == at[0]) & (coo.col == at[1])
            turned = (coo.row == at[1]) & (coo.col == at[0])
            at = int(np.flatnonzero(ends if ends.any() else turned)[0])
        tail, head, value = self.names[coo.row[at]], self.names[coo.col[at]], coo.data[at]
        edge = f"{quoted(tail)} - {quoted(head)}"
        return f"{self.label}: the edge {edge} has weight {value}: {self._reason(float(value))}"

    def _reason(self, value: float) -> str:
        """Reason why a weight is invalid, and the remedy."""
        use, longest = self.use, np.finfo(np.float64).max / max(len(self.names), 1)
        if use is None:
            return "a weight must not be negative; remove the edge or the sign from the file"
        if value <= 0 and use == "length":
            return (
                "a length must be positive; remove such edges from the file, or use --strength if "
                "larger weights mean closer"
            )
        if value <= 0:
            return "a strength must be positive; remove such edges from the file"
        if use == "log" and value == 1:
            return (
                "a strength of 1 has length 0; use --strength reciprocal, or --scale 1.001, which "
                "divides all strengths"
            )
        if use == "log" and value > 1:
            return (
                "--strength log takes weights below 1; --scale divides them all, STRING's by 1000"
            )
        if not MIN_LENGTH <= LENGTHS[use](value) <= longest:
            return (
                f"lengths must lie from {MIN_LENGTH} to {longest:.1e}; --scale divides the weights"
            )
        return (
            "its length is lost beside the distances, of which those tie that differ by 1e-11 of "
            "their scale; merge nodes that are that close"
        )


def read(given: argparse.Namespace) -> Network:
    """Network of a command."""
    files = Files(given)
    return (_contacts if given.command.reads == "contacts" else _network)(given, files)


def _contacts(given: argparse.Namespace, files: Files) -> Network:
    """Temporal network; entry [i, j] of its matrix is the number of contacts from i to j."""
    import scipy.sparse

    from .. import temporal

    with files.network() as file:
        contacts = temporal.read(file, **files.text | (given.columns or {}))
    directed, names = bool(given.directed), tuple(map(str, contacts.nodes or ()))
    ends = contacts.source, contacts.target
    matrix = scipy.sparse.coo_array((np.ones(len(ends[0])), ends), (len(names),) * 2).tocsr()
    if not directed and (matrix != matrix.T).nnz:
        files.notes.append(
            "each contact is taken both ways; --directed takes it from source to target"
        )
    positions = _told_positions(given, files, names) or Positions()
    return Network(_label(given), matrix, names, directed, None, files, None, contacts, positions)


def _network(given: argparse.Namespace, files: Files) -> Network:
    """Network of a file, a dataset or standard input, or the subgraph that options select."""
    name, notes, columns = given.network, files.notes, dict(given.columns or {})
    directed, probable = bool(given.directed), columns.pop("probability", None)
    if name in datasets.DATASETS and not Path(name).is_file():
        tables = any(getattr(given, DEST[one]) for one, of in OPTIONS.items() if of.reads)
        if given.columns or given.header is not None or (files.text and not tables):
            taken = next(one for one in ("columns", *TABLE) if getattr(given, one) is not None)
            taken = "no-header" if given.header is False else taken
            raise Refusal(f"{name} is a dataset, and --{taken} is for files: leave it out")
        directed |= datasets.DATASETS[name].directed
        matrix, names = datasets.load(name)
    elif name != "-" and not _exists(name):
        near = meant(name, [*datasets.names(), *os.listdir(".")])
        raise FileNotFoundError(
            f"{name or repr(name)}: there is no such file or dataset{near}"
            f"{' (the datasets are ' + ', '.join(datasets.names()) + ')' if not near else ''}"
        )
    else:
        needs = given.weighted or given.strength or given.threshold or given.scale
        needs = bool(needs or (given.model == "edge-probability" and not probable))
        matrix, names = _of_file(files, columns, needed=needs)
    probability = None
    if probable:
        if name == "-":
            raise Refusal("probability=: standard input can be read only once; name a file")
        probability = _of_file(files, columns | {"weight": probable}, needed=True)[0]
    matrix, names, inside = _subgraph(given, files, matrix, names, directed=directed)
    if probability is not None:  # of the edges of the subgraph
        pattern = matrix.astype(bool)
        pattern.data[:] = True
        probability = probability[inside][:, inside].multiply(pattern)
    zeros = matrix.nnz - matrix.count_nonzero()
    if zeros:
        notes.append(f"{zeros} of {matrix.nnz} weights are 0: their edges stay")
    if not directed and (matrix != matrix.T).nnz:
        notes.append("each edge is taken both ways; --directed takes it from source to target")
    positions = _told_positions(given, files, names) or _positions(given, files, inside)
    use = given.strength or ("length" if given.weighted else None)
    return Network(_label(given), matrix, names, directed, use, files, probability, None, positions)


def _label(given: argparse.Namespace) -> str:
    return "standard input" if given.network == "-" else str(given.network)


def _exists(name: str) -> bool:
    """Whether there is such a file or directory; PermissionError if none may tell."""
    try:
        os.stat(name)  # no file is named "", whose Path is the directory
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    return True


def _of_file(files: Files, columns: dict[str, str], *, needed: bool) -> Any:
    """Matrix and names; all weights are 1 if some are negative and weights are not needed."""
    with files.network() as file:
        matrix, names = io.read(file, **files.text | columns, weighted=needed or None)
    negative = 0 if needed else int(np.count_nonzero(matrix.data < 0))
    if negative:
        files.notes.append(f"negative weights: {negative}; the weights are ignored, and all are 1")
        matrix = matrix.astype(np.float64)
        matrix.data[:] = 1
    return matrix, names


def _subgraph(
    given: argparse.Namespace, files: Files, matrix: Any, names: tuple[str, ...], *, directed: bool
) -> tuple[Any, tuple[str, ...], Any]:
    """Matrix of the subgraph that the options select, names of its nodes, and their indices."""
    from .. import part_of  # once the network is read

    inside: Any = slice(None)
    alone_stay = given.keep is None
    if given.threshold is not None:
        least = given.threshold
        matrix = _strong(matrix, least, files.notes, directed=directed, alone_stay=alone_stay)
    if given.scale is not None:
        matrix = matrix.astype("float64")  # a copy; SciPy multiplies by the inverse, rounding twice
        with np.errstate(over="ignore"):
            scaled = matrix.data / given.scale
        if (lost := np.isinf(scaled)).any():
            most = f"the weight {matrix.data[int(np.argmax(lost))]:g} divided by it"
            raise Refusal(f"--scale {given.scale:g}: {most} is infinite in float64; raise --scale")
        matrix.data = scaled
    if not alone_stay:
        largest = given.keep == "largest"
        matrix, inside = part_of(matrix, isolated=False, largest_component=largest)
        files.notes.append(f"--keep {given.keep} keeps {len(inside)} of {len(names)} nodes")
        names = tuple(names[v] for v in inside)
    if given.names is not None:
        names = _renamed(names, given.names, files)
    return matrix, names, inside


def pattern(matrix: Any, *, directed: bool) -> Any:
    """Which nodes are linked: a Boolean matrix without loops, symmetric unless directed."""
    from scipy.sparse import csr_array

    coo = matrix.tocoo()
    apart = coo.row != coo.col
    ends = coo.row[apart], coo.col[apart]
    found = csr_array((np.ones(len(ends[0]), dtype=bool), ends), shape=matrix.shape)
    return found if directed else (found + found.T).tocsr()


def _strong(
    matrix: Any, least: float, notes: list[str], *, directed: bool, alone_stay: bool
) -> Any:
    """Matrix of the entries of at least a weight, with all nodes; notes how many edges are left."""
    from .. import part_of

    try:
        strong, _ = part_of(matrix, threshold=least)
    except ValueError as error:
        raise Refusal(str(error).replace("threshold=", "--threshold ", 1)) from error
    linked = np.diff(strong.indptr) > 0
    linked[strong.indices] = True
    alone = int((~linked).sum())
    counts = (pattern(one, directed=directed).nnz for one in (strong, matrix))
    kept, edges = (count if directed else count // 2 for count in counts)
    note = f"--threshold {least:g} keeps {kept} of {edges} edges"
    if strong.nnz == matrix.nnz:  # the threshold may be in another unit than the weights
        note += f", whose least weight is {matrix.data.min():g}"
    if alone and alone_stay:
        note += (
            f"; {alone} of {len(linked)} nodes have no edge left, stay, and count in normalized "
            "scores; --keep linked leaves them out"
        )
    notes.append(note)
    return strong


def _renamed(names: tuple[str, ...], path: str, files: Files) -> tuple[str, ...]:
    """Names by the first two columns of a table; a shared new name gets the old one appended."""

    def wanted_of(row: list[str]) -> str:
        if not row[1]:
            raise ValueError
        return row[1]

    table = Table(files, path, "--names")
    called = table.by_name("two columns, a name and its replacement", wanted_of)
    missing = sum(name not in called for name in names)  # a header is read as a row of no node
    if missing == len(names):
        raise table.no_node(names)
    if missing:
        files.notes.append(
            f"{missing} of {len(names)} nodes are not in {path}, and keep their names"
        )
    wanted = [called.get(name, name) for name in names]
    times = Counter(wanted)
    shared = sum(times[name] > 1 for name in wanted)
    if shared:
        files.notes.append(f"{shared} nodes share names in {path}: their own follow in brackets")
    return tuple(
        new if times[new] == 1 else f"{new} ({old})" for old, new in zip(names, wanted, strict=True)
    )


def _positions(given: argparse.Namespace, files: Files, inside: Any) -> Positions:
    """Positions of the nodes `inside`, for a page: of a dataset, or a GraphML file of osmnx."""
    from ..io import graph_xml

    name, is_page = given.network, str(given.output).lower().endswith(".html")
    if is_page and name in datasets.DATASETS and not Path(name).is_file():
        known = datasets.nodes(name)
        if "longitude" not in known:
            return Positions()
        files.notes += filter(None, [datasets.DATASETS[name].attribution])
        return Positions(np.stack((known["longitude"], known["latitude"]), axis=1)[inside], True)
    if not is_page or not re.search(r"(?i)\.(graphml|xml)(\.\w+)?$", name):
        return Positions()
    with files.opened(given.network) as file:  # its notes are there already
        found = graph_xml.positions(file, given.encoding)
    if found is None:
        return Positions()
    coordinates, crs = found[0][inside], found[1].lower()
    geographic = crs in ("epsg:4326", "ogc:crs84", "wgs84")
    if geographic and (abs(coordinates) > (180, 90)).any():
        return Positions()
    return Positions(coordinates, geographic)


def _told_positions(
    given: argparse.Namespace, files: Files, names: tuple[str, ...]
) -> Positions | None:
    """Positions of the nodes, by the first three columns of the table of --positions."""
    path = given.positions
    if path is None:
        return None
    table = Table(files, path, "--positions")
    titles = [title.strip().lower() for title in table.titles({*names})[1:3]]
    found = table.by_name(
        "a node and two numbers", lambda row: (table.number(row[1]), table.number(row[2]))
    )
    lost = [name for name in names if name not in found]
    if lost:
        raise Refusal(
            f"{path}: {len(lost)} of {len(names)} nodes have no position, such as "
            f"{quoted(lost[0])}; give one to each"
        )
    coordinates = np.array([found[name] for name in names], dtype=np.float64).reshape(-1, 2)
    if {*titles[:1]} & {*LATITUDE}:
        coordinates = coordinates[:, ::-1]
    return Positions(coordinates, bool(titles) and {*titles} <= {*LONGITUDE, *LATITUDE})
