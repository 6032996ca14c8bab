"""Runs with checkpoints, of all kinds, and ways to stop them."""

import functools

import numpy as np
import pytest
from calls import sparse_graph
from graphs import LARGE, layered, with_lengths

from sparsebc import approximate_betweenness, betweenness
from sparsebc.sweep import checkpoint

A = LARGE["large hubs"]
WEIGHTED = with_lengths(A, [1.0, 2.5, 3.25])
SPREAD = sparse_graph(2500)[:700, :700]
# Up to 3**749 paths, beyond floats: some blocks are swept twice, on a GPU three times.
LAYERS = layered(3, 750)
BEYOND_FLOATS = {"dtype": np.float32, "reduce": "none"}
PATHS = ["betweenness", "edge_betweenness", "stress"]


def header(directory):
    """Parts of the state in a directory by name, and of how many sources or samples they are."""
    kept = checkpoint.read(directory)
    if kept is None:
        return None
    parts = kept[0]["parts"]
    swept = parts.get("sum", {"sources": 0, "of": 1})
    sources = swept["sources"] + parts.get("samples", {}).get("done", 0)
    if "round" in parts:
        drawn, draws = parts["round"]["intervals"]["drawn"], parts["round"]["draws"]
        sources = drawn + draws * swept["sources"] // max(swept["of"], 1)
    return {**parts, **kept[0], "sources": sources}


def estimate(graph, **options):
    """An estimate whose rounds draw equal sources in every run."""
    return approximate_betweenness(graph, **{"epsilon": 0.02, "rng": 5, **options})


# A run of each kind: the call, its graph, and the number of progress reports before a stop.
KINDS = {"sums": (betweenness, A, 2), "rounds": (estimate, SPREAD, 4)}


def refused(directory, told):
    """Assert that a run is not resumed in a directory, with an error that matches ``told``."""
    with pytest.raises(ValueError, match=told):
        betweenness(A, device="cpu", checkpoint=directory)


@functools.cache
def exact():
    """Result of a run without a checkpoint."""
    return betweenness(A, device="cpu")


def goes_on(directory):
    """Assert that a run resumed in a directory has the bits of one without."""
    np.testing.assert_array_equal(betweenness(A, device="cpu", checkpoint=directory), exact())


class Stop(Exception):
    """Exception that ends a run in the tests."""


def stopping(after):
    """A progress function that raises after ``after`` calls."""
    left = iter(range(after))

    def progress(done, total):
        if next(left, None) is None:
            raise Stop

    return progress


def stop_and_go(measure, graph, directory, after=1, **options):
    """Result of a run that is stopped after ``after`` reports and resumed; number of stops."""
    keeps = {"checkpoint": directory, "checkpoint_every": 0}
    for stops in range(1000):
        try:
            return measure(graph, progress=stopping(after), **keeps, **options), stops
        except Stop:
            pass
    raise AssertionError("it never ends")
