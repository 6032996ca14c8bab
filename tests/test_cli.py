"""The command line: what it prints, where, and its help."""

import json
import logging
import re
import shlex

import numpy as np
import pytest

import sparsebc
from sparsebc import datasets
from sparsebc.cli.commands import COMMANDS, parse
from sparsebc.cli.options import RARE
from sparsebc.engines import devices

KARATE, NAMES = datasets.load("karate")


@pytest.fixture
def shown(terminal, run):
    """Run a command on a terminal: its output, as rows of cells and the lines below."""

    def call(*argv):
        status, out, _ = run(*argv, "--device", "cpu")
        assert status == 0
        (titles, *rows), below = (part.splitlines() for part in out.split("\n\n"))
        assert titles.split() == ["rank", "node", "betweenness", "degree"]
        return rows, below

    return call


@pytest.mark.parametrize(("top", "count"), [((), 10), (("-n", "3"), 3), (("--top", "all"), 34)])
def test_a_terminal_shows_the_best(shown, top, count):
    """Aligned; equal scores, as karate's zeros, keep the order of nodes; then what they are."""
    rows, (head, what, *more) = shown("betweenness", "karate", *top)
    assert [row.split() for row in rows[:2]] == [
        ["1", "1", "0.437635", "16"],
        ["2", "34", "0.304075", "17"],
    ]
    assert [int(row.split()[0]) for row in rows] == list(range(1, count + 1))
    assert len({row.index(".") for row in rows}) == 1
    zeros = [int(row.split()[1]) for row in rows if float(row.split()[2]) == 0]
    assert zeros == sorted(zeros)
    assert re.fullmatch(r"karate: 34 nodes, 78 edges, undirected; [\d.]+ s on cpu", head)
    assert what == "betweenness: share of all pairs"
    assert more == ([f"{34 - count} more rows: -n all"] if count < 34 else [])


def test_a_pipe_gets_all_rows(done):
    """Tab-separated, with a header and all digits, in the order of the nodes; or the highest."""
    scores = sparsebc.betweenness(KARATE, directed=False, device="cpu")
    rows = [f"{name}\t{score}" for name, score in zip(NAMES, scores.tolist(), strict=True)]
    line = ("betweenness", "karate", "--device", "cpu")
    assert done(*line).splitlines() == ["node\tbetweenness", *rows]
    highest = [rows[v] for v in np.argsort(-scores, kind="stable")[:2]]
    assert done(*line, "-n", "2").splitlines() == ["node\tbetweenness", *highest]


def test_json_has_all_rows(done, folder):
    """Facts and provenance; what is not finite is null, and told by name."""
    (folder / "edges.csv").write_text("from,to\na,b\nc,a\n")
    line = ("eccentricity", "edges.csv", "-d", "--device", "cpu", "--json")
    record = json.loads(done(*line, "-o", "out.csv"), parse_constant=pytest.fail)
    assert record["rows"] == [
        {"node": "a", "eccentricity": None},
        {"node": "b", "eccentricity": None},
        {"node": "c", "eccentricity": 2.0},
    ]
    assert record["infinite"] == {"eccentricity": ["a", "b"]}
    assert (record["nodes"], record["edges"], record["directed"]) == (3, 2, True)
    assert record["provenance"]["command"] == shlex.join(["sparsebc", *line, "-o", "out.csv"])
    assert record["file"] == "out.csv"
    assert "eccentricity is inf where" in record["notes"][0]


def test_notes_go_to_standard_error_unless_quiet(run, folder):
    """Below the rows."""
    (folder / "edges.csv").write_text("a,b\nb,c\n")
    line = ("components", "edges.csv")
    assert run(*line)[2].startswith("note: each edge is taken both ways; --directed")
    assert run(*line, "-q")[2] == ""
    assert run(*line, "-o", "out.csv")[1] == ""
    told = "out.csv has all rows: -n is for what is printed"
    assert told in run(*line, "-o", "out.csv", "-n", "1")[2]
    assert told not in run(*line, "-o", "out.csv", "-n", "1", "--json")[2]


@pytest.mark.parametrize(
    ("options", "argument", "value"),
    [
        (["--memory", "2G"], "memory_budget", 2 << 30),
        (["--memory", "500m"], "memory_budget", 500 << 20),
        (["--memory", "64KiB"], "memory_budget", 65536),
        (["--workers", "3"], "workers", 3),
        (["--device", "cpu"], "device", "cpu"),
        ([], "progress", True),
        (["--quiet"], "progress", False),
    ],
)
def test_run_options_are_passed_on(done, monkeypatch, options, argument, value):
    """What changes no score is looked at on its way."""
    seen = {}

    def stand_in(A, names, **given):
        seen.update(given)
        return {name: np.zeros(34) for name in names}

    monkeypatch.setattr(sparsebc, "centralities", stand_in)
    done("betweenness", "karate", *options)
    assert seen[argument] == value


def test_the_log_is_told_as_notes_which_quiet_silences(run, monkeypatch):
    """In the options of the command; what is lost is told in any case."""

    def stand_in(A, names, **given):
        logging.getLogger("sparsebc").warning("compiling, with directed=False")
        logging.getLogger("sparsebc").error("cannot save")
        return {name: np.zeros(34) for name in names}

    monkeypatch.setattr(sparsebc, "centralities", stand_in)
    told = ["note: compiling, with no --directed", "note: cannot save"]
    assert run("betweenness", "karate")[2].splitlines() == told
    assert run("betweenness", "karate", "-q")[2].splitlines() == told[1:]


@pytest.mark.parametrize("command", [["betweenness"], ["paths", "--sources", "1"]])
def test_verbose_prints_the_plan_with_the_time(run, command):
    """The plan, with the time; and the next command is silent again."""
    line = command[0], "karate", *command[1:], "--device", "cpu"
    status, _, err = run(*line, "-v")
    assert status == 0
    assert re.match(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d sparsebc: device cpu", err)
    assert run(*line)[::2] == (0, "")


def test_a_directed_dataset_is_taken_as_directed(told):
    """The flag of the data set counts as --directed, and is no note."""
    record = told("components", "us-flights")
    assert (record["directed"], record["notes"]) == (True, [])


def test_self_loops_and_repeats_are_no_edges(shown, tmp_path):
    """Edges and degrees are those that the scores are of."""
    path = tmp_path / "edges.txt"
    path.write_text("a a\na b\nb a\na b\nb c\n")
    for options, edges, degrees in (
        ((), "2 edges", {"a": "1", "b": "2", "c": "1"}),
        (["-d"], "3 edges, directed", {"a": "2", "b": "3", "c": "1"}),  # in and out together
    ):
        rows, (head, *_) = shown("betweenness", path, *options)
        assert f"3 nodes, {edges}" in head
        assert {node: degree for _, node, _, degree in map(str.split, rows)} == degrees


def test_a_file_goes_before_a_dataset_of_its_name(told, folder):
    """A folder of that name does not hide the data set, a file does."""
    (folder / "karate").mkdir()
    assert told("components", "karate")["nodes"] == 34
    (folder / "karate").rmdir()
    (folder / "karate").write_text("a b\n")
    assert told("components", "karate")["nodes"] == 2


def test_wide_and_combining_letters_are_aligned(shown, tmp_path):
    """Columns are counted as a terminal draws them; control characters do not reach it."""
    path = tmp_path / "edges.txt"
    path.write_text("東京 e\u0301e\n東京 plain\n東京 \x1b[31m\n", encoding="utf-8")
    scores = {line.split()[1]: line.partition(".")[0] for line in shown("betweenness", path)[0]}
    assert set(scores) == {"東京", "e\u0301e", "plain", r"\x1b[31m"}
    start = len(scores["plain"])
    assert len(scores["東京"]) == start - 2
    assert len(scores["e\u0301e"]) == start + 1
    assert len(scores[r"\x1b[31m"]) == start


def test_a_sample_that_leaves_a_score_undefined(shown, done, tmp_path):
    """One source has no score of its own: nan, last in the table and left out of the plot."""
    line = ("betweenness", "karate", "--samples", 1, "--seed", 0)
    assert shown(*line, "-n", "all")[0][-1].split()[2] == "nan"
    done(*line, "-o", tmp_path / "plot.png")


def test_values_by_commas_repeated_and_in_lists_are_the_same(told, folder):
    """Repeated, between commas and in lists; a name with a comma is one; FILE anywhere.

    A node whose name begins as a list does is a node.
    """
    (folder / "edges.csv").write_text('a,"b,c"\n"b,c",d\nd,-e\n-e,@f\n')
    (folder / "list.txt").write_text("a\n\n d \n")
    for words, want in (
        (["--sources", "a,d", "edges.csv"], ["a", "d"]),
        (["edges.csv", "--sources", "b,c", "--sources=-e"], ["b,c", "-e"]),
        (["edges.csv", "--sources", "@f,@list.txt"], ["@f", "a", "d"]),
        (["--sources", "@list.txt,-e", "edges.csv"], ["a", "d", "-e"]),
    ):
        rows = told("paths", *words)["rows"]
        assert [*dict.fromkeys(row["source"] for row in rows)] == want


@pytest.mark.parametrize(
    ("command", "option", "listed"),
    [("closeness", "--cutoff", ["1", "2"]), ("stress", "--also", ["closeness", "harmonic"]),
     ("null-model --samples 9 --seed 1", "-m", ["closeness", "stress"])],
)  # fmt: skip
def test_numbers_and_words_by_commas_or_lists_are_the_same(told, folder, command, option, listed):
    """Repeated, between commas, and in a list, as nodes are."""
    (folder / "list.txt").write_text("\n".join(listed), "utf-8-sig")
    one, two = listed
    ways = [option, f"{one},{two}"], [option, one, option, two], [option, "@list.txt"]
    found = [told(*command.split(), "karate", *way)["rows"] for way in ways]
    assert found[0] == found[1] == found[2]
    assert len(found[0][0]) > 2


def test_datasets_are_listed_with_their_licences(run):
    """Every shipped network with its licence."""
    out = run("--datasets")[1]
    rows = dict(re.split(r"\s{2,}", line)[:2] for line in out.splitlines() if line[0] != " ")
    del rows["name"]
    assert rows == {name: data.licence for name, data in datasets.DATASETS.items()}


def test_info_tells_versions_and_devices(run):
    """Versions, threads, devices."""
    status, out, _ = run("--info")
    facts = dict(line.split(maxsplit=1) for line in out.splitlines())
    assert status == 0
    assert facts["sparsebc"] == sparsebc.__version__
    assert facts["devices"].startswith("cpu, reference")
    assert facts["GPUs"] == ("; ".join(devices.gpus()) or "none")
    assert run("--version")[:2] == (0, f"sparsebc {sparsebc.__version__}\n")


def test_the_bare_command_prints_help(run):
    """As --help does, and lists all commands."""
    status, out, err = run()
    assert (status, out, err) == run("--help")
    assert status == 0
    assert all(f"\n  {name} " in out for name in COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_help_fits_a_screen_and_its_example_is_a_line_of_the_command(done, monkeypatch, name):
    """One screen; the rest with --help-all; the example is a line of this command."""
    monkeypatch.setenv("COLUMNS", "80")
    short, full = done(name, "--help"), done(name, "--help-all")
    assert len(short.splitlines()) <= 50
    options = {*COMMANDS[name].options}
    assert options <= {*re.findall(r"--[\w-]+", full)} | {"--header"}
    assert options - RARE <= {*re.findall(r"--[\w-]+", short)}
    example = short.rpartition("example: sparsebc ")[2]
    assert parse(example.split()).command.name == name
