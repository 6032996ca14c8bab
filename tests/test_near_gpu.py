"""Near sources on a GPU, 64 to a block of threads: the same scores, to the same bits."""

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from changed_kernels import changed_sources
from graphs import matrix, one_way, with_lengths
from numpy.testing import assert_allclose, assert_array_equal

from sparsebc import betweenness, centralities, edge_betweenness
from sparsebc.engines import batching, devices

UNEQUAL = np.append(np.arange(1, 6), 1 << 16)
# By edges; lengths that differ much, and little; distances that 32 bits do not hold; and floats.
KINDS = {
    "edges": None,
    "lengths": UNEQUAL,
    "narrow": np.arange(1, 6),
    "far": UNEQUAL << 20,
    "floats": UNEQUAL / 10,
}
STREETS = nx.grid_2d_graph(9, 50)
GRAPHS = {
    "streets": matrix(STREETS),
    "components": sp.block_diag(
        [matrix(STREETS), *(matrix(nx.cycle_graph(m)) for m in (5, 40, 7))], "csr"
    ),
    "junctions": matrix(nx.corona_product(nx.path_graph(40), nx.cycle_graph(12))),
    "circle": matrix(nx.cycle_graph(130)),
    "one-way streets": matrix(one_way(STREETS, 0.2, 3)),
    "parts of no way back": matrix(one_way(STREETS, 0.4, 3)),
    "two-way streets": matrix(STREETS.to_directed()),
}
# Edges of one length both ways; of the others each arc has its own.
SYMMETRIC = ("streets", "components", "junctions", "circle")


def of_kind(name, kind):
    """A graph, with lengths if its kind has some."""
    A, lengths = GRAPHS[name], KINDS[kind]
    if lengths is None:
        return A
    if name in SYMMETRIC:
        return with_lengths(A, lengths, seed=5)
    drawn = np.random.default_rng(5).choice(lengths, A.nnz)
    return sp.csr_array((drawn, A.indices, A.indptr), shape=A.shape)


def scored(monkeypatch, A, *, weighted):
    """Scores by that kernel, which few sources are enough for."""
    from sparsebc.engines.cuda.clustered import brandes_clustered as clustered

    monkeypatch.setattr(batching, "ORDERS" if weighted else "ORDERS_BY_EDGES", 0)
    ran = []
    run = clustered.ClusteredWorkspace.run
    directed = bool((A != A.T).nnz)

    def spied(self, batches):
        ran.append(len(batches))
        run(self, batches)

    monkeypatch.setattr(clustered.ClusteredWorkspace, "run", spied)

    def scores(measure=betweenness, **options):
        ran.clear()
        found = measure(A, weighted=weighted, directed=directed, reduce="none", **options)
        assert bool(ran) == (options["device"] == "cuda")
        return found.data if measure is edge_betweenness else found

    return scores


@pytest.mark.gpu
@pytest.mark.skipif(not devices.gpus(), reason="no GPU")
class TestOneGraph:
    """Of a kind each."""

    def test_the_last_node(self, monkeypatch):
        """A node that only the last round finds, of as many as words of bits hold."""
        parts = [nx.path_graph(462), *(nx.path_graph(2) for _ in range(25))]
        A = with_lengths(matrix(nx.disjoint_union_all(parts)), UNEQUAL, seed=5)
        scores = scored(monkeypatch, A, weighted=True)
        sources = np.append(0, np.arange(462, 512))
        want = scores(device="reference", sources=sources)
        assert_allclose(scores(device="cuda", sources=sources), want, rtol=1e-12)

    @pytest.mark.parametrize("weighted", [True, False], ids=["lengths", "edges"])
    def test_counts_beyond_floats(self, monkeypatch, weighted):
        """They are found, and swept again: two ways on from every third node."""
        pairs = [(k, k + j) for k in range(0, 450, 3) for j in (1, 2)]
        A = sp.coo_array(matrix(nx.Graph(pairs + [(b, a + 3) for a, b in pairs])))
        A.data = np.where(np.minimum(A.row, A.col) // 3 % 2, 1.0, UNEQUAL[-1])
        A = A.tocsr()
        scores = scored(monkeypatch, A, weighted=weighted)
        want = scores(device="reference")
        assert_allclose(scores(device="cuda", dtype="float32"), want, rtol=2e-6)


@pytest.mark.gpu
@pytest.mark.skipif(not devices.gpus(), reason="no GPU")
class TestWindow:
    """Of the bits of a graph that has more than it holds: the same bits with a small one."""

    @pytest.mark.parametrize("kind", KINDS)
    def test_it_moves(self, monkeypatch, kind):
        """Ahead and back, while who waits lies far ahead: edges that lead to the far side."""
        streets = nx.grid_2d_graph(24, 1000)
        far = [((row, 3), (row, 17 * row + 400)) for row in range(24)]
        A = matrix(nx.Graph([*streets.edges, *far]))
        lengths = KINDS[kind]
        if lengths is not None:
            A = with_lengths(A, lengths, seed=5)
        scores = scored(monkeypatch, A, weighted=lengths is not None)
        for sources in (np.arange(64), np.arange(64) * 375):
            monkeypatch.setattr(batching, "VISITS", A.shape[0])
            want = scores(device="cuda", sources=sources)
            assert_allclose(want, scores(device="cpu", sources=sources), rtol=1e-10, atol=1e-9)
            with changed_sources(
                monkeypatch, "clustered/brandes_clustered.cu", "WINDOW = 4096;", "WINDOW = 256;"
            ):
                assert_array_equal(scores(device="cuda", sources=sources), want)


@pytest.mark.gpu
@pytest.mark.skipif(not devices.gpus(), reason="no GPU")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", GRAPHS)
class TestOnTheDevice:
    """Need CuPy and a GPU."""

    @pytest.fixture
    def scores(self, name, kind, monkeypatch):
        """Scores of some sources by that kernel."""
        return scored(monkeypatch, of_kind(name, kind), weighted=KINDS[kind] is not None)

    @pytest.fixture(params=["few batches", "many"])
    def crowd(self, request, monkeypatch):
        """A block of threads has a multiprocessor, or half of one."""
        if request.param == "many":
            from sparsebc.engines.cuda.clustered import shared_order

            monkeypatch.setattr(shared_order, "multiprocessors", lambda: 1)

    @pytest.mark.usefixtures("crowd")
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_scores_are_those_of_the_algebra(self, scores, dtype):
        """Of all sources, and of a part whose last batch is not full."""
        for sources in (None, np.arange(3, 120)):
            want = scores(device="reference", sources=sources)
            got = scores(device="cuda", sources=sources, dtype=dtype)
            assert_allclose(got, want, rtol=2e-6 if dtype == "float32" else 1e-12, atol=1e-12)

    @pytest.mark.usefixtures("crowd")
    @pytest.mark.parametrize("dtype", ["float32", "float64"])
    def test_scores_of_edges(self, scores, dtype):
        """The same, and the same bits on every run."""
        for sources in (None, np.arange(3, 120)):
            want = scores(edge_betweenness, device="reference", sources=sources)
            options = {"device": "cuda", "sources": sources, "dtype": dtype}
            got = [scores(edge_betweenness, **options) for _ in range(2)]
            assert_allclose(got[0], want, rtol=2e-6 if dtype == "float32" else 1e-12, atol=1e-12)
            assert_array_equal(*got)

    @pytest.mark.parametrize("measure", [betweenness, edge_betweenness])
    def test_within_a_cutoff(self, scores, kind, measure):
        """Of no edge, of some, at the end of a long one, and of all; by length."""
        if kind == "edges":
            pytest.skip("each source goes alone")
        unit = KINDS[kind][0]
        for cutoff in unit * np.array([0, 7.25, 40.5, (1 << 16) + 9.25, 1 << 40]):
            want = scores(measure, device="reference", cutoff=cutoff)
            got = [scores(measure, device="cuda", cutoff=cutoff) for _ in range(2)]
            assert_allclose(got[0], want, rtol=1e-12, atol=1e-12)
            assert_array_equal(*got)

    def test_the_same_bits(self, scores, monkeypatch):
        """Of workers that come one after the other, and of launches of a batch each."""
        from sparsebc.engines.cuda.clustered import shared_order
        from sparsebc.engines.cuda.common import per_source

        want = scores(device="cuda")
        search_all = per_source.PerSource._search_all

        def one_at_once(self, sources):
            self._at_once = 1
            search_all(self, sources)

        monkeypatch.setattr(shared_order, "LAUNCH_NODES", 1)
        assert_array_equal(scores(device="cuda"), want)
        monkeypatch.setattr(per_source.PerSource, "_search_all", one_at_once)
        assert_array_equal(scores(device="cuda"), want)

    def test_groups_of_a_worker(self, scores, monkeypatch):
        """Few workers: nothing is left over from a batch before."""
        from sparsebc.engines.cuda.common import per_source

        want = scores(device="cuda")
        edges = scores(edge_betweenness, device="cuda")
        search_all = per_source.PerSource._search_all

        def few(self, sources):
            self._workers = 2
            search_all(self, sources)

        monkeypatch.setattr(per_source.PerSource, "_search_all", few)
        assert_allclose(scores(device="cuda"), want, rtol=1e-12)
        assert_allclose(scores(edge_betweenness, device="cuda"), edges, rtol=1e-12)

    def test_a_bad_order(self, scores, monkeypatch):
        """Sources that lie apart have no order in common: the kernel does not go back for ever."""
        want = scores(device="cuda")
        found = batching._found

        def shuffled(graph, sources, *rest):
            place, sizes, radii = found(graph, sources, *rest)
            return np.random.default_rng(1).permutation(place), sizes, radii

        monkeypatch.setattr(batching, "_found", shuffled)
        for rounds in (0, 5, 1 << 14):
            other = f"PATIENCE = {rounds};"
            with changed_sources(
                monkeypatch, "clustered/brandes_clustered.cu", "PATIENCE = 16384;", other
            ):
                assert_allclose(scores(device="cuda"), want, rtol=1e-12)


@pytest.mark.gpu
@pytest.mark.skipif(not devices.gpus(), reason="no GPU")
@pytest.mark.parametrize("batches", ["few batches", "many"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "edges"])
@pytest.mark.parametrize("name", GRAPHS)
class TestDistances:
    """Sums of them by length, from near sources; the CPU has a search of its own."""

    MEASURES = ("closeness", "harmonic", "eccentricity")

    @pytest.fixture
    def sums(self, name, kind, batches, monkeypatch):
        """Measures by that kernel."""
        from sparsebc.engines.cuda.clustered import distance_sums as clustered_sums
        from sparsebc.engines.cuda.clustered import shared_order

        A, ran = of_kind(name, kind), []
        accumulate = clustered_sums.ClusteredSearch.accumulate

        def spied(self, batches):
            ran.append(len(batches))
            return accumulate(self, batches)

        monkeypatch.setattr(batching, "ORDERS_OF_DISTANCES", 0)
        monkeypatch.setattr(clustered_sums.ClusteredSearch, "accumulate", spied)
        if batches == "many":
            monkeypatch.setattr(shared_order, "multiprocessors", lambda: 1)

        def measured(device, **options):
            ran.clear()
            directed = bool((A != A.T).nnz)
            given = {"directed": directed, "weighted": True, "reduce": "none"}
            found = centralities(A, list(self.MEASURES), device=device, **given, **options)
            assert bool(ran) == (device == "cuda")
            return np.array([found[measure] for measure in self.MEASURES])

        return measured

    def test_sums_are_those_of_the_host(self, sums):
        """From all nodes, and from a part whose last batch is not full; the same bits again."""
        for sources in (None, np.arange(3, 120)):
            want = sums("cpu", sources=sources)
            got = [sums("cuda", sources=sources) for _ in range(2)]
            assert_allclose(got[0], want, rtol=1e-12)
            assert_array_equal(*got)

    def test_within_a_cutoff(self, sums, kind):
        """Of no edge, of some, at the end of a long one, and of all."""
        unit = KINDS[kind][0]
        for cutoff in unit * np.array([0, 7.25, 40.5, (1 << 16) + 9.25, 1 << 40]):
            got = [sums("cuda", cutoff=cutoff) for _ in range(2)]
            assert_allclose(got[0], sums("cpu", cutoff=cutoff), rtol=1e-12)
            assert_array_equal(*got)

    def test_the_same_bits(self, sums, monkeypatch):
        """Of workers that come one after the other, and of launches of a batch each."""
        from sparsebc.engines.cuda.clustered import shared_order
        from sparsebc.engines.cuda.common import per_source

        want = sums("cuda")
        monkeypatch.setattr(shared_order, "LAUNCH_NODES", 1)
        assert_array_equal(sums("cuda"), want)
        search_all = per_source.PerSource._search_all

        def one_at_once(self, sources):
            self._at_once = 1
            search_all(self, sources)

        monkeypatch.setattr(per_source.PerSource, "_search_all", one_at_once)
        assert_array_equal(sums("cuda"), want)
