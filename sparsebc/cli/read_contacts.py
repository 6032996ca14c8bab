"""Reader of the contacts of a command."""

import argparse

import numpy as np
import scipy.sparse

from .. import temporal
from ..temporal.times import numbers
from .network import Network
from .read_network import label, noting, table_file, table_options


def read(given: argparse.Namespace) -> Network:
    """Temporal network; entry [i, j] of its matrix is the number of contacts from i to j."""
    notes: list[str] = []
    with noting(given, notes):
        contacts = temporal.read(table_file(given), **table_options(given))
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
