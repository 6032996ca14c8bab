"""Measure what `explain` predicts against what calls take: plan and call in turn.

A case is NAME, NAME:SOURCES or NAME:SOURCESball, as in the benchmarks of the measures. The ratio is
that of the medians; a prediction is good within a factor of 1.5.
"""

import time

import sparsebc

from . import suite
from .__main__ import CPU, DISTANCES, GPU, WEIGHTED, WEIGHTED_GPU

GOAL = 1.5
SUITES = {
    "cpu": {"betweenness": [*CPU, *WEIGHTED], "closeness": DISTANCES, "harmonic": DISTANCES},
    "cuda": {"betweenness": [*GPU, *WEIGHTED_GPU], "closeness": GPU, "harmonic": GPU},
}
MEASURES = tuple(SUITES["cpu"])


def measure(name, measured, options):
    """Plan and run one case in turn; returns its JSON row."""
    case = suite.load(name, options.folder)
    run = {**case.options(options.device), "sources": case.sources}
    function = getattr(sparsebc, measured)
    rows = {"predicted": [], "seconds": [], "explain": []}
    for turn in range(options.repeats + 1):
        begun = time.perf_counter()
        plan = sparsebc.explain(case.A, measured, **run)
        planned = time.perf_counter()
        function(case.A, **run)
        done = time.perf_counter()
        if turn:  # the first compiles
            rows["explain"].append(planned - begun)
            rows["seconds"].append(done - planned)
            rows["predicted"].append(plan.estimates[0].seconds.likely)
    median = suite.medians(rows)
    return {
        "graph": name,
        "measure": measured,
        "median_seconds": median,
        "ratio": median["predicted"] / median["seconds"],
        "all_seconds": rows,
    }


def line(row):
    """Seconds predicted, those of the call and of the plan, and whether the first are good."""
    seconds = "".join(f"{value:>10.3f}" for value in row["median_seconds"].values())
    good = "good" if 1 / GOAL <= row["ratio"] <= GOAL else "off"
    return f"{row['graph']:<32}{row['measure']:<14}{seconds}{row['ratio']:>8.2f}  {good}"


def main(arguments=None):
    """Plan and run the cases, print a line each, and write the JSON file."""
    parser = suite.parser("estimates", __doc__, cases=(), repeats=3, device="cpu")
    parser.add_argument("--measures", nargs="+", choices=MEASURES, default=MEASURES)
    options = suite.parse(parser, arguments)
    rows = (
        measure(name, measured, options)
        for measured in options.measures
        for name in options.cases or SUITES[options.device][measured]
    )
    suite.keep(suite.record(options, arguments), rows, line)


if __name__ == "__main__":
    main()
