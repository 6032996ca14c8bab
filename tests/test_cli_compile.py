"""Kernels compiled ahead: by the command for it, and by a second process of the first scores."""

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


# A command, and the kernels that this process has compiled.
FIRST = """
import sys
from numba.core import event
from sparsebc.cli.main import main
from sparsebc.sweep import cpus
compiled = []
class Heard(event.Listener):
    def on_start(self, happened):
        kernel = happened.data["dispatcher"]
        compiled.append(f"{kernel.__module__}.{kernel.__name__}")
    def on_end(self, happened):
        pass
event.register("numba:compile", Heard())
cpus.usable_cpus = lambda: int(sys.argv[1])
main(["betweenness", "karate", "--device", "cpu", "--json"])
print(*compiled, sep="\\n", file=sys.stderr)
"""


@pytest.mark.slow
def test_two_processes_compile_the_first_scores(tmp_path):
    """The same ones as one process does, which compiles the sweep as well."""
    ranked, compiled = [], []
    for count in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", FIRST, count],
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / count)},
            capture_output=True,
            text=True,
            check=True,
        )
        ranked.append(done.stdout.partition('"rows"')[2].partition('"provenance"')[0])
        notice, *names = done.stderr.splitlines()
        assert notice.startswith("compiling the kernels of this kind of call, once on this machine")
        compiled.append(set(names))
    sweep = "sparsebc.engines.cpu.brandes.brandes_batch.run"
    assert sweep in compiled[0]
    assert sweep not in compiled[1]
    assert "sparsebc.matrix.csr.is_canonical" in compiled[1]
    assert ranked[0] == ranked[1] != ""
