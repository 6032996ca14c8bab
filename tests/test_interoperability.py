"""What the page on other programs says, on those programs: those that no other file tries."""

import gzip
from pathlib import Path

import igraph
import numpy as np
import pytest
from graph_texts import edges

from sparsebc import betweenness, io
from sparsebc.cli.main import main

PAGE = Path(__file__).parents[1] / "docs" / "interoperability.rst"


def test_scikit_network():
    """Its matrices as they are; it takes ours as scipy.sparse.csr_matrix."""
    data = pytest.importorskip("sknetwork.data")
    ranking = pytest.importorskip("sknetwork.ranking")
    theirs = data.karate_club()
    ours = betweenness(theirs, directed=False, normalized=False, device="reference")
    np.testing.assert_allclose(ours, ranking.Betweenness().fit_predict(theirs), rtol=1e-6)


def test_pytorch_geometric():
    """The arrays of its Data; what only PyTorch can read is refused by name."""
    torch = pytest.importorskip("torch")
    data = pytest.importorskip("torch_geometric.data")
    index = torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]])
    graph = data.Data(edge_index=index, edge_weight=torch.tensor([1.0, 1, 2, 2]), num_nodes=4)
    network = io.from_edge_index(graph.edge_index, graph.num_nodes, graph.edge_weight)
    assert network.names == ("0", "1", "2", "3")
    assert edges(network) == {("0", "1"): 1, ("1", "0"): 1, ("1", "2"): 2, ("2", "1"): 2}
    for weight in (graph.edge_weight.requires_grad_(), graph.edge_weight.bfloat16()):
        with pytest.raises(TypeError, match=r"weight is not for NumPy .*weight\.detach\(\)"):
            io.from_edge_index(index, 4, weight)


def test_networkit_writes_metis(tmp_path):
    """Weights and nodes without neighbours."""
    networkit = pytest.importorskip("networkit")
    graph = networkit.Graph(5, weighted=True)
    for edge in ((0, 1, 2), (1, 3, 7)):
        graph.addEdge(*edge)
    networkit.writeGraph(graph, str(tmp_path / "g.metis"), networkit.Format.METIS)
    network = io.read(tmp_path / "g.metis")
    assert network.names == ("1", "2", "3", "4", "5")
    want = {("1", "2"): 2, ("2", "4"): 7}
    assert edges(network) == want | {(v, u): w for (u, v), w in want.items()}


def test_the_line_for_string(tmp_path, monkeypatch, capsys):
    """As the page prints it, on files as STRING has them; igraph finds the same scores."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    protein = [f"9606.ENSP{k:011d}" for k in range(30)]
    known = {tuple(sorted(pair)) for pair in rng.integers(0, 30, (150, 2)).tolist()}
    known = {pair: int(rng.integers(150, 1000)) for pair in sorted(known) if pair[0] < pair[1]}
    lines = ["protein1 protein2 combined_score\n"]
    for (u, v), score in known.items():
        lines += [f"{protein[a]} {protein[b]} {score}\n" for a, b in ((u, v), (v, u))]
    info = ["#string_protein_id\tpreferred_name\tprotein_size\tannotation\n"]
    more = '90\tits 3\' "end"; two words'
    info += [f"{name}\tGENE{k}\t{more}\n" for k, name in enumerate(protein)]
    for name, text in (("links", lines), ("protein.info", info)):
        Path(f"9606.{name}.txt.gz").write_bytes(gzip.compress("".join(text).encode()))
    words = PAGE.read_text().partition("sparsebc betweenness 9606.links")[2].partition("\n\n")[0]
    words = f"betweenness 9606.links{words}".replace("\\\n", " ").split()
    assert words[-2:] == ["-o", "network.graphml"]
    assert main(words) == 0
    assert "keeps" in "".join(capsys.readouterr())
    graph = igraph.Graph.Read_GraphML("network.graphml")
    assert set(graph.vs["name"]) <= {f"GENE{k}" for k in range(30)}
    assert sorted(graph.es["weight"]) == sorted(s / 1000 for s in known.values() if s >= 700)
    n = graph.vcount()
    theirs = graph.betweenness(weights=-np.log(graph.es["weight"]))
    np.testing.assert_allclose(
        graph.vs["betweenness"], np.array(theirs) * 2 / ((n - 1) * (n - 2)), atol=1e-12
    )
