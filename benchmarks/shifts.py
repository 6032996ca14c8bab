"""Count on how many levels a batch of near sources reaches a row, as they start and time-shifted.

Where source j starts at step t_j = median over some landmarks l of d(0, l) - d(j, l), wavefronts of
near sources nearly coincide on a deep graph. A row costs a batch what its distinct levels cost, so
their mean says what shifted starts could bring. A case is NAME, NAME:SOURCES or NAME:SOURCESball.
"""

import numpy as np

import sparsebc
from sparsebc.engines import batching
from sparsebc.graph.read_matrix import canonical
from sparsebc.reduce import reduce

from . import suite

WIDTH = 64
LANDMARKS = (8, 32)
CASES = [
    "road-100x100",
    "road-300x300:512",
    "road-luxembourg-osm",
    "transport-chicago-regional",
    "power-case13659pegase",
    "mesh-delaunay-n13",
]


def distinct(levels):
    """Mean number of distinct levels of a row: of a column of the array of shape (sources, n)."""
    levels = np.sort(levels, axis=0)
    return 1 + np.count_nonzero(np.diff(levels, axis=0), axis=0).mean()


def shifted(levels, landmarks):
    """Levels at which sources reach all rows, source j starting by the median over landmarks."""
    start = np.median(levels[0, landmarks] - levels[:, landmarks], axis=1)
    return levels + start.round().astype(np.int64)[:, np.newaxis]


def measure(name, options):
    """Count on some batches of a case; yields its JSON row."""
    case = suite.load(name, options.folder)
    starts = np.isin(np.arange(case.A.shape[0]), case.every_source)
    graph = canonical(case.A, directed=case.directed)
    problem = reduce.reduced(graph, starts, np.ones(graph.n, bool))
    found = batching.in_balls(
        *(problem.graph, problem.sources, problem.alpha),
        **{"width": WIDTH, "deep": True, "scattered": WIDTH},
    )
    rng = np.random.default_rng(1)
    label = problem.graph.components  # a pair of sources that share no row says nothing
    whole = [
        batch.sources
        for batch in found
        if batch.sources.size == WIDTH and np.unique(label[batch.sources]).size == 1
    ]
    pick = rng.choice(len(whole), min(options.groups, len(whole)), replace=False)
    A = problem.graph.outgoing.matrix(np.ones(problem.graph.arcs))
    counts = []
    for place in pick:
        levels = sparsebc.bfs(A, whole[place], device="cpu").astype(np.int64)
        levels = levels[:, (levels >= 0).all(axis=0)]
        landmarks = [rng.choice(levels.shape[1], size) for size in LANDMARKS]
        counts.append([distinct(levels), *(distinct(shifted(levels, at)) for at in landmarks)])
    means = np.mean(counts, axis=0)
    by_landmarks = dict(zip(map(str, LANDMARKS), means[1:].tolist(), strict=True))
    yield {"graph": name, "groups": len(pick), "plain": means[0], "shifted": by_landmarks}


def line(row):
    """Mean levels of a row, as sources start, and shifted by each number of landmarks."""
    counts = "".join(f"{count:>14.1f}" for count in row["shifted"].values())
    return f"{row['graph']:<32}{row['plain']:>10.1f}{counts}"


def main(arguments=None):
    """Count the cases, print a line each, and write the JSON file."""
    parser = suite.parser("shifts", __doc__, cases=CASES)
    parser.add_argument("--groups", type=int, default=4, help="of 64 sources, at most")
    titles = "".join(f"{count:>4} landmarks" for count in LANDMARKS)
    print(f"{'graph':<32}{'plain':>10}{titles}")
    suite.run(parser, arguments, measure, line)


if __name__ == "__main__":
    main()
