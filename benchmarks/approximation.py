"""Estimates from sources, from paths and by default choice, beside networkit's, at equal error.

Errors are on the scale of sparsebc: the largest deviation of a score from the exact one, over all
nodes and runs. In networkit, ``ApproxBetweenness`` divides by n (n - 1), normalized scores by
(n - 1)(n - 2), and ``KadabraBetweenness`` gives twice its result. Both are converted to our scale,
but get epsilon on their own. They take unweighted undirected graphs. Graphs of more than `EXACT`
nodes have no exact scores and no errors. A run of sparsebc of more than ``--most`` seconds is
stopped and has no row. Processor seconds do not depend on other load.

Pairs count equally, by weights of their ends, or between chosen nodes. A miss is a run of sparsebc
in which the error of any node exceeds its half-width; a fraction delta of the runs may miss.
``--cases small`` are graphs to count misses on.
"""

import functools
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
SMALL = [
    *("ba-500x3", "ba-800x2", "ba-300x20", "leafy-600x4", "leafy-1000x2"),
    *("rmat-9x8", "rmat-10x4", "rmat-10x16", "er-500x4", "er-800x8"),
    *("ws-500x6", "ws-1000x4", "ws-400x20", "road-20x30", "road-30x40"),
    *("oneway-20x25", "oneway-30x30w", "mesh-15x30", "mesh-12x12f", "many-12x34"),
]
DELTA, ROUNDING = 0.1, 1e-12
SLOW = {"Riondato-Kornaropoulos"}  # run once, at the largest epsilon only
EXACT = 200_000  # most nodes of graphs with exact scores


class TooLong(Exception):
    """An estimate exceeds the time limit."""


def weights(n):
    """Source weights of which a few are large, and target weights of which a third are 0."""
    rng = np.random.default_rng(3)
    alpha, omega = rng.pareto(1.5, n), rng.random(n) * (rng.random(n) < 2 / 3)
    return {"source_weights": alpha, "target_weights": omega}


def chosen(n):
    """Half of the nodes as sources, and half as targets."""
    rng = np.random.default_rng(3)
    return {name: rng.choice(n, n // 2, replace=False) for name in ("sources", "targets")}


QUESTIONS = {"all pairs": lambda n: {}, "weights": weights, "chosen": chosen}


def ours(case, how, options, kind=None):
    """Estimator of sparsebc by a kind of samples, from a float64 matrix on the host."""
    clock = time.perf_counter if suite.on_gpu(options) else time.process_time

    def run(epsilon, seed):
        begun = clock()

        def progress(*_):
            if clock() - begun > options.most:
                raise TooLong

        sampling = {"samples": kind, "rng": seed, "progress": progress}
        near = sparsebc.approximate_betweenness(
            case.A, epsilon=epsilon, delta=DELTA, **how, **sampling
        )
        drawn = "paths" if near.population is None else "sources"
        return near.scores, near.samples, drawn, near.half_widths

    return run


def networkit(case, name, factor):
    """Estimator of networkit, whose scores times ``factor * n / (n - 2)`` are on our scale."""
    import networkit as nk

    nk.setNumberOfThreads(peers.cores())
    n = case.A.shape[0]
    graph = peers.Graph(case.pattern.indptr, case.pattern.indices, False, "betweenness")
    G = nk.GraphFromCoo(tuple(ends.astype(np.uint64) for ends in graph.edges()), n=n)

    def run(epsilon, seed):
        nk.setSeed(seed, True)
        found = getattr(nk.centrality, name)(G, epsilon, DELTA).run()
        count = "numberOfSamples" if hasattr(found, "numberOfSamples") else "getNumberOfIterations"
        scores = np.asarray(found.scores()) * factor * n / (n - 2)
        return scores, int(getattr(found, count)()), "paths", np.inf

    return run


LIBRARIES = {
    "sparsebc": ours,
    "sources": functools.partial(ours, kind="sources"),
    "paths": functools.partial(ours, kind="paths"),
    "KADABRA": lambda case, *_: networkit(case, "KadabraBetweenness", 0.5),
    "Riondato-Kornaropoulos": lambda case, *_: networkit(case, "ApproxBetweenness", 1.0),
}
OURS = {"sparsebc", "sources", "paths"}
DEFAULT = ["sparsebc", "KADABRA", "Riondato-Kornaropoulos"]


def measure(run, seeds, epsilon, exact):
    """JSON fields of a library at one epsilon; empty if it takes too long."""
    try:
        runs = [suite.timed(lambda seed=seed: run(epsilon, seed)) for seed in seeds]
    except TooLong:
        return {}
    found, seconds, used = zip(*runs, strict=True)
    off = [] if exact is None else [(np.abs(each[0] - exact), each[3]) for each in found]
    return {
        "largest_score": float((found[-1][0] if exact is None else exact).max()),
        "epsilon": epsilon,
        "median_seconds": statistics.median(seconds),
        "median_processor_seconds": statistics.median(used),
        "all_seconds": seconds,
        "kind": found[0][2],
        "median_samples": statistics.median(count for _, count, *_ in found),
        "samples": [count for _, count, *_ in found],
        "error": max((float(error.max()) for error, _ in off), default=None),
        "misses": sum(bool((error > width + ROUNDING).any()) for error, width in off),
    }


def load(name, options):
    """A case, or all cases of ``small``."""
    names = SMALL if name == "small" else [name]
    return [suite.load(each, options) for each in names]


def rows(case, options):
    """Yield a JSON row for each question, library and epsilon."""
    for question in options.questions:
        how, exact, exact_seconds = case.options(options.device), None, None
        how |= QUESTIONS[question](case.A.shape[0])
        if case.A.shape[0] <= EXACT:
            exactly = functools.partial(sparsebc.betweenness, case.A, **how)
            exact, exact_seconds, _ = suite.timed(exactly)
        about = {**case.row(), "question": question, "exact_seconds": exact_seconds}
        for label in options.libraries:
            unlike = case.directed or case.weighted or question != "all pairs"
            if label not in OURS and (unlike or (exact is None and label in SLOW)):
                continue
            run, largest = LIBRARIES[label](case, how, options), max(options.epsilon)
            epsilons, seeds = options.epsilon, range(1, options.repeats + 1)
            if label in SLOW:
                epsilons, seeds = [largest], [1]
            else:
                measure(run, [0], largest, exact)  # compiles
            for epsilon in epsilons:
                row = measure(run, seeds, epsilon, exact)
                if row:
                    yield {**about, "library": label, **row}


@suite.benchmark(
    cases=CASES,
    load=load,
    repeats=3,
    device="cpu",
    epsilon=[0.05, 0.02, 0.01],
    questions=suite.option(["all pairs"], choices=QUESTIONS),
    libraries=suite.option(DEFAULT, choices=LIBRARIES),
    most=suite.option(np.inf, "seconds that one call of ours may take"),
)
def main(options, cases):
    """Yield the rows of each case."""
    for case in cases:
        yield from rows(case, options)


if __name__ == "__main__":
    main()
