"""Paths sampled between two nodes, by bidirectional search."""
