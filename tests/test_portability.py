"""Windows and macOS as far as Linux can tell: their types, and a Linux that lacks POSIX."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
POSIX_LESS = HERE / "without_posix"


def run(folder, *arguments, status=0, **environment):
    """Output and errors of Python without POSIX, started in a folder."""
    path = os.pathsep.join(map(str, (POSIX_LESS, HERE.parent)))
    settings = {"PYTHONPATH": path, "PYTHONWARNDEFAULTENCODING": "1", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, *map(str, arguments)],
        cwd=folder,
        env=os.environ | settings | environment,
        capture_output=True,
        timeout=300,
    )
    assert done.returncode == status, done.stderr.decode(errors="replace")
    return done.stdout, done.stderr


@pytest.mark.skipif(os.name != "posix", reason="not a POSIX system")
def test_other_tests_have_posix():
    """This process collected every module, and is as Python made it."""
    assert os.open.__module__ == os.unlink.__module__ == "posix"


def command(folder, line, **options):
    """Output and errors of the command."""
    return run(folder, "-m", "sparsebc", *line.split(), **options)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="the stand-in looks into /proc")
class TestWithoutPosix:
    """Jobs on a Linux without what Windows lacks."""

    def test_library(self, tmp_path):
        jobs = "library", "files", "checkpoint", "executor"
        assert run(tmp_path, POSIX_LESS / "jobs.py", *jobs)[0].split()[-1] == b"done"

    def test_command(self, tmp_path):
        """Tables, and files written over, pages, checkpoints and processes with the same scores."""
        printed, _ = command(tmp_path, "betweenness karate -o -")
        told, _ = run(tmp_path, POSIX_LESS / "jobs.py", "commands")
        assert told.splitlines()[3].split()[:2] == [b"1", b"1"]
        assert b"sparsebc" in told
        for name in ("scores.csv", "other.csv", "third.csv"):
            assert (tmp_path / name).read_bytes() == printed

    def test_consoles_of_one_byte(self, tmp_path):
        """Names that a console of Windows does not have are spelt out, files are in UTF-8."""
        name = "λ-phage Ω→漢"
        lines = f"from,to\n{name},b\nb,c\n"
        (tmp_path / "edges.csv").write_text(lines, encoding="utf-8")
        printed, _ = command(
            tmp_path, "betweenness edges.csv -o scores.csv", PYTHONIOENCODING="cp1252"
        )
        assert rb"\u03bb-phage" in printed
        assert name in (tmp_path / "scores.csv").read_text("utf-8")
        command(tmp_path, "betweenness nothing-λ.csv", status=1, PYTHONIOENCODING="cp1252")

    def test_long_paths(self, tmp_path):
        """Of more than the 260 characters that Windows long had."""
        folder = tmp_path.joinpath(*("a" * 60 for _ in range(5)))
        folder.mkdir(parents=True)
        assert len(str(folder)) > 300
        command(folder, "betweenness karate --checkpoint run -o scores.csv --quiet")
        assert (folder / "scores.csv").exists()


@pytest.mark.slow
@pytest.mark.parametrize("platform", ["win32", "darwin"])
def test_types_of_other_systems(platform, tmp_path):
    """No name of Python's library is used that the platform has not, unless it is looked for."""
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--platform", platform, "--cache-dir", tmp_path],
        cwd=HERE.parent,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout
