"""A process that is killed again and again, and what it comes to: run by test_checkpoint.py.

``python killed.py DIRECTORY MEASURE KILLS SEED`` forks a child that computes with a checkpoint in
DIRECTORY, kills it after a random time, forks the next, and lets the one after the last kill end.
It fails unless the end has the bits of a run that nobody killed.
"""

import os
import pathlib
import signal
import sys
import time

import numpy as np
import scipy.sparse as sp

import sparsebc


def compute(measure, A, **options):
    if measure == "approximate_betweenness":
        options |= {"epsilon": 0.01, "rng": 1}
    if measure == "group_betweenness":
        options |= {"groups": [[0, 9], range(5, 50)]}
    scores = getattr(sparsebc, measure)(A, device="cpu", workers=2, **options)
    if measure == "approximate_betweenness":
        return np.stack([scores.scores, scores.half_widths])
    return scores.data if measure == "edge_betweenness" else scores


def attempt(measure, A, directory, output, seconds):
    """Whether a child that computes ends before it is killed."""
    child = os.fork()
    if child == 0:
        scores = compute(measure, A, checkpoint=directory, checkpoint_every=0)
        np.save(output, scores)
        os._exit(0)
    begun = time.monotonic()
    while seconds is None or time.monotonic() - begun < seconds:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            assert status == 0, f"the child failed: {status}"
            return True
        time.sleep(1e-4)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return False


def main(directory, measure, kills, seed):
    rng = np.random.default_rng(int(seed))
    n, hops = 3000, (1, 17, 289)
    A = sp.csr_array(sum(sp.eye_array(n, k=k) + sp.eye_array(n, k=-k) for k in hops))
    compute(measure, A)  # compiles, if need be, which is not of the time below
    begun = time.monotonic()
    want = compute(measure, A)
    longest = 4 * (time.monotonic() - begun) / int(kills)
    left, runs = int(kills), 0
    while True:
        place = pathlib.Path(directory, str(runs))
        output = place.with_suffix(".npy")
        ended = False
        while left and not ended:
            ended = attempt(measure, A, place, output, rng.uniform(0, longest))
            left -= not ended
        ended = ended or attempt(measure, A, place, output, None)
        np.testing.assert_array_equal(np.load(output), want)
        assert len(list(place.iterdir())) <= 5, "a state, its draft and a lock, whatever happens"
        runs += 1
        if not left:
            break
    print(f"{kills} kills, {runs} runs")


if __name__ == "__main__":
    main(*sys.argv[1:])
