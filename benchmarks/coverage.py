"""How often estimates of betweenness keep what they state: every score within its half-width.

Both kinds of samples, on graphs small enough to know the scores. A miss is a run in which any score
of any node is farther from the exact one than its half-width; a share delta of the runs may miss.
"""

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


def measure(name, options):
    """Yield a JSON row for each kind of samples: runs, misses, samples, and the largest error."""
    case = suite.load(name, options.folder)
    how = {"directed": case.directed, "weighted": case.weighted, "device": options.device}
    exact = sparsebc.betweenness(case.A, **how)
    for kind in KINDS:
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
            "samples": kind,
            "runs": options.repeats,
            "misses": misses,
            "median_samples": float(np.median(samples)),
            "error": error,
        }


def line(row):
    """Graph, kind of samples, how many, the largest error of all runs, and misses."""
    return (
        f"{row['graph']:<20}{row['samples']:<9}{row['median_samples']:>9.0f}{row['error']:>10.2g}"
        f"{row['misses']:>5} of {row['runs']}"
    )


def main(arguments=None):
    """Count misses, print a line each, and write the JSON file."""
    parser = suite.parser("coverage", __doc__, cases=CASES, repeats=200, device="cpu")
    parser.add_argument("--epsilon", type=float, default=0.05)
    options = suite.parse(parser, arguments)
    rows = (row for name in options.cases for row in measure(name, options))
    suite.keep(suite.record(options, arguments, delta=DELTA, epsilon=options.epsilon), rows, line)


if __name__ == "__main__":
    main()
