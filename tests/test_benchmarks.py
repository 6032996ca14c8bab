"""The benchmarks run on small graphs, and measure no wrong values."""

import importlib
import json
import shlex
import sys

import numpy as np
import pytest
from scipy import sparse

import sparsebc
from benchmarks import __main__ as command
from benchmarks import (
    approximation,
    dismantling,
    graphs,
    interpreters,
    ncu,
    profile,
    reading,
    runner,
    searches,
    startup,
    states,
)

ROOT = interpreters.ROOT

# Words of a small run of each suite, and the number of rows that the run writes.
RUNS = {
    "__main__": ("--cases mesh-3x4 ba-30x2:5ball --peers networkx --bandwidth-gbs 10", 2),
    "approximation": ("--cases ws-600x6 --epsilon 0.2 0.1 --repeats 1", 2),
    "bounds": ("--cases ws-200x4 --epsilon 0.15 --repeats 1", 1),
    "chains": ("--cases road-9x9 oneway-9x9", 4),
    "checkpoints": ("--nodes 600 --every 0", 3),
    "cost": ("", 32),
    "cutoff": ("--cases road-8x8 road-8x8w:20 --share 0.3 --repeats 1", 2),
    "dismantling": ("--graphs ba-40x2 --steps 2 --device reference", 2),
    "estimates": ("--cases ws-200x4 --measures closeness --repeats 1", 1),
    "groups": ("--cases ba-40x2 road-8x8w --repeats 1", 2),
    "huge": ("--device cpu --rmat 8x4 --distances 20 --paths 20", 3),
    "measures": ("--device cpu --cases rmat-6x4:20 road-6x5w:7ball --repeats 1", 2),
    "networkx": ("--edges 1000 --repeats 1", 3),
    "reading": ("--edges 1e3 --kinds STRING --repeats 1", 3),
    "reductions": ("--cases leafy-300x4 --measures betweenness+stress --cutoff 2 --repeats 1", 1),
    "searches": (
        shlex.join(
            ["--device=cpu", "--cases", *(f"{task} rmat-6x4:20" for task in searches.TASKS)]
        ),
        len(searches.TASKS),
    ),
    "shifts": ("--cases road-24x24 --groups 1", 1),
    "startup": ("--repeats 1 --first 1", 2),
    "states": (shlex.join(["--before", str(ROOT), "--cases", "ba-20x2", "--repeats", "1"]), 1),
}
# Parts of a suite without what takes long or needs a library that may be absent.
PARTS = {
    "approximation": {"LIBRARIES": {"sparsebc": approximation.ours}},
    "cost": {"driver_bandwidth": lambda: 1e9},
    "networkx": {"SMALL": ()},
    "reading": {
        "READERS": {"sparsebc.io.read": reading.READERS["sparsebc.io.read"]},
        "FRAMES": {},
        "TYPES": {"pandas, category": reading.TYPES["pandas, category"]},
        "NUMBERED": ["pandas"],
    },
    "startup": {
        "TASKS": {"python": startup.TASKS["python"]},
        "FIRST": {"python": startup.First(("-c", ""), goal=10.0)},
    },
}
LIBRARIES = {"__main__": ["networkx"], "reading": ["pandas", "pyarrow"]}
ELSEWHERE = {"ncu", "profile", "report", "scaling"}  # a profiler, a browser, several GPUs


def test_every_suite_has_a_small_run():
    """But for those that need a profiler, a browser or several GPUs."""
    files = (ROOT / "benchmarks").glob("*.py")
    assert {file.stem for file in files if "\ndef main(" in file.read_text()} - ELSEWHERE == set(
        RUNS
    )


@pytest.mark.parametrize("suite", RUNS)
def test_a_suite_writes_what_it_prints(suite, tmp_path, monkeypatch, capsys):
    """Rows that agree with their reference, in a JSON file without this machine's folders."""
    if suite == "reading" and sys.platform != "linux":
        pytest.skip("it reads /proc")
    for library in LIBRARIES.get(suite, []):
        pytest.importorskip(library)
    module, (words, count) = importlib.import_module(f"benchmarks.{suite}"), RUNS[suite]
    for name, part in PARTS.get(suite, {}).items():
        monkeypatch.setattr(module, name, part)
    output = tmp_path / "new" / "out.json"
    assert not module.main([*shlex.split(words), "--output", str(output)])
    record = json.loads(output.read_text())
    assert {"date", "machine"} <= record.keys()
    assert record["command"].startswith(f"python -m benchmarks{f'.{suite}' * (module != command)}")
    assert str(tmp_path) not in output.read_text()
    rows = record.get("cases") or record["estimates"]
    assert len(rows) == count
    assert all(row.get("deviation", 0) <= 1e-9 for row in rows)
    assert len(capsys.readouterr().out.splitlines()) >= len(record.get("cases", [0]))


def _changing(right):
    """Function whose answers grow from call to call."""
    calls = iter(range(2, 1000))

    def wrong(*args, **options):
        found, factor = right(*args, **options), next(calls)
        if isinstance(found, dict):
            return {name: factor * scores for name, scores in found.items()}
        return factor * found

    return wrong


@pytest.mark.parametrize(
    ("suite", "function", "words", "error"),
    [
        ("cutoff", "betweenness", "--cases road-8x8 --share 0.3", "road-8x8 within .*: deviates"),
        ("groups", "group_betweenness", "--cases road-8x8", "road-8x8: groups of one node deviate"),
        (
            *("measures", "centralities", "--device cpu --cases rmat-6x4:20"),
            "rmat-6x4:20 in float64: deviates by",
        ),
        ("reductions", "centralities", "--cases leafy-90x3", "Not equal"),
        ("searches", "bfs", "--device cpu --cases 'bfs rmat-6x4:20'", "bfs rmat-6x4:20: deviates"),
    ],
)
def test_wrong_values_have_no_time(suite, function, words, error, tmp_path, monkeypatch):
    """A deviation ends the run, and no row is written."""
    monkeypatch.setattr(sparsebc, function, _changing(getattr(sparsebc, function)))
    module = importlib.import_module(f"benchmarks.{suite}")
    with pytest.raises((RuntimeError, AssertionError), match=error):
        module.main([*shlex.split(words), "--repeats", "1", "--output", str(tmp_path / "out.json")])
    assert not (tmp_path / "out.json").exists()


ROW = {
    **{"dtype": "float64", "nodes": 12, "arcs": 34, "sources": 12, "results": {}},
    **{"gteps": 1.0, "ratio": None, "floor_share": 0.5},
}
ROW["results"]["sparsebc"] = {
    **{"state": "ready", "median_seconds": 1.0, "sources": 12, "gteps": 1.0},
    **{"peak_bytes": None, "version": "0", "threads": 1},
}


def test_a_dtype_that_fails_keeps_the_row_of_the_other(tmp_path, monkeypatch, capsys):
    """The failure is told and recorded, and is the exit code."""

    def rows(one, **_):
        yield {**ROW, "graph": one.graph}
        raise RuntimeError("no answer from sparsebc in float32")

    monkeypatch.setattr(runner, "measure", rows)
    output = tmp_path / "half.json"
    assert (
        command.main(
            ["--cases", "mesh-3x4", "--peers", "--bandwidth-gbs", "10", "--output", str(output)]
        )
        == 1
    )
    record = json.loads(output.read_text())
    assert [row["graph"] for row in record["cases"]] == ["mesh-3x4"]
    assert record["failed"] == ["no answer from sparsebc in float32"]
    assert record["failed"][0] in capsys.readouterr().out


def test_sources_of_a_case():
    """None for all; else as many as were asked for, the ball around the middle node."""
    matrix = graphs.mesh(5, 5)
    assert runner.choose(matrix, command.case("mesh-5x5")) is None
    assert runner.choose(matrix, command.case("mesh-5x5:25")) is None
    assert len(set(runner.choose(matrix, command.case("mesh-5x5:7")))) == 7
    assert set(runner.choose(matrix, command.case("mesh-5x5:5ball"))) == {12, 7, 11, 13, 17}


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


def test_profile_runs_a_case(capsys):
    """A warm-up, then the call that a profiler is put around."""
    profile.main(["mesh-4x5:3ball", "--device", "cpu", "--dtype", "float32"])
    assert "mesh-4x5 float32: " in capsys.readouterr().out


def test_other_communities_have_no_time():
    """Where igraph has other communities."""
    igraph = pytest.importorskip("igraph")
    barbell = sparse.csr_array(sparse.block_diag([np.ones((6, 6))] * 2) - sparse.eye(12))
    other = igraph.Graph(12, [(i, j) for i in range(12) for j in range(i)])
    with pytest.raises(ValueError, match="igraph and sparsebc differ in 2 communities"):
        dismantling.parts_agree(barbell, other)


@pytest.mark.parametrize(
    ("source", "error", "reason"),
    [
        ("def betweenness(A, **_): return [1.0] * A.shape[0]", AssertionError, "Not equal"),
        ("raise ImportError", SystemExit, "ended with code 1"),
    ],
)
def test_a_state_that_differs_or_fails_has_no_time(source, error, reason, tmp_path):
    """An earlier state is imported by a process of its own."""
    tmp_path.joinpath("sparsebc.py").write_text(f"{source}\n")
    words = ["--before", str(tmp_path), "--cases", "ba-20x2", "--output", str(tmp_path / "out")]
    with pytest.raises(error, match=reason):
        states.main(words)


def test_a_process_that_fails_has_no_time(tmp_path):
    """The message has the command and the last line of the process."""
    with pytest.raises(RuntimeError, match=r"^python -c import sparsebc\.nothing: ModuleNotFound"):
        startup.measure({"absent": startup.Task(("-c", "import sparsebc.nothing"))}, 1)
    with pytest.raises(RuntimeError, match=r"sparsebc\.nothing\(\) of edges\.csv: "):
        reading.spent(
            "sparsebc.nothing", "", "sparsebc.nothing()", [tmp_path / "edges.csv"], ",", 1
        )
