"""Betweenness by workers that Slurm starts: python with_slurm.py roads.mtx."""

import sys

import scipy.io
from dask_jobqueue import SLURMCluster
from distributed import Client

from sparsebc import betweenness

if __name__ == "__main__":
    cluster = SLURMCluster(cores=32, processes=32, memory="128GB", walltime="24:00:00")
    cluster.scale(jobs=8)  # of 32 processes each
    with cluster, Client(cluster) as client:
        client.wait_for_workers(200)  # tasks are cut for the workers that are there
        A = scipy.io.mmread(sys.argv[1])
        scores = betweenness(A, device="cpu", executor=client, retries=10, checkpoint="kept")
