"""Files of checkpoints: one process at a time, whole or not at all, believed as far as they fit."""

import copy
import errno
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp
from test_checkpoint import DIAMONDS, A, Stop, stopping

from sparsebc import betweenness, compute_part, stress
from sparsebc.run import lock, state_file

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


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="no SIGKILL")
@pytest.mark.parametrize(
    ("step", "count", "before"),
    [("fsync", 3, True), ("fsync", 9, False), ("replace", 4, True), ("replace", 3, False)],
)
def test_killed_inside_the_save(tmp_path, step, count, before):
    """Before and after each step of it."""
    graph, directory = tmp_path / "A.npz", tmp_path / "kept"
    sp.save_npz(graph, A)
    script = DIES.format(
        step=step, count=count, before=before, graph=str(graph), directory=str(directory)
    )
    done = subprocess.run([sys.executable, "-c", script], stderr=subprocess.PIPE, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    got = betweenness(A, device="cpu", checkpoint=directory)
    np.testing.assert_array_equal(got, betweenness(A, device="cpu"))
    assert sorted(os.listdir(directory)) == ["lock", "state.npz"]


def a_bit(content):
    content[len(content) // 2] ^= 1
    return content


@pytest.mark.parametrize(
    "damage",
    [a_bit, lambda content: content[:-1], lambda content: b"", lambda content: b"PK\3\4" * 99],
    ids=["a bit", "truncated", "empty", "other bytes"],
)
def test_damage(kept, damage):
    """It is refused by name, and the way out is told."""
    place = kept / state_file.NAME
    place.write_bytes(damage(bytearray(place.read_bytes())))
    with pytest.raises(ValueError, match=r"is damaged, or was changed \(.*\): remove .*state\.npz"):
        betweenness(A, device="cpu", checkpoint=kept)
    place.unlink()
    got = betweenness(A, device="cpu", checkpoint=kept)
    np.testing.assert_array_equal(got, betweenness(A, device="cpu"))


def test_an_older_format(tmp_path, kept):
    """It is told from damage, whether it is the file that names it or its name."""
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "slot-1").write_bytes(b"sparsebc checkpoint 1\n")
    with pytest.raises(ValueError, match=r"of another version of sparsebc \(format 1, this"):
        betweenness(A, device="cpu", checkpoint=tmp_path / "old")
    text = np.frombuffer(b'{"format": 99}', dtype=np.uint8)
    np.savez(kept / state_file.NAME, header=text)
    with pytest.raises(ValueError, match=r"of another version of sparsebc \(format 99, "):
        betweenness(A, device="cpu", checkpoint=kept)


def set_to(name, value):
    return lambda header, arrays: header.update({name: value})


FORGED = {
    "50 ranges": set_to("out_of_range", [[] for _ in range(50)]),
    "two ranges": set_to("out_of_range", [[], []]),
    "no range": set_to("out_of_range", []),
    "ranges of text": set_to("out_of_range", [["a"]]),
    "blocks beyond the end": lambda header, arrays: header.update(
        next=1 << 20, spans=[[0, 20]], sums=[None, header["sums"][1]]
    ),
    "blocks that are not swept": set_to("out_of_range", [[10**6]]),
    "a block twice": set_to("out_of_range", [[0, 0]]),
    "other blocks": lambda header, arrays: header["spans"][0].__setitem__(0, 1),
    "no node of the tree": lambda header, arrays: header["spans"][0].__setitem__(1, 40),
    "a negative block": set_to("next", -1),
    "next as text": set_to("next", "3"),
    "sources": set_to("sources", 3),
    "sources as a number with a point": set_to("sources", 64.0),
    "no sums": set_to("sums", None),
    "another sum": lambda header, arrays: header["sums"].__setitem__(1, ["ends"]),
    "a sum more": lambda header, arrays: arrays.append(arrays[0]),
    "a total": lambda header, arrays: (
        header["sums"].__setitem__(0, ["dependency"]), arrays.insert(0, arrays[0])
    ),
    "NaN": lambda header, arrays: arrays[0].__setitem__(3, np.nan),
    "infinity": lambda header, arrays: arrays[0].__setitem__(3, np.inf),
    "a type": lambda header, arrays: arrays.__setitem__(0, arrays[0].astype(np.float32)),
    "a shape": lambda header, arrays: arrays.__setitem__(0, arrays[0][:-1]),
    "a scalar": lambda header, arrays: arrays.__setitem__(0, np.float64(3)),
    "no fingerprint": lambda header, arrays: header.pop("fingerprint"),
    "a fingerprint of numbers": set_to("fingerprint", {"graph": 3}),
    "seconds": set_to("seconds", -1),
    "an end": set_to("finished", "yes"),
}  # fmt: skip


@pytest.mark.parametrize("forged", FORGED)
def test_what_does_not_fit_the_plan(kept, forged):
    """Digest and fingerprint are right, and yet no such run can have been: it is refused."""
    header, arrays = state_file.read(kept)
    changed = copy.deepcopy(header), [array.copy() for array in arrays]
    FORGED[forged](*changed)
    state_file.write(kept, *changed)
    with pytest.raises(ValueError, match=r"is damaged, or was changed \(.+\): remove .*state\.npz"):
        betweenness(A, device="cpu", checkpoint=kept)
    state_file.write(kept, header, arrays)
    got = betweenness(A, device="cpu", checkpoint=kept)
    np.testing.assert_array_equal(got, betweenness(A, device="cpu"))


def test_later_ranges_do_not_believe_either(tmp_path):
    """A finished run of two ranges, with blocks that are not there, or ranges."""
    options = {"dtype": np.float32, "reduce": "none", "device": "cpu", "checkpoint": tmp_path}
    want = betweenness(DIAMONDS, **options)
    header, arrays = state_file.read(tmp_path)
    assert len(header["out_of_range"]) == 3
    for ranges in ([[10**6], [], []], [["a"], [], []], [[], [], [], []], [[0], 3, []]):
        state_file.write(tmp_path, {**header, "out_of_range": ranges}, arrays)
        with pytest.raises(ValueError, match="is damaged, or was changed"):
            betweenness(DIAMONDS, **options)
    state_file.write(tmp_path, header, arrays)
    np.testing.assert_array_equal(betweenness(DIAMONDS, **options), want)


def test_files_of_parts_that_changed_places(tmp_path):
    """Each says which part it is: renamed by hand, they are refused or merged as what they are."""
    for number in (1, 2):
        compute_part(A, ["stress"], (number, 2), checkpoint=tmp_path, device="cpu")
    one, two = (tmp_path / f"part-{number}-of-2" for number in (1, 2))
    for before, after in ((one, tmp_path / "x"), (two, one), (tmp_path / "x", two)):
        before.rename(after)
    want = stress(A, device="cpu")
    with pytest.raises(ValueError, match="differs in part"):
        compute_part(A, ["stress"], (1, 2), checkpoint=tmp_path, device="cpu")
    np.testing.assert_array_equal(stress(A, device="cpu", checkpoint=tmp_path), want)


HOLD = """
import os, pathlib
from sparsebc.run import lock
with lock.held(pathlib.Path({directory!r})):
    os._exit(1)
"""


def test_a_directory_in_use(tmp_path):
    """By this process, and by another; the lock of a dead one is free."""
    command = [sys.executable, "-c", HOLD.format(directory=str(tmp_path))]
    with lock.held(tmp_path):
        with pytest.raises(ValueError, match=f"in use by process {os.getpid()} on "):
            betweenness(A, device="cpu", checkpoint=tmp_path)
        other = subprocess.run(command, stderr=subprocess.PIPE, check=False)
        assert f"in use by process {os.getpid()} on ".encode() in other.stderr
        assert lock.holder(tmp_path) == (socket.gethostname(), os.getpid())
    assert lock.holder(tmp_path) is None
    subprocess.run(command, check=False)
    assert (tmp_path / lock.HOLDER).exists()
    assert lock.holder(tmp_path) is None
    betweenness(A, device="cpu", checkpoint=tmp_path)


def test_who_looks_does_not_let_go(tmp_path):
    """Neither the holder's own look, nor a backup, nor a copy of the directory frees it."""
    command = [sys.executable, "-c", HOLD.format(directory=str(tmp_path / "kept"))]
    (tmp_path / "kept").mkdir()
    with lock.held(tmp_path / "kept"):
        assert lock.holder(tmp_path / "kept")
        (tmp_path / "kept" / lock.NAME).read_bytes()
        shutil.copytree(tmp_path / "kept", tmp_path / "copy")
        done = subprocess.run(command, stderr=subprocess.PIPE, check=False)
        assert b"in use by process" in done.stderr


def test_one_thread_in_a_directory(tmp_path, monkeypatch):
    """Of several that come at once; the others are refused."""
    monkeypatch.setattr(lock, "PATIENCE", 0)
    together, within, inside = threading.Barrier(8), [], []

    def enter():
        together.wait()
        try:
            with lock.held(tmp_path):
                within.append(1)
                inside.append(len(within))
                time.sleep(0.002)
                within.pop()
        except ValueError:
            pass

    for _ in range(25):
        threads = [threading.Thread(target=enter) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(inside) >= 25
    assert set(inside) == {1}
    assert lock.holder(tmp_path) is None


@posix
@pytest.mark.parametrize("name", ["lock", "state.npz", "state.npz.part", "holder.json"])
@pytest.mark.parametrize("kind", ["link", "pipe"])
def test_what_was_planted(tmp_path, name, kind):
    """Nothing is written through a link, and nobody waits for the other end of a pipe."""
    victim, kept = tmp_path / "victim", tmp_path / "kept"
    victim.write_text("mine")
    kept.mkdir()
    make = os.mkfifo if kind == "pipe" else lambda path: os.symlink(victim, path)
    make(kept / name)
    want = betweenness(A, device="cpu")
    if name in ("lock", "state.npz"):
        told = "symbolic link" if kind == "link" else "named pipe"
        with pytest.raises(ValueError, match=rf"{name} is a {told}, where a file is expected: rem"):
            betweenness(A, device="cpu", checkpoint=kept)
        (kept / name).unlink()
    np.testing.assert_array_equal(betweenness(A, device="cpu", checkpoint=kept), want)
    assert victim.read_text() == "mine"


@posix
def test_a_directory_that_is_made(tmp_path):
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
def test_what_belongs_to_another_user(kept, name):
    """It is not read: the sums in it could be anything."""
    os.chown(kept / name, 65534, 65534)
    with pytest.raises(ValueError, match=rf"{name} belongs to another user \(uid 65534\)"):
        betweenness(A, device="cpu", checkpoint=kept)


def full(*_, **__):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_at_the_beginning(tmp_path, monkeypatch):
    """Nothing is computed that could not be kept."""
    monkeypatch.setattr("sparsebc.run.sweep._sweep", lambda *_: 1 / 0)
    monkeypatch.setattr("sparsebc.run.state_file.np.savez", full)
    with pytest.raises(OSError, match="cannot save") as caught:
        betweenness(A, device="cpu", checkpoint=tmp_path)
    assert (caught.value.errno, caught.value.filename) == (errno.ENOSPC, str(tmp_path))
    assert sorted(os.listdir(tmp_path)) == ["lock"]


def test_a_full_disk_later(kept, monkeypatch, caplog):
    """The run goes on and says so; what was saved before is whole, and no draft is left."""
    before = (kept / state_file.NAME).read_bytes()
    with monkeypatch.context() as disk:
        disk.setattr("sparsebc.run.state_file.np.savez", full)
        got = betweenness(A, checkpoint=kept, **OPTIONS)
        with pytest.raises(Stop):
            betweenness(A, checkpoint=kept, progress=stopping(1), **OPTIONS)
    np.testing.assert_array_equal(got, betweenness(A, device="cpu"))
    assert f"{kept}: cannot save (No space left on device); what was saved before" in caplog.text
    assert (kept / state_file.NAME).read_bytes() == before
    assert sorted(os.listdir(kept)) == ["lock", "state.npz"]


def test_a_part_that_cannot_be_kept(tmp_path, monkeypatch):
    """Its sum is all that it is for."""
    with pytest.raises(Stop):
        compute_part(A, ["stress"], (1, 1), checkpoint=tmp_path, progress=stopping(1), **OPTIONS)
    monkeypatch.setattr("sparsebc.run.state_file.np.savez", full)
    with pytest.raises(OSError, match="cannot save"):
        compute_part(A, ["stress"], (1, 1), checkpoint=tmp_path, device="cpu")


def test_a_directory_that_vanishes(tmp_path, caplog):
    """What is computed is returned all the same."""

    def vanish(done, total):
        shutil.rmtree(tmp_path / "kept", ignore_errors=True)

    got = betweenness(A, checkpoint=tmp_path / "kept", progress=vanish, **OPTIONS)
    np.testing.assert_array_equal(got, betweenness(A, device="cpu"))
    assert "cannot save (No such file or directory)" in caplog.text


def test_no_pickle(kept):
    """What is in the file is not run."""
    marker = kept / "ran"

    class Runs:
        def __reduce__(self):
            return marker.touch, ()

    header = np.frombuffer(json.dumps({"format": state_file.FORMAT}).encode(), dtype=np.uint8)
    array = np.array([Runs()], dtype=object)
    np.savez(kept / "state.npz", **{"header": header, "digest": "", "array-0": array})
    with pytest.raises(ValueError, match="is damaged"):
        betweenness(A, device="cpu", checkpoint=kept)
    assert not marker.exists()
