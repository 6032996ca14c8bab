"""Measure attacks and communities: 100 steps of a protein network, and igraph's Girvan-Newman.

igraph does not report removed edges: its partitions into 2 to 10 parts are compared with ours
first. On a GPU the first steps are compared with those of the CPU. ``--cases`` leaves igraph out.
"""

import itertools
import time

import networkx as nx
import numpy as np

from sparsebc import communities, dismantle

from . import suite

PROTEINS = "human-proteins"
COMPARED = 2  # steps
BY = ["betweenness", "edge_betweenness"]
PARTS = range(2, 11)


def attack(where, case, by, steps):
    """JSON row of an attack of ``steps`` steps on a device, with the seconds of each."""
    matrix, run = case.A, {"steps": COMPARED, "directed": case.directed}
    first, wanted = (dismantle(matrix, by, **run, device=one).order for one in (where, "cpu"))
    if not np.array_equal(first, wanted):
        raise ValueError(f"{where} removes {first.tolist()}, and the CPU {wanted.tolist()}")
    ends = [time.perf_counter()]
    run |= {"steps": steps, "progress": lambda *_: ends.append(time.perf_counter())}
    found, seconds, used = suite.timed(lambda: dismantle(matrix, by, **run, device=where))
    return {
        "case": f"{case.name}, {steps} steps by {by}",
        **{"nodes": matrix.shape[0], "arcs": matrix.nnz, "largest": int(found.largest[-1])},
        **{"seconds": seconds, "processor_seconds": used},
        "step_seconds": np.diff(ends).tolist(),
    }


def parts_agree(matrix, graph):
    """Check igraph's partitions into 2 to 10 parts against ours; igraph's seconds, by both clocks.

    It removes all edges before it returns any partition, so that this call is what is timed.
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
    """JSON row: removal of all edges of a graph of planted communities, beside igraph."""
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
        "ratio": theirs / ours,
    }


@suite.benchmark(cases=[], load=None, device="cpu", steps=100, by=suite.option(BY, choices=BY))
def main(options):
    """Yield the row of igraph's communities, unless there are cases, and of each network."""
    if not options.cases:
        yield girvan_newman(groups=10, size=100)
    for name, by in itertools.product(options.cases or [PROTEINS], options.by):
        yield attack(options.device, suite.load(name, options), by, options.steps)


if __name__ == "__main__":
    main()
