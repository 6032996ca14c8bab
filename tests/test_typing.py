"""What a type checker says of right calls, and of wrong ones."""

import re
from pathlib import Path
from typing import get_args

import numpy as np
import pytest
import scipy.sparse
from children import python

import sparsebc
from sparsebc.measures import centralities, distances

ROOT = Path(__file__).parent.parent

CALLS = (Path(__file__).parent / "data" / "calls.txt").read_text()


def test_types_can_be_asked_at_run_time():
    """They are what annotations may name, and what isinstance may ask."""
    assert set(get_args(sparsebc.Measure)) == {*centralities.BY_PATHS, *distances.MEASURES}
    assert isinstance(scipy.sparse.dok_matrix((2, 2)), sparsebc.SparseMatrix)
    assert not isinstance(np.eye(2), sparsebc.SparseMatrix)
    assert sparsebc.SparseMatrix in get_args(sparsebc.Adjacency)


@pytest.mark.long
def test_a_type_checker_refuses_wrong_calls_alone(tmp_path):
    """Errors on the lines that say so, and on no others."""
    calls = tmp_path / "calls.py"
    calls.write_text(CALLS)
    command = ["-m", "mypy", "--strict", "--no-pretty", "--cache-dir", tmp_path]
    # The package itself is checked by mypy's own run, with the versions that are installed for it.
    config = ["--config-file", ROOT / "pyproject.toml", "--follow-imports", "silent"]
    out, err = python(*command, *config, calls, status=1, cwd=ROOT)
    told = {}
    for path, line, text in re.findall(r"^(.+?):(\d+): error: (.*)$", out, re.MULTILINE):
        assert Path(path).name == calls.name, f"{path}:{line}: {text}"
        told[int(line)] = text
    expected = {
        number: line.partition("  # ")[2].split(": ")
        for number, line in enumerate(CALLS.splitlines(), 1)
        if "  # " in line
    }
    assert told.keys() == expected.keys(), out + err
    for number, (code, words) in expected.items():
        assert f"[{code}]" in told[number]
        assert words in told[number]
