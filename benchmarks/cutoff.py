"""Measure runs with a cutoff, a share of the diameter, beside the run without: values first.

The cutoff is a share of the longest distance in two searches, from a node and from the node
farthest from it. From a few sources the scores within it are compared with those of the reference
engine. The largest of several cutoffs is this one, the others its half and its quarter.
"""

import numpy as np
from scipy.sparse import csgraph

import sparsebc

from . import suite

CHECKED = 4  # sources of the reference
TOLERANCE = 1e-9
MEASURES = ("betweenness", "closeness")
CASES = ["road-200x200", "road-200x200w"]


def reach(matrix, *, weighted):
    """Longest distance in two searches: a lower bound of the diameter, close to it on roads."""
    far, longest = 0, 0.0
    for _ in range(2):
        away = csgraph.dijkstra(matrix, directed=False, unweighted=not weighted, indices=far)
        away[np.isinf(away)] = 0
        far, longest = int(away.argmax()), float(away.max())
    return longest


@suite.benchmark(cases=CASES, repeats=3, device="cpu", share=suite.option(0.05, "of the diameter"))
def main(options, case):
    """Yield the JSON row of one case, ``GRAPH[:SOURCES[ball]]``."""
    A, sources, on = case.A, case.every_source, options.device
    radius = options.share * reach(A, weighted=case.weighted)
    asked = {**case.options(on), "sources": sources}
    few = {**asked, "sources": sources[:: -(-sources.size // CHECKED)]}
    deviation = suite.deviation(
        sparsebc.betweenness(A, cutoff=radius, **few),
        sparsebc.betweenness(A, cutoff=radius, **{**few, "device": "reference"}),
    )
    suite.check(f"{case.name} within {radius:g}", deviation, TOLERANCE)
    ways = {"whole": None, "one": radius, "three": [radius / 4, radius / 2, radius]}
    seconds = {}
    for measured in MEASURES:
        function = getattr(sparsebc, measured)
        for way, cutoff in ways.items():
            # Compiles: on a GPU few sources may run by another kernel, so all are swept.
            function(A, cutoff=cutoff, **(few if on == "cpu" else asked))
            seconds[f"{measured}, {way}"] = suite.seconds_of(
                lambda function=function, cutoff=cutoff: function(A, cutoff=cutoff, **asked),
                1 if cutoff is None else options.repeats,
            )
    median = suite.medians(seconds)
    yield {
        **case.row(),
        "by_length": case.weighted,
        "sources": sources.size,
        "radius": radius,
        "median_seconds": median,
        "shares": {one: median[f"{one}, one"] / median[f"{one}, whole"] for one in MEASURES},
        "all_seconds": seconds,
        "deviation": deviation,
    }


if __name__ == "__main__":
    main()
