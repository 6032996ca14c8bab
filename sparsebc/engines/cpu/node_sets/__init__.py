"""Betweenness of sets of nodes."""
