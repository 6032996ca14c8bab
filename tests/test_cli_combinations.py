"""Options of the commands in combinations that nobody listed: a result, or what is wrong."""

import itertools
import json
import re

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pages import Page

import sparsebc.io

# With isolated nodes in --names, a loop, a second part, text that is escaped, and a name of digits.
NETWORK = "source,target,weight\na,b,0.5\nb,c,0.25\nb,7,0.5\n<i>,d&e,0.125\nc,c,1\n"
MEASURES = (
    *("betweenness", "edge-betweenness", "stress"),
    *("closeness", "harmonic", "eccentricity"),
)
NODES = ("a", "b", "c", "7", "<i>", "d&e")


@pytest.fixture
def network(tmp_path, monkeypatch):
    """A network in the folder that is worked in."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "network.csv").write_text(NETWORK)
    return tmp_path


def titles(path):
    """Scores that a file holds."""
    text = path.read_text()
    if path.suffix == ".html":
        page = Page(text)
        (table,) = [one for one in page.models["DataTable"] if "table-" in one["name"]]
        columns = [page.named[column["id"]] for column in table["columns"]]
        shown = [column["title"] for column in columns if column["field"].startswith("s")]
        return {title.replace(" ", "_") for title in shown}
    if path.suffix == ".json":
        return set(json.loads(text)[0])
    if path.suffix in (".csv", ".tsv", ".txt"):
        return set(re.split("[,\t]", text.splitlines()[0]))
    if path.suffix == ".graphml":  # it holds the command as well, and so the name of the measure
        return set(re.findall(r'attr\.name="([^"]+)"', text))
    return set(re.findall(r"[\w.]+", text))


@pytest.mark.parametrize(
    ("measure", "suffix"),
    [
        *((measure, "csv") for measure in MEASURES),
        *itertools.product(MEASURES[:2], ["tsv", "json", "graphml", "gexf", "cx2", "html"]),
    ],
)
def test_several_cutoffs_in_every_format(network, run, measure, suffix):
    """A score for each cutoff, of nodes and of edges in all files."""
    path = network / f"out.{suffix}"
    options = ("--cutoff", "1,2.5", "--device", "cpu", "-o", path)
    status, _, err = run(measure, "network.csv", *options)
    assert (status, err) == (0, "")
    name = measure.replace("-", "_")
    assert titles(path) >= {f"{name}_1", f"{name}_2.5"}


@st.composite
def commands(draw):
    """A measure with some of its options."""
    measure = draw(st.sampled_from(MEASURES))
    chosen = {
        "--directed": [],
        "--cutoff": draw(st.sampled_from([["1"], ["0.5"], ["0,1,2.5"], ["1000"]])),
        "--sources": draw(st.lists(st.sampled_from(NODES), min_size=1, unique=True)),
        "--top": ["0"],
        "--json": [],
        "--reduce": draw(st.sampled_from([["none"], ["trees,prune"], ["all"]])),
        "--dtype": ["float32"],
        draw(st.sampled_from(["--weighted", "--strength"])): [],
    }
    if "--strength" in chosen:
        chosen["--strength"] = [draw(st.sampled_from(["reciprocal", "log"]))]
    if measure in ("betweenness", "edge-betweenness"):
        chosen["--raw"] = []
    if measure in ("betweenness", "edge-betweenness", "stress"):
        chosen["--targets"] = draw(st.lists(st.sampled_from(NODES), min_size=1, unique=True))
        chosen["--source-weights"] = ["masses.csv:mass"]
    if measure == "betweenness":
        chosen["--endpoints"] = []
    if measure == "eccentricity":
        chosen["--reachable-only"] = []
    if measure != "edge-betweenness":
        chosen["--measures"] = ["stress,eccentricity,harmonic"]
        chosen["--positions"] = ["places.csv"]
    given = draw(st.lists(st.sampled_from(sorted(chosen)), unique=True, max_size=7))
    draws = draw(st.booleans()) and not {"--sources", "--targets", "--source-weights"} & {*given}
    argv = [measure, "network.csv", "--device", "cpu", *(["--k", "2", "--seed", "1"] * draws)]
    return argv + [text for option in given for text in (option, *chosen[option])]


@settings(
    max_examples=20,
    phases=[Phase.generate],  # a command is short as it is
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(commands(), st.sampled_from(["html", "csv", "graphml"]))
def test_options_of_measures(network, run, command, suffix):
    """Written with all that was asked for, or refused in one line; never an internal error."""
    (network / "masses.csv").write_text(
        "node,mass\n" + "".join(f"{v},{i / 2}\n" for i, v in enumerate(NODES))
    )
    (network / "places.csv").write_text(
        "node,x,y\n" + "".join(f"{v},{i},{i * i}\n" for i, v in enumerate(NODES))
    )
    path = network / f"out.{suffix}"
    path.unlink(missing_ok=True)
    status, _, err = run(*command, "-o", path)
    if "--positions" in command and suffix != "html":
        assert status == 2
        assert "--positions has an effect only with --output FILE.html" in err
        return
    of_pairs = {"--source-weights", "--targets"} & {*command}
    if of_pairs and "--measures" in command:
        assert status == 1
        assert any(
            f"{option} have no effect on 'eccentricity': leave them out" in err
            for option in of_pairs
        )
        return
    assert status == 0, err
    name = command[0].replace("-", "_")
    found = [title for title in titles(path) if title.startswith(name)]
    asked = command[command.index("--cutoff") + 1] if "--cutoff" in command else "1"
    assert len(found) == asked.count(",") + 1


@pytest.mark.parametrize(
    "command",
    [
        ["group", "network.csv", "--nodes", "a", "b"],
        ["group", "network.csv", "--prominent", "2"],
        ["percolation", "network.csv", "--states", "masses.csv:mass"],
        ["dismantle", "network.csv"],
        ["components", "network.csv"],
    ],
)
def test_commands_without_a_page_say_so(network, run, command):
    """Before anything is computed, and with the formats that there are."""
    (network / "masses.csv").write_text("node,mass\n" + "".join(f"{v},1\n" for v in NODES))
    status, _, err = run(*command, "-o", "x.html")
    assert status == 1
    assert ".html" in err
    assert ".csv" in err
    assert not (network / "x.html").exists()


def test_read_back(network, run):
    """A network with scores within several cutoffs is read as the network that it is."""
    assert run("stress", "network.csv", "--cutoff", "1,2", "-o", "out.graphml")[0] == 0
    matrix, names = sparsebc.io.read("out.graphml")
    assert set(names) == {*NODES}
    assert matrix.shape == (6, 6)
