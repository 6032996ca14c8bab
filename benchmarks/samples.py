"""Estimates from sources, from paths, and from what is chosen: seconds, samples and true error.

Each kind is run to the same error. Seconds on a CPU are those of its processors, which other work
does not stretch. One that takes longer than ``--most`` seconds is ended, and has
None for its seconds. ``slower`` is what was chosen over the better of the two. Graphs of more than
`EXACT` nodes have no exact scores to compare with, and no errors.
"""

import statistics
import time

import numpy as np

import sparsebc

from . import suite

CASES = ["email-enron-snap", "soc-slashdot0902", "rmat-18x8", "rmat-20x16", "ba-30000x50"]
CASES += ["ws-100000x10", "road-300x300", "road-1000x1000", "power-case13659pegase"]
KINDS = {"sources": "sources", "paths": "paths", "chosen": None}
DELTA = 0.1
EXACT = 100_000


class TooLong(Exception):
    """An estimate takes longer than it may."""


def estimates(case, epsilon, kind, options):
    """Estimates by a kind of samples, with their seconds; none if one takes too long."""
    found, clock = [], time.perf_counter if suite.on_gpu(options) else time.process_time
    for seed in range(options.repeats + 1):  # the first compiles
        begun = clock()

        def progress(*_, begun=begun):
            if clock() - begun > options.most:
                raise TooLong

        how = case.options(options.device) | {"samples": KINDS[kind], "progress": progress}
        try:
            near = sparsebc.approximate_betweenness(
                case.A, epsilon=epsilon, delta=DELTA, rng=seed, **how
            )
        except TooLong:
            return []
        found.append((near, clock() - begun))
    return found[1:]


def measure(name, options):
    """Yield a JSON row for each error: of each kind seconds, samples, and the largest error."""
    case = suite.load(name, options.folder)
    exact = None
    if case.A.shape[0] <= EXACT:
        exact = sparsebc.betweenness(case.A, **case.options(options.device))
    for epsilon in options.epsilon:
        row = {**case.row(name), "epsilon": epsilon, "seconds": {}, "samples": {}, "error": {}}
        for kind in KINDS:
            found = estimates(case, epsilon, kind, options)
            row["seconds"][kind] = None
            if not found:
                continue
            row["seconds"][kind] = statistics.median(seconds for _, seconds in found)
            row["samples"][kind] = [near.samples for near, _ in found]
            if exact is not None:
                row["error"][kind] = max(float(abs(near.scores - exact).max()) for near, _ in found)
            if kind == "chosen":
                row["chosen"] = "paths" if found[0][0].population is None else "sources"
        both = [row["seconds"][kind] or np.inf for kind in ("sources", "paths")]
        row["slower"] = (row["seconds"]["chosen"] or np.inf) / min(both)
        yield row


def line(row):
    """Graph, error, seconds of each kind, what was chosen, and how much slower that is."""
    seconds = (row["seconds"][kind] for kind in KINDS)
    told = "".join(f"{'-' if each is None else format(each, '.4g'):>10}" for each in seconds)
    chosen = f"{row.get('chosen', '-'):<8}{row['slower']:.2f}"
    return f"{row['graph']:<24}{row['epsilon']:>8}{told}  {chosen}"


def main(arguments=None):
    """Time the kinds, print a line for each error, and write the JSON file."""
    parser = suite.parser("samples", __doc__, cases=CASES, repeats=3, device="cpu")
    parser.add_argument("--epsilon", nargs="+", type=float, default=[0.01, 0.001])
    parser.add_argument("--most", type=float, default=60.0, help="seconds that one call may take")
    suite.run(parser, arguments, measure, line, delta=DELTA)


if __name__ == "__main__":
    main()
