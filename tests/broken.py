"""Functions that take a matrix; a process that calls them, and may die of it.

    python tests/broken.py

reads pickled calls from its standard input and writes one pickled answer to each.
"""

import functools
import importlib.util
import io as streams
import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import networkx as nx
import numpy as np
import scipy.sparse as sp

import sparsebc
from sparsebc import communities, io, streets
from sparsebc.errors import InputError, InputTypeError

N = 4
PATH = sp.csr_array(np.eye(N, k=1) + np.eye(N, k=-1))  # six entries
ONES = np.ones(N)
ONES.flags.writeable = False


def to_file(suffix, **change):
    """Function that writes a network with scores."""

    def write(A):
        with tempfile.TemporaryDirectory() as folder:
            given = {"matrix": A, "names": [*"abcd"], "nodes": {"x": ONES}, **change}
            io.write_network(Path(folder, f"network{suffix}"), **given)

    return write


def on_streets(A):
    """Scores of streets."""
    city = streets.from_networkx(nx.path_graph(N), weight=None)
    city.on_edges(A)


def report(A, **scores):
    """Write a report."""
    given = {"matrix": A, "nodes": {"x": ONES}, **scores}
    sparsebc.report(streams.StringIO(), given.pop("matrix"), [*"abcd"], **given)


def by(function, *arguments, **options):
    """Function of the matrix with all other arguments fixed, on the CPU."""
    return lambda A: function(A, *arguments, device="cpu", **options)


def measures(**options):
    """All measures and searches, by name."""
    s = sparsebc
    return {
        "betweenness": by(s.betweenness, **options),
        "betweenness, undirected": by(s.betweenness, **options, directed=False),
        "edge_betweenness": by(s.edge_betweenness, **options),
        "stress": by(s.stress, **options),
        "centralities": by(s.centralities, ["stress", "harmonic"], **options),
        "closeness": by(s.closeness, **options),
        "harmonic": by(s.harmonic, **options, directed=False),
        "eccentricity": by(s.eccentricity, **options),
        "closeness of weights": by(s.closeness, **options, target_weights=ONES),
        "accessibility": by(s.accessibility, ONES, **options, decay=("linear", 2)),
        "nearest": by(s.nearest, ONES, **options),
        "percolation": by(s.percolation, ONES, **options),
        "group_betweenness": by(s.group_betweenness, [[1]], **options),
        "prominent_group": by(s.prominent_group, 1, **options),
        "null_model": by(s.null_model, samples=2, rng=1, **options),
        "dismantle": by(s.dismantle, **options),
        "girvan_newman": lambda A: list(communities.girvan_newman(A, device="cpu", **options)),
        "partition": by(communities.partition, 1, **options),
        "approximate": by(s.approximate_betweenness, epsilon=0.1, **options),
        "adaptive": by(s.adaptive_betweenness, [1], **options),
        "explain": by(s.explain, **options),
        "shortest_paths": by(s.shortest_paths, [0], **options),
        "reference": lambda A: s.betweenness(A, device="reference", **options),
    }


TAKE_TUPLES = {
    **measures(),
    "bfs": by(sparsebc.bfs, [0]),
    "connected_components": by(sparsebc.connected_components),
}
FUNCTIONS = {
    **TAKE_TUPLES,
    **{f"{name}, by length": function for name, function in measures(weighted=True).items()},
    "demand": lambda A: sparsebc.betweenness(PATH, demand=A, device="cpu"),
    "modularity": lambda A: communities.modularity(A, [0, 1, 1, 0]),
    "modularity, weighted": lambda A: communities.modularity(A, [0, 1, 1, 0], weighted=True),
    "a Network": lambda A: sparsebc.betweenness(io.Network(A, tuple("abcd")), device="cpu"),
    "strength_to_distance": sparsebc.strength_to_distance,
    "part_of, threshold": functools.partial(sparsebc.part_of, threshold=0.5),
    "part_of, component": functools.partial(sparsebc.part_of, largest_component=True),
    "part_of, isolated": functools.partial(sparsebc.part_of, isolated=False),
    "from_matrix": sparsebc.networkx.from_matrix,
    "from_matrix, undirected": functools.partial(sparsebc.networkx.from_matrix, directed=False),
    **{f"write_network {suffix}": to_file(suffix) for suffix in (".graphml", ".gexf")},
    "write_network, scores": lambda A: to_file(".gexf", edges={"x": A})(PATH),
    "write_network, undirected": lambda A: to_file(".gexf", directed=False)(A),
    "report": report,
    "report, scores": lambda A: report(PATH, edges={"x": A}),
    **({"on_edges": on_streets} if importlib.util.find_spec("pandas") else {}),
}


FUSSY = {  # about values too
    **FUNCTIONS,
    "demand of names": lambda A: sparsebc.betweenness(
        io.Network(PATH, tuple("abcd")), demand=io.Network(A, tuple("badc")), device="cpu"
    ),
    "demand of three names": lambda A: sparsebc.betweenness(
        io.Network(PATH, tuple("abcd")), demand=io.Network(A, tuple("bad")), device="cpu"
    ),
    "probability": by(sparsebc.null_model, model="edge-probability", samples=2, rng=1),
    "probability of others": lambda A: sparsebc.null_model(
        PATH, model="edge-probability", probability=A, samples=2, rng=1, device="cpu"
    ),
}


def remade(kind, state):
    """Matrix of a class and its attributes; a pickle of some would run methods of SciPy."""
    if kind == "tuple":
        return state
    A = getattr(sp, kind)((1, 1))
    vars(A).update(state)
    return A


def called(names, *parts):
    """What each function says of a matrix: "" or its error, of a class that names the input."""
    A, said = remade(*parts), {}
    for name in names:
        try:
            FUSSY[name](A)
            said[name] = ""
        except (InputError, InputTypeError) as error:
            said[name] = f"{type(error).__name__}: {error}"
        except Exception as error:
            raise RuntimeError(f"{name}: {error!r}") from error
    return said


def stored(*parts):
    """Entries that are read from a matrix, {(row, column): sum of values}; or its error.

    Of a tuple, which has no values, the edges.
    """
    A = remade(*parts)
    try:
        if isinstance(A, tuple):
            part = sparsebc.edge_betweenness(A, device="cpu") > 0
        else:
            part, _ = sparsebc.part_of(A)
        part = part.tocoo()
    except (InputError, InputTypeError) as error:
        return str(error)
    return dict(zip(zip(*_lists(part.coords), strict=True), part.data.tolist(), strict=True))


def _lists(arrays):
    return [array.tolist() for array in arrays]


def read(name, content):
    """Number of nodes and entries of a file; its error in one line where it is refused."""
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        path = Path(folder, name)
        path.write_bytes(content)
        try:
            matrix = io.read(path).matrix.tocoo()
        except (InputError, MemoryError) as error:
            return str(error) if name in str(error) else int(error)
    entries = zip(*_lists(matrix.coords), strict=True)
    return matrix.shape[0], dict(zip(entries, matrix.data.tolist(), strict=True))


class Child:
    """A process that answers calls, memory full of bytes that are no index and watched."""

    def __init__(self):
        self.process = None

    def __call__(self, function, *arguments):
        """Result of one of the functions above; RuntimeError if it raises or the process dies."""
        if self.process is None or self.process.poll() is not None:
            watched = {
                "MALLOC_PERTURB_": "165",
                "MALLOC_CHECK_": "3",
                "LD_PRELOAD": "libc_malloc_debug.so.0",
                "PYTHONPATH": os.pathsep.join(sys.path),
            }
            self.process = subprocess.Popen(
                [sys.executable, __file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env={**os.environ, **watched},
            )
        try:
            pickle.dump((function.__name__, arguments), self.process.stdin)
            self.process.stdin.flush()
            answer = pickle.load(self.process.stdout)
        except (EOFError, BrokenPipeError, pickle.UnpicklingError):
            raise RuntimeError(f"the process died: {self.process.wait()}") from None
        if isinstance(answer, BaseException):
            raise RuntimeError(f"{type(answer).__name__}: {answer}") from answer
        return answer

    def close(self):
        """End the process."""
        if self.process:
            self.process.stdin.close()
            self.process.stdout.close()
            self.process.wait()


def answer_calls():
    """Answer the calls of a parent; a call of more than two minutes ends the process."""
    import faulthandler
    import resource

    answers = os.fdopen(os.dup(1), "wb")
    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    os.dup2(2, 1)
    while True:
        try:
            name, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        faulthandler.dump_traceback_later(120, exit=True)
        try:
            answer = globals()[name](*arguments)
        except BaseException as error:
            answer = RuntimeError(f"{name}: {type(error).__name__}: {error}")
        faulthandler.cancel_dump_traceback_later()
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    answer_calls()
