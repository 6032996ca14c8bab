"""Ways of asking for a centrality: matrices with options, and samples known beforehand."""

import random

from hypothesis import strategies as st

from sparsebc.testing import matrices


class Drawn(random.Random):
    """A random state whose sample is known beforehand, to hand NetworkX our own sources."""

    def __init__(self, nodes):
        super().__init__()
        self.nodes = list(nodes)

    def sample(self, population, k):
        """Return the nodes given, whatever is asked for."""
        return self.nodes


@st.composite
def questions(draw, endpoints=True):
    """A matrix and one way of asking for its centrality; pairs chosen by any route."""
    A = draw(matrices())
    n = A.shape[0]
    flags = ("directed", "normalized", *(["endpoints"] if endpoints else []))
    options = {name: draw(st.booleans()) for name in flags}
    route = draw(st.sampled_from(["all", "sample", "subset"] if n else ["all"]))
    if route == "sample":
        options |= {"k": draw(st.integers(1, n)), "rng": draw(st.integers(0, 2**32))}
    elif route == "subset":
        some = st.lists(st.integers(0, n - 1), min_size=1, unique=True)
        options |= {name: draw(st.none() | some) for name in ("sources", "targets")}
    return A, options
