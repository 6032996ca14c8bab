"""Reader of the contacts of a command."""

import argparse

import numpy as np
import scipy.sparse

from .. import temporal
from ..temporal.read import numbers
from .files import network_file, noting, of_table
from .network import Network
from .read_network import label


def read(given: argparse.Namespace) -> Network:
    """Temporal network; entry [i, j] of its matrix is the number of contacts from i to j."""
    notes: list[str] = []
    with noting(given, notes), network_file(given) as file:
        contacts = temporal.read(file, **of_table(given))
    directed = bool(given.directed)
    names = tuple(map(str, contacts.nodes or ()))
    ends = contacts.source, contacts.target
    matrix = scipy.sparse.coo_array((np.ones(len(ends[0])), ends), (len(names),) * 2).tocsr()
    if not directed and (matrix != matrix.T).nnz:
        notes.append("each contact is taken both ways; --directed takes it from source to target")
    return Network(given, label(given), matrix, names, directed, notes, contacts=contacts)


def instant(text: str) -> float:
    """Time in an argument: a number or a date."""
    time: float = numbers([text], "time", lambda _: "--start")[0].item()
    return time
