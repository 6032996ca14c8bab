"""Graphs and questions for tests of estimates, a simulated clock, allowed misses."""

import networkx as nx
import numpy as np
from graphs import diamonds, joined_layers, matrix, strange_parts, with_trees
from scipy.special import bdtrc

from sparsebc import approximate_betweenness
from sparsebc.estimates import approximate, choice, sampler

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
# Graphs whose paths are hard to draw evenly, and whether they are directed.
OF_PATHS = {
    "grid": (matrix(nx.grid_2d_graph(6, 7)), False),
    "trees": (with_trees(nx.gnp_random_graph(30, 0.12, seed=3), 4), False),
    "digraph": (matrix(nx.gnp_random_graph(60, 0.05, seed=5, directed=True)), True),
    "symmetric digraph": (matrix(nx.gnp_random_graph(50, 0.08, seed=6)), True),
    "strange parts": (strange_parts(), False),
    "hubs": (matrix(nx.barabasi_albert_graph(80, 2, seed=2)), False),
    "diamonds": (diamonds(9), True),
    "wide layers": (joined_layers(5, 120, 0.75, 9), True),
    "wide layers both ways": (joined_layers(4, 110, 0.7, 10), False),
}
KINDS = ("sources", "paths")
DELTA = 0.1
# Standard deviations that no count of the tests is away from its mean, but once in a million.
FAR = 6


def by_paths(A, **options):
    """An estimate from paths on the CPU, if nothing else is said."""
    return approximate_betweenness(A, **{"samples": "paths", "rng": 7, "device": "cpu", **options})


def most_misses(runs):
    """Number of misses exceeded with probability <= 1e-6, if a run misses with `DELTA`."""
    return next(misses for misses in range(runs) if bdtrc(misses, runs, DELTA) <= 1e-6)


RUNS = 200
ALLOWED = most_misses(RUNS)


def able(device, kind, *, weighted=False):
    """The device, or the CPU for path samples that it does not draw."""
    is_able = kind == "sources" or not (weighted or device == "reference")
    return device if is_able else "cpu"


def is_directed(name):
    return name == "digraph"


def weighed(graph, kind):
    """Options of source and target weights of a kind, or of chosen sources and targets."""
    n = (GRAPHS[graph] if isinstance(graph, str) else graph).shape[0]
    rng = np.random.default_rng(11)
    asked = {
        "all": {},
        "whole": {"source_weights": rng.integers(0, 9, n), "target_weights": rng.integers(0, 4, n)},
        "heavy": {"source_weights": rng.pareto(1.5, n), "target_weights": rng.random(n)},
        "states": {"source_weights": rng.random(n) * (rng.random(n) < 0.3)},
        "chosen": {
            "sources": rng.choice(n, n // 2, False),
            "targets": rng.choice(n, n // 2, False),
        },
        "mixed": {"sources": rng.choice(n, n // 2, False), "target_weights": rng.integers(0, 4, n)},
    }
    return asked[kind]


class Clock:
    """Clock that advances by ``each`` seconds a sampled source, and by ``start`` at first."""

    def __init__(self, monkeypatch, each, start=0.0):
        self.now, self.each = 0.0, each
        draw, problem = sampler.Sampler.draw, choice._problem

        def timed(sample, count, *args, **kwargs):
            drawn = draw(sample, count, *args, **kwargs)
            self.now += count * self.each
            return drawn

        def reading(*args):
            self.now += start
            return problem(*args)

        monkeypatch.setattr(sampler.Sampler, "draw", timed)
        monkeypatch.setattr(choice, "_problem", reading)
        monkeypatch.setattr(approximate.time, "monotonic", lambda: self.now)
