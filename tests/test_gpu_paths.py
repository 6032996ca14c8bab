"""Sampled paths on a GPU: the samples of the CPU, hit by hit, whatever tables a search fills."""

import re

import networkx as nx
import pytest
import scipy.sparse as sp
from calls import assert_same
from changed_kernels import changed_sources, short_of_memory, with_width
from conformance.knobs import turned
from estimates import OF_PATHS, by_paths
from graphs import LARGE, LARGEST, diamonds, joined_layers, matrix, strange_parts
from numpy.testing import assert_array_equal

from sparsebc import approximate_betweenness

pytestmark = pytest.mark.gpu


GRAPHS = OF_PATHS | {
    **{name: (A, bool((A != A.T).nnz)) for name, A in LARGE.items()},
    "hubs of many": (LARGEST["hubs"], False),
    "diamonds beyond floats": (diamonds(1500), True),
    "layers": (joined_layers(60, 9, 0.7, 4), True),
    "layers both ways": (joined_layers(50, 12, 0.6, 5), False),
    "many parts": (sp.block_diag([strange_parts()] * 50, format="csr"), False),
    "two hubs": (matrix(nx.complete_bipartite_graph(2, 5000)), False),
}


def same(A, directed, **options):
    """The estimate of a GPU, which is that of the CPU bit by bit."""
    given = {"epsilon": 0.01, "directed": directed, **options}
    want = by_paths(A, **given | {"memory_budget": None})
    got = by_paths(A, **given, device="cuda")
    assert_same(got, want)


@pytest.fixture
def small_tables(monkeypatch):
    """Tables that most searches outgrow, one after the other."""
    home = "sparsebc.engines.cuda.path_samples.path_samples"
    monkeypatch.setattr(f"{home}.ON_CHIP", 128)
    monkeypatch.setattr(f"{home}.GROWTH", 2)


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("name", GRAPHS)
def test_samples_are_those_of_the_cpu(name, seed):
    """Each path passes the same nodes; where the graph is prepared on the GPU, too."""
    A, directed = GRAPHS[name]
    same(A, directed, rng=seed)
    with turned(["graphs on the GPU"], on_gpu=True):
        same(A, directed, rng=seed)


@pytest.mark.parametrize("name", GRAPHS)
def test_searches_that_outgrow_tables_are_drawn_again(name, small_tables):
    """They are drawn again, from their beginning."""
    same(*GRAPHS[name], rng=3)


def test_launches_that_end_early_go_on(monkeypatch, small_tables):
    """After a sample of each warp; the next launch goes on."""
    text, file = "LAUNCH = 200000000;", "path_samples/path_samples.cu"
    with changed_sources(monkeypatch, file, text, "LAUNCH = 0;"):
        same(LARGE["large hubs"], False, epsilon=0.02)


def test_samples_are_numbered_across_launches(monkeypatch):
    """Samples are numbered across launches."""
    short = with_width(1000, "path samples")
    monkeypatch.setattr("sparsebc.engines.cuda.engine.CUDA.kernels", short)
    same(LARGE["large hubs"], False, epsilon=0.02)


def test_a_budget_for_one_table_is_enough():
    """The least that the plan asks for is enough, and a device that is short of memory as well."""
    A = LARGEST["hubs"]
    with pytest.raises(MemoryError) as refused:
        by_paths(A, epsilon=0.03, directed=False, device="cuda", memory_budget=1)
    least = int(re.search(r"needs (\d+) bytes", str(refused.value))[1])
    same(A, False, epsilon=0.03, memory_budget=least)
    with pytest.MonkeyPatch.context() as patch:
        short_of_memory(patch, "search between", most=1)
        same(A, False, epsilon=0.03)


def test_an_estimate_comes_back_where_the_matrix_is():
    """The estimate comes back where the matrix is."""
    import cupyx.scipy.sparse

    A = LARGE["large hubs"]
    there = cupyx.scipy.sparse.csr_matrix(sp.csr_matrix(A, dtype=float))
    got = approximate_betweenness(there, epsilon=0.02, rng=4, directed=False, samples="paths")
    want = by_paths(A, epsilon=0.02, rng=4, directed=False)
    assert_array_equal(got.scores.get(), want.scores)
