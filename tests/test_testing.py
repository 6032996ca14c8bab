"""What `sparsebc.testing` offers to others: examples that run as they stand, failures that tell."""

import re
import subprocess
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
import warm
from hypothesis import given
from hypothesis.vendor import pretty

from sparsebc.testing import matrices

PAGE = Path(__file__).parent.parent / "docs" / "testing.rst"


def arrays(A):
    return (A.data, *A.coords) if A.format == "coo" else (A.data, A.indices, A.indptr)


@given(matrices())
def test_a_matrix_is_printed_so_that_it_can_be_pasted(A):
    """All that is stored, in its order; SciPy's *_matrix chooses the type of the indices itself."""
    again = eval(pretty.pretty(A), {"np": np, "sp": sp})
    assert type(again) is type(A)
    assert again.shape == A.shape
    for one, other in zip(arrays(again), arrays(A), strict=True):
        np.testing.assert_array_equal(one, other)
        assert one.dtype == other.dtype or isinstance(A, sp.spmatrix)


@pytest.mark.long
def test_the_example_of_the_page(tmp_path):
    """In a fresh process, where kernels have to be loaded; a pipeline that fails shows entries."""
    blocks = re.findall(r"\.\. code-block:: \w+\n\n((?:   .*\n|\n)+)", PAGE.read_text())
    example, told = ("\n".join(line[3:] for line in block.splitlines()) for block in blocks)
    code = f"""{example}
import scipy.sparse
my_pipeline = lambda A: A.T
test_scores_survive_my_pipeline()
print("survived")
my_pipeline = lambda A: scipy.sparse.csr_array(A.toarray())
test_scores_survive_my_pipeline()
"""
    done = subprocess.run(
        [*warm.python(), "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(PAGE.parent.parent)},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stdout) == (1, "survived\n")
    shown, expected = (re.findall(r"A=(sp\..*),$", text, re.M) for text in (done.stderr, told))
    assert len(shown) == len(expected) == 1
    shown, expected = (eval(one, {"np": np, "sp": sp}) for one in (*shown, *expected))
    assert shown.data.tolist() == expected.data.tolist() == [0, 0]
