"""Approximate betweenness beside networkit's, at equal error and probability: seconds, true error.

Errors are on the scale of ours: the largest distance of a score from the exact one, over all nodes
and runs. Of networkit, ``ApproxBetweenness`` divides by n (n - 1) where normalized scores divide by
(n - 1)(n - 2), and ``KadabraBetweenness`` gives twice that; both are brought to our scale, and get
the error asked for on their own. They take undirected graphs only. Graphs of more than `EXACT`
nodes have no exact scores to compare with, and no errors.
"""

import statistics
import time

import numpy as np

import sparsebc

from . import peers, suite

CASES = [
    "bio-human-hein2015",
    "bio-human-ppi-snap-pathways",
    "email-enron-snap",
    "rmat-14x8",
    "ba-5000x50",
    "ws-5000x10",
    "road-minnesota",
    "power-case13659pegase",
]
DELTA = 0.1
SLOW = {"Riondato-Kornaropoulos"}  # run once, at the largest epsilon only
EXACT = 200_000


def ours(matrix, directed=False):
    """Ours, float64 matrix on the host in and scores out."""
    values = matrix.astype(np.float64)

    def run(epsilon, seed):
        near = sparsebc.approximate_betweenness(
            values, epsilon=epsilon, delta=DELTA, rng=seed, directed=directed, device="cpu"
        )
        return near.scores, near.samples

    return run


def networkit(matrix, name, factor):
    """One of networkit's two, whose scores times the factor are ours; n - 2 for n aside."""
    import networkit as nk

    nk.setNumberOfThreads(peers.cores())
    n = matrix.shape[0]
    graph = peers.Graph(matrix.indptr, matrix.indices, False, None)
    G = nk.GraphFromCoo(tuple(ends.astype(np.uint64) for ends in graph.edges()), n=n)

    def run(epsilon, seed):
        nk.setSeed(seed, True)
        found = getattr(nk.centrality, name)(G, epsilon, DELTA).run()
        count = "numberOfSamples" if hasattr(found, "numberOfSamples") else "getNumberOfIterations"
        return np.asarray(found.scores()) * factor * n / (n - 2), int(getattr(found, count)())

    return run


LIBRARIES = {
    "sparsebc": ours,
    "KADABRA": lambda matrix: networkit(matrix, "KadabraBetweenness", 0.5),
    "Riondato-Kornaropoulos": lambda matrix: networkit(matrix, "ApproxBetweenness", 1.0),
}


def measure(name, options):
    """Rows of one graph: a library at one error each."""
    case, epsilons = suite.load(name, options.folder), options.epsilon
    matrix, exact, exact_seconds = case.pattern, None, None
    if matrix.shape[0] <= EXACT:
        begun = time.perf_counter()
        exact = sparsebc.betweenness(matrix, directed=case.directed, device="cpu")
        exact_seconds = time.perf_counter() - begun
    for label, make in LIBRARIES.items():
        if label != "sparsebc" and (case.directed or (exact is None and label in SLOW)):
            continue
        run = ours(matrix, case.directed) if label == "sparsebc" else make(matrix)
        if label not in SLOW:
            run(max(epsilons), 0)
        for epsilon in [max(epsilons)] if label in SLOW else epsilons:
            seconds, samples, errors = [], [], []
            for seed in range(1, 2 if label in SLOW else options.repeats + 1):
                begun = time.perf_counter()
                scores, count = run(epsilon, seed)
                seconds.append(time.perf_counter() - begun)
                samples.append(count)
                errors.append(None if exact is None else float(np.abs(scores - exact).max()))
            yield {
                **case.row(name),
                "largest_score": float(scores.max() if exact is None else exact.max()),
                "exact_seconds": exact_seconds,
                "library": label,
                "epsilon": epsilon,
                "median_seconds": statistics.median(seconds),
                "all_seconds": seconds,
                "samples": samples,
                "error": None if exact is None else max(errors),
            }


def line(row):
    """Graph, error asked for, library; samples, seconds and true error."""
    return (
        f"{row['graph']:<30}{row['epsilon']:>8}{row['library']:>24}"
        f"{int(statistics.median(row['samples'])):>9}{row['median_seconds']:>9.4g}"
        f"{'' if row['error'] is None else format(row['error'], '.2g'):>9}"
    )


def main(arguments=None):
    """Measure every case, print its rows, keep the JSON file up to date."""
    parser = suite.parser("approximation", __doc__, cases=CASES, repeats=3)
    parser.add_argument("--epsilon", nargs="+", type=float, default=[0.05, 0.02, 0.01])
    print(f"{'graph':<30}{'epsilon':>8}{'library':>24}{'samples':>9}{'seconds':>9}{'error':>9}")
    suite.run(parser, arguments, measure, line, delta=DELTA)


if __name__ == "__main__":
    main()
