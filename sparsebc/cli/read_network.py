"""Reader of the network of a command, or of the subgraph that its options select."""

import argparse
import os
import re
from pathlib import Path
from typing import Any

import numpy as np

from .. import datasets, io
from ..io import graph_xml
from . import node_tables
from .errors import Refusal
from .files import files_read, network_file, noting, of_table, opened
from .network import Network
from .options import TABLE, name_of

OF_FILES = ("--columns", "--no-header", *(f"--{name}" for name in TABLE))


def read(given: argparse.Namespace) -> Network:
    """Network of a file, a dataset or standard input."""
    name = given.network
    notes: list[str] = []
    told = of_table(given)
    directed = bool(given.directed)
    if name in datasets.DATASETS and not Path(name).is_file():
        if told and (given.columns or given.no_header or len([*files_read(given)]) == 1):
            listed = (one for one in OF_FILES if getattr(given, name_of(one)) not in (None, False))
            raise Refusal(f"{name} is a dataset, and {next(listed)} is for files: leave it out")
        directed |= datasets.DATASETS[name].directed
        matrix, names = datasets.load(name)
    elif name != "-" and not _exists(name):
        known = ", ".join(datasets.names())
        raise FileNotFoundError(
            f"{name or repr(name)}: there is no such file or dataset; the datasets are {known}"
        )
    else:
        needs = given.weighted or given.strength or given.threshold or given.scale
        needs = bool(needs or (given.model == "edge-probability" and not given.probability))
        matrix, names = _of_file(given, told, notes, needed=needs)
    probability = None if given.probability is None else _probability(given, told)
    matrix, names, inside = _subgraph(given, matrix, names, notes, directed=directed)
    if probability is not None:  # of the edges of the subgraph
        pattern = matrix.astype(bool)
        pattern.data[:] = True
        probability = probability[inside][:, inside].multiply(pattern)
    zeros = matrix.nnz - matrix.count_nonzero()
    if zeros:
        notes.append(f"{zeros} of {matrix.nnz} weights are 0: their edges stay")
    if not directed and (matrix != matrix.T).nnz:
        notes.append("each edge is taken both ways; --directed takes it from source to target")
    positions = _positions(given, inside)
    return Network(
        given, label(given), matrix, names, directed, notes, probability, positions=positions
    )


def _exists(name: str) -> bool:
    """Whether there is such a file or directory; PermissionError if none may tell."""
    try:
        os.stat(name)  # no file is named "", whose Path is the directory
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return False
    return True


def _positions(given: argparse.Namespace, inside: Any) -> node_tables.Positions | None:
    """Positions in a GraphML file, as osmnx writes it, of the nodes `inside`, for a page."""
    is_page = str(given.output).lower().endswith(".html") and given.positions is None
    if not is_page or not re.search(r"(?i)\.(graphml|xml)(\.\w+)?$", given.network):
        return None
    with opened(given, given.network) as file:  # its notes are there already
        found = graph_xml.positions(file, given.encoding)
    if found is None:
        return None
    coordinates, crs = found[0][inside], found[1].lower()
    geographic = crs in ("epsg:4326", "ogc:crs84", "wgs84")
    if geographic and (abs(coordinates) > (180, 90)).any():
        return None
    return node_tables.Positions(coordinates, geographic)


def label(given: argparse.Namespace) -> str:
    """Name of the network of a command, in messages."""
    return "standard input" if given.network == "-" else str(given.network)


def _probability(given: argparse.Namespace, told: dict[str, Any]) -> Any:
    """Matrix of the probabilities in the column that --probability names."""
    if given.network == "-":
        raise Refusal("--probability: standard input can be read only once; name a file")
    if not Path(given.network).is_file():
        raise Refusal(f"{given.network} is a dataset: --probability is for files")
    return _of_file(given, told | {"weight": given.probability}, [], needed=True)[0]


def _of_file(
    given: argparse.Namespace, told: dict[str, Any], notes: list[str], *, needed: bool
) -> Any:
    """Matrix and names; all weights are 1 if some are negative and weights are not needed."""
    with noting(given, notes), network_file(given) as file:
        matrix, names = io.read(file, **told, weighted=needed or None)
    negative = 0 if needed else int(np.count_nonzero(matrix.data < 0))
    if negative:
        notes.append(f"negative weights: {negative}; the weights are ignored, and all are 1")
        matrix = matrix.astype(np.float64)
        matrix.data[:] = 1
    return matrix, names


def _subgraph(
    given: argparse.Namespace,
    matrix: Any,
    names: tuple[str, ...],
    notes: list[str],
    *,
    directed: bool,
) -> tuple[Any, tuple[str, ...], Any]:
    """Matrix of the subgraph that the options select, names of its nodes, and their indices."""
    from ..matrix.strengths import part_of  # once the network is read

    inside: Any = slice(None)
    alone_stay = not (given.largest_component or given.drop_isolated)
    if given.threshold is not None:
        matrix = _strong(matrix, given.threshold, notes, directed=directed, alone_stay=alone_stay)
    if given.scale is not None:
        matrix = matrix.astype("float64")  # a copy; SciPy multiplies by the inverse, rounding twice
        with np.errstate(over="ignore"):
            scaled = matrix.data / given.scale
        if (lost := np.isinf(scaled)).any():
            most = f"the weight {matrix.data[int(np.argmax(lost))]:g} divided by it"
            raise Refusal(f"--scale {given.scale:g}: {most} is infinite in float64; raise --scale")
        matrix.data = scaled
    if not alone_stay:
        option = "largest-component" if given.largest_component else "drop-isolated"
        largest = bool(given.largest_component)
        matrix, inside = part_of(matrix, isolated=False, largest_component=largest)
        notes.append(f"--{option} keeps {len(inside)} of {len(names)} nodes")
        names = tuple(names[v] for v in inside)
    if given.names is not None:
        names = node_tables.renamed(names, given, notes)
    return matrix, names, inside


def _edge_count(matrix: Any, *, directed: bool) -> int:
    """Number of edges; an undirected edge may be stored in one direction or in both."""
    from scipy.sparse import triu

    if directed:
        return int(matrix.nnz)
    pattern = matrix.astype(bool)
    pattern.data[:] = True
    return int(triu(pattern + pattern.T).nnz)


def _strong(
    matrix: Any, least: float, notes: list[str], *, directed: bool, alone_stay: bool
) -> Any:
    """Matrix of the entries of at least a weight, with all nodes; notes how many edges are left."""
    from ..matrix.strengths import part_of

    try:
        strong, _ = part_of(matrix, threshold=least)
    except ValueError as error:
        raise Refusal(str(error).replace("threshold=", "--threshold ", 1)) from error
    linked = np.diff(strong.indptr) > 0
    linked[strong.indices] = True
    alone = int((~linked).sum())
    kept, edges = (_edge_count(one, directed=directed) for one in (strong, matrix))
    note = f"--threshold {least:g} keeps {kept} of {edges} edges"
    if strong.nnz == matrix.nnz:  # the threshold may be in another unit than the weights
        note += f", whose least weight is {matrix.data.min():g}"
    if alone and alone_stay:
        note += (
            f"; {alone} of {len(linked)} nodes have no edge left, stay, and count in normalized "
            "scores; --drop-isolated leaves them out"
        )
    notes.append(note)
    return strong
