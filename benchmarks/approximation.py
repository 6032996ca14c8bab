"""Estimates by sources, by paths and by what is chosen, beside networkit's, at equal error.

Errors are on the scale of ours: the largest distance of a score from the exact one, over all nodes
and runs. Of networkit, ``ApproxBetweenness`` divides by n (n - 1) where normalized scores divide by
(n - 1)(n - 2), and ``KadabraBetweenness`` gives twice that; both are brought to our scale, and get
the error asked for on their own. They take undirected graphs without lengths. Graphs of more than
`EXACT` nodes have no exact scores to compare with, and no errors. One of ours that takes longer
than ``--most`` seconds is ended, and has no row. Other work does not stretch seconds of processors.

Pairs count all the same, by weights of their ends, or between chosen nodes. A miss is a run of ours
in which a score of any node is farther from the exact one than its half-width; a share delta of the
runs may miss. ``--cases small`` are graphs to count misses on.
"""

import functools
import itertools
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
EXACT = 200_000


class TooLong(Exception):
    """An estimate takes longer than it may."""


def weights(n):
    """Weights of which a few are heavy as sources, and a third are 0 as targets."""
    rng = np.random.default_rng(3)
    alpha, omega = rng.pareto(1.5, n), rng.random(n) * (rng.random(n) < 2 / 3)
    return {"source_weights": alpha, "target_weights": omega}


def chosen(n):
    """Half of the nodes as sources, and half as targets."""
    rng = np.random.default_rng(3)
    return {name: rng.choice(n, n // 2, replace=False) for name in ("sources", "targets")}


QUESTIONS = {"all pairs": lambda n: {}, "weights": weights, "chosen": chosen}


def ours(case, how, options, kind=None):
    """Ours by a kind of samples, float64 matrix on the host in and scores out."""
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
    """One of networkit's two, whose scores times the factor are ours; n - 2 for n aside."""
    import networkit as nk

    nk.setNumberOfThreads(peers.cores())
    n = case.A.shape[0]
    graph = peers.Graph(case.pattern.indptr, case.pattern.indices, False, None)
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
    """What a row has of a library at one error, or nothing if it takes too long."""
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
    """A case, or each of those of ``small``."""
    names = SMALL if name == "small" else [name]
    return [suite.load(each, options) for each in names]


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
    """Yield rows of each graph and question: a library at one error each."""
    for case, question in itertools.product(cases, options.questions):
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


if __name__ == "__main__":
    main()
