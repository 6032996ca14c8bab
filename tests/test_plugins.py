"""Plugins of pytest that others have installed beside ours do not stop the suite."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WARNS = """
import warnings
import pytest

class NoisyWarning(pytest.PytestWarning):
    pass

def pytest_sessionstart(session):
    warnings.warn(NoisyWarning("measures nothing beside xdist"))
"""


@pytest.mark.long
def test_a_plugin_may_warn(tmp_path):
    """As pytest-benchmark does beside pytest-xdist; what our own code warns of remains an error."""
    (tmp_path / "pytest_noisy.py").write_text(WARNS)
    (tmp_path / "test_ours.py").write_text(
        "import warnings\ndef test_a(): pass\ndef test_b(): warnings.warn('ours')\n"
    )
    options = ("-c", ROOT / "pyproject.toml", "--rootdir", tmp_path, "-p", "pytest_noisy", "-n1")
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *options, tmp_path / "test_ours.py"],
        env={"PYTHONPATH": str(tmp_path)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert "INTERNALERROR" not in found.stdout + found.stderr
    assert "1 failed, 1 passed" in found.stdout, found.stdout + found.stderr
