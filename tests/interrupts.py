"""Ctrl-C at random moments: ``python -m tests.interrupts 1000``, best with MALLOC_PERTURB_=165.

Each call is made once, then repeatedly interrupted after a random part of its duration. It must
raise KeyboardInterrupt or return the bits of the first call, and the next call must return these
bits. The signal is that of a timer, with the handler of Ctrl-C.
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
    """Calls of all measures, unweighted and weighted, with two workers."""
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
    """Result of a call, pickled."""
    return pickle.dumps(getattr(sparsebc, name)(A, **options))


def interrupted(question, seconds):
    """Result of a call that is interrupted after some seconds; None if it raises."""
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds)
        found = call(*question)
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        return None
    return found


def main(presses, seed=0):
    """Send ``presses`` interrupts, to the calls in turn."""
    signal.signal(signal.SIGALRM, signal.default_int_handler)
    # Ctrl-C within a callback that ignores all errors, such as one of a weak reference.
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
