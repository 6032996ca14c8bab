"""Kernels compiled ahead, by the command for it."""

import pytest
from children import python


@pytest.mark.slow
def test_nothing_is_left_to_compile(tmp_path):
    """A process that scores a network afterwards announces nothing."""
    place = {"NUMBA_CACHE_DIR": str(tmp_path)}
    out, err = python("-m", "sparsebc", "--compile", **place)
    assert err.count("compiling the kernels") == 1
    assert f": {tmp_path}" in out
    for network in ("karate", "human-proteins"):
        line = ("betweenness", network, "--device", "cpu", "--quiet")
        assert python("-m", "sparsebc", *line, **place)[1] == ""
