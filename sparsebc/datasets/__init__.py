"""Small real networks in the package; ``data/LICENSES.md`` has their terms and changes."""

from __future__ import annotations

import csv
import gzip
from importlib import resources
from typing import Any, NamedTuple

import numpy as np

from ..errors import InputError
from ..io.network import Network, assemble, both_ways

__all__ = ["Dataset", "edges", "load", "names", "nodes"]


class Dataset(NamedTuple):
    """Metadata of a network in the package.

    Attributes
    ----------
    description : str
        Nodes, edges and the meaning of the weights.
    origin : str
        Who collected the data, and the copy that was used.
    licence : str
        SPDX identifier of the terms of that copy, or "public domain".
    directed : bool
        Whether edges are directed; if not, the matrix is symmetric.
    weight : str
        Column of `edges` that the entries of the matrix are; "" if they are all 1.
    attribution : str
        The sentence that has to stand beside every picture of the data; "" if none has to.
    """

    description: str
    origin: str
    licence: str
    directed: bool = False
    weight: str = ""
    attribution: str = ""


DATASETS = {
    "karate": Dataset(
        description="friendships in a karate club: 34 members, 78 edges, unweighted",
        origin="Zachary 1977, doi:10.1086/jar.33.4.3629752; as in NetworkX",
        licence="BSD-3-Clause",
    ),
    "les-miserables": Dataset(
        description="characters of Les Misérables: 77 nodes, 254 edges, the strength of each is "
        "the number of scenes with both",
        origin="Knuth 1993, The Stanford GraphBase; as in NetworkX",
        licence="BSD-3-Clause",
        weight="weight",
    ),
    "human-proteins": Dataset(
        description="human protein interactions from the literature: 5956 proteins by gene "
        "symbol, 12758 edges, unweighted",
        origin="Luck et al. 2020, doi:10.1038/s41586-020-2188-x, Lit-BM; symbols and names of HGNC",
        licence="CC-BY-4.0",
    ),
    "us-flights": Dataset(
        description="flights between airports of the USA in 2008: 305 airports by IATA code, "
        "5366 directed routes, the strength of each is its number of flights",
        origin="U.S. Bureau of Transportation Statistics, data.gov; as in vega-datasets",
        licence="public domain",
        directed=True,
        weight="flights",
    ),
    "roxel-streets": Dataset(
        description="streets and paths of Roxel, Münster: 675 crossings, 838 segments, the length "
        "of each in metres",
        origin="OpenStreetMap; as in sfnetworks",
        licence="ODbL-1.0",
        weight="length",
        attribution="Contains information from OpenStreetMap, © OpenStreetMap contributors, "
        "available under the ODbL 1.0",
    ),
}
_NUMBERS = ("weight", "flights", "length", "longitude", "latitude")


def names() -> tuple[str, ...]:
    """Names of the networks that `load` knows.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> names()
    ('karate', 'les-miserables', 'human-proteins', 'us-flights', 'roxel-streets')
    """
    return tuple(DATASETS)


def load(name: str) -> Network:
    """Network in the package.

    Parameters
    ----------
    name : str
        One of `names`; ``DATASETS[name]`` has its description and licence.

    Returns
    -------
    sparsebc.io.Network
        The matrix, of dtype float64, and the node names. Of parallel streets the shortest counts.

    Raises
    ------
    ValueError
        If there is no such network; the message lists the names.

    Examples
    --------
    >>> matrix, names = load("karate")
    >>> matrix.shape, matrix.nnz, names[0], names[-1]
    ((34, 34), 156, '1', '34')
    """
    columns, names = edges(name), nodes(name)["node"]
    told = DATASETS[name]
    number = {node: k for k, node in enumerate(names)}
    row, column = (np.array([number[v] for v in columns[end]]) for end in ("source", "target"))
    data = columns[told.weight] if told.weight else np.ones(len(row))
    if not told.directed:
        row, column, data = both_ways(row, column, data)
    return Network(assemble(row, column, data, len(names), str, shortest=True), names)


def nodes(name: str) -> dict[str, Any]:
    """What is known of the nodes of a network in the package.

    Parameters
    ----------
    name : str
        As for `load`.

    Returns
    -------
    dict
        A column by title, in the order of the nodes of `load`: ``node``, its name there; ``club``
        of karate; ``ensembl`` and ``name`` of human-proteins; ``name``, ``city``, ``state``,
        ``longitude`` and ``latitude`` of us-flights; ``longitude`` and ``latitude`` of
        roxel-streets. Positions are arrays of floats (WGS 84), other columns tuples of text.

    Raises
    ------
    ValueError
        If there is no such network.

    Examples
    --------
    >>> airports = nodes("us-flights")
    >>> airports["node"][6], airports["name"][6], airports["latitude"][6].item()
    ('ACV', 'Arcata', 40.97812)
    """
    return _table(name, f"{name}.nodes")


def edges(name: str) -> dict[str, Any]:
    """What is known of the edges of a network in the package.

    Parameters
    ----------
    name : str
        As for `load`.

    Returns
    -------
    dict
        A column by title: ``source`` and ``target``; ``weight`` of les-miserables; ``flights`` of
        us-flights; ``length``, ``name``, ``type`` and ``geometry`` (WKT lines) of roxel-streets.
        Numbers are arrays of floats, other columns tuples of text. An undirected edge comes once.

    Raises
    ------
    ValueError
        If there is no such network.

    Examples
    --------
    >>> streets = edges("roxel-streets")
    >>> streets["name"][2], streets["length"][2].item()
    ('Tilbecker Straße', 135.5)
    """
    return _table(name, name)


def _table(name: str, stem: str) -> dict[str, Any]:
    """Columns of a file of the package, by title."""
    if name not in DATASETS:
        raise InputError(f"unknown dataset {name!r}; there are {', '.join(DATASETS)}")
    file = resources.files(__package__) / "data" / f"{stem}.csv.gz"
    lines = gzip.decompress(file.read_bytes()).decode().splitlines()
    titles, *rows = csv.reader(lines)
    columns = dict(zip(titles, zip(*rows, strict=True), strict=True))
    return {
        title: np.array(column, dtype=np.float64) if title in _NUMBERS else column
        for title, column in columns.items()
    }
