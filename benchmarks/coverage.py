"""How often estimates of betweenness keep what they state: every score within its half-width.

Both kinds of samples, of all pairs, of pairs that count by weights of their ends, and of those
between chosen nodes, on graphs small enough to know the scores. A miss is a run in which any score
of any node is farther from the exact one than its half-width; a share delta of the runs may miss.
"""

import itertools

import numpy as np

import sparsebc

from . import suite

CASES = [
    *("ba-500x3", "ba-800x2", "ba-300x20", "leafy-600x4", "leafy-1000x2"),
    *("rmat-9x8", "rmat-10x4", "rmat-10x16", "er-500x4", "er-800x8"),
    *("ws-500x6", "ws-1000x4", "ws-400x20", "road-20x30", "road-30x40"),
    *("oneway-20x25", "oneway-30x30w", "mesh-15x30", "mesh-12x12f", "many-12x34"),
]
DELTA = 0.1
KINDS = ("sources", "paths")
ROUNDING = 1e-12


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


def measure(name, options):
    """Yield a JSON row for each question and kind of samples: runs, misses, samples, error."""
    case = suite.load(name, options.folder)
    for question, kind in itertools.product(options.questions, KINDS):
        how = case.options(options.device) | QUESTIONS[question](case.A.shape[0])
        exact = sparsebc.betweenness(case.A, **how)
        misses, samples, error = 0, [], 0.0
        for seed in range(options.repeats):
            near = sparsebc.approximate_betweenness(
                case.A, epsilon=options.epsilon, delta=DELTA, rng=seed, samples=kind, **how
            )
            off = np.abs(near.scores - exact)
            misses += int((off > near.half_widths + ROUNDING).any())
            samples.append(near.samples)
            error = max(error, float(off.max()))
        yield {
            **case.row(name),
            "question": question,
            "samples": kind,
            "runs": options.repeats,
            "misses": misses,
            "median_samples": float(np.median(samples)),
            "error": error,
        }


def line(row):
    """Graph, question, kind of samples, how many, the largest error of all runs, and misses."""
    return (
        f"{row['graph']:<20}{row['question']:<10}{row['samples']:<9}{row['median_samples']:>9.0f}{row['error']:>10.2g}"
        f"{row['misses']:>5} of {row['runs']}"
    )


def main(arguments=None):
    """Count misses, print a line each, and write the JSON file."""
    parser = suite.parser("coverage", __doc__, cases=CASES, repeats=200, device="cpu")
    parser.add_argument("--epsilon", type=float, default=0.05)
    parser.add_argument("--questions", nargs="+", choices=QUESTIONS, default=[*QUESTIONS])
    options = suite.parse(parser, arguments)
    rows = (row for name in options.cases for row in measure(name, options))
    suite.keep(suite.record(options, arguments, delta=DELTA, epsilon=options.epsilon), rows, line)


if __name__ == "__main__":
    main()
