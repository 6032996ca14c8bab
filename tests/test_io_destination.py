"""What results may replace, and what is left of a run that was killed while it wrote."""

import contextlib
import csv
import io as stdio
import os
import socket
import stat
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from children import python
from hypothesis import given
from hypothesis import strategies as st

from sparsebc import io
from sparsebc.io.output_file import check_path

UNIX = pytest.mark.skipif(os.name != "posix", reason="files of Unix")


def snapshot(folder):
    """Names, kinds and contents of all files in a folder."""
    return {
        path.name: (path.lstat().st_mode, path.read_bytes() if path.is_file() else None)
        for path in folder.iterdir()
    }


def program(path):
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)


def listening(path):
    with contextlib.closing(socket.socket(socket.AF_UNIX)) as server:
        server.bind(os.path.relpath(path))


@UNIX
@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda path: path.symlink_to("no folder/scores.csv"), "there is no folder .*no folder"),
        (lambda path: path.symlink_to(path.name), "Too many levels|symbolic links"),
        (lambda path: path.symlink_to(sys.executable), "is executable|no permission to write"),
        (lambda path: path.symlink_to("/dev/zero"), "is a pipe, socket or device"),
        (program, "is executable: a program, not results; give another name"),
        (lambda path: path.mkdir(), "is a folder; give the name of a file"),
        (lambda path: os.mkfifo(path), "is a pipe, socket or device, not a file; write to"),
        (listening, "is a pipe, socket or device, not a file"),
    ],
)
@pytest.mark.parametrize("write", [check_path, lambda path: io.write_scores(path, {}, "a")])
def test_what_is_never_replaced(folder, make, reason, write):
    """Neither now nor before a computation: one line, and all is as it was."""
    make(folder / "scores.csv")
    before = snapshot(folder)
    with pytest.raises(OSError, match=reason):
        write("scores.csv")
    assert snapshot(folder) == before


@UNIX
@given(
    st.lists(st.sampled_from(["a", "folder/b", "c"]), max_size=3, unique=True),
    st.booleans(),
    st.sampled_from(["real", "way"]),
)
def test_links_are_followed_to_the_file_that_is_replaced(steps, there, way):
    """However many there are, of folders too; its mode stays, and so do the links."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder, "real", "victim.csv")
        Path(folder, "folder").mkdir()
        place.parent.mkdir()
        Path(folder, "way").symlink_to("real")
        if there:
            place.write_text("old")
            place.chmod(0o640)
        named = Path(folder, way, place.name)
        for step in steps:
            link = Path(folder, f"{step}.csv")
            link.symlink_to(os.path.relpath(named, link.parent))
            named = link
        io.write_scores(named, {}, ["a"])
        assert place.read_text() == "node\na\n"
        assert not place.is_symlink()
        assert not there or stat.S_IMODE(place.stat().st_mode) == 0o640
        assert all(Path(folder, f"{step}.csv").is_symlink() for step in steps)
        assert os.listdir(place.parent) == ["victim.csv"]


AS_NOBODY = """
import os, sys
from sparsebc.io.output_file import check_path, writing
os.setgroups([4242])
os.setgid(65534)
os.setuid(65534)
for path in sys.argv[1:]:
    try:
        check_path(path)
        with writing(path) as file:
            file.write(b"new")
        print()
    except OSError as error:
        print(error.strerror)
"""
# Modes of a file and its folder, what is told, and the owner and group afterwards.
SHARED = [
    (0o664, 0o2775, "", (65534, 4242)),  # a colleague's, in a folder of the group
    (0o644, 0o2775, "no permission to write", (1, 4242)),
    (0o664, 0o1777, "belongs to another user, who alone", (1, 4242)),  # as in /tmp
    (0o666, 0o2755, "no permission to write in the folder", (1, 4242)),
]


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="takes several users")
def test_a_file_of_a_colleague_is_replaced_where_the_group_may_write():
    """It keeps its group and mode; root keeps its owner."""
    with tempfile.TemporaryDirectory() as parent:
        os.chmod(parent, 0o755)
        paths = [Path(parent, f"shared {k}", "scores.csv") for k in range(len(SHARED))]
        for path, (mode, of_folder, *_) in zip(paths, SHARED, strict=True):
            path.parent.mkdir()
            path.write_text("old")
            for one, bits in ((path.parent, of_folder), (path, mode)):
                os.chown(one, 1 if one is path else 0, 4242)
                os.chmod(one, bits)
        lines = python("-c", AS_NOBODY, *paths)[0].splitlines()
        for path, line, (mode, _, told, owner) in zip(paths, lines, SHARED, strict=True):
            assert line.startswith(told)
            assert bool(line) == bool(told)
            assert path.read_text() == ("old" if told else "new")
            assert os.listdir(path.parent) == ["scores.csv"]
            for write in (lambda: None, lambda path=path: io.write_scores(path, {}, ["a"])):
                write()
                there = path.stat()
                assert (there.st_uid, there.st_gid) == owner
                assert stat.S_IMODE(there.st_mode) == mode


@UNIX
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002])
def test_a_new_file_has_the_mode_that_the_umask_leaves(tmp_path, umask):
    before = os.umask(umask)
    try:
        io.write_scores(tmp_path / "scores.csv", {}, ["a"])
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "scores.csv").stat().st_mode) == 0o666 & ~umask


def test_a_file_that_two_runs_write_is_always_all_of_one(tmp_path):
    """At each moment the file is all of one of them, and no draft is left."""
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


@UNIX
def test_results_on_a_file_system_without_modes_are_replaced(tmp_path):
    """Where all files are executable."""
    (tmp_path / "scores.csv").write_text("node\n")
    (tmp_path / "scores.csv").chmod(0o777)
    io.write_scores(tmp_path / "scores.csv", {}, ["a"])
    assert (tmp_path / "scores.csv").read_text() == "node\na\n"


def test_whole_numbers_are_names(tmp_path):
    """By their digits, of NumPy too."""
    file = stdio.StringIO()
    io.write_scores(file, {}, np.array([7, 2**60]))
    io.write_scores(file, {}, [3, "x"])
    assert file.getvalue() == f"node\n7\n{2**60}\nnode\n3\nx\n"
    io.write_network(tmp_path / "n.graphml", np.eye(2, k=1), [10, 20], {"x": [1, 2]})
    assert io.read(tmp_path / "n.graphml").names == ("10", "20")


def test_formulas_begin_with_an_apostrophe_if_asked():
    """Text that a spreadsheet would run begins with an apostrophe, if asked."""
    names = ["=cmd|' /C calc'!A0", "+1", "-2", "@x", "plain"]
    for safe, mark in ((True, "'"), (False, "")):
        file = stdio.StringIO()
        io.write_scores(file, {"=x": -np.ones(5)}, names, spreadsheet_safe=safe)
        rows = [*csv.reader(file.getvalue().splitlines())]
        assert rows[0] == ["node", f"{mark}=x"]
        assert [row[0] for row in rows[1:]] == [*(mark + name for name in names[:4]), "plain"]
        assert rows[1][1] == "-1.0"
