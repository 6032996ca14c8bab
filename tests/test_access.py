"""Accessibility, nearest places and weights of nodes, by SciPy's distances of all pairs."""

import re
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal
from scipy.sparse import csgraph

from sparsebc import (
    accessibility,
    centralities,
    closeness,
    edge_betweenness,
    explain,
    harmonic,
    io,
    nearest,
)
from sparsebc.testing import matrices

KNOTS = [0.5, 1.5, 4.0], [2.0, 1.0, 0.25]
# The argument, and the function as it is defined.
DECAYS = {
    "none": (None, np.ones_like),
    "exponential": (("exponential", 0.3), lambda d: np.exp(-0.3 * d)),
    "linear": (("linear", 3.5), lambda d: np.maximum(0, 1 - d / 3.5)),
    "power": (("power", 1.5), lambda d: np.where(d > 0, np.maximum(d, 1e-9) ** -1.5, 0)),
    "gaussian": (("gaussian", 2.0), lambda d: np.exp(-(d**2) / 8)),
    "knots": (KNOTS, lambda d: np.interp(d, *KNOTS) * (d <= 4.0)),
}
WAYS = st.fixed_dictionaries(
    {
        "directed": st.booleans(),
        "weighted": st.booleans(),
        "direction": st.sampled_from(["in", "out"]),
    }
)
CUTOFFS = st.sampled_from([None, 0, 2, 3.5, [2, 1], [0.5, np.inf, 3]])


def distances(A, *, directed, weighted, direction):
    """Distance [i, j] that node i looks at, by Dijkstra's algorithm from every node."""
    D = csgraph.dijkstra(A, directed=directed, unweighted=not weighted)
    return D if direction == "out" else D.T


def access(D, W, f, cutoff):
    """Places of each node by the definition; a last axis of cutoffs, of a list."""
    F = np.where(np.isfinite(D), f(np.where(np.isfinite(D), D, 0)), 0)
    bounds = np.atleast_1d(np.inf if cutoff is None else cutoff)
    columns = [np.where(D <= bound, F, 0) @ W for bound in bounds]
    return np.stack(columns, axis=-1) if isinstance(cutoff, list) else columns[0]


@st.composite
def towns(draw):
    """Lengths of edges, of which many ways tie, and some kinds of places."""
    pattern = sp.csr_array(draw(matrices(self_loops=False, explicit_zeros=False)).astype(bool))
    pattern.sum_duplicates()
    n, rng = pattern.shape[0], np.random.default_rng(draw(st.integers(0, 2**16)))
    lengths = rng.integers(1, 6, pattern.nnz) / 2
    A = sp.csr_array((lengths, pattern.indices, pattern.indptr), shape=(n, n))
    shape = (n,) if draw(st.booleans()) else (n, draw(st.integers(1, 3)))
    return A, rng.integers(0, 9, shape) * rng.random(shape) * (rng.random(shape) < 0.7)


@given(towns(), WAYS, st.sampled_from(list(DECAYS)), CUTOFFS)
def test_accessibility_by_its_definition(device, town, ways, name, cutoff):
    """Any decay, cutoffs and direction; by edges as by length."""
    A, W = town
    decay, f = DECAYS[name]
    got = accessibility(A, W, decay=decay, cutoff=cutoff, device=device, **ways)
    assert_allclose(got, access(distances(A, **ways), W, f, cutoff), rtol=1e-12)


@given(towns(), WAYS, st.integers(1, 5))
def test_nearest_by_sorting_all(device, town, ways, k):
    """The k-th of the distances of all places, in ascending order."""
    A, W = town
    D = distances(A, **ways)
    kinds = (W if W.ndim == 2 else W[:, np.newaxis]).T > 0
    rows = [np.sort(np.pad(D[:, kind], ((0, 0), (0, k)), constant_values=np.inf)) for kind in kinds]
    want = np.stack([row[:, k - 1] for row in rows], axis=1).reshape(W.shape)
    assert_allclose(nearest(A, W, k, device=device, **ways), want, rtol=1e-12)
    assert_array_equal(nearest(A, W > 0, k, device=device, **ways), nearest(A, W, k, **ways))


@given(towns(), WAYS, CUTOFFS, st.booleans(), st.booleans())
def test_weights_of_the_other_nodes(device, town, ways, cutoff, wf_improved, some):
    """Closeness and harmonic centrality of weighted nodes, from all or from some."""
    A, W = town
    n = len(W)
    W = W if W.ndim == 1 else W[:, 0]
    if not W.any():
        return
    sources = np.arange(0, n, 2) if some else None
    counted = np.where(np.isin(np.arange(n), sources), W, 0) if some else W
    D = distances(A, **ways) + np.diag(np.full(n, np.inf))
    reached, total, near = (
        access(D, counted, f, cutoff)
        for f in (np.ones_like, lambda d: d, lambda d: 1 / np.maximum(d, 0.1))
    )
    others = (counted @ (1 - np.eye(n))).reshape(n, *[1] * (reached.ndim - 1))
    mean = reached / np.where(total == 0, np.inf, total)
    share = reached / np.where(others == 0, np.inf, others) if wf_improved else 1
    asked = {"target_weights": W, "cutoff": cutoff, "sources": sources, "device": device, **ways}
    assert_allclose(closeness(A, wf_improved=wf_improved, **asked), mean * share, rtol=1e-12)
    assert_allclose(harmonic(A, **asked), near, rtol=1e-12)
    if asked.pop("direction") == "in":
        found = centralities(A, ["harmonic", "closeness", "betweenness"], **asked)
        assert_allclose(found["harmonic"], harmonic(A, **asked), rtol=1e-14)
        assert_allclose(found["closeness"], closeness(A, **asked), rtol=1e-14)


def grid(side):
    """Streets between the crossings of a grid, of uneven length, both ways and one way."""
    rng = np.random.default_rng(4)
    path = sp.diags_array([np.ones(side - 1)], offsets=[1], shape=(side, side))
    A = sp.csr_array(sp.kron(path, sp.eye_array(side)) + sp.kron(sp.eye_array(side), path))
    A.data = rng.uniform(40, 160, A.nnz)
    return A


def crowd(n):
    """A shallow graph, whose searches share masks of levels."""
    return sp.random_array((n, n), density=6 / n, rng=np.random.default_rng(5), format="csr")


LARGE = {"grid": grid(24), "crowd": crowd(400)}


@pytest.mark.parametrize("few", [True, False])
@pytest.mark.parametrize("cutoff", [None, [200, 500]])
@pytest.mark.parametrize("weighted", [True, False])
@pytest.mark.parametrize("directed", [True, False])
@pytest.mark.parametrize("name", LARGE)
def test_searches_that_are_shared(fast_device, name, directed, weighted, cutoff, few):
    """Batches of near sources, whole or not, and of few; the same bits from any workers."""
    A, rng = LARGE[name], np.random.default_rng(6)
    n = A.shape[0]
    W = rng.random((n, 2)) * (rng.random((n, 2)) < (0.02 if few else 0.9))
    unit = 1 if weighted else 1 / 100
    if name == "crowd":
        unit = 1 / 200
    cutoff = cutoff and [bound * unit for bound in cutoff]
    decay = "exponential", 0.002 / unit
    ways = {"directed": directed, "weighted": weighted}
    call = partial(accessibility, A, W, decay=decay, cutoff=cutoff, device=fast_device, **ways)
    D = distances(A, direction="out", **ways)
    want = access(D, W, lambda d: np.exp(-0.002 / unit * d), cutoff)
    got = call(workers=1)
    assert_allclose(got, want, rtol=1e-11)
    assert_array_equal(call(workers=3), got)


@pytest.mark.parametrize("weighted", [True, False])
def test_a_budget_that_fits_nothing_says_what_would(fast_device, weighted):
    """The least memory gives the same bits; a byte less is refused."""
    A, W = LARGE["grid"], np.arange(576.0)
    calls = [
        partial(accessibility, A, W, decay=("gaussian", 300), weighted=weighted),
        partial(nearest, A, W > 400, 3, weighted=weighted),
    ]
    for call in calls:
        with pytest.raises(MemoryError) as caught:
            call(memory_budget=1, device=fast_device)
        needed = int(re.search(r"needs (\d+) bytes", str(caught.value)).group(1))
        with pytest.raises(MemoryError):
            call(memory_budget=needed - 1, device=fast_device)
        got = call(memory_budget=needed, device=fast_device)
        assert_array_equal(got, call(device=fast_device))


def test_a_decay_that_ends_ends_the_searches(monkeypatch):
    """Beyond the range of a linear decay, and the last knot, no search goes."""
    from sparsebc.measures import accessibility as module

    asked = []
    searches = module.accumulate_access

    def noted(engine, query, *more):
        asked.append(query.graph.cutoffs)
        return searches(engine, query, *more)

    monkeypatch.setattr(module, "accumulate_access", noted)
    for decay in (("linear", 250), ([100, 250], [1, 0])):
        accessibility(LARGE["grid"], decay=decay, weighted=True, device="cpu")
        accessibility(LARGE["grid"], decay=decay, cutoff=[100, 900], weighted=True, device="cpu")
        assert_allclose([*asked[0], *asked[1]], [250, 100, 250], rtol=1e-9)
        asked.clear()


def test_weights_of_one_each_change_nothing(device):
    """By edges and by length; a weight counts as often as a node would."""
    A = LARGE["grid"][:60, :60]
    for measure in (closeness, harmonic):
        for weighted in (True, False):
            plain = measure(A, weighted=weighted, device=device)
            got = measure(A, target_weights=np.ones(60), weighted=weighted, device=device)
            assert_allclose(got, plain, rtol=1e-13)


def test_a_node_that_weighs_more_than_all_others(device):
    """What the others weigh is not lost beside it."""
    A = sp.csr_array(np.eye(3, k=1))
    W = [0.1, 1e12, 0.2]
    got = closeness(A, target_weights=W, directed=False, device=device)
    assert_allclose(got[1], 1.0, rtol=1e-15)


def test_trips_of_a_node_add_up_to_its_population(device):
    """Weights of sources by accessibility make the sums over targets what was asked for."""
    rng = np.random.default_rng(2)
    homes, jobs = np.arange(12) < 7, rng.integers(1, 9, 12) * 1.0
    A = sp.csr_array(np.outer(homes, ~homes) * rng.uniform(1, 5, (12, 12)))  # from homes to jobs
    people = np.where(homes, rng.integers(1, 99, 12), 0)
    ways = {"decay": ("gaussian", 3), "cutoff": 4.5, "weighted": True, "device": device}
    reached = accessibility(A, jobs, **ways) - jobs
    weights = {"source_weights": people / np.where(homes, reached, 1), "target_weights": jobs}
    trips = edge_betweenness(A, **weights, **ways, normalized=False)
    assert_allclose(trips.sum(axis=1), people, rtol=1e-12)


def test_places_by_the_names_of_the_nodes():
    """Series and frames are taken by label, whatever their order."""
    pandas = pytest.importorskip("pandas")
    town = io.Network(sp.csr_array(np.eye(3, k=1)), ("a", "b", "c"))
    frame = pandas.DataFrame({"jobs": [1, 2, 4], "beds": [0, 8, 0]}, index=["c", "b", "a"])
    want = accessibility(town.matrix, frame.to_numpy()[::-1])
    assert_array_equal(accessibility(town, frame), want)
    assert_array_equal(accessibility(town, frame["jobs"]), want[:, 0])
    with pytest.raises(ValueError, match="W has an index"):
        accessibility(town.matrix, frame)


def test_the_plan_of_weights():
    """`explain` plans the searches that weights take, and says what they rule out."""
    plan = explain(LARGE["grid"], "closeness", target_weights=np.arange(576), device="cpu")
    assert plan.kernels == ("cpu/msbfs/msbfs.py", "cpu/msbfs/bfs_high_diameter.py")
    reasons = {step.name: step.left_out for step in plan.steps}
    assert reasons["trees"] == reasons["blocks"] == "weights of single nodes do not come apart"


def test_distances_out_of_range_of_weights():
    """Functions of distances would underflow; without weights they are fine."""
    A = sp.csr_array(np.eye(3, k=1) * 1e-200)
    assert harmonic(A, weighted=True)[1] == 1e200
    with pytest.raises(OverflowError, match="distances with target_weights must lie in 1e-140"):
        harmonic(A, weighted=True, target_weights=[1, 1, 1])


REFUSED = [
    (accessibility, {"W": [1, 2]}, ValueError, "W must hold a number for each of the 3 nodes"),
    (accessibility, {"W": np.ones((3, 0))}, ValueError, "got shape (3, 0)"),
    (accessibility, {"W": np.ones((3, 1, 1))}, ValueError, "got shape (3, 1, 1)"),
    (accessibility, {"W": [1, -2, 0]}, ValueError, "W must lie in 0..1e+100, got -2.0 for node 1"),
    (accessibility, {"W": [[1], [1], [np.nan]]}, ValueError, "got nan for node 2"),
    (accessibility, {"W": ["a"] * 3}, TypeError, "W must hold a number for each node"),
    (accessibility, {"decay": ("exponential", 0)}, ValueError, "must be a finite number above 0"),
    (accessibility, {"decay": "linear"}, TypeError, "decay must be ('exponential', beta)"),
    (accessibility, {"cutoff": -1}, ValueError, "cutoff must be at least 0"),
    (accessibility, {"direction": "up"}, ValueError, "direction must be 'in' or 'out'"),
    (accessibility, {"checkpoint": "x"}, TypeError, "unknown option 'checkpoint'"),
    (nearest, {"places": [True]}, ValueError, "places must hold a number for each of the 3"),
    (nearest, {"places": [1, 0, 0], "k": 0}, ValueError, "k must be at least 1"),
    (nearest, {"places": [1, 0, 0], "k": 1.5}, TypeError, "k must be an int"),
    (nearest, {"places": [1, 0, 0], "direction": 1}, ValueError, "direction must be 'in' or"),
    (nearest, {"places": [1, 0, 0], "reduce": "all"}, TypeError, "unknown option 'reduce'"),
]


@pytest.mark.parametrize(("function", "given", "error", "said"), REFUSED)
def test_what_is_refused(function, given, error, said):
    """Errors name the argument, the value and the way out."""
    with pytest.raises(error, match=re.escape(said)):
        function(sp.csr_array(np.eye(3, k=1)), device="cpu", **given)


@pytest.mark.parametrize("n", [0, 1, 4])
def test_no_edges(device, n):
    """A node reaches its own places alone; from 0 nodes nothing is wanted."""
    A, W = sp.csr_array((n, n)), np.ones((n, 2))
    assert_array_equal(accessibility(A, W, cutoff=[1, 2], device=device), np.ones((n, 2, 2)))
    assert_array_equal(accessibility(A, decay=("power", 1), device=device), np.zeros(n))
    assert_array_equal(nearest(A, W, device=device), np.zeros((n, 2)))
    assert_array_equal(nearest(A, W, 2, device=device), np.full((n, 2), np.inf))
    for weighted in (True, False) if n else ():
        ways = {"weighted": weighted, "target_weights": np.ones(n), "device": device}
        assert_array_equal(closeness(A, **ways), np.zeros(n))
        assert_array_equal(harmonic(A, **ways), np.zeros(n))
        assert_array_equal(accessibility(A, weighted=weighted, device=device), np.ones(n))
        assert_array_equal(nearest(A, W, weighted=weighted, device=device), np.zeros((n, 2)))
