"""What is written to a run directory is what is read, by whoever maps it."""

import errno
import functools
import os
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext

import numpy as np
import pytest
import scipy.sparse as sp

from sparsebc import betweenness
from sparsebc.errors import OptionError
from sparsebc.sweep import executor, pool


def test_objects_in_files(tmp_path):
    """Arrays are mapped in their types, as ones that Numba takes for writable; empty ones too."""
    given = {
        "arrays": [
            np.arange(5.0),
            np.arange(3, dtype=np.int32),
            np.zeros((0, 2)),
            np.ones(2, bool),
        ],
        "matrix": sp.csr_array(np.eye(3)),
        "rest": (4, 2.5, "text", (1, 3)),
    }
    executor.write(tmp_path / "file", given)
    got = executor.read(str(tmp_path / "file"))
    assert got["rest"] == given["rest"]
    parts = ("data", "indices", "indptr")
    pairs = [(getattr(got["matrix"], name), getattr(given["matrix"], name)) for name in parts]
    for mine, theirs in [*pairs, *zip(got["arrays"], given["arrays"], strict=True)]:
        np.testing.assert_array_equal(mine, theirs)
        assert (mine.dtype, type(mine), mine.flags.writeable) == (theirs.dtype, np.ndarray, True)


def test_a_task_without_its_files_is_refused():
    with pytest.raises(OptionError, match=r"does not see /nowhere/sparsebc-x/y\.job"):
        pool.perform(pool.Parcel("/nowhere/sparsebc-x/y.job", "/nowhere/sparsebc-x/graph", ()))


KILLED = """
import os, signal, sys
import numpy as np, scipy.sparse as sp
from sparsebc.sweep.executor import RunDirectory
directory = RunDirectory(sp.csr_array(np.eye(3)))
print(os.path.dirname(directory.graph_file), flush=True)
if sys.argv[1:]:
    sys.stdin.read()
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.long
@pytest.mark.skipif(os.name == "nt", reason="no SIGKILL")
def test_directories_of_the_dead(tmp_path, monkeypatch):
    """The next run removes those of a process that was killed, and of no other."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    command = [sys.executable, "-c", KILLED]
    ways = {"env": {**os.environ, "TMPDIR": str(tmp_path)}, "text": True}
    dead = subprocess.run(command, stdout=subprocess.PIPE, check=False, **ways).stdout.strip()
    assert os.listdir(dead)
    (tmp_path / "sparsebc-mine").mkdir()  # no directory of a run
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with subprocess.Popen([*command, "wait"], **pipes, **ways) as living:
        alive = living.stdout.readline().strip()
        assert not os.path.exists(dead)
        directory = executor.RunDirectory(sp.csr_array(np.eye(3)))
        mine = os.path.dirname(directory.graph_file)
        assert os.path.exists(alive)
        living.stdin.close()
    other = executor.RunDirectory(sp.csr_array(np.eye(4)))
    assert os.path.exists(other.graph_file)
    assert not os.path.exists(alive)
    assert os.path.exists(mine)
    assert (tmp_path / "sparsebc-mine").exists()
    assert os.stat(mine).st_mode & 0o777 == 0o700
    directory.remove()
    other.remove()


A = sp.csr_array(sp.eye_array(600, k=1) + sp.eye_array(600, k=-1) + sp.eye_array(600, k=7))


def vanish(directory):
    for place in directory.glob("sparsebc-*"):
        shutil.rmtree(place)


def vanish_in_part(directory):
    for file in directory.glob("sparsebc-*/graph"):
        file.unlink()


@pytest.mark.parametrize("vanishes", [vanish, vanish_in_part])
@pytest.mark.parametrize("when", ["first", "last", "before"])
def test_a_directory_that_vanishes(tmp_path, monkeypatch, when, vanishes):
    """As cleaners of temporary files have it: the call ends, unless all tasks are done."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))

    def clean(done, total):
        if when == "first" or done == total:
            vanishes(tmp_path)

    def before(path):
        vanishes(tmp_path)
        return executor.read(path)

    if when == "before":
        monkeypatch.setattr(pool, "_read", functools.lru_cache(before))
    refused = pytest.raises(OptionError, match=r"does not see .*sparsebc-")
    with ThreadPoolExecutor(2) as threads, nullcontext() if when == "last" else refused:
        progress = clean if when != "before" else False
        got = betweenness(A, device="cpu", executor=threads, progress=progress)
        np.testing.assert_array_equal(got, betweenness(A, device="cpu"))


@pytest.mark.parametrize("what", ["directory", "graph", "job"])
def test_a_full_disk_is_told_and_nothing_stays(tmp_path, monkeypatch, what):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def full_for_some(path, content):
        path.write_bytes(b"a beginning")
        return full() if what in path.name else write(path, content)

    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    write = executor.write
    with ThreadPoolExecutor(2) as threads, monkeypatch.context() as disk:
        disk.setattr(executor, "write", full_for_some)
        if what == "directory":
            disk.setattr(executor.Path, "mkdir", full)
        with pytest.raises(OSError, match="No space left on device") as caught:
            betweenness(A, device="cpu", executor=threads)
    assert f"files in {tmp_path}: set TMPDIR" in caught.value.__notes__[0]
    assert not list(tmp_path.iterdir())


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="gives a file away")
def test_a_job_of_another_user(tmp_path):
    """It is a pickle, and is not read."""
    job = tmp_path / "a.job"
    job.write_bytes(b"cos\nabort\n(tR.")
    os.chown(job, 65534, 65534)
    task = pool.Parcel(str(job), str(tmp_path / "graph"), (1,))
    with pytest.raises(OptionError, match=r"not as a file of its own user"):
        pool.perform(task)
