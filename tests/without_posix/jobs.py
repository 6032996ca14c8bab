"""The main jobs of the library on a system without POSIX; arguments name the jobs to run."""

import concurrent.futures
import multiprocessing
import os
import sys
import warnings
from pathlib import Path

import numpy as np

import sparsebc
from sparsebc import datasets, io
from sparsebc.cli import main as cli

warnings.filterwarnings("error", category=EncodingWarning, module="sparsebc")
A = datasets.load("karate").matrix
RUN = {"directed": False, "device": "cpu"}


def library():
    """Unweighted and weighted scores, a search, and a plan."""
    want = sparsebc.betweenness(A, directed=False, device="reference")
    np.testing.assert_allclose(sparsebc.betweenness(A, **RUN), want, rtol=1e-12)
    np.testing.assert_allclose(sparsebc.betweenness(A, weighted=True, workers=2, **RUN), want)
    assert sparsebc.bfs(A, [0], device="cpu").max() == 3
    assert "sources" in str(sparsebc.explain(A, **RUN))


def files():
    """Write each format twice to one file, read one back; no temporary files remain."""
    network = datasets.load("karate")
    for name in ("k.csv", "k.csv.gz", "k.tsv.bz2", "k.txt.xz", "k.json"):
        for _ in range(2):
            io.write_scores(name, {"degree": np.arange(34.0)}, network.names)
    for name in ("k.graphml", "k.gexf"):
        for _ in range(2):
            io.write_network(name, A, network.names, directed=False)
    assert io.read("k.graphml").matrix.shape == (34, 34)
    assert not list(Path().glob(".*"))


class Stop(Exception):
    """Exception that ends a run."""


def checkpoint():
    """A run that is stopped in the middle resumes to equal bits."""
    grid = datasets.load("power-grid-europe").matrix

    def stop(done, total):
        if done > total / 3:
            raise Stop

    run = {**RUN, "checkpoint": "run", "checkpoint_every": 0}
    try:
        sparsebc.betweenness(grid, progress=stop, **run)
    except Stop:
        assert Path("run", "state.npz").exists()
    else:
        raise AssertionError("it went on")
    want = sparsebc.betweenness(grid, **RUN)
    np.testing.assert_array_equal(sparsebc.betweenness(grid, **run), want)
    np.testing.assert_array_equal(sparsebc.betweenness(grid, **run), want)


def executor():
    """Run in spawned processes, the default everywhere but on Linux."""
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(2, mp_context=context) as pool:
        got = sparsebc.betweenness(A, executor=pool, **RUN)
    np.testing.assert_array_equal(got, sparsebc.betweenness(A, **RUN))


def commands():
    """Print a table, and write files over existing ones."""
    assert not cli.main("betweenness karate --top 3".split())
    for _ in range(2):
        for options in ("-o scores.csv", "-o page.html"):
            assert not cli.main(f"betweenness karate {options} --quiet".split())
    for options in ("-o other.csv --executor processes:2", "-o third.csv --checkpoint run"):
        assert not cli.main(f"betweenness karate {options} --quiet".split())
    assert not cli.main(["info"])


if __name__ == "__main__":
    assert not hasattr(os, "geteuid"), "this is a POSIX system"
    for job in sys.argv[1:]:
        globals()[job]()
    print("done")
