"""The command line: every option, and what it prints and writes."""

import re

import numpy as np
import pytest

import sparsebc
from sparsebc import datasets
from sparsebc.cli.commands import COMMANDS
from sparsebc.cli.options import OPTIONS
from sparsebc.cli.parser import parse
from sparsebc.engines import devices
from sparsebc.sweep import progress

KARATE, NAMES = datasets.load("karate")


def table(out):
    """Rows of the ranking as lists of str."""
    titles, *rows = out.split("\n\n")[1].splitlines()
    assert titles.split() == ["rank", "node", "betweenness", "degree"]
    return [row.split() for row in rows]


@pytest.mark.parametrize(("top", "rows"), [("3", 3), ("0", 34), ("99", 34)])
def test_top(run, top, rows):
    """So many rows; equal scores, as karate's twelve zeros, keep the order of the nodes."""
    shown = table(run("betweenness", "karate", "--top", top)[1])
    assert len(shown) == rows
    zeros = [int(node) for _, node, score, _ in shown if float(score) == 0]
    assert zeros == sorted(zeros)


def test_karate(done):
    """The header, and Zachary's two leaders at the top of ten rows, aligned."""
    out = done("betweenness", "karate")
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
        ([], "progress", True),
        (["--quiet"], "progress", False),
    ],
)
def test_run_options_are_passed_on(done, monkeypatch, options, argument, value):
    """What changes no score is looked at on its way."""
    seen = {}
    monkeypatch.setattr(sparsebc, "centralities", stand_in(seen))
    done("betweenness", "karate", *options)
    assert seen[argument] == value


def test_lines_in_a_log(run, monkeypatch):
    """Where there is no terminal: how far, how fast, how long to go."""
    monkeypatch.setattr(progress, "LINE_SECONDS", 0.0)
    monkeypatch.setattr(progress, "LINE_SHARE", 0.0)
    line = ["betweenness", "human-proteins", "--device", "cpu", "--workers", "1"]
    status, _, err = run(*line)
    assert status == 0
    last = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d sparsebc: (\d{4}) of \1 sources \(100.0%\), \S+ a "
    assert re.fullmatch(last + r"second, 0:00:00 left", err.splitlines()[-1])
    assert len(err.splitlines()) > 5
    assert run(*line, "--quiet")[::2] == (0, "")


VERBOSE = [["betweenness"], ["approximate", "--epsilon", "0.2"], ["bfs", "--sources", "1"]]


@pytest.mark.parametrize("command", VERBOSE)
def test_verbose(run, command):
    """The plan, with the time; and the next command is silent again."""
    line = command[0], "karate", *command[1:], "--device", "cpu"
    status, _, err = run(*line, "-v")
    assert status == 0
    assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d sparsebc: device cpu", err)
    assert run(*line)[::2] == (0, "")


def test_a_directed_dataset_is_taken_as_directed(run, monkeypatch):
    """The flag of the data set counts as --directed, and is no note."""
    directed = datasets.DATASETS["karate"]._replace(directed=True)
    monkeypatch.setitem(datasets.DATASETS, "karate", directed)
    out = run("betweenness", "karate")[1]
    assert "156 edges, directed" in out
    assert "note: " not in out


def test_self_loops_and_repeats_are_no_edges(run, tmp_path):
    """Edges and degrees are those that the scores are of."""
    path = tmp_path / "edges.txt"
    path.write_text("a a\na b\nb a\na b\nb c\n")
    out = run("betweenness", path)[1]
    assert "3 nodes, 2 edges" in out
    assert {node: degree for _, node, _, degree in table(out)} == {"a": "1", "b": "2", "c": "1"}
    out = run("betweenness", path, "--directed")[1]  # in and out together
    assert "3 nodes, 3 edges, directed" in out
    assert {node: degree for _, node, _, degree in table(out)} == {"a": "2", "b": "3", "c": "1"}


def test_a_file_goes_before_a_dataset_of_its_name(run, tmp_path, folder):
    """A folder of that name does not hide the data set, a file does."""
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


def test_a_sample_that_leaves_a_score_undefined(done, tmp_path):
    """One source has no score of its own: nan, last in the table and left out of the plot."""
    out = done(
        "betweenness", "karate", "--k", 1, "--seed", 0, "--top", 0, "--plot", tmp_path / "plot.png"
    )
    assert table(out)[-1][2] == "nan"


def test_datasets(done):
    """Every shipped network with its licence."""
    out = done("datasets")
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


@pytest.mark.parametrize("command", [None, *COMMANDS], ids=lambda command: command and command.name)
def test_help(done, command):
    """It says what each option does, and ends with an example that is one of this command."""
    out = done(*([command.name] if command else []), "--help")
    told, _, example = " ".join(out.split()).partition("example: sparsebc ")
    given = parse(example.split())
    assert command in (None, given.command)
    for option in command.options if command else ():
        how = OPTIONS[option].how | command.how.get(option, {})
        assert option in told or how["metavar"] in told


def test_version(run):
    assert run("--version")[:2] == (0, f"sparsebc {sparsebc.__version__}\n")
