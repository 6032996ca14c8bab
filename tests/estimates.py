"""Graphs that estimates are tried on, and how many misses their bounds allow."""

import networkx as nx
import numpy as np
import scipy.sparse as sp
from graphs import matrix
from scipy.special import bdtrc

GRAPHS = {
    "hubs": matrix(nx.barabasi_albert_graph(500, 3, seed=841)),
    "small world": matrix(nx.connected_watts_strogatz_graph(500, 6, 0.1, seed=842)),
    "digraph": matrix(nx.gnp_random_graph(500, 0.006, seed=843, directed=True)),
    "two parts": matrix(
        nx.disjoint_union(
            nx.barabasi_albert_graph(400, 2, seed=844), nx.random_geometric_graph(150, 0.15, seed=4)
        )
    ),
    "bridge": matrix(nx.barbell_graph(180, 90)),
}
DELTA = 0.1


def most_misses(runs):
    """Misses of which more have a probability below one in a million, if a run's is `DELTA`."""
    return next(misses for misses in range(runs) if bdtrc(misses, runs, DELTA) <= 1e-6)


RUNS = 200
ALLOWED = most_misses(RUNS)


def is_directed(name):
    return name == "digraph"


def lengths(A, seed):
    """The same edges, with lengths from 1 to 4 that are whole numbers."""
    upper = sp.triu(A, format="csr")
    upper.data = np.random.default_rng(seed).integers(1, 5, upper.nnz)
    return sp.csr_array(upper + upper.T)
