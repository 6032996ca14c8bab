"""Distances by edges, many sources to a search."""
