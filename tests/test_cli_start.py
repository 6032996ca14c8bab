"""What a command imports: nothing that computes, until it computes."""

from children import python

HEAVY = ("numpy", "scipy", "numba", "llvmlite", "tqdm", "cupy", "matplotlib", "sparsebc.engines")
CODE = """
import sys
from sparsebc.cli.main import main
ended = []
for line in sys.argv[1:]:
    try:
        ended.append(main(line.split()))
    except SystemExit as stop:
        ended.append(stop.code)
print("END", *ended, *sorted(sys.modules), file=sys.stderr)
"""


def imported(*lines):
    """Exit statuses of commands in a process of their own, and the modules imported after all."""
    words = python("-c", CODE, *lines)[1].rpartition("END")[2].split()
    return [*map(int, words[: len(lines)])], words[len(lines) :]


def test_help_imports_nothing_that_computes():
    """So that it is there at once, as what is wrong with a line is."""
    helps = [f"{command} --help" for command in ("", "betweenness", "null-model", "paths")]
    ended, names = imported(*helps, "--version", "betweenness karate --nosuch")
    assert ended == [0, 0, 0, 0, 0, 2]
    assert "sparsebc.cli.commands" in names
    assert not [name for name in names if name.startswith(HEAVY)]


def test_reading_compiles_nothing():
    """A file that is not there is told before Numba is imported."""
    ended, names = imported("betweenness nowhere.csv")
    assert ended == [1]
    assert "numpy" in names
    assert not [name for name in names if name.startswith(("numba", "scipy.optimize", "tqdm"))]
