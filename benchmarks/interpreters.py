"""The Python that runs a peer: this one, or one named by ``--python`` or by the environment.

Some libraries come with a Python of their own, graph-tool with that of a Linux distribution,
cuGraph with conda's. No path is looked at unless it was named, and what is there is believed once
the import has succeeded: a library that is absent or broken is skipped, with the reason.
"""

import functools
import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PATIENCE = 120.0  # seconds that an import may take
MODULES = {
    "networkx": "networkx",
    "igraph": "igraph",
    "networkit": "networkit",
    "networkit-estimate": "networkit",
    "graph-tool": "graph_tool",
    "cugraph": "pylibcugraph",
}


def variable(name):
    """Environment variable that names the Python of a peer."""
    return f"SPARSEBC_{name.upper().replace('-', '_')}_PYTHON"


def find(name, named=None):
    """Return the Python of a peer: the one named, else the environment's, else this one."""
    given = named or (os.environ.get(variable(name)) if name in MODULES else None)
    if not given:
        return sys.executable
    given = os.path.expanduser(given)
    found = shutil.which(given)
    return os.path.abspath(found) if found else given  # a child starts in another folder


@functools.cache
def why_not(name, python):
    """Say why this Python cannot run the peer, in one line; empty if its imports succeed there."""
    if name not in MODULES:
        return ""
    command = [python, "-c", f"import benchmarks.peers, {MODULES[name]}"]
    who = Path(python).name
    try:
        tried = subprocess.run(
            command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, timeout=PATIENCE
        )
    except subprocess.TimeoutExpired:
        return f"{who} took more than {PATIENCE:g} s to import it"
    except OSError as error:
        return f"{who}: {error.strerror}"
    if not tried.returncode:
        return ""
    lines = tried.stderr.decode(errors="replace").strip().splitlines()
    return ": ".join([f"{who} ended with code {tried.returncode}", *lines[-1:]])
