"""Strategies of damaged arrays and matrices, and plain loops that read what is whole."""

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

FORMS = {
    "csr": ("indptr", "indices", "data"),
    "csc": ("indptr", "indices", "data"),
    "coo": ("row", "col", "data"),
    "bsr": ("indptr", "indices", "data"),
    "dia": ("offsets", "data"),
    "tuple": ("indptr", "indices", "n"),
}
NUMBERS = st.one_of(
    st.integers(-3, 9),
    st.sampled_from(
        [2**15, 10**9, 2**31 - 1, -(2**31), 2**31, 2**40, 2**63 - 1, -(2**63), 2**63 + 1]
    ),
)
VALUES = st.one_of(NUMBERS, st.floats(), st.booleans(), st.just(1j), st.none())
KINDS = st.sampled_from(
    ["i1", "u1", "i4", ">i4", "u4", "i8", "u8", "f2", "f4", "f8", "O", "c16", "?", "S2"]
)


@st.composite
def hurt(draw, array, number):
    """An array with one damage: an item, its length, type, order or dimensions."""
    how = draw(
        st.sampled_from(["item", "item", "item", "shorter", "longer", "type", "shape", "swap"])
    )
    array = np.atleast_1d(np.array(array, copy=True))
    at = draw(st.integers(0, max(array.size - 1, 0)))
    if how == "type":
        return array.astype(draw(KINDS))
    if how == "shape":
        return draw(
            st.sampled_from([array[None], array[:, None], array.ravel(), array.max(initial=0)])
        )
    if how == "shorter":
        return array[:at]
    if how == "longer":
        return np.concatenate((array, array[: at + 1]))
    if how == "swap":
        return array[::-1]
    value = draw(number)
    try:
        array.flat[at : at + 1] = value
    except (OverflowError, TypeError, ValueError):
        array = array.astype(object) if value is None else array.astype(np.asarray(value).dtype)
        array.flat[at : at + 1] = value
    return array


@st.composite
def damaged(draw, form):
    """A matrix of SciPy with some of its parts hurt."""
    n = draw(st.sampled_from([4, 4, 6, 0, 1]))
    ends = st.lists(st.integers(0, max(n - 1, 0)), min_size=8, max_size=8)
    size = draw(st.integers(0, 8)) if n else 0
    row, column = (draw(ends)[:size] for _ in range(2))
    A = sp.coo_array((np.arange(1.0, size + 1), (row, column)), shape=(n, n))
    if form == "tuple":
        A = A.tocsr()
        parts = [A.indptr, A.indices, n]
        for k in draw(st.sets(st.integers(0, 2), max_size=2)):
            parts[k] = draw(
                st.one_of(NUMBERS, st.just("4")) if k == 2 else _list_or_array(parts[k])
            )
        return tuple(parts)
    made = getattr(sp, f"{form}_{draw(st.sampled_from(['array', 'matrix']))}")
    blocks = (
        {"blocksize": draw(st.sampled_from([(1, 1), (2, 2), (2, 1)]))}
        if form == "bsr" and n != 1
        else {}
    )
    A = made(A.tocsr() if form != "coo" else A, **blocks) if n else made((0, 0))
    for name in draw(st.lists(st.sampled_from(FORMS[form]), max_size=2)):
        _hurt(draw, A, name)
    if draw(st.sampled_from([False] * 9 + [True])):
        A._shape = draw(st.sampled_from([(n + 1, n + 1), (n, n + 1), (2**31, 2**31), (2, 2)]))
    return A


def _list_or_array(array):
    """An index array that is hurt, or a list with a list within."""
    ragged = st.just([*np.ravel(array).tolist(), [0]])
    return st.one_of(hurt(array, NUMBERS), ragged)


def _hurt(draw, A, name):
    """Hurt one part of a matrix in place."""
    if name in ("row", "col"):
        coords = list(A.coords)
        coords[name == "col"] = draw(hurt(coords[name == "col"], NUMBERS))
        A.coords = tuple(coords)
    else:
        setattr(A, name, draw(hurt(getattr(A, name), VALUES if name == "data" else NUMBERS)))


def _indices(values, bound):
    """Integers of a plain array, each in 0..bound - 1."""
    array = np.asarray(values)
    assert array.ndim == 1
    assert array.size == 0 or array.dtype.kind in "iu"
    whole = list(map(int, array.tolist()))
    assert all(0 <= i < bound for i in whole)
    return whole


def plain(A):
    """Entries of a matrix by plain loops, {(row, column): sum}; None if it is malformed."""
    try:
        if isinstance(A, tuple):
            indptr, indices, n = A
            assert type(n) in (int, np.int64)
            assert 0 <= n < 2**31
            heads = _indices(indices, n)
            sizes = np.diff(_pointers(indptr, len(heads), n))
            tails = np.repeat(np.arange(n), sizes).tolist()
            return {(i, j): 1 for i, j in zip(tails, heads, strict=True)}
        n, m = A.shape
        assert n == m < 2**31
        found = {}
        for i, j, value in listed(A, n):
            found[i, j] = found.get((i, j), 0) + value
        return found
    except (AssertionError, TypeError, ValueError, IndexError, OverflowError):
        return None


def _pointers(values, entries, rows):
    """Row pointers."""
    indptr = _indices(values, entries + 1)
    assert len(indptr) == rows + 1
    assert indptr[0] == 0
    assert indptr[-1] == entries
    assert indptr == sorted(indptr)
    return indptr


def listed(A, n):
    """Rows, columns and values of all that is stored."""
    data = np.asarray(A.data)
    assert data.dtype.kind in "biuf"
    if A.format == "dia":
        array = np.asarray(A.offsets)
        assert array.ndim == 1
        assert array.size == 0 or array.dtype.kind in "iu"
        offsets = array.tolist()
        assert all(k < 2**63 for k in offsets)
        assert data.ndim == 2
        assert len({*offsets}) == len(offsets) == len(data)
        return [
            (j - k, j, x)
            for k, line in zip(offsets, data.tolist(), strict=True)
            for j, x in enumerate(line)
            if 0 <= j - k < n and j < n and x != 0
        ]
    if A.format == "coo":
        assert len(A.coords) == 2
        rows, columns = (_indices(ends, n) for ends in A.coords)
        assert data.ndim == 1
        return zip(rows, columns, data.tolist(), strict=True)
    height, width = (1, 1) if A.format != "bsr" else data.shape[1:]
    assert data.ndim == (3 if A.format == "bsr" else 1)
    assert n % height == n % width == 0
    heads = _indices(A.indices, n // width)
    assert len(heads) == len(data)
    indptr = _pointers(A.indptr, len(heads), n // height)
    tails = [i for i in range(n // height) for _ in range(indptr[i], indptr[i + 1])]
    entries = []
    for i, j, block in zip(tails, heads, data.reshape(-1, height, width).tolist(), strict=True):
        entries += [
            (i * height + a, j * width + b, x)
            for a, line in enumerate(block)
            for b, x in enumerate(line)
        ]
    return [(j, i, x) for i, j, x in entries] if A.format == "csc" else entries
