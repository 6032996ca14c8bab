"""Kernels stopped at each of their checks of the stop flag: run by test_stops.py.

Calls of all measures are made once, and the work of their kernels is recorded: each preparation,
and some blocks of each sweep. Then each is repeated and stopped at its first check, its second, and
so on, until it ends, with a result bitwise equal to that without a stop. A kernel that reads memory
which a stopped part has not written gets the bytes of MALLOC_PERTURB_, which are no index.
"""

import copy
import functools
import importlib
import inspect
import itertools
import pickle
import pkgutil

import networkx as nx
import numpy as np
from graphs import matrix, one_way, square, with_lengths, with_trees

import sparsebc
from sparsebc import jit, temporal
from sparsebc.engines.common import batching, shifted
from sparsebc.matrix import csr
from sparsebc.reduce import distances, reduce
from sparsebc.streets.near import near
from sparsebc.sweep.workers import Pool

# Most checks that a flag of 8 bits counts down.
MOST = 254
FLAG = np.zeros(1, dtype=np.uint8)


class Notes:
    """Recorder of the kernels, preparations and sweeps of calls."""

    def __init__(self):
        self.kernels = set()  # all that are called
        self.preparations, self.sweeps = {}, []
        call, in_order, in_parts = jit._Kernel.__call__, Pool.in_order, jit.in_parts

        def called(kernel, *arguments):
            self.kernels.add(kernel)
            return call(kernel, *arguments)

        def swept(pool, work, blocks):
            member, _ = pool._idle[-1]
            chosen = [*blocks[:1], *blocks[1:][-1:]]
            self.sweeps.append((pool, member, work, chosen))
            return in_order(pool, work, blocks)

        def prepared(work, function, *arguments):
            key = function, tuple(getattr(one, "size", one) > 0 for one in arguments)
            self.preparations.setdefault(key, copy.deepcopy(arguments))
            return function(*arguments, FLAG.copy())

        def shared(work, bounds, function, *arguments, stop=None, **threads):
            if stop is not None or not isinstance(function, jit._Kernel):  # of a sweep; no checks
                return in_parts(work, bounds, function, *arguments, stop=stop, **threads)
            parts = itertools.pairwise(bounds.tolist())
            return [prepared(work, function, *part, *arguments) for part in parts]

        jit._Kernel.__call__, Pool.in_order = called, swept
        for module in modules():
            if hasattr(module, "interruptible"):
                module.interruptible = prepared
            if hasattr(module, "in_parts"):
                module.in_parts = shared


def modules():
    """Yield the modules of kernels and of their callers."""
    for package in ("matrix", "reduce", "engines.cpu", "measures"):
        place = importlib.import_module(f"sparsebc.{package}")
        for one in pkgutil.walk_packages(place.__path__, f"{place.__name__}."):
            yield importlib.import_module(one.name)


def that_stop():
    """Kernels that check a stop flag, an argument or one of their state; and their names."""
    found = {}
    for module in modules():
        for name, one in vars(module).items():
            if isinstance(one, jit._Kernel) and one.__module__ == module.__name__:
                of_engine = ".engines." in module.__name__ and "short_rows" not in module.__name__
                if of_engine or "stop" in inspect.signature(one.py_func).parameters:
                    found[one] = f"{module.__name__}.{name}"
    return found


def questions():
    """Calls that together need all kernels; small graphs first, as their preparations are short."""
    reduce.LEAST_BLOCKS = reduce.LEAST_CHAINS = reduce.LEAST_TWINS = 1
    distances.ENOUGH_ALONE = distances.ENOUGH_TOGETHER = 1
    shifted.LEAST = shifted.LEAST_HIGH_DIAMETER = shifted.ONE_IN = 1
    one = {"device": "cpu", "workers": 1}
    both, by_length = one | {"directed": False}, one | {"directed": False, "weighted": True}
    few, close = one | {"sources": range(5)}, by_length | {"sources": range(64)}
    small = with_trees(nx.barabasi_albert_graph(30, 2, seed=1), 3, nodes=10)
    chain = matrix(subdivided(nx.random_regular_graph(3, 8, seed=1), 3))
    chains_of = matrix(subdivided(nx.random_regular_graph(4, 70, seed=1), 3))
    twin = matrix(nx.complete_multipartite_graph(5, 5, 15))
    mixed = matrix(one_way(nx.barabasi_albert_graph(30, 2, seed=5), 0.3, 1))
    caves = matrix(one_way(nx.connected_caveman_graph(8, 4), 0.2, 1))
    social = with_trees(nx.barabasi_albert_graph(500, 2, seed=1), 3, nodes=400)
    wide = matrix(nx.barabasi_albert_graph(700, 3, seed=2))
    weighted = with_lengths(wide, [1, 2])
    streets = matrix(nx.grid_2d_graph(16, 60))
    lengths, long = (with_lengths(one, np.linspace(1, 2, 50)) for one in (streets, square(70)))
    yield sparsebc.betweenness, small, both
    yield sparsebc.betweenness, with_lengths(small, [1, 2]), by_length
    yield sparsebc.edge_betweenness, twin, both
    yield sparsebc.edge_betweenness, mixed, one
    yield sparsebc.edge_betweenness, with_lengths(mixed, [1, 2, 5]), one | {"weighted": True}
    yield sparsebc.stress, chain, both
    yield sparsebc.betweenness, with_lengths(chain, [1, 2]), by_length
    yield sparsebc.betweenness, with_lengths(chains_of, [1, 2]), by_length
    yield sparsebc.closeness, caves, one
    yield sparsebc.betweenness, matrix(nx.path_graph(80)), both | {"reduce": ()}
    yield sparsebc.closeness, social, both
    yield sparsebc.betweenness, social, both
    yield sparsebc.betweenness, streets, both
    yield sparsebc.betweenness, lengths, by_length
    yield sparsebc.betweenness, long, close
    yield sparsebc.betweenness, weighted, by_length
    yield sparsebc.betweenness, long, by_length | {"sources": range(5)}
    yield sparsebc.closeness, lengths, by_length
    yield sparsebc.closeness, long, close
    yield sparsebc.closeness, weighted, by_length
    yield sparsebc.harmonic, streets, both
    yield sparsebc.accessibility, streets, one | {"decay": ("power", 1)}
    yield sparsebc.nearest, long, one | {"places": np.arange(long.shape[0]) % 5, "k": 3}
    yield sparsebc.bfs, mixed, few
    yield sparsebc.bfs, streets, few
    yield sparsebc.shortest_paths, streets, few
    yield sparsebc.shortest_paths, long, few | {"weighted": True}
    yield sparsebc.group_betweenness, small, both | {"groups": [[0, 1], [2]]}
    yield sparsebc.prominent_group, small, both | {"size": 2}
    sampled = {"samples": "paths", "epsilon": 0.5, "rng": 1}
    yield sparsebc.approximate_betweenness, small, both | sampled
    yield sparsebc.approximate_betweenness, with_lengths(small, [1, 2]), by_length | sampled
    yield sparsebc.betweenness, small, both | {"decay": ("exponential", 0.5)}
    times = np.arange(60) // 3
    for wait, duration in ((None, 0), (4, 0), (None, 1), (4, 1)):
        contacts = temporal.Contacts(times % 7, (times + np.arange(60)) % 11, times, duration, n=11)
        yield temporal.betweenness, contacts, one | {"wait": wait}
    yield pairs_within, lengths, {"radius": 3.0}
    csr.PIECE, csr.ROW_PIECE = 1, 0
    yield sparsebc.betweenness, twin, both | {"workers": 2}
    batching.BRIEF_ARCS = 0
    yield sparsebc.betweenness, twin, both | {"sources": range(2)}
    batching.BRIEF_ARCS = 1 << 22
    yield sparsebc.null_model, small, both | {"measure": "closeness", "samples": 2, "rng": 1}


def pairs_within(A, radius):
    """Pairs of nodes within a radius, as in `Dual.within`."""
    every = np.arange(A.shape[0])
    return near(A.astype(float), every, radius, every >= 0, every, 1)


def subdivided(graph, count):
    """Graph with ``count`` nodes inserted in each edge."""
    chains = nx.Graph()
    for i, (u, v) in enumerate(graph.edges):
        nx.add_path(chains, [u, *((i, k) for k in range(count)), v])
    return nx.convert_node_labels_to_integers(chains)


def countdown(name, run):
    """Stop ``run(stop)`` at each check: at least one, at most `MOST`."""
    want = pickle.dumps(run(FLAG.copy()))
    for looks in range(1, MOST + 1):
        stop = np.array([looks], dtype=np.uint8)
        got = run(stop)
        if stop[0] > 1:
            assert looks > 1, name
            assert pickle.dumps(got) == want, name
            return


def prepare_again(function, given, stop):
    """Result of a kernel, and its arguments, which it may write."""
    arguments = copy.deepcopy(given)
    return function(*arguments, stop), arguments


def sweep_again(pool, member, work, chosen, stop):
    """Results of the blocks, in a new workspace."""
    state = pool._workspace(member, pool._graph, pool._memory, stop)
    return [work(state, block) for block in chosen]


def main():
    """Record all calls, then stop each kernel."""
    notes, wanted = Notes(), that_stop()
    for measure, A, options in questions():
        measure(A, **options)
    missed = sorted(name for kernel, name in wanted.items() if kernel not in notes.kernels)
    assert not missed, missed
    for (function, _), given in notes.preparations.items():
        name = wanted.get(function, function.__name__)  # a kernel, or what calls one
        countdown(name, functools.partial(prepare_again, function, given))
    for number, sweep in enumerate(notes.sweeps):
        countdown(f"sweep {number}", functools.partial(sweep_again, *sweep))
    print(len(notes.preparations), "preparations,", len(notes.sweeps), "sweeps")


if __name__ == "__main__":
    main()
