"""The benchmarks believe no library before its values are checked."""

import contextlib
import json
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from scipy import sparse

from benchmarks import __main__ as command
from benchmarks import device, graphs, interpreters, ncu, peers, profile, runner
from benchmarks.record import Record

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


ROW = {
    **{"dtype": "float64", "nodes": 12, "arcs": 34, "sources": 12, "results": {}},
    **{"gteps": 1.0, "ratio": None, "floor_share": 0.5},
}
ROW["results"]["sparsebc"] = {
    **{"state": "ready", "median_seconds": 1.0, "sources": 12, "gteps": 1.0},
    **{"peak_bytes": None, "version": "0", "threads": 1},
}


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


def test_networkx_is_skipped_on_large_graphs():
    """Refused before anything is imported or converted."""
    indptr = np.zeros(10**5 + 1, np.int32)
    large = peers.Graph(indptr, np.zeros(10**4, np.int32), False, None)
    with pytest.raises(peers.Skip, match="above"):
        peers.networkx(large)


def test_command_writes_what_it_prints(tmp_path, capsys):
    """A table row and a JSON record per case, values checked, without this machine's folders."""
    pytest.importorskip("networkx")
    output = tmp_path / "tiny.json"
    words = ["--cases", "mesh-3x4", "ba-30x2:5ball", "--peers", "networkx", "--repeats", "2"]
    assert command.main([*words, "--bandwidth-gbs", "10", "--output", str(output)]) == 0
    record = json.loads(output.read_text())
    assert {"date", "machine", "bandwidth_gbs"} <= record.keys()
    assert record["device"] is None
    assert record["command"].endswith("--bandwidth-gbs 10 --output tiny.json")
    mesh, ba = record["cases"]
    assert (mesh["graph"], mesh["nodes"], mesh["arcs"], mesh["sources"]) == ("mesh-3x4", 12, 34, 12)
    assert (ba["graph"], ba["sources"], ba["dtype"]) == ("ba-30x2:ball", 5, "float64")
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


def test_a_record_is_written_with_each_row(tmp_path):
    """What a run that ends early has measured is there; so are when and how, without folders."""
    path = tmp_path / "new" / "out.json"
    record = Record("cost", ["--output", str(path)], path, delta=0.1)
    for count in (1, 2):
        record.add({"row": count})
        kept = json.loads(path.read_text())
        assert list(kept) == ["date", "command", "machine", "delta", "cases"]
        assert len(kept["cases"]) == count
    assert kept["command"] == "python -m benchmarks.cost --output out.json"
    named = Record("gpu", [], module="benchmarks")
    assert named.path.name == f"gpu-{named['date'][:10]}.json"
    assert named.path.parent.name == "results"
    assert named["command"] == "python -m benchmarks"


def test_a_dtype_that_fails_keeps_the_row_of_the_other(tmp_path, monkeypatch, capsys):
    """The failure is told and recorded, and is the exit code."""

    def rows(one, **_):
        yield {**ROW, "graph": one.graph}
        raise RuntimeError("no answer from sparsebc in float32")

    monkeypatch.setattr(runner, "measure", rows)
    output = tmp_path / "half.json"
    assert command.main(["--cases", "mesh-3x4", "--peers", "--output", str(output)]) == 1
    record = json.loads(output.read_text())
    assert [row["graph"] for row in record["cases"]] == ["mesh-3x4"]
    assert record["failed"] == ["no answer from sparsebc in float32"]
    assert record["failed"][0] in capsys.readouterr().out


def test_case_notation():
    """All sources, some at random, some close together."""
    texts = ("a-1x2", "a-1x2:7", "a-1x2:7ball")
    assert [command.case(text)[1:] for text in texts] == [(None, False), (7, False), (7, True)]


def test_sources_of_a_case():
    """None for all; else as many as were asked for, the ball around the middle node."""
    matrix = graphs.mesh(5, 5)
    assert runner.choose(matrix, command.case("mesh-5x5")) is None
    assert runner.choose(matrix, command.case("mesh-5x5:25")) is None
    assert len(set(runner.choose(matrix, command.case("mesh-5x5:7")))) == 7
    assert set(runner.choose(matrix, command.case("mesh-5x5:5ball"))) == {12, 7, 11, 13, 17}


def test_some_of_the_sources():
    """Spread over all there are; None is what the case has."""
    graph = _graph([(0, 1)], False, [4, 5, 6, 7], 8)
    assert_array_equal(graph.some(2), [4, 6])
    assert_array_equal(graph._replace(sources=None).some(4), [0, 2, 4, 6])
    assert_array_equal(graph.some(None), [4, 5, 6, 7])


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


def test_who_takes_long_is_timed_once(tmp_path):
    """Ours after its untimed run, a peer in its first."""
    ours, peer = FakeLibrary("sparsebc", tmp_path, 1.0), FakeLibrary("igraph", tmp_path, 2.0)
    runner.compare([ours, peer], "float64", 5, 100, None, "cpu")
    assert (ours.asked.count(("float64", None)), len(ours.seconds)) == (2, 1)
    assert (peer.asked.count(("float64", None)), len(peer.seconds)) == (1, 1)


def test_no_gpu_is_one_line(monkeypatch, capsys):
    """Said before anything is measured."""
    monkeypatch.setitem(sys.modules, "cupy", None)
    with pytest.raises(SystemExit):
        command.parse(["--cases", "mesh-3x4", "--device", "cuda"])
    assert "CuPy finds no GPU (ModuleNotFoundError" in capsys.readouterr().err


def test_device_is_described(monkeypatch):
    """Versions as people write them; no driver's tool, no driver's version."""
    runtime = SimpleNamespace(
        getDeviceProperties=lambda index: {"name": b"GPU", "totalGlobalMem": 2**30 + index},
        driverGetVersion=lambda: 13010,
        runtimeGetVersion=lambda: 12090,
    )
    cuda = SimpleNamespace(runtime=runtime, Device=lambda: SimpleNamespace(id=3))
    monkeypatch.setitem(sys.modules, "cupy", SimpleNamespace(cuda=cuda, __version__="14.2"))
    monkeypatch.setenv("PATH", "")
    assert device.describe() == {
        "name": "GPU",
        "memory_bytes": 2**30 + 3,
        "driver": None,
        "cuda_driver": "13.1",
        "cuda_runtime": "12.9",
        "cupy": "14.2",
    }


def test_profile_runs_a_case(capsys, monkeypatch):
    """A warm-up, then the call that a profiler is put around."""
    profile.main(["mesh-4x5:3ball", "--device", "cpu", "--dtype", "float32"])
    assert "mesh-4x5 float32: " in capsys.readouterr().out
    calls = []

    @contextlib.contextmanager
    def looking():
        calls.append("profiler on")
        yield
        calls.append("profiler off")

    run = lambda *question: calls.append(question) or np.zeros(1)  # noqa: E731
    monkeypatch.setattr(peers, "sparsebc", lambda graph: (run, "0", 1))
    monkeypatch.setattr(profile, "profiled", looking)
    profile.main(["mesh-4x5"])
    assert calls == [(None, "float64"), "profiler on", (None, "float64"), "profiler off"]


HEAD = ["ID", "Kernel Name", ncu.TIME, *ncu.METRICS.values()]
LAUNCHES = [
    ["", "", "us", "%", "%", "%", "%"],
    ["0", "void forward_hubs<float, int, 4>(State<T1>, int)", "1,500", "10", "30", "50", "20.5"],
    ["1", "mark(State, int)", "1,000", "99", "99", "99", "99"],
    ["2", "void forward<float, int, 4>(State<T1>, int)", "500", "30", "50", "70", "40.5"],
    ["3", "void backward<float>(State<T1>, int)", "1,000", "1", "2", "3", "4"],
]


def _ncu_file(path, *rows):
    quoted = "".join(",".join(f'"{cell}"' for cell in row) + "\n" for row in rows)
    path.write_text(
        f"==PROF== Connected\nwhat the program printed\n{quoted}==PROF== Disconnected\n"
    )
    return str(path)


def test_ncu_sums_up_the_two_products(tmp_path, capsys):
    """Shares of all time, means by time, units read, other lines passed over."""
    output = tmp_path / "ncu.json"
    ncu.main([_ncu_file(tmp_path / "ncu.csv", HEAD, *LAUNCHES), "--output", str(output)])
    products = json.loads(output.read_text())
    assert products["forward"] == pytest.approx(
        {
            "launches": 2,
            "seconds": 2e-3,
            "time_share": 0.5,
            **{"dram": 15.0, "l2": 35.0, "occupancy": 55.0, "issue": 25.5},
        }
    )
    assert products["backward"]["time_share"] == pytest.approx(0.25)
    assert products["backward"]["l2"] == 2
    assert "forward           2   50.0%     15.0%" in capsys.readouterr().out


def test_ncu_without_a_file_says_what_to_measure(capsys):
    """The argument of its --metrics."""
    ncu.main([])
    assert capsys.readouterr().out.strip().split(",") == [ncu.TIME, *ncu.METRICS.values()]


@pytest.mark.parametrize("rows", [[], [HEAD[:-1], LAUNCHES[0][:-1]]])
def test_ncu_refuses_a_file_without_its_metrics(rows, tmp_path, capsys):
    """The message names the first column missing."""
    with pytest.raises(SystemExit):
        ncu.main([_ncu_file(tmp_path / "ncu.csv", *rows)])
    column = HEAD[-1] if rows else "Kernel Name"
    assert f"no column '{column}'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--cases", "nothing"], "unknown graph 'nothing'"),
        (["--cases", "mesh-3x4:0"], "at least 1, got 0"),
        (["--cases", "mesh-3x4:ball"], "invalid case value: 'mesh-3x4:ball'"),
        (["--suite", "gpu"], "unknown graph 'road-usa-ny': no folder was given"),
        (["--suite", "folder"], "needs --folder"),
        (["--peers", "gephi"], "invalid choice: 'gephi'"),
        (["--python", "gephi=/usr/bin/python3"], "got 'gephi=/usr/bin/python3'"),
        (["--python", "graph-tool"], "expected PEER=PATH, PEER one of networkx, igraph"),
    ],
)
def test_command_refuses_before_it_measures(words, message, capsys):
    """Exit code 2 and one line that names the value."""
    with pytest.raises(SystemExit) as exit_code:
        command.parse(words)
    assert exit_code.value.code == 2
    assert message in capsys.readouterr().err
