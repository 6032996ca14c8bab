"""The literal algebra is what its formulas say, on SciPy and on CuPy."""

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from conformance import drawing, verdict
from conftest import NEEDS_GPU
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsebc
from sparsebc import betweenness
from sparsebc.engines import devices
from sparsebc.engines.cuda.runtime.source import complete
from sparsebc.engines.reference.updates import Extended
from sparsebc.testing import patterns

LITERAL = ["reference", pytest.param("reference:cuda", marks=NEEDS_GPU)]


@pytest.fixture(params=LITERAL, scope="module")
def literal(request):
    """Name of the reference engine on either library."""
    return request.param


@pytest.fixture(scope="module")
def backend(literal):
    """Arrays and updates of a library."""
    return devices.select(literal).backend


def on_host(array):
    """Arrays of either library as NumPy's."""
    return array.get() if hasattr(array, "get") else array


# The three updates, element by element.

EPS = {"float32": 2.0**-23, "float64": 2.0**-52, "extended": 2.0**-52}


@st.composite
def elements(draw, number, lowest=0):
    """A number of a kind, as its exact value."""
    value = Fraction(draw(st.integers(lowest, 1000)))
    return value * Fraction(2) ** draw(st.integers(-3000, 3000)) if number == "extended" else value


def counts_of(backend, number, values):
    """An array of exact values, in the numbers of a kind."""
    xp = backend.xp
    if number != "extended":
        return xp.asarray(np.array(values, dtype=number))
    exponents = [
        (v.numerator.bit_length() - v.denominator.bit_length()) if v else 0 for v in values
    ]
    mantissas = [float(v / Fraction(2) ** e) for v, e in zip(values, exponents, strict=True)]
    return Extended(xp, xp.asarray(mantissas), xp.asarray(np.array(exponents, dtype=np.int32)))


def exactly(array):
    """The exact values of an array of either kind."""
    if not isinstance(array, Extended):
        return [Fraction(float(value)) for value in on_host(array)]
    pairs = zip(on_host(array.mantissa), on_host(array.exponent), strict=True)
    return [Fraction(float(m)) * Fraction(2) ** int(e) for m, e in pairs]


def same(got, want, number):
    """Equal to a few roundings."""
    for one, other in zip(exactly(got), want, strict=True):
        assert abs(one - other) <= 4 * Fraction(EPS[number]) * abs(other)


@pytest.mark.parametrize("number", EPS)
class TestUpdates:
    """Each against its formula in exact fractions; entries outside of the mask stay."""

    @given(data=st.data())
    def test_sigma_update(self, backend, number, data):
        one = st.tuples(st.booleans(), elements(number), elements(number))
        mask, paths, sigma = zip(*data.draw(st.lists(one, min_size=1, max_size=8)), strict=True)
        got = counts_of(backend, number, sigma)
        fresh = backend.xp.asarray(np.array(mask))
        backend.sigma_update(fresh, counts_of(backend, number, paths), got)
        want = [p if m else s for m, p, s in zip(mask, paths, sigma, strict=True)]
        assert exactly(got) == want

    @given(data=st.data())
    def test_delta_update(self, backend, number, data):
        one = st.tuples(st.booleans(), elements(number, lowest=1), *[st.integers(0, 1000)] * 2)
        drawn = data.draw(st.lists(one, min_size=1, max_size=8))
        mask, sigma, quotient, omega = zip(*drawn, strict=True)
        # What is below is of the size of 1 / sigma, so that delta is a float.
        below = [
            Fraction(q) * Fraction(2) ** -size(s) for q, s in zip(quotient, sigma, strict=True)
        ]
        got = counts_of(backend, number, sigma)
        here = backend.xp.asarray(np.array(mask))
        weights = backend.xp.asarray(np.array(omega, dtype=floats_of(number)))
        delta = backend.delta_update(here, counts_of(backend, number, below), weights, got)
        want = [s * b if m else Fraction(0) for m, s, b in zip(mask, sigma, below, strict=True)]
        same(delta, want, number)
        rows = zip(mask, sigma, omega, want, strict=True)
        same(got, [(o + d) / s if m else s for m, s, o, d in rows], number)

    @given(data=st.data())
    def test_stress_update(self, backend, number, data):
        counts = elements(number)
        one = st.tuples(st.booleans(), counts, counts, st.integers(0, 1000), counts)
        drawn = data.draw(st.lists(one, min_size=1, max_size=8))
        mask, sigma, beyond, omega, h = zip(*drawn, strict=True)
        got = counts_of(backend, number, h)
        with np.errstate(over="ignore"):
            passing = backend.stress_update(
                backend.xp.asarray(np.array(mask)),
                counts_of(backend, number, beyond),
                backend.xp.asarray(np.array(omega, dtype=floats_of(number))),
                counts_of(backend, number, sigma),
                got,
            )
        rows = zip(mask, beyond, omega, h, strict=True)
        same(got, [o + b if m else h for m, b, o, h in rows], number)
        products = [
            s * b if m else Fraction(0) for m, s, b in zip(mask, sigma, beyond, strict=True)
        ]
        for value, product in zip(on_host(passing), products, strict=True):
            if product and abs(size(product)) > 1000:  # beyond floats, or below
                assert value > 1e290 if size(product) > 0 else value < 1e-290
            else:
                assert float(value) == pytest.approx(float(product), rel=4 * EPS[number])


def size(value):
    """The power of two next to a positive fraction, or next but one."""
    return value.numerator.bit_length() - value.denominator.bit_length()


def floats_of(number):
    """Type of what is not a count."""
    return "float64" if number == "extended" else number


@given(data=st.data())
def test_extended_products(backend, data):
    """A sparse product of counts whose exponents lie thousands apart."""
    n, edges = data.draw(patterns(max_nodes=6, duplicates=False))
    values = data.draw(st.lists(elements("extended"), min_size=n, max_size=n))
    ends = np.array(edges, dtype=np.int32).reshape(-1, 2).T
    A = sp.csr_array((np.ones(len(edges)), tuple(ends)), shape=(n, n))
    if n == 0:
        return
    there = backend.csr(tuple(map(backend.xp.asarray, (A.data, A.indices, A.indptr))), shape=(n, n))
    got = counts_of(backend, "extended", values).pulled(there)
    want = [sum((values[j] for i, j in edges if i == row), Fraction(0)) for row in range(n)]
    same(got, want, "extended")


# The algebra.


@pytest.mark.parametrize("device", [pytest.param("reference:cuda", marks=NEEDS_GPU)])
@given(drawing.questions(most=60))
@settings(max_examples=200)
def test_questions_to_cupy(device, question):
    """Those of the conformance suite, which asks them of SciPy."""
    assert not verdict.complaints(question, device)


@pytest.mark.parametrize(
    "file",
    [
        "brandes_batch/brandes_batch.cu",
        "brandes_source/brandes_source.cu",
        "brandes_weighted/brandes_weighted.cu",
    ],
)
def test_the_kernels_inline_the_functions_that_the_reference_calls(file):
    """Each update is written once, in the file that the ElementwiseKernels have, and called."""
    kernels = Path(sparsebc.__file__).parent / "engines" / "cuda"
    text = complete(kernels / file)
    assert complete(kernels / "common" / "updates.cuh").strip() in text
    for update in ("sigma_update(", "delta_update(", "stress_update("):
        assert text.count(f"void {update}") == 1
        assert text.count(update) > 1


def test_lengths_on_both(literal):
    """The detour of 0.1 + 0.2 ties with 0.3; an edge that rounding loses is refused by name."""
    A = sp.csr_array([[0, 0.1, 0.3], [0, 0, 0.2], [0, 0, 0]])
    got = betweenness(A, weighted=True, normalized=False, device=literal)
    np.testing.assert_array_equal(got, [0, 0.5, 0])
    lost = sp.csr_array([[0, 1e9, 0], [0, 0, 1e-9], [0, 0, 0]])
    with pytest.raises(ValueError, match=r"A\[1, 2\] is 1e-09: "):
        betweenness(lost, weighted=True, device=literal)
