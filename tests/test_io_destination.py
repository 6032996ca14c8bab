"""What results may replace, and what is left of a run that was killed while it wrote."""

import contextlib
import errno
import gzip
import io as stdio
import os
import re
import socket
import stat
import subprocess
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import warm

import sparsebc
from sparsebc import io
from sparsebc.io import destination

ROOT = os.path.dirname(os.path.dirname(sparsebc.__file__))
UNIX = pytest.mark.skipif(os.name != "posix", reason="files of Unix")


def snapshot(folder):
    """Names, kinds and contents of all files in a folder."""
    return {
        path.name: (path.lstat().st_mode, path.read_bytes() if path.is_file() else None)
        for path in folder.iterdir()
    }


def link(path):
    (path.parent / "victim.csv").write_text("old")
    path.symlink_to("victim.csv")


def program(path):
    path.write_text("old")
    path.chmod(0o755)


def listening(path):
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as server:
        server.bind(os.path.relpath(path))


@UNIX
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (link, "is a link to victim.csv; give the name of the file itself"),
        (lambda path: path.symlink_to("nowhere.csv"), "is a link to nowhere.csv; give the name"),
        (lambda path: path.symlink_to(path.name), "Too many levels|is a link to"),
        (lambda path: path.symlink_to("/proc/self/exe"), "is a link to /proc/self/exe"),
        (program, "is executable: a program, not results; give another name"),
        (lambda path: path.mkdir(), "is a folder; give the name of a file"),
        (
            lambda path: os.mkfifo(path),
            "is a pipe, socket or device, not a file; write to",
        ),
        (listening, "is a pipe, socket or device, not a file"),
    ],
)
@pytest.mark.parametrize("write", [destination.check, lambda path: io.write_scores(path, {}, "a")])
def test_what_is_never_replaced(tmp_path, monkeypatch, make, reason, write):
    """Neither now nor before a computation: one line, and all is as it was."""
    monkeypatch.chdir(tmp_path)
    make(tmp_path / "scores.csv")
    before = snapshot(tmp_path)
    with pytest.raises(OSError, match=reason):
        write("scores.csv")
    assert snapshot(tmp_path) == before


@pytest.mark.skipif(not Path("/proc/self/exe").exists(), reason="no /proc")
@pytest.mark.parametrize(
    "path", ["/proc/self/exe", "/proc/scores.csv", "/proc/self/comm", "/dev/scores.csv", "/dev/mem",
             "/sys/scores.csv", os.path.join("/proc/self", "root", "dev", "zero")],
)  # fmt: skip
def test_no_place_of_the_system(path):
    """But a stream: nothing is opened to find out."""
    with pytest.raises(OSError, match=r"belongs to the system|is a link to|pipe, socket or dev"):
        destination.check(path)


def test_streams():
    """Descriptors of this process, and where nothing is kept."""
    for path in ("/dev/stdout", "/dev/fd/1", "/proc/self/fd/2", "/dev/null"):
        if os.path.exists(path):
            assert destination.locate(path).stream
            destination.check(path)
            assert destination.suffix(path, (".csv",)) == ""


@UNIX
def test_a_file_of_another_user_stays(tmp_path, monkeypatch):
    """Whatever its mode: it is not ours to replace; root keeps its owner and mode."""
    path = tmp_path / "scores.csv"
    path.write_text("old")
    path.chmod(0o646)
    there = os.lstat(path)
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: there.st_uid + 1)
        with pytest.raises(PermissionError, match="belongs to another user; give another name"):
            io.write_scores(path, {}, ["a"])
    assert path.read_text() == "old"
    if os.geteuid() == 0:
        os.chown(path, 65534, 65534)
    io.write_scores(path, {}, ["a"])
    here = os.lstat(path)
    assert stat.S_IMODE(here.st_mode) == 0o646
    assert here.st_uid == (65534 if os.geteuid() == 0 else there.st_uid)
    assert path.read_text() == "node\na\n"


KILLED = """
import os, signal, sys
from sparsebc.io import destination
with destination.writing("scores.csv") as file:
    file.write(b"half")
    file.flush()
    os.kill(os.getpid(), int(sys.argv[1]))
"""


@pytest.mark.long
@UNIX
@pytest.mark.parametrize("number", [9, 15])
def test_what_a_killed_run_left_is_replaced_by_the_next(tmp_path, number):
    """One draft of a fixed name; the file of before is whole."""
    (tmp_path / "scores.csv").write_text("old")
    for _ in range(2):
        done = subprocess.run(
            [*warm.python(), "-c", KILLED, str(number)], cwd=tmp_path, check=False,
            env=os.environ | {"PYTHONPATH": ROOT},
        )  # fmt: skip
        assert done.returncode == -number
        assert sorted(os.listdir(tmp_path)) == [".scores.csv.part", "scores.csv"]
        assert (tmp_path / "scores.csv").read_text() == "old"
    io.write_scores(tmp_path / "scores.csv", {}, ["a"])
    assert os.listdir(tmp_path) == ["scores.csv"]
    assert (tmp_path / "scores.csv").read_text() == "node\na\n"


@UNIX
@pytest.mark.parametrize("plant", [os.mkfifo, os.mkdir, lambda path: os.symlink("victim", path)])
def test_a_planted_draft_is_not_written_through(tmp_path, plant):
    """Nor waited for, nor removed."""
    (tmp_path / "victim").write_text("old")
    plant(tmp_path / ".scores.csv.part")
    before = snapshot(tmp_path)
    with pytest.raises(PermissionError, match=r"\.scores\.csv\.part is in the way"):
        io.write_scores(tmp_path / "scores.csv", {}, ["a"])
    assert snapshot(tmp_path) == before


def test_a_draft_that_was_left_is_written_anew(tmp_path):
    """Whatever is in it."""
    (tmp_path / ".scores.csv.part").write_text("what a run that was killed had written\n")
    io.write_scores(tmp_path / "scores.csv", {}, ["a"])
    assert os.listdir(tmp_path) == ["scores.csv"]
    assert (tmp_path / "scores.csv").read_text() == "node\na\n"


def test_two_runs_write_one_file(tmp_path):
    """One after the other: at each moment the file is all of one of them, and no draft is left."""
    path, count, wrong = tmp_path / "scores.csv", 2000, []

    def write(name):
        for _ in range(10):
            io.write_scores(path, {}, [name] * count)

    threads = [threading.Thread(target=write, args=(name,)) for name in "abcd"]
    for thread in threads:
        thread.start()
    while any(thread.is_alive() for thread in threads):
        if path.exists():
            title, *names = path.read_text().splitlines()
            wrong += [names] * (title != "node" or len(names) != count or len({*names}) != 1)
        time.sleep(0.001)
    assert not wrong
    assert os.listdir(tmp_path) == ["scores.csv"]


def test_a_link_to_a_folder_is_followed(tmp_path):
    """Only the last step of a path must be no link."""
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    io.write_scores(tmp_path / "link" / "s.csv.gz", {}, ["a"])
    assert gzip.decompress((tmp_path / "real" / "s.csv.gz").read_bytes()) == b"node\na\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
def test_a_full_disk():
    with pytest.raises(OSError, match="No space left") as caught:
        io.write_scores("/dev/full", {"x": np.zeros(1000)}, [*map(str, range(1000))])
    assert caught.value.errno == errno.ENOSPC


def read_csv(text):
    import csv

    return [*csv.reader(stdio.StringIO(text, newline=""))]


ODD = ["#metoo", "%x", " lead", "trail ", "a\rb", "a\nb", 'say "x"', "a,b", "a\tb", "\x85", "é", ""]


def test_odd_names_are_quoted():
    """What begins a comment, is stripped, or ends a line elsewhere comes back as it is."""
    file = stdio.StringIO(newline="")
    io.write_scores(file, {"x": np.arange(len(ODD))}, ODD)
    text = file.getvalue()
    assert [row[0] for row in read_csv(text)] == ["node", *ODD]
    for name in ODD[:8]:
        assert '"' + name.replace('"', '""') + '"' in text
    assert re.search("^é,10$", text, re.MULTILINE)


def test_whole_numbers_are_names(tmp_path):
    """By their digits, of NumPy too."""
    file = stdio.StringIO()
    io.write_scores(file, {}, np.array([7, 2**60]))
    io.write_scores(file, {}, [3, "x"])
    assert file.getvalue() == f"node\n7\n{2**60}\nnode\n3\nx\n"
    io.write_network(tmp_path / "n.graphml", np.eye(2, k=1), [10, 20], {"x": [1, 2]})
    assert io.read(tmp_path / "n.graphml").names == ("10", "20")


def test_formulas():
    """Text that a spreadsheet would run begins with an apostrophe, if asked."""
    names = ["=cmd|' /C calc'!A0", "+1", "-2", "@x", "plain"]
    for safe, mark in ((True, "'"), (False, "")):
        file = stdio.StringIO()
        io.write_scores(file, {"=x": -np.ones(5)}, names, spreadsheet_safe=safe)
        rows = read_csv(file.getvalue())
        assert rows[0] == ["node", f"{mark}=x"]
        assert [row[0] for row in rows[1:]] == [*(mark + name for name in names[:4]), "plain"]
        assert rows[1][1] == "-1.0"


def test_suffixes():
    """Those that are known, alone or packed; files that are packed already are not packed again."""
    known = (".csv", ".parquet")
    for path, found in {"A.CSV": ".csv", "a.b.csv.gz": ".csv", "a.Parquet": ".parquet"}.items():
        assert destination.suffix(path, known) == found
    for path in ("", "a\0.csv", "a", ".csv", "a.txt", "a.txt.gz", "a.gz", "a.parquet.xz"):
        with pytest.raises(ValueError, match=r"is not the name of|are not written"):
            destination.suffix(path, known)


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="no files of descriptors")
def test_names_beside_descriptors():
    """Another process has descriptors of its own, and a descriptor has a number."""
    with pytest.raises(OSError, match="/dev/fd/x"):
        destination.locate("/dev/fd/x")
    with contextlib.suppress(OSError):
        assert destination.locate(f"/proc/{os.getppid()}/fd/1").descriptor is None


@pytest.mark.skipif(not os.access("/dev/shm", os.W_OK), reason="no shared memory")
def test_shared_memory():
    """A disk like any other, though it lies among devices."""
    assert not destination.locate("/dev/shm/sparsebc-scores.csv").stream
    with pytest.raises(OSError, match="belongs to the system"):
        destination.locate("/dev/sparsebc-scores.csv")


@pytest.mark.skipif(os.name == "nt", reason="an open file cannot be replaced")
def test_a_draft_that_another_run_replaced(tmp_path):
    """It is not published, and that of the other run stays."""
    path = tmp_path / "scores.csv"
    output = destination.writing(path)
    output.__enter__().write(b"ours")
    (draft,) = tmp_path.iterdir()
    draft.unlink()
    draft.write_text("theirs")
    with pytest.raises(FileExistsError, match="another run"):
        output.__exit__(None, None, None)
    assert not path.exists()
    assert draft.read_text() == "theirs"
