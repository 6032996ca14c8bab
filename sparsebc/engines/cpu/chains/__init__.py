"""Betweenness by sweeps from the ends of chains."""
