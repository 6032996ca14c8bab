"""Calls that are refused: the class of the error, what it names, and no file is left.

``data/refused_calls.txt`` has a call a line, and what is said of it.
"""

import builtins
import os
import re
from pathlib import Path
from types import SimpleNamespace

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import sparsebc
from sparsebc import communities, datasets, frames, io, networkx, streets, temporal

KARATE, NAMES = datasets.load("karate")
PLACES = (sparsebc, communities, datasets, frames, io, networkx, streets, temporal)


def city():
    """Three streets in a row, between four places."""
    graph = nx.path_graph(4)
    nx.set_node_attributes(graph, {v: {"x": (v + 1) // 2, "y": v // 2} for v in graph})
    return streets.from_networkx(graph, None)


def street(length):
    """A graph of one street."""
    return nx.MultiDiGraph([("a", "z", {"length": length})])


def ties(*values, dtype=None):
    """Four ties among three nodes."""
    ends = [0, 1, 2, 0], [1, 2, 0, 2]
    return sp.csr_array((np.array(values, dtype=dtype), ends), shape=(3, 3))


KNOWN = {
    **{"np": np, "sp": sp, "nx": nx, "igraph": igraph, "KARATE": KARATE, "NAMES": NAMES},
    **{one.__name__.rpartition(".")[2]: one for one in PLACES},
    "PATH": sp.csr_array(np.eye(3, k=1)),
    "LINE": sp.csr_array(np.eye(5, k=1)),
    "SOME": np.arange(1.0, 6),
    "TRIO": sp.coo_array(([1, 1], ([0, 2], [1, 1])), shape=(3, 3)),
    "CONTACTS": temporal.Contacts(range(4), range(1, 5), range(4)),
    "CITY": city(),
    "STREET": street,
    **{"TIES": ties, "Path": Path},
    "ARCS": sp.csr_array(([1.0, 2.0, 3.0], ([0, 1, 2], [1, 0, 2])), shape=(4, 4)),
    "TWICE": igraph.Graph(2, [(0, 1)] * 2, edge_attrs={"w": [1, 2], "s": ["a", "b"]}),
    "EDGES": {"from": ["b", "a", "b"], "to": ["a", "c", "c"], "score": [0.5, 2, 1]},
    "SCORES": {"s": np.arange(34.0)},
    "MODEL": lambda **of: SimpleNamespace(
        **dict.fromkeys(("mean", "z", "q", "low", "high"), np.arange(34.0)) | of
    ),
}
TABLE = Path(__file__).parent / "data" / "refused_calls.txt"
CALLS = [line.split("  # ") for line in TABLE.read_text().splitlines()]


@pytest.mark.filterwarnings("ignore:overflow encountered in cast:RuntimeWarning")
@pytest.mark.parametrize(("call", "said"), CALLS)
def test_a_wrong_argument_is_refused_by_name(folder, call, said):
    kind, words = said.split(":", 1)
    known = (
        KNOWN | {"pd": pytest.importorskip("pandas")} if re.search(r"pd\.|\.on_", call) else KNOWN
    )
    with pytest.raises(getattr(builtins, kind)) as caught:
        eval(call, known)
    for one in words.strip().split(" & "):
        named = rf"\b{one}\b" if one.isidentifier() else re.escape(one)
        assert re.search(named, str(caught.value))
    assert os.listdir() == []
