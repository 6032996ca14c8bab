"""Betweenness by a pool of processes, which is made again if one of them dies."""

import functools
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from sparsebc import betweenness, datasets

if __name__ == "__main__":  # the processes import this file
    A, names = datasets.load("human-proteins")
    spawn = multiprocessing.get_context("spawn")
    pool = functools.partial(ProcessPoolExecutor, 2, mp_context=spawn)
    scores = betweenness(A, directed=False, device="cpu", executor=pool)
    print((scores == betweenness(A, directed=False, device="cpu")).all())
