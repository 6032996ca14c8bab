"""Calls that are refused: the class of the error, what it names, and no file is left.

``data/refused_calls.txt`` has a call a line, and what is said of it.
"""

import builtins
import os
from pathlib import Path
from types import SimpleNamespace

import igraph
import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import sparsebc
from sparsebc import datasets, frames, io, networkx

KARATE, NAMES = datasets.load("karate")
KNOWN = {
    **{"np": np, "sp": sp, "nx": nx, "igraph": igraph, "KARATE": KARATE, "NAMES": NAMES},
    **{one.__name__.rpartition(".")[2]: one for one in (sparsebc, datasets, frames, io, networkx)},
    "PATH": sp.csr_array(np.eye(3, k=1)),
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


@pytest.mark.parametrize(("call", "said"), CALLS)
def test_a_wrong_argument_is_refused_by_name(folder, call, said):
    kind, words = said.split(":", 1)
    known = KNOWN | {"pd": pytest.importorskip("pandas")} if "pd." in call else KNOWN
    with pytest.raises(getattr(builtins, kind)) as caught:
        eval(call, known)
    assert words.strip() in str(caught.value)
    assert os.listdir() == []
