"""Betweenness by a process for each GPU of this host, as dask-cuda starts them."""

from dask_cuda import LocalCUDACluster
from distributed import Client

from sparsebc import betweenness, datasets

if __name__ == "__main__":
    A, names = datasets.load("human-proteins")
    with LocalCUDACluster(resources={"GPU": 1}) as cluster, Client(cluster) as client:
        one_each = client.get_executor(pure=False, resources={"GPU": 1})
        scores = betweenness(A, directed=False, device="cuda", executor=one_each)
    print((scores == betweenness(A, directed=False, device="cuda:0")).all())
