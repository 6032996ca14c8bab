"""The benchmarks of approximation count and compare what they say they do."""

import json

import networkx as nx
import numpy as np
import pytest
from graphs import matrix

from benchmarks import approximation, bounds
from benchmarks import graphs as generated
from sparsebc import betweenness


def test_rows_of_a_graph(tmp_path, monkeypatch, capsys):
    """Ours at two errors: fewer samples and a true error within epsilon."""
    monkeypatch.setattr(approximation, "LIBRARIES", {"sparsebc": approximation.ours})
    path = tmp_path / "out.json"
    arguments = ["--cases", "ws-600x6", "--epsilon", "0.2", "0.1", "--repeats", "2"]
    assert approximation.main([*arguments, "--output", str(path)]) == 0
    record = json.loads(path.read_text())
    coarse, fine = record["cases"]
    assert (coarse["epsilon"], fine["epsilon"]) == (0.2, 0.1)
    assert max(coarse["samples"]) <= min(fine["samples"]) <= 600
    assert 0 < coarse["error"] <= 0.2
    assert len(coarse["all_seconds"]) == 2
    assert record["delta"] == approximation.DELTA
    assert capsys.readouterr().out.count("ws-600x6") == 2


def test_directed_graphs_are_refused(tmp_path):
    """Networkit would answer for another graph."""
    A = generated.mesh(3, 3)
    np.savez(
        tmp_path / "d.npz", indices=A.indices, indptr=A.indptr, data=A.data, shape=A.shape,
        format=np.array("csr"), directed=True,
    )  # fmt: skip
    with pytest.raises(ValueError, match="d is directed"):
        list(approximation.measure("d", [0.1], tmp_path, 1))


@pytest.mark.parametrize("library", ["KADABRA", "Riondato-Kornaropoulos"])
def test_scale_of_networkit(library):
    """The scores of networkit's samplers, brought to ours, are near the exact ones."""
    pytest.importorskip("networkit")
    A = matrix(nx.star_graph(40))
    scores, samples = approximation.LIBRARIES[library](A.astype(bool))(0.05, 1)
    assert samples > 100
    np.testing.assert_allclose(scores, betweenness(A, directed=False), atol=0.1)


def test_bounds(tmp_path, capsys):
    """Every bound gets the same draws; ours takes the fewest, and none more than all."""
    path = tmp_path / "out.json"
    arguments = ["--cases", "ws-600x6", "--epsilon", "0.15", "--repeats", "1"]
    assert bounds.main([*arguments, "--output", str(path)]) == 0
    (row,) = json.loads(path.read_text())["cases"]
    counts = {bound: samples[0] for bound, samples in row["samples"].items()}
    assert list(counts) == list(bounds.BOUNDS)
    assert counts["ours"] == min(counts.values())
    assert max(counts.values()) <= 600
    assert "ws-600x6" in capsys.readouterr().out


def test_dependencies_are_shares():
    """The mean over the sources is the normalized score, n / (n - 1) aside."""
    A = generated.watts_strogatz(60, 4)
    values = bounds.dependencies(A)
    assert values.min() >= 0
    assert values.max() <= 1
    want = betweenness(A, directed=False)
    np.testing.assert_allclose(values.sum(axis=0) / 59, want, rtol=1e-12, atol=1e-15)
