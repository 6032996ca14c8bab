"""What `sparsebc.testing` offers to others: examples that run as they stand, failures that tell."""

import re
from itertools import cycle
from pathlib import Path
from textwrap import dedent

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import Phase, given, settings

from sparsebc import betweenness
from sparsebc.testing import CLASSES, adjacency, graphs, lengths, matrices

PAGE = Path(__file__).parent.parent / "docs" / "testing.rst"


def arrays(A):
    return (A.data, *A.coords) if A.format == "coo" else (A.data, A.indices, A.indptr)


def shown(strategy, fails, *phases):
    """A failing example, the smallest with that phase, as Hypothesis prints it, and itself."""
    drawn = []

    @settings(database=None, max_examples=1000, phases=(Phase.generate, *phases), print_blob=False)
    @given(strategy)
    def test(A):
        drawn.append(A)
        assert not fails(A)

    with pytest.raises(AssertionError) as failure:
        test()
    printed = re.search(r"test\(\s*A=(.*?),?\s*\)$", "\n".join(failure.value.__notes__), re.S)
    return printed[1], drawn[-1]


@pytest.mark.parametrize(
    ("cls", "index_dtype"), [*zip(CLASSES, cycle(["int32", "int64"]), strict=False)]
)
def test_a_matrix_is_printed_as_a_call_that_makes_it(cls, index_dtype):
    """All that is stored, in its order, and types of indices that SciPy would narrow."""
    drawn = matrices(classes=[cls], index_dtypes=[index_dtype])
    text, A = shown(drawn, lambda A: A.nnz > 2 and A.data.max() > 1)
    again = eval(text, {"adjacency": adjacency})
    assert type(again) is type(A) is cls
    assert again.shape == A.shape
    for one, other in zip(arrays(again), arrays(A), strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype
    assert arrays(A)[1].dtype == index_dtype


def test_a_graph_is_printed_as_a_call_that_makes_it():
    """The simplest that fails."""
    assert shown(graphs(), lambda A: A.nnz, Phase.shrink)[0] == "adjacency(2, [(0, 1)])"
    text, _ = shown(graphs(lengths=lengths), lambda A: A.nnz, Phase.shrink)
    assert text == "adjacency(2, [(0, 1)], [1])"


def test_the_examples_of_the_page_hold_and_fail_as_shown():
    """They hold of what is right, and fail with the matrices that are shown."""
    text = PAGE.read_text()
    examples, told = re.findall(r"\.\. code-block:: \w+\n\n((?:   .*\n|\n)+)", text)
    page = {
        "my_betweenness": lambda A: betweenness(A, normalized=False),
        "my_pipeline": sp.csr_array,
    }
    exec(dedent(examples), page)
    tests = page["test_my_betweenness"], page["test_scores_survive_my_pipeline"]
    for test in tests:
        test()
    page["my_betweenness"] = lambda A: np.zeros(A.shape[0])
    page["my_pipeline"] = lambda A: sp.csr_array(A.toarray())
    for test, shown in zip(tests, re.findall(r"A=(.*)", told), strict=True):
        with pytest.raises(AssertionError):
            test.hypothesis.inner_test(eval(shown, {"adjacency": adjacency}))
