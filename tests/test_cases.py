"""Files of kinds that people have: each is read rightly, or refused with the way out.

``data/cases/outcomes.csv`` has what each gives: scores, or a message; words of the message or note.
"""

import csv
import json
import re
import shlex
from pathlib import Path

import pytest

FOLDER = Path(__file__).parent / "data" / "cases"
OUTCOMES = list(csv.DictReader((FOLDER / "outcomes.csv").read_text("utf-8").splitlines()))


def scores_of(run, name, options):
    """Status, scores of betweenness by node, and what a command tells."""
    line = ("betweenness", FOLDER / name, "--raw", "--json", "--device", "reference")
    status, out, err = run(*line, *options)
    if status:
        return status, {}, err
    record = json.loads(out)
    return status, {row["node"]: row["betweenness"] for row in record["rows"]}, record["notes"]


@pytest.mark.parametrize("case", OUTCOMES, ids=lambda case: f"{case['file']} {case['options']}")
def test_a_case_is_read_rightly_or_refused_with_the_way_out(run, case):
    status, scores, told = scores_of(run, case["file"], shlex.split(case["options"]))
    pairs = (one.rpartition(":") for one in case["scores"].split())
    assert scores == {node: float(score) for node, _, score in pairs}
    assert status == (not case["scores"])
    assert any(case["words"] in one for one in ([told] if status else [*told, ""]))


READY = [case for case in OUTCOMES if not case["options"]]


@pytest.mark.parametrize("case", READY, ids=lambda case: case["file"])
def test_an_option_that_a_message_offers_works(run, case):
    """As it is told, in a shell."""
    status, _, told = scores_of(run, case["file"], ())
    offered = re.findall(r"--columns (?:'.*?'|[^' ,]+(?:,[^' ,]+)*)", told) if status else ()
    for option in offered:
        if not re.search(r"\.\.\.|time=", option):
            assert scores_of(run, case["file"], shlex.split(option))[0] == 0


def test_every_case_has_an_outcome():
    assert {case["file"] for case in OUTCOMES} == {
        path.name for path in FOLDER.iterdir() if path.name != "outcomes.csv"
    }
