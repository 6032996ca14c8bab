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


def test_on_a_device(tmp_path, monkeypatch, capsys):
    """Other networks, a row by nodes and one by edges, each step timed, and a goal for one."""
    monkeypatch.setattr(dismantling, "GPU_GOAL_SECONDS", {"ba-40x2": 25.0})
    output = tmp_path / "out.json"
    words = ["--steps", "3", "--device", "reference", "--output", str(output)]
    assert dismantling.main([*words, "--graphs", "ba-40x2"]) == 0
    rows = json.loads(output.read_text())["cases"]
    assert [row["case"].split()[-1] for row in rows] == ["betweenness", "edge_betweenness"]
    assert all(len(row["step_seconds"]) == 3 for row in rows)
    assert capsys.readouterr().out.count("no goal") == 2
    row = dismantling.attack_on("reference", "ba-40x2", None, "betweenness", 1000)
    assert row["goal_seconds"] == 25
    right = dismantling.dismantle

    def wrong(*args, device, **options):
        found = right(*args, device=device, **options)
        return found._replace(order=found.order + (device == "cpu"))

    monkeypatch.setattr(dismantling, "dismantle", wrong)
    with pytest.raises(ValueError, match=r"reference removes \[.*\], and the CPU"):
        dismantling.attack_on("reference", "ba-40x2", None, "betweenness", 3)


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
