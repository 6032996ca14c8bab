"""Small real networks in the package; ``data/LICENSES.md`` has their terms and changes."""

from __future__ import annotations

from importlib import resources
from typing import NamedTuple

from .. import io
from ..errors import InputError

__all__ = ["Dataset", "load", "names"]


class Dataset(NamedTuple):
    """Metadata of a network in the package.

    Attributes
    ----------
    description : str
        Nodes, edges and the meaning of the weights.
    origin : str
        Who collected the data, and the copy that was used.
    licence : str
        SPDX identifier of the terms of that copy.
    directed : bool
        Whether edges are directed; if not, the matrix is symmetric.
    first : int
        Number of the first node in that copy, by whose numbers nodes are named.
    """

    description: str
    origin: str
    licence: str
    directed: bool
    first: int


DATASETS = {
    "karate": Dataset(
        description="friendships in a karate club: 34 members, 78 edges, unweighted",
        origin="Zachary 1977, doi:10.1086/jar.33.4.3629752; as in NetworkX",
        licence="BSD-3-Clause",
        directed=False,
        first=1,
    ),
    "human-protein-hein2015": Dataset(
        description="human protein interactions found by affinity purification and mass "
        "spectrometry: 5380 proteins, 27347 edges, unweighted",
        origin="Hein et al. 2015, doi:10.1016/j.cell.2015.09.053; as in BIONIC",
        licence="MIT",
        directed=False,
        first=0,
    ),
    "power-grid-europe": Dataset(
        description="model of the European high-voltage grid (realistic in size and structure, "
        "data fictitious): 9241 buses, 14207 edges, lengths |reactance| in p.u.",
        origin="PEGASE, Josz et al. 2016, arXiv:1603.01533; case9241pegase of MATPOWER",
        licence="CC-BY-4.0",
        directed=False,
        first=1,
    ),
}


def names() -> tuple[str, ...]:
    """Names of the networks that `load` knows.

    Returns
    -------
    tuple of str

    Examples
    --------
    >>> names()
    ('karate', 'human-protein-hein2015', 'power-grid-europe')
    """
    return tuple(DATASETS)


def load(name: str) -> io.Network:
    """Network in the package.

    Parameters
    ----------
    name : str
        One of `names`; ``DATASETS[name]`` has its description and licence.

    Returns
    -------
    sparsebc.io.Network
        The matrix, of dtype float64, and the node names.

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
    if name not in DATASETS:
        raise InputError(f"unknown dataset {name!r}; there are {', '.join(DATASETS)}")
    file = resources.files(__package__) / "data" / f"{name}.mtx.gz"
    with resources.as_file(file) as path:
        matrix = io.read(path).matrix
    first = DATASETS[name].first
    return io.Network(matrix, tuple(map(str, range(first, first + matrix.shape[0]))))
