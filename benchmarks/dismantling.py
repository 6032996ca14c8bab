"""Measure attacks and communities: 100 steps of a protein network, and igraph's Girvan-Newman.

What igraph removes is not told: its communities of 2 to 10 parts are compared with ours first. With
``--cases`` instead steps of other networks on a device, whose first ones are compared with those
of the CPU.
"""

import functools
import time

import networkx as nx
import numpy as np

from sparsebc import communities, datasets, dismantle

from . import suite

GOAL_SECONDS, GOAL_RATIO = 15.0, 10.0
PROTEINS, STEPS = "human-protein-hein2015", 100
# Of 1,000 steps by betweenness, on one GPU.
GPU_GOAL_SECONDS = {"bio-human-ppi-snap-pathways": 25.0}
COMPARED = 2  # steps
BY = ("betweenness", "edge_betweenness")
PARTS = range(2, 11)


def attack(by, steps, repeats):
    """A row: so many steps of the protein network."""
    matrix, _ = datasets.load(PROTEINS)
    run = {"steps": steps, "directed": False, "device": "cpu"}
    dismantle(matrix, by, **{**run, "steps": 1})  # compiles
    seconds, used = min(
        suite.timed(lambda: dismantle(matrix, by, **run))[1:] for _ in range(repeats)
    )
    return {
        "case": f"{PROTEINS}, {steps} steps by {by}",
        **{"nodes": matrix.shape[0], "seconds": seconds, "processor_seconds": used},
        "goal_seconds": GOAL_SECONDS,
    }


def attack_on(where, name, folder, by, steps):
    """A row: so many steps of a graph on a device, and the seconds of each."""
    case = suite.load(name, folder)
    matrix, run = case.A, {"steps": COMPARED, "directed": case.directed}
    first, wanted = (dismantle(matrix, by, **run, device=one).order for one in (where, "cpu"))
    if not np.array_equal(first, wanted):
        raise ValueError(f"{where} removes {first.tolist()}, and the CPU {wanted.tolist()}")
    ends = [time.perf_counter()]
    run |= {"steps": steps, "progress": lambda *_: ends.append(time.perf_counter())}
    found, seconds, used = suite.timed(lambda: dismantle(matrix, by, **run, device=where))
    goal = GPU_GOAL_SECONDS.get(name) if (by, steps) == ("betweenness", 1000) else None
    return {
        "case": f"{name}, {steps} steps by {by}",
        **{"nodes": matrix.shape[0], "arcs": matrix.nnz, "largest": int(found.largest[-1])},
        **{"seconds": seconds, "processor_seconds": used, "goal_seconds": goal},
        "step_seconds": np.diff(ends).tolist(),
    }


def parts_agree(matrix, graph):
    """Whether igraph finds the communities that we find, of 2 to 10 parts.

    It removes all edges to know of any, and so is timed with it.
    """
    theirs, seconds, used = suite.timed(graph.community_edge_betweenness)
    levels = communities.girvan_newman(matrix, device="cpu")
    for count, labels in zip(PARTS, levels, strict=False):
        other = np.array(theirs.as_clustering(count).membership)
        pairs = set(zip(labels.tolist(), other.tolist(), strict=True))
        if len(pairs) != count:
            raise ValueError(f"igraph and sparsebc differ in {count} communities")
    return seconds, used


def girvan_newman(groups, size):
    """A row: all edges of a graph of planted communities, beside igraph."""
    import igraph

    planted = nx.planted_partition_graph(groups, size, 6 / size, 0.6 / (groups * size), seed=7)
    planted = nx.convert_node_labels_to_integers(
        planted.subgraph(max(nx.connected_components(planted), key=len))
    )
    matrix = nx.to_scipy_sparse_array(planted, format="csr")
    graph = igraph.Graph(len(planted), list(planted.edges))
    theirs, used_there = parts_agree(matrix, graph)
    _, ours, used = suite.timed(
        lambda: dismantle(matrix, "edge_betweenness", directed=False, device="cpu")
    )
    return {
        "case": f"all edges of {groups} planted communities",
        **{"nodes": len(planted), "edges": planted.number_of_edges()},
        **{"seconds": ours, "processor_seconds": used},
        **{"igraph_seconds": theirs, "igraph_processor_seconds": used_there},
        **{"ratio": theirs / ours, "goal_ratio": GOAL_RATIO},
    }


def line(row):
    """Case, seconds, and what they are judged by."""
    if "ratio" in row:
        met = "met" if row["ratio"] >= row["goal_ratio"] else "missed"
        beside = f"igraph {row['igraph_seconds']:.2f}, {row['ratio']:.1f}x; goal {met}"
    elif row["goal_seconds"] is None:
        beside = "no goal"
    else:
        met = "met" if row["seconds"] <= row["goal_seconds"] else "missed"
        beside = f"goal of {row['goal_seconds']:g} s {met}"
    spent = f"{row['seconds']:>9.2f}{row['processor_seconds']:>9.2f}"
    return f"{row['case']:<56}{spent}  {beside}"


def main(arguments=None):
    """Measure all, print a line each, write the JSON file."""
    parser = suite.parser("dismantling", __doc__, cases=(), repeats=2, device="cpu")
    parser.add_argument("--steps", type=suite.positive, default=STEPS)
    parser.add_argument("--by", nargs="+", choices=BY, default=BY, help="with --cases")
    options = suite.parse(parser, arguments)
    measures = [
        lambda: girvan_newman(groups=10, size=100),
        lambda: attack("edge_betweenness", options.steps, options.repeats),
        lambda: attack("betweenness", options.steps, options.repeats),
    ]
    if options.cases:
        measures = [
            functools.partial(attack_on, options.device, name, options.folder, by, options.steps)
            for name in options.cases
            for by in options.by
        ]
    suite.keep(suite.record(options, arguments), (measure() for measure in measures), line)


if __name__ == "__main__":
    main()
