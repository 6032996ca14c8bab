"""Exact reductions of a graph: pruning, trees, biconnected components, chains, twins, order."""
