"""What a type checker says of right calls, and of wrong ones."""

import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import scipy.sparse

import sparsebc
from sparsebc.measures import centralities, distances

ROOT = Path(__file__).parent.parent

# A comment holds what mypy must say of its line: code of the error, and words of the message.
CALLS = """
from typing import Unpack

import numpy as np
import scipy.sparse

import sparsebc

A = scipy.sparse.csr_array((3, 3))
dense = np.eye(3)
bare = (np.array([0, 1, 1]), np.array([1]), 2)
names: list[sparsebc.Measure] = ["betweenness", "closeness"]
options: sparsebc.RunOptions = {"workers": 3, "dtype": np.float32}
distances: sparsebc.DistanceOptions = {"reduce": {"trees"}, "workers": 2}
groups: sparsebc.GroupOptions = {"checkpoint": "kept", "retries": 3}
searches: sparsebc.SearchOptions = {"device": ["cuda:0", "cuda:1"], "progress": True}

sparsebc.betweenness(A, workers=3, device="cpu", memory_budget=1 << 30, progress=print)
sparsebc.betweenness(dense, **options)
sparsebc.edge_betweenness(bare, dtype="float32")
sparsebc.centralities(A, ["betweenness", "closeness"], device=None)
sparsebc.centralities(A, names, **options)
sparsebc.approximate_betweenness(A, epsilon=0.1, workers=2).scores.max()
sparsebc.adaptive_betweenness(A, [0], progress=lambda done, total: None)
sparsebc.closeness(A, direction="out", **searches)
sparsebc.eccentricity(A, **distances)
sparsebc.bfs(A, [0], device=["cuda:0", "cuda:1"], memory_budget=10**9)
sparsebc.shortest_paths(dense, [0], weighted=True, **searches)
sparsebc.betweenness(dense, **searches)


def scores(B: sparsebc.Adjacency, **run: Unpack[sparsebc.RunOptions]) -> float:
    return float(sparsebc.betweenness(B, **run).max())


scores(A, workers=1)

sparsebc.betweenness(A, wokers=3)  # call-arg: Unexpected keyword argument "wokers"
sparsebc.stress(A, workers="three")  # arg-type: "workers"
sparsebc.harmonic(A, dtype=np.float32)  # call-arg: "dtype"
sparsebc.closeness(A, reduce={"chains"})  # arg-type: 'chains'
sparsebc.dismantle(A, checkpoint="kept")  # call-arg: "checkpoint"
sparsebc.explain(A, progress=True)  # call-arg: "progress"
sparsebc.bfs(A, [0], memory=5)  # call-arg: "memory"
sparsebc.closeness(A, direction="up")  # arg-type: "direction"
sparsebc.centralities(A, ["betweeness"])  # list-item: Literal
sparsebc.centralities(A, "betweenness")  # arg-type: "centralities"
sparsebc.betweenness("edges.csv")  # arg-type: "betweenness"
sparsebc.betweenness([[0, 1], [1, 0]])  # arg-type: "betweenness"
sparsebc.betweenness((np.array([0]), np.array([0])))  # arg-type: "betweenness"
sparsebc.betweenness(A, progress=5)  # arg-type: "progress"
scores(A, worker=1)  # call-arg: "worker"
sparsebc.RunOptions(wrkers=3)  # typeddict-unknown-key: "wrkers"
"""


def test_types_at_run_time():
    """They are what annotations may name, and what isinstance may ask."""
    assert set(get_args(sparsebc.Measure)) == {*centralities.BY_PATHS, *distances.MEASURES}
    assert isinstance(scipy.sparse.dok_matrix((2, 2)), sparsebc.SparseMatrix)
    assert not isinstance(np.eye(2), sparsebc.SparseMatrix)
    assert sparsebc.SparseMatrix in get_args(sparsebc.Adjacency)


@pytest.mark.long
def test_right_and_wrong_calls(tmp_path):
    """Errors on the lines that say so, and on no others."""
    calls = tmp_path / "calls.py"
    calls.write_text(CALLS)
    command = [sys.executable, "-m", "mypy", "--strict", "--no-pretty", "--cache-dir", tmp_path]
    # The package itself is checked by mypy's own run, with the versions that are installed for it.
    config = ["--config-file", ROOT / "pyproject.toml", "--follow-imports", "silent"]
    run = subprocess.run([*command, *config, calls], capture_output=True, text=True, cwd=ROOT)
    told = {}
    for path, line, text in re.findall(r"^(.+?):(\d+): error: (.*)$", run.stdout, re.MULTILINE):
        assert Path(path).name == calls.name, f"{path}:{line}: {text}"
        told[int(line)] = text
    expected = {
        number: line.partition("  # ")[2].split(": ")
        for number, line in enumerate(CALLS.splitlines(), 1)
        if "  # " in line
    }
    assert told.keys() == expected.keys(), run.stdout + run.stderr
    for number, (code, words) in expected.items():
        assert f"[{code}]" in told[number]
        assert words in told[number]
