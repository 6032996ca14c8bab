"""Every option that a command lists changes its answer, or is refused where it would not."""

import json
import re
from pathlib import Path

import pytest

from sparsebc.cli.commands import COMMANDS
from sparsebc.cli.options import GROUPS

# Files; by command or option: options that are needed, a value of each option, another measure,
# what stands beside an option on both sides of the comparison, and values of a command's own.
FILES, NEEDED, VALUES, MEASURES, BESIDE, OWN = json.loads(
    (Path(__file__).parent / "data" / "options.json").read_text()
).values()
# How text is read: with one reader for all files (test_cli_network.py).
OF_TEXT = {"--header", "--separator", "--comment", "--encoding", "--decimal"}


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"harmonic", "stress"}))
def test_every_option_changes_an_answer_or_is_refused(run, folder, name):
    for file, text in FILES.items():
        Path(file).write_text(text)
    command = COMMANDS[name]
    network = "contacts.csv" if command.reads == "contacts" else "edges.csv"
    line = [name, network, "--device", "cpu", *NEEDED.get(name, "").split()]
    answers = {}

    def answer(*more):
        """Status, and what a file or the plan says, but for time, the command and its options."""
        if more not in answers:
            suffix = "graphml" if command.formats else "csv"
            out = ["--json"] if name == "explain" else ["-q", "-o", f"out.{suffix}"]
            status, text, _ = run(*line, *more, *out)
            if name == "explain":
                text = re.sub(r'"(seconds|notes)":[^,]*', "", text)
            elif not status:
                text = re.sub(r'<data key="graph\d+">.*\n', "", Path(out[-1]).read_text())
            answers[more] = status, text
        return answers[more]

    without, listed = [], {*GROUPS["Input"], *GROUPS["Question"]} & {*command.options}
    for option in sorted(listed):
        if option in OF_TEXT or option in line:
            continue
        beside = BESIDE.get(option, "").split()
        if not {one for one in beside if one.startswith("--")} <= listed:
            beside = []
        value = MEASURES.get(name) if option == "--measure" else VALUES.get(option, "")
        value = OWN.get(f"{name} {option}", value)
        changed = answer(*beside, option, *value.split())
        if changed[0] == 0 and changed[1] == answer(*beside)[1]:
            without.append(option)
    assert not without
