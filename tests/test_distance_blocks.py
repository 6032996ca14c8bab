"""Closeness and eccentricity of graphs taken apart at their cut nodes, and what stays whole."""

import functools
import itertools

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from conformance.knobs import turned
from graphs import matrix, one_way, with_lengths
from scipy.sparse import csgraph
from test_reductions import LARGE, on_host

from sparsebc import centralities, closeness, eccentricity, harmonic
from sparsebc.graph.read_matrix import canonical
from sparsebc.graph.read_weights import weighted
from sparsebc.measures import distance_measures
from sparsebc.reduce import distance_blocks

# Take graphs apart however small they are, and whether that saves work or not.
eager = functools.partial(turned, ["blocks of distances"], on_gpu=False)


def digraph(seed, blocks=300, hung=300):
    """Nodes hang, by an arc in or out or by both, on an acyclic block and on each other.

    So many strong components lead to others, and something arrives at most of them.
    """
    block = nx.barabasi_albert_graph(blocks, 3, seed=seed)
    arcs = [(max(edge), min(edge)) for edge in block.edges]
    rng = np.random.default_rng(seed)
    for v in range(blocks, blocks + hung):
        at = int(rng.integers(v))
        arcs += [[(at, v)], [(v, at)], [(at, v), (v, at)]][rng.integers(3)]
    names = rng.permutation(blocks + hung)
    i, j = names[np.array(arcs).T]
    return sp.csr_array((np.ones(i.size), (i, j)), shape=2 * names.shape)


DIGRAPHS = {"acyclic": digraph(913)} | {
    f"{name}, {share} gone": matrix(one_way(nx.from_scipy_sparse_array(LARGE[name]), share, 914))
    for name, share in (("many blocks", 0.1), ("one large block", 0.4), ("chain", 0.6))
}


@pytest.mark.parametrize("lengths", [None, range(1, 6), [0.1, 0.25, 0.3]], ids=str)
@pytest.mark.parametrize("name", [*LARGE, *DIGRAPHS])
def test_large_graphs(fast_device, name, lengths):
    """Of a sample or all, either way: the same as without any reduction, and by SciPy's distances.

    By edges to the last bit.
    """
    A = (LARGE | DIGRAPHS)[name]
    A, directed = A if lengths is None else with_lengths(A, lengths), name in DIGRAPHS
    options = {"directed": directed, "weighted": lengths is not None, "device": fast_device}
    rtol = 1e-11 if lengths else 0
    with eager():
        for measure, direction in itertools.product(
            (closeness, eccentricity), ("in", "out") if directed else ("in",)
        ):
            for more in ({}, {"k": 90, "rng": 3}):
                here = options | {"direction": direction} | more
                want = measure(A, **here, reduce="none")
                for choice in ("all", {"trees"}):
                    got = measure(A, **here, reduce=choice)
                    np.testing.assert_allclose(got, want, rtol=rtol)
        got = closeness(A, **options)
    if lengths is None:
        D = csgraph.dijkstra(A, directed=directed, unweighted=True)
        reach, total = np.isfinite(D).sum(axis=0) - 1, D.sum(axis=0, where=np.isfinite(D))
        want = reach**2 / np.where(total == 0, np.inf, total) / (A.shape[0] - 1)
        np.testing.assert_allclose(got, want, rtol=1e-11)


def test_what_arrives_takes_less_than_it_saves():
    """A digraph stays whole where bits and arcs to look at are many beside the searches saved."""
    A = DIGRAPHS["acyclic"]
    with eager():
        parts = apart(A, directed=True)
        assert (parts.unweighed > 0).any(axis=0).sum() > 64  # more than one word of bits
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(distance_blocks, "REACH_SHARE", 1e-9)
            assert apart(A, directed=True) is None
            assert apart(A, directed=False) is not None  # where all reach all


def apart(A, lengths=None, names=("trees", "blocks"), is_source=None, directed=False):
    """What is taken apart of a graph, if that pays."""
    if lengths is None:
        graph = canonical(A, directed=directed, ops_for=on_host)
    else:
        A = with_lengths(A, lengths)
        graph = weighted(A, directed=directed, tie_rtol=1e-10, ops_for=on_host)
    is_source = np.ones(graph.n, dtype=bool) if is_source is None else is_source
    return distance_blocks.split(graph, is_source, set(names))


def test_trees_alone_leave_what_they_hang_on():
    """The two-core of each component stays in one piece, and is searched from all but one node."""
    A = LARGE["one large block"]
    whole = nx.from_scipy_sparse_array(A)
    core = nx.k_core(whole, 2)
    with eager():
        parts = apart(A, names=["trees"])
    nodes = parts.nodes[parts.swept]
    assert sorted(nodes.tolist()) == sorted(core)
    assert parts.graph.arcs == 2 * core.number_of_edges()
    # Weights are the sources in the tree that hangs on each node.
    whole.remove_edges_from(core.edges)
    tree = [len(nx.node_connected_component(whole, v)) for v in nodes.tolist()]
    tops = parts.weights == 0
    assert tops.sum() == sum(1 for part in nx.connected_components(core))
    np.testing.assert_array_equal(parts.weights, np.where(tops, 0, tree))


def leafy(n=6000):
    """A graph of many leaves, which is not deep."""
    core = nx.barabasi_albert_graph(n // 2, 3, seed=5)
    core.add_edges_from((v, v % (n // 2)) for v in range(n // 2, n))
    return matrix(core)


def hung(A, is_out):
    """The graph of `leafy` whose leaves are left by an arc each, or entered by one."""
    arcs = sp.coo_array(A)
    kept = (np.maximum(arcs.row, arcs.col) < 3000) | ((arcs.row >= 3000) == is_out)
    return sp.csr_array((arcs.data[kept], (arcs.row[kept], arcs.col[kept])), shape=arcs.shape)


@pytest.mark.parametrize(
    ("is_apart", "asked", "constants"),
    [
        (False, {}, {}),  # 2300 sources saved, which share few searches
        (True, {"lengths": range(1, 6)}, {}),  # by length each takes one of its own
        (True, {}, {"ENOUGH_TOGETHER": 2000}),
        (False, {"names": []}, {"ENOUGH_TOGETHER": 2000}),
        (False, {"is_source": np.arange(6000) < 1999}, {"ENOUGH_TOGETHER": 2000}),
        (False, {}, {"ENOUGH_TOGETHER": 2000, "LEAST_SAVED": 0.9}),
        (False, {"A": matrix(nx.grid_2d_graph(40, 40))}, {}),
        (True, {"A": hung(leafy(), True), "directed": True}, {"ENOUGH_TOGETHER": 400}),
        # No search begins there, but there are arcs to save.
        (False, {"A": hung(leafy(), False), "directed": True}, {"ENOUGH_TOGETHER": 400}),
        (
            True,
            {"A": hung(leafy(), False), "directed": True},
            {"ENOUGH_TOGETHER": 400, "PLENTY": 6000},
        ),
    ],
)
def test_what_pays_is_taken_apart(is_apart, asked, constants, monkeypatch):
    """Enough sources saved; not a graph without leaves, nor one of few sources, nor a little."""
    for name, value in constants.items():
        monkeypatch.setattr(distance_blocks, name, value)
    assert (apart(**({"A": leafy()} | asked)) is not None) == is_apart


@pytest.mark.parametrize("measure", [closeness, eccentricity])
def test_a_tree_leaves_no_lengths(measure):
    """Of floats; a star of the same two lengths has both measures in closed form."""
    n = 401
    legs = np.where(np.arange(1, n) % 2, 0.1, 0.3)
    zeros, leaves = np.zeros(n - 1, dtype=int), np.arange(1, n)
    A = sp.csr_array(
        (np.tile(legs, 2), (np.append(zeros, leaves), np.append(leaves, zeros))), shape=(n, n)
    )
    total = legs.sum()
    sums = {
        closeness: (n - 1) / np.append(total, (n - 3) * legs + total + legs),
        eccentricity: np.append(0.3, legs + 0.3),
    }
    np.testing.assert_allclose(measure(A, weighted=True, device="cpu"), sums[measure])


def test_harmonic_stays_whole(monkeypatch):
    """It does not come from sums within blocks; its bits hang on no choice."""
    asked = []
    monkeypatch.setattr(distance_blocks, "split", lambda *args, **how: asked.append(args))
    A = LARGE["many blocks"]
    harmonic(A, directed=False, device="cpu")
    centralities(A, ["harmonic", "closeness"], directed=False, device="cpu")
    assert not asked
    closeness(A, directed=False, device="cpu")
    assert len(asked) == 1


def test_a_measure_reads_what_it_says():
    """They get what they named; a formula that names nothing may read all."""
    for measure in distance_measures.MEASURES.values():
        asked = set()

        class Sums:
            def __getattr__(self, field, asked=asked):
                asked.add(field)
                return np.zeros(3, dtype=np.int64 if field == "reached" else float)

        measure.formula(Sums(), np.full(3, 2))
        assert asked == measure.reads


@pytest.mark.parametrize("lengths", [None, [0.5]], ids=str)
def test_far_roots_lose_no_digits(fast_device, lengths):
    """Sources close together, and nodes far away that are none: a path out of a clique."""
    graph = nx.complete_graph(8)
    nx.add_path(graph, [7, *range(8, 60)])
    A = matrix(graph) if lengths is None else with_lengths(matrix(graph), lengths)
    names = np.random.default_rng(4).permutation(60)
    A = sp.csr_array(A)[names][:, names]
    sources = np.flatnonzero(names < 5)
    options = {"directed": False, "weighted": lengths is not None, "device": fast_device}
    with eager():
        for measure in (closeness, eccentricity):
            got, want = (
                measure(A, sources=sources, **options, reduce=one) for one in ("all", "none")
            )
            np.testing.assert_allclose(got, want, rtol=1e-14)


@pytest.mark.parametrize("seed", range(8))
def test_far_sources_cost_near_ones_no_digits(fast_device, seed):
    """Node 0 is far from node 1 and near to 2, where what is near node 1 arrives too."""
    long, short = 5e7, 0.1
    arcs = [(0, 1, long), (0, 2, short), (1, 2, short)]  # a block below node 1, or above
    arcs += [(3, 1, short), (1, 4, short), (4, 3, short)]  # another one
    arcs += [(5, 3, short), (6, 1, short)]  # and two bridges
    i, j, lengths = map(np.array, zip(*arcs, strict=True))
    names = np.random.default_rng(seed).permutation(7)
    A = sp.csr_array((lengths, (names[i], names[j])), shape=(7, 7))
    with eager():
        got, want = (
            closeness(A, weighted=True, wf_improved=False, reduce=one, device=fast_device)
            for one in ("all", "none")
        )
        np.testing.assert_allclose(got, want, rtol=1e-14)


def test_leaves_are_counted_whatever_the_directions():
    """Nodes that an edge leads from to their only neighbour."""
    ends = [0, 1, 2, 3, 0, 4], [1, 2, 0, 0, 4, 0]  # a cycle of three, 3 -> 0 and 0 <-> 4
    read = canonical(sp.coo_array((np.ones(6), ends), shape=(6, 6)))
    assert distance_blocks.leaves(read) == 2
