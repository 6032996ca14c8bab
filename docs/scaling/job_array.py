"""Scores from a job array: python job_array.py 3 16 is job 3 of 16; without arguments, the sum."""

import sys
from pathlib import Path

import numpy as np

from sparsebc import betweenness, datasets

A, names = datasets.load("human-proteins")
n = A.shape[0]
if sys.argv[1:]:
    job, of = map(int, sys.argv[1:])
    share = np.arange(job - 1, n, of)
    np.save(f"sum-{job}.npy", betweenness(A, directed=False, sources=share, normalized=False))
else:
    scores = sum(map(np.load, Path().glob("sum-*.npy"))) / ((n - 1) * (n - 2) / 2)
    print(np.allclose(scores, betweenness(A, directed=False)))
