"""The benchmarks run on small graphs, and measure no wrong values."""

import importlib
import json
import shlex
import sys

import numpy as np
import pytest
from numpy.testing import assert_allclose
from scipy import sparse

import sparsebc
from benchmarks import __main__ as command
from benchmarks import (
    approximation,
    interpreters,
    peers,
    reading,
    runner,
    searches,
    startup,
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
    "dismantling": ("--cases ba-40x2 --steps 2 --device reference", 2),
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
ELSEWHERE = {"profile", "report", "scaling"}  # a profiler, a browser, several GPUs


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
        (
            "groups",
            "group_betweenness",
            "--cases road-8x8",
            "road-8x8: groups of one node: dev",
        ),
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
