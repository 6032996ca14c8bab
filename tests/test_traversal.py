"""Levels, distances, predecessors and components, beside SciPy and from their definitions."""

import re

import numpy as np
import pytest
import scipy.sparse as sp
from graphs import LARGE, MEDIUM
from numpy.testing import assert_array_equal
from scipy.sparse import csgraph

from sparsebc import bfs, connected_components, shortest_paths
from sparsebc.engines import devices
from sparsebc.graph import read_weights
from sparsebc.graph.csr import Traits
from sparsebc.graph.graph import Graph
from sparsebc.measures import rows

NONE = -9999
INT32_LIMIT = 2**31


GRAPHS = {**MEDIUM, **LARGE}


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("directed", [True, False])
def test_many_sources_on_every_shape(fast_device, name, directed):
    """More than two groups of 64, some sources twice; SciPy's distances, valid predecessors."""
    A = GRAPHS[name]
    n = A.shape[0]
    sources = np.append(np.random.default_rng(3).permutation(n), [0, n // 2])
    levels = bfs(A, sources, directed=directed, device=fast_device)
    want = csgraph.dijkstra(A, directed=directed, unweighted=True, indices=sources)
    assert_array_equal(np.where(levels < 0, np.inf, levels), want)
    distances, predecessors = shortest_paths(A, sources, directed=directed, device=fast_device)
    assert_array_equal(distances, want)
    rows, nodes = np.nonzero(predecessors != NONE)
    assert_array_equal(predecessors == NONE, (levels <= 0))
    before = predecessors[rows, nodes]
    assert (levels[rows, before] == levels[rows, nodes] - 1).all()
    adjacency = A.toarray() != 0
    assert (adjacency[before, nodes] | (not directed) & adjacency[nodes, before]).all()


def check_lengths(A, sources, device):
    """SciPy's distances to the last bit; predecessors make them up, and lead to the source."""
    distances, predecessors = shortest_paths(A, sources, weighted=True, device=device)
    want = csgraph.dijkstra(A, indices=sources)
    assert_array_equal(distances, want)
    assert_array_equal(predecessors == NONE, np.isinf(want) | (want == 0))
    rows, nodes = np.nonzero(predecessors != NONE)
    before = predecessors[rows, nodes]
    assert_array_equal(want[rows, before] + A.toarray()[before, nodes], want[rows, nodes])
    back = np.where(predecessors == NONE, np.arange(A.shape[0]), predecessors)
    for _ in range(A.shape[0].bit_length()):  # twice as far each time
        back = np.take_along_axis(back, back, axis=1)
    assert_array_equal(back[np.isfinite(want)], np.repeat(sources, np.isfinite(want).sum(axis=1)))


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("kind", ["floats", "integers", "decades"])
def test_lengths_on_every_shape(fast_device, name, kind):
    """Lengths that differ little, that tie, and that differ by orders of magnitude."""
    A, rng = GRAPHS[name].astype(float), np.random.default_rng(17)
    draw = {
        "floats": lambda: rng.uniform(0.5, 1, A.nnz),
        "integers": lambda: rng.integers(1, 4, A.nnz),
        "decades": lambda: 10.0 ** rng.integers(-6, 7, A.nnz),
    }
    A.data[:] = draw[kind]()
    check_lengths(A, rng.permutation(A.shape[0])[:70], fast_device)


def test_lengths_that_rounding_swallows(fast_device):
    """Nodes at one distance, in a ring, still lead back to the source."""
    edges = {(0, 4): 1, (4, 2): 1e-20, (2, 1): 1e-20, (1, 2): 1e-20, (2, 3): 1e-20, (3, 4): 1e-20}
    rows, columns = zip(*edges, strict=True)
    A = sp.csr_array((list(edges.values()), (rows, columns)), shape=(5, 5))
    check_lengths(A, [0], fast_device)


def test_a_hub_of_many_lengths(fast_device):
    """A row of more edges than one block of threads takes."""
    n, rng = 3000, np.random.default_rng(18)
    star = np.zeros(n - 1, dtype=int), np.arange(1, n)
    ring = np.arange(1, n), np.append(np.arange(2, n), 0)
    rows, columns = np.concatenate((star, ring), axis=1)
    A = sp.csr_array((rng.integers(1, 1000, rows.size) / 8, (rows, columns)), shape=(n, n))
    check_lengths(A, [0, 1, n // 2], fast_device)


@pytest.mark.parametrize("name", GRAPHS)
@pytest.mark.parametrize("connection", ["weak", "strong"])
def test_components_of_every_shape(fast_device, name, connection):
    """Trees, cycles, hubs, one-way streets: SciPy's labels."""
    got = connected_components(GRAPHS[name], connection=connection, device=fast_device)
    want = csgraph.connected_components(GRAPHS[name], connection=connection)
    assert got[0] == want[0]
    assert_array_equal(got[1], want[1])


@pytest.mark.parametrize("mean", [0.9, 1.2, 2.0, 5.0])
@pytest.mark.parametrize("seed", [41, 42])
def test_components_of_random_digraphs(fast_device, mean, seed):
    """Around the degree where a large strong component forms."""
    rng, n = np.random.default_rng(seed), 2000
    ends = rng.integers(0, n, (2, int(mean * n)))
    A = sp.csr_array((np.ones(ends.shape[1]), tuple(ends)), shape=(n, n))
    A.setdiag(0)
    A.eliminate_zeros()
    got = connected_components(A, connection="strong", device=fast_device)
    want = csgraph.connected_components(A, connection="strong")
    assert got[0] == want[0]
    assert_array_equal(got[1], want[1])


@pytest.mark.parametrize("name", ["grid", "dense", "streets", "forest", "one-way path"])
def test_queue_and_masks_agree(name, monkeypatch):
    """Whether a graph is deep decides who searches, not what is found."""
    A = LARGE[name]
    for high_diameter in (False, True):
        monkeypatch.setattr(Graph, "traits", Traits(leaves=0, high_diameter=high_diameter))
        found = bfs(A, range(A.shape[0]), device="cpu")
        want = csgraph.dijkstra(A, unweighted=True)
        assert_array_equal(np.where(found < 0, np.inf, found), want)


@pytest.mark.parametrize("weighted", [False, True])
def test_workers_change_nothing(fast_device, weighted):
    """Every bit, and the progress ends at the number of sources."""
    A, calls = LARGE["large digraph"], []
    options = {"weighted": weighted, "device": fast_device}
    one = shortest_paths(A, range(250), workers=1, **options)
    progress = lambda *call: calls.append(call)  # noqa: E731
    many = shortest_paths(A, range(250), workers=3, progress=progress, **options)
    assert_array_equal(one[0], many[0])
    assert_array_equal(one[1], many[1])
    assert calls[-1] == (250, 250)
    assert [done for done, _ in calls] == sorted(done for done, _ in calls)


@pytest.mark.parametrize("weighted", [False, True], ids=["edges", "lengths"])
def test_a_budget(fast_device, weighted):
    """What it says would do is enough; what fits changes no number."""
    A, sources = LARGE["large digraph"], range(150)
    options = {"weighted": weighted, "device": fast_device}
    want = shortest_paths(A, sources, **options)
    with pytest.raises(MemoryError, match="memory_budget is 100: raise memory_budget") as caught:
        shortest_paths(A, sources, memory_budget=100, **options)
    needed = int(re.search(r"needs (\d+) bytes", str(caught.value)).group(1))
    with pytest.raises(MemoryError, match="raise memory_budget"):
        shortest_paths(A, sources, memory_budget=needed - 1, **options)
    for budget in (needed, 2 * needed):
        got = shortest_paths(A, sources, memory_budget=budget, **options)
        assert_array_equal(got[0], want[0])
        assert_array_equal(got[1], want[1])
    if not weighted:
        with pytest.raises(MemoryError, match="raise memory_budget"):
            bfs(A, sources, memory_budget=100, device=fast_device)
        levels = bfs(A, sources, memory_budget=needed, device=fast_device)
        assert_array_equal(np.where(levels < 0, np.inf, levels), want[0])


@pytest.mark.parametrize("weighted", [False, True], ids=["edges", "lengths"])
def test_groups_find_the_workers_that_a_budget_holds(weighted, monkeypatch, caplog):
    """A team as of every measure: as many as fit, and no more than there are groups."""
    A = LARGE["large digraph"]
    options = {"weighted": weighted, "device": "cpu", "workers": 3}
    shortest_paths(A, range(150), **options)
    with caplog.at_level("INFO", logger="sparsebc"):
        shortest_paths(A, range(150), **options)
        with pytest.raises(MemoryError) as caught:
            shortest_paths(A, range(150), memory_budget=1, **options)
        needed = int(re.search(r"needs (\d+) bytes", str(caught.value)).group(1))
        shortest_paths(A, range(150), memory_budget=needed, **options)
        shortest_paths(A, [0], **options)
    teams = [re.search(r"(\d+) workers", record.getMessage())[1] for record in caplog.records]
    assert teams == ["3", "1", "1"]


def test_a_matrix_is_read_once(monkeypatch):
    """Along lengths as well."""
    read = []

    def counted(call):
        return lambda *args, **options: read.append(1) or call(*args, **options)

    monkeypatch.setattr(read_weights, "checked", counted(read_weights.checked))
    monkeypatch.setattr(rows, "canonical", counted(rows.canonical))
    shortest_paths(PATH, [0], weighted=True, device="cpu")
    assert len(read) == 1
    shortest_paths(PATH, [0], device="cpu")
    assert len(read) == 2


@pytest.mark.gpu
@pytest.mark.skipif(len(devices.gpus()) < 2, reason="needs two GPUs")
@pytest.mark.parametrize("call", ["bfs", "paths", "lengths"])
def test_several_gpus_share_the_sources(call, caplog):
    """The same numbers, as NumPy arrays for a SciPy matrix and on its GPU for a CuPy one."""
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    A = LARGE["large digraph"].astype(float)
    A.data[:] = np.random.default_rng(19).integers(1, 9, A.nnz)
    sources = np.random.default_rng(20).integers(0, A.shape[0], 5000)
    run = {
        "bfs": lambda A, **device: (bfs(A, sources, **device),),
        "paths": lambda A, **device: shortest_paths(A, sources, **device),
        "lengths": lambda A, **device: shortest_paths(A, sources, weighted=True, **device),
    }[call]
    want = run(A, device="cuda")
    with caplog.at_level("INFO", logger="sparsebc"):
        got = run(A, device=["cuda:0", "cuda:1"])
    assert "2 workers" in caplog.records[-1].getMessage()
    for one, other in zip(got, want, strict=True):
        assert isinstance(one, np.ndarray)
        assert_array_equal(one, other)
    for one, other in zip(
        run(csr_matrix(sp.csr_matrix(A)), device=["cuda:1", "cuda:0"]), want, strict=True
    ):
        assert isinstance(one, cupy.ndarray)
        assert one.device.id == 0
        assert_array_equal(one.get(), other)


def test_components_take_one_device():
    """By its name."""
    with pytest.raises(TypeError, match="such a search runs on one device, name it by a string"):
        connected_components(PATH, device=["cuda:0", "cuda:1"])


def test_progress_may_end_it():
    """What the callable raises comes out of the call."""

    def stop(done, total):
        raise KeyboardInterrupt(done)

    with pytest.raises(KeyboardInterrupt, match="64"):
        bfs(LARGE["dense"], range(150), progress=stop, workers=1, device="cpu")


def test_index_arrays_alone():
    """A tuple has a pattern; lengths it has not."""
    parts = (np.array([0, 1, 2, 2]), np.array([1, 2]), 3)
    assert bfs(parts, [0]).tolist() == [[0, 1, 2]]
    assert connected_components(parts)[0] == 1
    with pytest.raises(TypeError, match="has no lengths: use weighted=False"):
        shortest_paths(parts, [0], weighted=True)


def test_rows_in_any_order_and_repeated_lengths():
    """Repeated entries are one edge of their summed length."""
    A = sp.coo_array(([1.0, 2.0, 2.5], ([0, 0, 1], [1, 1, 2])), shape=(3, 3))
    assert shortest_paths(A, [0], weighted=True)[0].tolist() == [[0, 3, 5.5]]


def test_no_nodes():
    """Nothing to join; and no source to search from."""
    count, labels = connected_components(sp.csr_array((0, 0)))
    assert (count, labels.size) == (0, 0)
    with pytest.raises(ValueError, match="A has no nodes"):
        bfs(sp.csr_array((0, 0)), [0])


PATH = sp.csr_array(np.eye(4, k=1))
SEARCHES = {
    "bfs": lambda A, **options: bfs(A, options.pop("sources", [0]), **options),
    "paths": lambda A, **options: shortest_paths(A, options.pop("sources", [0]), **options),
    "components": connected_components,
}


@pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)
@pytest.mark.parametrize(
    ("A", "options", "error", "message"),
    [
        (PATH, {"directed": 1}, TypeError, "directed must be True or False, got 1"),
        (PATH, {"device": "gpu"}, ValueError, "device must be one of .*'gpu'"),
        ("edges.csv", {}, TypeError, "A must be a SciPy or CuPy sparse matrix.*got str"),
        (PATH[:2], {}, ValueError, r"square matrix.*\(2, 4\)"),
        (-PATH, {}, ValueError, "negative value -1.0"),
    ],
)
def test_bad_graphs_and_options(search, A, options, error, message):
    """The message names the argument, the value and the way out."""
    with pytest.raises(error, match=message):
        search(A, **options)


@pytest.mark.parametrize("search", [SEARCHES["bfs"], SEARCHES["paths"]], ids=["bfs", "paths"])
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"sources": []}, ValueError, "sources is empty: list at least one node"),
        ({"sources": [4]}, ValueError, r"sources must lie in 0..3, got 4"),
        ({"sources": [-1]}, ValueError, r"sources must lie in 0..3, got -1"),
        ({"sources": 2}, ValueError, "0 dimensions: wrap sources in a list"),
        ({"sources": [[0]]}, ValueError, "2 dimensions"),
        ({"sources": [[0], [1, 2]]}, ValueError, "rows of unequal length"),
        ({"sources": [0.5]}, TypeError, r"\(ints; .*\), got \[0.5\]"),
        ({"sources": [True]}, TypeError, "booleans"),
        ({"sources": [INT32_LIMIT]}, ValueError, r"0..3, got 2147483648"),
        ({"workers": 0}, ValueError, "workers must be at least 1, got 0"),
        ({"progress": "yes"}, TypeError, "progress must be"),
        ({"memory_budget": 0}, ValueError, "memory_budget must be at least 1, got 0"),
        ({"memory_budget": "1G"}, TypeError, "memory_budget must be a positive int, got '1G'"),
        ({"memory": 5}, TypeError, "unknown option 'memory'.*did you mean 'memory_budget'"),
        ({"dtype": "float32"}, TypeError, "unknown option 'dtype'; run options are device, work"),
        ({"device": []}, ValueError, "device is an empty list"),
        ({"device": ["cpu"]}, (TypeError, ValueError), "device.*'cpu'"),
    ],
)
def test_bad_sources(search, options, error, message):
    """Refused before anything is searched."""
    with pytest.raises(error, match=message):
        search(PATH, **options)


def test_bad_lengths_and_connections():
    """Zero is no length; there are two kinds of components."""
    with pytest.raises(TypeError, match="weighted must be True or False, got 'yes'"):
        shortest_paths(PATH, [0], weighted="yes")
    zero = sp.csr_array(([0.0], ([2], [1])), shape=(4, 4))
    with pytest.raises(ValueError, match=r"A\[2, 1\] is 0.*must be positive.*eliminate_zeros"):
        shortest_paths(zero, [0], weighted=True)
    with pytest.raises(ValueError, match="connection must be 'weak' or 'strong', got 'both'"):
        connected_components(PATH, connection="both")


@pytest.mark.gpu
@pytest.mark.skipif(not devices.gpus(), reason="no GPU")
def test_cupy_in_cupy_out():
    """Results on the device of the matrix, wherever they were computed."""
    import cupy
    from cupyx.scipy.sparse import csr_matrix

    A = csr_matrix(sp.csr_matrix(PATH))
    assert isinstance(bfs(A, [0]), cupy.ndarray)
    distances, predecessors = shortest_paths(A, [0], weighted=True)
    assert distances.get().tolist() == [[0, 1, 2, 3]]
    assert predecessors.get().tolist() == [[NONE, 0, 1, 2]]
    assert connected_components(A)[1].get().tolist() == [0, 0, 0, 0]
