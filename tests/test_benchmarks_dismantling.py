"""The benchmark of attacks and communities: what it compares, and what it writes."""

import json

import igraph
import networkx as nx
import numpy as np
import pytest

from benchmarks import dismantling


def test_what_it_writes(tmp_path, capsys, monkeypatch):
    """A row for each, judged by its goal."""
    monkeypatch.setattr(dismantling, "PROTEINS", "karate")
    output = tmp_path / "out.json"
    words = ["--repeats", "1", "--steps", "2", "--planted", "12", "14", "--output", str(output)]
    assert dismantling.main(words) == 0
    planted, edges, nodes = json.loads(output.read_text())["cases"]
    assert planted["ratio"] == planted["igraph_seconds"] / planted["seconds"]
    assert (planted["goal_ratio"], edges["goal_seconds"]) == (10, 15)
    assert edges["case"] == "karate, 2 steps by edge_betweenness"
    assert nodes["nodes"] == 34
    out = capsys.readouterr().out
    assert out.count("goal") == 3
    assert "igraph" in out


def test_values_come_first():
    """Where igraph has other communities there is no time."""
    matrix = nx.to_scipy_sparse_array(nx.barbell_graph(6, 0), format="csr")
    other = igraph.Graph(12, [(i, j) for i in range(12) for j in range(i)])
    with pytest.raises(ValueError, match="igraph and sparsebc differ in 2 communities"):
        dismantling.parts_agree(matrix, other)


@pytest.mark.parametrize(("ratio", "judged"), [(10.0, "met"), (9.9, "missed")])
def test_a_goal_is_judged(ratio, judged):
    """By the ratio, or by the seconds."""
    used = {"case": "a", "processor_seconds": 1.0}
    row = used | {"seconds": 1.0, "igraph_seconds": ratio, "ratio": ratio, "goal_ratio": 10}
    assert dismantling.line(row).endswith(judged)
    row = used | {"seconds": np.nextafter(15, 16) if judged == "missed" else 15.0}
    assert dismantling.line(row | {"goal_seconds": 15}).endswith(judged)
