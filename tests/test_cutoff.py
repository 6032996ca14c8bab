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
    betweenness,
    centralities,
    closeness,
    eccentricity,
    edge_betweenness,
    explain,
    stress,
)
from sparsebc.engines import devices
from sparsebc.engines.common.base import Task, kernel_for
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
