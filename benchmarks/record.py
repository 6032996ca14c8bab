"""The JSON file of a run: its date, command and machine, and a row for each case."""

import datetime
import json
import platform
import shlex
import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

from . import peers

FOLDER = Path(__file__).resolve().parent / "results"


class Record(dict):
    """Contents of the file, which is written after each row: a run that ends early keeps its rows.

    `arguments` are those of the module's ``main``, None for those of the process. `path` is the
    file, by default one of `name` and date among the results; `about` are facts on the whole run.
    """

    def __init__(self, name, arguments, path=None, *, module=None, **about):
        now = datetime.datetime.now(datetime.UTC)
        self.path = Path(path or FOLDER / f"{name}-{now:%Y-%m-%d}.json")
        super().__init__(
            date=now.isoformat(timespec="seconds"),
            command=command(
                module or f"benchmarks.{name}", sys.argv[1:] if arguments is None else arguments
            ),
            commit=commit(),
            sparsebc=tomllib.loads((peers.ROOT / "pyproject.toml").read_text())["project"][
                "version"
            ],
            machine=machine(),
            **about,
        )

    def resume(self):
        """Take over the rows of the file, if there is one."""
        if self.path.exists():
            earlier = json.loads(self.path.read_text())
            self.update({key: earlier[key] for key in earlier.keys() - self.keys()})

    def add(self, row, kind="cases"):
        """Append a row and write the file."""
        self.setdefault(kind, []).append(row)
        self.write()

    def write(self):
        """Write the file."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self.path.write_text(json.dumps(self, indent=1) + "\n")


def command(module, words):
    """Return the command line for the JSON file, without local folders."""
    shown = ("=".join(Path(part).name for part in word.split("=")) for word in words)
    return f"python -m {module} {shlex.join(shown)}".rstrip()


def commit():
    """Return the commit of this checkout; "unknown" if it is not one of git."""
    words = ["git", "-C", str(peers.ROOT), "log", "-1", "--format=%H"]
    try:
        return subprocess.run(words, capture_output=True, text=True).stdout.strip() or "unknown"
    except FileNotFoundError:
        return "unknown"


def machine():
    """Describe CPU model, usable cores, operating system, and versions of Python and libraries."""
    cpuinfo = Path("/proc/cpuinfo")
    lines = cpuinfo.read_text().splitlines() if cpuinfo.is_file() else []
    models = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return {
        "cpu": models[0] if models else platform.processor(),
        "cores": peers.cores(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        **{package: version(package) for package in ("numpy", "scipy", "numba")},
    }
