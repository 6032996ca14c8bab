"""What `sparsebc.testing` offers to others: examples that run as they stand, failures that tell."""

import re
import subprocess
import sys
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import Phase, given, settings

from sparsebc.testing import CLASSES, adjacency, graphs, lengths, matrices

PAGE = Path(__file__).parent.parent / "docs" / "testing.rst"


def arrays(A):
    return (A.data, *A.coords) if A.format == "coo" else (A.data, A.indices, A.indptr)


def shown(strategy, fails, *phases):
    """A failing example, the smallest with that phase, as Hypothesis prints it, and itself."""
    drawn = []

    @settings(
        database=None,
        max_examples=1000,
        phases=(Phase.generate, *phases),
        print_blob=False,
    )
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


ONE_PATH = """
def my_betweenness(A):
    scores = np.zeros(A.shape[0])
    for path, *_ in all_shortest_paths(A).values():
        scores[list(path[1:-1])] += 1
    return scores
"""


@pytest.mark.long
def test_the_examples_of_the_page(tmp_path):
    """In a fresh process, where kernels have to be loaded; what fails is of the size it shows."""
    blocks = re.findall(r"\.\. code-block:: \w+\n\n((?:   .*\n|\n)+)", PAGE.read_text())
    examples, told = ("\n".join(line[3:] for line in block.splitlines()) for block in blocks)
    code = f"""
import hypothesis
hypothesis.settings.register_profile("same", derandomize=True)
hypothesis.settings.load_profile("same")
{examples}
import scipy.sparse
from sparsebc.testing import all_shortest_paths
my_betweenness = lambda A: betweenness(A, normalized=False)
my_pipeline = lambda A: A.T
test_my_betweenness = settings(deadline=None)(test_my_betweenness)
test_my_betweenness()
test_scores_survive_my_pipeline()
print("survived")
my_pipeline = lambda A: scipy.sparse.csr_array(A.toarray())
{ONE_PATH}
for test in (test_my_betweenness, test_scores_survive_my_pipeline):
    try:
        test()
    except AssertionError as error:
        print(*error.__notes__)
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(PAGE.parent.parent)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("survived\n")
    calls = re.compile(r"A=(adjacency\(.*?\)),?$", re.M | re.S)
    printed, shown = (calls.findall(re.sub(" *#.*", "", text)) for text in (done.stdout, told))
    made = [[eval(call, {"adjacency": adjacency}) for call in calls] for calls in (printed, shown)]
    for one, other in zip(*made, strict=True):
        assert (one.shape, one.nnz, one.sum()) == (other.shape, other.nnz, other.sum())
