"""Measure edges, stress, distances and several measures at once: values first, then times.

Each set of measures runs on a device, from a SciPy matrix on the host to scores on the host, and
``cupy`` from a CuPy matrix to CuPy scores; its ratio is to the betweenness of the same case. From a
few sources the values are compared with the CPU engine's. On the meshes most path counts are beyond
floats, and stress has no value.
"""

from scipy import sparse

import sparsebc

from . import runner, suite

DISTANCES = ["closeness", "harmonic", "eccentricity"]
SETS = {
    "betweenness": ["betweenness"],
    "edge_betweenness": ["edge_betweenness"],
    "stress": ["stress"],
    "betweenness+edges": ["betweenness", "edge_betweenness"],
    "betweenness+stress": ["betweenness", "stress"],
    "all": ["betweenness", "edge_betweenness", "stress"],
    "harmonic": ["harmonic"],
    "distances": DISTANCES,
    "betweenness+distances": ["betweenness", *DISTANCES],
}
CHECKED = 4  # sources of the reference
CASES = [
    "ba-30000x50",
    "rmat-18x8:4096",
    "email-enron-snap",
    "road-usa-ny:4096ball",
    "mesh-600x600:256",
    "mesh-2000x2000:8",
]


def measure(name, options):
    """Yield the JSON row of one case in each type; by length where the graph has lengths."""
    case = suite.load(name, options.folder)
    for dtype in options.dtype:
        yield _row(name, case, dtype, options.device, options.repeats, options.sets)


def _row(name, case, dtype, where, repeats, sets):
    """Measure one case for betweenness and some sets of measures."""
    sources = case.every_source
    few = sources[:: -(-sources.size // CHECKED)]
    options = {**case.options(where), "normalized": False, "dtype": dtype}

    def run(names, matrix=case.A, **other):
        return sparsebc.centralities(matrix, names, **{**options, "sources": sources, **other})

    matrices = {"host": (case.A, where)}
    if where == "cuda":
        from cupyx.scipy.sparse import csr_matrix

        matrices["cupy"] = csr_matrix(sparse.csr_matrix(case.A)), None
    seconds = {way: {} for way in matrices}
    deviation = 0.0
    for label in dict.fromkeys(["betweenness", *sets]):  # to which ratios are
        names = SETS[label]
        try:
            got = run(names, sources=few)
            expected = run(names, sources=few, device="cpu", dtype="float64")
            apart = (suite.deviation(got[one], expected[one]) for one in names)
            deviation = max(deviation, *apart)
            suite.check(f"{name} in {dtype}", deviation, runner.TOLERANCE[dtype])
            for way, (matrix, on) in matrices.items():
                seconds[way][label] = suite.seconds_of(
                    lambda names=names, matrix=matrix, on=on: run(names, matrix, device=on),
                    repeats,
                    warm_up=True,
                    synchronise=way == "cupy",
                )
        except OverflowError:
            continue  # stress has no value
    median = {way: suite.medians(times) for way, times in seconds.items()}
    return {
        **case.row(name),
        "dtype": dtype,
        "directed": case.directed,
        "weighted": case.weighted,
        "sources": sources.size,
        "median_seconds": median,
        "ratios": {
            way: {label: value / times["betweenness"] for label, value in times.items()}
            for way, times in median.items()
        },
        "all_seconds": seconds,
        "deviation": deviation,
    }


def line(row):
    """Median seconds of each set, from each kind of matrix."""
    head = f"{row['graph']} {row['dtype']}"
    ways = row["median_seconds"].items()
    return "\n".join(f"{head} {way}: {suite.told(times)}" for way, times in ways)


def main(arguments=None):
    """Measure the cases, print a line each, and write the JSON file."""
    parser = suite.parser("measures", __doc__, cases=CASES, repeats=3, device="cuda")
    parser.add_argument("--sets", nargs="+", choices=tuple(SETS), default=tuple(SETS))
    parser.add_argument("--dtype", nargs="+", choices=tuple(runner.TOLERANCE), default=["float64"])
    suite.run(parser, arguments, measure, line)


if __name__ == "__main__":
    main()
