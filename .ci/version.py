"""Print the version of pyproject.toml, if all that repeats it agrees, and the tag that is given.

That is the citation, the changelog, the recipe for conda, and the table of who shares bits.
"""

import re
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
REPEATED = {
    "CITATION.cff": r"^version: (\S+)$",
    "docs/changelog.md": r"^(\d\S*) - \d{4}-\d\d-\d\d$",
    "docs/stability.rst": r"^(\d\S*) +\d+ ",
    ".conda/recipe.yaml": r'^  version: "(\S+)"$',
}


def differences(tag=None, root=ROOT):
    """The version, and what differs from it, a line each; files that are not there say nothing."""
    version = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    said = {"the tag": tag.removeprefix("v")} if tag else {}
    for name, pattern in REPEATED.items():
        if (path := root / name).exists():
            found = re.findall(pattern, path.read_text("utf-8"), re.MULTILINE)
            said[name] = found[-1 if name.endswith(".rst") else 0] if found else "nothing"
    wrong = [f"{name} says {other}" for name, other in said.items() if other != version]
    return version, wrong


if __name__ == "__main__":
    version, wrong = differences(*sys.argv[1:])
    print(version)
    sys.exit("\n".join(f"{line}, pyproject.toml {version}" for line in wrong) or None)
