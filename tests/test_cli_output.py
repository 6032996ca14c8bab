"""Where results go: files, pipes, devices, descriptors of the shell; what was there stays there."""

import os
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse

import sparsebc
from sparsebc import datasets, edge_betweenness, io

ROOT = os.path.dirname(os.path.dirname(sparsebc.__file__))
BASH = shutil.which("bash")
NEEDS_BASH = pytest.mark.skipif(
    BASH is None or not os.path.isdir("/proc/self/fd"), reason="no bash, or no /proc"
)
ONE_WAY = scipy.sparse.csr_array(np.eye(3, k=1))


@pytest.fixture
def shell(tmp_path):
    """Run a line of bash in a folder of its own; S stands for the command, and compiles nothing."""
    for A in (ONE_WAY, ONE_WAY + ONE_WAY.T):  # the kernels that read it are compiled
        for directed in (False, True):
            edge_betweenness(A, directed=directed, device="reference")
    (tmp_path / "edges.csv").write_text("from,to\na,b\nb,c\nc,d\n")

    def call(line):
        line = re.sub(r"\bS (\w+)", rf"{sys.executable} -m sparsebc \1 --device reference", line)
        done = subprocess.run(
            [BASH, "-c", f"set -o pipefail; {line}"],
            capture_output=True, text=True, cwd=tmp_path, check=False, timeout=120,
            env=os.environ | {"PYTHONPATH": ROOT},
        )  # fmt: skip
        return done.returncode, done.stdout, done.stderr

    return call


ROWS = "node\tbetweenness\na\t0.0\nb\t0.6666666666666666\nc\t0.6666666666666666\nd\t0.0\n"


@pytest.mark.long
@NEEDS_BASH
@pytest.mark.parametrize(
    ("line", "want"),
    [
        ("cat edges.csv | S betweenness - --quiet | cat", ROWS),
        ("S betweenness /dev/stdin --quiet < edges.csv | cat", ROWS),
        ("S betweenness <(cat edges.csv) --quiet > out; cat out", ROWS),
        ("gzip -c edges.csv | S betweenness - 2> /dev/null | cat", ROWS),
        ("mkfifo p; cat p > q & S betweenness edges.csv --quiet > p; wait; cat q", ROWS),
        ("S betweenness edges.csv -q | tail -n +2 | sort -k 2,2gr -k 1,1 | head -1",
         "b\t0.6666666666666666\n"),
        ("S betweenness human-proteins --samples 1 --quiet | head -1", "node\tbetweenness\n"),
    ],
)  # fmt: skip
def test_rows_get_where_they_are_sent(shell, line, want):
    """The same bytes, alone, by every way out and in that a shell has; a reader may leave."""
    assert shell(line) == (0, want, "")


@pytest.mark.long
@NEEDS_BASH
@pytest.mark.parametrize(
    ("line", "status"),
    [("edges.csv -o scores.csv <&- >&- 2>&-", 0), ("edges.csv <&- >&- 2>&-", 1), ("- <&-", 1),
     ("edges.csv 2>&-", 0)],
)  # fmt: skip
def test_no_file_takes_the_place_of_a_closed_stream(shell, tmp_path, line, status):
    """No traceback; what cannot be seen is not computed."""
    before = (tmp_path / "edges.csv").read_text()
    found, _, err = shell(f"S betweenness {line}")
    assert (found, "Traceback" in err) == (status, False)
    assert {*os.listdir(tmp_path)} == {"edges.csv"} | {"scores.csv"} & {*line.split()}
    for path in tmp_path.iterdir():
        assert path.read_text() == (before if path.name == "edges.csv" else ROWS.replace("\t", ","))


@pytest.mark.parametrize("target", ["scores.xls", "no/scores.csv", "edges.csv"])
def test_a_wrong_target_is_found_before_anything_is_computed(run, monkeypatch, target, folder):
    """Not after an hour."""
    (folder / "edges.csv").write_text("a,b\nb,c\n")
    monkeypatch.setattr(sparsebc, "centralities", lambda *args, **options: 1 / 0)
    assert run("betweenness", "edges.csv", "-o", target)[0] == 1
    assert (folder / "edges.csv").read_text() == "a,b\nb,c\n"


def test_a_plot_replaces_whole_files_only(run, tmp_path, monkeypatch):
    """A picture that fails leaves the one that was there."""
    figure = pytest.importorskip("matplotlib.figure").Figure
    path = tmp_path / "plot.png"
    path.write_text("old")

    def fail(self, file, **options):
        file.write(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(figure, "savefig", fail)
    assert run("betweenness", "karate", "-o", path)[0] == 1
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["plot.png"]


@pytest.mark.parametrize("direction", [[], ["--directed"]])
@pytest.mark.parametrize("use", [[], ["--weighted"], ["--strength", "reciprocal"]])
def test_edge_scores_come_back_as_the_network(done, tmp_path, direction, use):
    """With its weights, whichever of two counts, and the same scores."""
    first, second, third = (tmp_path / f"{k}.csv" for k in range(3))
    first.write_text("from,to,weight\na,b,1\nb,a,2\nc,b,3\nc,d,4\nd,a,2\na,c,7\ne,e,1\nd,e,1\n")
    for source, target in ((first, second), (second, third)):
        done("edge-betweenness", source, "-o", target, *direction, *use)
    assert set(second.read_text().splitlines()) == set(third.read_text().splitlines())
    given, back = io.read(first), io.read(second)
    order = [back.names.index(name) for name in given.names]
    A, B = given.matrix.toarray(), back.matrix.toarray()[np.ix_(order, order)]
    if not direction:
        pick = max if use[:1] == ["--strength"] else min
        A = [[pick(filter(None, (u, v)), default=0) for u, v in zip(*rows)] for rows in zip(A, A.T)]  # noqa: B905
        B = B + B.T
    np.testing.assert_array_equal(B, A * (1 - np.eye(5)))


def test_a_dataset_is_no_file_to_keep(done, tmp_path, monkeypatch, folder):
    """Its name is free for a file."""
    monkeypatch.setitem(datasets.DATASETS, "karate.csv", datasets.DATASETS["karate"])
    done("betweenness", "karate", "-o", "karate.csv")
    assert (tmp_path / "karate.csv").read_text().startswith("node,betweenness\n")
