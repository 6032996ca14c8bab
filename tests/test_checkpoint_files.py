"""Files of checkpoints: one process at a time, whole or not at all, believed as far as they fit."""

import contextlib
import errno
import functools
import itertools
import os
import shutil
import signal
import time
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from calls import assert_same
from children import python
from kept import KINDS, A, Stop, exact, goes_on, header, refused, stopping

from sparsebc import betweenness
from sparsebc.sweep import checkpoint

posix = pytest.mark.skipif(os.name == "nt", reason="no links, pipes and owners as here")
root = pytest.mark.skipif(
    not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives files to another user"
)
OPTIONS = {"device": "cpu", "checkpoint_every": 0}


@pytest.fixture
def kept(tmp_path):
    """Directory of a run that was stopped."""
    with pytest.raises(Stop):
        betweenness(A, checkpoint=tmp_path, progress=stopping(2), **OPTIONS)
    return tmp_path


DIES = """
import os, signal, sys
import sparsebc, scipy.sparse
from sparsebc import private_files

step, call = {step!r}, getattr(os, {step!r})
left = {count}

def die(*args):
    global left
    left -= 1
    if not left and {before}:
        os.kill(os.getpid(), signal.SIGKILL)
    call(*args)
    if not left:
        os.kill(os.getpid(), signal.SIGKILL)

setattr(private_files.os, step, die)
A = scipy.sparse.load_npz({graph!r})
sparsebc.betweenness(A, device="cpu", checkpoint={directory!r}, checkpoint_every=0)
"""


@pytest.mark.long
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL")
@pytest.mark.parametrize(
    ("step", "count", "before"),
    [("fsync", 3, True), ("fsync", 9, False), ("replace", 4, True), ("replace", 3, False)],
)
def test_a_run_killed_inside_the_save_goes_on(tmp_path, step, count, before):
    """Before and after each step of it."""
    graph, directory = tmp_path / "A.npz", tmp_path / "kept"
    sp.save_npz(graph, A)
    script = DIES.format(
        step=step, count=count, before=before, graph=str(graph), directory=str(directory)
    )
    python("-c", script, status=-signal.SIGKILL)
    goes_on(directory)
    assert sorted(os.listdir(directory)) == ["lock", "state.npz"]


class Runs:
    """An object whose pickle runs code."""

    def __reduce__(self):
        return os.abort, ()


def with_array(array):
    """Another array in place of one."""

    def damage(place):
        with np.load(place) as members:
            changed = {**members, "array-0": array}
        np.savez(place, **changed)

    return damage


def another_format(place):
    np.savez(place, header=np.frombuffer(b'{"format": 99}', dtype=np.uint8))


IS_DAMAGED = r"is damaged, or was changed \(.+\): remove its state\.npz"
DAMAGE = {
    "empty": (lambda place: place.write_bytes(b""), IS_DAMAGED),
    "another array": (with_array(np.ones(A.shape[0])), IS_DAMAGED),
    "a pickle": (with_array(np.array([Runs()], dtype=object)), IS_DAMAGED),
    "another format": (another_format, r"of another version of sparsebc \(format 99, this one has"),
    "format 1": (lambda place: place.rename(place.with_name("slot-1")), r"version .* \(format 1, "),
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_damaged_state_is_refused_by_name(kept, name):
    """And the way out is told."""
    damage, told = DAMAGE[name]
    damage(kept / checkpoint.STATE)
    refused(kept, told)
    for file in kept.iterdir():
        file.unlink()
    goes_on(kept)


def test_a_clock_that_goes_back_leaves_a_state_that_is_taken_up(tmp_path, monkeypatch):
    """By its own run; no time has passed."""
    ticks = itertools.count(1e6, -100.0)
    clock = SimpleNamespace(monotonic=lambda: next(ticks), time=time.time)
    monkeypatch.setattr(checkpoint, "time", clock)
    with pytest.raises(Stop):
        betweenness(A, checkpoint=tmp_path, progress=stopping(2), **OPTIONS)
    assert header(tmp_path)["seconds"] == 0
    goes_on(tmp_path)


HOLD = """
import os, pathlib
from sparsebc.sweep import checkpoint
with checkpoint.locked(pathlib.Path({directory!r})):
    os._exit(3)
"""


def test_a_directory_in_use_is_refused(tmp_path):
    """By this process, and by another; the lock of a dead one is free."""
    hold = HOLD.format(directory=str(tmp_path))
    with checkpoint.locked(tmp_path):
        refused(tmp_path, f"in use by process {os.getpid()} on ")
        (tmp_path / checkpoint.LOCK).read_bytes()  # by a backup, which lets nobody in
        shutil.copytree(tmp_path, tmp_path.with_name("copy"))
        assert f"in use by process {os.getpid()} on " in python("-c", hold, status=1)[1]
    python("-c", hold, status=3)
    assert (tmp_path / checkpoint.HOLDER).exists()
    betweenness(A, device="cpu", checkpoint=tmp_path)


@pytest.mark.parametrize("text", [b"\x1b[31m", b""])
def test_a_holder_that_cannot_be_read_is_another_process(tmp_path, text):
    with checkpoint.locked(tmp_path):
        (tmp_path / checkpoint.HOLDER).write_bytes(text)
        refused(tmp_path, "in use by another process")


@posix
@pytest.mark.parametrize("name", ["lock", "state.npz", "state.npz.part", "holder"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_a_planted_link_or_pipe_is_refused_or_replaced(tmp_path, name, kind):
    """Nothing is written through a link, and nobody waits for the other end of a pipe."""
    victim, kept = tmp_path / "victim", tmp_path / "kept"
    victim.write_text("mine")
    kept.mkdir()
    make = os.mkfifo if kind == "pipe" else lambda path: os.symlink(victim, path)
    make(kept / name)
    want = exact()
    if name in ("lock", "state.npz"):
        told = "symbolic link" if kind == "link" else "named pipe"
        refused(kept, rf"{name} is a {told}, where a file is expected: rem")
        (kept / name).unlink()
    np.testing.assert_array_equal(betweenness(A, device="cpu", checkpoint=kept), want)
    assert victim.read_text() == "mine"


@posix
def test_a_directory_that_is_made_is_private(tmp_path):
    """It is for this user alone, whatever the umask is."""
    before = os.umask(0)
    try:
        betweenness(A, device="cpu", checkpoint=tmp_path / "a" / "kept")
    finally:
        os.umask(before)
    assert (tmp_path / "a" / "kept").stat().st_mode & 0o777 == 0o700
    assert (tmp_path / "a" / "kept" / "state.npz").stat().st_mode & 0o077 == 0


@root
@pytest.mark.parametrize("name", ["state.npz", "lock"])
def test_a_file_of_another_user_is_refused(kept, name):
    """It is not read: the sums in it could be anything."""
    os.chown(kept / name, 65534, 65534)
    refused(kept, rf"{name} belongs to another user \(uid 65534\)")


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_disk_full_at_the_beginning_ends_the_run(tmp_path, monkeypatch):
    """Nothing is computed that could not be kept."""
    monkeypatch.setattr("operator.call", lambda *_, **__: 1 / 0)
    monkeypatch.setattr("sparsebc.sweep.checkpoint.np.savez", full)
    with pytest.raises(OSError, match=r"cannot save.*; nothing is") as caught:
        betweenness(A, device="cpu", checkpoint=tmp_path)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["lock"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_disk_full_later_leaves_the_state_saved_before(tmp_path, kind, monkeypatch, caplog):
    """The run goes on and says so; what was saved before is whole, and no draft is left."""
    measure, graph, after = KINDS[kind]
    call, place = functools.partial(measure, graph, device="cpu"), tmp_path / "kept"
    with contextlib.suppress(Stop):
        call(checkpoint=place, progress=stopping(after))
    before = (place / checkpoint.STATE).read_bytes()
    told = "cannot save (No space left on device); the state saved before"
    with monkeypatch.context() as disk:
        disk.setattr("sparsebc.sweep.checkpoint.np.savez", full)
        with pytest.raises(Stop):
            call(checkpoint=place, checkpoint_every=0, progress=stopping(1))
        assert_same(call(checkpoint=place), call())
    assert f"{place}: {told}" in caplog.text
    assert (place / checkpoint.STATE).read_bytes() == before
    assert sorted(os.listdir(place)) == ["lock", "state.npz"]


def test_a_run_whose_directory_vanishes_returns_its_scores(tmp_path, caplog):
    """What is computed is returned all the same."""

    def vanish(done, total):
        shutil.rmtree(tmp_path / "kept", ignore_errors=True)

    got = betweenness(A, checkpoint=tmp_path / "kept", progress=vanish, **OPTIONS)
    np.testing.assert_array_equal(got, exact())
    assert "cannot save (No such file or directory); nothing is saved there" in caplog.text
