"""No library is believed before its values are checked, and one that cannot run has a reason."""

import json
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

import sparsebc
from benchmarks import __main__ as command
from benchmarks import approximation, csv_peers, interpreters, peers, reading, runner
from sparsebc import io

PATH_AND_STAR = [(0, 1), (1, 2), (2, 3), (4, 5), (4, 6), (4, 7), (4, 8)]  # node 9 is isolated
LOOPING = [(0, 1), (1, 2), (2, 3), (3, 1), (0, 4), (4, 2)]
# Ways from 0 to 3: 1 + 2 + 2 and 3 + 2 by the nodes 1 and 2, 5 at once, and 9 by node 4.
DETOURS = [(0, 1, 1), (1, 2, 2), (0, 2, 3), (2, 3, 2), (0, 3, 5), (0, 4, 4), (4, 3, 5)]
BETWEENNESS = {
    "undirected": (PATH_AND_STAR, False, None, [0, 2, 2, 0, 6, 0, 0, 0, 0, 0]),
    "undirected subset": (PATH_AND_STAR, False, [0, 1, 5], [0, 1, 1, 0, 1.5, 0, 0, 0, 0, 0]),
    "directed": (LOOPING, True, None, [0, 2, 4, 2, 1]),
    "directed subset": (LOOPING, True, [0, 1], [0, 1, 2, 0, 1]),
    "by length": (DETOURS, True, None, [0, 5 / 6, 2 / 3 + 1, 0, 0]),
    "by length, subset": (DETOURS, True, [0], [0, 5 / 6, 2 / 3, 0, 0]),
}
HARMONIC = {
    "undirected": (PATH_AND_STAR, False, None, [11 / 6, 2.5, 2.5, 11 / 6, 4, *4 * [2.5], 0]),
    "directed": (LOOPING, True, None, [0, 2.5 + 1 / 3, 3, 2 + 1 / 3, 1]),
    "directed subset": (LOOPING, True, [0, 1], [0, 1, 1.5, 5 / 6, 1]),
    "by length": (DETOURS, True, None, [0, 1, 1 / 3 + 1 / 2, 1 / 5 + 1 / 4 + 1 / 2 + 1 / 5, 1 / 4]),
}
# by hand: edges, directed, sources, raw scores
CASES = {"betweenness": BETWEENNESS, "harmonic": HARMONIC}


def _graph(edges, directed, sources, n, measure="betweenness"):
    """Edges of two nodes, or of two nodes and a length."""
    tails, heads, *lengths = np.array(edges).T
    values = np.array(lengths[0], float) if lengths else np.ones(tails.size, bool)
    matrix = sparse.coo_array((values, (tails, heads)), shape=(n, n))
    matrix = sparse.csr_array(matrix if directed else matrix + matrix.T)
    sources = sources if sources is None else np.array(sources)
    lengths = matrix.data if lengths else None
    return peers.Graph(matrix.indptr, matrix.indices, directed, sources, "cpu", lengths, measure)


def _scores(name, graph, folder):
    """Run in this process when the library lives here, which spares its import; else in a child."""
    if interpreters.find(name) == sys.executable:
        return peers.timed(lambda: peers.PEERS[name](graph)[0](graph.sources, "float64"))[0]
    graph.save(folder / "graph.npz")
    library = runner.Library(name, folder)
    library.run("float64")
    library.close()
    if library.state == "skipped":
        raise peers.Skip(library.note)
    assert library.state == "ready", library.note
    return library.scores()


@pytest.mark.parametrize(
    ("measure", "case"), [(measure, case) for measure, cases in CASES.items() for case in cases]
)
@pytest.mark.parametrize("name", [name for name in peers.PEERS if name not in peers.SAMPLERS])
def test_every_library_in_our_raw_convention(name, measure, case, tmp_path):
    """All libraries give the numbers worked out by hand."""
    edges, directed, sources, expected = CASES[measure][case]
    optional = () if name == peers.OURS else (ImportError, peers.Skip)
    try:
        scores = _scores(name, _graph(edges, directed, sources, len(expected), measure), tmp_path)
    except optional as reason:
        pytest.skip(str(reason))
    assert_allclose(scores, expected, atol=1e-12)


@pytest.mark.parametrize("directed", [False, True])
def test_scale_of_an_estimate(directed):
    """From very many sources that it draws itself, networkit is near the exact scores."""
    pytest.importorskip("networkit")
    ring = [(i, (i + step) % 30) for i in range(30) for step in (1, 7)]
    graph = _graph(ring, directed, np.tile(np.arange(30), 100), 30)
    exact = peers.sparsebc(graph._replace(sources=None))[0](None, "float64")
    estimate = peers.networkit_estimate(graph)[0](graph.sources, "float64")
    assert_allclose(estimate, 100 * exact, rtol=0.1)


@pytest.fixture
def networkx_ran(tmp_path):
    """NetworkX after one run on a path of four nodes."""
    pytest.importorskip("networkx")
    _graph([(0, 1), (1, 2), (2, 3)], False, None, 4).save(tmp_path / "graph.npz")
    library = runner.Library("networkx", tmp_path)
    assert library.run("float64")
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
    assert not networkx_ran.run("float64")


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


ABOUT = {"graph": "g", "measure": "betweenness", "sources": 100, "arcs": 1}


class FakeLibrary(runner.Library):
    """Answers in this process: scores are the number of sources, times go by their number too."""

    def __init__(self, name, folder, per_source, scores=None):
        self.name, self.folder, self.state, self.note = name, folder, "ready", ""
        self.seconds, self.peaks, self.count, self.deviation = [], [], None, np.nan
        self.per_source, self.asked, self.about = per_source, [], {}
        self.values = scores or {}

    def run(self, dtype, count=None):
        count = count or self.count
        self.asked.append((dtype, count))
        self.seconds.append(self.per_source * (count or 100))
        np.save(self.folder / f"{self.name}.npy", [1.0, self.values.get(dtype, count or 100)])
        return self.state == "ready"

    def rest(self):
        self.asked.append("rest")


@pytest.mark.parametrize(("device", "count"), [("cpu", None), ("cuda", 50)])
def test_a_slow_peer_gets_fewer_sources_on_the_gpu_machine(device, count, tmp_path, monkeypatch):
    """As many as fit its time; ours is run from the same ones to compare, and then from all."""
    ours, peer = FakeLibrary("sparsebc", tmp_path, 1e-3), FakeLibrary("naive", tmp_path, 0.1)
    monkeypatch.setattr(runner, "PATIENCE", 5.0)
    runner.compare([ours, peer], "float64", 3, 100, None, device)
    assert (peer.count, peer.state) == (count, "ready")
    assert len(ours.seconds) == 3
    assert ours.asked[-2:] == [("float64", None), "rest"]
    assert (("float64", 50) in ours.asked) == (count == 50)
    row = runner._row(
        {**ABOUT, "arcs": 10**9, "tight_arcs_per_source": 10**9},
        "float64",
        [ours, peer],
        1600.0,
    )
    assert row["gteps"] == pytest.approx(1000)
    assert row["results"]["naive"]["gteps"] == pytest.approx(10)
    assert row["ratio"] == pytest.approx(100)
    assert row["floor_seconds"] == pytest.approx(1.0)
    cell = command._cell(row["results"]["naive"], row)
    assert cell == ("10" if count is None else "[10]")


def test_a_second_dtype_must_agree_with_the_first(tmp_path):
    """Ours against ours; a peer of one dtype is not run again, only compared."""
    scores = {"float32": 100.0005}
    ours, peer = (
        FakeLibrary("sparsebc", tmp_path, 1e-3, scores),
        FakeLibrary("igraph", tmp_path, 1e-3),
    )
    first = runner.compare([ours, peer], "float64", 2, 100, None, "cpu")
    runs = peer.asked.count(("float64", None))
    runner.compare([ours, peer], "float32", 2, 100, first, "cpu")
    assert (ours.state, peer.state) == ("ready", "ready")
    assert [request for request in peer.asked if request != "rest"] == [("float64", None)] * runs
    ours.values["float32"] = 100.1
    runner.compare([ours, peer], "float32", 2, 100, first, "cpu")
    assert (ours.state, peer.state) == ("WRONG", "WRONG")
    about = {**ABOUT, "tight_arcs_per_source": 1}
    with pytest.raises(RuntimeError, match="no answer from sparsebc on g in float32: deviates"):
        runner._row(about, "float32", [ours, peer], 1.0)


BROKEN = {
    "lacks": (f'exec "{sys.executable}" -E -S "$@"', "code 1: ModuleNotFoundError: No module"),
    "crashes": ("kill -SEGV $$", "ended with code -11"),
    "hangs": ("exec sleep 60", "took more than 0.5 s"),
}


@pytest.mark.parametrize(("lines", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_python_without_the_library_is_skipped(lines, reason, tmp_path, monkeypatch):
    """The peer has its reason and no time; the Python is named by the environment."""
    python = tmp_path / "python3"
    python.write_text(f"#!/bin/sh\n{lines}\n")
    python.chmod(0o755)
    if lines.startswith("exec sleep"):
        monkeypatch.setattr(interpreters, "PATIENCE", 0.5)
    interpreters.why_not.cache_clear()
    monkeypatch.setenv("SPARSEBC_GRAPH_TOOL_PYTHON", str(python))
    library = runner.Library("graph-tool", tmp_path)
    library.close()
    assert (library.state, library.report()["median_seconds"]) == ("skipped", None)
    assert library.note.startswith("python3 ")
    assert reason in library.note


def test_the_python_of_a_peer(tmp_path, monkeypatch):
    """The option before the environment, and that before our own; ours always has this one."""
    monkeypatch.setenv(interpreters.variable("networkx"), "other")
    monkeypatch.setenv(interpreters.variable(peers.OURS), "other")
    assert interpreters.find("networkx", "named") == "named"
    assert (interpreters.find("networkx"), interpreters.find(peers.OURS)) == (
        "other",
        sys.executable,
    )
    library = runner.Library("graph-tool", tmp_path, python=str(tmp_path / "absent"))
    library.close()
    assert (library.state, library.note.partition(":")[0]) == ("skipped", "absent")


@pytest.mark.parametrize("peer", reading.NUMBERED)
def test_the_peers_return_the_same_network(tmp_path, peer):
    """By the names of the nodes: their order is the library's."""
    for library in ("pyarrow", peer.partition("_")[0]):
        pytest.importorskip(library)
    path = tmp_path / "edges.csv"
    reading.write(reading.edges(reading.NAMES, 300), path, " ")
    found, want = getattr(csv_peers, peer)(str(path), " "), io.read(path)
    assert sorted(found[1]) == sorted(want.names)
    place = [found[1].index(name) for name in want.names]
    assert (found[0][place][:, place] != want.matrix).nnz == 0


@pytest.mark.parametrize("library", ["KADABRA", "Riondato-Kornaropoulos"])
def test_scale_of_networkit(library):
    """The scores of networkit's samplers, brought to ours, are near the exact ones."""
    pytest.importorskip("networkit")
    ends = np.arange(1, 41)
    A = sparse.coo_array((np.ones(40), (0 * ends, ends)), shape=(41, 41))
    A = sparse.csr_array(A + A.T)
    scores, samples = approximation.LIBRARIES[library](A.astype(bool))(0.05, 1)
    assert samples > 100
    assert_allclose(scores, sparsebc.betweenness(A, directed=False), atol=0.1)
