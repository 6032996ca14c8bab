"""What the commands compute: the scores of the public functions to the bit, whatever is asked."""

import itertools

import numpy as np
import pytest
from command import columns
from numpy.testing import assert_array_equal

import sparsebc
from sparsebc import io

# A loop, a second part, text that is escaped, and a name of digits.
NETWORK = "source,target,weight\na,b,0.5\nb,c,0.25\nb,7,0.5\n<i>,d&e,0.125\nc,c,1\n"
NODES = ("a", "b", "c", "7", "<i>", "d&e")
MASSES = {name: k / 2 for k, name in enumerate(NODES)}
TRIPS = {(s, t): 1 + j % 3 / 2 for j, (s, t) in enumerate(itertools.product(NODES, NODES[::-2]))}
OF_PATHS = ("betweenness", "edge-betweenness", "stress")
MEASURES = (*OF_PATHS, "closeness", "harmonic", "eccentricity")
AVERAGES = MEASURES[:2]
OF_NODES = tuple(measure for measure in MEASURES if measure != "edge-betweenness")


@pytest.fixture
def folder(folder):
    """Files of the folder that is worked in."""
    rows = {
        "trips.csv": ["from,to,trips", *(f"{s},{t},{x}" for (s, t), x in TRIPS.items()), "z,a,9"],
        "masses.csv": ["node,mass", *(f"{name},{mass}" for name, mass in MASSES.items()), "z,9"],
        "places.csv": ["node,x,y", *(f"{name},{k},{k * k}" for k, name in enumerate(NODES))],
        "path.csv": ["from,to,length", "a,b,2", "b,c,0.5", "a,c,3", "d,a,1"],
    }
    for name, lines in rows.items():
        (folder / name).write_text("\n".join(lines) + "\n")
    (folder / "network.csv").write_text(NETWORK)
    return folder


class Case:
    """An option of a measure: how it is written, and the argument of the function."""

    def __init__(self, words, of=MEASURES, **arguments):
        self.words, self.of, self.arguments = words.split(), of, arguments

    def __repr__(self):
        return " ".join(self.words)


CASES = (
    Case("--directed", directed=True),
    Case("--cutoff 1", cutoff=1),
    Case("--cutoff 1,inf", cutoff=[1, np.inf]),
    Case("--cutoff 0.5", cutoff=0.5),
    Case("--cutoff 0,1,2.5", cutoff=[0, 1, 2.5]),
    Case("--sources a,7", sources=["a", "7"]),
    Case("--sources c --sources d&e", sources=["c", "d&e"]),
    Case("--targets b", OF_PATHS, targets=["b"]),
    Case("--source-weights masses.csv:mass", OF_PATHS, source_weights=MASSES),
    Case("--target-weights masses.csv", MEASURES[:-1], target_weights=MASSES),
    Case("--demand trips.csv", OF_PATHS, demand=TRIPS),
    Case("--decay exponential:0.5", OF_PATHS, decay=("exponential", 0.5)),
    Case("--decay 0:1,2.5:0.25", OF_PATHS, decay=([0, 2.5], [1, 0.25])),
    Case("--samples 2 --seed 1", k=2, rng=1),
    Case("--weighted", weighted=True),
    Case("--strength reciprocal", strength="reciprocal"),
    Case("--strength log", strength="-log"),
    Case("--raw", AVERAGES, normalized=False),
    Case("--endpoints", ("betweenness",), endpoints=True),
    Case("--reachable-only", ("eccentricity",), reachable_only=True),
    Case("--also stress,eccentricity,stress", OF_NODES, measures=["stress", "eccentricity"]),
    Case("--device reference", device="reference"),
    Case("--workers 1 --memory 1.5G --quiet -n all"),
)


def scores(measure, cases):
    """Columns of the public functions, for all measures asked for and each of several cutoffs."""
    arguments = {"directed": False, "device": "cpu"}
    for case in cases:
        arguments |= case.arguments
    matrix, names = io.read("network.csv")
    for name in ("sources", "targets"):
        if name in arguments:
            arguments[name] = [names.index(node) for node in arguments[name]]
    for name in ("source_weights", "target_weights"):
        if name in arguments:
            arguments[name] = [arguments[name][node] for node in names]
    if "demand" in arguments:
        table = [[arguments["demand"].get((s, t), 0) for t in names] for s in names]
        arguments["demand"] = np.array(table)
    strength = arguments.pop("strength", None)
    if strength:
        matrix = sparsebc.strength_to_distance(matrix, strength)
        arguments["weighted"] = True
    asked = dict.fromkeys([measure.replace("-", "_"), *arguments.pop("measures", ())])
    if arguments.pop("reachable_only", False):
        others = [name for name in asked if name != "eccentricity"]
        found = sparsebc.centralities(matrix, others, **arguments) if others else {}
        far = sparsebc.eccentricity(matrix, reachable_only=True, **arguments)
        found = {name: found.get(name, far) for name in asked}
    else:
        found = sparsebc.centralities(matrix, list(asked), **arguments)
    several = arguments.get("cutoff")
    if isinstance(several, list):
        tables = {name: of if isinstance(of, list) else of.T for name, of in found.items()}
        found = {f"{name}_{c}": tables[name][k] for name in asked for k, c in enumerate(several)}
    return found, names, arguments["directed"]


def check(run, measure, cases):
    """A command ends with the scores of the functions in its file, or says what is wrong."""
    words = [word for case in cases for word in case.words]
    line = [measure, "network.csv", "--device", "cpu", *words, "-o", "out.csv"]
    status, out, err = run(*line)
    given = {name for case in cases for name in case.arguments}
    of_pairs = {"source_weights", "target_weights", "targets", "demand", "decay"} & given
    if of_pairs and "measures" in given:
        assert status == 1
        assert "no effect on 'eccentricity': leave " in err
        return
    assert (status, out) == (0, "")
    want, names, directed = scores(measure, cases)
    found = columns()
    if measure != "edge-betweenness":
        assert list(found) == ["node", *want]
        assert found["node"] == list(names)
        for title in want:
            assert_array_equal(found[title], want[title])
        return
    assert list(found) == ["source", "target", "weight", *want]
    ends = zip(found["source"], found["target"], strict=True)
    ends = [(names.index(u), names.index(v)) for u, v in ends]
    for title, matrix in want.items():
        stored = matrix.todok()
        assert_array_equal(found[title], [stored.get(pair, 0) for pair in ends])
        assert len(ends) == matrix.nnz // (1 if directed else 2)


@pytest.mark.parametrize(
    ("measure", "case"),
    [(measure, case) for measure in MEASURES for case in CASES if measure in case.of],
    ids=str,
)
def test_each_option_alone_is_an_argument_of_the_function(folder, run, measure, case):
    """It is an argument of the function, and the csv file has every bit."""
    check(run, measure, [case])


def test_a_network_with_scores_is_read_back(folder, done):
    """With scores within several cutoffs it is the network that it is; a search is none."""
    done("stress", "network.csv", "--cutoff", "1,2", "-o", "out.graphml")
    matrix, names = io.read("out.graphml")
    assert (set(names), matrix.shape) == ({*NODES}, (6, 6))
    done("paths", "path.csv", "--sources", "a", "-o", "s.csv")
    with pytest.raises(ValueError, match=r"4 columns|an unknown header"):
        io.read("s.csv")


@pytest.mark.parametrize("command", ["betweenness", "explain"])
def test_a_cutoff_that_leaves_no_pair_is_noted(told, folder, command):
    """By edges a score below 1 is no distance: what was meant is told; by length it may be one."""
    notes = " ".join(told(command, "network.csv", "--cutoff", "0.7,2")["notes"])
    assert "--cutoff 0.7 leaves no pair of nodes" in notes
    assert "--threshold keeps" in notes
    assert "--cutoff 2 leaves" not in notes
    notes = told(command, "network.csv", "--cutoff", "0.7", "--weighted")["notes"]
    assert "leaves no pair" not in " ".join(notes)
