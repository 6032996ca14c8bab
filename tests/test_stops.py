"""Scripts that run by themselves: kernels stopped at each look, by signals, or by other threads."""

import os
from pathlib import Path

import pytest
from children import python

HERE = Path(__file__).parent


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="no signals")
def test_control_c_at_any_moment_leaves_the_next_call_its_bits():
    """KeyboardInterrupt or a result, and the next call has the same bits."""
    assert "of 1000 heard" in python(HERE / "interrupts.py", 1000, MALLOC_PERTURB_="165")[0]


@pytest.mark.long
def test_a_matrix_that_another_thread_overwrites_crashes_nothing():
    """It gives wrong scores or an error."""
    python(HERE / "overwritten.py", MALLOC_PERTURB_="165")
