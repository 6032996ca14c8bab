"""Drawn patterns with the structures that engines treat specially.

A pattern is a number of nodes and a list of node pairs, each once and in one direction: copies of a
small graph in a row, joined alike, such as a grid, a ladder or layers, and what is added to it.
"""

from itertools import combinations, pairwise, product

import scipy.sparse as sp
from hypothesis import strategies as st

from sparsebc.testing import graphs

ADDED = ("edges", "tree", "hubs", "tail", "chain", "twins", "closed twins")


@st.composite
def patterns(draw, random, most):
    """Pattern of ``most`` nodes at most; ``random`` draws the ends of what is added."""
    piece = draw(graphs(max_nodes=min(most, 12), symmetric=True))
    inside, n = list(zip(*sp.triu(piece).coords, strict=True)), piece.shape[0]
    if n == 0:
        return 0, []
    copies = draw(st.integers(1, max(1, most // n)))
    node = st.integers(0, n - 1)
    across = draw(st.lists(st.tuples(node, node), max_size=4))
    is_ring = draw(st.booleans())
    pairs = {(c * n + int(i), c * n + int(j)) for c in range(copies) for i, j in inside}
    for c in range(copies if is_ring else copies - 1):
        pairs |= {(c * n + i, (c + 1) % copies * n + j) for i, j in across}
    n *= copies
    for kind in draw(st.lists(st.sampled_from(ADDED), max_size=4)):
        n = _add(kind, draw(st.integers(0, max(0, most - n))), random, n, pairs)
    return n, sorted({(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]})


def _add(kind, count, random, n, pairs):
    """Add pairs to a pattern of n nodes, and ``count`` nodes or fewer; its number of nodes."""
    new = range(n, n + count)
    start, end = random.randrange(n), random.randrange(n)
    if kind == "edges":
        pairs |= {(random.randrange(n), random.randrange(n)) for _ in range(2 * count)}
        return n
    if kind == "tree":  # of leaves, or in which each node hangs from one of the last
        reach = random.choice((n + count, 6))
        pairs |= {(random.randrange(max(0, v - reach), v), v) for v in new}
    elif kind == "hubs":  # preferential attachment: to ends of random edges
        ends = [start, *(v for pair in pairs for v in pair)]
        for v in new:
            ends += [random.choice(ends), v, random.choice(ends), v]
            pairs |= {(ends[-4], v), (ends[-2], v)}
    elif kind in ("tail", "chain"):  # a path from a node, or an ear
        pairs |= set(pairwise([start, *new, *([end] if kind == "chain" else [])]))
    else:
        new = new[:5]
        around = [i + j - start for i, j in pairs if start in (i, j)]
        pairs |= set(product(around, new))
        if kind == "closed twins":
            pairs |= set(combinations([start, *new], 2))
    return new.stop
