"""What the command line refuses: the exit status, one line that says why, and nothing written."""

import json
import re
import shlex
import sys
from pathlib import Path

import pytest

# Files of the folder that commands run in; wrong usage and what does not serve, by message.
FILES, USAGE, INPUT = json.loads(
    (Path(__file__).parent / "data" / "refusals.json").read_text("utf-8")
).values()
for words in ("--top", "--memory"):
    USAGE[f"betweenness karate {words} {'9' * 5000}"] = f"{words}: expected a"


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """A folder with all files, of which no line changes any."""
    place = tmp_path_factory.mktemp("files")
    for name, content in FILES.items():
        (place / name).parent.mkdir(exist_ok=True)
        (place / name).write_text(content, encoding="latin-1")
    return place


@pytest.fixture
def refused(place, monkeypatch, run):
    """Run a line that is refused; exit status and the one line on standard error."""
    monkeypatch.chdir(place)

    def files():
        return {path: path.is_file() and path.read_bytes() for path in place.rglob("*")}

    def call(line):
        before = files()
        status, out, err = run(*shlex.split(line))
        err = re.sub(r"^note: compiling .*\n", "", err)  # where no kernel is on disk
        assert (out, err.count("\n"), files()) == ("", 1, before)
        assert len(err) < 800
        return status, err

    return call


@pytest.mark.parametrize("line", USAGE, ids=lambda line: ascii(line)[:70])
def test_wrong_usage_is_refused_with_status_2(refused, line):
    """Status 2, and where to read on."""
    status, err = refused(line)
    assert status == 2
    assert err.startswith("sparsebc")
    assert err.endswith("--help'\n")
    assert USAGE[line] in err


@pytest.mark.parametrize("line", INPUT)
def test_input_that_does_not_serve_is_refused_with_status_1(refused, line):
    """Status 1; the option or the file, the value, and the way out."""
    if "/dev/" in line and sys.platform != "linux":
        pytest.skip("no such devices")
    status, err = refused(line)
    assert status == 1
    assert err.startswith("sparsebc: error: ")
    assert INPUT[line] in err


def test_a_file_that_the_system_cannot_find_is_refused_with_its_reason(run, tmp_path):
    """The reason is the system's: that there is no such file would be wrong."""
    (tmp_path / "loop").symlink_to("loop")
    status, _, err = run("betweenness", str(tmp_path / "loop"))
    assert (status, "symbolic links" in err, "no such file" in err) == (1, True, False)
