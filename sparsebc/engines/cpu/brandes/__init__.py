"""Unweighted betweenness."""
