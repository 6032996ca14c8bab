"""Betweenness by the ranks of an MPI job: rank 0 asks, the others compute.

mpiexec -n 3 python -m mpi4py.futures with_mpi.py
"""

from mpi4py.futures import MPIPoolExecutor

from sparsebc import betweenness, datasets

if __name__ == "__main__":
    A, names = datasets.load("human-proteins")
    with MPIPoolExecutor() as ranks:
        scores = betweenness(A, directed=False, device="cpu", executor=ranks)
        print(ranks.num_workers, "ranks that compute")
    print((scores == betweenness(A, directed=False, device="cpu")).all())
