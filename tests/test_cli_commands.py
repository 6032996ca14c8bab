"""Commands of other questions: the columns of their files are the functions', to the bit."""

import itertools
import json
from functools import partial
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from command import TEXT, columns
from numpy.testing import assert_array_equal
from pages import Page

import sparsebc
from sparsebc import datasets, io, null_model, temporal

KARATE, NAMES = datasets.load("karate")
MASSES = {name: k / 2 for k, name in enumerate(("a", "b", "c", "7", "<i>", "d&e"))}
PLACES = {"a": (3, 0), "b": (0, 2.5), "d": (1, 1)}
# Files; lines, and what they print on a terminal, words in the order that they come; lines, and
# notes of what could be meant otherwise.
FILES, SHOWN, NOTES = json.loads(
    (Path(__file__).parent / "data" / "commands.json").read_text("utf-8")
).values()


@pytest.fixture(autouse=True)
def files(folder):
    """Files of the folder that is worked in."""
    for name, text in FILES.items():
        Path(name).write_text(text)


def numbers(*names):
    """Numbers of nodes of karate."""
    return [NAMES.index(name) for name in names]


def groups(*groups, **options):
    """Columns of groups of members of karate."""
    scores = sparsebc.group_betweenness(
        KARATE, [numbers(*group) for group in groups], directed=False, device="cpu", **options
    )
    return {"group": [",".join(group) for group in groups], "score": scores}


def prominent(size):
    """Columns of a prominent group."""
    found = sparsebc.prominent_group(KARATE, size, directed=False)
    return {"node": [NAMES[v] for v in found.nodes], "score": found.scores}


def removed(edges, once):
    """Columns of the first four steps of an attack."""
    by = "edge_betweenness" if edges else "betweenness"
    found = sparsebc.dismantle(
        KARATE, by, steps=4, recompute=not once, directed=False, device="cpu"
    )
    ends = zip(
        ("source", "target") if edges else ("node",), found.order.reshape(4, -1).T, strict=True
    )
    named = {title: [NAMES[v] for v in nodes] for title, nodes in ends}
    return {**named, "score": found.scores, "largest component": found.largest}


def percolation():
    """Columns of states and scores."""
    network = io.read("network.csv")
    states = [MASSES[name] for name in network.names]
    scores = sparsebc.percolation(network, states, directed=False, device="cpu")
    return {"node": network.names, "state": states, "percolation": scores}


def communities_of(A, *parts, **options):
    """Columns of communities."""
    labels = sparsebc.communities.partition(A, *parts, device="cpu", **options).labels
    return {"community": labels, "community_size": np.bincount(labels)[labels]}


def lengths(path="path.csv"):
    """A network whose weights are strengths."""
    return sparsebc.strength_to_distance(io.read(path).matrix)


def found_from(sources, **tables):
    """Columns of a search: a line for each source and node."""
    count = next(iter(tables.values())).shape[1]
    starts = {"source": [NAMES[v] for v in sources for _ in range(count)]} if count == 34 else {}
    return {**starts, **{title: table.ravel() for title, table in tables.items()}}


def distances(A, *sources, **options):
    """Columns of distances from some nodes."""
    far = sparsebc.shortest_paths(A, [*sources], directed=False, **options)[0]
    return found_from(sources, distance=far)


OTHERS = {
    "percolation network.csv --source-weights masses.csv": percolation,
    "group karate --nodes 1,34 --nodes @some.txt": partial(groups, ["1", "34"], ["2", "3", "33"]),
    "group karate --nodes 1,34 --raw --endpoints": partial(
        groups, ["1", "34"], normalized=False, endpoints=True
    ),
    "group karate --steps 3": partial(prominent, 3),
    "dismantle karate --steps 4": partial(removed, False, False),
    "dismantle karate --steps 4 -m edge-betweenness": partial(removed, True, False),
    "dismantle karate --steps 4 -m initial-betweenness": partial(removed, False, True),
    "dismantle karate --steps 4 -m initial-edge-betweenness": partial(removed, True, True),
    "paths karate --sources 5 --sources 2,34 --workers 1": lambda: distances(
        KARATE, *numbers("5", "2", "34")
    ),
    "paths path.csv --sources a --strength reciprocal": lambda: distances(
        lengths(), 0, weighted=True
    ),
    "paths karate --sources 5 --targets 1,2 --cutoff 1": lambda: distances(
        KARATE, *numbers("5"), targets=numbers("1", "2"), cutoff=1
    ),
    "communities karate --parts 3": partial(communities_of, KARATE, 3),
    "communities friends.csv --strength reciprocal": lambda: communities_of(
        lengths("friends.csv"), weighted=True, strengths=io.read("friends.csv").matrix
    ),
    "components karate": lambda: {"component": [0] * 34, "component_size": [34] * 34},
}


def accessible(places=True, turned=False, **options):
    """Columns of what can be reached: named after its kind and its cutoff."""
    network = io.read("streets.csv", **dict(source="target", target="source") if turned else {})
    if not places:
        return {"accessibility": sparsebc.accessibility(network, directed=False, **options)}
    places = [PLACES.get(name, (0, 0)) for name in network.names]
    found = sparsebc.accessibility(network, places, cutoff=[2, 4], weighted=True, **options)
    each = itertools.product(("jobs", "beds"), (2, 4))
    titles = [f"accessibility_{kind}_{limit}" for kind, limit in each]
    return dict(zip(titles, found.reshape(4, 4).T, strict=True))


def near(nth):
    """Columns of the distance to the nth place."""
    network = io.read("streets.csv")
    jobs = [PLACES.get(name, (0, 0))[0] for name in network.names]
    return {"nearest": sparsebc.nearest(network, jobs, nth, directed=False, weighted=True)}


KINDS = "--places places.csv:jobs,places.csv:beds --cutoff 2,4"
AWAY = "--directed --columns source=target,target=source,weight=weight"
OTHERS |= {
    f"access streets.csv {words}": partial(accessible, **options)
    for words, options in (
        (f"-w {KINDS} --decay exponential:0.3 {AWAY}",
         {"decay": ("exponential", 0.3), "directed": True, "turned": True}),
        ("-w --places @both.txt --cutoff 2,4 --decay power:1.5",
         {"decay": ("power", 1.5), "directed": False}),
        (f"--weighted {KINDS} --decay 0:1,2:0.5,4.5:0",
         {"decay": ([0, 2, 4.5], [1, 0.5, 0]), "directed": False}),
        ("--cutoff 1", {"places": False, "cutoff": 1}),
    )
}  # fmt: skip
OTHERS |= {
    f"access streets.csv -m nearest:{nth} --places places.csv:jobs --weighted": partial(near, nth)
    for nth in (1, 2)
}


def in_time(measure, *given, **options):
    """Columns of a measure of networks in time."""
    contacts, name = temporal.read("contacts.txt"), measure.replace("-", "_")
    options = {"wait": 3, "directed": False} | options
    if measure.endswith("betweenness"):
        kind = "shortest" if measure == "betweenness" else "shortest foremost"
        options |= {"kind": kind, "sources": [0, 1], "normalized": False}
    found = getattr(temporal, name.removeprefix("foremost_"))(contacts, *given, **options)
    nodes = {"node": contacts.nodes} if len(found) == len(contacts.nodes) else {}
    return nodes | {"arrival" if measure == "arrival" else f"temporal_{name}": found.ravel()}


ALL, SOME = {"wait": None}, "--raw --sources a,b"
OTHERS |= {
    f"temporal contacts.txt -m {words}": partial(in_time, words.split()[0], *given, **options)
    for words, given, options in (
        (f"betweenness {SOME}", (), ALL),
        (f"betweenness {SOME} --wait 0 --directed", (), {"wait": 0, "directed": True}),
        (f"foremost-betweenness {SOME} --wait 1.5", (), {"wait": 1.5}),
        (f"foremost-betweenness {SOME} --directed", (), ALL | {"directed": True}),
        ("closeness --sources a,c --wait 3", (), {"sources": [0, 2]}),
        ("reach --start 3 --wait 3 --directed", (3,), {"directed": True}),
        ("reach --wait 3", (1,), {}),
        ("arrival --sources b,a --start 2 --wait 3", ([1, 0], 2), {}),
    )
}


def estimated(network, **options):
    """Columns of an estimate."""
    A = KARATE if network == "karate" else io.read(network).matrix
    found = sparsebc.approximate_betweenness(A, epsilon=0.05, rng=1, device="cpu", **options)
    return {"betweenness": found.scores, "half_width": found.half_widths}


STATES = {"source_weights": [MASSES.get(name, 0) for name in "abcd"]}
STATES |= {"target_weights": STATES["source_weights"]}
CHOSEN = "--sources 1,2 --targets 33,34"
WEIGHED = "--source-weights masses.csv:mass --target-weights masses.csv:mass"
OTHERS |= {
    f"betweenness {words} --error 0.05 --seed 1": partial(estimated, words.split()[0], **options)
    for words, options in (
        ("karate", {"directed": False}),
        ("karate --directed --confidence 0.8", {"delta": 0.2}),
        (f"karate {CHOSEN}", {"directed": False, "sources": [0, 1], "targets": [32, 33]}),
        ("path.csv --weighted", {"directed": False, "weighted": True}),
        (f"path.csv {WEIGHED}", {"directed": False, **STATES}),
    )
}  # fmt: skip

FIELDS = ("mean", "std", "z", "p", "q", "low", "high")


def columns_of(found):
    """Columns of a null model, named after their score where there are several."""
    if not isinstance(found, dict):
        return {"betweenness": found.score} | {field: getattr(found, field) for field in FIELDS}
    columns = {name: each.score for name, each in found.items()}
    for name, each in found.items():
        columns |= {f"{name}_{field}": getattr(each, field) for field in FIELDS}
    return columns


def model_of(cutoff=None, **options):
    """Columns of a null model of lengths; several cutoffs one after the other."""
    A = io.read("genes.csv", weight="length").matrix
    asked = {"samples": 12, "rng": 5, "directed": False, "device": "cpu"} | options
    if cutoff:
        return columns_of({f"betweenness_{c}": null_model(A, cutoff=c, **asked) for c in cutoff})
    return columns_of(null_model(A, **asked))


def likely(weight):
    """Columns of edges with probabilities, of the largest part of those that are left."""
    A, P = (io.read("genes.csv", weight=title).matrix for title in ("length", "share"))
    keep = (A >= 1.25) if weight == "length" else (P >= 0.7)
    part, nodes = sparsebc.part_of(A.multiply(keep).tocsr(), largest_component=True)
    left = P.multiply(keep).tocsr()[nodes][:, nodes]
    assert 1 < len(nodes) < 8
    found = null_model(
        part if weight == "length" else sparsebc.strength_to_distance(left, "-log"),
        model="edge-probability", probability=left, samples=12, rng=5, directed=False,
        weighted=True, device="cpu",
    )  # fmt: skip
    assert np.ptp(found.std) > 0
    return {title: values for title, values in columns_of(found).items() if title not in "zpq"}


OF_GENES = "null-model genes.csv --samples 12 --seed 5 --columns source=source,target=target,weight"
OTHERS |= {
    f"{OF_GENES}=length{words}": partial(model_of, **options)
    for words, options in (
        ("", {}),
        (" --directed", {"directed": True}),
        (" --raw", {"normalized": False}),
        (" --sources g0,g1 --targets g6", {"sources": [0, 1], "targets": [6]}),
        (" --weighted --model shuffled", {"weighted": True, "weights": "shuffled"}),
        (" -m closeness,stress", {"measure": ["closeness", "stress"]}),
        (" --cutoff 2,3", {"cutoff": [2, 3]}),
    )
}  # fmt: skip
PROBABLE = "--model edge-probability --keep largest --threshold"
OTHERS |= {
    f"{OF_GENES}={words}": partial(likely, weight)
    for words, weight in (
        (f"share {PROBABLE} 0.7 --strength log", "log"),
        (f"length,probability=share {PROBABLE} 1.25 --weighted", "length"),
    )
}


@pytest.mark.parametrize("line", OTHERS)
def test_files_hold_the_columns_of_the_functions(done, line):
    """Their files hold what the functions return, and no other numbers."""
    done(*line.split(), "--device", "cpu", "-o", "out.csv")
    found, want = columns(), OTHERS[line]()
    assert [t for t in found if t not in TEXT] == [t for t in want if t not in TEXT]
    for title, values in want.items():
        assert_array_equal(found[title], values, err_msg=title)


def test_names_with_spaces_commas_and_quotes_are_told_apart_in_a_group(done):
    Path("names.csv").write_text('source,target\n"a b","c, d"\n"c, d","e""f"\n"e""f",g\n')
    line = ["group", "names.csv", "--nodes", "a b", "--nodes", "@two.txt", "-o", "out.csv"]
    Path("two.txt").write_text('c, d\ne"f\n')
    done(*line, "--device", "cpu")
    assert columns()["group"] == ["a b", '"c, d","e""f"']


@pytest.mark.usefixtures("terminal")
@pytest.mark.parametrize("line", SHOWN)
def test_a_terminal_shows_the_highest_rows_and_what_they_are(run, line):
    """The highest rows, and below them what they are."""
    status, out, _ = run(*line.split(), "--device", "cpu", *["--raw"] * ("group" in line))
    text = " ".join(out.split())
    assert status == 0
    for words in SHOWN[line]:
        assert words in text
        text = text.partition(words)[2]


@pytest.mark.parametrize("line", NOTES)
def test_what_could_be_meant_otherwise_is_noted(told, line):
    assert NOTES[line] in " ".join(told(*line.split())["notes"])


def test_an_edge_of_probability_1_is_in_every_sample(told):
    Path("sure.csv").write_text("source,target,weight\na,b,1\nb,c,1\n")
    line = "null-model sure.csv --model edge-probability --samples 2 --seed 1"
    for row in told(*line.split())["rows"]:
        assert row["mean"] == row["betweenness"] == (row["node"] == "b")


def test_json_tells_facts_beside_the_rows(told):
    """Those of JSON, beside all rows."""
    bound = sparsebc.prominent_group(KARATE, 3, directed=False).bound
    assert told("group", "karate", "--steps", "3")["bound"] == bound
    record = told("communities", "karate")
    assert record["communities"] == 5
    assert record["levels"][4] == {"communities": 5, "modularity": record["modularity"]}
    assert len(record["rows"]) == 34
    assert told("components", "path.csv", "--directed")["components"] == 4
    record = told("temporal", "contacts.txt", "--directed")
    assert (record["contacts"], record["directed"], record["by_length"]) == (8, True, False)
    assert record["notes"] == []  # none takes them both ways
    assert "length" not in record["provenance"]
    record = told("null-model", "karate", "--samples", "12", "--seed", "1", "-n", "all")
    z = [row["z"] for row in record["rows"]]
    assert z == sorted(z, reverse=True) != z[::-1]
    assert record["significant"] == 0
    record = told(*f"{OF_GENES}=share --model edge-probability".split())
    assert not any("weights are ignored" in note for note in record["notes"])


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("directed", [False, True])
def test_paths_have_inf_and_no_predecessor_where_there_is_none(done, told, weighted, directed):
    """Distances with inf, predecessors by name, nothing where there is none."""
    line = ["paths", "path.csv", "--sources", "a", *["-w"] * weighted, *["-d"] * directed]
    done(*line, "-o", "out.csv")
    want = {
        "source": ["a"] * 4,
        "node": [*"abcd"],
        "distance": [0, 2 if weighted else 1, 2.5 if weighted else 1, np.inf if directed else 1],
        "predecessor": ["", "a", "b" if weighted else "a", "" if directed else "a"],
    }
    assert columns() == want
    record = told(*line)
    last = record["rows"][-1]
    assert last["distance"] == (None if directed else 1)
    assert record.get("infinite") == ({"distance": [["a", "d"]]} if directed else None)


# Lines, and columns of their pages.
PAGES = {
    f"{OF_GENES}=length": {"s0": "betweenness", "b0": "mean", "b1": "z", "b2": "q"},
    f"access streets.csv {KINDS}": {"s0": "accessibility_jobs_2", "s3": "accessibility_beds_4"},
    "edge-betweenness streets.csv --cutoff 1,2.5": {"s1": "edge_betweenness_2.5"},
    "temporal contacts.txt": {"s0": "temporal_betweenness"},
}


@pytest.mark.parametrize("line", PAGES)
def test_every_format_has_the_columns_of_the_csv_file(done, line):
    for suffix in ("csv", "tsv", "json", "graphml", "gexf", "html"):
        done(*line.split(), "--device", "cpu", "-o", f"out.{suffix}")
    table = columns()
    ends = [table.pop(title) for title in ("source", "target", "node") if title in table]
    rows, edges = json.loads(Path("out.json").read_text()), len(ends) == 2
    titles, *lines = (row.split("\t") for row in Path("out.tsv").read_text().splitlines())
    graphs = nx.read_graphml("out.graphml"), nx.read_gexf("out.gexf")
    shown = Page(Path("out.html").read_text()).columns("edges" if edges else "nodes")
    named = list(zip(*ends, strict=True))
    order = [named.index(row) for row in zip(*(shown[f"t{k}"] for k in range(len(ends))))]  # noqa: B905
    for title, values in table.items():
        assert [row[title] for row in rows] == values
        assert [float(row[titles.index(title)]) for row in lines] == values
        for graph in graphs:
            found = [graph.edges[row] if edges else graph.nodes[row[0]] for row in named]
            assert [data[title] for data in found] == values
    for key, title in PAGES[line].items():
        assert_array_equal(shown[key], np.array(table[title])[order])


def test_contacts_without_titles_are_read_by_numbers_of_columns(done):
    """Columns by number, standard formats of the output."""
    Path("plain.tsv").write_text("1\ta\tb\n2\tb\tc\n")
    how = ["--columns", "source=2,target=3,time=1", "--directed"]
    done("temporal", "plain.tsv", *how, "-o", "out.graphml")
    assert "temporal_betweenness" in Path("out.graphml").read_text()
    done("temporal", "plain.tsv", *how, "--no-header")
