"""Ctrl-C at random moments: ``python -m tests.interrupts 1000``, best with MALLOC_PERTURB_=165.

Each call is made once, then interrupted after a random part of the time that it takes, again and
again. It raises KeyboardInterrupt or returns the bits of the first time, and nothing else; and so
does the next call. The signal is that of a timer, whose handler is that of Ctrl-C.
"""

import pickle
import random
import signal
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

import networkx as nx
import numpy as np
from graphs import square, with_lengths, with_trees

import sparsebc
from sparsebc import jit

MEASURES = ("betweenness", "edge_betweenness", "stress", "closeness", "harmonic", "eccentricity")


def questions():
    """Calls of all measures, by edges and by length, on the main thread alone and with workers."""
    social = with_trees(nx.barabasi_albert_graph(200, 2, seed=1), 3, nodes=100)
    streets = square(20)
    one = {"directed": False, "device": "cpu", "workers": 2}
    for A in (social, streets):
        lengths = with_lengths(A, np.linspace(1, 2, 50))
        for options in (one, one | {"weighted": True}):
            B = lengths if "weighted" in options else A
            for name in MEASURES:
                yield name, B, options
            yield "accessibility", B, options | {"decay": ("power", 1), "cutoff": [3, 9]}
            yield "nearest", B, options | {"places": np.arange(B.shape[0]) % 5, "k": 3}
            yield "shortest_paths", B, options | {"sources": range(5)}
            yield "group_betweenness", B, options | {"groups": [[0, 1], [2]]}
        yield "null_model", A, one | {"measure": "closeness", "samples": 3, "rng": 1}
        yield "bfs", A, one | {"sources": range(70)}
        yield "connected_components", A, {"directed": False, "device": "cpu"}


def call(name, A, options):
    """What it returns, as bytes."""
    return pickle.dumps(getattr(sparsebc, name)(A, **options))


def interrupted(question, seconds):
    """What a call comes to that is interrupted after some time; None if it hears of it."""
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        found = call(*question)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        return None
    return found


def main(presses, seed=0):
    """Interrupt so often, in turn among the calls."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    # Ctrl-C on its way to a callback that ignores all errors, as those of weak references do.
    sys.unraisablehook = lambda _: None
    moments, heard = random.Random(seed), 0
    rows = []
    for question in questions():
        call(*question)
        begun = time.perf_counter()
        want = call(*question)
        rows.append((question, want, time.perf_counter() - begun))
    for press in range(presses):
        question, want, seconds = rows[press % len(rows)]
        if press // len(rows) % 2:
            jit.BRIEF = 0  # preparations run on threads of their own, as those of large graphs do
        found = interrupted(question, moments.uniform(1e-6, 1.2 * seconds))
        heard += found is None
        jit.BRIEF = 1 << 22
        assert found in (None, want), question[0]
        assert call(*question) == want, question[0]
    assert 4 * heard > presses
    print(f"{heard} of {presses} heard of it")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 500)
