"""Use what is installed, from Python: a path of three nodes, by edges and by length."""

import numpy as np
import scipy.sparse

import sparsebc

path = scipy.sparse.csr_array(np.diag([1.0, 2.0], 1))
for weighted in (False, True):
    scores = sparsebc.betweenness(path, normalized=False, weighted=weighted)
    assert scores.tolist() == [0, 1, 0], scores
distances, _ = sparsebc.shortest_paths(path, [0], weighted=True)
assert distances.tolist() == [[0, 1, 3]], distances
print(f"sparsebc {sparsebc.__version__} in {sparsebc.__file__}: right")
