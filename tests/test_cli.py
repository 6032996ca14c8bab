"""The command line: every option, every exit status, every message."""

import csv
import os
import re
import sys

import numpy as np
import pytest

import sparsebc
from sparsebc import betweenness, cli, cli_measures, datasets, engines, io, stress

KARATE, NAMES = datasets.load("karate")


@pytest.fixture
def edges(tmp_path):
    """The path a -> b -> c with a tail to a node of two wide letters."""
    path = tmp_path / "edges.csv"
    path.write_text("from,to\na,b\nb,c\nc,東京\n", encoding="utf-8")
    return path


def table(out):
    """Rows of the ranking as lists of str."""
    _, _, titles, *rows = out.split("\n\nscores")[0].split("\n\nplot")[0].splitlines()
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
    assert head.endswith(" s on cpu")
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
    ],
)
def test_run_options_are_passed_on(run, monkeypatch, options, argument, value):
    """What changes no score is looked at on its way."""
    seen = {}
    monkeypatch.setattr(cli_measures, "centralities", stand_in(seen))
    assert run("betweenness", "karate", *options)[0] == 0
    assert seen[argument] == value


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("options", [[], ["--quiet"]])
def test_progress_is_for_terminals(run, monkeypatch, terminal, options):
    """A bar on a terminal, unless --quiet."""
    seen = {}
    monkeypatch.setattr(cli_measures, "centralities", stand_in(seen))
    monkeypatch.setattr(sys.stderr, "isatty", lambda: terminal)
    run("betweenness", "karate", *options)
    assert seen["progress"] is (terminal and not options)


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
    """Node, node, score; an undirected edge once."""
    path = tmp_path / "scores.csv"
    ways = [*direction, "--raw", "--top", 2]
    status, out, err = run("edge-betweenness", edges, *ways, "-o", path)
    assert (status, err) == (0, "")
    assert out.endswith(f"\nscores of all edges: {path}\n")
    _, _, titles, *rows = out.split("\n\nscores")[0].splitlines()
    assert titles == "rank  node  other node  edge_betweenness"
    assert [row.split() for row in rows] == [["1", "b", "c", "4.00000"], ["2", "a", "b", "3.00000"]]
    with open(path, newline="", encoding="utf-8") as file:
        assert list(csv.reader(file)) == [
            ["node", "other node", "edge_betweenness"],
            ["a", "b", "3.0"],
            ["b", "c", "4.0"],
            ["c", "東京", "3.0"],
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


def test_lengths_that_are_none(run, tmp_path):
    """Status 1, the way out, and the edge as the file has it."""
    path = tmp_path / "edges.txt"
    path.write_text("a b 0\nb c 2\n")
    status, _, err = run("betweenness", path, "--weighted")
    assert status == 1
    assert "A[0, 1] is 0" in err
    assert "leave zeros out of the file, and sparsebc.strength_to_distance" in err
    assert (
        "0 is no strength: leave it out of the file (A[0, 1] is the edge 'a' - 'b')"
        in run("betweenness", path, "--strength", "reciprocal")[2]
    )
    for command in (
        ("betweenness", path, "--weighted"),
        ("betweenness", path, "--strength", "log"),
        ("approximate", path, "--epsilon", 0.1, "--weighted"),
        ("paths", path, "--sources", "a", "--weighted"),
    ):
        status, _, err = run(*command)
        assert status == 1
        assert err.endswith("(A[0, 1] is the edge 'a' - 'b')\n")
        assert "eliminate_zeros" not in err


def test_a_negative_weight_is_named(run, tmp_path):
    """By its edge, and the way out is in the file."""
    path = tmp_path / "negative.tsv"
    path.write_text("a\tb\t1\nb\tc\t-2\n")
    status, _, err = run("betweenness", path)
    assert status == 1
    assert "negative value -2.0" in err
    assert "leave it out of the file" in err
    assert err.endswith("is the edge 'b' - 'c')\n")
    assert "abs(A)" not in err
    path.write_text("a\tb\t0.5\nb\tc\t700\n")
    status, _, err = run("betweenness", path, "--strength", "log")
    assert status == 1
    assert "divide the weights in the file" in err
    assert err.endswith("is the edge 'b' - 'c')\n")


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
    lines = run("betweenness", path, "--top", 0)[1].splitlines()[2:]
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


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["nosuch"], r"nosuch: there is no such file, nor a dataset; those are karate, human"),
        (["."], r"\.: Is a directory"),
        (["karate", "--sources", "1", "x"], r"--sources: there is no node 'x'; .* '1', '2', '3',"),
        (["karate", "--targets", "0"], r"--targets: there is no node '0'"),
        (["karate", "--sources", "1", "2", "1"], r"--sources lists '1' more than once"),
        (["karate", "--k", "35"], r"error: --k must lie in 1..n = 34, got 35"),
        (
            ["karate", "--device", "abacus"],
            r"error: --device must be one of .*, 'cuda:0', got 'abacus'",
        ),
        (["karate", "--device", "cuda:77"], r"device 'cuda:77' is not there"),
        (
            ["karate", "--device", "cuda:0,cpu"],
            r"error: --device must list GPUs alone, got 'cpu': try cuda:0,cuda:1, or",
        ),
        (["karate", "--device", "cuda:0,cuda:77"], r"device 'cuda:(0|77)' is not there"),
        (
            ["karate", "--memory", "100"],
            r"and --memory is 100: raise --memory, or use --dtype float32$",
        ),
        (["karate", "-o", "no/scores.csv"], r"no/scores.csv: there is no folder no"),
        (["karate", "-o", "."], r"\. is a folder"),
        (["karate", "--plot", "no/plot.png"], r"no/plot.png: there is no folder no"),
        (["karate", "--plot", "plot.doc"], r"plot.doc: the suffix .* png"),
        (["karate", "--plot", "plot"], r"plot: the suffix .* png"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_bad_input(run, tmp_path, monkeypatch, argv, message):
    """Status 1, one line on standard error, nothing printed or written."""
    monkeypatch.chdir(tmp_path)
    status, out, err = run("betweenness", *argv)
    assert (status, out) == (1, "")
    assert err.startswith("sparsebc: error: ")
    assert err.count("\n") == 1
    assert re.search(message, err)
    assert not list(tmp_path.iterdir())


def test_bad_file(run, tmp_path):
    """What io.read says of a file, with its line."""
    path = tmp_path / "edges.csv"
    path.write_text("from,to,weight\na,b,1\na,c,heavy\n")
    status, _, err = run("betweenness", path)
    assert status == 1
    assert err.startswith(f"sparsebc: error: {path}:3: weight 'heavy'")


def test_too_many_paths(run, tmp_path):
    """OverflowError of a run is a message, too: a stress of 10^328."""
    path = tmp_path / "layers.txt"
    arcs = [(u, 10 * (u // 10 + 1) + j) for u in range(3290) for j in range(10)]
    path.write_text("".join(f"{u} {v}\n" for u, v in arcs))
    status, _, err = run("stress", path, "--directed", "--sources", "0", "--device", "cpu")
    assert status == 1
    assert "shortest paths" in err


def test_an_empty_message_is_replaced(run, monkeypatch):
    """Python's own MemoryError says nothing."""

    def fail(*args, **options):
        raise MemoryError

    monkeypatch.setattr(cli_measures, "centralities", fail)
    assert run("betweenness", "karate")[::2] == (1, "sparsebc: error: MemoryError\n")


def test_a_fault_of_the_program_keeps_its_traceback(monkeypatch):
    """Only what is foreseen becomes a message."""

    def fail(*args, **options):
        raise ZeroDivisionError

    monkeypatch.setattr(cli_measures, "centralities", fail)
    with pytest.raises(ZeroDivisionError):
        cli.main(["betweenness", "karate"])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write")
def test_no_permission(run, tmp_path):
    """Found before the computation."""
    tmp_path.chmod(0o500)
    status, _, err = run("betweenness", "karate", "-o", tmp_path / "scores.csv")
    assert status == 1
    assert "no permission to write" in err


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "COMMAND"),
        (["nosuch"], "nosuch"),
        (["closeness", "karate", "--targets", "1"], "--targets"),
        (["stress", "karate", "--measures", "closeness,nosuch"], "got 'nosuch'"),
        (["edge-betweenness", "karate", "--measures", "stress"], "--measures"),
        (["betweenness"], "FILE|DATASET"),
        (["betweenness", "karate", "--nosuch"], "--nosuch"),
        (["betweenness", "karate", "--sources"], "--sources"),
        (["betweenness", "karate", "--top", "-1"], "expected an integer from 0 on, got '-1'"),
        (["betweenness", "karate", "--top", "all"], "got 'all'"),
        (["betweenness", "karate", "--k", "0"], "expected an integer from 1 on, got '0'"),
        (["betweenness", "karate", "--workers", "0"], "expected an integer from 1 on"),
        (["betweenness", "karate", "--k", "2", "--seed", "-3"], "expected an integer from 0 on"),
        (["betweenness", "karate", "--seed", "3"], "--seed has an effect only with --k"),
        (["betweenness", "karate", "--k", "2", "--sources", "1"], "--k draws its own sources"),
        (["betweenness", "karate", "--k", "2", "--targets", "1"], "--k draws its own sources"),
        (["betweenness", "karate", "--memory", "much"], "expected a size as 500M or 2G"),
        (["betweenness", "karate", "--memory", "0G"], "expected a size as 500M or 2G"),
        (["betweenness", "karate", "--memory", "9" * 400], "expected a size as 500M or 2G"),
        (["betweenness", "karate", "--memory", "-1"], "expected a size as 500M or 2G"),
        (["betweenness", "karate", "--dtype", "float16"], "float16"),
    ],
    ids=lambda value: " ".join(value)[:60] if isinstance(value, list) else "",
)
def test_wrong_usage(run, argv, message):
    """Status 2, with the usage."""
    status, out, err = run(*argv)
    assert (status, out) == (2, "")
    assert err.startswith("usage: sparsebc")
    assert message in err


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
    assert facts["GPUs"] == ("; ".join(engines.devices()) or "none")
    assert set(facts) >= {"Python", "SciPy", "Numba", "CPUs", "memory", "kernels"}


@pytest.mark.parametrize(
    "command", [[], ["betweenness"], ["edge-betweenness"], ["stress"], ["datasets"], ["info"]]
)
def test_help(run, command):
    """Each ends with one example that exists."""
    status, out, _ = run(*command, "--help")
    assert status == 0
    example = out.rstrip().splitlines()[-1]
    assert example.startswith("example: sparsebc ")
    cli._parser().parse_args(example.split()[2:])


def test_version(run):
    assert run("--version")[:2] == (0, f"sparsebc {sparsebc.__version__}\n")


def test_control_c_in_process(run, monkeypatch):
    """Status 130 and one word."""

    def stop(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(io, "read", stop)
    assert run("betweenness", __file__) == (130, "", "sparsebc: stopped\n")
