"""Measure null models: scores of randomized networks, and the swaps that make them.

Means and standard deviations are compared first with those of graphs from igraph's ``rewire``. A
loop of that and igraph's ``betweenness`` is what users write today: some iterations are timed, and
their scores compared with ours. On a device of another kind p and q must be equal.
"""

import numpy as np
from scipy import sparse

from sparsebc import betweenness, null_model
from sparsebc.null_models.null_graphs import null_graphs

from . import suite

PROTEINS = "human-proteins"
TURNS = 3  # timed iterations of igraph's loop
BESIDE = 50  # samples on another device
# Mean square of the differences in units of their standard error, expected to be 1.
LARGEST_CHI2 = 2.0


def matrix_of(name, options):
    """Name and matrix of a case, undirected and unweighted."""
    A = suite.load(name, options).A
    pattern = sparse.csr_array((np.ones(A.nnz), A.indices, A.indptr), shape=A.shape)
    return name, sparse.csr_array(((pattern + pattern.T) > 0).astype(np.float64))


def chain(A, swaps, repeats):
    """Processor seconds of the swaps and the matrix of one sample."""
    how = {"directed": False, "weighted": False, "workers": 1, "shuffled": False}
    graphs, stop = (
        null_graphs(A, swaps=swaps, probability=None, seed=0, **how),
        np.zeros(1, np.uint8),
    )
    graphs.matrix(0, stop)  # compiles
    return min(suite.timed(lambda i=i: graphs.matrix(i, stop))[2] for i in range(repeats))


def of_igraph(A, samples, swaps, device):
    """Scores of graphs from igraph; seconds a sample of igraph's loop, and its deviation."""
    import igraph

    tails, heads = sparse.triu(A, k=1).nonzero()
    graph = igraph.Graph(A.shape[0], [*zip(tails.tolist(), heads.tolist(), strict=True)])

    def rewired():
        one = graph.copy()
        one.rewire(n=swaps * one.ecount())
        return one

    def ours(one):
        ends = np.array(one.get_edgelist()).T
        B = sparse.csr_array((np.ones(ends.shape[1]), ends), shape=A.shape)
        return betweenness(B, directed=False, normalized=False, device=device)

    seconds, deviation = [], 0.0
    for _ in range(min(TURNS, samples)):
        (one, theirs), taken, _ = suite.timed(lambda: ((one := rewired()), one.betweenness()))
        seconds.append(taken)
        deviation = max(deviation, np.abs(ours(one) - theirs).max() / max(theirs))
    n = A.shape[0]
    scores = np.array([ours(rewired()) for _ in range(samples)]) * 2 / ((n - 1) * (n - 2))
    facts = {"igraph_samples": samples, "igraph_seconds_a_sample": min(seconds)}
    return scores, facts | {"deviation": float(deviation)}


def compared(found, theirs):
    """chi2, the mean squared difference in standard errors, and the median ratio of deviations."""
    mean, std, count = theirs.mean(axis=0), theirs.std(axis=0, ddof=1), len(theirs)
    error = np.sqrt(found.std**2 / found.samples + std**2 / count)
    varies = (found.std > 0) & (std > 0)
    off = ((found.mean - mean)[varies] / error[varies]) ** 2
    chi2 = float(off.mean())
    suite.check("means beside igraph's, in squared standard errors", chi2, LARGEST_CHI2)
    return {"chi2": chi2, "std_ratio": float(np.median(found.std[varies] / std[varies]))}


def on_another(A, device, other, run):
    """Largest differences of the first samples on two devices; p and q must be equal."""
    run = run | {"samples": BESIDE, "keep": True}
    one, two = (null_model(A, **run | {"device": each}) for each in (device, other))
    np.testing.assert_array_equal([one.p, one.q], [two.p, two.q])
    off = {field: getattr(one, field) - getattr(two, field) for field in ("kept", "z")}
    largest = np.abs(one.kept).max(axis=0)
    off["kept"] = off["kept"] / np.where(largest, largest, 1)
    found = {f"{field}_deviation": float(np.abs(values).max()) for field, values in off.items()}
    return {"beside": other, "samples_beside": BESIDE} | found


@suite.benchmark(
    cases=[PROTEINS],
    load=matrix_of,
    repeats=5,
    device="cpu",
    samples=100,
    beside=suite.option(help="device whose p and q have to be the same"),
    peers=suite.option(100, "graphs of igraph; 0 for none"),
)
def main(options, case):
    """Yield the JSON row of a network."""
    (name, A), swaps, samples = case, 10, options.samples
    device = options.device.split(",") if "," in options.device else options.device
    run = {"directed": False, "swaps": swaps, "device": device, "rng": 1}
    null_model(A, samples=2, **run)  # compiles
    found, seconds, used = suite.timed(lambda: null_model(A, samples=samples, **run))
    row = {"case": f"{name}, {samples} samples", "nodes": A.shape[0], "edges": A.nnz // 2}
    row |= {"seconds": seconds, "processor_seconds": used, "device": options.device}
    if options.beside:
        row |= on_another(A, device, options.beside, run)
    row["chain_processor_seconds"] = chain(A, swaps, options.repeats)
    if options.peers:
        theirs, facts = of_igraph(A, options.peers, swaps, device)
        row |= facts | compared(found, theirs)
    yield row


if __name__ == "__main__":
    main()
