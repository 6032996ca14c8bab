"""Samples that each way of bounding the error takes, on the same draws of sources, or of paths.

- ours: `sparsebc.measures.sampling.bounds`
- Maurer and Pontil's empirical Bernstein bound, arXiv:0907.3740, by a union over nodes and rounds
- Bardenet and Maillard's empirical Bernstein-Serfling bound, arXiv:1309.4029, likewise
- Monte-Carlo empirical Rademacher averages, as in SILVAN, arXiv:2106.03462 (all nodes as one family
  of functions), with the true variance given to it, by a union over rounds
- Bavarian's, doi:10.1145/3577021: the same averages, and a variance that is bounded from the draws,
  by a union over rounds. Its samplers of one source and of one path are the two kinds of draws here

Rounds of the last four grow by a fifth, from as many draws as a mean without variance takes. Of
paths, which are drawn with replacement, there are so many to look at; where they do not suffice,
their number is printed.
"""

import numpy as np

import sparsebc
from sparsebc.graph.edge_weights import TIE_RTOL
from sparsebc.measures.sampling.bounds import Intervals
from sparsebc.measures.sampling.choice import sampler

from . import suite

CASES = ["rmat-12x8", "ws-2000x10", "road-minnesota"]
DELTA = 0.1
GROWTH = 1.2
SIGNS = 10  # rows of random signs of the Rademacher averages
TRIALS = 100  # those of Bavarian, the most that its authors take


def dependencies(matrix):
    """Share of the pairs of each source, a row each, that pass each node."""
    n = matrix.shape[0]
    each = (
        sparsebc.betweenness(matrix, directed=False, normalized=False, sources=[s], device="cpu")
        for s in range(n)
    )
    return np.array([2 * one / (n - 2) for one in each])


def paths(matrix, count):
    """Which nodes each of so many sampled paths passes, a row each."""
    how = {"directed": False, "weighted": False, "tie_rtol": TIE_RTOL, "run": {"device": "cpu"}}
    with sampler(matrix, 1, samples="paths", **how) as sample:
        rows = np.zeros((count, sample.alike), np.float32)
        for row in rows:
            row[sample.draw(1, 1, "").nodes] = 1
    return rows


def schedule(first, n):
    """Numbers of draws to look at."""
    rounds = [max(int(first), 64)]
    while rounds[-1] < n:
        rounds.append(int(GROWTH * rounds[-1]) + 1)
    return rounds[:-1]


def ours(values, order, epsilon, _, population):
    """Rounds as `approximate_betweenness` has them."""
    n, m = values.shape
    intervals = Intervals(population, np.full(m, epsilon), DELTA)
    while intervals.drawn < n:
        count = min(intervals.plan(), n - intervals.drawn)
        part = values[order[intervals.drawn :][:count]].astype(float)
        intervals.add(count, part.sum(axis=0), (part**2).sum(axis=0))
        mean, low, high = intervals.bounds()
        if np.maximum(high - mean, mean - low).max() <= epsilon:
            break
    return intervals.drawn


def bernstein(values, order, epsilon, *_):
    """Half-width sqrt(2 v l / t) + 7 l / (3 (t - 1)), l = log(4 m / delta)."""
    n, m = values.shape
    rounds = schedule(np.log(2 * m / DELTA) / epsilon, n)
    for t in rounds:
        level = np.log(4 * m * len(rounds) / DELTA)
        variance = values[order[:t]].var(axis=0, ddof=1).max()
        if np.sqrt(2 * variance * level / t) + 7 * level / (3 * (t - 1)) <= epsilon:
            return t
    return n


def serfling(values, order, epsilon, _, population):
    """Half-width sqrt(2 rho v l / t) + (7 / 3 + 3 / sqrt 2) l / t, l = log(10 m / delta)."""
    n, m = values.shape
    rounds = schedule(np.log(2 * m / DELTA) / epsilon, n)
    for t in rounds:
        level = np.log(10 * m * len(rounds) / DELTA)
        variance = values[order[:t]].var(axis=0).max()
        left = 1 - (t - 1) / population
        rho = left if t <= population / 2 else (1 - t / population) * (1 + 1 / t)
        if np.sqrt(2 * rho * variance * level / t) + (7 / 3 + 3 / 2**0.5) * level / t <= epsilon:
            return t
    return n


def rademacher(values, order, epsilon, rng, _):
    """Half-width 2 R + sqrt(2 l (v + 4 R) / t) + l / (3 t), with R from signs drawn at random."""
    n, _ = values.shape
    rounds = schedule(np.log(2 / DELTA) / epsilon, n)
    variance = values.var(axis=0).max()
    for t in rounds:
        level = np.log(4 * len(rounds) / DELTA)
        part = values[order[:t]]
        average = (rng.choice([-1.0, 1.0], (SIGNS, t)) @ part / t).max(axis=1).mean()
        wimpy = (part**2).mean(axis=0).max()
        average += np.sqrt(4 * wimpy * level / (SIGNS * t))
        R = average + level / t + np.sqrt((level / t) ** 2 + 2 * level * average / t)
        if 2 * R + np.sqrt(2 * level * (variance + 4 * R) / t) + level / (3 * t) <= epsilon:
            return t
    return n


def bavarian(values, order, epsilon, rng, _):
    """Half-width 2 R + sqrt(2 l (V + 4 R) / t) + l / (3 t), l = log(5 rounds / delta).

    V and R are bounds of the largest second moment and of the Rademacher average, each from the
    draws but for a share of delta.
    """
    n, _ = values.shape
    rounds = schedule(np.log(5 / DELTA) / epsilon, n)
    for t in rounds:
        level = np.log(5 * len(rounds) / DELTA) / t
        part = values[order[:t]]
        moment = (part**2).mean(axis=0).max()
        variance = moment + 2 * level / 3 + np.sqrt(level**2 / 3 + 2 * moment * level)
        signs = rng.choice(np.array([-1, 1], part.dtype), (TRIALS, t))
        average = (signs @ part / t).max(axis=1).mean()
        average += 2 * level / (3 * TRIALS) + np.sqrt(4 * moment * level / TRIALS)
        R = average + level / 3 + np.sqrt(level**2 / 12 + average * level)
        if 2 * R + np.sqrt(2 * level * (variance + 4 * R)) + level / 3 <= epsilon:
            return t
    return n


BOUNDS = {
    "ours": ours,
    "empirical Bernstein": bernstein,
    "Bernstein-Serfling": serfling,
    "Rademacher": rademacher,
    "Bavarian": bavarian,
}


def measure(name, options):
    """Yield a JSON row for each kind of samples and each error: samples by each bound."""
    matrix = suite.load(name, options.folder).A
    drawn = {"sources": dependencies(matrix), "paths": paths(matrix, options.paths)}
    for kind, values in drawn.items():
        population = len(values) if kind == "sources" else np.inf
        for epsilon in options.epsilon:
            samples = {bound: [] for bound in BOUNDS}
            for seed in range(options.repeats):
                order = np.random.default_rng(seed).permutation(len(values))
                for bound, count in BOUNDS.items():
                    rng = np.random.default_rng(seed)
                    samples[bound].append(int(count(values, order, epsilon, rng, population)))
            about = {"graph": name, "nodes": matrix.shape[0], "kind": kind, "epsilon": epsilon}
            yield {**about, "samples": samples}


def line(row):
    """Graph, kind of samples, error, and the median of the samples by each bound."""
    medians = "".join(f" {value:>20.0f}" for value in suite.medians(row["samples"]).values())
    return f"{row['graph']:<20}{row['kind']:<8}{row['epsilon']:>8}{medians}"


def main(arguments=None):
    """Count samples, print a table, write a JSON file."""
    parser = suite.parser("bounds", __doc__, cases=CASES, repeats=3)
    parser.add_argument("--epsilon", nargs="+", type=float, default=[0.05, 0.02, 0.01])
    parser.add_argument("--paths", type=suite.positive, default=8192, help="paths to look at")
    print(f"{'graph':<28}{'epsilon':>8}", *(f"{name:>20}" for name in BOUNDS))
    suite.run(parser, arguments, measure, line, delta=DELTA)


if __name__ == "__main__":
    main()
