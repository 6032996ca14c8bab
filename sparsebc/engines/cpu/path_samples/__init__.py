"""Shortest paths drawn at random, by bidirectional search."""
