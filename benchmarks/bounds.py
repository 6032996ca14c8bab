"""Samples that each error bound takes, on equal draws of sources, or of paths.

- ours: `sparsebc.estimates.confidence_intervals`
- Maurer and Pontil's empirical Bernstein bound, arXiv:0907.3740, union over nodes and rounds
- Bardenet and Maillard's empirical Bernstein-Serfling bound, arXiv:1309.4029, likewise
- Monte-Carlo empirical Rademacher averages, as in SILVAN, arXiv:2106.03462 (all nodes as one family
  of functions), with the true variance, union over rounds
- Bavarian's, doi:10.1145/3577021: these averages, and a variance that is bounded from the draws,
  union over rounds. Its samplers of one source and of one path are the two kinds of draws here

Rounds of the last four grow by a fifth, from the draws that a mean of variance 0 takes. Paths are
drawn with replacement, ``--paths`` of them; where they do not suffice, their number is printed.
"""

from typing import NamedTuple

import numpy as np

import sparsebc
from sparsebc.estimates.choice import sampler
from sparsebc.estimates.confidence_intervals import Intervals
from sparsebc.matrix.edge_weights import TIE_RTOL

from . import suite

CASES = ["rmat-12x8", "ws-2000x10", "road-minnesota"]
DELTA = 0.1
GROWTH = 1.2
SIGNS = 10  # rows of random signs of the Rademacher averages
TRIALS = 100  # rows of signs for Bavarian, the most that its authors take


def dependencies(matrix):
    """Normalized dependency of each source (a row) on each node (a column)."""
    n = matrix.shape[0]
    raw = (
        sparsebc.betweenness(matrix, directed=False, normalized=False, sources=[s], device="cpu")
        for s in range(n)
    )
    return np.array([2 * row / (n - 2) for row in raw])


def paths(matrix, count):
    """Incidence of ``count`` sampled paths (rows) and their inner nodes (columns)."""
    how = {"directed": False, "weighted": False, "tie_rtol": TIE_RTOL, "run": {"device": "cpu"}}
    with sampler(matrix, 1, samples="paths", **how) as sample:
        rows = np.zeros((count, sample.alike), np.float32)
        for row in rows:
            row[sample.draw(1, 1, "")[2]] = 1
    return rows


def schedule(first, n):
    """Numbers of draws after each round, up to n."""
    rounds = [max(int(first), 64)]
    while rounds[-1] < n:
        rounds.append(int(GROWTH * rounds[-1]) + 1)
    return rounds[:-1]


def ours(values, order, epsilon, population):
    """Number of draws with the rounds and bounds of `approximate_betweenness`."""
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


class Draws(NamedTuple):
    """The first draws, and other parameters of a bound."""

    part: np.ndarray  # a row for each draw, a column for each node
    rounds: int
    population: float
    variance: float  # the true one, the largest of all nodes
    rng: np.random.Generator

    def average(self, rows):
        """Rademacher average from ``rows`` rows of random signs."""
        t = len(self.part)
        signs = self.rng.choice(np.array([-1, 1], self.part.dtype), (rows, t))
        return (signs @ self.part / t).max(axis=1).mean()

    def level(self, shares):
        """log(1 / delta'), with delta shared equally by ``shares`` bounds in each round."""
        return np.log(shares * self.rounds / DELTA)


def bernstein(draws):
    """Half-width sqrt(2 v l / t) + 7 l / (3 (t - 1)), l = log(4 m / delta)."""
    t, m = draws.part.shape
    level, variance = draws.level(4 * m), draws.part.var(axis=0, ddof=1).max()
    return np.sqrt(2 * variance * level / t) + 7 * level / (3 * (t - 1))


def serfling(draws):
    """Half-width sqrt(2 rho v l / t) + (7 / 3 + 3 / sqrt 2) l / t, l = log(10 m / delta)."""
    t, m = draws.part.shape
    level, variance = draws.level(10 * m), draws.part.var(axis=0).max()
    left = 1 - (t - 1) / draws.population
    rho = left if t <= draws.population / 2 else (1 - t / draws.population) * (1 + 1 / t)
    return np.sqrt(2 * rho * variance * level / t) + (7 / 3 + 3 / 2**0.5) * level / t


def rademacher(draws):
    """Half-width 2 R + sqrt(2 l (v + 4 R) / t) + l / (3 t), with R from signs drawn at random."""
    t, level = len(draws.part), draws.level(4)
    wimpy = (draws.part**2).mean(axis=0).max()
    average = draws.average(SIGNS) + np.sqrt(4 * wimpy * level / (SIGNS * t))
    R = average + level / t + np.sqrt((level / t) ** 2 + 2 * level * average / t)
    return 2 * R + np.sqrt(2 * level * (draws.variance + 4 * R) / t) + level / (3 * t)


def bavarian(draws):
    """Half-width 2 R + sqrt(2 l (V + 4 R) / t) + l / (3 t), l = log(5 rounds / delta).

    V and R are upper bounds of the largest second moment and of the Rademacher average, each from
    the draws and at a share of delta.
    """
    level = draws.level(5) / len(draws.part)
    moment = (draws.part**2).mean(axis=0).max()
    variance = moment + 2 * level / 3 + np.sqrt(level**2 / 3 + 2 * moment * level)
    average = draws.average(TRIALS)
    average += 2 * level / (3 * TRIALS) + np.sqrt(4 * moment * level / TRIALS)
    R = average + level / 3 + np.sqrt(level**2 / 12 + average * level)
    return 2 * R + np.sqrt(2 * level * (variance + 4 * R)) + level / 3


# Half-width; c, and whether m is a factor of it, in the first draws, log(c / delta) / epsilon.
BOUNDS = {
    "empirical Bernstein": (bernstein, 2, True),
    "Bernstein-Serfling": (serfling, 2, True),
    "Rademacher": (rademacher, 2, False),
    "Bavarian": (bavarian, 5, False),
}


def first_within(bound, values, order, epsilon, seed, population):
    """The first number of draws with a half-width of at most epsilon, or all draws."""
    half_width, shares, of_nodes = BOUNDS[bound]
    n, m = values.shape
    rounds = schedule(np.log(shares * (m if of_nodes else 1) / DELTA) / epsilon, n)
    about = len(rounds), population, values.var(axis=0).max(), np.random.default_rng(seed)
    return next((t for t in rounds if half_width(Draws(values[order[:t]], *about)) <= epsilon), n)


@suite.benchmark(
    cases=CASES,
    repeats=3,
    epsilon=[0.05, 0.02, 0.01],
    paths=suite.option(8192, "paths to look at"),
)
def main(options, case):
    """Yield a JSON row for each kind of samples and each epsilon: samples by each bound."""
    matrix = case.A
    drawn = {"sources": dependencies(matrix), "paths": paths(matrix, options.paths)}
    for kind, values in drawn.items():
        population = len(values) if kind == "sources" else np.inf
        for epsilon in options.epsilon:
            samples = {bound: [] for bound in ("ours", *BOUNDS)}
            for seed in range(options.repeats):
                order = np.random.default_rng(seed).permutation(len(values))
                samples["ours"].append(int(ours(values, order, epsilon, population)))
                for bound in BOUNDS:
                    count = first_within(bound, values, order, epsilon, seed, population)
                    samples[bound].append(int(count))
            about = {**case.row(), "kind": kind, "epsilon": epsilon, "delta": DELTA}
            yield {**about, "median_samples": suite.medians(samples), "samples": samples}


if __name__ == "__main__":
    main()
