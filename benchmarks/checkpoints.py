"""Measure the cost of checkpoints: the share of a run of about a minute that saves take.

The saves are timed within the run, so that other load affects both alike.
"""

import itertools
import tempfile
import time

import scipy.sparse as sp

import sparsebc
from sparsebc.sweep.checkpoint import Checkpoint

from . import suite


def circulant(n, hops=(1, 17, 289)):
    """Graph of n nodes joined at fixed offsets, from which every source takes equally long."""
    return sp.csr_array(sum(sp.eye_array(n, k=k) + sp.eye_array(n, k=-k) for k in hops))


# Options of a run, and of a short one before it.
MEASURES = {
    "betweenness": ({}, {"sources": range(64)}),
    "edge_betweenness": ({}, {"sources": range(64)}),
    "approximate_betweenness": (
        {"epsilon": 1e-6, "seconds": 60.0, "rng": 1},
        {"seconds": 1.0, "rng": 1},
    ),
}


def measure(measure, n, every):
    """JSON row of a run: its seconds, those of its saves, and their number."""
    A, saves, save = circulant(n), [], Checkpoint._save

    def timed(*args, **options):
        begun = time.perf_counter()
        save(*args, **options)
        saves.append(time.perf_counter() - begun)

    options = {"directed": False, "device": "cpu", "reduce": "none"}
    asked, short = MEASURES[measure]
    getattr(sparsebc, measure)(A, **short, **options)  # compiles, if need be
    Checkpoint._save = timed
    try:
        with tempfile.TemporaryDirectory() as kept:
            keeps = {"checkpoint": kept, "checkpoint_every": every}
            begun = time.perf_counter()
            getattr(sparsebc, measure)(A, **keeps, **asked, **options)
            seconds = time.perf_counter() - begun
    finally:
        Checkpoint._save = save
    return {
        **{"measure": measure, "nodes": n, "arcs": A.nnz, "checkpoint_every": every},
        **{"seconds": seconds, "saves": len(saves), "saving": sum(saves)},
        "share": sum(saves) / seconds,
    }


@suite.benchmark(nodes=24_000, every=suite.option([60.0, 1.0], "seconds"))
def main(options):
    """Yield a JSON row of each measure and each time between saves."""
    for name, every in itertools.product(MEASURES, options.every):
        yield measure(name, options.nodes, every)


if __name__ == "__main__":
    main()
