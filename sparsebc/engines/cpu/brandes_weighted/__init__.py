"""Weighted betweenness."""
