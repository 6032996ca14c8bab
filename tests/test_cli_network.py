"""The network of a command: how it is read, and what is said of how it was taken."""

import io as stdio
import sys
from types import SimpleNamespace

import pytest

from sparsebc import datasets, eccentricity, io

HEADED = "gene_a,gene_b,w,n\na,b,0.5,1\nb,c,2,1\nc,d,1,1\n"


@pytest.fixture
def put(tmp_path):
    """Write a file; give its path."""

    def write(text, name="edges.csv"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return write


@pytest.fixture
def stdin(monkeypatch):
    """Give the command what it reads from standard input."""

    def give(content):
        buffer = stdio.BytesIO(content)
        buffer.name = "<stdin>"
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=buffer))

    return give


def note(out):
    """What is said below the table."""
    return [line.removeprefix("note: ") for line in out.splitlines() if line.startswith("note: ")]


def test_columns(run, put):
    """Named on the command line as in Python."""
    path = put(HEADED)
    told = ["--columns", "source=gene_a, target=gene_b,weight=w"]
    status, out, _ = run("betweenness", path, *told, "--weighted", "--directed", "--raw")
    assert status == 0
    assert "4 nodes, 3 edges, directed, by length" in out
    for command in ("approximate", "components", "bfs"):
        more = {"approximate": ["--epsilon", 0.1], "bfs": ["--sources", "a"]}.get(command, [])
        status, out, _ = run(command, path, *told, *more)
        assert (status, "4 nodes" in out) == (0, True)


def test_both_ways_out_of_a_header_that_may_be_an_edge(run, put):
    """Are told as options, and they work."""
    path = put("gene_a,gene_b\na,b\nb,c\n")
    status, out, err = run("betweenness", path)
    assert (status, out) == (1, "")
    assert f"{path}:1: the names ['gene_a', 'gene_b'], which no other line has" in err
    assert "or --columns source=...,target=...,weight=... with titles or numbers of" in err
    assert err.endswith("or --no-header where the first line is an edge\n")
    assert "source='gene_a'" not in err
    assert "3 nodes, 2 edges" in run(
        "betweenness", path, "--columns", "source=gene_a,target=gene_b"
    )[1]  # fmt: skip
    assert "5 nodes, 3 edges" in run("betweenness", path, "--no-header")[1]


@pytest.mark.parametrize(
    ("argv", "status", "message"),
    [
        (["--columns", "gene_a,gene_b"], 2, "expected titles as in source=gene_a,target=gene_b"),
        (["--columns", "source=a"], 2, "expected titles as in"),
        (["--columns", "source=a,target="], 2, "expected titles as in"),
        (["--columns", "source=a,source=b,target=c"], 2, "expected titles as in"),
        (["--columns", "source=a,target=b,name=c"], 2, "expected titles as in"),
        (["--columns", "source=a,target=b"], 1, "edges.csv:1: no column 'a'"),
        (["--columns", "source=a,target=b", "--no-header"], 1, "leave out either"),
    ],
)
def test_columns_that_are_refused(run, put, argv, status, message):
    got, out, err = run("betweenness", put(HEADED), *argv)
    assert (got, out, err.count("\n")) == (status, "", 1)
    assert message in err


def test_a_dataset_has_no_columns(run):
    assert "are for edge lists" in run("betweenness", "karate", "--no-header")[2]


@pytest.mark.parametrize("content", [b"a b\nb c\n", b"%%MatrixMarket matrix coordinate pattern "
    b"general\n3 3 2\n1 2\n2 3\n"])  # fmt: skip
def test_standard_input(run, stdin, content):
    """Of any format."""
    stdin(content)
    status, out, _ = run("betweenness", "-")
    assert status == 0
    assert out.startswith("standard input: 3 nodes, 2 edges, undirected; ")


def test_what_is_wrong_with_standard_input(run, stdin):
    stdin(b"a b\nb\n")
    assert "error: standard input:2: 1 columns; expected 2" in run("betweenness", "-")[2]


def test_matrix_market_names_are_those_of_the_file(run, put):
    """From 1 on; the middle of 1 - 2 - 3 is 2."""
    path = put("%%MatrixMarket matrix coordinate pattern symmetric\n3 3 2\n2 1\n3 2\n", "a.mtx")
    out = run("betweenness", path, "--top", 1)[1]
    assert out.splitlines()[3].split()[:3] == ["1", "2", "1.00000"]


ONE_WAY = "each edge is taken both ways; --directed takes it from source to target"
WEIGHTS = "weights are not looked at; --weighted takes them for lengths, --strength for strengths"


@pytest.mark.parametrize(
    ("text", "options", "notes"),
    [
        ("a b\nb c\n", [], [ONE_WAY]),
        ("a b\nb c\n", ["--directed"], []),
        ("a b\nb a\n", [], []),
        ("a b 1\nb c 2\n", [], [ONE_WAY, WEIGHTS]),
        ("a b 1\nb c 2\n", ["--weighted"], [ONE_WAY]),
        ("a b 1\nb c 2\n", ["--strength", "reciprocal", "--directed"], []),
        ("a b 3\nb c 3\n", ["--directed"], []),
    ],
)
def test_how_edges_and_weights_were_taken(run, put, text, options, notes):
    """Where it can make a difference."""
    path = put(text, "edges.txt")
    assert note(run("betweenness", path, *options)[1]) == notes
    assert note(run("approximate", path, "--epsilon", 0.1, *options)[1]) == notes


def test_zeros_of_a_matrix_that_count_as_edges(run, put):
    """They are told, for a file may mean none by them."""
    head = "%%MatrixMarket matrix coordinate real general"
    path = put(f"{head}\n3 3 3\n1 2 0\n2 3 1\n3 1 2\n", "a.mtx")
    told = "1 of 3 entries of the matrix are 0, and count as edges"
    for command in (["betweenness"], ["bfs", "--sources", "1"], ["approximate", "--epsilon", 0.1]):
        assert told in note(run(command[0], path, *command[1:])[1])
    path = put(f"{head}\n3 3 1\n1 2 1\n", "b.mtx")
    assert "are 0" not in run("betweenness", path)[1]


def test_help_tells_the_direction_apart_from_python(run):
    out = " ".join(run("betweenness", "--help")[1].split())
    assert "default: both ways, other than in Python, where directed=True is the default" in out


def test_eccentricity_of_a_network_in_parts(run, put, tmp_path):
    """Is inf throughout: that is said, with the option that counts what is reached."""
    path, scores = put("a b\nb c\nd e\n", "edges.txt"), tmp_path / "scores.csv"
    for command in (["eccentricity"], ["closeness", "--measures", "eccentricity"]):
        (_, said) = note(run(*command[:1], path, *command[1:])[1])
        assert said.startswith("eccentricity is inf where a node does not reach all others; ")
        assert "--reachable-only" in said
    status, out, _ = run("eccentricity", path, "--reachable-only", "--measures", "closeness",
                         "-o", scores)  # fmt: skip
    assert (status, note(out)) == (0, [ONE_WAY])
    want = eccentricity(io.read(path).matrix, directed=False, reachable_only=True)
    lines = scores.read_text().splitlines()
    assert lines[0] == "node,eccentricity,closeness"
    assert [float(line.split(",")[1]) for line in lines[1:]] == want.tolist() == [2, 1, 2, 1, 1]
    assert run("eccentricity", path, "--reachable-only")[0] == 0


def test_measures_between_commas_and_spaces(run):
    status, out, _ = run("betweenness", "karate", "--measures", "stress, closeness", "--top", 1)
    assert status == 0
    assert out.splitlines()[2].split()[2:] == ["betweenness", "stress", "closeness", "degree"]


def test_edge_betweenness_in_either_spelling(run):
    """As Python writes it, too."""
    outs = [run(f"edge{sign}betweenness", "karate", "--top", 3)[1].splitlines() for sign in "-_"]
    assert outs[0][1:] == outs[1][1:]


def test_a_directed_dataset_gets_no_note(run, monkeypatch):
    monkeypatch.setitem(
        datasets.DATASETS, "karate", datasets.DATASETS["karate"]._replace(directed=True)
    )
    assert note(run("betweenness", "karate")[1]) == []


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("7|a|b|0,5\n8|b|c|2\n", ["--columns", "source=2,target=3,weight=4", "--decimal", ","]),
        ("a\tb\t0,5\nb\tc\t2\n", ["--separator", "tab", "--decimal", ","]),
        ("a b 0,5\nb c 2\n", ["--separator", "space", "--decimal", ","]),
        ("a;b;0,5\nb;c;2\n", ["--encoding", "latin-1"]),
        ("; x\na,b,0.5\nb,c,2\n", ["--comment", ";"]),
        ("source,target,travel_time\na,b,0.5\nb,c,2\n", ["--columns", "weight=travel_time"]),
    ],
)
def test_how_a_table_is_told(run, put, text, options):
    """By options that are called as the arguments of `io.read`."""
    status, out, err = run("paths", put(text), "--sources", "a", "--weighted", "--json", *options)
    assert (status, err) == (0, "")
    assert '"farthest":2.5' in out


def test_comments_that_are_names(run, put):
    """Told to be rows, or told by a note."""
    path = put("source,target\n#a,b\nb,#c\n")
    assert "begins with # or % and is taken for an edge" in run("components", path)[1]
    status, out, _ = run("components", path, "--comment", "")
    assert (status, "3 nodes, 1 component" in out, "taken for" in out) == (0, True, False)


def test_lengths_that_are_not_there(run, put):
    """--weighted without a column of weights is refused, with the columns that there are."""
    for text, told in (
        ("source,target,travel_time\na,b,5\n", "there are ['source', 'target', 'travel_time']"),
        ("source,target\na,b\n", "there are ['source', 'target']"),
        ("a,b\nb,c\n", "2 columns and no weight"),
        ("source,target,weight\na,b,NA\n", "weight 'NA'; expected a number"),
    ):
        for options in (["--weighted"], ["--strength", "log"], ["--threshold", "1"]):
            status, _, err = run("betweenness", put(text), *options)
            assert (status, told in err, err.count("\n")) == (1, True, 1)
            assert "--columns source=...,target=...,weight=..." in err


@pytest.mark.parametrize("weight", ["", "NA", "nan", "-2", "12:30", "inf"])
def test_weights_that_nobody_looks_at(run, put, weight):
    """Do not stop a run; a note tells."""
    path = put(f"source,target,weight\na,b,1\nb,c,{weight}\nc,d,3\n")
    status, out, _ = run("betweenness", path, "--raw", "--json")
    assert status == 0
    assert '"node":"b","betweenness":2.0' in out
    assert "weights are left out, and all are 1" in out
    assert run("betweenness", path, "--weighted")[0] == 1


def test_a_dataset_has_no_separator(run):
    for option in (["--separator", ";"], ["--encoding", "utf-8"], ["--decimal", ","]):
        assert "are for edge lists" in run("betweenness", "karate", *option)[2]
    assert "expected one character" in run("betweenness", "karate", "--separator", ";;")[2]


def test_names_that_are_no_nodes(run, put, tmp_path):
    """All of them are listed, up to 20; they can be left out, which a note tells."""
    path = put("a,b\nb,c\nc,d\n")
    strangers = [f"x{k}" for k in range(25)]
    (tmp_path / "genes.txt").write_text("\n".join(["a", *strangers, "d"]))
    genes = f"@{tmp_path / 'genes.txt'}"
    status, _, err = run("betweenness", path, "--sources", genes)
    assert status == 1
    assert "--sources: there are no nodes 'x0', 'x1', " in err
    assert "'x19' and 5 more (25 in all); the nodes are 'a', 'b', 'c', ...;" in err
    assert "'x20'" not in err
    assert err.endswith("; --ignore-missing goes on without\n")
    for command in (
        ["betweenness", path, "--raw", "--sources", genes],
        ["bfs", path, "--sources", genes],
        ["group", path, "--nodes", genes],
    ):
        status, out, _ = run(*command, "--ignore-missing")
        assert status == 0
        assert "25 of 27 are no nodes: 'x0', 'x1', " in out
    status, _, err = run("bfs", path, "--sources", "x", "y", "--ignore-missing")
    assert (status, "--ignore-missing" in err) == (1, False)
    assert "--sources: there are no nodes 'x', 'y'" in err
