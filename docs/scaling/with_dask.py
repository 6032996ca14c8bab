"""Betweenness by the workers of a Dask cluster."""

from distributed import Client, LocalCluster

from sparsebc import betweenness, datasets

if __name__ == "__main__":
    A, names = datasets.load("human-proteins")
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
    with cluster, Client(cluster) as client:
        scores = betweenness(A, directed=False, device="cpu", executor=client)
    print((scores == betweenness(A, directed=False, device="cpu")).all())
