"""The oracle of temporal walks: enumeration, with fractions; random temporal networks."""

from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from sparsebc import temporal

MOST_WALKS = 5_000


def both_ways(contacts):
    """Contacts with each edge in both directions."""
    ends = (contacts.source, contacts.target)
    times = (np.tile(each, 2) for each in (contacts.time, contacts.duration))
    return temporal.Contacts(np.concatenate(ends), np.concatenate(ends[::-1]), *times, contacts.n)


def rows(contacts):
    """Count of each (source, target, time, duration), with names of nodes."""
    columns = (contacts.source, contacts.target, contacts.time, contacts.duration)
    whole = zip(*(column.tolist() for column in columns), strict=True)
    return Counter((contacts.nodes[u], contacts.nodes[v], t, length) for u, v, t, length in whole)


def walks_from(contacts, source, wait):
    """All walks from a node, as lists of edges, up to the largest length of an optimal walk."""
    columns = (contacts.source, contacts.target, contacts.time, contacts.duration)
    edges = list(zip(*columns, strict=True))
    walks, longer = [], [[e] for e, edge in enumerate(edges) if edge[0] == source]
    most = contacts.n - 1 if wait is None else len(edges)
    while longer and len(longer[0]) <= most:
        walks += longer
        assume(len(walks) <= MOST_WALKS)
        longer = [
            [*walk, f]
            for walk in longer
            for f, (tail, _, departure, _) in enumerate(edges)
            for _, head, time, duration in [edges[walk[-1]]]
            if tail == head and 0 <= departure - (time + duration)
            if wait is None or departure - (time + duration) <= wait
        ]
    return walks


def optimal(contacts, source, wait, kind):
    """The optimal walks from a node, by target."""
    arrival = contacts.time + contacts.duration

    def cost(walk):
        return (0 if kind == "shortest" else arrival[walk[-1]], len(walk))

    ending = {}
    for walk in walks_from(contacts, source, wait):
        ending.setdefault(int(contacts.target[walk[-1]]), []).append(walk)
    ending.pop(source, None)
    return {
        target: [walk for walk in walks if cost(walk) == min(map(cost, walks))]
        for target, walks in ending.items()
    }


def betweenness(contacts, wait, kind, sources=None):
    """Sum over pairs of the visits of each node, by the definition."""
    scores = [Fraction(0)] * contacts.n
    for source in range(contacts.n) if sources is None else sources:
        for walks in optimal(contacts, source, wait, kind).values():
            for walk in walks:
                for e in walk[:-1]:
                    scores[contacts.target[e]] += Fraction(1, len(walks))
    return scores


@st.composite
def networks(draw, most=9):
    """Contacts among a few nodes: durations 0, equal or different, often at one time."""
    n = draw(st.integers(1, 6))
    nodes, m = st.integers(0, n - 1), draw(st.integers(0, most))
    last = draw(st.integers(0, 8))
    kind = draw(st.sampled_from([int, float]))
    columns = [draw(st.lists(values, min_size=m, max_size=m)) for values in (nodes, nodes)]
    times = draw(st.lists(st.integers(0, last), min_size=m, max_size=m))
    durations = draw(
        st.one_of(st.sampled_from([0, 1]), st.lists(st.integers(1, 3), min_size=m, max_size=m))
    )
    scale = draw(st.sampled_from([1, 0.1])) if kind is float else 1
    times, durations = (np.array(each, kind) * scale for each in (times, durations))
    return temporal.Contacts(*columns, times, durations, n)


WAITS = st.sampled_from([None, 0, 0.75, 1, 2, 5])
KINDS = st.sampled_from(["shortest", "shortest foremost"])
