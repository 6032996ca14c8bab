"""The benchmarks measure the right graphs and believe no library before its values are checked."""

import json
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse
from scipy.sparse import csgraph

from benchmarks import __main__ as command
from benchmarks import graphs, peers, runner

MAKERS = {
    "ba": lambda seed: graphs.ba(60, 4, seed),
    "rmat": lambda seed: graphs.rmat(6, 3, seed),
    "road": lambda seed: graphs.road_like(9, 11, seed=seed),
    "ws": lambda seed: graphs.watts_strogatz(40, 6, 0.5, seed),
}


@pytest.mark.parametrize("make", [*MAKERS.values(), lambda seed: graphs.mesh(4, 7)])
def test_patterns_are_simple_and_symmetric(make):
    """Every generator gives a canonical boolean pattern of a simple undirected graph."""
    matrix = make(1)
    assert isinstance(matrix, sparse.csr_array)
    assert (matrix.indices.dtype, matrix.indptr.dtype, matrix.dtype) == (np.int32, np.int32, bool)
    assert matrix.data.all()
    assert matrix.has_canonical_format
    assert (matrix != matrix.T).nnz == 0
    assert not matrix.diagonal().any()


@pytest.mark.parametrize("make", MAKERS.values(), ids=MAKERS)
def test_seed_decides_the_graph(make):
    """One seed gives one graph, another seed another."""
    first, again, other = make(1), make(1), make(2)
    assert_array_equal(first.indices, again.indices)
    assert_array_equal(first.indptr, again.indptr)
    assert not np.array_equal(first.indices, other.indices)


def test_ba_degrees():
    """Every node after the first b brings exactly b edges to older nodes."""
    matrix = graphs.ba(60, 4)
    assert matrix.nnz == 2 * 4 * (60 - 4)
    assert_array_equal(sparse.tril(matrix).sum(axis=1)[4:], 4)


def test_rmat_keeps_isolated_nodes_and_skews():
    """All 2**scale nodes stay, and the first quadrant holds the most arcs, the last the fewest."""
    matrix = graphs.rmat(8, 2)
    assert matrix.shape == (256, 256)
    assert 0 < matrix.nnz <= 2 * 2 * 256
    assert (np.diff(matrix.indptr) == 0).any()
    assert matrix[:128, :128].nnz > matrix[:128, 128:].nnz > matrix[128:, 128:].nnz


def test_road_like_is_one_component_of_the_grid():
    """Connected, at most four neighbours; with every edge kept it is the grid itself."""
    matrix = graphs.road_like(30, 20)
    assert csgraph.connected_components(matrix)[0] == 1
    assert 300 < matrix.shape[0] < 600
    assert np.diff(matrix.indptr).max() <= 4
    assert (graphs.road_like(5, 6, keep=1.0) != graphs.mesh(5, 6)).nnz == 0


def test_mesh_arcs():
    """A grid of r x c nodes has r (c - 1) + c (r - 1) edges between direct neighbours."""
    rows, cols = graphs.mesh(4, 7).nonzero()
    assert rows.size == 2 * (4 * 6 + 7 * 3)
    steps = np.abs(rows // 7 - cols // 7) + np.abs(rows % 7 - cols % 7)
    assert_array_equal(steps, 1)


def test_watts_strogatz_keeps_its_edges():
    """No rewiring is the ring lattice; rewiring moves edges and loses none."""
    rows, cols = graphs.watts_strogatz(40, 6, 0.0).nonzero()
    assert set((cols - rows) % 40) == {1, 2, 3, 37, 38, 39}
    rewired = graphs.watts_strogatz(40, 6, 1.0)
    assert rewired.nnz == 40 * 6
    assert len(set(np.diff(rewired.indptr))) > 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: graphs.ba(4, 4), "n=4, b=4"),
        (lambda: graphs.watts_strogatz(10, 3), "degree=3"),
        (lambda: graphs.watts_strogatz(10, 6), "degree=6"),
        (lambda: graphs.find("rmat-12"), "rmat-12.*no folder was given"),
        (lambda: graphs.find("absent", "."), "absent.npz is no file"),
    ],
)
def test_impossible_graphs_are_refused(make, message):
    """The message names the value."""
    with pytest.raises(ValueError, match=message):
        make()


def test_find_by_name_and_in_a_folder(tmp_path):
    """A generator's name with two numbers, or a file with its direction; values are dropped."""
    matrix, directed = graphs.find("ba-60x4")()
    assert not directed
    assert (matrix != graphs.ba(60, 4)).nnz == 0
    arcs = sparse.csr_array(np.array([[0, 0.5, 0], [0, 0, 2], [0, 0, 0]]))
    fields = {"indices": arcs.indices, "indptr": arcs.indptr, "data": arcs.data}
    np.savez(tmp_path / "chain.npz", **fields, format=b"csr", shape=(3, 3), directed=True)
    assert graphs.from_folder(tmp_path) == ["chain"]
    matrix, directed = graphs.find("chain", tmp_path)()
    assert directed
    assert_array_equal(matrix.toarray(), arcs.toarray() != 0)


def test_a_name_that_ends_in_w_has_lengths(tmp_path):
    """The same pattern with whole lengths from 1 to 10, or the file's own."""
    matrix, _ = graphs.find("mesh-9x9w")()
    assert (matrix != matrix.T).nnz == 0
    assert_array_equal(np.unique(matrix.data), np.arange(1, 11))
    assert_array_equal(matrix.indices, graphs.mesh(9, 9).indices)
    assert_array_equal(matrix.data, graphs.find("mesh-9x9w")()[0].data)
    arcs = sparse.csr_array(np.array([[0, 0.5], [2, 0]]))
    fields = {"indices": arcs.indices, "indptr": arcs.indptr, "data": arcs.data}
    np.savez(tmp_path / "pair.npz", **fields, format=b"csr", shape=(2, 2), directed=True)
    matrix, directed = graphs.find("pairw", tmp_path)()
    assert directed
    assert_array_equal(matrix.toarray(), arcs.toarray())


def test_tight_arcs_by_length():
    """0 - 1 - 2 ties with 0 - 2, and 0 - 3 - 2 is longer: four arcs lead away from 0."""
    parts = ([1.0, 2.0, 3.0, 2.0, 2.0], ([0, 1, 0, 0, 3], [1, 2, 2, 3, 2]))
    matrix = sparse.csr_array(sparse.coo_array(parts, shape=(4, 4)))
    assert graphs.tight_arcs(matrix, [0]) == 4


def test_tight_arcs_counts_reached_levels_only():
    """On a cycle of five and a distant edge: four arcs lead away from a cycle's node, one here."""
    ring = np.arange(5)
    tails, heads = np.append(ring, 5), np.append((ring + 1) % 5, 6)
    matrix = sparse.coo_array((np.ones(6, bool), (tails, heads)), shape=(7, 7))
    matrix = sparse.csr_array(matrix + matrix.T)
    assert graphs.tight_arcs(matrix, [0]) == 4
    assert graphs.tight_arcs(matrix, [0, 5]) == (4 + 1) / 2


PATH_AND_STAR = [(0, 1), (1, 2), (2, 3), (4, 5), (4, 6), (4, 7), (4, 8)]  # node 9 is isolated
LOOPING = [(0, 1), (1, 2), (2, 3), (3, 1), (0, 4), (4, 2)]
# Ways from 0 to 3: 1 + 2 + 2 and 3 + 2 by the nodes 1 and 2, 5 at once, and 9 by node 4.
DETOURS = [(0, 1, 1), (1, 2, 2), (0, 2, 3), (2, 3, 2), (0, 3, 5), (0, 4, 4), (4, 3, 5)]
# by hand: edges, directed, sources, raw scores
CASES = {
    "undirected": (PATH_AND_STAR, False, None, [0, 2, 2, 0, 6, 0, 0, 0, 0, 0]),
    "undirected subset": (PATH_AND_STAR, False, [0, 1, 5], [0, 1, 1, 0, 1.5, 0, 0, 0, 0, 0]),
    "directed": (LOOPING, True, None, [0, 2, 4, 2, 1]),
    "directed subset": (LOOPING, True, [0, 1], [0, 1, 2, 0, 1]),
    "by length": (DETOURS, True, None, [0, 5 / 6, 2 / 3 + 1, 0, 0]),
    "by length, subset": (DETOURS, True, [0], [0, 5 / 6, 2 / 3, 0, 0]),
}


def _graph(edges, directed, sources, n):
    """Edges of two nodes, or of two nodes and a length."""
    tails, heads, *lengths = np.array(edges).T
    values = np.array(lengths[0], float) if lengths else np.ones(tails.size, bool)
    matrix = sparse.coo_array((values, (tails, heads)), shape=(n, n))
    matrix = sparse.csr_array(matrix if directed else matrix + matrix.T)
    sources = sources if sources is None else np.array(sources)
    lengths = matrix.data if lengths else None
    return peers.Graph(matrix.indptr, matrix.indices, directed, sources, "float64", lengths)


def _scores(name, graph, folder):
    """Run in this process when the library lives here, which spares its import; else in a child."""
    if peers.interpreter(name) == sys.executable:
        return peers.PEERS[name](graph)[0]()
    graph.save(folder / "graph.npz")
    library = runner.Library(name, folder)
    library.run()
    library.close()
    if library.state == "skipped":
        raise peers.Skip(library.note)
    assert library.state == "ready", library.note
    return np.load(folder / f"{name}.npy")


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", peers.PEERS)
def test_every_library_in_our_raw_convention(name, case, tmp_path):
    """All libraries give the numbers worked out by hand."""
    edges, directed, sources, expected = CASES[case]
    optional = () if name == peers.OURS else (ImportError, peers.Skip)
    try:
        scores = _scores(name, _graph(edges, directed, sources, len(expected)), tmp_path)
    except optional as reason:
        pytest.skip(str(reason))
    assert_allclose(scores, expected, atol=1e-12)


@pytest.fixture
def networkx_ran(tmp_path):
    """NetworkX after one run on a path of four nodes."""
    pytest.importorskip("networkx")
    _graph([(0, 1), (1, 2), (2, 3)], False, None, 4).save(tmp_path / "graph.npz")
    library = runner.Library("networkx", tmp_path)
    assert library.run()
    yield library
    library.close()


@pytest.mark.parametrize("expected", [[0, 2.1, 2, 0], [0, np.nan, 2, 0]])
def test_a_library_that_disagrees_has_no_time(networkx_ran, expected):
    """WRONG, and NaN is no agreement; a run later is refused."""
    networkx_ran.check(np.array([0, 2, 2, 0.0]), 1e-8)
    assert networkx_ran.report()["median_seconds"] > 0
    networkx_ran.check(np.array(expected), 1e-8)
    report = networkx_ran.report()
    assert (report["state"], report["median_seconds"]) == ("WRONG", None)
    json.dumps(report, allow_nan=False)
    assert not networkx_ran.run()


def test_a_library_that_takes_too_long_is_ended(tmp_path):
    """The child is killed, and what it would have said is not waited for."""
    _graph([(0, 1)], False, None, 2).save(tmp_path / "graph.npz")
    library = runner.Library("networkx", tmp_path, timeout=1e-6)
    assert library.state == "timeout"
    assert library.close() is None


def test_a_library_that_fails_says_why(tmp_path):
    """An exception in the child is its state here."""
    library = runner.Library("sparsebc", tmp_path)  # there is no graph
    library.close()
    assert library.state == "failed"
    assert "FileNotFoundError" in library.note


def test_networkx_is_skipped_on_large_graphs():
    """Refused before anything is imported or converted."""
    indptr = np.zeros(10**5 + 1, np.int32)
    large = peers.Graph(indptr, np.zeros(10**4, np.int32), False, None, "float64")
    with pytest.raises(peers.Skip, match="above"):
        peers.networkx(large)


def test_command_writes_what_it_prints(tmp_path, capsys):
    """A table row and a JSON record per case, values checked, without this machine's folders."""
    pytest.importorskip("networkx")
    output = tmp_path / "tiny.json"
    words = ["--cases", "mesh-3x4", "ba-30x2:5", "--peers", "networkx", "--repeats", "2"]
    assert command.main([*words, "--bandwidth-gbs", "10", "--output", str(output)]) == 0
    record = json.loads(output.read_text())
    assert {"date", "machine", "bandwidth_gbs", "dtype"} <= record.keys()
    assert record["command"].endswith("--bandwidth-gbs 10 --output tiny.json")
    mesh, ba = record["cases"]
    assert (mesh["graph"], mesh["nodes"], mesh["arcs"], mesh["sources"]) == ("mesh-3x4", 12, 34, 12)
    assert (ba["graph"], ba["sources"]) == ("ba-30x2", 5)
    for row in record["cases"]:
        ours, peer = row["results"]["sparsebc"], row["results"]["networkx"]
        assert ours["threads"] >= peer["threads"] == 1
        assert len(ours["all_seconds"]) == len(peer["all_seconds"]) == 2
        assert peer["deviation"] < 1e-8
        assert row["fastest_peer"] == "networkx"
        assert row["ratio"] == pytest.approx(peer["median_seconds"] / ours["median_seconds"])
        work = row["sources"] * row["arcs"]
        assert row["gteps"] == pytest.approx(work / ours["median_seconds"] / 1e9)
        assert row["floor_seconds"] == pytest.approx(
            16 * row["tight_arcs_per_source"] * row["sources"] / 10e9
        )
    printed = capsys.readouterr().out
    assert "mesh-3x4" in printed
    assert "networkx" in printed
    assert f"written: {output}" in printed


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cases", "nothing"], "unknown graph 'nothing'"),
        (["--cases", "mesh-3x4:0"], "at least 1, got 0"),
        (["--suite", "folder"], "needs --folder"),
        (["--peers", "gephi"], "invalid choice: 'gephi'"),
    ],
)
def test_command_refuses_before_it_measures(words, message, capsys):
    """Exit code 2 and one line that names the value."""
    with pytest.raises(SystemExit) as exit_code:
        command.parse(words)
    assert exit_code.value.code == 2
    assert message in capsys.readouterr().err
