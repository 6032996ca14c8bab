"""Measure what exact reductions save: the same calls with all of them and with none, in turn.

Scores are compared first. Whole calls, by default on the CPU, from a SciPy matrix to scores:
seconds, and those of all threads of the process, which tell more where others share the machine.
``--sources`` takes runs of nodes spread over all, so that twins that are numbered one after the
other stay together. Measures joined by + are asked for at once.
"""

import functools

import numpy as np

import sparsebc

from . import suite

CASES = [
    "power-case13659pegase",
    "power-case13659pegasew",
    "email-enron-snap",
    "bio-human-ppi-snap-pathways",
    "soc-slashdot0902",
    "airports-openflightsw",
    "leafy-50000x6",
    "mesh-4elt",
    "rmat-14x8",
]
MEASURES = ("closeness", "eccentricity", "betweenness", "stress", "betweenness+stress")
RTOL = 1e-10
# Nodes of a run, of which all are sources or none.
RUN = 500


def sampled(n, count):
    """Some count of n nodes, in runs of `RUN`; all if that is none."""
    runs = np.arange(n) // RUN
    return np.arange(n) if count is None else np.flatnonzero(runs % max(1, n // count) == 0)


def measure(name, options):
    """Yield the JSON row of a graph by each measure, or several joined by +."""
    case = suite.load(name, options.folder)
    for measures in options.measures:
        yield _row(name, case, measures, options)


def _row(name, case, measures, options):
    run = {**case.options(options.device), "cutoff": options.cutoff}
    sources = sampled(case.A.shape[0], options.sources)
    if options.sources is not None:
        run["sources"] = sources
    scores, names = {}, measures.split("+")

    def call(choice):
        scores[choice], *seconds = suite.timed(
            lambda: sparsebc.centralities(case.A, names, **run, reduce=choice)
        )
        return seconds

    ways = {choice: functools.partial(call, choice) for choice in ("none", "all")}
    found = suite.beside(ways, options.repeats)
    for measured, want in scores["none"].items():
        np.testing.assert_allclose(scores["all"][measured], want, rtol=RTOL, atol=1e-14)
    return {
        **case.row(name),
        "measure": measures,
        "cutoff": options.cutoff,
        "device": options.device,
        "sources": sources.size,
        **found,
    }


def line(row):
    """Seconds of the two ways in turn, and their ratios, by the clock and of all threads."""
    times = "".join(f"{value:>10.4f}" for value in row["median_seconds"].values())
    ratios = f"{row['ratio']:>8.2f}{row['cpu_ratio']:>8.2f}"
    return f"{row['graph']:<32}{row['measure']:<20}{times}{ratios}"


def main(arguments=None):
    """Measure the cases, print a line each, and write the JSON file."""
    parser = suite.parser("reductions", __doc__, cases=CASES, device="cpu")
    parser.add_argument("--measures", nargs="+", choices=MEASURES, default=["closeness"])
    suite.add_repeats_of_long_calls(parser)
    parser.add_argument("--sources", type=int, help="about so many, in runs of nodes; all of them")
    parser.add_argument("--cutoff", type=float, help="only pairs at most so far apart")
    suite.run(parser, arguments, measure, line)


if __name__ == "__main__":
    main()
