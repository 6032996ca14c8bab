"""The literal algebra is what its formulas say, on SciPy and on CuPy."""

import numpy as np
import pytest
import scipy.sparse as sp
from conformance import drawing, verdict
from hypothesis import given, settings

from sparsebc import betweenness

ON_CUPY = pytest.param("reference:cuda", marks=pytest.mark.gpu)


@pytest.mark.gpu
@given(drawing.questions(most=60))
@settings(max_examples=200)
def test_the_algebra_on_cupy_answers_rightly(question):
    """Those of the conformance suite, which asks them of SciPy."""
    assert not verdict.complaints(question, "reference:cuda")


@pytest.mark.parametrize("device", ["reference", ON_CUPY])
def test_lengths_tie_or_are_refused_on_both_libraries(device):
    """The detour of 0.1 + 0.2 ties with 0.3; an edge that rounding loses is refused by name."""
    A = sp.csr_array([[0, 0.1, 0.3], [0, 0, 0.2], [0, 0, 0]])
    got = betweenness(A, weighted=True, normalized=False, device=device)
    np.testing.assert_array_equal(got, [0, 0.5, 0])
    lost = sp.csr_array([[0, 1e9, 0], [0, 0, 1e-9], [0, 0, 0]])
    with pytest.raises(ValueError, match=r"A\[1, 2\] is 1e-09: "):
        betweenness(lost, weighted=True, device=device)
