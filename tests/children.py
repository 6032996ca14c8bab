"""Python in other processes."""

import os
import subprocess
import sys


def python(*words, status=0, cwd=None, **environment):
    """What a process prints as output and as errors; it must end with that status."""
    command, env = [sys.executable, *map(str, words)], os.environ | environment
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, encoding="utf-8")
    assert done.returncode == status, (done.returncode, done.stdout[-2000:], done.stderr[-2000:])
    return done.stdout, done.stderr
