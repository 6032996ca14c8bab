"""Temporal networks beside pathpy and teneto: values first, against an enumeration, then times.

pathpy's betweenness is the share of shortest paths along contacts at most ``delta`` apart. If each
ordered pair meets once, that is `temporal.betweenness` with durations of 1 and ``wait=delta - 1``,
except that pathpy counts a source that a path returns to; this is removed here. teneto's distances
are time steps from every start, which are compared; its betweenness counts paths by start and
divides by the number of starts with a path. Libraries that are not installed are left out.
"""

import contextlib
import importlib.util
import io
import logging
from collections import defaultdict

import numpy as np

from sparsebc import temporal

from . import suite

# Nodes, contacts, time steps, longest time between two contacts of a walk.
SIZES = ((10, 30, 20, 5), (10, 60, 40, 8), (30, 90, 60, 20), (100, 300, 300, 60),
         (200, 600, 600, 60), (100, 400, 100, 100))  # fmt: skip
MOST = 200_000  # walks that the enumeration follows


def drawn(n, m, steps, seed=3):
    """Contacts at random times, at most one for each ordered pair."""
    rng = np.random.default_rng(seed)
    ends = np.divmod(rng.choice(n * n, m, replace=False), n)
    times = rng.integers(0, steps, m)
    return temporal.Contacts(*ends, times, np.ones(m, dtype=int), n=n)


def enumerated(contacts, wait):
    """Betweenness by enumeration of walks from each node, by length; None if too many."""
    leaving = defaultdict(list)
    edges = list(
        zip(contacts.source.tolist(), contacts.target.tolist(), contacts.time.tolist(), strict=True)
    )
    for edge in edges:
        leaving[edge[0]].append(edge)
    scores = np.zeros(contacts.n)
    for s in range(contacts.n):
        found, walks = {s: []}, [(edge,) for edge in leaving[s]]
        while walks:
            ends = defaultdict(list)
            for walk in walks:
                if walk[-1][1] not in found:
                    ends[walk[-1][1]].append(walk)
            found |= ends
            walks = [
                (*walk, edge)
                for walk in walks
                for edge in leaving[walk[-1][1]]
                if 1 <= edge[2] - walk[-1][2] <= wait + 1
            ]
            if len(walks) > MOST:
                return None
        for t, best in found.items():
            for walk in best:
                for edge in walk[:-1]:
                    if edge[1] not in (s, t):
                        scores[edge[1]] += 1 / len(best)
    return scores


def pathpy(contacts, delta):
    """Scores and seconds of pathpy, without sources that a path returns to."""
    import pathpy as pp

    logging.disable(logging.CRITICAL)
    net = pp.TemporalNetwork()
    for u, v, t in zip(contacts.source, contacts.target, contacts.time, strict=True):
        net.add_edge(str(u), str(v), int(t))
    with contextlib.redirect_stdout(io.StringIO()):
        shortest, *_, seconds = suite.timed(
            lambda: pp.algorithms.shortest_paths.shortest_paths(
                pp.path_extraction.paths_from_temporal_network_dag(net, delta=delta)
            )
        )
    scores = np.zeros(contacts.n)
    for s, of_source in shortest.items():
        for t, best in of_source.items():
            for path in best if s != t else ():
                for v in {*path[1:-1]} - {s, t}:
                    scores[int(v)] += path[1:-1].count(v) / len(best)
    return scores, seconds


def teneto(contacts, steps):
    """Distances of teneto in steps, by start, source and target, and its seconds."""
    from teneto import TemporalNetwork
    from teneto.networkmeasures import shortest_temporal_path

    rows = zip(
        contacts.source.tolist(), contacts.target.tolist(), contacts.time.tolist(), strict=True
    )
    net = TemporalNetwork(
        from_edgelist=[list(row) for row in rows], nettype="bd", N=contacts.n, T=steps
    )
    paths, _, seconds = suite.timed(lambda: shortest_temporal_path(net, steps_per_t=1))
    found = np.full((steps, contacts.n, contacts.n), np.inf)
    at = tuple(paths[title].to_numpy(int) for title in ("t_start", "from", "to"))
    found[at] = paths["temporal-distance"].fillna(np.inf)
    return found, seconds


def best(call):
    """Result of a call, and its processor seconds, the best of three."""
    found = [suite.timed(call) for _ in range(3)]
    return found[0][0], min(seconds for *_, seconds in found)


@suite.benchmark(sizes=suite.option(len(SIZES), "how many of the sizes"))
def main(options):
    """Yield a row for each size, with each library that is installed."""
    for n, m, steps, delta in SIZES[: options.sizes]:
        contacts = drawn(n, m, steps)
        how = {"wait": delta - 1, "normalized": False, "device": "cpu"}
        ours, seconds = best(lambda: temporal.betweenness(contacts, **how))  # noqa: B023
        row = {"nodes": n, "contacts": len(contacts), "steps": steps, "delta": delta,
               "sum": float(ours.sum()), "sparsebc, s": seconds}  # fmt: skip
        exact = enumerated(contacts, delta - 1)
        if exact is not None:
            np.testing.assert_allclose(ours, exact, rtol=1e-12, atol=1e-12)
            row["enumerated"] = True
        if importlib.util.find_spec("pathpy"):
            theirs, row["pathpy, s"] = pathpy(contacts, delta)
            row["pathpy, largest difference"] = float(abs(theirs - ours).max())
        if importlib.util.find_spec("teneto") and n <= 10:  # it takes minutes on others
            steps_to, row["teneto, s"] = teneto(contacts, steps)
            every = range(contacts.n)
            arrivals, row["sparsebc arrivals, s"] = best(
                lambda: [temporal.arrival(contacts, every, t) for t in range(steps)]  # noqa: B023
            )
            later = np.array(arrivals) - np.arange(steps)[:, np.newaxis, np.newaxis]
            others = ~np.eye(contacts.n, dtype=bool)
            np.testing.assert_array_equal(later[:, others], steps_to[:, others])
        yield row


if __name__ == "__main__":
    main()
