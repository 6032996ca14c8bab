"""A command that pauses in mid-run, for a test to inspect and to kill it.

``python held.py ARGUMENT ...`` runs ``sparsebc ARGUMENT ...``, saving after each block. Once its
checkpoint has sources (in an estimate, those of a round), it writes "held" to standard error where
it could save next, and waits for at most a minute.
"""

import os
import subprocess
import sys
import time
from contextlib import contextmanager

from kept import header

from sparsebc.cli.main import main
from sparsebc.sweep.checkpoint import Checkpoint

save_if_due = Checkpoint.save_if_due


def held(kept):
    """Save if due; pause if the checkpoint has sources to resume from."""
    if kept.directory is None:
        return
    found = header(kept.directory)
    known = found.get("round")  # the pending round of an estimate
    if known["intervals"]["drawn"] if known else found["sources"]:
        print("held", file=sys.stderr, flush=True)
        time.sleep(60)
        os._exit(1)
    kept._every = 0  # save after each block
    save_if_due(kept)


@contextmanager
def stands_still(*arguments):
    """The process of ``sparsebc ARGUMENT ...`` once it pauses."""
    command = [sys.executable, __file__, *map(str, arguments)]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(command, **pipes) as process:
        try:
            said = [process.stderr.readline()]
            while said[-1].startswith("compiling "):
                said.append(process.stderr.readline())
            assert said[-1] == "held\n", "".join(said) + process.stderr.read()
            yield process
        finally:
            process.kill()


if __name__ == "__main__":
    Checkpoint.save_if_due = held
    sys.exit(main(sys.argv[1:]))
