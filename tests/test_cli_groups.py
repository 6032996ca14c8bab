"""The commands group, dismantle and percolation, and the weights of nodes in tables."""

import json

import numpy as np
import pytest

from sparsebc import (
    betweenness,
    datasets,
    dismantle,
    group_betweenness,
    percolation,
    prominent_group,
)

KARATE, NAMES = datasets.load("karate")
EDGES = "source,target\na,b\nb,c\nc,d\nd,e\n"


@pytest.fixture
def files(tmp_path, monkeypatch):
    """A path of five nodes, and numbers of some of them."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "edges.csv").write_text(EDGES)
    (tmp_path / "places.csv").write_text("place,homes,jobs\na,3,0\nb,1,0\ne,0,2\nz,9,9\n")
    (tmp_path / "bare.tsv").write_text("a\t1\nd\t0.5\n")
    return tmp_path


def column(path, title):
    """A column of a table that a command wrote."""
    titles, *rows = (line.split(",") for line in path.read_text().splitlines())
    return [row[titles.index(title)] for row in rows]


def test_trips_from_homes_to_jobs(run, files):
    """Scores of the function with those weights; what is not in the table counts nothing."""
    status, out, _ = run(
        *("betweenness", "edges.csv", "--device", "cpu", "--raw", "-o", "scores.csv"),
        *("--source-weights", "places.csv:homes", "--target-weights", "places.csv:jobs"),
    )
    assert status == 0
    assert out.count("2 of 5 nodes are not in places.csv, and count 0") == 1
    assert "rows of places.csv that name no node: 1" in out
    path = np.eye(5, k=1)
    weights = {"source_weights": [3, 1, 0, 0, 0], "target_weights": [0, 0, 0, 0, 2]}
    want = betweenness(path, directed=False, normalized=False, device="cpu", **weights)
    got = np.array(column(files / "scores.csv", "betweenness"), float)
    np.testing.assert_allclose(got, want)


def test_quotes_between_tabs(run, files):
    """Around a cell they are no part of it, as R writes them; within they are, as in STRING's."""
    (files / "quoted.tsv").write_text(
        '"node"\t"x"\tannotation\n"a"\t1\t"open" to 5\' ends\nd\t"0.5"\t"without end\n'
    )
    words = ("percolation", "edges.csv", "--device", "cpu", "--quiet", "-o", "-", "--states")
    plain = run(*words, "bare.tsv")
    assert plain[0] == 0
    assert run(*words, "quoted.tsv:x") == plain


@pytest.mark.parametrize("measure", ["edge-betweenness", "stress"])
def test_every_measure_of_paths_takes_weights(run, files, measure):
    """And those of distances do not."""
    assert run(measure, "edges.csv", "--source-weights", "bare.tsv", "--device", "cpu")[0] == 0
    status, _, err = run("closeness", "edges.csv", "--source-weights", "bare.tsv")
    assert status == 2
    assert "--source-weights" in err


def test_percolation(run, files):
    """A table without titles; scores beside the states."""
    status, out, _ = run(
        *("percolation", "edges.csv", "--states", "bare.tsv", "--device", "cpu", "-o", "p.csv"),
    )
    assert status == 0
    assert "3 of 5 nodes are not in bare.tsv" in out
    states = [1, 0, 0, 0.5, 0]
    want = percolation(np.eye(5, k=1), states, directed=False, device="cpu")
    np.testing.assert_allclose(np.array(column(files / "p.csv", "percolation"), float), want)
    assert np.array(column(files / "p.csv", "state"), float).tolist() == states
    _, out, _ = run("percolation", "edges.csv", "--states", "bare.tsv", "--json", "--top", "1")
    assert json.loads(out)["ranking"][0]["percolation"] == pytest.approx(want.max())


def test_groups(run, files):
    """Each --nodes is a group; nodes may come from a file."""
    (files / "some.txt").write_text("2\n3\n33\n")
    status, out, _ = run(
        *("group", "karate", "--nodes", "1", "34", "--nodes", "@some.txt", "-o", "groups.csv"),
    )
    assert status == 0
    numbers = [[NAMES.index(name) for name in group] for group in (("1", "34"), ("2", "3", "33"))]
    want = group_betweenness(KARATE, numbers, directed=False)
    np.testing.assert_allclose(np.array(column(files / "groups.csv", "score"), float), want)
    assert "1 34" in out
    words = ("--raw", "--endpoints", "--json", "--device", "reference")
    _, out, _ = run("group", "karate", "--nodes", "1", *words)
    raw = group_betweenness(KARATE, [[0]], directed=False, normalized=False, endpoints=True)
    assert json.loads(out)["groups"] == [{"group": "1", "score": pytest.approx(raw[0])}]
    assert json.loads(out)["device"] == "reference"


def test_groups_that_are_kept(run, files):
    """In a checkpoint, from which the command goes on; with workers of another kind."""
    line = ("group", "karate", "--nodes", "1", "34", "--device", "cpu", "--quiet")
    assert run(*line, "-o", "want.csv")[0] == 0
    kept = ("--checkpoint", "kept", "-o", "got.csv")
    assert run(*line, *kept, "--workers", "1", "--checkpoint-every", "0")[0] == 0
    assert (files / "got.csv").read_text() == (files / "want.csv").read_text()
    (files / "got.csv").unlink()
    assert run("resume", "kept")[0] == 0
    assert (files / "got.csv").read_text() == (files / "want.csv").read_text()
    assert "state    finished" in run("status", "kept")[1]
    _, _, err = run("group", "karate", "--nodes", "1", "--device", "cpu", *kept)
    assert "--checkpoint kept holds another run, which differs in groups" in err


def test_too_little_memory(run):
    """What to do is told in options that the command has."""
    status, _, err = run("group", "karate", "--nodes", "1", "--memory", "1K")
    assert status == 1
    assert err.endswith("--memory is 1024: raise --memory\n")
    status, _, err = run("betweenness", "karate", "--memory", "1K", "--device", "cpu")
    assert err.endswith("--memory is 1024: raise --memory, or use --dtype float32\n")


def test_a_prominent_group(run):
    """Its nodes in their order, and what is proved of it."""
    found = prominent_group(KARATE, 3, directed=False)
    status, out, _ = run("group", "karate", "--prominent", "3", "--json")
    told = json.loads(out)
    assert status == 0
    assert [one["node"] for one in told["groups"]] == [NAMES[v] for v in found.nodes]
    assert told["bound"] == pytest.approx(found.bound)
    assert (
        f"no group of 3 scores above {found.bound:.6g}"
        in run("group", "karate", "--prominent", 3)[1]
    )


@pytest.mark.parametrize("edges", [False, True])
def test_dismantle(run, files, edges):
    """Steps by name, as the function takes them; by first scores alone with --once."""
    by = "edge_betweenness" if edges else "betweenness"
    for once in (False, True):
        found = dismantle(KARATE, by, steps=4, directed=False, recompute=not once, device="cpu")
        words = ["--edges"] * edges + ["--once"] * once
        status, out, _ = run(
            *("dismantle", "karate", "--steps", "4", "--device", "cpu", "-o", "steps.csv", *words)
        )
        assert status == 0
        titles = ("source", "target") if edges else ("node",)
        for title, nodes in zip(titles, found.order.reshape(4, -1).T, strict=True):
            assert column(files / "steps.csv", title) == [NAMES[v] for v in nodes]
        left = [int(n) for n in column(files / "steps.csv", "largest component")]
        assert left == found.largest.tolist()
        assert str(found.largest[-1]) in out.splitlines()[6]
    _, out, _ = run("dismantle", "karate", "--steps", "1", "--device", "cpu", "--json")
    assert json.loads(out)["steps"][0]["node"] == "1"


def test_isolated_nodes_are_dropped_as_told(run, files):
    """In normalized scores too, and the notes say what is left."""
    (files / "w.csv").write_text("source,target,weight\na,b,900\nb,c,800\nc,d,100\n")
    _, out, _ = run("betweenness", "w.csv", "--threshold", 700, "--json", "--device", "cpu")
    told = json.loads(out)
    assert told["nodes"] == 4
    assert told["ranking"][0]["betweenness"] == pytest.approx(1 / 3)
    assert "1 of 4 nodes have no edge left, stay" in told["notes"][0]
    assert "--drop-isolated leaves them out" in told["notes"][0]
    words = ("--threshold", 700, "--drop-isolated", "--json", "--device", "cpu")
    told = json.loads(run("betweenness", "w.csv", *words)[1])
    assert told["nodes"] == 3
    assert told["ranking"][0]["betweenness"] == 1
    assert "--drop-isolated keeps 3 of 4 nodes" in told["notes"]


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["betweenness", "edges.csv", "--source-weights", "no.csv"], 1, "no.csv: No such file"),
        (["betweenness", "edges.csv", "--source-weights", "places.csv:age"], 1,
         "--source-weights places.csv: there is no column 'age'; those are 'homes', 'jobs'"),
        (["betweenness", "edges.csv", "--k", "2", "--target-weights", "bare.tsv"], 2,
         "--k samples pairs that count one each"),
        (["betweenness", "edges.csv", "--source-weights", "strangers.csv"], 1,
         "the first column has none of the nodes, which are 'a' and others; --names calls them"),
        (["betweenness", "edges.csv", "--source-weights", "twice.csv"], 1,
         "twice.csv:3: 'a' is given once more"),
        (["betweenness", "edges.csv", "--source-weights", "short.csv"], 1,
         "short.csv:2: expected a name, and in column 2 a number from 0 on"),
        (["betweenness", "edges.csv", "--source-weights", "words.csv"], 1,
         "(a row left out counts 0), with tabs or commas, got 'a,many'"),
        (["betweenness", "edges.csv", "--source-weights", "empty.csv"], 1, "the file is empty"),
        (["betweenness", "edges.csv", "--source-weights", "latin.csv"], 1, "columns of UTF-8"),
        (["betweenness", "edges.csv", "--source-weights", "open.csv"], 1, "a quote without end"),
        (["betweenness", "edges.csv", "--source-weights", "zero.csv"], 1,
         "--source-weights are all zero"),
        (["percolation", "edges.csv", "--states", "zero.csv"], 1, "--states are all zero"),
        (["percolation", "edges.csv"], 2, "--states"),
        (["betweenness", "edges.csv", "--source-weights", "bare.tsv", "-o", "bare.tsv"], 1,
         "bare.tsv: this is the table of --source-weights"),
        (["group", "edges.csv"], 2, "one of --nodes and --prominent is needed"),
        (["group", "edges.csv", "--nodes", "a", "--prominent", "2"], 2, "one of --nodes and"),
        (["group", "edges.csv", "--prominent", "2", "--endpoints"], 2, "leave out --endpoints"),
        (["group", "edges.csv", "--prominent", "2", "--checkpoint", "kept"], 2,
         "--prominent keeps none of its rounds: leave out --checkpoint"),
        (["group", "edges.csv", "--nodes", "a", "--checkpoint-every", "3"], 2,
         "--checkpoint-every has an effect only with --checkpoint"),
        (["group", "edges.csv", "--nodes", "a", "--executor", "slurm"], 2, "expected processes:4"),
        (["group", "edges.csv", "--nodes", "q"], 1, "--nodes: there is no node 'q'"),
        (["group", "edges.csv", "--nodes", "a", "a"], 1, "--nodes lists 'a' more than once"),
        (["group", "edges.csv", "--prominent", "9"], 1,
         "--prominent must lie in 1..5, the candidates, got 9"),
        (["group", "edges.csv", "--nodes", "a", "b", "c", "d"], 1, "or use --raw"),
        (["group", "edges.csv", "--cutoff", "3"], 2, "'sparsebc group --help' tells more"),
        (["dismantle", "edges.csv", "--steps", "0"], 2, "expected an integer from 1 on"),
    ],
)  # fmt: skip
def test_what_does_not_serve(run, files, words, status, message):
    """One line that names the option or the file."""
    for name, text in {
        "strangers.csv": "x,1\ny,2\n",
        "twice.csv": "name,x\na,1\na,2\n",
        "short.csv": "name,x\na\n",
        "words.csv": "name,x\na,many\n",
        "empty.csv": "",
        "open.csv": 'a,"1\n',
        "zero.csv": "a,0\nb,0\n",
    }.items():
        (files / name).write_text(text)
    (files / "latin.csv").write_bytes(b"\xe9,1\n")
    found, out, err = run(*words)
    assert (found, out) == (status, "")
    assert message in err
    assert err.count("\n") == 1
