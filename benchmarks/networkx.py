"""Measure the NetworkX backend beside NetworkX and igraph: values first, then times.

Times include the conversion of a NetworkX graph; nothing is cached. NetworkX itself runs from few
enough sources to end within the limit, and its time is scaled to all; values are compared from
these sources.
"""

import functools
import itertools
import math
import statistics
from importlib import metadata

import igraph
import networkx as nx

from sparsebc.networkx import from_networkx
from sparsebc.networkx.backend import backend

from . import suite

# Nodes and edges of uniform random graphs.
SIZES = ((300, 1_000), (2_000, 10_000), (10_000, 100_000), (50_000, 1_000_000))
TOLERANCE = 1e-9
SAMPLED = 512  # sources in the largest graphs, of every library
ALL_UP_TO = 100_000  # edges, from all sources

# Nodes of paths that are left to NetworkX, and functions that call other functions, or none.
SMALL, ROUNDS = (5, 10, 30, 60), 20
SMALL_MEASURES = (
    *(nx.betweenness_centrality, nx.closeness_centrality),
    *(nx.eccentricity, nx.is_connected),
)


def _closeness(G, backend, k):
    if k is not None and backend == "networkx":  # of some nodes
        return {node: nx.closeness_centrality(G, node, backend=backend) for node in list(G)[:k]}
    return nx.closeness_centrality(G, backend=backend)


def _betweenness(G, backend, k):
    return nx.betweenness_centrality(G, k=k, seed=1, backend=backend)


def _weighted(G, backend, k):
    return nx.betweenness_centrality(G, k=k, seed=1, weight="w", backend=backend)


def _of_igraph(G, weight=None):
    H = igraph.Graph(n=len(G), edges=list(G.edges))
    lengths = None if weight is None else [length for *_, length in G.edges(data=weight)]
    return dict(zip(G, H.betweenness(weights=lengths), strict=True))


# A function as NetworkX runs it, and igraph's.
MEASURES = {
    "betweenness": (_betweenness, _of_igraph),
    "betweenness by length": (_weighted, functools.partial(_of_igraph, weight="w")),
    "closeness": (_closeness, None),
}


def graph(nodes, edges):
    """A connected uniform random graph, with integer lengths from 1 to 100."""
    G = nx.gnm_random_graph(nodes, edges, seed=1)
    nx.add_path(G, range(nodes))
    for number, (_, _, data) in enumerate(G.edges(data=True)):
        data["w"] = 1 + number * 7919 % 100
    return G


def seconds(function, repeats):
    """Median time of a call, and the result of the last."""
    found = []
    times = suite.seconds_of(lambda: found.append(function()), repeats)
    return statistics.median(times), found[-1]


def measure(name, G, *, repeats, limit):
    """JSON row: seconds of each library for equal numbers of sources; NetworkX's may be scaled."""
    function, of_igraph = MEASURES[name]
    everything = G.number_of_edges() <= ALL_UP_TO * 1.2 or name == "closeness"
    k = None if everything else SAMPLED
    ours, scores = seconds(lambda: function(G, "sparsebc", k), repeats)
    theirs, from_sources = _networkx(function, G, k, limit)
    row = {
        "measure": name,
        "nodes": len(G),
        "edges": G.number_of_edges(),
        "sources": k or len(G),
        "sparsebc": ours,
        "networkx": theirs,
        "networkx_sources": from_sources,
        "ratio": theirs / ours,
    }
    if of_igraph is not None and k is None:
        row["igraph"], found = seconds(lambda: of_igraph(G), 1)
        n = len(G)
        _agree(scores, {v: 2 * score / (n - 1) / (n - 2) for v, score in found.items()})
    return row


def _networkx(function, G, k, limit):
    """Seconds of NetworkX from k sources, scaled from few if it exceeds the limit; sources run."""
    wanted = k or len(G)
    few = min(wanted, 8)
    taken, found = seconds(lambda: function(G, "networkx", few), 1)
    _agree(function(G, "sparsebc", few), found)
    if taken / few * wanted > limit:
        return taken / few * wanted, few
    taken, found = seconds(lambda: function(G, "networkx", k), 1)
    _agree(function(G, "sparsebc", k), found)
    return taken, wanted


def _agree(ours, theirs):
    """Raise if the values of two libraries differ."""
    for node, score in theirs.items():
        if abs(ours[node] - score) > TOLERANCE * max(abs(score), TOLERANCE):
            raise RuntimeError(f"node {node}: {ours[node]} here, {score} there")


def conversion(G, repeats):
    """Seconds to convert the graph, beside NetworkX's conversion to a SciPy matrix."""
    return {
        "nodes": len(G),
        "edges": G.number_of_edges(),
        "from_networkx": seconds(lambda: from_networkx(G), repeats)[0],
        "from_networkx_with_lengths": seconds(lambda: from_networkx(G, "w"), repeats)[0],
        "to_scipy_sparse_array": seconds(lambda: nx.to_scipy_sparse_array(G), repeats)[0],
    }


def _asked(function, G, rounds):
    """Seconds of a call that is left to NetworkX, each the least of alternating rounds.

    Without a backend; with this one first for all functions; with one that refuses every call, to
    show NetworkX's own cost of dispatching every call and nested call; and with this one first for
    the function alone, so that nested calls are not dispatched.
    """
    ours, name, priority = backend.should_run, function.__name__, nx.config.backend_priority
    first = ["sparsebc"]
    ways = {
        "networkx": ([], [], ours),
        "sparsebc first": (first, first, ours),
        "an empty backend first": (first, first, lambda *_: False),
        "sparsebc first for it alone": ([], first, ours),
    }
    taken = {way: math.inf for way in ways}
    for _ in range(rounds):
        for way, (priority.algos, priority[name], backend.should_run) in ways.items():
            found, _ = seconds(lambda: function(G), 1000 // len(G))
            taken[way] = min(taken[way], found)
    backend.should_run, priority.algos = ours, []
    del priority[name]
    return taken


@suite.benchmark(
    repeats=3,
    edges=suite.option(SIZES[-1][1], "of the largest graph"),
    limit=suite.option(60.0, "seconds of NetworkX in a case"),
)
def main(options):
    """Yield versions, then rows of small graphs, and of conversions and measures by size."""
    nx.config.cache_converted_graphs = False
    packages = ("networkx", "igraph", "sparsebc")
    yield "about", {"versions": {name: metadata.version(name) for name in packages}}
    for nodes, function in itertools.product(SMALL, SMALL_MEASURES):
        seconds_by_way = _asked(function, nx.path_graph(nodes), ROUNDS)
        yield "small", {"function": function.__name__, "nodes": nodes, **seconds_by_way}
    _betweenness(graph(100, 300), "sparsebc", None)  # compiled before anything is timed
    _weighted(graph(100, 300), "sparsebc", None)
    for nodes, edges in SIZES:
        if edges <= options.edges:
            G = graph(nodes, edges)
            yield "conversions", conversion(G, options.repeats)
            for name in MEASURES:
                yield measure(name, G, repeats=options.repeats, limit=options.limit)


if __name__ == "__main__":
    main()
