"""What a command imports: nothing that computes, until it computes."""

import subprocess
import sys

import pytest

HEAVY = ("numpy", "scipy", "numba", "llvmlite", "tqdm", "cupy", "matplotlib", "sparsebc.engines")


def imported(argv):
    """Names of the modules that a command has imported when it ends, and its status."""
    code = (
        "import sys\n"
        "from sparsebc.cli.main import main\n"
        "try:\n"
        f"    status = main({argv!r})\n"
        "except SystemExit as stop:\n"
        "    status = stop.code\n"
        "print('END', status, *sorted(sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    status, *names = done.stderr.partition("END")[2].split()
    return int(status), names


@pytest.mark.parametrize(
    ("argv", "status"),
    [
        (["--help"], 0),
        (["--version"], 0),
        (["betweenness", "--help"], 0),
        (["approximate", "--help"], 0),
        (["paths", "--help"], 0),
        (["betweenness", "karate", "--nosuch"], 2),
    ],
)
def test_help_imports_nothing_that_computes(argv, status):
    """So that it is there at once."""
    got, names = imported(argv)
    assert got == status
    assert "sparsebc.cli.commands" in names
    assert not [name for name in names if name.startswith(HEAVY)]


def test_reading_compiles_nothing():
    """A file that is not there is told before Numba is imported."""
    status, names = imported(["betweenness", "nowhere.csv"])
    assert status == 1
    assert "numpy" in names
    assert not [name for name in names if name.startswith(("numba", "scipy.optimize", "tqdm"))]
