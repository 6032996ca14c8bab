"""Print the n-th shell block of README.md, with the folders that Windows has in an environment."""

import os
import re
import sys
from pathlib import Path

README = Path(__file__).resolve().parents[1] / "README.md"


def block(number, windows=os.name == "nt"):
    """Commands of a block, counted from 1."""
    text = README.read_text("utf-8")
    commands = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)[number - 1]
    if windows:
        commands = commands.replace(".venv/bin/", ".venv/Scripts/").replace("python3 ", "python ")
    return commands


if __name__ == "__main__":
    sys.stdout.write(block(int(sys.argv[1])))
