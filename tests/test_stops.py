"""Scripts that run by themselves: kernels stopped at each look, by signals, or by other threads."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


def child(script, *arguments, **environment):
    """Output of a script of the tests in a process of its own."""
    env = os.environ | {"PYTHONPATH": f"{HERE.parent}{os.pathsep}{HERE}"} | environment
    command = [sys.executable, HERE / script, *map(str, arguments)]
    done = subprocess.run(command, env=env, capture_output=True, text=True)
    assert done.returncode == 0, (done.returncode, done.stdout[-500:], done.stderr[-2000:])
    return done.stdout


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="no signals")
def test_control_c_at_any_moment():
    """KeyboardInterrupt or a result, and the next call has the same bits."""
    assert "of 1000 heard" in child("interrupts.py", 1000, MALLOC_PERTURB_="165")


@pytest.mark.long
def test_a_matrix_that_another_thread_overwrites():
    """Gives wrong scores or an error, never a crash."""
    child("overwritten.py", MALLOC_PERTURB_="165")
