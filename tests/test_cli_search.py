"""The commands bfs, paths and components: what they print and write, and what they refuse."""

import csv

import numpy as np
import pytest

from sparsebc import bfs, connected_components, datasets, io, shortest_paths

KARATE, NAMES = datasets.load("karate")


@pytest.fixture
def edges(tmp_path):
    """a -> b -> c at lengths 2 and 0.5, the short cut a -> c at 3, and d -> a."""
    path = tmp_path / "edges.csv"
    path.write_text("from,to,length\na,b,2\nb,c,0.5\na,c,3\nd,a,1\n")
    return path


def written(path):
    """Header and rows of a csv file."""
    with open(path, newline="") as file:
        header, *rows = csv.reader(file)
    return header, rows


def test_bfs_prints_and_writes(run, tmp_path):
    """A line for each source; the file holds what the function returns."""
    status, out, err = run("bfs", "karate", "--sources", "34", "1", "-o", tmp_path / "levels.csv")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == "karate: 34 nodes"
    assert [line.split() for line in lines[2:5]] == [
        ["source", "reached", "levels"],
        ["34", "33", "4"],
        ["1", "33", "3"],
    ]
    assert lines[-1] == f"level: {tmp_path / 'levels.csv'}"
    header, rows = written(tmp_path / "levels.csv")
    assert header == ["source", "node", "level"]
    want = bfs(KARATE, [33, 0], directed=False)
    assert [row[0] for row in rows] == ["34"] * 34 + ["1"] * 34
    assert tuple(row[1] for row in rows) == 2 * NAMES
    np.testing.assert_array_equal([int(row[2]) for row in rows], want.ravel())


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_paths_prints_and_writes(run, edges, tmp_path, weighted, directed):
    """Distances with inf, predecessors by name, nothing where there is none."""
    file = tmp_path / "paths.csv"
    options = [*["--weighted"] * weighted, *["--directed"] * directed]
    status, out, err = run("paths", edges, "--sources", "a", "-o", file, *options)
    assert (status, err) == (0, "")
    far = {(True, True): "2.5", (True, False): "2.5"}.get((weighted, directed), "1")
    assert out.splitlines()[3].split() == ["a", "2" if directed else "3", far]
    assert f"distance, predecessor: {file}" in out
    to_c, to_d = ("2.5", "b") if weighted else ("1.0", "a"), ("1.0", "a")
    assert written(file) == (
        ["source", "node", "distance", "predecessor"],
        [
            ["a", "a", "0.0", ""],
            ["a", "b", "2.0" if weighted else "1.0", "a"],
            ["a", "c", *to_c],
            ["a", "d", *(("inf", "") if directed else to_d)],
        ],
    )


@pytest.mark.parametrize("command", ["bfs", "paths"])
def test_what_a_search_writes_is_no_network(run, edges, tmp_path, command):
    """Its lines look like edges with weights, and are refused as such."""
    assert run(command, edges, "--sources", "a", "-o", tmp_path / "s.csv")[0] == 0
    with pytest.raises(ValueError, match=r"4 columns|an unknown header"):
        io.read(tmp_path / "s.csv")


def test_paths_by_strength(run, edges):
    """The way of the strongest ties."""
    status, out, _ = run("paths", edges, "--sources", "a", "--strength", "reciprocal")
    assert status == 0
    assert out.splitlines()[3].split() == ["a", "3", "1"]  # to d; 1/3 to c, and 1/2 to b


def test_components(run, edges, tmp_path):
    """Largest first; --top cuts the table, and the file holds all nodes."""
    words = ["components", edges, "--directed", "--strong", "--top", "2", "-o", tmp_path / "c.csv"]
    status, out, err = run(*words)
    assert (status, err) == (0, "")
    assert out.splitlines()[0] == f"{edges}: 4 nodes, 4 components"
    assert len(out.split("\n\n")[1].splitlines()) == 3
    header, rows = written(tmp_path / "c.csv")
    assert header == ["node", "component"]
    assert len({label for _, label in rows}) == 4
    weak = run("components", edges, "--directed")[1]
    assert weak.splitlines()[0].endswith("4 nodes, 1 component")
    assert weak.splitlines()[3].split() == ["0", "4", "a"]


def test_sources_are_taken_as_often_as_named(run):
    """In the order given, one after the other option too."""
    out = run("bfs", "karate", "--sources", "2", "--sources", "1", "--workers", "1")[1]
    assert [line.split()[0] for line in out.splitlines()[3:]] == ["2", "1"]


@pytest.mark.parametrize(
    ("argv", "status", "message"),
    [
        (["bfs", "karate"], 2, "--sources"),
        (["bfs", "karate", "--sources", "x"], 1, "--sources: there is no node 'x'"),
        (["bfs", "karate", "--sources", "1", "--workers", "0"], 2, "an integer from 1 on"),
        (["bfs", "nothing", "--sources", "1"], 1, "nothing: there is no such file"),
        (["paths", "karate", "--sources", "1", "-o", "/no/x.csv"], 1, "there is no folder /no"),
        (["paths", "karate", "--sources", "1", "-o", "."], 1, "is a folder"),
        (["components", "karate", "--device", "gpu"], 1, "--device must be one of"),
        (["components", "karate", "--device", "cuda:0,cuda:1"], 1, "a search runs on one device"),
        (["components", "karate", "--strong"], 2, "--strong has an effect only with --directed"),
        (["components", "karate", "--top", "-1"], 2, "--top"),
    ],
)
def test_refusals(run, argv, status, message):
    """One line that names what is wrong."""
    got, out, err = run(*argv)
    assert (got, out) == (status, "")
    assert message in err


@pytest.mark.parametrize("command", ["bfs", "paths", "components"])
def test_help_ends_with_an_example(run, command):
    """Each example names its command."""
    status, out, _ = run(command, "--help")
    assert status == 0
    assert f"example: sparsebc {command} " in " ".join(out.split())


def test_commands_say_what_the_functions_return(run):
    """Numbers printed are those of the functions."""
    out = run("paths", "karate", "--sources", "5")[1]
    distances, _ = shortest_paths(KARATE, [4], directed=False)
    assert out.splitlines()[3].split() == ["5", "33", f"{distances.max():g}"]
    count, _ = connected_components(KARATE)
    assert f"{count} component" in run("components", "karate")[1]
