"""Only pairs at most so far apart: ``cutoff``, from the definition, and its laws."""

import dataclasses
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM, close, layered, square, with_lengths
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csgraph

import sparsebc
from sparsebc import (
    approximate_betweenness,
    betweenness,
    centralities,
    closeness,
    eccentricity,
    edge_betweenness,
    explain,
    stress,
)
from sparsebc.engines import devices
from sparsebc.engines.base import Task, kernel_for
from sparsebc.engines.cpu.brandes import brandes_batch
from sparsebc.engines.cpu.msbfs import search as searches
from sparsebc.graph.csr import Traits
from sparsebc.graph.graph import Graph
from sparsebc.graph.ops import GraphOps
from sparsebc.graph.read_matrix import canonical

PATHS = ["betweenness", "edge_betweenness", "stress"]
DISTANCES = ["closeness", "harmonic", "eccentricity"]
GRAPHS = MEDIUM | LARGE


def ways_of(name, weighted, device):
    """A graph, and the options of a call on it."""
    A = with_lengths(GRAPHS[name], [1, 2, 2.5, 4]) if weighted else GRAPHS[name]
    return A, {"directed": False, "weighted": weighted, "normalized": False, "device": device}


def numbers(scores):
    """Those of a vector, or of a matrix."""
    return scores.data if sp.issparse(scores) else scores


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["hubs", "communities", "spider", "grid", "sparse"])
def test_columns_are_single_calls(fast_device, name, weighted):
    """In the order given, one that comes twice too; by edges, sums over paths to the last bit."""
    A, ways = ways_of(name, weighted, fast_device)
    cutoff = [7, 2, 3.75, 2, np.inf]
    all_of = centralities(A, PATHS + DISTANCES, cutoff=cutoff, **ways)
    for column, most in enumerate(cutoff):
        one = centralities(A, PATHS + DISTANCES, cutoff=most, reduce="none", **ways)
        for measure, scores in all_of.items():
            got = numbers(scores[column]) if isinstance(scores, list) else scores[:, column]
            assert_allclose(got, numbers(one[measure]), rtol=1e-11, atol=1e-11)
            if measure in PATHS and most != np.inf and not weighted:
                assert_array_equal(got, numbers(one[measure]))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("name", ["hubs", "disconnected", "spider", "streets"])
def test_farther_than_all_is_no_cutoff(fast_device, name, weighted):
    """Infinity changes no bit, nor as many edges as there are; the diameter gives the scores."""
    A, ways = ways_of(name, weighted, fast_device)
    D = csgraph.shortest_path(A, directed=False, unweighted=not weighted)
    diameter = D[np.isfinite(D)].max()
    plain = centralities(A, PATHS + DISTANCES, **ways)
    same = [np.inf] if weighted else [np.inf, A.shape[0] - 1]
    for cutoff in (*same, diameter):
        got = centralities(A, PATHS + DISTANCES, cutoff=cutoff, **ways)
        for measure, scores in plain.items():
            close(numbers(got[measure]), numbers(scores))
            if cutoff != diameter:
                assert_array_equal(numbers(got[measure]), numbers(scores))
    less = betweenness(A, cutoff=diameter * (1 - 1e-9), **ways)
    assert less.sum() < plain["betweenness"].sum()


@pytest.mark.parametrize("name", ["digraph", "tree", "grid"])
def test_more_pairs_with_every_step(fast_device, name):
    """Scores never fall from one cutoff to the next, and every pair comes in at its distance."""
    A = GRAPHS[name]
    D = csgraph.shortest_path(A, unweighted=True)
    levels = np.arange(int(D[np.isfinite(D)].max()) + 1)
    ways = {"cutoff": levels, "normalized": False, "device": fast_device}
    scores = centralities(A, ["betweenness", "stress"], **ways)
    for of_nodes in scores.values():
        assert (np.diff(of_nodes, axis=1) >= -1e-9 * of_nodes.max()).all()
    # A pair passes one node fewer than its distance.
    want = [np.where((D > 0) & (D <= most), D - 1, 0).sum() for most in levels]
    assert_allclose(scores["betweenness"].sum(axis=0), want, rtol=1e-12)


def test_trap_of_igraph_1316(device):
    """Of two ways around, only pairs whose distance is within the cutoff count, by its shortest."""
    edges = ([0, 0, 1, 2], [1, 2, 3, 3])
    A = sp.coo_array(([1, 2, 1, 2], edges), shape=(4, 4))
    ways = {"directed": False, "normalized": False, "device": device}
    got = betweenness(A, weighted=True, cutoff=2, **ways)
    assert got.tolist() == [0, 1, 0, 0]
    # Lengths all equal are lengths too, and one edge and a bit is one edge.
    even = sp.coo_array(([100] * 4, edges), shape=(4, 4))
    got = betweenness(even, weighted=True, cutoff=[199, 200], **ways)
    assert got.T.tolist() == [[0] * 4, [0.5] * 4]
    assert betweenness(A, cutoff=1.01, **ways).tolist() == [0] * 4
    assert betweenness(A, cutoff=0, **ways).tolist() == [0] * 4  # none is not all


@pytest.mark.parametrize("equal", [False, True])
def test_sums_of_floats_reach_the_cutoff(device, equal):
    """0.1 + 0.2 is within 0.3, and three times 0.1, unless ``tie_rtol=0`` compares as they are."""
    lengths = [0.1, 0.1, 0.1] if equal else [0.1, 0.2, 0.3]
    A = sp.csr_array(np.diag(lengths, k=1))
    ways = {"weighted": True, "cutoff": 0.3}
    assert betweenness(A, normalized=False, device=device, **ways)[1] == (2 if equal else 1)
    assert betweenness(A, normalized=False, device=device, tie_rtol=0, **ways)[1] == equal
    if device != "reference":
        farthest = eccentricity(A, reachable_only=True, device=device, **ways)
        assert farthest[0] == pytest.approx(0.3)


def test_whole_lengths_compare_exactly(fast_device):
    """One more than the cutoff is too far, however large both are; so is a sum beyond floats."""
    far = 2**52
    A = sp.csr_array(np.diag([far, 1, 2**53 - 1], k=1))
    ways = {"weighted": True, "normalized": False, "device": fast_device}
    assert betweenness(A, cutoff=[far, far + 1], **ways).T.tolist() == [[0] * 4, [0, 1, 0, 0]]
    with pytest.raises(OverflowError, match=r"2\*\*53"):
        betweenness(A, **ways)


@pytest.mark.parametrize("weighted", [False, True])
def test_pairs_by_weight_and_at_their_ends(weighted):
    """With weights of nodes, at one cutoff and several, as the literal algebra has them."""
    A = with_lengths(LARGE["streets"], [1, 2, 2.5, 4]) if weighted else LARGE["streets"]
    rng = np.random.default_rng(3)
    weights = {name: rng.random(A.shape[0]) for name in ("source_weights", "target_weights")}
    for endpoints in (False, True):
        ways = {"weighted": weighted, "endpoints": endpoints, **weights}
        for cutoff in ([3, 8], 5):
            got, want = (
                betweenness(A, cutoff=cutoff, device=device, **ways)
                for device in ("cpu", "reference")
            )
            close(got, want)


@pytest.mark.parametrize(
    "dtype",
    [pytest.param(np.float32, marks=pytest.mark.slow), np.float64],  # kernels of its own
)
@pytest.mark.parametrize("weighted", [False, True])
def test_counts_beyond_floats(fast_device, weighted, dtype):
    """In layers of ten, 10**d paths are d + 1 long: a node has a tenth of the pairs around it."""
    width, layers, source = 10, 340, 3
    A = layered(width, layers)
    if weighted:  # not all of them equal
        A.data[:width] = 2
    cutoff = [1, 2, 50, 330, 339]
    ways = {"sources": [source], "normalized": False, "dtype": dtype, "weighted": weighted}
    got = betweenness(A, cutoff=cutoff, device=fast_device, **ways)
    layer = np.arange(layers).repeat(width)
    for column, most in enumerate(cutoff):
        behind = np.minimum(most, layers - 1) - layer
        want = np.where(layer > 0, np.maximum(behind, 0), 0)
        assert_allclose(got[:, column], want, rtol=1e-5 if dtype == np.float32 else 1e-11)


@pytest.mark.parametrize("name", ["large hubs", "streets", "grid"])
def test_groups_and_sources_alone_agree(name, monkeypatch):
    """64 at once, 64 that outgrow their lists and go one by one, and searches by queue."""
    A = LARGE[name]
    ways = {"cutoff": [2, 4, 9], "directed": False, "normalized": False, "device": "cpu"}
    want = centralities(A, PATHS, **ways)
    monkeypatch.setattr(brandes_batch, "SPREAD", 0)
    got = centralities(A, PATHS, **ways)
    for measure in ("betweenness", "stress"):
        close(got[measure], want[measure])
    for mine, theirs in zip(got["edge_betweenness"], want["edge_betweenness"], strict=True):
        close(mine.data, theirs.data)


@pytest.mark.parametrize("count", [20, 700])
def test_masks_and_queues_agree(count, monkeypatch):
    """How a deep graph is searched from sources that lie apart changes the last digits at most."""
    A = square(30)
    sources = np.random.default_rng(7).permutation(A.shape[0])[:count]
    monkeypatch.setattr(Graph, "traits", Traits(leaves=0, deep=True))
    found = []
    for visit in (0, 1 << 30):
        monkeypatch.setattr(searches, "VISIT", visit)
        found.append(centralities(A, DISTANCES, sources=sources, cutoff=[3, 20, 40], device="cpu"))
    for measure in DISTANCES:
        assert_allclose(found[0][measure], found[1][measure], rtol=1e-12)


def test_run_options_change_no_bit():
    """Workers, a budget, reductions that do not apply; float32 is close."""
    A = LARGE["leaves on hubs"]
    ways = {"cutoff": [2, 3], "directed": False, "device": "cpu"}
    want = betweenness(A, **ways)
    for run in ({"workers": 2}, {"memory_budget": 10**8}, {"reduce": {"trees", "blocks"}}):
        assert_array_equal(betweenness(A, **ways, **run), want)
    assert_allclose(betweenness(A, dtype=np.float32, **ways), want, rtol=1e-4, atol=1e-7)


def test_other_shapes_of_the_answer():
    """A number gives what there is without it; a list of one a column; CuPy's rules apply."""
    A = MEDIUM["graph"]
    n = A.shape[0]
    assert betweenness(A, cutoff=2, device="cpu").shape == (n,)
    assert betweenness(A, cutoff=[2], device="cpu").shape == (n, 1)
    assert stress(A, cutoff=np.array([2, 3, 4]), device="cpu").shape == (n, 3)
    assert closeness(A, cutoff=(2, 3), device="cpu").shape == (n, 2)
    one, (same,) = (edge_betweenness(A, cutoff=c, device="cpu") for c in (2, [2]))
    assert_array_equal(one.toarray(), same.toarray())
    for nothing in (sp.csr_array((0, 0)), sp.csr_array((3, 3))):
        shape = (nothing.shape[0], 2)
        got = centralities(nothing, [*PATHS, *DISTANCES], cutoff=[1, 2], device="cpu")
        assert all(got[name].shape == shape for name in ("betweenness", "stress", "closeness"))
        assert [matrix.nnz for matrix in got["edge_betweenness"]] == [0, 0]


@pytest.mark.parametrize("measure", ["betweenness", "closeness"])
def test_a_plan_within_a_cutoff(measure):
    """Trees and blocks are left out by reason, and no estimate is offered that takes no cutoff."""
    A = LARGE["leaves on hubs"]
    plan = explain(A, measure, cutoff=[1, 3], directed=False, device="cpu")
    reasons = {step.name: step.left_out for step in plan.steps}
    assert "may be too far away" in reasons["trees"]
    assert "may be too far away" in reasons["blocks"]
    assert [estimate.what for estimate in plan.estimates] == ["as asked"]


BAD = [
    (-1, ValueError, ["cutoff", "-1", "leave it out"]),
    ([1, np.nan], ValueError, ["cutoff", "nan", "numpy.inf"]),
    ([], ValueError, ["cutoff", "empty"]),
    ([[1, 2]], ValueError, ["cutoff", "2 dimensions"]),
    ([[1], [1, 2]], ValueError, ["cutoff", "unequal"]),
    ("5", TypeError, ["cutoff", "'5'", "number"]),
    (True, TypeError, ["cutoff", "True", "number"]),
    ([1, None], TypeError, ["cutoff", "number"]),
]


@pytest.mark.parametrize("measure", [betweenness, closeness])
@pytest.mark.parametrize(("cutoff", "error", "words"), BAD, ids=[str(row[0]) for row in BAD])
def test_what_is_refused(measure, cutoff, error, words):
    """The message names the argument, the value and the way out."""
    with pytest.raises(error) as caught:
        measure(MEDIUM["graph"], cutoff=cutoff, device="cpu")
    for word in words:
        assert word in str(caught.value)


def test_estimates_in_rounds_take_none():
    """By name, with the way out."""
    with pytest.raises(TypeError, match=r"cutoff=3 .* betweenness\(A, cutoff=.*k="):
        approximate_betweenness(MEDIUM["graph"], epsilon=0.1, cutoff=3)


def test_a_fraction_of_a_level_is_none():
    """``Fraction`` and the like are no numbers of NumPy; halves are, and count for nothing."""
    A = MEDIUM["graph"]
    with pytest.raises(TypeError, match="cutoff must be a number"):
        betweenness(A, cutoff=Fraction(5, 2), device="cpu")
    halves = sparsebc.betweenness(A, cutoff=2.5, device="cpu")
    assert_array_equal(halves, betweenness(A, cutoff=2, device="cpu"))


def test_within_a_cutoff_a_block_holds_more_groups():
    """Each reaches few rows, and a block costs what all rows of its sums cost."""
    whole = canonical(square(60), directed=False, ops_for=lambda entries: GraphOps())
    within = dataclasses.replace(whole, cutoffs=(5.0,))

    def size(graph, groups):
        task = Task("paths", graph, sums=frozenset({"dependency"}))
        return kernel_for(devices.select("cpu"), task).block_size(task, groups * [None])

    assert size(whole, 400) == size(within, 40) == 1
    assert size(within, 400) == 5
