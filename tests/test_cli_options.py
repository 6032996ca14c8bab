"""Every option that a command lists changes its answer, or is refused where it would not."""

import re
from pathlib import Path

import pytest

from sparsebc.cli.commands import COMMANDS

FILES = {
    # Two components and a node on its own, other scores by length and in either direction.
    "edges.csv": "source,target,weight,share\n"
    "a,b,.5,.9\nb,c,.7,.5\nc,d,.8,.5\nd,a,.4,.5\nb,d,.7,.1\nc,f,.2,.2\nf,g,.5,.7\n"
    "g,c,.9,.5\nx,y,.5,.5\ny,z,.4,.4\nw,w,.1,.3\nv,u,.01,.5\n",
    "nodes.csv": "node,size\na,1\nb,2\nc,.5\nf,4\nx,1\n",
    "trips.csv": "from,to,trips\na,c,2\nf,a,1\nx,z,3\n",
    "called.csv": "a,alpha\n",
    "places.csv": "".join(f"{name},{k},{k * k}\n" for k, name in enumerate("abcdfgxyzwvu")),
    "contacts.csv": "source,target,time\na,b,1\nb,c,2\nc,d,2\nd,a,4\na,c,5\nc,b,6\nb,d,9\nd,e,10\n",
}
# Options that a command cannot do without.
NEEDED = {
    "access": "--cutoff 1",
    "eccentricity": "--reachable-only",
    "percolation": "--source-weights places.csv",
    "group": "--nodes d,f",
    "paths": "--sources a",
    "null-model": "--samples 9 --seed 1",
    "dismantle": "-m edge-betweenness --steps 3",
    "temporal": "-m betweenness",
}
# A value of each option that takes one; options beside it, with which it is compared.
VALUES = {
    "--strength": "log",
    "--columns": "source=target,target=source,weight=share",
    "--names": "called.csv",
    "--threshold": ".3",
    "--keep": "largest",
    "--scale": "3",
    "--ignore-missing": "",
    "--also": "closeness,stress",
    "--cutoff": "1",
    "--sources": "b,c",
    "--targets": "b,c",
    "--source-weights": "nodes.csv:size",
    "--target-weights": "nodes.csv",
    "--demand": "trips.csv",
    "--decay": "exponential:.5",
    "--samples": "3",
    "--error": ".1",
    "--confidence": ".5",
    "--seconds": "1",
    "--best": "2",
    "--seed": "5",
    "--nodes": "c,d",
    "--steps": "2",
    "--parts": "7",
    "--places": "nodes.csv",
    "--start": "4",
    "--wait": "1",
    "--model": "edge-probability",
}
MEASURES = {"access": "nearest --places nodes.csv", "dismantle": "initial-betweenness"}
MEASURES |= {"null-model": "closeness", "temporal": "reach", "explain": "closeness"}
BESIDE = {
    "--seed": "--samples 3",
    "--confidence": "--error .1 --seed 1",
    "--scale": "--weighted",
    "--ignore-missing": "--sources nobody,d",
}
OTHERS = {  # the plan has no scores
    ("explain", "--columns"): "source=source,target=weight",
    ("explain", "--scale"): "1e-309",
}
# How text is read: with one reader for all files (test_cli_network.py).
OF_TEXT = {"--header", "--separator", "--comment", "--encoding", "--decimal"}


@pytest.mark.parametrize("name", sorted(COMMANDS.keys() - {"harmonic", "stress"}))
def test_options_have_an_effect(run, folder, name):
    for file, text in FILES.items():
        Path(file).write_text(text)
    command = COMMANDS[name]
    network = "contacts.csv" if command.reads == "contacts" else "edges.csv"
    line = [name, network, "--device", "cpu", *NEEDED.get(name, "").split()]
    answers = {}

    def answer(*more):
        """Status, and what a file or the plan says, but for time, the command and its options."""
        if more not in answers:
            suffix = "graphml" if command.pages else "csv"
            out = ["--json"] if name == "explain" else ["-q", "-o", f"out.{suffix}"]
            status, text, _ = run(*line, *more, *out)
            if name == "explain":
                text = re.sub(r'"(seconds|notes)":[^,]*', "", text)
            elif not status:
                text = re.sub(r'<data key="graph\d+">.*\n', "", Path(out[-1]).read_text())
            answers[more] = status, text
        return answers[more]

    without, listed = [], {*command.groups["Input"], *command.groups["Question"]}
    for option in sorted(listed):
        if option in OF_TEXT or option in line:
            continue
        beside = BESIDE.get(option, "").split()
        if not {one for one in beside if one.startswith("--")} <= listed:
            beside = []
        value = MEASURES.get(name) if option == "--measure" else VALUES.get(option, "")
        value = OTHERS.get((name, option), value)
        changed = answer(*beside, option, *value.split())
        if changed[0] == 0 and changed[1] == answer(*beside)[1]:
            without.append(option)
    assert not without
