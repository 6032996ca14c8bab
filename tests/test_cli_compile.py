"""Kernels compiled ahead, by the command for it."""

import os
import subprocess
import sys

import pytest


@pytest.mark.slow
def test_nothing_is_left_to_compile(tmp_path):
    """A process that scores a network afterwards announces nothing."""

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "sparsebc", *arguments],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
        )

    compiled = run("--compile")
    assert (compiled.returncode, compiled.stderr.count("compiling the kernels")) == (0, 1)
    assert f": {tmp_path}" in compiled.stdout
    for network in ("karate", "human-proteins"):
        scored = run("betweenness", network, "--device", "cpu", "--quiet")
        assert (scored.returncode, scored.stderr) == (0, "")
