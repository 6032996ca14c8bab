"""One part of a run: the job of an array, as python job_array.py 3 16; without arguments, all."""

import sys

from sparsebc import betweenness, compute_part, datasets

if __name__ == "__main__":
    A, names = datasets.load("human-protein-hein2015")
    if sys.argv[1:]:
        number, of = map(int, sys.argv[1:])
        compute_part(A, ["betweenness"], (number, of), checkpoint="kept", directed=False)
    else:
        scores = betweenness(A, checkpoint="kept", directed=False)
        print((scores == betweenness(A, directed=False)).all())
