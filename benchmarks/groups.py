"""Measure group betweenness beside betweenness on one device: values first.

The score of a group of one node is the betweenness of the node, and the first node of a prominent
group has the highest betweenness with endpoints: these come from another backward phase, and are
compared. Then times of one group, of eight, and of a prominent group of five.
"""

import numpy as np

import sparsebc

from . import suite

TOLERANCE = 1e-9
CHECKED, MANY, PROMINENT, SIZE = 3, 8, 5, 10  # groups, groups, nodes, nodes of a group
CASES = ["ba-2000x5", "road-40x40", "road-40x40w"]


def deviation(A, scores, with_ends, **options):
    """Largest deviation of groups of one node from betweenness, over the highest score."""
    busy = np.argsort(scores)[-CHECKED:]
    alone = sparsebc.group_betweenness(A, busy[:, np.newaxis], normalized=False, **options)
    first = sparsebc.prominent_group(A, 1, normalized=False, **options)
    apart = [*(alone - scores[busy]) / scores.max(), first.scores[0] / with_ends.max() - 1]
    return float(np.abs(apart).max())


@suite.benchmark(cases=CASES, repeats=3, device="cpu")
def main(options, case):
    """Yield the JSON row of a graph."""
    A, run = case.A, case.options(options.device)
    ways = [
        sparsebc.betweenness(A, normalized=False, endpoints=ends, **run) for ends in (False, True)
    ]
    apart = deviation(A, *ways, **run)
    suite.check(f"{case.name}: groups of one node", apart, TOLERANCE)
    rng = np.random.default_rng(1)
    groups = [rng.choice(A.shape[0], SIZE, replace=False) for _ in range(MANY)]
    calls = {
        "betweenness": lambda: sparsebc.betweenness(A, **run),
        "one group": lambda: sparsebc.group_betweenness(A, groups[:1], **run),
        f"{MANY} groups": lambda: sparsebc.group_betweenness(A, groups, **run),
        f"prominent {PROMINENT}": lambda: sparsebc.prominent_group(A, PROMINENT, **run),
    }
    yield {
        **case.row(),
        "by_length": case.weighted,
        "deviation": apart,
        **suite.times(calls, options.repeats),
    }


if __name__ == "__main__":
    main()
