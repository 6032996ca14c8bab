"""Calls while another thread overwrites the arrays of the matrix, in a separate process."""

import threading
import time

import numpy as np
import scipy.sparse as sp

import sparsebc

SECONDS = 0.25
rng = np.random.default_rng(1)
n = 20_000
edges = rng.integers(0, n, (2, 4 * n))
sound = sp.csr_array((rng.uniform(1, 2, edges.shape[1]), tuple(edges)), shape=(n, n))
sound = sp.csr_array(sound + sound.T)
A = sound.copy()
ended = False


def overwrite():
    """Alternately fill the arrays with invalid values and restore them."""
    while not ended:
        for name, bad in (("indices", 2**30), ("indices", -7), ("indptr", 2**30), ("data", -1)):
            array = getattr(A, name)
            array[:] = bad
            array[:] = getattr(sound, name)
            time.sleep(0.001)  # so that some calls start with a valid matrix


CALLS = {
    "bfs": lambda: sparsebc.bfs(A, range(64), device="cpu"),
    "closeness": lambda: sparsebc.closeness(A, sources=range(512), device="cpu"),
    "betweenness": lambda: sparsebc.betweenness(A, sources=range(64), device="cpu"),
    "by length": lambda: sparsebc.betweenness(A, sources=[0, 1], weighted=True, device="cpu"),
    "components": lambda: sparsebc.connected_components(A, device="cpu"),
    "part_of": lambda: sparsebc.part_of(A, largest_component=True),
    "strength_to_distance": lambda: sparsebc.strength_to_distance(A),
    "from_matrix": lambda: sparsebc.networkx.from_matrix(A),
}


def main():
    """Repeat each call for `SECONDS`, and print the errors it raises."""
    global ended
    for call in CALLS.values():
        call()  # compiled
    thread = threading.Thread(target=overwrite)
    thread.start()
    try:
        for name, call in CALLS.items():
            print(name, flush=True)
            until = time.monotonic() + SECONDS
            while time.monotonic() < until:
                try:
                    call()
                except (ValueError, IndexError, OverflowError, MemoryError) as error:
                    print(type(error).__name__, flush=True)
    finally:
        ended = True


if __name__ == "__main__":
    main()
