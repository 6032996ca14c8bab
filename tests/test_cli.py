"""The command line: every option, and what it prints and writes."""

import csv
import re

import numpy as np
import pytest

import sparsebc
from sparsebc import betweenness, datasets, io, stress
from sparsebc.cli.parser import parse
from sparsebc.engines import devices
from sparsebc.run import progress

KARATE, NAMES = datasets.load("karate")


@pytest.fixture
def edges(tmp_path):
    """The path a -> b -> c with a tail to a node of two wide letters."""
    path = tmp_path / "edges.csv"
    path.write_text("from,to\na,b\nb,c\nc,東京\n", encoding="utf-8")
    return path


def table(out):
    """Rows of the ranking as lists of str."""
    titles, *rows = out.split("\n\n")[1].splitlines()
    assert titles.split() == ["rank", "node", "betweenness", "degree"]
    return [row.split() for row in rows]


def written(path):
    """Scores of a csv file by node, in its order."""
    with open(path, newline="", encoding="utf-8") as file:
        titles, *rows = csv.reader(file)
    assert titles == ["node", "betweenness"]
    return {node: float(score) for node, score in rows}


def test_karate(run):
    """The header, and Zachary's two leaders at the top of ten rows, aligned."""
    status, out, err = run("betweenness", "karate")
    assert (status, err) == (0, "")
    head = out.splitlines()[0]
    assert head.startswith("karate: 34 nodes, 78 edges, undirected; ")
    assert head.endswith((" s on cpu", " s on cuda:0"))
    rows = table(out)
    assert rows[:2] == [["1", "1", "0.437635", "16"], ["2", "34", "0.304075", "17"]]
    assert [int(rank) for rank, *_ in rows] == list(range(1, 11))
    scores = [float(score) for _, _, score, _ in rows]
    assert scores == sorted(scores, reverse=True)
    points = {line.index(".") for line in out.splitlines()[3:]}
    assert len(points) == 1


@pytest.mark.parametrize(("top", "rows"), [("3", 3), ("0", 34), ("99", 34)])
def test_top(run, top, rows):
    assert len(table(run("betweenness", "karate", "--top", top)[1])) == rows


def test_equal_scores_keep_the_order_of_the_nodes(run):
    """Karate's twelve zeros come last, in the order of the file."""
    zeros = [int(node) for _, node, score, _ in table(run("betweenness", "karate", "--top", 0)[1])
             if float(score) == 0]  # fmt: skip
    assert len(zeros) > 1
    assert zeros == sorted(zeros)


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        ([], {}),
        (["--raw"], {"normalized": False}),
        (["--endpoints"], {"endpoints": True}),
        (["--directed", "--raw"], {"directed": True, "normalized": False}),
        (["--sources", "1", "34"], {"sources": [0, 33]}),
        (["--sources", "1", "--sources", "34"], {"sources": [0, 33]}),
        (["--targets", "3", "2"], {"targets": [2, 1]}),
        (["--sources", "5", "--targets", "6", "7"], {"sources": [4], "targets": [5, 6]}),
        (["--k", "9", "--seed", "4"], {"k": 9, "rng": 4}),
        (["--device", "reference"], {"device": "reference"}),
        (["--dtype", "float32"], {"dtype": np.float32}),
        (["--workers", "1"], {"workers": 1}),
        (["--memory", "1.5G"], {"memory_budget": 3 << 29}),
        (["--quiet"], {}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_scores_are_those_of_the_function(run, tmp_path, options, arguments):
    """Each option is an argument of sparsebc.betweenness, and the csv file has every bit."""
    path = tmp_path / "scores.csv"
    status, out, _ = run("betweenness", "karate", *options, "-o", path)
    assert status == 0
    assert out.endswith(f"\nscores of all nodes: {path}\n")
    want = betweenness(KARATE, **{"directed": False} | arguments)
    got = written(path)
    assert tuple(got) == NAMES
    np.testing.assert_array_equal(list(got.values()), want)


def stand_in(seen):
    """In place of the function: notes what it is given, and scores nothing."""

    def function(A, names, **given):
        seen.update(given)
        return {name: np.zeros(34) for name in names}

    return function


@pytest.mark.parametrize(
    ("options", "argument", "value"),
    [
        (["--memory", "2G"], "memory_budget", 2 << 30),
        (["--memory", "500m"], "memory_budget", 500 << 20),
        (["--memory", "65536"], "memory_budget", 65536),
        (["--memory", "64KiB"], "memory_budget", 65536),
        (["--memory", "1TB"], "memory_budget", 1 << 40),
        (["--workers", "3"], "workers", 3),
        (["--device", "cpu"], "device", "cpu"),
        (["--dtype", "float32"], "dtype", "float32"),
        ([], "reduce", "all"),
        (["--reduce", "none"], "reduce", "none"),
        (["--reduce", "all,-chains"], "reduce", "all,-chains"),
        (["--reduce", "trees,prune"], "reduce", ["prune", "trees"]),
    ],
)
def test_run_options_are_passed_on(run, monkeypatch, options, argument, value):
    """What changes no score is looked at on its way."""
    seen = {}
    monkeypatch.setattr(sparsebc, "centralities", stand_in(seen))
    assert run("betweenness", "karate", *options)[0] == 0
    assert seen[argument] == value


@pytest.mark.parametrize("options", [[], ["--quiet"]])
def test_progress(run, monkeypatch, options):
    """Told unless --quiet."""
    seen = {}
    monkeypatch.setattr(sparsebc, "centralities", stand_in(seen))
    run("betweenness", "karate", *options)
    assert seen["progress"] is not bool(options)


def test_lines_in_a_log(run, monkeypatch):
    """Where there is no terminal: how far, how fast, how long to go."""
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    monkeypatch.setattr(progress, "LINE_SHARE", 0.0)
    line = ["betweenness", "power-grid-europe", "--device", "cpu", "--workers", "1"]
    status, _, err = run(*line)
    assert status == 0
    last = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d sparsebc: (\d{4}) of \1 sources \(100.0%\), \S+ a "
    assert re.fullmatch(last + r"second, 0:00:00 left", err.splitlines()[-1])
    assert len(err.splitlines()) > 5
    assert run(*line, "--quiet")[::2] == (0, "")


@pytest.mark.parametrize("command", [["betweenness"], ["approximate", "--epsilon", "0.2"]])
def test_verbose(run, command):
    """The plan, with the time; and the next command is silent again."""
    status, _, err = run(command[0], "karate", *command[1:], "--device", "cpu", "-v")
    assert status == 0
    assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d sparsebc: device cpu, float64, ", err)
    assert run(command[0], "karate", *command[1:], "--device", "cpu")[::2] == (0, "")


def test_verbose_searches(run):
    """They have plans, too."""
    _, _, err = run("bfs", "karate", "--sources", "1", "--device", "cpu", "--verbose")
    assert "sparsebc: device cpu" in err


def test_stress(run, tmp_path):
    """A number of paths, never normalized."""
    path = tmp_path / "scores.csv"
    status, out, err = run("stress", "karate", "--top", 2, "-o", path, "--plot", tmp_path / "p.png")
    assert (status, err) == (0, "")
    assert out.splitlines()[2].split() == ["rank", "node", "stress", "degree"]
    want = stress(KARATE, directed=False)
    with open(path, newline="") as file:
        titles, *rows = csv.reader(file)
    assert titles == ["node", "stress"]
    np.testing.assert_array_equal([float(score) for _, score in rows], want)
    assert out.splitlines()[3].split()[1] == NAMES[want.argmax()]


@pytest.mark.parametrize("direction", [[], ["--directed"]])
def test_edge_betweenness(run, edges, tmp_path, direction):
    """Source, target, weight, score; an undirected edge once."""
    path = tmp_path / "scores.csv"
    ways = [*direction, "--raw", "--top", 2]
    status, out, err = run("edge-betweenness", edges, *ways, "-o", path)
    assert (status, err) == (0, "")
    assert out.endswith(f"\nscores of all edges: {path}\n")
    titles, *rows = out.split("\n\n")[1].splitlines()
    assert titles == "rank  source  target  edge_betweenness"
    assert [row.split() for row in rows] == [["1", "b", "c", "4.00000"], ["2", "a", "b", "3.00000"]]
    with open(path, newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [
            ["source", "target", "weight", "edge_betweenness"],
            ["a", "b", "1.0", "3.0"],
            ["b", "c", "1.0", "4.0"],
            ["c", "東京", "1.0", "3.0"],
        ]


def test_edge_betweenness_of_karate(run):
    """The edge of the leaders' bridge, as NetworkX has it."""
    rows = run("edge-betweenness", "karate", "--top", 1)[1].splitlines()
    assert rows[-1].split() == ["1", "1", "32", "0.127260"]


def test_file(run, edges):
    """A file is undirected by default; its ends have score zero."""
    status, out, _ = run("betweenness", edges)
    assert status == 0
    assert out.startswith(f"{edges}: 4 nodes, 3 edges, undirected; ")
    assert table(out) == [
        ["1", "b", "0.666667", "2"],
        ["2", "c", "0.666667", "2"],
        ["3", "a", "0.00000", "1"],
        ["4", "東京", "0.00000", "1"],
    ]


@pytest.fixture
def ties(tmp_path):
    """A triangle of two strong ties and a weak one, and a bystander."""
    path = tmp_path / "ties.csv"
    path.write_text("from,to,score\na,b,0.9\nb,c,0.8\na,c,0.3\nc,d,0.5\n")
    return path


@pytest.mark.parametrize(
    ("options", "how", "middle"),
    [
        ([], None, "c"),
        (["--weighted"], "as they are", "c"),
        (["--strength", "reciprocal"], "reciprocal", "b"),
        (["--strength", "log", "--weighted"], "-log", "b"),
    ],
)
def test_weights(run, tmp_path, ties, options, how, middle):
    """Ignored, lengths, or strengths: who lies between a and c depends on it."""
    path = tmp_path / "scores.csv"
    status, out, _ = run("betweenness", ties, "--raw", *options, "-o", path)
    assert status == 0
    assert ("undirected, by length; " in out) is (how is not None)
    matrix, names = io.read(ties)
    if how in ("reciprocal", "-log"):
        matrix = sparsebc.strength_to_distance(matrix, how)
    want = betweenness(matrix, weighted=how is not None, directed=False, normalized=False)
    np.testing.assert_array_equal(list(written(path).values()), want)
    assert want[names.index(middle)] == 2


def test_directed(run, edges):
    """Arcs are counted one by one; the degree is that in and out together."""
    out = run("betweenness", edges, "--directed", "--raw")[1]
    assert "4 nodes, 3 edges, directed" in out
    assert [row[1:] for row in table(out)[:3]] == [
        ["b", "2.00000", "2"],
        ["c", "2.00000", "2"],
        ["a", "0.00000", "1"],
    ]


def test_a_directed_dataset_is_taken_as_directed(run, monkeypatch):
    """The flag of the data set counts as --directed."""
    directed = datasets.DATASETS["karate"]._replace(directed=True)
    monkeypatch.setitem(datasets.DATASETS, "karate", directed)
    assert "156 edges, directed" in run("betweenness", "karate")[1]


def test_self_loops_and_repeats_are_no_edges(run, tmp_path):
    """Edges and degrees are those that the scores are of."""
    path = tmp_path / "edges.txt"
    path.write_text("a a\na b\nb a\na b\nb c\n")
    out = run("betweenness", path)[1]
    assert "3 nodes, 2 edges" in out
    assert {node: degree for _, node, _, degree in table(out)} == {"a": "1", "b": "2", "c": "1"}


def test_a_file_goes_before_a_dataset_of_its_name(run, tmp_path, monkeypatch):
    """A folder of that name does not hide the data set, a file does."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "karate").mkdir()
    assert "34 nodes" in run("betweenness", "karate")[1]
    (tmp_path / "karate").rmdir()
    (tmp_path / "karate").write_text("a b\n")
    assert "2 nodes" in run("betweenness", "karate")[1]


def test_wide_and_combining_letters_are_aligned(run, tmp_path):
    """Columns are counted as a terminal draws them; control characters do not reach it."""
    path = tmp_path / "edges.txt"
    path.write_text("東京 e\u0301e\n東京 plain\n東京 \x1b[31m\n", encoding="utf-8")
    lines = run("betweenness", path, "--top", 0)[1].split("\n\n")[1].splitlines()
    scores = {line.split()[1]: line.partition(".")[0] for line in lines[1:]}
    assert set(scores) == {"東京", "e\u0301e", "plain", r"\x1b[31m"}
    start = len(scores["plain"])
    assert len(scores["東京"]) == start - 2
    assert len(scores["e\u0301e"]) == start + 1
    assert len(scores[r"\x1b[31m"]) == start


def test_scores_of_any_size_share_the_decimal_point(run, tmp_path):
    """Raw scores differ in digits before the point."""
    path = tmp_path / "star.txt"
    path.write_text("".join(f"hub leaf{i}\n" for i in range(60)))
    lines = run("betweenness", path, "--raw", "--top", 2)[1].splitlines()[3:]
    assert "1770.00" in lines[0]
    assert lines[0].index(".") == lines[1].index(".")


def test_a_sample_that_leaves_a_score_undefined(run, tmp_path):
    """One source has no score of its own: nan, last in the table and left out of the plot."""
    status, out, _ = run("betweenness", "karate", "--k", 1, "--seed", 0, "--top", 0,
                         "--plot", tmp_path / "plot.png")  # fmt: skip
    assert status == 0
    assert table(out)[-1][2] == "nan"


def test_datasets(run):
    """Every shipped network with its licence."""
    status, out, _ = run("datasets")
    assert status == 0
    rows = {line.split()[0]: line.split()[1] for line in out.splitlines() if line[0] != " "}
    del rows["name"]
    assert rows == {name: data.licence for name, data in datasets.DATASETS.items()}
    assert "Zachary 1977" in out


def test_info(run):
    """Versions, threads, devices."""
    status, out, _ = run("info")
    facts = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert status == 0
    assert facts["sparsebc"] == sparsebc.__version__
    assert facts["NumPy"] == np.__version__
    assert facts["devices"].startswith("cpu, reference")
    assert facts["GPUs"] == ("; ".join(devices.gpus()) or "none")
    assert set(facts) >= {"Python", "SciPy", "Numba", "CPUs", "memory", "kernels"}


@pytest.mark.parametrize(
    "command",
    [[], ["betweenness"], ["edge-betweenness"], ["stress"], ["datasets"], ["info"], ["compile"]],
)
def test_help(run, command):
    """Each ends with one example that exists."""
    status, out, _ = run(*command, "--help")
    assert status == 0
    example = out.rstrip().splitlines()[-1]
    assert example.startswith("example: sparsebc ")
    parse(example.split()[2:])


def test_version(run):
    assert run("--version")[:2] == (0, f"sparsebc {sparsebc.__version__}\n")
