"""The one door for input: what comes in, and what is turned away with which words."""

import tracemalloc
from functools import partial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sparsebc import (
    adaptive_betweenness,
    betweenness,
    bfs,
    connected_components,
    null_model,
    part_of,
    prominent_group,
    shortest_paths,
    strength_to_distance,
)
from sparsebc.communities import modularity
from sparsebc.matrix import read_matrix
from sparsebc.testing import by_definition

# 0 -> 1 -> 2 -> 0 with a chord and a tail; two shortest paths 0 -> 3.
ROWS, COLUMNS, N = [0, 1, 2, 0, 1, 4, 3], [1, 2, 0, 4, 3, 3, 5], 6
A = sp.csr_array((np.ones(7), (ROWS, COLUMNS)), shape=(N, N))
WANT = by_definition(A)

BOOL_TO_FLOAT = [np.bool_, *np.typecodes["AllInteger"], np.float32, np.float64, np.longdouble]


@pytest.mark.parametrize("dtype", BOOL_TO_FLOAT, ids=lambda dtype: np.dtype(dtype).name)
def test_every_type_of_values_is_taken(device, dtype):
    """Every real type that SciPy stores; lengths that repeat are summed, and no sum wraps."""
    np.testing.assert_allclose(betweenness(A.astype(dtype), device=device), WANT, rtol=1e-14)
    lengths = np.full(4, 100).astype(dtype)
    repeated = sp.coo_array((lengths, ([0, 0, 0, 1], [2, 2, 1, 2])), shape=(3, 3))
    got = betweenness(repeated, weighted=True, normalized=False, device=device)
    np.testing.assert_array_equal(got, [0, 0.5, 0])


@pytest.mark.parametrize("dtype", [np.bool_, np.int8, np.uint8])
def test_repeated_values_are_summed_in_64_bits(dtype):
    """Where trips, strengths or a threshold are of sums, in any format."""
    values = np.array([100] * 6).astype(dtype)
    rows, columns = [0, 0, 0, 0, 2, 3], [2, 2, 2, 3, 3, 4]
    want = sp.coo_array((values.astype(np.int64), (rows, columns)), shape=(6, 6)).tocsr()
    repeated = sp.coo_array((values, (rows, columns)), shape=(6, 6))
    by_rows = sp.csr_array((values, columns, [0, 4, 4, 5, 6, 6, 6]), shape=(6, 6))
    for one in (repeated, by_rows):
        part, _ = part_of(one, threshold=int(values[0]) + 1)
        assert part.toarray().tolist() == [[0, 0, want[0, 2], 0, 0, 0], *[[0] * 6] * 5]
        for number in (
            lambda B: modularity(B, [0, 1, 0, 1, 1, 2], weighted=True),
            lambda B: betweenness(A, demand=B, normalized=False).sum(),
        ):
            assert number(one) == number(want)


@pytest.mark.parametrize("kind", [np.int64, np.uint64])
def test_repeated_values_whose_sum_is_beyond_64_bits_are_refused(kind):
    """It would wrap around: the strongest tie would become the weakest."""
    half = np.iinfo(kind).max // 2 + 1
    wide = sp.coo_array((np.array([1, half, half], kind), ([1, 0, 0], [2, 1, 1])), shape=(3, 3))
    for score in (
        lambda: part_of(wide, threshold=1),
        lambda: modularity(wide, [0, 1, 1], weighted=True),
        lambda: betweenness(wide, demand=wide),
    ):
        with pytest.raises(OverflowError, match=rf"\[0, 1\] .* beyond {np.dtype(kind).name}: conv"):
            score()
    assert part_of(wide.astype(float), threshold=2)[0].max() == 2 * float(half)


@pytest.mark.parametrize("kind", [np.int8, np.uint64])
def test_narrow_integers_of_options_do_not_wrap(kind):
    """Products with the number of nodes leave their type."""
    cycle = sp.csr_array((np.ones(130), (np.arange(130), np.roll(np.arange(130), 1))))
    for call in (
        lambda integer: prominent_group(cycle, integer(3)).bound,
        lambda integer: adaptive_betweenness(cycle, [0], c=integer(3), rng=1).scores,
        lambda integer: null_model(cycle[:9, :9], samples=integer(127), rng=1).p,
    ):
        np.testing.assert_array_equal(call(kind), call(int))


@pytest.mark.parametrize("kind", [list, tuple, np.int32, np.int64, np.uint8, np.intp])
def test_bare_csr_arrays_are_a_graph(device, kind):
    """(indptr, indices, n) without any matrix: no values, so nothing to check in them."""
    indptr, indices = (
        kind(array.tolist()) if kind in (list, tuple) else array.astype(kind)
        for array in (A.indptr, A.indices)
    )
    for n in (N, np.int64(N)):
        bare = (indptr, indices, n)
        np.testing.assert_allclose(betweenness(bare, device=device), WANT, rtol=1e-14)
        assert bfs(bare, [0], device=device).tolist() == [[0, 1, 2, 2, 1, 3]]


@pytest.mark.parametrize("kind", [list, tuple, np.array, np.uint8, range])
def test_sources_and_targets_come_in_any_container(device, kind):
    """Whatever NumPy or Python holds integers in."""
    make = {range: lambda nodes: range(nodes[0], nodes[-1] + 1)}.get(kind, kind)
    want = betweenness(A, sources=[1, 2], targets=[3, 4, 5], device=device)
    got = betweenness(A, sources=make([1, 2]), targets=make([3, 4, 5]), device=device)
    np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("piece", [1 << 20, 20])
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, -1.0])
def test_many_values_are_checked_as_well(bad, piece, monkeypatch):
    """Slice by slice, to the last, by several threads too."""
    monkeypatch.setattr(read_matrix, "SLICE", 8)
    monkeypatch.setattr(read_matrix, "PIECE", piece)
    A = sp.random_array((30, 30), density=0.2, rng=np.random.default_rng(4), format="csr")
    assert betweenness(A).shape == (30,)
    A.data[-2] = bad
    with pytest.raises(ValueError, match=r"A stores .*\(entry 178 of A.data\)"):
        betweenness(A)


OTHER_FORMATS = ["lil", "dia", "bsr", "dok"]
OTHERS = {
    **{f"{name}_array": getattr(sp, f"{name}_array") for name in OTHER_FORMATS},
    **{f"{name}_matrix": getattr(sp, f"{name}_matrix") for name in OTHER_FORMATS},
    "ndarray": lambda B: B.toarray(),
    "Fortran order": lambda B: np.asfortranarray(B.toarray()),
    "matrix": lambda B: np.asmatrix(B.toarray()),
    "masked": lambda B: np.ma.masked_equal(B.toarray(), 0),
}


@pytest.mark.filterwarnings("ignore:the matrix subclass")
@pytest.mark.parametrize("convert", OTHERS.values(), ids=OTHERS)
def test_other_formats_are_taken(fast_device, convert):
    """All that `scipy.sparse.csgraph` converts, for scores, searches, components and strengths."""
    lengths = A.copy()
    lengths.data = np.arange(1.0, 8)
    B = convert(lengths)
    before = B.copy()
    np.testing.assert_allclose(betweenness(B, device=fast_device), WANT, rtol=1e-14)
    want = betweenness(lengths, weighted=True, device="cpu")
    np.testing.assert_array_equal(betweenness(B, weighted=True, device="cpu"), want)
    for got, expected in zip(
        shortest_paths(B, [0], weighted=True, device="cpu"),
        sp.csgraph.dijkstra(lengths, indices=[0], return_predecessors=True),
        strict=True,
    ):
        np.testing.assert_array_equal(got, expected)
    assert connected_components(B, device="cpu")[0] == 1
    turned = strength_to_distance(B)
    np.testing.assert_array_equal(turned.toarray(), strength_to_distance(lengths).toarray())
    assert type(before) is type(B)
    assert (before != B).sum() == 0


def test_what_is_an_edge_of_a_dense_array():
    """Zeros are none, as in csgraph; of a masked array what is not masked is one, zeros too."""
    values = np.array([[0, 0, 1], [0, 0, 0], [0, 0, 0]])
    assert bfs(values, [0], device="cpu").tolist() == [[0, -1, 1]]
    masked = np.ma.masked_array(values, mask=[[1, 0, 0], [1, 1, 1], [1, 1, 1]])
    assert bfs(masked, [0], device="cpu").tolist() == [[0, 1, 1]]
    block = sp.bsr_array(sp.coo_array(([1, 0], ([0, 0], [2, 3])), shape=(4, 4)), blocksize=(2, 2))
    assert bfs(block, [0], device="cpu").tolist() == [[0, -1, 1, 1]]  # stored in a block


@given(arrays(np.float64, (4, 4), elements=st.sampled_from([0, 1, 2.5, np.inf, np.nan])))
@example(np.array([[0, 1, np.inf, 5], [0, 0, 2, np.nan], [0, 0, 0, 2], [np.nan, 0, 0, 0]]))
def test_infinite_and_undefined_lengths_of_a_dense_array_are_no_edges(A):
    """As csgraph has it."""
    before = A.copy()
    got, _ = shortest_paths(A, [0, 1, 2, 3], weighted=True, device="cpu")
    np.testing.assert_allclose(got, sp.csgraph.dijkstra(A))
    np.testing.assert_array_equal(A, before)


@pytest.mark.parametrize(
    "call", [betweenness, partial(bfs, sources=[0]), partial(null_model, rng=1)]
)
@pytest.mark.parametrize("form", ["star", "dense", "empty"])
def test_a_matrix_beyond_the_budget_is_refused_before_anything_is_made_of_it(form, call):
    if form == "dense":
        A = np.ones((3000, 3000), np.int8)
    elif form == "empty":
        A = sp.coo_array((3_000_000, 3_000_000))
    else:  # nothing is left of it to sweep
        ends = np.zeros(10**6 - 1, np.int32), np.arange(1, 10**6, dtype=np.int32)
        A = sp.coo_array((np.ones(10**6 - 1, bool), ends), shape=(10**6, 10**6)).tocsr()
    for _ in range(2):  # the first imports what it takes
        tracemalloc.start()
        with pytest.raises(MemoryError, match=r"the graph of A alone needs .*raise memory_budget"):
            call(A, memory_budget=1 << 20)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
    assert peak < 1 << 20


@pytest.mark.parametrize("call", [betweenness, connected_components, part_of, strength_to_distance])
def test_rows_beyond_free_memory_are_refused_by_name(call, monkeypatch):
    monkeypatch.setattr("sparsebc.matrix.matrix_arrays.free_memory", lambda: 64 << 20)
    with pytest.raises(MemoryError, match="A has 5000000 rows, which take 114 MiB, and 64 MiB"):
        call(sp.coo_array((5_000_000, 5_000_000)))


def test_numpy_bools_are_flags():
    """True of NumPy is True."""
    flags = {"directed": False, "normalized": False, "endpoints": True, "progress": False}
    of_numpy = {name: np.bool_(value) for name, value in flags.items()}
    got, want = (betweenness(A, **each, device="cpu") for each in (of_numpy, flags))
    np.testing.assert_array_equal(got, want)


@pytest.mark.gpu
def test_arrays_of_cupy_give_results_there():
    """Bare index arrays and dense arrays: results stay there."""
    import cupy

    parts = (cupy.asarray(A.indptr), cupy.asarray(A.indices), N)
    for B in (parts, cupy.asarray(A.toarray()), cupy.asarray(A.toarray().astype(np.int32))):
        for device in (None, "cpu"):
            got = betweenness(B, device=device)
            assert isinstance(got, cupy.ndarray)
            np.testing.assert_allclose(got.get(), WANT, rtol=1e-14)
    bad = cupy.asarray([[0, 0], [cupy.nan, 0]])
    with pytest.raises(ValueError, match=r"nan \(A\[1, 0\]\)"):
        betweenness(bad)
