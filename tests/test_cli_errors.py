"""The command line where something is wrong: every exit status, every message."""

import os
import re

import pytest

from sparsebc import io
from sparsebc.cli import centrality
from sparsebc.cli import main as cli


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

    monkeypatch.setattr(centrality, "centralities", fail)
    assert run("betweenness", "karate")[::2] == (1, "sparsebc: error: MemoryError\n")


def test_a_fault_of_the_program_keeps_its_traceback(monkeypatch):
    """Only what is foreseen becomes a message."""

    def fail(*args, **options):
        raise ZeroDivisionError

    monkeypatch.setattr(centrality, "centralities", fail)
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
    assert "--strength log makes no length of it; divide the weights in the file" in err
    assert err.endswith("is the edge 'b' - 'c')\n")


def test_control_c_in_process(run, monkeypatch):
    """Status 130 and one word."""

    def stop(*args, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(io, "read", stop)
    assert run("betweenness", __file__) == (130, "", "sparsebc: stopped\n")
